/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes: constructors, the schema of an op's row, equality and hashing. */
#include "core/ir/attr.h"

#include <string.h>

lam_attr
lm_attr_int (const char *key, int64_t value)
{
  return (lam_attr) {.key = key, .kind = LAM_ATTR_INT, .i = value};
}

lam_attr
lm_attr_ints (const char *key, const int64_t *values, uint64_t n)
{
  return (lam_attr) {.key = key, .kind = LAM_ATTR_INTS, .data = values, .n = n};
}

lam_attr
lm_attr_str (const char *key, const char *text)
{
  return (lam_attr) {.key = key, .kind = LAM_ATTR_STR, .data = text, .n = strlen (text)};
}

lam_attr
lm_attr_bytes (const char *key, const void *data, uint64_t n)
{
  return (lam_attr) {.key = key, .kind = LAM_ATTR_BYTES, .data = data, .n = n};
}

lam_attr
lm_attr_dtype (const char *key, lam_dtype dtype)
{
  return (lam_attr) {.key = key, .kind = LAM_ATTR_DTYPE, .i = dtype};
}

static const char *const kind_names[] = {
    [LAM_ATTR_INT] = "int", [LAM_ATTR_FLOAT] = "float", [LAM_ATTR_INTS] = "ints",
    [LAM_ATTR_STR] = "str", [LAM_ATTR_BYTES] = "bytes", [LAM_ATTR_DTYPE] = "dtype",
};

const char *
lm_attr_kind_name (int32_t kind)
{
  if (kind < LAM_ATTR_INT || kind > LAM_ATTR_DTYPE)
    return "?";
  return kind_names[kind];
}

static int32_t
kind_from_name (const char *name, gsize n)
{
  for (int32_t kind = LAM_ATTR_INT; kind <= LAM_ATTR_DTYPE; kind++)
    if (strlen (kind_names[kind]) == n && memcmp (kind_names[kind], name, n) == 0)
      return kind;
  return 0;
}

bool
lm_schema_next (const char **cursor, LmSchemaKey *out_key)
{
  const char *p = *cursor + strspn (*cursor, " ");
  const char *kind;

  if (*p == '\0')
    return false;
  out_key->key = p;
  out_key->key_len = strcspn (p, ":");
  kind = p + out_key->key_len + 1;
  out_key->kind = kind_from_name (kind, strcspn (kind, " !="));
  kind += strcspn (kind, " !=");
  out_key->required = *kind == '!';
  *cursor = kind + strcspn (kind, " ");
  return true;
}

bool
lm_schema_find (const LmOpInfo *info, const char *key, LmSchemaKey *out_key)
{
  const char *cursor = info->attrs;
  gsize n = strlen (key);

  while (lm_schema_next (&cursor, out_key))
    if (out_key->key_len == n && memcmp (out_key->key, key, n) == 0)
      return true;
  return false;
}

gsize
lm_attr_data_bytes (const lam_attr *a)
{
  switch (a->kind) {
  case LAM_ATTR_INTS:
    return (gsize)a->n * sizeof (int64_t);
  case LAM_ATTR_STR:
  case LAM_ATTR_BYTES:
    return (gsize)a->n;
  default:
    return 0;
  }
}

bool
lm_attr_equal (const lam_attr *a, const lam_attr *b)
{
  gsize bytes = lm_attr_data_bytes (a);

  if (a->kind != b->kind || a->flags != b->flags || strcmp (a->key, b->key) != 0)
    return false;
  if (a->kind == LAM_ATTR_INT || a->kind == LAM_ATTR_DTYPE)
    return a->i == b->i;
  if (a->kind == LAM_ATTR_FLOAT)
    return memcmp (&a->f, &b->f, sizeof a->f) == 0;
  if (a->n != b->n)
    return false;
  return bytes == 0 || a->data == b->data || memcmp (a->data, b->data, bytes) == 0;
}

/* FNV-1a over 64-bit words, then the bytes that are left. */
static uint64_t
hash_bytes (uint64_t h, const void *data, gsize n)
{
  const unsigned char *p = data;
  uint64_t word;

  for (; n >= sizeof word; n -= sizeof word, p += sizeof word) {
    memcpy (&word, p, sizeof word);
    h = (h ^ word) * UINT64_C (0x100000001b3);
    h ^= h >> 29; /* words differ in high bits too */
  }
  for (; n > 0; n--, p++)
    h = (h ^ *p) * UINT64_C (0x100000001b3);
  return h;
}

guint
lm_attr_hash (const lam_attr *a)
{
  uint64_t h = UINT64_C (0xcbf29ce484222325) ^ (uint64_t)a->kind;

  h = hash_bytes (h, a->key, strlen (a->key));
  if (a->kind == LAM_ATTR_INT || a->kind == LAM_ATTR_DTYPE)
    h = hash_bytes (h, &a->i, sizeof a->i);
  else if (a->kind == LAM_ATTR_FLOAT)
    h = hash_bytes (h, &a->f, sizeof a->f);
  else if (a->n > 0)
    h = hash_bytes (h, a->data, lm_attr_data_bytes (a));
  return (guint)(h ^ (h >> 32));
}
