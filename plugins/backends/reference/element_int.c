/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise ops of integers and bool: int64_t holds every element (u64 as its bits), storing truncates. */
#include "elementwise.h"

static int64_t
wrap (uint64_t x)
{
  return (int64_t)x;
}

/* The element's bits, zero-extended. */
static uint64_t
bits_of (lam_dtype dtype, int64_t x)
{
  return (uint64_t)x & UINT64_MAX >> (64 - lam_dtype_bits (dtype));
}

static int64_t
divide (lam_dtype dtype, int64_t a, int64_t b)
{
  if (b == 0)
    return -1; /* all bits set */
  if (!lam_dtype_is_signed (dtype))
    return wrap ((uint64_t)a / (uint64_t)b);
  return b == -1 ? wrap (0 - (uint64_t)a) : a / b; /* INT_MIN / -1 wraps to INT_MIN */
}

static int64_t
rest (lam_dtype dtype, int64_t a, int64_t b)
{
  if (b == 0)
    return a;
  if (!lam_dtype_is_signed (dtype))
    return wrap ((uint64_t)a % (uint64_t)b);
  return b == -1 ? 0 : a % b;
}

static int64_t
shift (int32_t op, lam_dtype dtype, int64_t a, int64_t by)
{
  uint32_t width = lam_dtype_bits (dtype);
  uint64_t n = bits_of (dtype, by);

  if (op == LAM_OP_shift_right_arithmetic && lam_dtype_is_signed (dtype))
    return n < width ? a >> n : a >> 63;
  if (n >= width)
    return 0;
  return wrap (op == LAM_OP_shift_left ? (uint64_t)a << n : bits_of (dtype, a) >> n);
}

static int64_t
sign (lam_dtype dtype, int64_t x)
{
  if (x == 0)
    return 0;
  return lam_dtype_is_signed (dtype) && x < 0 ? -1 : 1;
}

static int64_t
magnitude (lam_dtype dtype, int64_t x)
{
  return lam_dtype_is_signed (dtype) && x < 0 ? wrap (0 - (uint64_t)x) : x;
}

#define MAP(code, expression)                                                                      \
  case code:                                                                                       \
    for (int64_t i = 0; i < n; i++)                                                                \
      y[i] = expression;                                                                           \
    break;

void
ref_unary_int (int32_t op, lam_dtype dtype, int64_t n, const int64_t *x, int64_t *y)
{
  switch (op) {
    MAP (LAM_OP_negate, wrap (0 - (uint64_t)x[i]))
    MAP (LAM_OP_abs, magnitude (dtype, x[i]))
    MAP (LAM_OP_sign, sign (dtype, x[i]))
    MAP (LAM_OP_not, dtype == LAM_PRED ? !x[i] : ~x[i])
    MAP (LAM_OP_population_count, __builtin_popcountll (bits_of (dtype, x[i])))
  default:
    break;
  }
}

void
ref_binary_int (int32_t op, lam_dtype dtype, int64_t n, const int64_t *a, const int64_t *b,
                int64_t *y)
{
  switch (op) { /* for bool, adding and multiplying 0 and 1 and storing x != 0 are "or" and "and" */
    MAP (LAM_OP_add, wrap ((uint64_t)a[i] + (uint64_t)b[i]))
    MAP (LAM_OP_subtract, wrap ((uint64_t)a[i] - (uint64_t)b[i]))
    MAP (LAM_OP_multiply, wrap ((uint64_t)a[i] * (uint64_t)b[i]))
    MAP (LAM_OP_divide, divide (dtype, a[i], b[i]))
    MAP (LAM_OP_remainder, rest (dtype, a[i], b[i]))
    MAP (LAM_OP_maximum, ref_combine_int (KIT_COMBINE_MAXIMUM, dtype, a[i], b[i]))
    MAP (LAM_OP_minimum, ref_combine_int (KIT_COMBINE_MINIMUM, dtype, a[i], b[i]))
    MAP (LAM_OP_and, a[i] & b[i])
    MAP (LAM_OP_or, a[i] | b[i])
    MAP (LAM_OP_xor, a[i] ^ b[i])
    MAP (LAM_OP_shift_left, shift (LAM_OP_shift_left, dtype, a[i], b[i]))
    MAP (LAM_OP_shift_right_logical, shift (LAM_OP_shift_right_logical, dtype, a[i], b[i]))
    MAP (LAM_OP_shift_right_arithmetic, shift (LAM_OP_shift_right_arithmetic, dtype, a[i], b[i]))
  default:
    break;
  }
}

static bool
below (lam_dtype dtype, int64_t a, int64_t b)
{
  return lam_dtype_is_signed (dtype) ? a < b : (uint64_t)a < (uint64_t)b;
}

void
ref_compare_int (int32_t direction, lam_dtype dtype, int64_t n, const int64_t *a, const int64_t *b,
                 int64_t *y)
{
  switch (direction) {
    MAP (KIT_EQ, a[i] == b[i])
    MAP (KIT_NE, a[i] != b[i])
    MAP (KIT_LT, below (dtype, a[i], b[i]))
    MAP (KIT_LE, !below (dtype, b[i], a[i]))
    MAP (KIT_GT, below (dtype, b[i], a[i]))
    MAP (KIT_GE, !below (dtype, a[i], b[i]))
  default:
    break;
  }
}
#undef MAP

void
ref_clamp_int (lam_dtype dtype, int64_t n, const int64_t *low, const int64_t *x,
               const int64_t *high, int64_t *y)
{
  for (int64_t i = 0; i < n; i++)
    y[i] = ref_combine_int (KIT_COMBINE_MINIMUM, dtype,
                            ref_combine_int (KIT_COMBINE_MAXIMUM, dtype, x[i], low[i]), high[i]);
}
