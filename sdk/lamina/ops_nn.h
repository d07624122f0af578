/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ops_nn.h
 * Functions with a name above the core. Each is a composite "lamina.<name>", version 1: a backend
 * may claim it whole, any other runs the decomposition recorded here. Included by ops.h.
 */
#ifndef LAMINA_OPS_NN_H
#define LAMINA_OPS_NN_H

#include <lamina/ops_reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opens a composite; its results leave by lam_composite_end. attributes: JSON text or NULL. */
static inline void
lam_composite_begin (lam_trace *t, const char *name, int64_t version, const char *attributes)
{
  t->api->composite_begin (t, name, version, attributes);
}

/** Closes a composite of one result. */
static inline lam_tensor
lam_composite_end (lam_trace *t, lam_tensor result)
{
  lam_tensor out = lam_nil ();
  t->api->composite_end (t, &result, 1, &out);
  return out;
}

/* Opens a composite whose one attribute is the axis, counted from the front. */
static inline void
lam_composite_axis_ (lam_trace *t, const char *name, int32_t axis)
{
  char text[40], number[24];
  const char *p, *prefix = "{\"axis\":";
  uint32_t n = 0;
  for (p = prefix; *p != '\0'; p++)
    text[n++] = *p;
  for (p = lam_format_int (number, axis); *p != '\0'; p++)
    text[n++] = *p;
  text[n++] = '}';
  text[n] = '\0';
  lam_composite_begin (t, name, 1, text);
}

/** relu: x where x > 0, else 0; gradient 0 at 0; NaN passes. Not a composite: one select. */
static inline lam_tensor
lam_relu (lam_trace *t, lam_tensor x)
{
  lam_tensor zero = lam_zeros_like (t, x);
  return lam_where (t, lam_le (t, x, zero), zero, x);
}

/** x where i == label along a new last axis of n: 1, else 0. labels: any integers. */
static inline lam_tensor
lam_one_hot (lam_trace *t, lam_tensor labels, int64_t n, lam_dtype dtype)
{
  lam_shape shape = lam_shape_of (t, labels);
  lam_tensor classes, wanted;
  if (shape.rank >= LAM_MAX_RANK)
    return lam_nil ();
  if (lam_dtype_bits (lam_dtype_of (t, labels)) < 32) /* n may not fit */
    labels = lam_cast (t, labels, LAM_I32);
  wanted = lam_expand_dims (t, labels, -1);
  shape.dims[shape.rank++] = n;
  classes = lam_iota (t, lam_dtype_of (t, labels), shape, -1);
  return lam_cast (t, lam_eq (t, classes, wanted), dtype);
}

/** exp (x) / sum (exp (x)) along axis. */
static inline lam_tensor
lam_softmax (lam_trace *t, lam_tensor x, int32_t axis)
{
  lam_tensor e;
  axis = lam_axis (t, axis, lam_rank_of (t, x));
  lam_composite_axis_ (t, "lamina.softmax", axis);
  e = lam_sub (t, x, lam_stop_gradient (t, lam_max_over (t, x, LAM_AXES (axis), true)));
  e = lam_exp (t, e);
  return lam_composite_end (t, lam_div (t, e, lam_sum (t, e, LAM_AXES (axis), true)));
}

/** x - log (sum (exp (x))) along axis. */
static inline lam_tensor
lam_log_softmax (lam_trace *t, lam_tensor x, int32_t axis)
{
  lam_tensor z, total;
  axis = lam_axis (t, axis, lam_rank_of (t, x));
  lam_composite_axis_ (t, "lamina.log_softmax", axis);
  z = lam_sub (t, x, lam_stop_gradient (t, lam_max_over (t, x, LAM_AXES (axis), true)));
  total = lam_log (t, lam_sum (t, lam_exp (t, z), LAM_AXES (axis), true));
  return lam_composite_end (t, lam_sub (t, z, total));
}

/** log (sum (exp (x))) along axis, which is removed; -inf where all are -inf. */
static inline lam_tensor
lam_logsumexp (lam_trace *t, lam_tensor x, int32_t axis)
{
  lam_tensor m, sum;
  axis = lam_axis (t, axis, lam_rank_of (t, x));
  lam_composite_axis_ (t, "lamina.logsumexp", axis);
  m = lam_max_over (t, x, LAM_AXES (axis), true);
  m = lam_stop_gradient (t, lam_where (t, lam_is_finite (t, m), m, lam_zeros_like (t, m)));
  sum = lam_sum (t, lam_exp (t, lam_sub (t, x, m)), LAM_AXES (axis), false);
  m = lam_squeeze (t, m, LAM_AXES (axis));
  return lam_composite_end (t, lam_add (t, lam_log (t, sum), m));
}

/** x * Phi (x) by erf, or its tanh approximation (Hendrycks, Gimpel: "Gaussian Error Linear Units"). */
static inline lam_tensor
lam_gelu (lam_trace *t, lam_tensor x, bool approximate)
{
  lam_tensor half, inner;
  lam_composite_begin (t, "lamina.gelu", 1,
                       approximate ? "{\"approximate\":true}" : "{\"approximate\":false}");
  half = lam_mul_scalar (t, x, 0.5);
  if (approximate) {
    inner = lam_mul_scalar (t, lam_mul (t, x, lam_square (t, x)), 0.044715);
    inner = lam_mul_scalar (t, lam_add (t, x, inner), 0.79788456080286535588); /* sqrt (2 / pi) */
    inner = lam_tanh (t, inner);
  } else
    inner = lam_erf (t, lam_mul_scalar (t, x, 0.70710678118654752440)); /* sqrt (1 / 2) */
  return lam_composite_end (t, lam_mul (t, half, lam_add_scalar (t, inner, 1)));
}

/** x / (1 + e^-x). */
static inline lam_tensor
lam_silu (lam_trace *t, lam_tensor x)
{
  lam_composite_begin (t, "lamina.silu", 1, NULL);
  return lam_composite_end (t, lam_mul (t, x, lam_sigmoid (t, x)));
}

/**
 * log (1 + e^x). For m = max (x, 0), held constant, it is m + log (e^(x - m) + e^-m), whose derivatives of
 * every order are right, also at 0; one of the two terms is 1. From 64 on it is x in every dtype.
 */
static inline lam_tensor
lam_softplus (lam_trace *t, lam_tensor x)
{
  lam_tensor large, m, s, a, b, zero, one;
  lam_composite_begin (t, "lamina.softplus", 1, NULL);
  zero = lam_zeros_like (t, x);
  one = lam_full_like (t, x, 1);
  large = lam_gt (t, x, lam_full_like (t, x, 64));
  s = lam_where (t, large, zero, x);
  m = lam_stop_gradient (t, lam_max (t, s, zero));
  a = lam_exp (t, lam_sub (t, s, m));
  b = lam_exp (t, lam_neg (t, m));
  a = lam_where (t, lam_gt (t, s, zero), lam_add (t, lam_sub (t, a, one), b),
                 lam_add (t, lam_sub (t, b, one), a));
  return lam_composite_end (t, lam_where (t, large, x, lam_add (t, m, lam_log1p (t, a))));
}

/** (x - mean) / sqrt (variance + epsilon) of the last axis, times scale plus bias (each (D) or nil). */
static inline lam_tensor
lam_layer_norm (lam_trace *t, lam_tensor x, lam_tensor scale, lam_tensor bias, double epsilon)
{
  lam_tensor centred, variance, y;
  lam_composite_begin (t, "lamina.layer_norm", 1, NULL);
  centred = lam_sub (t, x, lam_mean (t, x, LAM_AXES (-1), true));
  variance = lam_mean (t, lam_square (t, centred), LAM_AXES (-1), true);
  y = lam_mul (t, centred, lam_rsqrt (t, lam_add_scalar (t, variance, epsilon)));
  y = lam_is_nil (scale) ? y : lam_mul (t, y, scale);
  y = lam_is_nil (bias) ? y : lam_add (t, y, bias);
  return lam_composite_end (t, y);
}

/** -sum (probabilities * log_softmax (logits)) of the last axis: (..., V), (..., V) -> (...). A class
 * of probability 0 counts nothing, whatever its logit. */
static inline lam_tensor
lam_softmax_cross_entropy (lam_trace *t, lam_tensor logits, lam_tensor probabilities)
{
  lam_tensor terms, zero; /* (..., V) */
  lam_composite_begin (t, "lamina.softmax_cross_entropy", 1, NULL);
  terms = lam_mul (t, lam_log_softmax (t, logits, -1), probabilities);
  zero = lam_zeros_like (t, terms);
  terms = lam_where (t, lam_eq (t, probabilities, zero), zero, terms);
  return lam_composite_end (t, lam_neg (t, lam_sum (t, terms, LAM_AXES (-1), false)));
}

#ifdef __cplusplus
}
#endif
#endif
