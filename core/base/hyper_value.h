/* SPDX-License-Identifier: Apache-2.0 */
/* Values of hyper-parameters made at run time: what lingvo's Params hold, less what only Python has.
 * dtypes and enums are strings. */
#ifndef LM_BASE_HYPER_VALUE_H
#define LM_BASE_HYPER_VALUE_H

#include "core/base/error.h"

typedef struct LmHyper LmHyper;

typedef enum {
  LM_HYPER_NONE = 0,
  LM_HYPER_BOOL = 1,
  LM_HYPER_INT = 2,
  LM_HYPER_FLOAT = 3,
  LM_HYPER_STRING = 4,
  LM_HYPER_LIST = 5,
  LM_HYPER_TUPLE = 6, /* a list that is not changed in place */
  LM_HYPER_DICT = 7,  /* string keys in order of making */
  LM_HYPER_PARAMS = 8
} LmHyperKind;

/* Read it freely; build it by the functions below. */
typedef struct LmHyperValue {
  LmHyperKind kind;
  bool b;
  int64_t i;
  double d;
  char *text;
  GPtrArray *items; /* LIST, TUPLE, DICT: of LmHyperValue* */
  GPtrArray *keys;  /* DICT: char*, parallel to items */
  LmHyper *params;  /* owned */
} LmHyperValue;

LmHyperValue *lm_hyper_none (void);
LmHyperValue *lm_hyper_bool (bool b);
LmHyperValue *lm_hyper_int (int64_t i);
LmHyperValue *lm_hyper_float (double d);
LmHyperValue *lm_hyper_string (const char *text);
LmHyperValue *lm_hyper_sequence (LmHyperKind kind); /* an empty LIST or TUPLE */
LmHyperValue *lm_hyper_dict (void);
LmHyperValue *lm_hyper_of (LmHyper *params); /* takes params */
void lm_hyper_value_free (LmHyperValue *value);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmHyperValue, lm_hyper_value_free)

/* Both take item; a key that is there is replaced. */
void lm_hyper_append (LmHyperValue *sequence, LmHyperValue *item);
void lm_hyper_put (LmHyperValue *dict, const char *key, LmHyperValue *item);

/* Place of a key, -1 if absent. */
gint lm_hyper_dict_find (const LmHyperValue *dict, const char *key);

bool lm_hyper_is_sequence (const LmHyperValue *value); /* LIST or TUPLE */
LmHyperValue *lm_hyper_value_copy (const LmHyperValue *value);

/* As Python's ==: numbers and bools by value, lists never equal tuples, order of keys is nothing. */
bool lm_hyper_value_equal (const LmHyperValue *a, const LmHyperValue *b);

/* "int", "float" ... as Python names the type; "Params". */
const char *lm_hyper_type_name (LmHyperKind kind);

#endif
