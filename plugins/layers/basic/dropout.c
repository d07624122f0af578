/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.dropout: x * mask / keep, mask = floor (keep + U). Semantics: praxis.layers.Dropout; U is
 * drawn in the model's real dtype, so that f64 models differ from f32 ones by rounding alone. */
#include <lamina/layer.h>

typedef struct {
  double keep_prob;
  lam_ints noise_shape, noise_shape_broadcast_dims;
  bool dropout_at_eval;
} dropout;

LAM_FIELDS (dropout, LAM_FLOAT (keep_prob, 1.0, "Probability to keep an element, in (0, 1]."),
            LAM_MIN (0), LAM_MAX (1),
            LAM_INTS (noise_shape, "[]", "Shape of the mask, which is broadcast; []: x's shape."),
            LAM_INTS (noise_shape_broadcast_dims, "[]",
                      "Axes along which the mask repeats; negative ones count from the end."),
            LAM_BOOL (dropout_at_eval, false, "Whether to drop in evaluation too."))

static void
dropout_setup (dropout *p, lam_setup *s)
{
  if (!(p->keep_prob > 0))
    lam_setup_fail (s, "keep_prob wants a number in (0, 1]: with 0 nothing would be left");
  if (p->noise_shape.n > LAM_MAX_RANK)
    lam_setup_fail (s, "noise_shape has more than 8 axes");
}

/* Shape of the mask. */
static lam_shape
mask_shape (const dropout *p, lam_trace *t, lam_tensor x)
{
  lam_shape shape = lam_shape_of (t, x);
  if (p->noise_shape.n > 0) {
    shape.rank = (int32_t)p->noise_shape.n;
    for (int32_t i = 0; i < shape.rank; i++)
      shape.dims[i] = p->noise_shape.p[i];
  }
  for (uint64_t i = 0; i < p->noise_shape_broadcast_dims.n; i++) {
    int32_t axis = lam_axis (t, p->noise_shape_broadcast_dims.p[i], shape.rank);
    if (axis >= 0)
      shape.dims[axis] = 1;
  }
  return shape;
}

/* x: any shape -> the same shape */
static lam_tensor
dropout_fprop (const dropout *p, lam_trace *t, lam_tensor x)
{
  lam_tensor u, mask;
  if (p->keep_prob == 1 || (lam_do_eval (t) && !p->dropout_at_eval))
    return x;
  u = lam_uniform (t, lam_next_key (t), mask_shape (p, t, x), lam_real_dtype (t));
  mask = lam_floor (t, lam_add_scalar (t, u, p->keep_prob));
  mask = lam_cast (t, mask, lam_dtype_of (t, x));
  return lam_div_scalar (t, lam_mul (t, x, mask), p->keep_prob);
}

LAM_LAYER (dropout, "lamina.dropout", 1, "Zeroes random elements and scales the others up.")
