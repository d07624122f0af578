/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file fields.h
 * The field table of a plugin type: which config keys it has, with type, default, range and doc.
 *
 * LAM_FIELDS (T, LAM_INT (...), LAM_MIN (...), ...) declares the members of struct T that a config
 * fills; the host checks every value, so the plugin finds them valid. LAM_MIN, LAM_MAX,
 * LAM_REQUIRED and LAM_CHOICES refine the field before them. Members that the table does not name
 * (lam_var, lam_child, derived values) start zeroed.
 *
 * The macros expand to calls (not to initialised arrays), so the table may grow and C++17 accepts it.
 */
#ifndef LAMINA_FIELDS_H
#define LAMINA_FIELDS_H

#include <lamina/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name Field kinds and the member type each needs */
/**@{*/
#define LAM_FIELD_INT      1  /**< int64_t */
#define LAM_FIELD_FLOAT    2  /**< double; JSON numbers, also "inf", "-inf", "nan" */
#define LAM_FIELD_BOOL     3  /**< bool */
#define LAM_FIELD_STRING   4  /**< const char *, NUL-terminated UTF-8 */
#define LAM_FIELD_INTS     5  /**< lam_ints: a list of integers */
#define LAM_FIELD_DTYPE    6  /**< lam_dtype; JSON: its name */
#define LAM_FIELD_INIT     7  /**< lam_init: {"method": "gaussian", "scale": 1.0} */
#define LAM_FIELD_CHILD    8  /**< lam_child_config: the config of one child */
#define LAM_FIELD_CHILDREN 9  /**< lam_child_config: a list of child configs */
#define LAM_FIELD_STRINGS  10 /**< lam_strings: a list of strings */
#define LAM_FIELD_FLOATS   11 /**< lam_floats: a list of numbers, as FLOAT */
/**@}*/

/** A list of integers owned by the host. */
typedef struct lam_ints {
  const int64_t *p; /**< integers, valid as long as the instance */
  uint64_t n;       /**< how many */
} lam_ints;

/** A list of numbers owned by the host. */
typedef struct lam_floats {
  const double *p; /**< numbers, valid as long as the instance */
  uint64_t n;      /**< how many */
} lam_floats;

/** A list of texts owned by the host. */
typedef struct lam_strings {
  const char *const *p; /**< texts, NUL-terminated UTF-8, valid as long as the instance */
  uint64_t n;           /**< how many */
} lam_strings;

/** A child's (or several children's) config, to be handed to lam_create_child; id 0: not given. */
typedef struct lam_child_config {
  uint32_t id;    /**< opaque */
  uint32_t count; /**< how many configs a LAM_LAYERS list holds; 1 for LAM_LAYER_CONFIG */
} lam_child_config;

/** How a variable starts. method: LAM_INIT_*; 0 = not said: the default of the variable applies. */
typedef struct lam_init {
  int32_t method; /**< LAM_INIT_* */
  int32_t reserved;
  double scale; /**< see the method; 1 where a config does not say */
} lam_init;

/** @name Initialisers (semantics of lingvo's WeightInit; fans from the shape without repeats) */
/**@{*/
#define LAM_INIT_DEFAULT               0 /**< what the variable says, else xavier */
#define LAM_INIT_CONSTANT              1 /**< scale */
#define LAM_INIT_GAUSSIAN              2 /**< scale * N (0, 1) */
#define LAM_INIT_UNIFORM               3 /**< scale * U (-1, 1) */
#define LAM_INIT_TRUNCATED_GAUSSIAN    4 /**< scale * N (0, 1) cut at +-2 */
#define LAM_INIT_XAVIER                5 /**< U (-L, L), L = scale * sqrt (6 / (fan_in + fan_out)) */
#define LAM_INIT_GAUSSIAN_SQRT_DIM     6  /**< gaussian, scale / sqrt (shape[0]) */
#define LAM_INIT_GAUSSIAN_SQRT_FANIN   7  /**< gaussian, scale / sqrt (fan_in) */
#define LAM_INIT_GAUSSIAN_SQRT_FANOUT  8  /**< gaussian, scale / sqrt (fan_out) */
#define LAM_INIT_GAUSSIAN_SQRT_FANAVG  9  /**< gaussian, scale * sqrt (2 / (fan_in + fan_out)) */
#define LAM_INIT_UNIFORM_SQRT_DIM      10 /**< uniform, scale / sqrt (shape[0]) */
#define LAM_INIT_UNIFORM_SQRT_FANIN    11 /**< uniform, scale / sqrt (fan_in) */
#define LAM_INIT_UNIFORM_SQRT_FANOUT   12 /**< uniform, scale / sqrt (fan_out) */
#define LAM_INIT_TRUNCATED_SQRT_DIM    13 /**< truncated, scale / sqrt (shape[0]) */
#define LAM_INIT_TRUNCATED_SQRT_FANIN  14 /**< truncated, scale / sqrt (fan_in) */
#define LAM_INIT_TRUNCATED_SQRT_FANOUT 15 /**< truncated, scale / sqrt (fan_out) */
#define LAM_INIT_UNIFORM_UNIT_SCALING  16 /**< uniform, scale * sqrt (3 / prod shape[:-1]) */
#define LAM_INIT_UNIFORM_SQRT_FANAVG   17 /**< uniform, scale * sqrt (6 / (fan_in + fan_out)) */
/** scale * max (sqrt (in / out), 1) * an orthogonal (in, out) matrix at the centre of the leading
 * dims, zeros elsewhere; rank 2 to 5, below: gaussian. */
#define LAM_INIT_DELTA_ORTHOGONAL 18
/**@}*/

/** Collects a table; opaque, used by the macros below during the declaring call. */
typedef struct lam_fields {
  uint32_t struct_size;
  uint32_t reserved;
  /** [load] Adds a field. Default: number for INT, FLOAT, BOOL, DTYPE; text for STRING, and JSON
   * text (or NULL) for the other kinds. size: sizeof the member. */
  void (*add) (struct lam_fields *f, int32_t kind, const char *name, uint64_t offset, uint64_t size,
               double number, const char *text, const char *doc);
  /** [load] Refines the last field. what: LAM_REFINE_*. */
  void (*refine) (struct lam_fields *f, int32_t what, double number, const char *text);
} lam_fields;

#define LAM_REFINE_MIN      1 /**< number: least value (of each element of a list) */
#define LAM_REFINE_MAX      2 /**< number: greatest value */
#define LAM_REFINE_REQUIRED 3 /**< no default */
#define LAM_REFINE_CHOICES  4 /**< text: the allowed strings, separated by blanks */

/** Declares a table by calling f->add and f->refine; written by LAM_FIELDS. */
typedef void (*lam_declare_fields_fn) (lam_fields *f);

/** Part of the macros below. */
#define LAM_FIELD_(kind, name, number, text, doc)                                                  \
  lam_f_->add (lam_f_, kind, #name, offsetof (lam_self_, name), sizeof (((lam_self_ *)0)->name),   \
               number, text, doc)

/** An int64_t; absent: its default. */
#define LAM_INT(name, absent, doc) LAM_FIELD_ (LAM_FIELD_INT, name, (double)(absent), NULL, doc)
/** A double; absent: its default. */
#define LAM_FLOAT(name, absent, doc) LAM_FIELD_ (LAM_FIELD_FLOAT, name, (double)(absent), NULL, doc)
/** A bool; absent: its default. */
#define LAM_BOOL(name, absent, doc) LAM_FIELD_ (LAM_FIELD_BOOL, name, (absent) ? 1 : 0, NULL, doc)
/** A const char *, owned by the host; absent: its default, a string literal or NULL. */
#define LAM_STRING(name, absent, doc) LAM_FIELD_ (LAM_FIELD_STRING, name, 0, absent, doc)
/** absent: JSON text, "[2, 2]". */
#define LAM_INTS(name, absent, doc) LAM_FIELD_ (LAM_FIELD_INTS, name, 0, absent, doc)
/** absent: JSON text, "[0.1, 0.5]". */
#define LAM_FLOATS(name, absent, doc) LAM_FIELD_ (LAM_FIELD_FLOATS, name, 0, absent, doc)
/** absent: JSON text, "[\"a\"]"; LAM_CHOICES applies to each element. */
#define LAM_STRINGS(name, absent, doc) LAM_FIELD_ (LAM_FIELD_STRINGS, name, 0, absent, doc)
/** absent: a LAM_F32 ... code; LAM_DTYPE_NONE: inherit. */
#define LAM_DTYPE(name, absent, doc) LAM_FIELD_ (LAM_FIELD_DTYPE, name, (double)(absent), NULL, doc)
/** absent: JSON text or NULL for "not said". */
#define LAM_INIT(name, absent, doc) LAM_FIELD_ (LAM_FIELD_INIT, name, 0, absent, doc)
/** Config of one child layer; absent: JSON text ("{\"type\": ...}") or NULL for none. */
#define LAM_LAYER_CONFIG(name, absent, doc) LAM_FIELD_ (LAM_FIELD_CHILD, name, 0, absent, doc)
/** A list of child configs; absent: JSON text or NULL for an empty list. */
#define LAM_LAYERS(name, absent, doc) LAM_FIELD_ (LAM_FIELD_CHILDREN, name, 0, absent, doc)

/** Least value of the field before; of each element of a list. */
#define LAM_MIN(number) lam_f_->refine (lam_f_, LAM_REFINE_MIN, (double)(number), NULL)
/** Greatest value of the field before; of each element of a list. */
#define LAM_MAX(number) lam_f_->refine (lam_f_, LAM_REFINE_MAX, (double)(number), NULL)
/** The field before has no default: a config without it is refused. */
#define LAM_REQUIRED lam_f_->refine (lam_f_, LAM_REFINE_REQUIRED, 0, NULL)
/** The strings that the field before may have, separated by blanks: "relu gelu". */
#define LAM_CHOICES(text) lam_f_->refine (lam_f_, LAM_REFINE_CHOICES, 0, text)

/** Declares `<T>_lam_fields`, the field table of struct T. */
#define LAM_FIELDS(T, ...)                                                                         \
  static void T##_lam_fields (lam_fields *lam_f_)                                                  \
  {                                                                                                \
    typedef T lam_self_;                                                                           \
    (void)(__VA_ARGS__);                                                                           \
  }
/** A table without fields. */
#define LAM_NO_FIELDS(T)                                                                           \
  static void T##_lam_fields (lam_fields *lam_f_)                                                  \
  {                                                                                                \
    (void)lam_f_;                                                                                  \
  }

#ifdef __cplusplus
}
#endif
#endif
