/* SPDX-License-Identifier: Apache-2.0 */
/* reduce, argmax, argmin. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

static double
reduce_floats (const kit_reduce *r, const double *x, bool narrow)
{
  const kit_view *v = &r->reduced;
  int64_t i[LAM_MAX_RANK] = {0};
  double y = ref_identity_float (r->combine);

  if (kit_elements (v->rank, v->dims) == 0)
    return y;
  do {
    y = ref_combine_float (r->combine, y, x[kit_dot_index (v->rank, i, v->strides)]);
    if (narrow)
      y = (float)y;
  } while (kit_next (v->rank, v->dims, i));
  return y;
}

static int64_t
reduce_ints (const kit_reduce *r, const int64_t *x, lam_dtype dtype)
{
  const kit_view *v = &r->reduced;
  int64_t i[LAM_MAX_RANK] = {0};
  int64_t y = ref_identity_int (r->combine, dtype);

  if (kit_elements (v->rank, v->dims) == 0)
    return y;
  do
    y = ref_combine_int (r->combine, dtype, y, x[kit_dot_index (v->rank, i, v->strides)]);
  while (kit_next (v->rank, v->dims, i));
  return y;
}

static void
run_reduce (const ref_step *s)
{
  const kit_reduce *r = s->args;
  lam_dtype dtype = ref_out_type (s)->dtype;
  int64_t n = lam_type_elements (ref_in_type (s, 0)), count = lam_type_elements (ref_out_type (s));
  int64_t i[LAM_MAX_RANK] = {0};

  if (lam_dtype_is_float (dtype))
    ref_load_float (dtype, ref_in (s, 0), 0, n, s->scratch);
  else
    ref_load_int (dtype, ref_in (s, 0), 0, n, s->scratch);
  for (int64_t j = 0; j < count; j++) {
    int64_t at = kit_dot_index (r->kept.rank, i, r->kept.strides);
    if (lam_dtype_is_float (dtype)) {
      double y = reduce_floats (r, (const double *)s->scratch + at, ref_is_narrow (dtype));
      ref_store_float (dtype, ref_out (s, 0), j, 1, &y);
    } else {
      int64_t y = reduce_ints (r, (const int64_t *)s->scratch + at, dtype);
      ref_store_int (dtype, ref_out (s, 0), j, 1, &y);
    }
    kit_next (r->kept.rank, r->kept.dims, i);
  }
}

/* --- arg ops ------------------------------------------------------------------------------------- */

/* True if x takes the place of the best so far: strictly better, or the first NaN. */
static bool
wins_float (bool largest, double x, double best)
{
  if (isnan (best))
    return false;
  return isnan (x) || (largest ? x > best : x < best);
}

static bool
wins_int (bool largest, lam_dtype dtype, int64_t x, int64_t best)
{
  if (x == best)
    return false;
  return ref_combine_int (largest ? KIT_COMBINE_MAXIMUM : KIT_COMBINE_MINIMUM, dtype, x, best) == x;
}

static int64_t
arg_of_line (const ref_step *s, int64_t at, int64_t n, int64_t step)
{
  bool largest = s->op == LAM_OP_argmax;
  lam_dtype dtype = ref_in_type (s, 0)->dtype;
  double x, best = 0;
  int64_t v, best_int = 0, where = 0;

  for (int64_t i = 0; i < n; i++) {
    bool wins;
    if (lam_dtype_is_float (dtype)) {
      ref_load_float (dtype, ref_in (s, 0), at + i * step, 1, &x);
      wins = i == 0 || wins_float (largest, x, best);
      best = wins ? x : best;
    } else {
      ref_load_int (dtype, ref_in (s, 0), at + i * step, 1, &v);
      wins = i == 0 || wins_int (largest, dtype, v, best_int);
      best_int = wins ? v : best_int;
    }
    where = wins ? i : where;
  }
  return where;
}

static void
run_arg (const ref_step *s)
{
  const kit_axis *a = s->args;
  int64_t j = 0;

  for (int64_t o = 0; o < a->outer; o++)
    for (int64_t i = 0; i < a->inner; i++, j++) {
      int64_t where = arg_of_line (s, o * a->size * a->inner + i, a->size, a->inner);
      ref_store_int (ref_out_type (s)->dtype, ref_out (s, 0), j, 1, &where);
    }
}

/* --- preparing ------------------------------------------------------------------------------------ */

lam_status
ref_prepare_reduce (ref_step *s, const lam_function *f, const lam_equation *e)
{
  if (e->op == LAM_OP_reduce) {
    kit_reduce *r = calloc (1, sizeof *r);
    if (r == NULL)
      return LAM_E_NO_MEMORY;
    s->args = r;
    s->run = run_reduce;
    s->scratch_bytes = (size_t)lam_type_elements (ref_in_type (s, 0)) * 8;
    kit_read_reduce (f, e, r);
    kit_view_merge (&r->kept);
    kit_view_merge (&r->reduced);
    return LAM_OK;
  }
  if (e->op == LAM_OP_argmax || e->op == LAM_OP_argmin) {
    kit_axis *a = calloc (1, sizeof *a);
    if (a == NULL)
      return LAM_E_NO_MEMORY;
    s->args = a;
    s->run = run_arg;
    kit_split_axis (ref_in_type (s, 0), lam_attr_int (f, e, "dimension", 0), a);
    return LAM_OK;
  }
  return LAM_E_UNSUPPORTED;
}
