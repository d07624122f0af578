/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a function from scratch: nothing in it is trusted before it was looked at. */
#include "core/ir/verify.h"

#include "core/ir/attr.h"
#include "core/ir/function.h"
#include "core/ir/rules.h"
#include "core/ir/text.h"

#include <string.h>

/* Equations shown before and behind the fault. */
#define CONTEXT 3

typedef struct Verifier {
  const LmFunction *f;
  const lam_function *ir;
  const char *after;
  GHashTable *seen; /* regions that are done */
  guint depth;
  GArray *results;     /* lam_type, scratch */
  GPtrArray *operands; /* const lam_type *, scratch */
  GError **error;
} Verifier;

static bool verify_function (const LmFunction *f, const char *after, GHashTable *seen, guint depth,
                             GError **error);

/* i: the equation at fault, or n_equations when it is none of them. Always false. */
static bool G_GNUC_PRINTF (3, 4) fail (Verifier *v, uint32_t i, const char *format, ...)
{
  g_autoptr (GString) text = g_string_new (NULL);
  va_list args;

  g_string_append_printf (text, "@%s", v->ir->name != NULL ? v->ir->name : "?");
  if (v->after != NULL)
    g_string_append_printf (text, " after %s", v->after);
  g_string_append (text, ": ");
  va_start (args, format);
  g_string_append_vprintf (text, format, args);
  va_end (args);
  if (i < v->ir->n_equations) {
    const lam_equation *e = lam_equation_at (v->ir, i);
    uint32_t from = i > CONTEXT ? i - CONTEXT : 0;
    g_autofree char *before = lm_text_print_range (v->f, from, i);
    g_autofree char *here = lm_text_print_range (v->f, i, i + 1);
    g_autofree char *behind = lm_text_print_range (v->f, i + 1, i + 1 + CONTEXT);
    if (e->path < v->ir->n_paths && *v->ir->paths[e->path] != '\0')
      g_string_append_printf (text, "; layer %s", v->ir->paths[e->path]);
    g_string_append_printf (text, "; equation %u of %u:\n%s>>%s%s", i, v->ir->n_equations, before,
                            here, behind);
    g_string_truncate (text, text->len - 1); /* the last line end */
  }
  g_set_error (v->error, LM_ERROR, LM_ERROR_INTERNAL, "%s", text->str);
  return false;
}

static bool
type_is_sound (const lam_type *type)
{
  return lam_dtype_bits (type->dtype) != 0 && lm_type_checked_bytes (type, NULL, NULL);
}

static bool
check_header (Verifier *v)
{
  const lam_function *ir = v->ir;

  if (ir->struct_size != sizeof *ir || ir->type_stride != sizeof (lam_type)
      || ir->equation_stride != sizeof (lam_equation) || ir->attr_stride != sizeof (lam_attr))
    return fail (v, ir->n_equations, "its sizes or strides are not those of this version");
  if (ir->name == NULL || *ir->name == '\0')
    return fail (v, ir->n_equations, "it has no name");
  if (ir->n_paths == 0 || *ir->paths[0] != '\0')
    return fail (v, ir->n_equations, "layer path 0 is not the empty one");
  if (ir->n_params > ir->n_values)
    return fail (v, ir->n_equations, "%u parameters in %u values", ir->n_params, ir->n_values);
  for (uint32_t i = 0; i < ir->n_values; i++)
    if (!type_is_sound (lam_value_type (ir, i)))
      return fail (v, ir->n_equations, "value %%%u has an unsound type", i);
  for (uint32_t i = 0; i < ir->n_results; i++)
    if (ir->results[i] >= ir->n_values)
      return fail (v, ir->n_equations, "result %u is %%%u, there are %u values", i, ir->results[i],
                   ir->n_values);
  return true;
}

static bool
range_fits (uint32_t first, uint32_t n, uint32_t size)
{
  return first <= size && n <= size - first;
}

/* Every index of equation i, so that the rest may read freely. */
static bool
check_indices (Verifier *v, uint32_t i, uint32_t next_value)
{
  const lam_function *ir = v->ir;
  const lam_equation *e = lam_equation_at (ir, i);

  if (!range_fits (e->first_operand, e->n_operands, ir->n_operands))
    return fail (v, i, "its operands lie outside the list");
  if (!range_fits (e->first_attr, e->n_attrs, ir->n_attrs))
    return fail (v, i, "its attributes lie outside the list");
  if (!range_fits (e->first_region, e->n_regions, ir->n_regions))
    return fail (v, i, "its regions lie outside the list");
  if (e->path >= ir->n_paths)
    return fail (v, i, "its layer path %u is outside the list of %u", e->path, ir->n_paths);
  if (e->first_result != next_value || !range_fits (e->first_result, e->n_results, ir->n_values))
    return fail (v, i, "its first result is %%%u, wanted %%%u", e->first_result, next_value);
  for (uint32_t k = 0; k < e->n_operands; k++)
    if (lam_operand (ir, e, k) >= next_value)
      return fail (v, i, "operand %u, %%%u, is not defined before it", k, lam_operand (ir, e, k));
  return true;
}

static bool
check_attr_data (Verifier *v, uint32_t i)
{
  const lam_equation *e = lam_equation_at (v->ir, i);

  for (uint32_t k = 0; k < e->n_attrs; k++) {
    const lam_attr *a = lam_attr_at (v->ir, e->first_attr + k);
    if (a->key == NULL || a->kind < LAM_ATTR_INT || a->kind > LAM_ATTR_DTYPE)
      return fail (v, i, "attribute %u has no key or an unknown kind", k);
    if (a->data == NULL && (lm_attr_data_bytes (a) > 0 || a->kind == LAM_ATTR_STR))
      return fail (v, i, "attribute \"%s\" has no data", a->key);
  }
  return true;
}

static bool
check_regions (Verifier *v, uint32_t i)
{
  const lam_equation *e = lam_equation_at (v->ir, i);

  for (uint32_t k = 0; k < e->n_regions; k++) {
    const LmFunction *region = lm_function_region (v->f, e, k);
    if (region == NULL)
      return fail (v, i, "region %u is missing", k);
    if (region->ir.ir_minor > v->ir->ir_minor)
      return fail (v, i, "region %u uses a row of IR minor %u, the function states %u", k,
                   region->ir.ir_minor, v->ir->ir_minor);
    if (!g_hash_table_add (v->seen, (gpointer)region))
      continue;
    if (v->depth == LM_MAX_DEPTH)
      return fail (v, i, "regions nest deeper than %d", LM_MAX_DEPTH);
    if (!verify_function (region, v->after, v->seen, v->depth + 1, v->error)) {
      g_prefix_error (v->error, "in region %u of equation %u of @%s: ", k, i, v->ir->name);
      return false;
    }
  }
  return true;
}

static uint32_t
max_results (const Verifier *v, const lam_equation *e)
{
  uint32_t n = MAX (e->n_results, MAX (e->n_operands, 2));

  for (uint32_t k = 0; k < e->n_regions; k++)
    n = MAX (n, lm_function_region (v->f, e, k)->ir.n_results);
  return n;
}

/* Infers the result types anew. */
static bool
check_types (Verifier *v, uint32_t i, const LmOpInfo *info)
{
  const lam_equation *e = lam_equation_at (v->ir, i);
  g_autoptr (GError) error = NULL;
  LmTypeCtx c = {
      .info = info,
      .n_operands = e->n_operands,
      .attrs = v->ir->attrs + e->first_attr,
      .n_attrs = e->n_attrs,
      .regions = (const LmFunction *const *)(const void *)(v->ir->regions + e->first_region),
      .n_regions = e->n_regions,
      .wanted = lam_value_type (v->ir, e->first_result),
      .max_results = max_results (v, e),
      .error = &error,
  };

  g_ptr_array_set_size (v->operands, (gint)e->n_operands);
  for (uint32_t k = 0; k < e->n_operands; k++)
    v->operands->pdata[k] = (gpointer)lam_value_type (v->ir, lam_operand (v->ir, e, k));
  g_array_set_size (v->results, c.max_results);
  memset (v->results->data, 0, c.max_results * sizeof (lam_type));
  c.operands = (const lam_type *const *)v->operands->pdata;
  c.results = (lam_type *)(void *)v->results->data;
  if (!lm_infer_types (&c))
    return fail (v, i, "%s", error->message);
  if (c.n_results != e->n_results)
    return fail (v, i, "it has %u results, its op gives %u", e->n_results, c.n_results);
  for (uint32_t k = 0; k < e->n_results; k++) {
    const lam_type *stated = lam_value_type (v->ir, e->first_result + k);
    g_autofree char *wanted = NULL;
    if (lm_type_equal (stated, &c.results[k]))
      continue;
    wanted = lm_type_to_string (&c.results[k]);
    return fail (v, i, "%s: result %u has another type than its rule gives, %s", info->name, k,
                 wanted);
  }
  return true;
}

static bool
check_equation (Verifier *v, uint32_t i, uint32_t next_value)
{
  const lam_equation *e = lam_equation_at (v->ir, i);
  const LmOpInfo *info = lm_op_info (e->op);

  if (!check_indices (v, i, next_value) || !check_attr_data (v, i))
    return false;
  if (info == NULL)
    return fail (v, i, "op number %d is not in the table", e->op);
  if (e->n_results == 0)
    return fail (v, i, "it has no result");
  if ((uint32_t)info->since > v->ir->ir_minor)
    return fail (v, i, "%s came with IR minor %d, the function states %u", info->name, info->since,
                 v->ir->ir_minor);
  return check_regions (v, i) && check_types (v, i, info);
}

static bool
verify_function (const LmFunction *f, const char *after, GHashTable *seen, guint depth,
                 GError **error)
{
  Verifier v = {
      .f = f,
      .ir = &f->ir,
      .after = after,
      .seen = seen,
      .depth = depth,
      .results = g_array_new (FALSE, FALSE, sizeof (lam_type)),
      .operands = g_ptr_array_new (),
      .error = error,
  };
  uint32_t next_value = f->ir.n_params;
  bool ok = check_header (&v);

  for (uint32_t i = 0; ok && i < f->ir.n_equations; i++) {
    ok = check_equation (&v, i, next_value);
    next_value += lam_equation_at (&f->ir, i)->n_results;
  }
  if (ok && next_value != f->ir.n_values)
    ok = fail (&v, f->ir.n_equations, "its equations define %u values of %u", next_value,
               f->ir.n_values);
  g_array_unref (v.results);
  g_ptr_array_unref (v.operands);
  return ok;
}

bool
lm_verify (const LmFunction *f, const char *after, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  g_return_val_if_fail (f != NULL, false);
  return verify_function (f, after, seen, 1, error);
}
