/* SPDX-License-Identifier: Apache-2.0 */
/* Optimizers by the formulas of semantics 1.14 in f64, and all of them on bf16 variables. (Their
 * golden values: test-optimizers.) */
#include "tests/lib/learn.h"

#include <math.h>
#include <string.h>

#define LEARNER(optimizer)                                                                         \
  "'enable_skip_step_on_gradient_anomalies': false, 'optimizer': {" optimizer "}"

static const double zero[] = {0, 0, 0, 0};

static void
assert_close (double got, double wanted)
{
  if (!(fabs (got - wanted) <= 1e-12 * fmax (1, fabs (wanted))))
    g_error ("got %.17g, wanted %.17g", got, wanted);
}

static double
gradient (guint step, guint k)
{
  return sin (1.0 + 2.3 * step + 0.9 * k);
}

/* Gradients of b, as gradient () gives them. */
static void
step (LmLearn *l, guint i)
{
  double b[] = {gradient (i, 0), gradient (i, 1), gradient (i, 2)};
  lm_learn_pair_step (l, zero, b);
}

/* beta (1 - beta^(t - 1)) / (1 - beta^t), 0 at t = 1 */
static double
corrected (double beta, guint t)
{
  return beta * (1 - pow (beta, t - 1)) / (1 - pow (beta, t));
}

/* Adam with HParamsA: corrected decays, the cap on the update's rms, + wd p, * -lr (count). */
static void
test_adam (void)
{
  LmLearn *l = lm_learn_pair (
      LEARNER ("'type': 'lamina.adam', 'learning_rate': 0.1, 'beta2': 0.997, 'epsilon': 1e-9, "
               "'epsilon_root': 1e-3, 'clip_threshold': 0.8, 'weight_decay': 0.05"));
  double m[3] = {0}, v[3] = {0}, p[] = {0.5, -1, 2}, u[3];
  for (guint i = 0; i < 5; i++) {
    double b1 = corrected (0.9, i + 1), b2 = corrected (0.997, i + 1), mean = 0;
    step (l, i);
    for (guint k = 0; k < 3; k++) {
      double g = gradient (i, k);
      m[k] = b1 * m[k] + (1 - b1) * g;
      v[k] = b2 * v[k] + (1 - b2) * g * g;
      u[k] = m[k] / (sqrt (v[k] + 1e-3) + 1e-9);
      mean += u[k] * u[k] / 3;
    }
    for (guint k = 0; k < 3; k++) {
      p[k] -= 0.1 * (u[k] / fmax (1, sqrt (mean) / 0.8) + 0.05 * p[k]);
      assert_close (lm_learn_value (l, "b", k), p[k]);
    }
  }
  lm_learn_free (l);
}

/* Gradients that are not finite: 0 as in lingvo-jax, where the cap's rms of NaN counts as none;
 * NaN as in praxis, which spreads; or as they are. */
static void
test_adam_nonfinite (void)
{
  static const double b[] = {INFINITY, NAN, 1};
  static const char *const optimizers[] = {
      LEARNER ("'type': 'lamina.adam', 'learning_rate': 0.1, 'nonfinite_to_zero': true"),
      LEARNER ("'type': 'lamina.adam', 'learning_rate': 0.1, 'clip_threshold': 0"),
      LEARNER ("'type': 'lamina.adam', 'learning_rate': 0.1, 'clip_threshold': 0, "
               "'maybe_inf_to_nan': false")};
  for (guint i = 0; i < G_N_ELEMENTS (optimizers); i++) {
    LmLearn *l = lm_learn_pair (optimizers[i]);
    lm_learn_pair_step (l, zero, b);
    double m = lm_learn_state_value (l, "slots.m.b", 0);
    g_assert_true (i == 0 ? m == 0 : i == 1 ? isnan (m) : isinf (m));
    g_assert_true (isnan (lm_learn_value (l, "b", 1)) == (i != 0));
    if (i == 0)
      assert_close (lm_learn_value (l, "b", 0), 0.5);
    g_assert_true (fabs (lm_learn_value (l, "b", 2) - 1.9) < 1e-6);
    lm_learn_free (l);
  }
}

/* Lion: the sign of beta1 m_old + (1 - beta1) g, m by beta2 without bias correction, in bf16
 * between steps. */
static void
test_lion (void)
{
  LmLearn *l =
      lm_learn_pair (LEARNER ("'type': 'lamina.lion', 'learning_rate': 0.1, 'weight_decay': 0.5"));
  lam_type one = lm_scalar_type (LAM_F64);
  double m[3] = {0}, p[] = {0.5, -1, 2};
  for (guint i = 0; i < 4; i++) {
    step (l, i);
    for (guint k = 0; k < 3; k++) {
      double g = gradient (i, k), x = 0.9 * m[k] + 0.1 * g;
      p[k] -= 0.1 * ((x > 0) - (x < 0) + 0.5 * p[k]);
      m[k] = 0.99 * m[k] + 0.01 * g;
      g_autoptr (LmArray) exact = lm_test_array (&one, &m[k]);
      g_autoptr (LmArray) stored = lm_array_convert (exact, LAM_BF16, NULL);
      m[k] = lm_array_get_double (stored, 0);
      assert_close (lm_learn_value (l, "b", k), p[k]);
    }
  }
  g_assert_cmpint (lm_learn_state (l, "slots.m.b")->type.dtype, ==, LAM_BF16);
  lm_learn_free (l);
}

/* Adagrad: where the sum is 0 the update is 0. */
static void
test_adagrad_zero (void)
{
  static const double b[] = {0, 2, 0};
  LmLearn *l = lm_learn_pair (LEARNER ("'type': 'lamina.adagrad', 'learning_rate': 0.1, "
                                       "'initial_accumulator_value': 0, 'epsilon': 0"));
  lm_learn_pair_step (l, zero, b);
  assert_close (lm_learn_value (l, "b", 0), 0.5);
  assert_close (lm_learn_value (l, "b", 1), -1.1);
  lm_learn_free (l);
}

/* Adafactor stores the momentum as integers times max |x| over axis 0 / buckets, rounded; slots
 * by type. */
static void
test_buckets (void)
{
  static const struct {
    const char *dtype;
    double buckets;
  } rows[] = {{"i8", 127}, {"i16", 32767}};
  static const double a[] = {0.3, -0.2, 1, 0.05};
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *learner =
        g_strdup_printf ("'optimizer': {'type': 'lamina.sharded_adafactor', 'learning_rate': 0.1, "
                         "'decay_adam': 0.9, "
                         "'beta1': 0.5, 'factored': false, 'clip_threshold': 0, 'decay_method': "
                         "'pow', 'decay_pow': 1, "
                         "'quantized_dtype': '%s'}",
                         rows[i].dtype);
    LmLearn *l = lm_learn_pair (learner);
    lm_learn_pair_step (l, a, zero); /* g / sqrt (g^2) is a sign: x = +-0.05 */
    lm_learn_pair_step (l, a, zero);
    g_assert_cmpstr (lam_dtype_name (lm_learn_state (l, "slots.m.a")->type.dtype), ==,
                     rows[i].dtype);
    g_assert_cmpint (lm_learn_state (l, "slots.m_scale.a")->type.rank, ==, 1);
    assert_close (lm_learn_state_value (l, "slots.m_scale.a", 0), 0.075 / rows[i].buckets);
    assert_close (lm_learn_state_value (l, "slots.m.a", 1), -rows[i].buckets);
    lm_learn_free (l);
  }
}

/* Layerwise adaptation leaves out variables by pattern. */
static void
test_layerwise (void)
{
  LmLearn *l = lm_learn_pair (
      "'optimizer': {'type': 'lamina.sharded_adafactor', 'learning_rate': 0.1, 'decay_adam': 0.9, "
      "'factored': false, 'layerwise_adaptation': true, 'exclude_from_layerwise_adaptation': "
      "['b']}");
  static const double a[] = {1, 1, -1, 1}, b[] = {2, 2, -2};
  lm_learn_pair_step (l, a, b); /* updates are signs */
  assert_close (lm_learn_value (l, "a", 0), 1 - 0.1 * sqrt ((1 + 4 + 9 + 0.25) / 4));
  assert_close (lm_learn_value (l, "b", 2), 2 + 0.1);
  lm_learn_free (l);
}

/* --- bf16 ------------------------------------------------------------------------------------- */

static double
after_two_steps (const char *optimizer, lam_dtype dtype, guint k, LmLearn **keep)
{
  lam_type wide = lm_type (LAM_F32, 3, (int64_t[]) {2, 3, 4});
  double values[24];
  g_autofree char *learner = g_strdup_printf (
      "'type': 'lamina.learner', 'optimizer': {'learning_rate': 0.01, %s}", optimizer);
  if (*keep == NULL) {
    LmLearnSpec spec = {1, {"w"}, {wide}, {0}, {0}, learner};
    spec.types[0].dtype = dtype;
    for (guint i = 0; i < 24; i++)
      values[i] = cos (1.0 + i);
    g_autoptr (LmArray) start = lm_test_array (&spec.types[0], values);
    *keep = lm_learn_new (&spec, &start);
    for (guint n = 0; n < 2; n++) {
      for (guint i = 0; i < 24; i++)
        values[i] = sin (1.0 + n + i) + 0.1;
      LmArray *grad = lm_test_array (&spec.types[0], values);
      lm_learn_step (*keep, &grad);
    }
  }
  return lm_learn_value (*keep, "w", k);
}

/* Every optimizer updates bf16 variables as f32 ones, to bf16's precision. */
static void
test_bf16 (void)
{
  static const char *const optimizers[] = {
      "'type': 'lamina.sgd', 'momentum': 0.9",
      "'type': 'lamina.adamw'",
      "'type': 'lamina.adam'",
      "'type': 'lamina.adagrad'",
      "'type': 'lamina.rmsprop', 'centered': true, 'momentum': 0.9",
      "'type': 'lamina.lion'",
      "'type': 'lamina.lamb', 'weight_decay': 0.1",
      "'type': 'lamina.lars', 'trust_coefficient': 1",
      "'type': 'lamina.adamax'",
      "'type': 'lamina.adabelief', 'eps': 1e-4",
      "'type': 'lamina.amsgrad'",
      "'type': 'lamina.radam'",
      "'type': 'lamina.yogi'",
      "'type': 'lamina.novograd'",
      "'type': 'lamina.adadelta'",
      "'type': 'lamina.sm3'",
      "'type': 'lamina.adafactor', 'min_dim_size_to_factor': 2, 'momentum': 0.9",
      "'type': 'lamina.sharded_adafactor', 'decay_adam': 0.9, 'beta1': 0.9",
      "'type': 'lamina.sgd', 'num_sub_batches': 2, 'ema_decay': 0.9, 'decoupled_weight_decay': 0.1",
      "'type': 'lamina.sgd', 'ewc_regularizer_weight': 0.9, 'l2_regularizer_weight': 0.1"};
  for (guint i = 0; i < G_N_ELEMENTS (optimizers); i++) {
    LmLearn *narrow = NULL, *wide = NULL;
    for (guint k = 0; k < 24; k++) {
      double a = after_two_steps (optimizers[i], LAM_BF16, k, &narrow);
      double b = after_two_steps (optimizers[i], LAM_F32, k, &wide);
      if (!(fabs (a - b) <= 0.02))
        g_error ("%s: w[%u]: got %g, wanted %g", optimizers[i], k, a, b);
    }
    g_assert_cmpint (narrow->vars[0]->type.dtype, ==, LAM_BF16);
    lm_learn_free (narrow);
    lm_learn_free (wide);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plugins/optimizers/rules/adam", test_adam);
  g_test_add_func ("/plugins/optimizers/rules/adam_nonfinite", test_adam_nonfinite);
  g_test_add_func ("/plugins/optimizers/rules/lion", test_lion);
  g_test_add_func ("/plugins/optimizers/rules/adagrad_zero", test_adagrad_zero);
  g_test_add_func ("/plugins/optimizers/rules/buckets", test_buckets);
  g_test_add_func ("/plugins/optimizers/rules/layerwise", test_layerwise);
  g_test_add_func ("/plugins/optimizers/rules/bf16", test_bf16);
  return g_test_run ();
}
