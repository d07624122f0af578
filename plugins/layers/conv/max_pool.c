/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.max_pool: the largest element of each window. Semantics: praxis.layers.Pooling, MAX. */
#include <lamina/layer.h>
#include <string.h>

typedef struct {
  lam_ints window_shape, window_stride;
  const char *padding;
} max_pool;

LAM_FIELDS (max_pool, LAM_INTS (window_shape, "[2, 2]", "Window over [height, width]."),
            LAM_MIN (1),
            LAM_INTS (window_stride, "[]", "Stride over [height, width]; []: the window's shape."),
            LAM_MIN (1),
            LAM_STRING (padding, "SAME",
                        "SAME: ceil (size / stride) windows, padding never wins; "
                        "VALID: whole windows only."),
            LAM_CHOICES ("SAME VALID"))

static void
max_pool_setup (max_pool *p, lam_setup *s)
{
  if (p->window_stride.n == 0)
    p->window_stride = p->window_shape;
  if (p->window_shape.n != 2 || p->window_stride.n != 2)
    lam_setup_fail (s, "max_pool wants window_shape and window_stride as [height, width]");
}

/* x: (B, H, W, C) -> (B, H', W', C) */
static lam_tensor
max_pool_fprop (const max_pool *p, lam_trace *t, lam_tensor x)
{
  lam_type type = lam_type_of (t, x);
  lam_window window = lam_window_make (4);
  if (!lam_check_shape (t, "max_pool input (B, H, W, C)", x, LAM_SHAPE (-1, -1, -1, -1)))
    return lam_nil ();
  for (int i = 0; i < 2; i++) {
    int64_t size = type.dims[1 + i], stride = p->window_stride.p[i], k = p->window_shape.p[i];
    int64_t pad = ((size + stride - 1) / stride - 1) * stride + k - size;
    window.size[1 + i] = k;
    window.strides[1 + i] = stride;
    if (strcmp (p->padding, "SAME") == 0 && pad > 0) {
      window.padding[2 * (1 + i)] = pad / 2;
      window.padding[2 * (1 + i) + 1] = pad - pad / 2;
    }
  }
  return lam_reduce_window (t, x, "maximum", &window);
}

LAM_LAYER (max_pool, "lamina.max_pool", 1, "The largest element of each 2-D window.")
