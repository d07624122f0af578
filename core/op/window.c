/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of reduce_window and reduce_window_arg, and the window arithmetic that convolution shares. */
#include "core/op/rule.h"

#include <string.h>

int64_t
lm_dilated (int64_t n, int64_t dilation)
{
  return n == 0 ? 0 : (n - 1) * dilation + 1;
}

/* n >= 0 elements, dilation >= 1. */
static bool
checked_dilated (int64_t n, int64_t dilation, int64_t *out)
{
  int64_t span;
  if (n == 0) {
    *out = 0;
    return true;
  }
  return !__builtin_mul_overflow (n - 1, dilation, &span) && !__builtin_add_overflow (span, 1, out);
}

bool
lm_rule_window (LmTypeCtx *c, const LmWindow *w, const int64_t *in, int64_t *out)
{
  for (int64_t i = 0; i < w->rank; i++) {
    int64_t padded, window;
    if (!checked_dilated (in[i], w->base_dilation[i], &padded)
        || !checked_dilated (w->size[i], w->dilation[i], &window)
        || __builtin_add_overflow (padded, w->padding[2 * i], &padded)
        || __builtin_add_overflow (padded, w->padding[2 * i + 1], &padded))
      return lm_type_fail (c, "windowed axis %" G_GINT64_FORMAT " does not fit 64 bits", i);
    if (padded < 0)
      return lm_type_fail (c,
                           "padding leaves %" G_GINT64_FORMAT
                           " elements on windowed axis %" G_GINT64_FORMAT ", wanted at least 0",
                           padded, i);
    out[i] = padded < window ? 0 : (padded - window) / w->stride[i] + 1;
  }
  return true;
}

static void
eq_window (const lam_function *f, const lam_equation *e, int64_t rank, LmWindow *w)
{
  w->rank = rank;
  lm_eq_list (f, e, "window_dimensions", rank, 1, w->size);
  lm_eq_list (f, e, "window_strides", rank, 1, w->stride);
  lm_eq_list (f, e, "padding", 2 * rank, 0, w->padding);
  lm_eq_list (f, e, "base_dilations", rank, 1, w->base_dilation);
  lm_eq_list (f, e, "window_dilations", rank, 1, w->dilation);
}

static bool
windowed_type (LmTypeCtx *c, lam_dtype dtype)
{
  const lam_type *x = c->operands[0];
  LmWindow w = {.rank = x->rank};
  int64_t dims[LAM_MAX_RANK];
  return lm_rule_list (c, "window_dimensions", x->rank, 1, 1, w.size)
         && lm_rule_list (c, "window_strides", x->rank, 1, 1, w.stride)
         && lm_rule_list (c, "padding", 2 * x->rank, 0, -INT64_MAX, w.padding)
         && lm_rule_list (c, "base_dilations", x->rank, 1, 1, w.base_dilation)
         && lm_rule_list (c, "window_dilations", x->rank, 1, 1, w.dilation)
         && lm_rule_window (c, &w, x->dims, dims) && lm_rule_result (c, dtype, x->rank, dims);
}

/* --- reduce_window: gradients ----------------------------------------------------------------- */

static LmValue
emit_window (LmBuilder *b, int32_t op, LmValue x, const char *computation, const LmWindow *w)
{
  uint64_t n = (uint64_t)w->rank;
  lam_attr attrs[] = {lm_attr_str ("computation", computation),
                      lm_attr_ints ("window_dimensions", w->size, n),
                      lm_attr_ints ("window_strides", w->stride, n),
                      lm_attr_ints ("padding", w->padding, 2 * n),
                      lm_attr_ints ("base_dilations", w->base_dilation, n),
                      lm_attr_ints ("window_dilations", w->dilation, n)};
  LmOp o = {.op = op, .operands = &x, .n_operands = 1, .attrs = attrs, .n_attrs = 6};
  return lm_builder_op (b, &o);
}

/* The transpose of a window sum is a window sum: strides and base dilations change places. The
 * padding is JAX's _conv_general_vjp_lhs_padding. */
static void
add_vjp (LmVjpCtx *c, const LmWindow *w)
{
  const lam_type *x = lm_vjp_in_type (c, 0), *y = lm_vjp_out_type (c, 0);
  LmWindow back = *w;
  for (int64_t i = 0; i < w->rank; i++) {
    int64_t window = lm_dilated (w->size[i], w->dilation[i]);
    int64_t before = window - w->padding[2 * i] - 1;
    back.stride[i] = w->base_dilation[i];
    back.base_dilation[i] = w->stride[i];
    back.padding[2 * i] = before;
    back.padding[2 * i + 1] = lm_dilated (x->dims[i], w->base_dilation[i]) + window - 1
                              - lm_dilated (y->dims[i], w->stride[i]) - before;
  }
  c->d_in[0] = emit_window (c->b, LAM_OP_reduce_window, c->ct[0], "add", &back);
}

/* Position of each window's winner along one axis of the operand, and where it is no element (a
 * window of padding only) *inout_valid becomes false. win (y's shape) counts row-major over the
 * sizes of the axes after `axis` (inner of them). */
static LmValue
winner_on_axis (LmVjpCtx *c, const LmWindow *w, int64_t axis, LmValue win, int64_t inner,
                LmValue *inout_valid)
{
  LmBuilder *b = c->b;
  lam_type type = *lm_builder_type (b, win); /* y's shape */
  int64_t size = w->size[axis], low = w->padding[2 * axis], dilation = w->base_dilation[axis];
  LmValue at = lm_mul (b, lm_iota (b, &type, axis), lm_splat_int (b, &type, w->stride[axis]));
  at = lm_add (b, at, lm_splat_int (b, &type, -low));
  if (size > 1) {
    LmValue step = lm_div (b, win, lm_splat_int (b, &type, inner));
    step = lm_emit_binary (b, LAM_OP_remainder, step, lm_splat_int (b, &type, size));
    at = lm_add (b, at, lm_mul (b, step, lm_splat_int (b, &type, w->dilation[axis])));
  }
  bool inside = dilation == 1 && low <= 0 && w->padding[2 * axis + 1] <= 0;
  if (inside)
    return at;
  LmValue zero = lm_splat_int (b, &type, 0), by = lm_splat_int (b, &type, dilation);
  LmValue end = lm_splat_int (b, &type, lm_dilated (lm_vjp_in_type (c, 0)->dims[axis], dilation));
  LmValue ok[] = {lm_compare (b, at, zero, "GE"), lm_compare (b, at, end, "LT"),
                  lm_compare (b, lm_emit_binary (b, LAM_OP_remainder, at, by), zero, "EQ")};
  for (int k = 0; k < 3; k++)
    *inout_valid =
        *inout_valid == LM_NIL ? ok[k] : lm_emit_binary (b, LAM_OP_and, *inout_valid, ok[k]);
  return lm_div (b, at, by);
}

/* Row-major position in the operand of each window's winner; -1 where there is none. */
static LmValue
winners (LmVjpCtx *c, const LmWindow *w, const char *computation)
{
  LmBuilder *b = c->b;
  const lam_type *x = lm_vjp_in_type (c, 0);
  bool small = lam_type_elements (x) < INT32_MAX;
  for (int64_t i = 0; i < w->rank;
       i++) /* padded positions must fit too; each term is >= 0 or cut */
    small = small && w->padding[2 * i] < INT32_MAX / 4 && w->padding[2 * i + 1] < INT32_MAX / 4
            && lm_dilated (x->dims[i], w->base_dilation[i]) < INT32_MAX / 4;
  LmValue win = emit_window (b, LAM_OP_reduce_window_arg, c->in[0], computation, w);
  win = lm_convert (b, win, small ? LAM_I32 : LAM_I64);
  if (win == LM_NIL)
    return LM_NIL;
  lam_type type = *lm_builder_type (b, win);
  LmValue valid = LM_NIL, flat = lm_splat_int (b, &type, 0);
  int64_t inner = 1, row = 1;
  for (int64_t i = w->rank - 1; i >= 0; i--) {
    LmValue at = winner_on_axis (c, w, i, win, inner, &valid);
    flat = lm_add (b, flat, lm_mul (b, at, lm_splat_int (b, &type, row)));
    inner *= w->size[i];
    row *= x->dims[i];
  }
  return valid == LM_NIL ? flat : lm_select (b, valid, flat, lm_splat_int (b, &type, -1));
}

/* The first winner of each window takes its cotangent: added into the flat operand. */
static void
extremum_vjp (LmVjpCtx *c, const LmWindow *w, const char *computation)
{
  LmBuilder *b = c->b;
  const lam_type *x = lm_vjp_in_type (c, 0);
  int64_t n = lam_type_elements (x), axis = 0;
  lam_type flat = lm_type (x->dtype, 1, &n);
  LmValue in[] = {lm_splat (b, &flat, 0), winners (c, w, computation), c->ct[0]};
  lam_attr attrs[] = {lm_attr_ints ("inserted_window_dims", &axis, 1),
                      lm_attr_ints ("scatter_dims_to_operand_dims", &axis, 1),
                      lm_attr_int ("index_vector_dim", x->rank), lm_attr_str ("mode", "fill")};
  LmOp o = {.op = LAM_OP_scatter, .operands = in, .n_operands = 3, .attrs = attrs, .n_attrs = 4};
  c->d_in[0] = n == 0 ? LM_NIL : lm_reshape (b, lm_builder_op (b, &o), x->rank, x->dims);
}

/* --- reduce_window ---------------------------------------------------------------------------- */

static bool
reduce_window_type (LmTypeCtx *c)
{
  return lm_rule_computation (c) && windowed_type (c, c->operands[0]->dtype);
}

/* The operand with its padding and holes filled by 1, so that every window lies inside. */
static LmValue
padded_with_ones (LmVjpCtx *c, const LmWindow *w)
{
  const lam_type *x = lm_vjp_in_type (c, 0);
  int64_t low[LAM_MAX_RANK], high[LAM_MAX_RANK], holes[LAM_MAX_RANK];
  for (int64_t i = 0; i < w->rank; i++) {
    low[i] = w->padding[2 * i];
    high[i] = w->padding[2 * i + 1];
    holes[i] = w->base_dilation[i] - 1;
  }
  lam_type scalar = lm_scalar_type (x->dtype);
  return lm_pad (c->b, c->in[0], lm_splat (c->b, &scalar, 1), low, high, holes);
}

/* The k-th element (row-major) of every window, in the result's shape. */
static LmValue
window_position (LmBuilder *b, LmValue padded, const LmWindow *w, const lam_type *y, int64_t k)
{
  int64_t start[LAM_MAX_RANK], limit[LAM_MAX_RANK];
  for (int64_t i = w->rank - 1; i >= 0; i--) {
    start[i] = k % w->size[i] * w->dilation[i];
    limit[i] = start[i] + lm_dilated (y->dims[i], w->stride[i]);
    k /= w->size[i];
  }
  return lm_slice (b, padded, start, limit, w->stride);
}

/* Adds d (the result's shape) into the padded operand's cotangent where position k was read. */
static LmValue
add_position (LmVjpCtx *c, LmValue sum, LmValue d, const LmWindow *w, int64_t k)
{
  lam_type padded = *lm_builder_type (c->b, sum), scalar = lm_scalar_type (padded.dtype);
  const lam_type *y = lm_vjp_out_type (c, 0);
  int64_t low[LAM_MAX_RANK], high[LAM_MAX_RANK], holes[LAM_MAX_RANK];
  for (int64_t i = w->rank - 1; i >= 0; i--) {
    low[i] = k % w->size[i] * w->dilation[i];
    high[i] = padded.dims[i] - low[i] - lm_dilated (y->dims[i], w->stride[i]);
    holes[i] = w->stride[i] - 1;
    k /= w->size[i];
  }
  return lm_add (c->b, sum, lm_pad (c->b, d, lm_splat (c->b, &scalar, 0), low, high, holes));
}

/* Each element's share is the product of the window's others: products before times products after,
 * exact also where some are 0. */
static void
multiply_vjp (LmVjpCtx *c, const LmWindow *w)
{
  LmBuilder *b = c->b;
  const lam_type *x = lm_vjp_in_type (c, 0), *y = lm_vjp_out_type (c, 0);
  int64_t n = 1, low[LAM_MAX_RANK], high[LAM_MAX_RANK], stride[LAM_MAX_RANK];
  int64_t start[LAM_MAX_RANK] = {0}, limit[LAM_MAX_RANK];
  for (int64_t i = 0; i < w->rank; i++)
    n *= w->size[i];
  LmValue padded = padded_with_ones (c, w), sum = lm_zeros_like (b, padded), after = LM_NIL;
  g_autofree LmValue *before = g_new (LmValue, (gsize)n);
  for (int64_t k = 0; k < n; k++)
    before[k] =
        k == 0 ? c->ct[0] : lm_mul (b, before[k - 1], window_position (b, padded, w, y, k - 1));
  for (int64_t k = n - 1; k >= 0; k--) {
    LmValue d = after == LM_NIL ? before[k] : lm_mul (b, before[k], after);
    LmValue part = window_position (b, padded, w, y, k);
    sum = add_position (c, sum, d, w, k);
    after = after == LM_NIL ? part : lm_mul (b, part, after);
  }
  for (int64_t i = 0; i < w->rank; i++) {
    low[i] = -w->padding[2 * i];
    high[i] = -w->padding[2 * i + 1];
    stride[i] = w->base_dilation[i];
    limit[i] = lm_dilated (x->dims[i], stride[i]);
  }
  lam_type scalar = lm_scalar_type (x->dtype);
  sum = lm_pad (b, sum, lm_splat (b, &scalar, 0), low, high, NULL);
  c->d_in[0] = lm_slice (b, sum, start, limit, stride);
}

/* Above this a product's gradient would be too many equations. */
#define MOST_FACTORS 4096

static void
reduce_window_vjp (LmVjpCtx *c)
{
  const char *computation = lam_attr_str (&c->f->ir, c->e, "computation", "");
  LmWindow w;
  int64_t factors = 1;
  if (lam_type_elements (lm_vjp_out_type (c, 0)) == 0)
    return; /* no window, no gradient */
  eq_window (&c->f->ir, c->e, lm_vjp_in_type (c, 0)->rank, &w);
  for (int64_t i = 0; i < w.rank; i++)
    if (__builtin_mul_overflow (factors, w.size[i], &factors))
      factors = INT64_MAX;
  if (strcmp (computation, "add") == 0)
    add_vjp (c, &w);
  else if (strcmp (computation, "multiply") != 0)
    extremum_vjp (c, &w, computation);
  else if (factors <= MOST_FACTORS)
    multiply_vjp (c, &w);
  else
    lm_builder_failf (c->b,
                      "reduce_window: the gradient of computation multiply is for windows of at "
                      "most %d elements, got %" G_GINT64_FORMAT,
                      MOST_FACTORS, factors);
}

/* A window of 1 along the batch axis. It leaves the row-major positions inside a window alone. */
static void
window_batch (LmBatchCtx *c)
{
  int64_t size[LAM_MAX_RANK + 1], stride[LAM_MAX_RANK + 1], padding[2 * LAM_MAX_RANK + 2];
  int64_t base[LAM_MAX_RANK + 1], dilation[LAM_MAX_RANK + 1];
  LmValue x = lm_batch_front (c, 0);
  lam_attr attrs[] = {lm_batch_list (c, "window_dimensions", 1, 1, 1, size),
                      lm_batch_list (c, "window_strides", 1, 1, 1, stride),
                      lm_batch_list (c, "padding", 2, 0, 0, padding),
                      lm_batch_list (c, "base_dilations", 1, 1, 1, base),
                      lm_batch_list (c, "window_dilations", 1, 1, 1, dilation)};
  lm_batch_emit (c, &x, attrs, G_N_ELEMENTS (attrs), 0);
}

const LmRules lm_rules_reduce_window = {
    .type = reduce_window_type, .vjp = reduce_window_vjp, .batch = window_batch};

/* --- reduce_window_arg ------------------------------------------------------------------------ */

static bool
reduce_window_arg_type (LmTypeCtx *c)
{
  static const char *const words[] = {"maximum", "minimum", NULL};
  if (!lm_rule_word (c, "computation", "", words) || !windowed_type (c, LAM_I32))
    return false;
  uint64_t n;
  const int64_t *size = lm_type_attr_ints (c, "window_dimensions", &n);
  int64_t elements = 1;
  for (uint64_t i = 0; i < n; i++)
    if (__builtin_mul_overflow (elements, size[i], &elements) || elements > INT32_MAX)
      return lm_type_fail (c, "window_dimensions count more elements than i32 holds");
  return true;
}

/* No gradient: a position is an integer. */
const LmRules lm_rules_reduce_window_arg = {.type = reduce_window_arg_type, .batch = window_batch};
