/* SPDX-License-Identifier: Apache-2.0 */
/* cumsum: one running sum after the other. */
#include "reference.h"

#include <stdlib.h>

typedef struct cumsum_args {
  kit_axis axis;
  bool reverse, exclusive;
} cumsum_args;

/* The sums of the line that begins at `at`; f16 and bf16 add up in f32. */
static void
sum_floats (const ref_step *s, int64_t at)
{
  const cumsum_args *a = s->args;
  lam_dtype dtype = ref_out_type (s)->dtype;
  double sum = 0;

  for (int64_t i = 0; i < a->axis.size; i++) {
    int64_t here = at + (a->reverse ? a->axis.size - 1 - i : i) * a->axis.inner;
    double x, before = sum;
    ref_load_float (dtype, ref_in (s, 0), here, 1, &x);
    sum += x;
    if (ref_is_narrow (dtype))
      sum = (float)sum;
    ref_store_float (dtype, ref_out (s, 0), here, 1, a->exclusive ? &before : &sum);
  }
}

static void
sum_ints (const ref_step *s, int64_t at)
{
  const cumsum_args *a = s->args;
  lam_dtype dtype = ref_out_type (s)->dtype;
  int64_t sum = 0;

  for (int64_t i = 0; i < a->axis.size; i++) {
    int64_t here = at + (a->reverse ? a->axis.size - 1 - i : i) * a->axis.inner;
    int64_t x, before = sum;
    ref_load_int (dtype, ref_in (s, 0), here, 1, &x);
    sum = (int64_t)((uint64_t)sum + (uint64_t)x);
    ref_store_int (dtype, ref_out (s, 0), here, 1, a->exclusive ? &before : &sum);
  }
}

static void
run_cumsum (const ref_step *s)
{
  const kit_axis *axis = &((const cumsum_args *)s->args)->axis;

  for (int64_t o = 0; o < axis->outer; o++)
    for (int64_t i = 0; i < axis->inner; i++) {
      int64_t at = o * axis->size * axis->inner + i;
      if (lam_dtype_is_float (ref_out_type (s)->dtype))
        sum_floats (s, at);
      else
        sum_ints (s, at);
    }
}

lam_status
ref_prepare_cumsum (ref_step *s, const lam_function *f, const lam_equation *e)
{
  cumsum_args *a;

  if (e->op != LAM_OP_cumsum)
    return LAM_E_UNSUPPORTED;
  a = calloc (1, sizeof *a);
  if (a == NULL)
    return LAM_E_NO_MEMORY;
  s->args = a;
  s->run = run_cumsum;
  a->reverse = lam_attr_int (f, e, "reverse", 0) != 0;
  a->exclusive = lam_attr_int (f, e, "exclusive", 0) != 0;
  kit_split_axis (ref_in_type (s, 0), lam_attr_int (f, e, "dimension", 0), &a->axis);
  return LAM_OK;
}
