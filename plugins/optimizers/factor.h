/* SPDX-License-Identifier: Apache-2.0 */
/* Factored second moments (Adafactor): of a matrix g only the means of g^2 over rows and over
 * columns are kept. Slots 0 and 1 are the two means, or slot 0 the whole moment. */
#ifndef LAMINA_PLUGINS_OPTIMIZERS_FACTOR_H
#define LAMINA_PLUGINS_OPTIMIZERS_FACTOR_H

#include "optimizers.h"

/* Dims of the variable: the row mean reduces over `row`, the column mean over `column`. */
typedef struct factor_axes {
  int32_t row, column;
} factor_axes;

/* Where `column` is once `row` is gone. */
static inline int32_t
axes_after (const factor_axes *axes)
{
  return axes->column > axes->row ? axes->column - 1 : axes->column;
}

/* f32 stands for "as precise as the variable". */
static inline lam_dtype
unquantised (lam_dtype asked, lam_dtype var)
{
  return asked == LAM_F32 && var == LAM_F64 ? LAM_F64 : asked;
}

static inline lam_type
without_axis (const lam_type *type, int32_t axis)
{
  lam_type less = *type;
  less.rank--;
  for (int32_t i = axis; i < less.rank; i++)
    less.dims[i] = type->dims[i + 1];
  less.dims[less.rank] = 0;
  return less;
}

/* A slot of any type; an old host has no such slots. */
static inline void
add_slot (lam_slots *s, const char *name, const lam_type *type, double start)
{
  if (LAM_HAS (s, lam_slots, add_spec))
    s->add_spec (s, name, type, start);
  else
    s->add (s, NULL, LAM_DTYPE_NONE, 0); /* refused with the optimizer's name */
}

/* The slots of the second moment; names: of the row mean, the column mean, the whole. */
static inline void
add_factor_slots (lam_slots *s, const lam_type *var, lam_dtype dtype, const factor_axes *axes,
                  const char *const names[3])
{
  lam_type whole = *var, row, column;
  whole.dtype = dtype;
  if (axes == NULL) {
    add_slot (s, names[2], &whole, 0);
    return;
  }
  row = without_axis (&whole, axes->row);
  column = without_axis (&whole, axes->column);
  add_slot (s, names[0], &row, 0);
  add_slot (s, names[1], &column, 0);
}

/* g / sqrt (r c / mean (r)), r and c the decayed means of square; over: the dim of r of its mean */
static inline lam_tensor
factored_step (lam_trace *t, const lam_update *u, lam_tensor square, decay_pair decay,
               const factor_axes *axes, int32_t over)
{
  lam_tensor r = lam_mean (t, square, LAM_AXES (axes->row), false);    /* without row */
  lam_tensor c = lam_mean (t, square, LAM_AXES (axes->column), false); /* without column */
  r = average_by (t, decay, u->slots[0], r);
  c = average_by (t, decay, u->slots[1], c);
  u->new_slots[0] = r;
  u->new_slots[1] = c;
  r = lam_div (t, r, lam_mean (t, r, LAM_AXES (over), true));
  r = lam_expand_dims (t, lam_div (t, lam_scalar_like (t, r, 1), lam_sqrt (t, r)), axes->row);
  c = lam_expand_dims (t, lam_div (t, lam_scalar_like (t, c, 1), lam_sqrt (t, c)), axes->column);
  lam_tensor grad = lam_cast (t, u->grad, lam_dtype_of (t, r));
  return lam_mul (t, lam_mul (t, grad, r), c);
}

/* g / sqrt (v), v the decayed mean of square */
static inline lam_tensor
unfactored_step (lam_trace *t, const lam_update *u, lam_tensor square, decay_pair decay)
{
  lam_tensor v = average_by (t, decay, u->slots[0], square);
  u->new_slots[0] = v;
  return lam_div (t, lam_cast (t, u->grad, lam_dtype_of (t, v)), lam_sqrt (t, v));
}

#endif
