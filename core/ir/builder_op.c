/* SPDX-License-Identifier: Apache-2.0 */
/* Adding equations to a builder: checked ones, copies, and whole functions inlined. */
#include "core/ir/attr.h"
#include "core/ir/builder.h"
#include "core/ir/rules.h"

#include <string.h>

/* --- attributes ----------------------------------------------------------------------------- */

static bool
key_is_valid (const char *key)
{
  if (key == NULL || !g_ascii_islower (*key))
    return false;
  for (; *key != '\0'; key++)
    if (!g_ascii_islower (*key) && !g_ascii_isdigit (*key) && *key != '_')
      return false;
  return true;
}

/* What the text form and C readers rely on, whatever the schema says. */
static const char *
attr_fault (const lam_attr *a)
{
  if (!key_is_valid (a->key))
    return "its key is not lower-case ASCII";
  if (a->kind < LAM_ATTR_INT || a->kind > LAM_ATTR_DTYPE)
    return "its kind is unknown";
  if (lm_attr_data_bytes (a) > 0 && a->data == NULL)
    return "it has no data";
  if (a->kind == LAM_ATTR_INTS && a->n > G_MAXSSIZE / sizeof (int64_t))
    return "it is too long";
  if (a->kind == LAM_ATTR_STR && a->n > 0
      && (a->n > G_MAXSSIZE || !g_utf8_validate_len (a->data, (gsize)a->n, NULL)))
    return "its text is not UTF-8 without NUL";
  return NULL;
}

/* New owner of a's data: a blob shared or made, or a copy in the arena. */
static bool
own_data (LmBuilder *b, lam_attr *a, bool shared)
{
  gsize bytes = lm_attr_data_bytes (a);

  if (lm_attr_is_blob (a)) {
    LmBlob *blob = shared ? lm_blob_ref (lm_blob_of_data (a->data)) : lm_blob_new (a->data, bytes);
    if (blob == NULL) {
      lm_builder_fail (b, g_error_new (LM_ERROR, LM_ERROR_NO_MEMORY,
                                       "no memory for a constant of %" G_GSIZE_FORMAT " bytes",
                                       bytes));
      return false;
    }
    g_ptr_array_add (b->blobs, blob);
    a->data = lm_blob_data (blob);
    return true;
  }
  if (a->kind == LAM_ATTR_STR || bytes > 0) {
    char *copy = lm_arena_alloc_aligned (b->arena, bytes + 1, 8);
    if (bytes > 0)
      memcpy (copy, a->data, bytes);
    a->data = copy;
  } else {
    a->data = NULL;
    a->n = 0;
  }
  return true;
}

/* Copies with every member beside the kind's own one cleared. shared: a comes from a function. */
static lam_attr *
own_attrs (LmBuilder *b, const lam_attr *attrs, uint32_t n, bool shared)
{
  lam_attr *own = lm_arena_new0 (b->arena, lam_attr, n);

  for (uint32_t i = 0; i < n; i++) {
    const lam_attr *a = &attrs[i];
    own[i].key = lm_arena_intern (b->arena, a->key);
    own[i].kind = a->kind;
    own[i].flags = a->flags;
    if (a->kind == LAM_ATTR_FLOAT)
      own[i].f = a->f;
    else if (a->kind == LAM_ATTR_INT || a->kind == LAM_ATTR_DTYPE)
      own[i].i = a->i;
    else {
      own[i].data = a->data;
      own[i].n = a->n;
    }
    if (!own_data (b, &own[i], shared))
      return NULL;
  }
  return own;
}

/* --- one equation ----------------------------------------------------------------------------- */

/* "; operands f32[2], f32[3]; layer lm.ffn" behind a message of the type rule. */
static void
fail_op (LmBuilder *b, const LmOp *op, GError *error)
{
  g_autoptr (GString) where = g_string_new (NULL);

  for (uint32_t i = 0; i < op->n_operands && i < 8; i++) {
    g_string_append (where, i == 0 ? "; operands " : ", ");
    lm_type_print (where, lm_builder_type (b, op->operands[i]));
  }
  if (op->n_operands > 8)
    g_string_append_printf (where, " and %u more", op->n_operands - 8);
  g_string_append_printf (where, "; in @%s", b->name);
  if (*lm_builder_path (b) != '\0')
    g_string_append_printf (where, ", layer %s", lm_builder_path (b));
  lm_builder_fail (b, g_error_new (error->domain, error->code, "%s%s", error->message, where->str));
  g_error_free (error);
}

static bool
check_operands (LmBuilder *b, const LmOp *op, const LmOpInfo *info)
{
  for (uint32_t i = 0; i < op->n_operands; i++) {
    LmValue v = op->operands[i];
    if (v < b->values->len)
      continue;
    lm_builder_failf (b, "%s: operand %u is %s; in @%s%s%s", info->name, i,
                      v == LM_NIL ? "nil (no tensor)" : "no value of this function", b->name,
                      *lm_builder_path (b) ? ", layer " : "", lm_builder_path (b));
    return false;
  }
  return true;
}

static bool
check_attrs (LmBuilder *b, const LmOp *op, const LmOpInfo *info)
{
  for (uint32_t i = 0; i < op->n_attrs; i++) {
    const char *fault = attr_fault (&op->attrs[i]);
    if (fault == NULL)
      continue;
    lm_builder_failf (b, "%s: attribute %u (%s): %s", info->name, i,
                      key_is_valid (op->attrs[i].key) ? op->attrs[i].key : "?", fault);
    return false;
  }
  return true;
}

/* Takes the regions in and the depth and revision that come with them. */
static bool
add_regions (LmBuilder *b, const LmFunction *const *regions, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    uint32_t depth = lm_function_box (regions[i])->depth + 1;
    if (depth > LM_MAX_DEPTH) {
      lm_builder_failf (b, "@%s: regions nest deeper than %d (around @%s)", b->name, LM_MAX_DEPTH,
                        regions[i]->ir.name);
      return false;
    }
    b->depth = MAX (b->depth, depth);
    b->ir_minor = MAX (b->ir_minor, regions[i]->ir.ir_minor);
    g_ptr_array_add (b->regions, lm_function_ref (regions[i]));
  }
  return true;
}

/* Appends without a question: types and attributes are checked, attrs are the builder's own. */
static LmValue
append (LmBuilder *b, const LmOp *op, const lam_type *types, uint32_t n_results)
{
  const LmOpInfo *info = lm_op_info (op->op);
  LmBuilderEquation e = {
      .attrs = op->attrs,
      .op = op->op,
      .n_operands = op->n_operands,
      .first_operand = b->operands->len,
      .n_results = n_results,
      .first_result = b->values->len,
      .n_attrs = op->n_attrs,
      .n_regions = op->n_regions,
      .first_region = b->regions->len,
      .path = b->path,
  };
  LmBuilderValue value = {NULL, b->equations->len};
  const lam_type *own;

  if (b->values->len > LM_NIL - 1 - n_results || b->operands->len > G_MAXUINT32 - op->n_operands) {
    lm_builder_failf (b, "@%s has too many values", b->name);
    return LM_NIL;
  }
  if (!add_regions (b, op->regions, op->n_regions))
    return LM_NIL;
  if (op->n_operands > 0)
    g_array_append_vals (b->operands, op->operands, op->n_operands);
  own = lm_arena_memdup (b->arena, types, n_results * sizeof *types, 8);
  for (uint32_t i = 0; i < n_results; i++) {
    value.type = &own[i];
    g_array_append_val (b->values, value);
  }
  g_array_append_val (b->equations, e);
  b->n_attrs += e.n_attrs;
  b->ir_minor = MAX (b->ir_minor, (uint32_t)info->since);
  return e.first_result;
}

static uint32_t
max_results (const LmOp *op)
{
  uint32_t n = MAX (op->n_operands, 2);

  for (uint32_t i = 0; i < op->n_regions; i++)
    n = MAX (n, op->regions[i]->ir.n_results);
  return n;
}

/* Result types into b->scratch_types; false with the sticky error set. */
static bool
infer (LmBuilder *b, const LmOp *op, const LmOpInfo *info)
{
  GError *error = NULL;
  LmTypeCtx c = {
      .info = info,
      .n_operands = op->n_operands,
      .attrs = op->attrs,
      .n_attrs = op->n_attrs,
      .regions = op->regions,
      .n_regions = op->n_regions,
      .wanted = op->type,
      .max_results = max_results (op),
      .error = &error,
  };

  g_ptr_array_set_size (b->scratch_operands, (gint)op->n_operands);
  for (uint32_t i = 0; i < op->n_operands; i++)
    b->scratch_operands->pdata[i] = (gpointer)lm_builder_type (b, op->operands[i]);
  c.operands = (const lam_type *const *)b->scratch_operands->pdata;
  g_array_set_size (b->scratch_types, c.max_results);
  memset (b->scratch_types->data, 0, c.max_results * sizeof (lam_type));
  c.results = (lam_type *)(void *)b->scratch_types->data;
  if (!lm_infer_types (&c)) {
    fail_op (b, op, error);
    return false;
  }
  g_array_set_size (b->scratch_types, c.n_results);
  return true;
}

static LmValue
add_op (LmBuilder *b, const LmOp *op, bool shared)
{
  const LmOpInfo *info = lm_op_info (op->op);
  LmOp own = *op;

  if (b->error != NULL)
    return LM_NIL;
  if (info == NULL) {
    lm_builder_failf (b, "@%s: op number %d is not in the table", b->name, op->op);
    return LM_NIL;
  }
  if (!check_operands (b, op, info) || !check_attrs (b, op, info) || !infer (b, op, info))
    return LM_NIL;
  own.attrs = own_attrs (b, op->attrs, op->n_attrs, shared);
  if (own.attrs == NULL)
    return LM_NIL;
  return append (b, &own, (const lam_type *)(void *)b->scratch_types->data, b->scratch_types->len);
}

LmValue
lm_builder_op (LmBuilder *b, const LmOp *op)
{
  return add_op (b, op, false);
}

/* --- copies ------------------------------------------------------------------------------------ */

static bool
operand_types_equal (const LmBuilder *b, const LmFunction *f, const lam_equation *e,
                     const LmValue *operands)
{
  for (uint32_t i = 0; i < e->n_operands; i++)
    if (operands[i] >= b->values->len
        || !lm_type_equal (lm_builder_type (b, operands[i]),
                           lam_value_type (&f->ir, lam_operand (&f->ir, e, i))))
      return false;
  return true;
}

/* Types need no second inference where the operands' are the same. */
LmValue
lm_builder_copy (LmBuilder *b, const LmFunction *f, const lam_equation *e, const LmValue *operands)
{
  const char *path = f->ir.paths[e->path];
  uint32_t outer = b->path;
  LmValue first = LM_NIL;
  LmOp op = {
      .op = e->op,
      .operands = operands,
      .n_operands = e->n_operands,
      .attrs = f->ir.attrs + e->first_attr,
      .n_attrs = e->n_attrs,
      .regions = (const LmFunction *const *)(const void *)(f->ir.regions + e->first_region),
      .n_regions = e->n_regions,
      .type = lam_value_type (&f->ir, e->first_result),
  };

  if (b->error != NULL)
    return LM_NIL;
  if (*path != '\0')
    lm_builder_set_path (b, path);
  if (operand_types_equal (b, f, e, operands)) {
    op.attrs = own_attrs (b, op.attrs, op.n_attrs, true);
    if (op.attrs != NULL)
      first = append (b, &op, lam_value_type (&f->ir, e->first_result), e->n_results);
  } else {
    first = add_op (b, &op, true);
  }
  b->path = outer;
  return first;
}

void
lm_builder_inline (LmBuilder *b, const LmFunction *f, const LmValue *args, LmValue *out_results)
{
  g_autofree LmValue *map = g_new (LmValue, f->ir.n_values);
  g_autofree LmValue *operands = g_new (LmValue, f->ir.n_operands);

  if (f->ir.n_params > 0)
    memcpy (map, args, f->ir.n_params * sizeof *map);
  for (uint32_t i = 0; i < f->ir.n_equations && b->error == NULL; i++) {
    const lam_equation *e = lam_equation_at (&f->ir, i);
    LmValue first;
    for (uint32_t k = 0; k < e->n_operands; k++)
      operands[k] = map[lam_operand (&f->ir, e, k)];
    first = lm_builder_copy (b, f, e, operands);
    for (uint32_t k = 0; k < e->n_results; k++)
      map[e->first_result + k] = first + k;
  }
  for (uint32_t i = 0; i < f->ir.n_results; i++)
    out_results[i] = b->error == NULL ? map[f->ir.results[i]] : LM_NIL;
}
