/* SPDX-License-Identifier: Apache-2.0 */
/* gather and scatter. */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* Operand offset for coordinates i of the result or the updates; false when the slice does not fit
 * (mode fill). */
static bool
operand_at (const kit_index *x, const void *indices, const int64_t *i, int64_t *out)
{
  int64_t at = kit_dot_index (x->rank, i, x->operand_strides);
  int64_t from = kit_dot_index (x->rank, i, x->index_strides);

  for (uint32_t c = 0; c < x->n_starts; c++) {
    int64_t start;
    ref_load_int (x->index_dtype, indices, from + (int64_t)c * x->start_stride, 1, &start);
    if (x->index_dtype == LAM_U64 && start < 0) /* beyond every axis */
      start = INT64_MAX;
    if (start < 0 || start > x->limits[c]) {
      if (x->fill || x->limits[c] < 0)
        return false;
      start = start < 0 ? 0 : x->limits[c];
    }
    at += start * x->start_strides[c];
  }
  *out = at;
  return true;
}

static void
run_gather (const ref_step *s)
{
  const kit_index *x = s->args;
  size_t width = lam_dtype_bits (ref_out_type (s)->dtype) / 8;
  int64_t i[LAM_MAX_RANK] = {0}, at;
  const char *operand = ref_in (s, 0);
  char *y = ref_out (s, 0);

  if (lam_type_elements (ref_out_type (s)) == 0)
    return;
  do {
    if (operand_at (x, ref_in (s, 1), i, &at))
      memcpy (y, operand + at * (int64_t)width, width);
    else
      memset (y, 0, width);
    y += width;
  } while (kit_next (x->rank, x->dims, i));
}

/* The operand is widened into the scratch, updates are combined there in their order, the whole is narrowed
 * once at the end. */
static void
run_scatter_float (const ref_step *s)
{
  const kit_index *x = s->args;
  lam_dtype dtype = ref_out_type (s)->dtype;
  int64_t n = lam_type_elements (ref_out_type (s)), i[LAM_MAX_RANK] = {0}, at, from = 0;
  double *y = s->scratch, update;

  ref_load_float (dtype, ref_in (s, 0), 0, n, y);
  if (lam_type_elements (ref_in_type (s, 2)) != 0)
    do {
      ref_load_float (dtype, ref_in (s, 2), from++, 1, &update);
      if (!operand_at (x, ref_in (s, 1), i, &at))
        continue;
      y[at] = ref_combine_float (x->combine, y[at], update);
      if (ref_is_narrow (dtype))
        y[at] = (float)y[at];
    } while (kit_next (x->rank, x->dims, i));
  ref_store_float (dtype, ref_out (s, 0), 0, n, y);
}

static void
run_scatter_int (const ref_step *s)
{
  const kit_index *x = s->args;
  lam_dtype dtype = ref_out_type (s)->dtype;
  int64_t n = lam_type_elements (ref_out_type (s)), i[LAM_MAX_RANK] = {0}, at, from = 0;
  int64_t *y = s->scratch, update;

  ref_load_int (dtype, ref_in (s, 0), 0, n, y);
  if (lam_type_elements (ref_in_type (s, 2)) != 0)
    do {
      ref_load_int (dtype, ref_in (s, 2), from++, 1, &update);
      if (!operand_at (x, ref_in (s, 1), i, &at))
        continue;
      y[at] = ref_combine_int (x->combine, dtype, y[at], update);
      ref_store_int (dtype, ref_out (s, 0), at, 1, &y[at]); /* wraps to the dtype */
      ref_load_int (dtype, ref_out (s, 0), at, 1, &y[at]);
    } while (kit_next (x->rank, x->dims, i));
  ref_store_int (dtype, ref_out (s, 0), 0, n, y);
}

lam_status
ref_prepare_index (ref_step *s, const lam_function *f, const lam_equation *e)
{
  kit_index *x;

  if (e->op != LAM_OP_gather && e->op != LAM_OP_scatter)
    return LAM_E_UNSUPPORTED;
  x = calloc (1, sizeof *x);
  if (x == NULL)
    return LAM_E_NO_MEMORY;
  s->args = x;
  if (e->op == LAM_OP_gather) {
    kit_read_gather (f, e, x);
    s->run = run_gather;
    return LAM_OK;
  }
  kit_read_scatter (f, e, x);
  s->scratch_bytes = (size_t)lam_type_elements (ref_out_type (s)) * 8;
  s->run = lam_dtype_is_float (ref_out_type (s)->dtype) ? run_scatter_float : run_scatter_int;
  return LAM_OK;
}
