/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file plugin.h
 * What every plugin exports and what the host gives it. Included by layer.h, backend.h ...
 *
 * A plugin is one shared object with one exported symbol, the constant lam_plugin_entry_v1, written
 * by LAM_PLUGIN. It links nothing of Lamina: all abilities come through tables passed to its
 * functions. It never prints, exits, aborts, throws across the border, or changes process state
 * (signals, locale, rounding, cwd, affinity). It is never unloaded.
 *
 * Growth: structs that start with struct_size may get members at their end; test a member of a table
 * that the other side filled with LAM_HAS. New abilities that only some have are extensions by id
 * ("lamina.area.name/1"). The major is in the entry symbol's name.
 *
 * Thread tags, one a function pointer:
 *   [load]     loader lock held, never together with another call into the same plugin
 *   [instance] any thread, never two at once on one instance
 *   [trace]    the thread that owns the trace; the instance is read-only
 *   [any]      any thread, concurrently
 */
#ifndef LAMINA_PLUGIN_H
#define LAMINA_PLUGIN_H

#include <lamina/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LAM_ABI_MAJOR 1 /**< plugins and hosts of another major refuse each other */
#define LAM_ABI_MINOR 0 /**< newest minor that this header knows */
#ifndef LAM_TARGET_MINOR
#define LAM_TARGET_MINOR 0 /**< oldest host minor the author wants to run on */
#endif

#define LAM_ENTRY_MAGIC  0x314d414cu           /**< "LAM1", little-endian */
#define LAM_ENTRY_SYMBOL "lam_plugin_entry_v1" /**< the one symbol that a plugin exports */

/** Visible outside the shared object: the entry only. */
#define LAM_EXPORT __attribute__ ((visibility ("default")))
/** Visible in the other source files of the same plugin only. */
#define LAM_HIDDEN __attribute__ ((visibility ("hidden")))
/** No warning where it is not used. */
#define LAM_UNUSED __attribute__ ((unused))
/** Bytes of a struct T up to the end of member f. */
#define LAM_END(T, f) (offsetof (T, f) + sizeof (((T *)0)->f))
/** True if table p, of type T and filled by the other side, has member f and it is not NULL. */
#define LAM_HAS(p, T, f) ((p)->struct_size >= LAM_END (T, f) && (p)->f)

/** An error the host owns. A plugin only fills it through lam_host.error_set. */
typedef struct lam_error lam_error;

/** What the host offers outside traces. Valid until process end. */
typedef struct lam_host {
  uint32_t struct_size;
  uint16_t abi_major, abi_minor; /**< of the host */
  /** [any] An extension table by id ("lamina.host.zip/1"), or NULL. */
  const void *(*get_extension) (const struct lam_host *host, const char *id);
  /** [any] Zeroed memory, align a power of two; NULL when short. Free with free(). */
  void *(*alloc) (const struct lam_host *host, uint64_t bytes, uint64_t align);
  /** [any] Accepts NULL. */
  void (*free) (const struct lam_host *host, void *p);
  /** [any] level: 0 debug, 1 info, 2 warning, 3 error. Copied. */
  void (*log) (const struct lam_host *host, int32_t level, const char *message);
  /** [any] Sets the error (message copied, first one wins) and returns status. */
  lam_status (*error_set) (lam_error *error, lam_status status, const char *message);
  void *reserved[3]; /**< NULL */
} lam_host;

/** @name Kinds of things a plugin provides; the revision is part of the id */
/**@{*/
#define LAM_KIND_LAYER      "lamina.layer/1"      /**< layer.h */
#define LAM_KIND_OPTIMIZER  "lamina.optimizer/1"  /**< optimizer.h */
#define LAM_KIND_LEARNER    "lamina.learner/1"    /**< learner.h */
#define LAM_KIND_SCHEDULE   "lamina.schedule/1"   /**< schedule.h */
#define LAM_KIND_INPUT      "lamina.input/1"      /**< input.h */
#define LAM_KIND_BACKEND    "lamina.backend/1"    /**< backend.h */
#define LAM_KIND_METRIC     "lamina.metric/1"     /**< metric.h */
#define LAM_KIND_TOKENIZER  "lamina.tokenizer/1"  /**< reserved */
#define LAM_KIND_COLLECTIVE "lamina.collective/1" /**< collective.h */
#define LAM_KIND_KERNEL     "lamina.kernel/1"     /**< reserved */
/**@}*/

/** One thing provided: static, constant, never freed. */
typedef struct lam_desc {
  uint32_t struct_size;
  uint32_t revision;   /**< semantic revision, stored in models; >= 1 */
  const char *kind;    /**< LAM_KIND_* */
  const char *id;      /**< "vendor.name": [a-z0-9_]+(.[a-z0-9_]+)+, <= 100 bytes */
  const char *summary; /**< one sentence, UTF-8, <= 1000 bytes */
  const void *vtable;  /**< lam_layer_vt ..., by kind; starts with uint32_t struct_size */
  uint64_t flags;      /**< bits 0-15 must be understood, 16-63 may be ignored; 0 now */
} lam_desc;

/** The one exported symbol: constant data, so that versions are read before any code runs. */
typedef struct lam_plugin_entry {
  uint32_t magic, struct_size;     /**< LAM_ENTRY_MAGIC; sizeof the struct */
  uint16_t abi_major, abi_minor;   /**< of the header it was built with */
  uint16_t need_minor, reserved0;  /**< oldest host minor it accepts */
  const char *id;                  /**< "acme.layers" */
  const char *version;             /**< semantic version */
  const char *license;             /**< SPDX expression */
  const lam_desc *const *provides; /**< n_provides pointers */
  uint64_t n_provides;             /**< pointers in provides */
  /** [load] Optional: once before first use; may keep host. Failure refuses the plugin. */
  lam_status (*init) (const lam_host *host, lam_error *error);
  /** [any] Optional: extensions of the plugin as a whole, by id. */
  const void *(*get_extension) (const char *id);
} lam_plugin_entry;

#ifdef __cplusplus
/** Begins plugin code that the host calls. In C++ a thrown exception becomes an error; in C it
 * is a plain block. */
#define LAM_TRY try {
/** Ends it; fail: what to do when an exception arrived. */
#define LAM_CATCH(fail)                                                                            \
  }                                                                                                \
  catch (...)                                                                                      \
  {                                                                                                \
    fail;                                                                                          \
  }
#else
/** Begins plugin code that the host calls. */
#define LAM_TRY         {
/** Ends it. */
#define LAM_CATCH(fail) }
#endif
/** The error message of a caught exception. */
#define LAM_EXCEPTION "a C++ exception escaped from the plugin; catch it and call lam_fail instead"

/** Part of LAM_CAT. */
#define LAM_CAT_(a, b) a##b
/** Joins two tokens after expanding them. */
#define LAM_CAT(a, b) LAM_CAT_ (a, b)
/** Part of LAM_STR. */
#define LAM_STR_(a) #a
/** The text of a token after expanding it. */
#define LAM_STR(a) LAM_STR_ (a)

/**
 * ELF notes: name "LMP", type LAM_NOTE_TYPE, descriptor = fields separated by NUL bytes, so that a
 * scan reads what a file provides without running its code. (Not JSON: the preprocessor cannot
 * escape an author's text.) Records: "plugin" id version license abi need_minor; "provides" kind id
 * revision summary.
 */
#define LAM_NOTE_TYPE 0x4c4d0001u
/** Puts a record (fields separated by NUL bytes) into the ELF note section. */
#define LAM_NOTE(name, text)                                                                       \
  static const struct {                                                                            \
    uint32_t namesz, descsz, type;                                                                 \
    char owner[4];                                                                                 \
    char desc[(sizeof (text) + 3) / 4 * 4];                                                        \
  } name __attribute__ ((section (".note.lamina.plugin"), used, aligned (4))) = {                  \
      4, (uint32_t)sizeof (text), LAM_NOTE_TYPE, "LMP", text};

/** One provided thing: its note and its descriptor `<T>_lam_desc`, hidden, so that the plugin's other
 * files can name it. */
#define LAM_DESCRIBE(T, kind, id, revision, summary, vtable)                                       \
  LAM_NOTE (T##_lam_note, "provides\0" kind "\0" id "\0" LAM_STR (revision) "\0" summary)          \
  LAM_DECLARE (T)                                                                                  \
  LAM_EXTERN_C_BEGIN                                                                               \
  const lam_desc T##_lam_desc = {                                                                  \
      (uint32_t)sizeof (lam_desc), revision, kind, id, summary, vtable, 0};                        \
  LAM_EXTERN_C_END

/** Names a thing that another source file of the same plugin describes, for LAM_PROVIDES. */
#define LAM_DECLARE(T)                                                                             \
  LAM_EXTERN_C_BEGIN                                                                               \
  extern LAM_HIDDEN const lam_desc T##_lam_desc;                                                   \
  LAM_EXTERN_C_END

/* LAM_PROVIDES (a, b, ...) -> &a_lam_desc, &b_lam_desc, ... */
#define LAM_P1_(a)                              &a##_lam_desc
#define LAM_P2_(a, ...)                         &a##_lam_desc, LAM_P1_ (__VA_ARGS__)
#define LAM_P3_(a, ...)                         &a##_lam_desc, LAM_P2_ (__VA_ARGS__)
#define LAM_P4_(a, ...)                         &a##_lam_desc, LAM_P3_ (__VA_ARGS__)
#define LAM_P5_(a, ...)                         &a##_lam_desc, LAM_P4_ (__VA_ARGS__)
#define LAM_P6_(a, ...)                         &a##_lam_desc, LAM_P5_ (__VA_ARGS__)
#define LAM_P7_(a, ...)                         &a##_lam_desc, LAM_P6_ (__VA_ARGS__)
#define LAM_P8_(a, ...)                         &a##_lam_desc, LAM_P7_ (__VA_ARGS__)
#define LAM_PN_(a, b, c, d, e, f, g, h, n, ...) LAM_P##n##_
/** The things of a plugin: 1 to 8 struct names given to LAM_LAYER and its kin; several lists may
 * follow each other, separated by commas. */
#define LAM_PROVIDES(...) LAM_PN_ (__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0) (__VA_ARGS__)

/**
 * The plugin itself, once a shared object: id, version and licence as string literals, then the
 * things that it provides. Things that other files of the plugin describe are named by LAM_DECLARE.
 */
#define LAM_PLUGIN(id, version, license, ...)                                                      \
  LAM_NOTE (lam_plugin_note,                                                                       \
            "plugin\0" id "\0" version "\0" license "\0" LAM_STR (LAM_ABI_MAJOR) "." LAM_STR (     \
                LAM_ABI_MINOR) "\0" LAM_STR (LAM_TARGET_MINOR))                                    \
  static const lam_desc *const lam_plugin_provides[] = {__VA_ARGS__};                              \
  LAM_EXTERN_C_BEGIN                                                                               \
  extern LAM_EXPORT const lam_plugin_entry lam_plugin_entry_v1;                                    \
  const lam_plugin_entry lam_plugin_entry_v1 = {LAM_ENTRY_MAGIC,                                   \
                                                (uint32_t)sizeof (lam_plugin_entry),               \
                                                LAM_ABI_MAJOR,                                     \
                                                LAM_ABI_MINOR,                                     \
                                                LAM_TARGET_MINOR,                                  \
                                                0,                                                 \
                                                id,                                                \
                                                version,                                           \
                                                license,                                           \
                                                lam_plugin_provides,                               \
                                                sizeof lam_plugin_provides                         \
                                                    / sizeof lam_plugin_provides[0],               \
                                                NULL,                                              \
                                                NULL};                                             \
  LAM_EXTERN_C_END

#ifdef __cplusplus
/** Around declarations of data that C and C++ files share; empty in C. */
#define LAM_EXTERN_C_BEGIN extern "C" {
/** Ends LAM_EXTERN_C_BEGIN. */
#define LAM_EXTERN_C_END }
#else
/** Nothing in C. */
#define LAM_EXTERN_C_BEGIN
/** Nothing in C. */
#define LAM_EXTERN_C_END
#endif

#ifdef __cplusplus
}
#endif
#endif
