/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.flatten: all axes but the batch become one. */
#include <lamina/layer.h>

typedef struct {
  uint32_t unused;
} flatten;

LAM_NO_FIELDS (flatten)

static void
flatten_setup (flatten *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

/* x: (B, ...) -> (B, product of the others) */
static lam_tensor
flatten_fprop (const flatten *p, lam_trace *t, lam_tensor x)
{
  lam_shape shape = lam_shape_of (t, x), flat = LAM_SHAPE (shape.dims[0], 1);
  (void)p;
  if (shape.rank < 1) {
    lam_fail (t, "flatten wants a batch axis, got a scalar");
    return lam_nil ();
  }
  for (int32_t i = 1; i < shape.rank; i++)
    flat.dims[1] *= shape.dims[i];
  return lam_reshape (t, x, flat);
}

LAM_LAYER (flatten, "lamina.flatten", 1, "Makes one axis of all but the batch.")
