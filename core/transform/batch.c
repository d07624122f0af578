/* SPDX-License-Identifier: Apache-2.0 */
/* Batching: one forward walk in which each op's batching rule gives an equation over a whole axis of
 * rows; what does not depend on the row is copied as it is. */
#include "core/ir/rules.h"
#include "core/op/rule.h"
#include "core/transform/rewrite.h"
#include "core/transform/transform.h"

/* A walk over one function (or the region of a composite in it). */
typedef struct Batch {
  LmRewrite r;
  int32_t *axes; /* [n_values] of each new value; -1: the same in every row */
  int64_t size;
  const char *path;            /* of the composite around it */
  int32_t *in_axes, *out_axes; /* [most operands], [most results] of an equation */
  LmValue *out;                /* [most results] */
} Batch;

static void
batch_init (Batch *v, const LmFunction *f, int64_t size, const char *path)
{
  uint32_t operands = 1, results = 1;

  for (uint32_t i = 0; i < f->ir.n_equations; i++) {
    operands = MAX (operands, lam_equation_at (&f->ir, i)->n_operands);
    results = MAX (results, lam_equation_at (&f->ir, i)->n_results);
  }
  v->size = size;
  v->path = path;
  v->axes = g_new (int32_t, MAX (f->ir.n_values, 1));
  v->in_axes = g_new (int32_t, operands);
  v->out_axes = g_new (int32_t, results);
  v->out = g_new (LmValue, results);
}

static void
batch_clear (Batch *v)
{
  lm_rewrite_clear (&v->r);
  g_free (v->axes);
  g_free (v->in_axes);
  g_free (v->out_axes);
  g_free (v->out);
}

/* --- equations --------------------------------------------------------------------------------- */

static void walk (Batch *v);

/* LmBatchCtx.inline_region */
static void
inline_region (LmBatchCtx *c, const LmFunction *region)
{
  const Batch *outer = c->walk;
  g_autofree char *path = g_strdup (lm_builder_path (c->b));
  Batch v;

  batch_init (&v, region, outer->size, path);
  lm_rewrite_init_into (&v.r, region, c->b, c->in);
  for (uint32_t i = 0; i < region->ir.n_params; i++)
    v.axes[i] = c->axis[i];
  walk (&v);
  for (uint32_t k = 0; k < region->ir.n_results; k++) {
    c->out[k] = v.r.map[region->ir.results[k]];
    c->out_axis[k] = v.axes[region->ir.results[k]];
  }
  batch_clear (&v);
}

/* Without rows there is nothing to compute, and no rule has to think of it. */
static void
no_rows (LmBatchCtx *c)
{
  for (uint32_t k = 0; k < c->e->n_results; k++) {
    lam_type type = *lm_batch_out_type (c, k);
    int64_t dims[LAM_MAX_RANK] = {0};
    for (int32_t i = 0; i < type.rank; i++)
      dims[i + 1] = type.dims[i];
    lam_type empty = lm_type (type.dtype, type.rank + 1, dims);
    c->out[k] = lm_splat_int (c->b, &empty, 0);
    c->out_axis[k] = 0;
  }
}

/* Values of LAM_MAX_RANK axes have no room for another. */
static bool
check_rank (Batch *v, const lam_equation *e)
{
  const lam_function *f = &v->r.f->ir;
  const char *path = lm_builder_path (v->r.b);

  for (uint32_t k = 0; k < e->n_results; k++) {
    const lam_type *type = lam_value_type (f, e->first_result + k);
    if (type->rank < LAM_MAX_RANK)
      continue;
    g_autofree char *got = lm_type_to_string (type);
    lm_builder_failf (v->r.b,
                      "vmap of @%s: the result of %s%s%s is %s, there is no room for a batch axis "
                      "(at most %d axes)",
                      f->name, lm_op_info (e->op)->name, *path ? " in layer " : "", path, got,
                      LAM_MAX_RANK);
    return false;
  }
  return true;
}

static void
batch_equation (Batch *v, const lam_equation *e)
{
  const LmRules *rules = lm_rules (e->op);
  LmBatchCtx c = {
      .b = v->r.b,
      .f = v->r.f,
      .e = e,
      .size = v->size,
      .in = lm_rewrite_operands (&v->r, e),
      .axis = v->in_axes,
      .out = v->out,
      .out_axis = v->out_axes,
      .inline_region = inline_region,
      .walk = v,
  };

  for (uint32_t k = 0; k < e->n_results; k++) {
    v->out[k] = LM_NIL;
    v->out_axes[k] = 0;
  }
  if (!check_rank (v, e))
    return;
  if (v->size == 0)
    no_rows (&c);
  else if (rules->batch != NULL)
    rules->batch (&c);
  else
    lm_builder_failf (v->r.b, "vmap of @%s: op %s has no batching rule", v->r.f->ir.name,
                      lm_op_info (e->op)->name);
  for (uint32_t k = 0; k < e->n_results; k++) {
    v->r.map[e->first_result + k] = v->out[k];
    v->axes[e->first_result + k] = v->out_axes[k];
  }
}

/* A rule that gives a result of another type than its row's with one axis more is a fault here, not
 * later. */
static bool
check_result (Batch *v, const lam_equation *e, uint32_t k)
{
  const lam_type *got = lm_builder_type (v->r.b, v->r.map[e->first_result + k]);
  const lam_type *row = lam_value_type (&v->r.f->ir, e->first_result + k);
  int32_t axis = v->axes[e->first_result + k];
  bool fits = got->dtype == row->dtype && got->rank == row->rank + (axis >= 0);

  if (lm_builder_error (v->r.b) != NULL)
    return false;
  for (int32_t i = 0, at = 0; fits && i < got->rank; i++)
    fits = got->dims[i] == (i == axis ? v->size : row->dims[at++]);
  if (fits)
    return true;
  g_autofree char *have = lm_type_to_string (got), *want = lm_type_to_string (row);
  lm_builder_failf (v->r.b,
                    "the batching rule of %s gave %s with the batch axis %d for result %u, wanted "
                    "%s with an axis of %" G_GINT64_FORMAT " more",
                    lm_op_info (e->op)->name, have, axis, k, want, v->size);
  return false;
}

/* Everything of v->r.f, whose parameters are mapped. */
static void
walk (Batch *v)
{
  const lam_function *f = &v->r.f->ir;

  for (uint32_t i = 0; i < f->n_equations && lm_builder_error (v->r.b) == NULL; i++) {
    const lam_equation *e = lam_equation_at (f, i);
    const char *path = f->paths[e->path];
    bool batched = false;
    lm_builder_set_path (v->r.b, *path != '\0' ? path : v->path);
    for (uint32_t k = 0; k < e->n_operands; k++) {
      v->in_axes[k] = v->axes[lam_operand (f, e, k)];
      batched |= v->in_axes[k] >= 0;
    }
    if (batched) {
      batch_equation (v, e);
    } else {
      lm_rewrite_copy (&v->r, e);
      for (uint32_t k = 0; k < e->n_results; k++)
        v->axes[e->first_result + k] = -1;
    }
    for (uint32_t k = 0; k < e->n_results && check_result (v, e, k); k++)
      ;
  }
}

/* --- the function ------------------------------------------------------------------------------ */

/* All axes that do not fit, in one report. */
static bool
check_axes (const LmFunction *f, const int32_t *in_axes, const int32_t *out_axes, int64_t size,
            GError **error)
{
  g_autoptr (GString) wrong = g_string_new (NULL);

  for (uint32_t i = 0; i < f->ir.n_params; i++) {
    int32_t rank = lm_param_type (f, i)->rank;
    if (in_axes[i] < -1 || in_axes[i] > rank || (in_axes[i] >= 0 && rank == LAM_MAX_RANK)) {
      g_string_append_printf (wrong, "; axis %d for parameter %u, ", in_axes[i], i);
      lm_type_print (wrong, lm_param_type (f, i));
    }
  }
  for (uint32_t j = 0; j < f->ir.n_results; j++) {
    int32_t rank = lm_result_type (f, j)->rank;
    if (out_axes[j] < -1 || out_axes[j] > rank || (out_axes[j] >= 0 && rank == LAM_MAX_RANK)) {
      g_string_append_printf (wrong, "; axis %d for result %u, ", out_axes[j], j);
      lm_type_print (wrong, lm_result_type (f, j));
    }
  }
  if (size < 0)
    g_string_append_printf (wrong, "; a size of %" G_GINT64_FORMAT, size);
  if (wrong->len == 0)
    return true;
  g_set_error (
      error, LM_ERROR, LM_ERROR_INVALID,
      "vmap of @%s: got %s; wanted an axis of 0 to the rank (or -1: none), at most %d axes "
      "in all, and a size of at least 0",
      f->ir.name, wrong->str + 2, LAM_MAX_RANK);
  return false;
}

/* A batch over f into b, with parameters of its own. */
static void
add_params (Batch *v, const LmFunction *f, LmBuilder *b, const int32_t *in_axes)
{
  g_autofree LmValue *args = g_new (LmValue, f->ir.n_params + 1);

  for (uint32_t i = 0; i < f->ir.n_params; i++) {
    lam_type type = *lm_param_type (f, i);
    if (in_axes[i] >= 0) {
      for (int32_t k = type.rank++; k > in_axes[i]; k--)
        type.dims[k] = type.dims[k - 1];
      type.dims[in_axes[i]] = v->size;
    }
    v->axes[i] = in_axes[i];
    args[i] = lm_builder_param (b, &type);
  }
  lm_rewrite_init_into (&v->r, f, b, args);
}

/* Result j with its batch axis where it was asked for. */
static LmValue
place_result (Batch *v, uint32_t j, int32_t to)
{
  uint32_t value = v->r.f->ir.results[j];
  LmValue x = v->r.map[value];

  if (to < 0 && v->axes[value] >= 0)
    lm_builder_failf (v->r.b,
                      "vmap of @%s: result %u depends on the row, it needs an axis for the batch",
                      v->r.f->ir.name, j);
  if (to < 0)
    return x;
  return v->axes[value] < 0 ? lm_add_axis (v->r.b, x, v->size, to)
                            : lm_move_axis (v->r.b, x, v->axes[value], to);
}

LmFunction *
lm_vmap (const LmFunction *f, const int32_t *in_axes, const int32_t *out_axes, int64_t size,
         GError **error)
{
  g_autofree LmValue *results = NULL;
  g_autofree char *name = NULL;
  LmBuilder *b;
  Batch v;

  g_return_val_if_fail (f != NULL && in_axes != NULL && out_axes != NULL, NULL);
  if (!check_axes (f, in_axes, out_axes, size, error))
    return NULL;
  name = g_strconcat (f->ir.name, ".vmap", NULL);
  results = g_new (LmValue, f->ir.n_results + 1);
  b = lm_builder_new (name);
  batch_init (&v, f, size, "");
  add_params (&v, f, b, in_axes);
  walk (&v);
  lm_builder_set_path (b, "");
  for (uint32_t j = 0; j < f->ir.n_results; j++)
    results[j] = place_result (&v, j, out_axes[j]);
  batch_clear (&v);
  return lm_transform_checked (lm_builder_finish (b, results, f->ir.n_results, error), "vmap",
                               error);
}
