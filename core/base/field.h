/* SPDX-License-Identifier: Apache-2.0 */
/* One value of a declared field: read from JSON, checked, written into an instance. Used by params
 * and by the table, which checks its own defaults with it. */
#ifndef LM_BASE_FIELD_H
#define LM_BASE_FIELD_H

#include "core/base/params.h"

typedef struct LmValue {
  int64_t i;      /* INT, BOOL, DTYPE */
  double d;       /* FLOAT */
  char *text;     /* STRING; NULL: none */
  int64_t *ints;  /* INTS */
  double *floats; /* FLOATS */
  char **texts;   /* STRINGS, NULL-terminated */
  guint n;        /* of a list, or CHILD (0 or 1): how many */
  lam_init init;  /* INIT */
  JsonNode *node; /* CHILD, CHILDREN: the configs */
} LmValue;

void lm_value_clear (LmValue *value);

/* Reads node as the field's kind. On a fault appends "<path>: wanted ..., got ..." lines to
 * problems and returns false. */
bool lm_value_read (LmValue *out, const LmField *field, JsonNode *node, const char *path,
                    GPtrArray *problems);

/* The default as a value; false when it does not satisfy the field's own range, which makes the
 * field a required one. The table checked that its JSON is well formed. */
bool lm_value_default (LmValue *out, const LmField *field);

/* Writes it at instance + field->offset; `index` is the field's place in the table. */
void lm_value_store (const LmValue *value, const LmField *field, guint index, void *instance);

JsonNode *lm_value_to_json (const LmValue *value, const LmField *field);

/* "an integer >= 1", "one of: same, valid": what the field wants. */
char *lm_field_wants (const LmField *field);

/* "int", "float" ... and the bytes that a member of the kind has; NULL and 0 when unknown. */
const char *lm_field_kind_name (int32_t kind);
uint64_t lm_field_kind_bytes (int32_t kind);

/* "xavier" for LAM_INIT_XAVIER; NULL when unknown. */
const char *lm_init_name (int32_t method);

#endif
