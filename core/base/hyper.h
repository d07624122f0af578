/* SPDX-License-Identifier: Apache-2.0 */
/* Hyper-parameters defined at run time (lingvo's Params): names with a value and a description, nested
 * by values that are such objects themselves. Not LmParams, which are fixed tables that plugins
 * declare. What is defined with a `cls` is the config of a plugin type.
 *
 * Paths read "network.layers[1].dim" and "table['key']": names joined by dots, an index into a list or
 * tuple, a quoted key into a dict. */
#ifndef LM_BASE_HYPER_H
#define LM_BASE_HYPER_H

#include "core/base/hyper_value.h"

/* cls becomes the first parameter, named "cls"; NULL: plain Params without it. */
LmHyper *lm_hyper_new (const char *cls);
void lm_hyper_free (LmHyper *params); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmHyper, lm_hyper_free)

/* Deep, frozen flags included. */
LmHyper *lm_hyper_copy (const LmHyper *params);

/* The string value of "cls"; NULL if it is not defined or None. */
const char *lm_hyper_cls (const LmHyper *params);

/* Takes value, also on failure. Errors: name not ^[a-z_][a-z0-9_]*$ or defined already (INVALID),
 * frozen (DENIED). */
bool lm_hyper_define (LmHyper *params, const char *name, LmHyperValue *value,
                      const char *description, GError **error);

/* Writing after it is refused (DENIED). Does not reach nested objects, as in lingvo: those refuse once
 * they are frozen themselves. */
void lm_hyper_freeze (LmHyper *params);
bool lm_hyper_is_frozen (const LmHyper *params);

/* By path; what is not there is NOT_FOUND, with the names that there are; a path through something
 * without parts is INVALID. set takes value, also on failure; it is refused when the object that it is
 * called on, or the one that the path ends in, is frozen. get_params wants a nested object, which may
 * be changed through it. */
const LmHyperValue *lm_hyper_get (const LmHyper *params, const char *path, GError **error);
LmHyper *lm_hyper_get_params (const LmHyper *params, const char *path, GError **error);
bool lm_hyper_set (LmHyper *params, const char *path, LmHyperValue *value, GError **error);
bool lm_hyper_delete (LmHyper *params, const char *path, GError **error);

/* Whether the value at path is not None (lingvo's ParamIsSet); NOT_FOUND and false if undefined. */
bool lm_hyper_is_set (const LmHyper *params, const char *path, GError **error);

/* The object's own parameters, in order of definition. */
guint lm_hyper_size (const LmHyper *params);
bool lm_hyper_has (const LmHyper *params, const char *name);
const char *lm_hyper_name (const LmHyper *params, guint i);
const char *lm_hyper_description (const LmHyper *params, guint i);
const LmHyperValue *lm_hyper_value (const LmHyper *params, guint i);

/* Own names sorted, NULL-terminated; free with g_free. */
const char **lm_hyper_sorted_names (const LmHyper *params);

/* Names and values, whatever their order, descriptions and frozen flags. */
bool lm_hyper_equal (const LmHyper *a, const LmHyper *b);

/* Copies every own value of `from` but "cls" and those named in skip (NULL-terminated, may be NULL)
 * into `to`, which must define it (all or nothing). merge_common leaves out what it does not define. */
bool lm_hyper_copy_fields (const LmHyper *from, LmHyper *to, const char *const *skip,
                           GError **error);
bool lm_hyper_merge_common (LmHyper *to, const LmHyper *from, GError **error);

/* Walks all values in order of definition. enter (NULL: always) is asked before Params, lists, tuples
 * and dicts; those that it declines, and everything else, go to visit; leave (may be NULL) follows the
 * parts of what was entered. The object itself has the key "". */
typedef struct LmHyperVisitor {
  bool (*enter) (const char *key, const LmHyperValue *value, gpointer user);
  void (*visit) (const char *key, const LmHyperValue *value, gpointer user);
  void (*leave) (const char *key, const LmHyperValue *value, gpointer user);
  gpointer user;
} LmHyperVisitor;
void lm_hyper_visit (const LmHyper *params, const LmHyperVisitor *visitor);

#endif
