/* SPDX-License-Identifier: Apache-2.0 */
/* dot_general: both operands are widened into the scratch as lhs (batch, m, k) and rhs (batch, k, n), then three
 * plain loops. */
#include "reference.h"

#include <stdlib.h>

/* Copies operand elements (a, b, c) of three views into dense order; 8 bytes each. */
static void
pack (const ref_step *s, uint32_t operand, const kit_view *const views[3], void *out)
{
  lam_dtype dtype = ref_in_type (s, operand)->dtype;
  kit_view all = {0, {0}, {0}, 0};
  int64_t i[LAM_MAX_RANK] = {0}, at = 0;

  for (int g = 0; g < 3; g++)
    for (int32_t k = 0; k < views[g]->rank; k++) {
      all.dims[all.rank] = views[g]->dims[k];
      all.strides[all.rank++] = views[g]->strides[k];
    }
  if (kit_elements (all.rank, all.dims) == 0)
    return;
  do {
    int64_t from = kit_dot_index (all.rank, i, all.strides);
    if (lam_dtype_is_float (dtype))
      ref_load_float (dtype, ref_in (s, operand), from, 1, (double *)out + at++);
    else
      ref_load_int (dtype, ref_in (s, operand), from, 1, (int64_t *)out + at++);
  } while (kit_next (all.rank, all.dims, i));
}

/* row[j] += sum over p of lhs[p] * rhs[p][j], p ascending. */
static void
row_float (const kit_dot *d, const double *lhs, const double *rhs, double *row)
{
  bool narrow = ref_is_narrow (d->lhs_dtype);

  for (int64_t j = 0; j < d->n; j++)
    row[j] = 0;
  for (int64_t p = 0; p < d->k; p++) {
    double x = lhs[p];
    const double *y = rhs + p * d->n;
    if (narrow)
      for (int64_t j = 0; j < d->n; j++)
        row[j] = (float)(row[j] + x * y[j]);
    else
      for (int64_t j = 0; j < d->n; j++)
        row[j] += x * y[j];
  }
}

static void
row_int (const kit_dot *d, const int64_t *lhs, const int64_t *rhs, int64_t *row)
{
  for (int64_t j = 0; j < d->n; j++)
    row[j] = 0;
  for (int64_t p = 0; p < d->k; p++)
    for (int64_t j = 0; j < d->n; j++)
      row[j] = (int64_t)((uint64_t)row[j] + (uint64_t)lhs[p] * (uint64_t)rhs[p * d->n + j]);
}

static void
run_dot (const ref_step *s)
{
  const kit_dot *d = s->args;
  const kit_view *const lhs_views[3] = {&d->lhs_batch, &d->lhs_free, &d->lhs_contract};
  const kit_view *const rhs_views[3] = {&d->rhs_batch, &d->rhs_contract, &d->rhs_free};
  char *lhs = s->scratch;                       /* (batch, m, k) */
  char *rhs = lhs + d->batch * d->m * d->k * 8; /* (batch, k, n) */
  char *row = rhs + d->batch * d->k * d->n * 8; /* (n) */

  pack (s, 0, lhs_views, lhs);
  pack (s, 1, rhs_views, rhs);
  for (int64_t i = 0; i < d->batch * d->m; i++) {
    const char *a = lhs + i * d->k * 8, *b = rhs + i / d->m * d->k * d->n * 8;
    if (lam_dtype_is_float (d->out_dtype)) {
      row_float (d, (const double *)a, (const double *)b, (double *)row);
      ref_store_float (d->out_dtype, ref_out (s, 0), i * d->n, d->n, (const double *)row);
    } else {
      row_int (d, (const int64_t *)a, (const int64_t *)b, (int64_t *)row);
      ref_store_int (d->out_dtype, ref_out (s, 0), i * d->n, d->n, (const int64_t *)row);
    }
  }
}

lam_status
ref_prepare_dot (ref_step *s, const lam_function *f, const lam_equation *e)
{
  kit_dot *d;

  if (e->op != LAM_OP_dot_general)
    return LAM_E_UNSUPPORTED;
  d = calloc (1, sizeof *d);
  if (d == NULL)
    return LAM_E_NO_MEMORY;
  s->args = d;
  s->run = run_dot;
  kit_read_dot (f, e, d);
  s->scratch_bytes = (size_t)(d->batch * d->m * d->k + d->batch * d->k * d->n + d->n) * 8;
  return LAM_OK;
}
