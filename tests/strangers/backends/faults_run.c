/* SPDX-License-Identifier: Apache-2.0 */
/* The faults of stranger.faults: what people get wrong when they write a backend. */
#include "faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *
new_args (ref_step *s, size_t bytes, ref_run run)
{
  s->args = calloc (1, bytes);
  s->run = run;
  return s->args;
}

/* --- the last of equal elements wins a window ----------------------------------------------------- */

static int64_t
window_element (const kit_window *w, const int64_t *o, const int64_t *p)
{
  int64_t strides[LAM_MAX_RANK], at = 0;

  kit_strides (w->rank, w->in_dims, strides);
  for (int32_t k = 0; k < w->rank; k++) {
    int64_t c = kit_window_at (w, k, o[k], p[k]);
    if (c < 0)
      return -1;
    at += c * strides[k];
  }
  return at;
}

static void
run_tie (const ref_step *s)
{
  const kit_window *w = s->args;
  lam_dtype dtype = ref_in_type (s, 0)->dtype;
  int64_t n = lam_type_elements (ref_out_type (s)), o[LAM_MAX_RANK] = {0};

  for (int64_t j = 0; j < n; j++) {
    int64_t p[LAM_MAX_RANK] = {0}, where = 0, position = 0;
    double best = 0, x;
    bool any = false;
    do {
      int64_t at = window_element (w, o, p);
      if (at >= 0) {
        ref_load_float (dtype, ref_in (s, 0), at, 1, &x);
        if (!any || isnan (x) || (w->combine == KIT_COMBINE_MAXIMUM ? x >= best : x <= best)) {
          best = x;
          where = position;
        }
        any = true;
      }
      position++;
    } while (kit_next (w->rank, w->size, p));
    ref_store_int (LAM_I32, ref_out (s, 0), j, 1, &where);
    kit_next (w->rank, w->out_dims, o);
  }
}

lam_status
fault_tie (ref_step *s, const lam_function *f, const lam_equation *e)
{
  kit_window *w;

  if (e->op != LAM_OP_reduce_window_arg || !lam_dtype_is_float (ref_in_type (s, 0)->dtype))
    return LAM_E_UNSUPPORTED;
  w = new_args (s, sizeof *w, run_tie);
  if (w == NULL)
    return LAM_E_NO_MEMORY;
  kit_read_window (f, e, w);
  return LAM_OK;
}

/* --- a square operand of a product is read along the other axis ------------------------------------ */

lam_status
fault_dot_axes (ref_step *s, const lam_function *f, const lam_equation *e)
{
  lam_status status = ref_prepare_dot (s, f, e);
  kit_dot *d = s->args;
  kit_view keep;

  if (status != LAM_OK || d->rhs_free.rank != 1 || d->rhs_contract.rank != 1
      || d->rhs_free.dims[0] != d->rhs_contract.dims[0])
    return status;
  keep = d->rhs_free;
  d->rhs_free = d->rhs_contract;
  d->rhs_contract = keep;
  return LAM_OK;
}

/* --- maximum as C's a > b ? a : b -------------------------------------------------------------------- */

static void
run_nan (const ref_step *s)
{
  lam_dtype dtype = ref_out_type (s)->dtype;
  int64_t n = lam_type_elements (ref_out_type (s));

  for (int64_t i = 0; i < n; i++) {
    double a, b;
    ref_load_float (dtype, ref_in (s, 0), i, 1, &a);
    ref_load_float (dtype, ref_in (s, 1), i, 1, &b);
    a = fmax (a, b);
    ref_store_float (dtype, ref_out (s, 0), i, 1, &a);
  }
}

lam_status
fault_nan (ref_step *s, const lam_function *f, const lam_equation *e)
{
  (void)f;
  if (e->op != LAM_OP_maximum || !lam_dtype_is_float (ref_out_type (s)->dtype))
    return LAM_E_UNSUPPORTED;
  s->run = run_nan;
  return LAM_OK;
}

/* --- negative padding cuts one element too many ------------------------------------------------------ */

lam_status
fault_padding (ref_step *s, const lam_function *f, const lam_equation *e)
{
  kit_pad *p;

  if (e->op != LAM_OP_pad)
    return LAM_E_UNSUPPORTED;
  if (ref_prepare_shape (s, f, e) != LAM_OK)
    return LAM_E_NO_MEMORY;
  p = s->args;
  for (int32_t k = 0; k < p->rank; k++)
    p->from[k] += p->low[k] < 0 && p->from[k] < p->to[k];
  return LAM_OK;
}

/* --- of updates that meet the same element the first stays ------------------------------------------- */

static void
run_scatter (const ref_step *s)
{
  const kit_index *x = s->args;
  size_t width = lam_dtype_bits (ref_out_type (s)->dtype) / 8;

  memmove (ref_out (s, 0), ref_in (s, 0), (size_t)lam_type_bytes (ref_out_type (s)));
  for (int64_t i = x->dims[0] - 1; i >= 0; i--) {
    int64_t start;
    ref_load_int (x->index_dtype, ref_in (s, 1), i * x->index_strides[0], 1, &start);
    if (x->index_dtype == LAM_U64 && start < 0)
      start = INT64_MAX;
    if ((start < 0 || start > x->limits[0]) && x->fill)
      continue;
    start = start < 0 ? 0 : start > x->limits[0] ? x->limits[0] : start;
    memcpy ((char *)ref_out (s, 0) + (size_t)start * width,
            (const char *)ref_in (s, 2) + (size_t)i * width, width);
  }
}

lam_status
fault_scatter (ref_step *s, const lam_function *f, const lam_equation *e)
{
  kit_index *x;

  if (e->op != LAM_OP_scatter || ref_in_type (s, 0)->rank != 1 || ref_in_type (s, 1)->rank != 1
      || ref_in_type (s, 2)->rank != 1 || kit_combine (f, e) != KIT_COMBINE_UPDATE)
    return LAM_E_UNSUPPORTED;
  x = new_args (s, sizeof *x, run_scatter);
  if (x == NULL)
    return LAM_E_NO_MEMORY;
  kit_read_scatter (f, e, x);
  return LAM_OK;
}

/* --- equal keys come out in the opposite order -------------------------------------------------------- */

static char *
place (const ref_step *s, uint32_t k, int64_t at)
{
  return (char *)ref_out (s, k) + at * (int64_t)(lam_dtype_bits (ref_in_type (s, k)->dtype) / 8);
}

static void
swap (const ref_step *s, int64_t a, int64_t b)
{
  for (uint32_t k = 0; k < s->n_in; k++) {
    size_t width = lam_dtype_bits (ref_in_type (s, k)->dtype) / 8;
    char keep[8];
    memcpy (keep, place (s, k, a), width);
    memcpy (place (s, k, a), place (s, k, b), width);
    memcpy (place (s, k, b), keep, width);
  }
}

static void
run_sort (const ref_step *s)
{
  const lam_type *type = ref_in_type (s, 0);
  size_t width = lam_dtype_bits (type->dtype) / 8;
  int64_t n = type->dims[0];
  ref_step right = *s;
  lam_equation e = {.op = LAM_OP_sort};
  lam_function none = {0};

  if (ref_prepare_order (&right, &none, &e) != LAM_OK) /* one key, along axis 0 */
    return;
  right.run (&right);
  free (right.args);
  for (int64_t from = 0, to; from < n; from = to) {
    to = from + 1;
    while (to < n && memcmp (place (s, 0, from), place (s, 0, to), width) == 0)
      to++;
    for (int64_t a = from, b = to - 1; a < b; a++, b--)
      swap (s, a, b);
  }
}

lam_status
fault_sort (ref_step *s, const lam_function *f, const lam_equation *e)
{
  if (e->op != LAM_OP_sort || ref_in_type (s, 0)->rank != 1
      || lam_attr_int (f, e, "num_keys", 1) != 1)
    return LAM_E_UNSUPPORTED;
  s->run = run_sort;
  s->scratch_bytes = (size_t)ref_in_type (s, 0)->dims[0] * 2 * sizeof (int64_t);
  return LAM_OK;
}

/* --- a float becomes an integer by rounding down -------------------------------------------------------- */

static void
run_convert (const ref_step *s)
{
  int64_t n = lam_type_elements (ref_out_type (s));
  double *x = s->scratch;
  lam_type types[2] = {*ref_in_type (s, 0), *ref_out_type (s)};
  void *at[2] = {x, ref_out (s, 0)};
  ref_step right = *s;
  lam_equation e = {.op = LAM_OP_convert};

  ref_load_float (types[0].dtype, ref_in (s, 0), 0, n, x);
  for (int64_t i = 0; i < n; i++)
    x[i] = floor (x[i]);
  types[0].dtype = LAM_F64;
  right.types = types;
  right.at = at;
  if (ref_prepare_convert (&right, NULL, &e) == LAM_OK)
    right.run (&right);
}

lam_status
fault_convert (ref_step *s, const lam_function *f, const lam_equation *e)
{
  (void)f;
  if (e->op != LAM_OP_convert || !lam_dtype_is_float (ref_in_type (s, 0)->dtype)
      || !lam_dtype_is_signed (ref_out_type (s)->dtype))
    return LAM_E_UNSUPPORTED;
  s->run = run_convert;
  s->scratch_bytes = (size_t)lam_type_elements (ref_out_type (s)) * sizeof (double);
  return LAM_OK;
}

/* --- shifts as the processor makes them: by the amount modulo the width ------------------------------------ */

static void
run_shift (const ref_step *s)
{
  lam_dtype dtype = ref_out_type (s)->dtype;
  int64_t n = lam_type_elements (ref_out_type (s));

  for (int64_t i = 0; i < n; i++) {
    int64_t a, by;
    ref_load_int (dtype, ref_in (s, 0), i, 1, &a);
    ref_load_int (dtype, ref_in (s, 1), i, 1, &by);
    a = (int64_t)((uint64_t)a << (by & (lam_dtype_bits (dtype) - 1)));
    ref_store_int (dtype, ref_out (s, 0), i, 1, &a);
  }
}

lam_status
fault_shift (ref_step *s, const lam_function *f, const lam_equation *e)
{
  (void)f;
  if (e->op != LAM_OP_shift_left)
    return LAM_E_UNSUPPORTED;
  s->run = run_shift;
  return LAM_OK;
}

/* --- negative starts count from the end --------------------------------------------------------------------- */

static void
run_clamp (const ref_step *s)
{
  const lam_type *x = ref_in_type (s, 0), *y = ref_out_type (s);
  size_t width = lam_dtype_bits (x->dtype) / 8;
  int64_t strides[LAM_MAX_RANK], starts[LAM_MAX_RANK], i[LAM_MAX_RANK] = {0}, at = 0;

  kit_strides (x->rank, x->dims, strides);
  for (int32_t k = 0; k < x->rank; k++) {
    int64_t limit = x->dims[k] - y->dims[k];
    lam_dtype dtype = ref_in_type (s, 1 + (uint32_t)k)->dtype;
    ref_load_int (dtype, ref_in (s, 1 + (uint32_t)k), 0, 1, &starts[k]);
    if (starts[k] < 0)
      starts[k] = dtype == LAM_U64 ? limit : starts[k] + x->dims[k];
    starts[k] = starts[k] < 0 ? 0 : starts[k] > limit ? limit : starts[k];
  }
  if (lam_type_elements (y) == 0)
    return;
  do {
    int64_t from = kit_dot_index (x->rank, i, strides) + kit_dot_index (x->rank, starts, strides);
    memcpy ((char *)ref_out (s, 0) + (size_t)at++ * width,
            (const char *)ref_in (s, 0) + (size_t)from * width, width);
  } while (kit_next (y->rank, y->dims, i));
}

lam_status
fault_clamp (ref_step *s, const lam_function *f, const lam_equation *e)
{
  (void)f;
  if (e->op != LAM_OP_dynamic_slice)
    return LAM_E_UNSUPPORTED;
  s->run = run_clamp;
  return LAM_OK;
}

/* --- sums of f16 rounded to f16 after every term ----------------------------------------------------------------- */

static void
run_f16 (const ref_step *s)
{
  const kit_dot *d = s->args;

  for (int64_t i = 0; i < d->m; i++)
    for (int64_t j = 0; j < d->n; j++) {
      uint16_t sum = 0;
      for (int64_t p = 0; p < d->k; p++) {
        double a, b, y;
        ref_load_float (LAM_F16, ref_in (s, 0),
                        i * (d->lhs_free.rank != 0 ? d->lhs_free.strides[0] : 0)
                            + p * d->lhs_contract.strides[0],
                        1, &a);
        ref_load_float (LAM_F16, ref_in (s, 1),
                        j * (d->rhs_free.rank != 0 ? d->rhs_free.strides[0] : 0)
                            + p * d->rhs_contract.strides[0],
                        1, &b);
        ref_load_float (LAM_F16, &sum, 0, 1, &y);
        y += a * b;
        ref_store_float (LAM_F16, &sum, 0, 1, &y);
      }
      memcpy ((char *)ref_out (s, 0) + (size_t)(i * d->n + j) * 2, &sum, 2);
    }
}

lam_status
fault_f16 (ref_step *s, const lam_function *f, const lam_equation *e)
{
  lam_status status = ref_prepare_dot (s, f, e);
  const kit_dot *d = s->args;

  if (status == LAM_OK && d->lhs_dtype == LAM_F16 && d->out_dtype == LAM_F16
      && d->lhs_batch.rank == 0 && d->lhs_free.rank <= 1 && d->rhs_free.rank <= 1
      && d->lhs_contract.rank == 1)
    s->run = run_f16;
  return status;
}

/* --- the reduction of nothing is 0 ---------------------------------------------------------------------------------- */

static void
run_empty (const ref_step *s)
{
  memset (ref_out (s, 0), 0, (size_t)lam_type_bytes (ref_out_type (s)));
}

lam_status
fault_empty (ref_step *s, const lam_function *f, const lam_equation *e)
{
  (void)f;
  if (e->op != LAM_OP_reduce || lam_type_elements (ref_in_type (s, 0)) != 0)
    return LAM_E_UNSUPPORTED;
  s->run = run_empty;
  return LAM_OK;
}

/* --- no result at all -------------------------------------------------------------------------------------------------- */

static void
run_crash (const ref_step *s)
{
  (void)s;
  abort ();
}

static void
run_hang (const ref_step *s)
{
  volatile const ref_step *forever = s;

  while (forever != NULL)
    ;
}

static void
run_exit (const ref_step *s)
{
  (void)s;
  _Exit (0);
}

static lam_status
in_cbrt (ref_step *s, const lam_equation *e, ref_run run)
{
  s->run = run;
  return e->op == LAM_OP_cbrt ? LAM_OK : LAM_E_UNSUPPORTED;
}

lam_status
fault_crash (ref_step *s, const lam_function *f, const lam_equation *e)
{
  (void)f;
  return in_cbrt (s, e, run_crash);
}

lam_status
fault_hang (ref_step *s, const lam_function *f, const lam_equation *e)
{
  (void)f;
  return in_cbrt (s, e, run_hang);
}

lam_status
fault_exit (ref_step *s, const lam_function *f, const lam_equation *e)
{
  (void)f;
  return in_cbrt (s, e, run_exit);
}
