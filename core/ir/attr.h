/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes beside their constructors: the schema of an op's row, equality and hashing. */
#ifndef LM_IR_ATTR_H
#define LM_IR_ATTR_H

#include "core/ir/ir.h"

/* Most attributes of one equation: searches by key are linear. */
#define LM_MAX_ATTRS 64

/* What a row of ops.def says about one key. */
typedef struct LmSchemaKey {
  const char *key; /* key_len bytes, not terminated */
  gsize key_len;
  int32_t kind; /* LAM_ATTR_* */
  bool required;
} LmSchemaKey;

/* Steps through a schema ("key:kind[!|=default] ..."): *cursor starts as info->attrs; false at the
 * end. */
bool lm_schema_next (const char **cursor, LmSchemaKey *out_key);

/* The schema's word on `key`; false if the op does not know it. */
bool lm_schema_find (const LmOpInfo *info, const char *key, LmSchemaKey *out_key);

/* "int", "ints" ...; "?" if unknown. */
const char *lm_attr_kind_name (int32_t kind);

/* Same key, kind, flags and value; floats and bytes bit for bit. */
bool lm_attr_equal (const lam_attr *a, const lam_attr *b);
guint lm_attr_hash (const lam_attr *a);

/* Bytes behind data (ints: 8 a piece; strings: without the NUL); 0 for kinds without data. */
gsize lm_attr_data_bytes (const lam_attr *a);

#endif
