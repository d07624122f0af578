/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.bi_tempered_loss: a bounded loss with a heavy-tailed softmax (Amid et al., "Robust Bi-Tempered
 * Logistic Loss Based on Bregman Divergences", 2019). Semantics and names: praxis.layers.BiTemperedLoss over
 * jax_bitempered_loss. Upstream's schedule gives the first step temperature 1 even for end_step 0; here
 * end_step 0 means t1 and t2 from the start, as its documentation says. First derivatives only. */
#include <lamina/layer.h>
#include <math.h>

#define ITERATIONS 5

typedef struct {
  double t1, t2, label_smoothing;
  int64_t start_step, end_step;
  lam_var count; /* scalar: training steps so far */
} bi_tempered_loss;

LAM_FIELDS (bi_tempered_loss,
            LAM_FLOAT (t1, 1, "Temperature of the logarithm; < 1 bounds the loss."), LAM_MIN (0),
            LAM_MAX (1.875),
            LAM_FLOAT (t2, 1, "Temperature of the softmax; > 1 makes its tails heavy."),
            LAM_MIN (0.125), LAM_MAX (8),
            LAM_FLOAT (label_smoothing, 0, "Share of the label that the other classes get."),
            LAM_MIN (0), LAM_MAX (1),
            LAM_INT (start_step, 0, "Up to this step both temperatures are 1."), LAM_MIN (0),
            LAM_INT (end_step, 0, "From this step they are t1 and t2; 0: always."), LAM_MIN (0))

static void
bi_tempered_loss_setup (bi_tempered_loss *p, lam_setup *s)
{
  lam_var_spec spec = lam_var_spec_make (LAM_SCALAR, LAM_CONSTANT (0));
  spec.dtype = LAM_F32;
  spec.collections = LAM_NON_TRAINABLE | LAM_REQUIRES_MEAN_SYNC | LAM_DISALLOW_BFLOAT16_CONVERSION;
  if (p->end_step < p->start_step)
    lam_setup_fail (s, "end_step wants to be start_step or later");
  p->count = lam_create_variable_spec (s, "count", &spec);
}

/* 1 up to start_step, falling to 0 at end_step; 0 in evaluation. Scalar of dtype. Counts the step. */
static lam_tensor
schedule (const bi_tempered_loss *p, lam_trace *t, lam_dtype dtype)
{
  double length = p->end_step > p->start_step ? (double)(p->end_step - p->start_step) : 1;
  lam_tensor count, y;
  if (lam_do_eval (t))
    return lam_scalar (t, dtype, 0);
  count = lam_theta (t, p->count);
  lam_update_var (t, p->count, lam_add_scalar (t, count, 1));
  if (p->end_step == 0)
    return lam_scalar (t, dtype, 0);
  count = lam_cast (t, count, dtype);
  y = lam_div_scalar (t, lam_sub_scalar (t, count, (double)p->start_step), length);
  return lam_clip (t, lam_sub (t, lam_scalar (t, dtype, 1), y), 0, 1);
}

/* A temperature between 1 (schedule 1) and its value (0), and what powers of it need. */
typedef struct temperature {
  lam_tensor t, is_one; /* scalars; is_one: bool */
  lam_tensor rest;      /* 1 - t, but 1 where t is 1: a divisor */
} temperature;

static temperature
temperature_of (lam_trace *t, lam_tensor schedule, double value)
{
  temperature x;
  lam_tensor one = lam_scalar_like (t, schedule, 1);
  x.t = lam_add (t, schedule, lam_mul_scalar (t, lam_sub (t, one, schedule), value));
  x.rest = lam_sub (t, one, x.t);
  x.is_one = lam_lt (t, lam_abs (t, x.rest), lam_scalar_like (t, one, 1e-15));
  x.rest = lam_where (t, x.is_one, one, x.rest);
  return x;
}

/* (u^(1 - t) - 1) / (1 - t), or log (u). */
static lam_tensor
log_t (lam_trace *t, lam_tensor u, const temperature *x)
{
  lam_tensor y = lam_sub_scalar (t, lam_pow (t, u, x->rest), 1);
  return lam_where (t, x->is_one, lam_log (t, u), lam_div (t, y, x->rest));
}

/* max (1 + (1 - t) u, 0)^(1 / (1 - t)), or exp (u). */
static lam_tensor
exp_t (lam_trace *t, lam_tensor u, const temperature *x)
{
  lam_tensor y = lam_max_scalar (t, lam_add_scalar (t, lam_mul (t, u, x->rest), 1), 0);
  lam_tensor power = lam_div (t, lam_scalar_like (t, x->rest, 1), x->rest);
  return lam_where (t, x->is_one, lam_exp (t, u), lam_pow (t, y, power));
}

static lam_tensor
total (lam_trace *t, lam_tensor x)
{
  return lam_sum (t, x, LAM_AXES (-1), true);
}

/* t > 1. z: logits less their maximum (..., V) -> what to subtract so that exp_t sums to 1, (..., 1) */
static lam_tensor
normalise_fixed_point (lam_trace *t, lam_tensor z, const temperature *x)
{
  lam_tensor y = z, sum;
  for (int i = 0; i < ITERATIONS; i++) {
    sum = total (t, exp_t (t, y, x));
    y = lam_mul (t, z, lam_pow (t, sum, x->rest));
  }
  sum = total (t, exp_t (t, y, x));
  return lam_neg (t, log_t (t, lam_div (t, lam_scalar_like (t, sum, 1), sum), x));
}

/* t < 1: the same by bisection. */
static lam_tensor
normalise_bisection (lam_trace *t, lam_tensor z, const temperature *x)
{
  lam_tensor one = lam_scalar_like (t, z, 1), inside, low, high, middle, below;
  inside = lam_gt (t, z, lam_neg (t, lam_div (t, one, x->rest)));
  inside = total (t, lam_cast (t, inside, lam_dtype_of (t, z)));
  high = lam_neg (t, log_t (t, lam_div (t, one, inside), x));
  low = lam_zeros_like (t, high);
  for (int i = 0; i < ITERATIONS; i++) {
    middle = lam_mul_scalar (t, lam_add (t, low, high), 0.5);
    below = lam_lt (t, total (t, exp_t (t, lam_sub (t, z, middle), x)), one);
    low = lam_where (t, below, low, middle);
    high = lam_where (t, below, middle, high);
  }
  return lam_mul_scalar (t, lam_add (t, low, high), 0.5);
}

/* logits: (..., V) -> probabilities (..., V) of temperature x; value: what x becomes at last. */
static lam_tensor
tempered_softmax (lam_trace *t, lam_tensor logits, const temperature *x, double value)
{
  lam_tensor z = lam_sub (t, logits, lam_max_over (t, logits, LAM_AXES (-1), true)), norm, log;
  log = lam_log (t, total (t, lam_exp (t, z)));
  norm = value == 1  ? log
         : value < 1 ? normalise_bisection (t, z, x)
                     : normalise_fixed_point (t, z, x);
  return exp_t (t, lam_sub (t, z, lam_where (t, x->is_one, log, norm)), x);
}

/* l * a, but 0 where l is 0, whatever a is. */
static lam_tensor
weigh (lam_trace *t, lam_tensor l, lam_tensor a)
{
  lam_tensor zero = lam_zeros_like (t, l);
  return lam_where (t, lam_eq (t, l, zero), zero, lam_mul (t, l, a));
}

/* Each class's part of the loss, (..., V): labels l, probabilities q. */
static lam_tensor
terms (lam_trace *t, lam_tensor l, lam_tensor q, const temperature *x)
{
  lam_tensor power = lam_sub (t, lam_scalar_like (t, x->t, 2), x->t), a, b;
  a = lam_sub (t, log_t (t, lam_add_scalar (t, l, 1e-10), x), log_t (t, q, x));
  b = lam_sub (t, lam_pow (t, l, power), lam_pow (t, q, power));
  return lam_sub (t, weigh (t, l, a), lam_div (t, b, power));
}

/* The same where both temperatures are 1: what the cross-entropy has above the labels' own entropy. */
static lam_tensor
terms_of_one (lam_trace *t, lam_tensor l, lam_tensor logits)
{
  lam_tensor a = lam_log (t, lam_add_scalar (t, l, 1e-15));
  return weigh (t, l, lam_sub (t, a, lam_log_softmax (t, logits, -1)));
}

/* Derivative of the loss by the logits, (..., V). */
static lam_tensor
derivative (lam_trace *t, lam_tensor l, lam_tensor q, const temperature x[2])
{
  lam_tensor delta = lam_mul (t, lam_sub (t, q, l), lam_pow (t, q, lam_sub (t, x[1].t, x[0].t)));
  lam_tensor escorts = lam_pow (t, q, x[1].t);
  escorts = lam_div (t, escorts, total (t, escorts));
  return lam_sub (t, delta, lam_mul (t, escorts, total (t, delta)));
}

/* in: {logits, labels}, both (..., V) -> loss (...); labels get no gradient. */
static lam_nest
bi_tempered_loss_fprop (const bi_tempered_loss *p, lam_trace *t, lam_nest in)
{
  lam_tensor logits = lam_nest_get_tensor (t, in, "logits"), fixed, labels, q, loss, slope;
  lam_dtype dtype = lam_dtype_of (t, logits), wide = lam_dtype_bits (dtype) < 32 ? LAM_F32 : dtype;
  lam_shape shape = lam_shape_of (t, logits);
  double classes = shape.rank > 0 ? (double)shape.dims[shape.rank - 1] : 0, s = p->label_smoothing;
  labels = lam_nest_get_tensor (t, in, "labels");
  if (classes < 2 && lam_is_ok (t))
    lam_fail (t, "bi_tempered_loss wants logits (..., V) of at least two classes");
  if (!lam_check_shape (t, "bi_tempered_loss: labels, as the logits", labels, shape))
    return lam_nest_of (t, lam_nil ());
  logits = lam_cast (t, logits, wide);
  fixed = lam_stop_gradient (t, logits);
  labels = lam_stop_gradient (t, lam_cast (t, labels, wide));
  if (s > 0)
    labels = lam_add_scalar (t, lam_mul_scalar (t, labels, 1 - classes / (classes - 1) * s),
                             s / (classes - 1));
  lam_tensor warm = schedule (p, t, wide);
  temperature x[2];
  x[0] = temperature_of (t, warm, p->t1);
  x[1] = temperature_of (t, warm, p->t2);
  q = tempered_softmax (t, fixed, &x[1], p->t2);
  loss = lam_where (t, lam_and (t, x[0].is_one, x[1].is_one), terms_of_one (t, labels, fixed),
                    terms (t, labels, q, &x[0])); /* (..., V) */
  loss = lam_sum (t, loss, LAM_AXES (-1), false);
  /* The normalisation is an iteration: its derivative comes from the formula, not from its steps. The second
   * term is 0 and has that derivative. */
  slope = lam_mul (t, derivative (t, labels, q, x), lam_sub (t, logits, fixed));
  return lam_nest_of (t, lam_add (t, loss, lam_sum (t, slope, LAM_AXES (-1), false)));
}

LAM_METHODS (bi_tempered_loss, LAM_METHOD (bi_tempered_loss, fprop),
             LAM_USE (bi_tempered_loss, fprop))
LAM_LAYER_METHODS (bi_tempered_loss, "lamina.bi_tempered_loss", 1,
                   "A bounded loss with a heavy-tailed softmax.")
