/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.stacking_over_time: each time step gets the features of its neighbours, and only every stride-th
 * step stays. Semantics and names: praxis.layers.StackingOverTime. */
#include <lamina/layer.h>
#include <string.h>

#define MAX_WINDOW 256

typedef struct {
  int64_t left_context, right_context, stride;
  bool pad_with_left_frame, pad_with_right_frame;
  const char *padding_reduce_option;
} stacking_over_time;

LAM_FIELDS (stacking_over_time, LAM_INT (left_context, 0, "Earlier steps to stack."), LAM_MIN (0),
            LAM_MAX (MAX_WINDOW), LAM_INT (right_context, 0, "Later steps to stack."), LAM_MIN (0),
            LAM_MAX (MAX_WINDOW), LAM_INT (stride, 0, "Steps from one result to the next."),
            LAM_REQUIRED, LAM_MIN (1),
            LAM_BOOL (pad_with_left_frame, false,
                      "Whether the first step repeats before the start "
                      "in place of zeros."),
            LAM_BOOL (pad_with_right_frame, false,
                      "Whether the last step repeats after the end in "
                      "place of zeros."),
            LAM_STRING (padding_reduce_option, "reduce_min",
                        "A window is padding if all (reduce_min) or one (reduce_max) of its steps "
                        "are."),
            LAM_CHOICES ("reduce_min reduce_max"))

static int64_t
window_of (const stacking_over_time *p)
{
  return p->left_context + p->right_context + 1;
}

static void
stacking_over_time_setup (stacking_over_time *p, lam_setup *s)
{
  if (window_of (p) > MAX_WINDOW)
    lam_setup_fail (s, "left_context + right_context + 1 wants at most 256 steps");
}

/* n steps that all equal step `at` of x (B, T, D), or hold `value` -> (B, n, D) */
static lam_tensor
end_of (lam_trace *t, lam_tensor x, int64_t at, int64_t n, const double *value)
{
  lam_shape shape = lam_shape_of (t, x);
  shape.dims[1] = n;
  if (value != NULL)
    return lam_full (t, lam_dtype_of (t, x), shape, *value);
  return lam_broadcast_to (t, lam_slice_axis (t, x, 1, at, at + 1), shape);
}

/* x: (B, T, D) -> (B, left + T + right, D) */
static lam_tensor
pad_ends (const stacking_over_time *p, lam_trace *t, lam_tensor x, double value)
{
  int64_t steps = lam_shape_of (t, x).dims[1];
  lam_tensor parts[3];
  uint32_t n = 0;
  if (p->left_context > 0)
    parts[n++] = end_of (t, x, 0, p->left_context, p->pad_with_left_frame ? NULL : &value);
  parts[n++] = x;
  if (p->right_context > 0)
    parts[n++] =
        end_of (t, x, steps - 1, p->right_context, p->pad_with_right_frame ? NULL : &value);
  return n > 1 ? lam_concat (t, parts, n, 1) : x;
}

/* x: (B, T, D) -> (B, ceil (T / stride), window * D) */
static lam_tensor
stack (const stacking_over_time *p, lam_trace *t, lam_tensor x, double padding)
{
  lam_shape shape = lam_shape_of (t, x);
  lam_tensor pieces[MAX_WINDOW], padded = pad_ends (p, t, x, padding);
  int64_t window = window_of (p);
  for (int64_t i = 0; i < window; i++)
    pieces[i] = lam_slice_strided (t, padded, LAM_AXES (0, i, 0),
                                   LAM_AXES (shape.dims[0], i + shape.dims[1], shape.dims[2]),
                                   LAM_AXES (1, p->stride, 1));
  return window > 1 ? lam_concat (t, pieces, (uint32_t)window, 2) : pieces[0];
}

/*
 * in: inputs (B, T, D), or {inputs, paddings (B, T, 1)}. Gives (B, ceil (T / stride), window * D), or
 * {inputs, paddings} with paddings (B, ceil (T / stride), 1).
 */
static lam_nest
stacking_over_time_fprop (const stacking_over_time *p, lam_trace *t, lam_nest in)
{
  bool map = t->api->nest_kind (t, in) == LAM_NEST_MAP;
  lam_tensor x = map ? lam_nest_get_tensor (t, in, "inputs") : lam_nest_tensor (t, in), pad;
  lam_nest out = lam_nest_map (t);
  if (!lam_check_shape (t, "stacking_over_time: inputs (B, T, D)", x, LAM_SHAPE (-1, -1, -1)))
    return out;
  if (!map || !lam_nest_has (t, in, "paddings"))
    return lam_nest_of (t, stack (p, t, x, 0));
  lam_shape shape = lam_shape_of (t, x);
  pad = lam_nest_get_tensor (t, in, "paddings");
  if (!lam_check_shape (t, "stacking_over_time: paddings (B, T, 1)", pad,
                        LAM_SHAPE (shape.dims[0], shape.dims[1], 1)))
    return out;
  pad = stack (p, t, pad, 1); /* (B, ceil (T / stride), window) */
  pad = strcmp (p->padding_reduce_option, "reduce_min") == 0
            ? lam_min_over (t, pad, LAM_AXES (2), true)
            : lam_max_over (t, pad, LAM_AXES (2), true);
  lam_nest_set_tensor (t, out, "inputs", stack (p, t, x, 0));
  lam_nest_set_tensor (t, out, "paddings", pad);
  return out;
}

/* i32 (n): for each step of the result, its place among the steps of all windows. */
static lam_tensor
places (const stacking_over_time *p, lam_trace *t, int64_t windows)
{
  int64_t n = (windows - 1) * p->stride + p->right_context + 1;
  lam_tensor k = lam_iota (t, LAM_I32, LAM_SHAPE (n), 0), window, step, next;
  lam_tensor stride = lam_scalar_like (t, k, (double)p->stride);
  window = lam_min_scalar (t, lam_div (t, k, stride), (double)(windows - 1));
  step = lam_sub (t, k, lam_mul (t, window, stride));
  next = lam_and (t, lam_gt (t, step, lam_scalar_like (t, k, (double)p->right_context)),
                  lam_lt (t, window, lam_scalar_like (t, k, (double)(windows - 1))));
  next = lam_cast (t, next, LAM_I32); /* 1: only the following window has the step */
  window = lam_add (t, window, next);
  step = lam_sub (t, step, lam_mul (t, next, stride));
  step = lam_add_scalar (t, step, (double)p->left_context);
  return lam_add (t, lam_mul_scalar (t, window, (double)window_of (p)), step);
}

/* What fprop gave, (B, L, window * D) -> (B, (L - 1) * stride + right_context + 1, D): its input, up to
 * steps after the last window and padding. */
static lam_tensor
stacking_over_time_unstack (const stacking_over_time *p, lam_trace *t, lam_tensor x)
{
  lam_shape shape = lam_shape_of (t, x);
  int64_t window = window_of (p);
  if (!lam_check_shape (t, "stacking_over_time: unstack (B, L, D)", x, LAM_SHAPE (-1, -1, -1)))
    return x;
  if (p->stride > window || shape.dims[1] < 1 || shape.dims[2] % window != 0) {
    lam_fail (
        t, "stacking_over_time: unstack wants stride <= left_context + 1 + right_context, a step, "
           "and a depth that this window divides");
    return lam_nil ();
  }
  x = lam_reshape (t, x, LAM_SHAPE (shape.dims[0], shape.dims[1] * window, -1));
  return lam_take (t, x, places (p, t, shape.dims[1]), 1);
}

LAM_METHODS (stacking_over_time,
             LAM_METHOD (stacking_over_time, fprop) LAM_METHOD_TENSOR (stacking_over_time, unstack),
             LAM_USE (stacking_over_time, fprop), LAM_USE (stacking_over_time, unstack))
LAM_LAYER_METHODS (stacking_over_time, "lamina.stacking_over_time", 1,
                   "Stacks the features of neighbouring time steps.")
