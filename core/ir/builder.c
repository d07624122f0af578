/* SPDX-License-Identifier: Apache-2.0 */
/* The builder: its life, parameters, paths and what it tells about values. Equations are in
 * builder_op.c, the end in finish.c. */
#include "core/ir/builder.h"

#include <string.h>

static bool
name_is_valid (const char *name)
{
  if (*name == '\0')
    return false;
  for (; *name != '\0'; name++)
    if (!g_ascii_isalnum (*name) && strchr ("_.-", *name) == NULL)
      return false;
  return true;
}

LmBuilder *
lm_builder_new (const char *name)
{
  LmBuilder *b = g_new0 (LmBuilder, 1);

  b->name = g_strdup (name);
  b->arena = lm_arena_new ();
  b->values = g_array_new (FALSE, FALSE, sizeof (LmBuilderValue));
  b->equations = g_array_new (FALSE, FALSE, sizeof (LmBuilderEquation));
  b->operands = g_array_new (FALSE, FALSE, sizeof (LmValue));
  b->regions = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_function_unref);
  b->blobs = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_blob_unref);
  b->paths = g_ptr_array_new ();
  b->path_numbers = g_hash_table_new (g_str_hash, g_str_equal);
  b->scratch_types = g_array_new (FALSE, FALSE, sizeof (lam_type));
  b->scratch_operands = g_ptr_array_new ();
  b->depth = 1;
  lm_builder_set_path (b, "");
  if (!name_is_valid (name))
    lm_builder_failf (b, "function name \"%s\": wanted letters, digits, '_', '.' and '-' only",
                      name);
  return b;
}

void
lm_builder_free (LmBuilder *b)
{
  if (b == NULL)
    return;
  g_free (b->name);
  lm_arena_free (b->arena);
  g_clear_error (&b->error);
  g_array_unref (b->values);
  g_array_unref (b->equations);
  g_array_unref (b->operands);
  g_ptr_array_unref (b->regions);
  g_ptr_array_unref (b->blobs);
  g_ptr_array_unref (b->paths);
  g_hash_table_unref (b->path_numbers);
  g_array_unref (b->scratch_types);
  g_ptr_array_unref (b->scratch_operands);
  g_free (b);
}

void
lm_builder_fail (LmBuilder *b, GError *error)
{
  if (b->error == NULL)
    b->error = error;
  else
    g_error_free (error);
}

void
lm_builder_failf (LmBuilder *b, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  lm_builder_fail (b, g_error_new_valist (LM_ERROR, LM_ERROR_INVALID, format, args));
  va_end (args);
}

const GError *
lm_builder_error (const LmBuilder *b)
{
  return b->error;
}

void
lm_builder_set_path (LmBuilder *b, const char *path)
{
  gpointer number;
  char *copy;

  if (b->paths->len > 0 && strcmp (g_ptr_array_index (b->paths, b->path), path) == 0)
    return;
  if (g_hash_table_lookup_extended (b->path_numbers, path, NULL, &number)) {
    b->path = GPOINTER_TO_UINT (number);
    return;
  }
  if (!g_utf8_validate (path, -1, NULL)) {
    lm_builder_failf (b, "a layer path is not UTF-8");
    return;
  }
  copy = lm_arena_strdup (b->arena, path);
  b->path = b->paths->len;
  g_ptr_array_add (b->paths, copy);
  g_hash_table_insert (b->path_numbers, copy, GUINT_TO_POINTER (b->path));
}

const char *
lm_builder_path (const LmBuilder *b)
{
  return g_ptr_array_index (b->paths, b->path);
}

LmValue
lm_builder_param (LmBuilder *b, const lam_type *type)
{
  LmBuilderValue value = {NULL, LM_NO_EQUATION};

  if (b->error != NULL)
    return LM_NIL;
  if (!lam_dtype_bits (type->dtype) || !lm_type_checked_bytes (type, NULL, NULL)) {
    g_autofree char *text = lm_type_to_string (type);
    lm_builder_failf (b,
                      "@%s: parameter of type %s (rank %d): unknown dtype, negative dimension, "
                      "rank above %d or more bytes than 64 bits count",
                      b->name, text, type->rank, LAM_MAX_RANK);
    return LM_NIL;
  }
  value.type = lm_arena_memdup (b->arena, type, sizeof *type, 8);
  g_array_append_val (b->values, value);
  b->n_params++;
  return b->values->len - 1;
}

uint32_t
lm_builder_n_results (const LmBuilder *b, LmValue first)
{
  uint32_t e;

  if (first >= b->values->len)
    return 0;
  e = lm_builder_value (b, first)->equation;
  return e == LM_NO_EQUATION ? 1 : lm_builder_equation (b, e)->n_results;
}

const lam_type *
lm_builder_type (const LmBuilder *b, LmValue v)
{
  static const lam_type none; /* zeroed */

  return v < b->values->len ? lm_builder_value (b, v)->type : &none;
}

const lam_attr *
lm_builder_constant (const LmBuilder *b, LmValue v)
{
  const LmBuilderEquation *e;

  if (v >= b->values->len || lm_builder_value (b, v)->equation == LM_NO_EQUATION)
    return NULL;
  e = lm_builder_equation (b, lm_builder_value (b, v)->equation);
  if (e->op != LAM_OP_constant)
    return NULL;
  for (uint32_t i = 0; i < e->n_attrs; i++)
    if (strcmp (e->attrs[i].key, "value") == 0)
      return &e->attrs[i];
  return NULL;
}

bool
lm_builder_def (const LmBuilder *b, LmValue v, LmOp *out)
{
  const LmBuilderEquation *e;

  if (v >= b->values->len || lm_builder_value (b, v)->equation == LM_NO_EQUATION)
    return false;
  e = lm_builder_equation (b, lm_builder_value (b, v)->equation);
  *out = (LmOp) {
      .op = e->op,
      .operands = &g_array_index (b->operands, LmValue, e->first_operand),
      .n_operands = e->n_operands,
      .attrs = e->attrs,
      .n_attrs = e->n_attrs,
      .n_regions = e->n_regions,
  };
  if (e->n_regions > 0) /* else the list may be NULL */
    out->regions = (const LmFunction *const *)b->regions->pdata + e->first_region;
  return true;
}
