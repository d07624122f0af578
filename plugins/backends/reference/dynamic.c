/* SPDX-License-Identifier: Apache-2.0 */
/* dynamic_slice and dynamic_update_slice: starts are clamped so that the window fits. */
#include "reference.h"

#include <string.h>

/* Start of axis k (its operand is first + k) for a window of `size` elements. */
static int64_t
start_of (const ref_step *s, uint32_t first, int32_t k, int64_t size)
{
  const lam_type *type = ref_in_type (s, first + (uint32_t)k);
  int64_t limit = ref_in_type (s, 0)->dims[k] - size, start;

  ref_load_int (type->dtype, ref_in (s, first + (uint32_t)k), 0, 1, &start);
  if (type->dtype == LAM_U64 && start < 0) /* beyond every axis */
    return limit;
  if (start < 0)
    return 0;
  return start > limit ? limit : start;
}

/* Offset in operand 0 of element i of the window. */
static int64_t
operand_at (const int64_t *i, const int64_t *starts, const lam_type *operand)
{
  int64_t strides[LAM_MAX_RANK];

  kit_strides (operand->rank, operand->dims, strides);
  return kit_dot_index (operand->rank, i, strides) + kit_dot_index (operand->rank, starts, strides);
}

static void
run_dynamic (const ref_step *s)
{
  bool update = s->op == LAM_OP_dynamic_update_slice;
  const lam_type *x = ref_in_type (s, 0), *window = update ? ref_in_type (s, 1) : ref_out_type (s);
  size_t width = lam_dtype_bits (x->dtype) / 8, bytes = (size_t)lam_type_bytes (ref_out_type (s));
  int64_t i[LAM_MAX_RANK] = {0}, starts[LAM_MAX_RANK], at = 0;

  for (int32_t k = 0; k < x->rank; k++)
    starts[k] = start_of (s, update ? 2 : 1, k, window->dims[k]);
  if (update && bytes != 0)
    memmove (ref_out (s, 0), ref_in (s, 0), bytes);
  if (lam_type_elements (window) == 0)
    return;
  do {
    size_t in_operand = (size_t)operand_at (i, starts, x) * width, in_window = (size_t)at++ * width;
    if (update)
      memcpy ((char *)ref_out (s, 0) + in_operand, (const char *)ref_in (s, 1) + in_window, width);
    else
      memcpy ((char *)ref_out (s, 0) + in_window, (const char *)ref_in (s, 0) + in_operand, width);
  } while (kit_next (window->rank, window->dims, i));
}

lam_status
ref_prepare_dynamic (ref_step *s, const lam_function *f, const lam_equation *e)
{
  (void)f;
  if (e->op != LAM_OP_dynamic_slice && e->op != LAM_OP_dynamic_update_slice)
    return LAM_E_UNSUPPORTED;
  s->run = run_dynamic;
  return LAM_OK;
}
