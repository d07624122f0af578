/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.pooling, lamina.max_pool: the largest element or the mean of each window. Semantics and names:
 * praxis.layers.Pooling; max_pool is its MAX without paddings, with a name of its own. */
#include "pool.h"

typedef struct {
  lam_ints window_shape, window_stride;
  const char *pooling_type, *padding;
} pooling;

#define WINDOW_FIELDS                                                                              \
  LAM_INTS (window_shape, "[2, 2]", "Window over [height, width]."), LAM_MIN (1),                  \
      LAM_INTS (window_stride, "[]", "Stride over [height, width]; []: the window's shape."),      \
      LAM_MIN (1),                                                                                 \
      LAM_STRING (padding, "SAME",                                                                 \
                  "SAME: ceil (size / stride) windows, of which only real cells count; VALID: "    \
                  "whole windows only."),                                                          \
      LAM_CHOICES ("SAME VALID")

LAM_FIELDS (pooling, LAM_STRING (pooling_type, "MAX", "MAX or AVG."), LAM_CHOICES ("MAX AVG"),
            WINDOW_FIELDS)

static void
pooling_setup (pooling *p, lam_setup *s)
{
  if (p->window_stride.n == 0)
    p->window_stride = p->window_shape;
  if (p->window_shape.n != 2 || p->window_stride.n != 2)
    lam_setup_fail (s, "wanted window_shape and window_stride as [height, width]");
}

/* Windows over height and width of x (B, H, W, C); only_height: over height of (B, H). */
static lam_window
window_of (const pooling *p, lam_type type, bool only_height)
{
  lam_window window = lam_window_make (type.rank);
  for (int i = 0; i < (only_height ? 1 : 2); i++) {
    int64_t size = type.dims[1 + i], stride = p->window_stride.p[i], k = p->window_shape.p[i];
    int64_t pad = ((size + stride - 1) / stride - 1) * stride + k - size;
    window.size[1 + i] = k;
    window.strides[1 + i] = stride;
    if (strcmp (p->padding, "SAME") == 0 && pad > 0) {
      window.padding[2 * (1 + i)] = pad / 2;
      window.padding[2 * (1 + i) + 1] = pad - pad / 2;
    }
  }
  return window;
}

/* x reduced over the windows. */
static lam_tensor
reduce (const pooling *p, lam_trace *t, lam_tensor x, const char *computation)
{
  lam_type type = lam_type_of (t, x);
  lam_window window = window_of (p, type, type.rank == 2);
  return lam_reduce_window (t, x, computation, &window);
}

/* (B, H) -> (B, H, 1, 1) */
static lam_tensor
as_cells (lam_trace *t, lam_tensor x)
{
  return lam_expand_dims (t, lam_expand_dims (t, x, -1), -1);
}

/* Mean over the real cells of each window of x (B, H, W, C) -> (B, H', W', C). */
static lam_tensor
average (const pooling *p, lam_trace *t, lam_tensor x)
{
  lam_shape shape = lam_shape_of (t, x);
  lam_tensor cells; /* (1, H', W', 1) */
  shape.dims[0] = shape.dims[3] = 1;
  cells = reduce (p, t, lam_full (t, lam_dtype_of (t, x), shape, 1), "add");
  return lam_div (t, reduce (p, t, x, "add"), cells);
}

/* y (B, H', W', C), a mean over all cells, made one over rows that are not padded; 0 where all are. Values of
 * padded rows must be 0: they are in the sum. */
static lam_tensor
correct (const pooling *p, lam_trace *t, lam_tensor y, lam_tensor paddings)
{
  lam_shape shape = lam_shape_of (t, paddings);
  lam_tensor zero, one = lam_scalar_like (t, paddings, 1), rows, real, none; /* (B or 1, H') each */
  shape.dims[0] = 1;
  rows = reduce (p, t, lam_full (t, lam_dtype_of (t, paddings), shape, 1), "add");
  real = reduce (p, t, lam_sub (t, one, paddings), "add");
  zero = lam_zeros_like (t, real);
  none = lam_eq (t, real, zero);
  real = lam_where (t, none, lam_full_like (t, real, 1), real);
  rows = lam_where (t, none, zero, lam_div (t, rows, real));
  return lam_mul (t, y, as_cells (t, rows));
}

/* x (B, H, W, C), paddings (B, H) or nil -> (B, H', W', C); *paddings becomes (B, H') */
static lam_tensor
pool (const pooling *p, lam_trace *t, lam_tensor x, lam_tensor *paddings)
{
  bool padded = !lam_is_nil (*paddings), max = strcmp (p->pooling_type, "MAX") == 0;
  lam_tensor open; /* (B, H', 1, 1) */
  if (max && padded)
    x = pool_fill (t, x, as_cells (t, *paddings), pool_lowest (t, x));
  x = max ? reduce (p, t, x, "maximum") : average (p, t, x);
  if (!padded)
    return x;
  if (!max)
    x = correct (p, t, x, *paddings);
  if (p->window_stride.p[0] > 1 || strcmp (p->padding, "VALID") == 0)
    *paddings = reduce (p, t, *paddings, "maximum");
  /* By selection: the largest of padded cells is -inf. */
  open = lam_lt (t, as_cells (t, *paddings), lam_scalar_like (t, *paddings, 1));
  return lam_where (t, open, x, lam_zeros_like (t, x));
}

/* in: x (B, H, W, C), or {inputs: x, paddings: (B, H), 1 where padded} -> (B, H', W', C), or a map with both */
static lam_nest
pooling_fprop (const pooling *p, lam_trace *t, lam_nest in)
{
  bool map = t->api->nest_kind (t, in) == LAM_NEST_MAP;
  lam_tensor x = map ? lam_nest_get_tensor (t, in, "inputs") : lam_nest_tensor (t, in);
  lam_tensor paddings = lam_nil ();
  lam_type type = lam_type_of (t, x);
  lam_nest out = lam_nest_map (t);
  if (!lam_check_shape (t, "pooling input (B, H, W, C)", x, LAM_SHAPE (-1, -1, -1, -1)))
    return out;
  if (strcmp (p->pooling_type, "AVG") == 0 && !lam_dtype_is_float (type.dtype))
    lam_fail (t, "pooling AVG wants inputs of a float dtype; lam_cast them first");
  if (!map || !lam_nest_has (t, in, "paddings"))
    return lam_nest_of (t, pool (p, t, x, &paddings));
  paddings = lam_nest_get_tensor (t, in, "paddings");
  if (!lam_check_shape (t, "pooling paddings (B, H)", paddings,
                        LAM_SHAPE (type.dims[0], type.dims[1])))
    return out;
  if (lam_dtype_is_float (type.dtype))
    paddings = lam_cast (t, paddings, type.dtype);
  x = pool (p, t, x, &paddings);
  lam_nest_set_tensor (t, out, "inputs", x);
  lam_nest_set_tensor (t, out, "paddings", paddings);
  return out;
}

LAM_METHODS (pooling, LAM_METHOD (pooling, fprop), LAM_USE (pooling, fprop))
LAM_LAYER_METHODS (pooling, "lamina.pooling", 1,
                   "The largest element or the mean of each 2-D window.")

typedef pooling max_pool;

LAM_FIELDS (max_pool, WINDOW_FIELDS)

static void
max_pool_setup (max_pool *p, lam_setup *s)
{
  p->pooling_type = "MAX";
  pooling_setup (p, s);
}

/* x: (B, H, W, C) -> (B, H', W', C) */
static lam_tensor
max_pool_fprop (const max_pool *p, lam_trace *t, lam_tensor x)
{
  lam_tensor none = lam_nil ();
  if (!lam_check_shape (t, "max_pool input (B, H, W, C)", x, LAM_SHAPE (-1, -1, -1, -1)))
    return lam_nil ();
  return pool (p, t, x, &none);
}

LAM_LAYER (max_pool, "lamina.max_pool", 1, "The largest element of each 2-D window.")
