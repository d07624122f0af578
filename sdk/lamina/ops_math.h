/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ops_math.h
 * Elementwise functions. Those of two operands broadcast as numpy does; both must have one dtype
 * (lam_cast). The exact meaning of each op is its row in ops.def. Included by ops.h.
 */
#ifndef LAMINA_OPS_MATH_H
#define LAMINA_OPS_MATH_H

#include <lamina/ops_base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
#define LAM_UNARY_(function, op)                                                                   \
  static inline lam_tensor function (lam_trace *t, lam_tensor x)                                   \
  {                                                                                                \
    return lam_record_unary (t, LAM_OP_##op, x, NULL, 0);                                          \
  }
#define LAM_BINARY_(function, op)                                                                  \
  static inline lam_tensor function (lam_trace *t, lam_tensor a, lam_tensor b)                     \
  {                                                                                                \
    return lam_record_binary (t, LAM_OP_##op, a, b, NULL);                                         \
  }
#define LAM_SCALAR_(function, base)                                                                \
  static inline lam_tensor function (lam_trace *t, lam_tensor x, double v)                         \
  {                                                                                                \
    return base (t, x, lam_scalar_like (t, x, v));                                                 \
  }
#define LAM_COMPARE_(function, direction)                                                          \
  static inline lam_tensor function (lam_trace *t, lam_tensor a, lam_tensor b)                     \
  {                                                                                                \
    lam_attr attr = lam_attr_of_str ("comparison_direction", direction);                           \
    return lam_record_binary (t, LAM_OP_compare, a, b, &attr);                                     \
  }

/** @name Two operands */
/**@{*/
/** a + b; bool: or. */
LAM_BINARY_ (lam_add, add)
/** a - b; numbers. */
LAM_BINARY_ (lam_sub, subtract)
/** a * b; bool: and. */
LAM_BINARY_ (lam_mul, multiply)
/** a / b; integers truncate, x / 0 = -1 (all bits set). */
LAM_BINARY_ (lam_div, divide)
/** a - trunc (a / b) * b, with the sign of a; integers: x rem 0 = x. */
LAM_BINARY_ (lam_rem, remainder)
/** a to the power b; floats. */
LAM_BINARY_ (lam_pow, power)
/** The larger; NaN if either is NaN; ties split the gradient. */
LAM_BINARY_ (lam_max, maximum)
/** The smaller; NaN if either is NaN; ties split the gradient. */
LAM_BINARY_ (lam_min, minimum)
/** Angle of the point (b, a) in radians, in [-pi, pi]; floats. */
LAM_BINARY_ (lam_atan2, atan2)
/** Bitwise and; integers and bool. */
LAM_BINARY_ (lam_and, and)
/** Bitwise or; integers and bool. */
LAM_BINARY_ (lam_or, or)
/** Bitwise exclusive or; integers and bool. */
LAM_BINARY_ (lam_xor, xor)
/** a << b, 0 for b >= width; integers. */
LAM_BINARY_ (lam_shift_left, shift_left)
/** a >> b with zeros coming in, 0 for b >= width; integers. */
LAM_BINARY_ (lam_shift_right_logical, shift_right_logical)
/** a >> b with copies of the sign bit coming in (zeros if unsigned); integers. */
LAM_BINARY_ (lam_shift_right_arithmetic, shift_right_arithmetic)
/**@}*/

/** @name A tensor and a number, rounded to the tensor's dtype */
/**@{*/
/** x + v. */
LAM_SCALAR_ (lam_add_scalar, lam_add)
/** x - v. */
LAM_SCALAR_ (lam_sub_scalar, lam_sub)
/** x * v. */
LAM_SCALAR_ (lam_mul_scalar, lam_mul)
/** x / v: divides, does not multiply by 1 / v. */
LAM_SCALAR_ (lam_div_scalar, lam_div)
/** x to the power v; floats. */
LAM_SCALAR_ (lam_pow_scalar, lam_pow)
/** maximum (x, v). */
LAM_SCALAR_ (lam_max_scalar, lam_max)
/** minimum (x, v). */
LAM_SCALAR_ (lam_min_scalar, lam_min)
/**@}*/

/** @name Comparisons; the result is bool */
/**@{*/
/** a == b; false for NaN. */
LAM_COMPARE_ (lam_eq, "EQ")
/** a != b; true for NaN. */
LAM_COMPARE_ (lam_ne, "NE")
/** a < b; false for NaN. */
LAM_COMPARE_ (lam_lt, "LT")
/** a <= b; false for NaN. */
LAM_COMPARE_ (lam_le, "LE")
/** a > b; false for NaN. */
LAM_COMPARE_ (lam_gt, "GT")
/** a >= b; false for NaN. */
LAM_COMPARE_ (lam_ge, "GE")
/**@}*/

/** @name One operand */
/**@{*/
/** -x; integers wrap. */
LAM_UNARY_ (lam_neg, negate)
/** |x|; floats and signed integers; gradient 1 at 0. */
LAM_UNARY_ (lam_abs, abs)
/** -1, 0 or 1; floats keep -0, +0 and NaN; no gradient. */
LAM_UNARY_ (lam_sign, sign)
/** Largest whole number not above x; no gradient. */
LAM_UNARY_ (lam_floor, floor)
/** Smallest whole number not below x; no gradient. */
LAM_UNARY_ (lam_ceil, ceil)
/** Nearest whole number, halves to even; no gradient. */
LAM_UNARY_ (lam_round, round_nearest_even)
/** e^x. */
LAM_UNARY_ (lam_exp, exponential)
/** e^x - 1, exact near 0. */
LAM_UNARY_ (lam_expm1, exponential_minus_one)
/** Natural logarithm; -inf at 0, NaN below. */
LAM_UNARY_ (lam_log, log)
/** log (1 + x), exact near 0; -inf at -1. */
LAM_UNARY_ (lam_log1p, log_plus_one)
/** Square root; NaN below 0; gradient infinite at 0. */
LAM_UNARY_ (lam_sqrt, sqrt)
/** 1 / sqrt (x); inf at 0. */
LAM_UNARY_ (lam_rsqrt, rsqrt)
/** Cube root, of negative numbers too. */
LAM_UNARY_ (lam_cbrt, cbrt)
/** Sine of x in radians. */
LAM_UNARY_ (lam_sin, sine)
/** Cosine of x in radians. */
LAM_UNARY_ (lam_cos, cosine)
/** Tangent of x in radians. */
LAM_UNARY_ (lam_tan, tan)
/** Hyperbolic tangent. */
LAM_UNARY_ (lam_tanh, tanh)
/** 1 / (1 + e^-x), the op logistic. */
LAM_UNARY_ (lam_sigmoid, logistic)
/** Error function, 2 / sqrt (pi) times the integral of e^(-u^2) from 0 to x. */
LAM_UNARY_ (lam_erf, erf)
/** Inverse of erf; +-inf at +-1, NaN outside. */
LAM_UNARY_ (lam_erf_inv, erf_inv)
/** bool: neither infinite nor NaN. */
LAM_UNARY_ (lam_is_finite, is_finite)
/** Bitwise complement; bool: logical not. */
LAM_UNARY_ (lam_not, not)
/** Number of one bits, in the dtype of x; integers. */
LAM_UNARY_ (lam_population_count, population_count)
/** The operand; its gradient is zero. */
LAM_UNARY_ (lam_stop_gradient, stop_gradient)
/**@}*/
/* clang-format on */

#undef LAM_UNARY_
#undef LAM_BINARY_
#undef LAM_SCALAR_
#undef LAM_COMPARE_

/** x * x. */
static inline lam_tensor
lam_square (lam_trace *t, lam_tensor x)
{
  return lam_mul (t, x, x);
}

/** yes where condition (bool) is true, else no; all three broadcast. */
static inline lam_tensor
lam_where (lam_trace *t, lam_tensor condition, lam_tensor yes, lam_tensor no)
{
  lam_tensor operands[3];
  lam_shape shape;
  operands[0] = condition;
  operands[1] = yes;
  operands[2] = no;
  lam_op_call call = lam_op_call_make (LAM_OP_select, operands, 3);
  if (lam_broadcast_shape (lam_shape_of (t, yes), lam_shape_of (t, no), &shape)
      && lam_broadcast_shape (lam_shape_of (t, condition), shape, &shape)) {
    if (lam_rank_of (t, condition) != 0)
      operands[0] = lam_broadcast_to (t, condition, shape);
    operands[1] = lam_broadcast_to (t, yes, shape);
    operands[2] = lam_broadcast_to (t, no, shape);
  }
  return lam_record (t, &call);
}

/** minimum (maximum (x, low), high); at a bound the gradient is 0. low, high: scalars or as x. */
static inline lam_tensor
lam_clamp (lam_trace *t, lam_tensor low, lam_tensor x, lam_tensor high)
{
  lam_tensor operands[3];
  operands[0] = low;
  operands[1] = x;
  operands[2] = high;
  lam_op_call call = lam_op_call_make (LAM_OP_clamp, operands, 3);
  return lam_record (t, &call);
}

/** x limited to [low, high]. */
static inline lam_tensor
lam_clip (lam_trace *t, lam_tensor x, double low, double high)
{
  return lam_clamp (t, lam_scalar_like (t, x, low), x, lam_scalar_like (t, x, high));
}

/** x as another dtype; x itself if it has that dtype already. */
static inline lam_tensor
lam_cast (lam_trace *t, lam_tensor x, lam_dtype dtype)
{
  lam_type type = lam_type_of (t, x);
  lam_op_call call = lam_op_call_make (LAM_OP_convert, &x, 1);
  if (type.dtype == dtype)
    return x;
  type.dtype = dtype;
  call.type = &type;
  return lam_record (t, &call);
}

/** The bits of x read as another dtype of the same width. */
static inline lam_tensor
lam_bitcast (lam_trace *t, lam_tensor x, lam_dtype dtype)
{
  lam_type type = lam_type_of (t, x);
  lam_op_call call = lam_op_call_make (LAM_OP_bitcast_convert, &x, 1);
  type.dtype = dtype;
  call.type = &type;
  return lam_record (t, &call);
}

/** The operand, with a name that policies (which values to keep) refer to. */
static inline lam_tensor
lam_name (lam_trace *t, lam_tensor x, const char *name)
{
  lam_attr attr = lam_attr_of_str ("name", name);
  return lam_record_unary (t, LAM_OP_name, x, &attr, 1);
}

/** The operand; transforms do not look through. */
static inline lam_tensor
lam_optimization_barrier (lam_trace *t, lam_tensor x)
{
  return lam_record_unary (t, LAM_OP_optimization_barrier, x, NULL, 0);
}

/** One Threefry-2x32 block, elementwise: counters x0, x1 (u32) under key k0, k1 (u32), of one shape. */
static inline void
lam_threefry2x32 (lam_trace *t, const lam_tensor key[2], const lam_tensor x[2], lam_tensor out[2])
{
  lam_tensor operands[4];
  operands[0] = key[0];
  operands[1] = key[1];
  operands[2] = x[0];
  operands[3] = x[1];
  lam_op_call call = lam_op_call_make (LAM_OP_threefry2x32, operands, 4);
  out[0] = out[1] = lam_nil ();
  call.n_results = 2;
  call.results = out;
  t->api->op (t, &call);
}

#ifdef __cplusplus
}
#endif
#endif
