/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.dropout: x * mask / keep, mask = floor (keep + U), all in x's dtype. Semantics and names:
 * praxis.layers.Dropout. */
#include <lamina/layer.h>

typedef struct {
  double keep_prob;
  lam_ints noise_shape, noise_shape_broadcast_dims;
  bool dropout_at_eval, transpose_qk;
} dropout;

LAM_FIELDS (dropout, LAM_FLOAT (keep_prob, 1.0, "Probability to keep an element, in (0, 1]."),
            LAM_MIN (0), LAM_MAX (1),
            LAM_INTS (noise_shape, "[]", "Shape of the mask, which is broadcast; []: x's shape."),
            LAM_MIN (1),
            LAM_INTS (noise_shape_broadcast_dims, "[]",
                      "Axes along which the mask repeats; negative ones count from the end."),
            LAM_BOOL (dropout_at_eval, false, "Whether to drop in evaluation too."),
            LAM_BOOL (transpose_qk, false,
                      "Whether a mask (B, N, T, T) is drawn with its last two axes swapped."))

static void
dropout_setup (dropout *p, lam_setup *s)
{
  if (!(p->keep_prob > 0))
    lam_setup_fail (s, "keep_prob wants a number in (0, 1]: with 0 nothing would be left");
  if (p->noise_shape.n > LAM_MAX_RANK)
    lam_setup_fail (s, "noise_shape has more than 8 axes");
}

/* Shape of the mask; rank -1 and an error if it does not stretch to x. */
static lam_shape
mask_shape (const dropout *p, lam_trace *t, lam_tensor x)
{
  lam_shape whole = lam_shape_of (t, x), shape = whole;
  bool fits = true;
  if (p->noise_shape.n > 0)
    shape.rank = (int32_t)p->noise_shape.n;
  for (uint64_t i = 0; i < p->noise_shape.n; i++)
    shape.dims[i] = p->noise_shape.p[i];
  for (uint64_t i = 0; i < p->noise_shape_broadcast_dims.n; i++) {
    int32_t axis = lam_axis (t, p->noise_shape_broadcast_dims.p[i], shape.rank);
    if (axis >= 0)
      shape.dims[axis] = 1;
  }
  for (int32_t i = 1; i <= shape.rank && fits; i++)
    fits = i <= whole.rank
           && (shape.dims[shape.rank - i] == 1
               || shape.dims[shape.rank - i] == whole.dims[whole.rank - i]);
  if (!fits)
    t->api->fail_shape (t, "dropout: input, to which noise_shape must stretch", &shape, x);
  shape.rank = fits ? shape.rank : -1;
  return shape;
}

/* x: any shape -> the same shape */
static lam_tensor
dropout_fprop (const dropout *p, lam_trace *t, lam_tensor x)
{
  lam_tensor u, mask;
  lam_shape shape;
  if (p->keep_prob == 1 || (lam_do_eval (t) && !p->dropout_at_eval))
    return x;
  shape = mask_shape (p, t, x);
  if (shape.rank < 0)
    return lam_nil ();
  u = lam_uniform (t, lam_next_key (t), shape, lam_dtype_of (t, x));
  if (p->transpose_qk && shape.rank == 4 && shape.dims[2] == shape.dims[3])
    u = lam_transpose (t, u, LAM_AXES (0, 1, 3, 2));
  mask = lam_floor (t, lam_add_scalar (t, u, p->keep_prob));
  return lam_div_scalar (t, lam_mul (t, x, mask), p->keep_prob);
}

LAM_LAYER (dropout, "lamina.dropout", 1, "Zeroes random elements and scales the others up.")
