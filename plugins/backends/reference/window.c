/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_window and reduce_window_arg: for every result, every position of its window. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

typedef struct window_args {
  kit_window window;
  int64_t strides[LAM_MAX_RANK]; /* of the operand */
} window_args;

/* Operand element under window position p of result o; -1 in padding and dilation holes. */
static int64_t
element_at (const window_args *a, const int64_t *o, const int64_t *p)
{
  int64_t at = 0;

  for (int32_t k = 0; k < a->window.rank; k++) {
    int64_t c = kit_window_at (&a->window, k, o[k], p[k]);
    if (c < 0)
      return -1;
    at += c * a->strides[k];
  }
  return at;
}

static double
window_float (const window_args *a, const double *x, const int64_t *o, bool narrow)
{
  int64_t p[LAM_MAX_RANK] = {0};
  double y = ref_identity_float (a->window.combine);

  if (kit_elements (a->window.rank, a->window.size) == 0)
    return y;
  do {
    int64_t at = element_at (a, o, p);
    if (at >= 0)
      y = ref_combine_float (a->window.combine, y, x[at]);
    if (narrow)
      y = (float)y;
  } while (kit_next (a->window.rank, a->window.size, p));
  return y;
}

static int64_t
window_int (const window_args *a, const int64_t *x, const int64_t *o, lam_dtype dtype)
{
  int64_t p[LAM_MAX_RANK] = {0};
  int64_t y = ref_identity_int (a->window.combine, dtype);

  if (kit_elements (a->window.rank, a->window.size) == 0)
    return y;
  do {
    int64_t at = element_at (a, o, p);
    if (at >= 0)
      y = ref_combine_int (a->window.combine, dtype, y, x[at]);
  } while (kit_next (a->window.rank, a->window.size, p));
  return y;
}

/* True if element x beats the best so far; a NaN does, and nothing beats it. */
static bool
wins (const ref_step *s, int64_t x, int64_t best)
{
  int32_t combine = ((const window_args *)s->args)->window.combine;
  lam_dtype dtype = ref_in_type (s, 0)->dtype;

  if (lam_dtype_is_float (dtype)) {
    double a = ((const double *)s->scratch)[x], b = ((const double *)s->scratch)[best];
    if (isnan (b))
      return false;
    return isnan (a) || (combine == KIT_COMBINE_MAXIMUM ? a > b : a < b);
  } else {
    int64_t a = ((const int64_t *)s->scratch)[x], b = ((const int64_t *)s->scratch)[best];
    return a != b && ref_combine_int (combine, dtype, a, b) == a;
  }
}

static int64_t
window_arg (const ref_step *s, const int64_t *o)
{
  const window_args *a = s->args;
  int64_t p[LAM_MAX_RANK] = {0}, best = -1, where = 0, position = 0;

  if (kit_elements (a->window.rank, a->window.size) == 0)
    return 0;
  do {
    int64_t at = element_at (a, o, p);
    if (at >= 0 && (best < 0 || wins (s, at, best))) {
      best = at;
      where = position;
    }
    position++;
  } while (kit_next (a->window.rank, a->window.size, p));
  return where;
}

static void
run_window (const ref_step *s)
{
  const window_args *a = s->args;
  lam_dtype in = ref_in_type (s, 0)->dtype, out = ref_out_type (s)->dtype;
  int64_t n = lam_type_elements (ref_in_type (s, 0)), count = lam_type_elements (ref_out_type (s));
  int64_t o[LAM_MAX_RANK] = {0};

  if (lam_dtype_is_float (in))
    ref_load_float (in, ref_in (s, 0), 0, n, s->scratch);
  else
    ref_load_int (in, ref_in (s, 0), 0, n, s->scratch);
  for (int64_t j = 0; j < count; j++) {
    if (s->op == LAM_OP_reduce_window && lam_dtype_is_float (in)) {
      double y = window_float (a, s->scratch, o, ref_is_narrow (in));
      ref_store_float (out, ref_out (s, 0), j, 1, &y);
    } else {
      int64_t y =
          s->op == LAM_OP_reduce_window ? window_int (a, s->scratch, o, in) : window_arg (s, o);
      ref_store_int (out, ref_out (s, 0), j, 1, &y);
    }
    kit_next (a->window.rank, a->window.out_dims, o);
  }
}

lam_status
ref_prepare_window (ref_step *s, const lam_function *f, const lam_equation *e)
{
  window_args *a;

  if (e->op != LAM_OP_reduce_window && e->op != LAM_OP_reduce_window_arg)
    return LAM_E_UNSUPPORTED;
  a = calloc (1, sizeof *a);
  if (a == NULL)
    return LAM_E_NO_MEMORY;
  s->args = a;
  s->run = run_window;
  s->scratch_bytes = (size_t)lam_type_elements (ref_in_type (s, 0)) * 8;
  kit_read_window (f, e, &a->window);
  kit_strides (a->window.rank, a->window.in_dims, a->strides);
  return LAM_OK;
}
