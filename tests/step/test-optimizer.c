/* SPDX-License-Identifier: Apache-2.0 */
/* The optimizer chain by the rules of semantics 1.11 and 1.14: stages and their counts,
 * averages, sums over sub-batches, elastic weights, repeated layers; in f64 against their
 * formulas. a (2, 2) = 1, -2, 3, 0.5; b (3) = 0.5, -1, 2. */
#include "core/step/step.h"
#include "tests/lib/learn.h"

#include <lamina/setup.h>
#include <math.h>
#include <string.h>

#define SGD(more) "'optimizer': {'type': 'lamina.sgd', 'learning_rate': 0.5" more "}"
/* 1 at count 0, 0.1 afterwards */
#define DROP                                                                                       \
  ", 'lr_schedule': {'type': 'lamina.piecewise_constant', 'boundaries': [1], 'values': [1, 0.1]}"

static const double ga[] = {3, 0, -4, 0}, gb[] = {0, 12, 0}, gc[] = {0, 6, 0};
static const double nans[] = {NAN, 1, 1};

static void
assert_close (double got, double wanted)
{
  if (!(fabs (got - wanted) <= 1e-12 * fmax (1, fabs (wanted))))
    g_error ("got %.17g, wanted %.17g", got, wanted);
}

/* --- averages --------------------------------------------------------------------------------- */

/* d = min (decay, (1 + n) / (10 + n)), over the variables before each update. */
static void
test_ema (void)
{
  LmLearn *l = lm_learn_pair (SGD (", 'ema_decay': 0.15"));
  double ema = -1, p = -1;
  assert_close (lm_learn_state_value (l, "ema.vars.b", 1), -1);
  for (guint i = 0; i < 4; i++) {
    double d = fmin (0.15, (1.0 + i) / (10.0 + i));
    lm_learn_pair_step (l, ga, gb);
    ema -= (1 - d) * (ema - p);
    p -= 0.5 * 12;
    assert_close (lm_learn_state_value (l, "ema.vars.b", 1), ema);
  }
  assert_close (lm_learn_state_value (l, "ema.count", 0), 4);
  lm_learn_free (l);
}

/* Variables that are not trainable are averaged too, integers and booleans copied; a skipped
 * step keeps all. */
static void
test_ema_non_trainable (void)
{
  static const double before[] = {1, 2}, flags[] = {1, 0}, grad[] = {0, 0};
  static const int32_t count[] = {7, -3};
  LmLearnSpec spec = {.n = 4, .names = {"b", "flag", "mean", "n"}};
  spec.types[0] = spec.types[2] = lm_type (LAM_F64, 1, (int64_t[]) {2});
  spec.types[1] = lm_type (LAM_PRED, 1, (int64_t[]) {2});
  spec.types[3] = lm_type (LAM_I32, 1, (int64_t[]) {2});
  spec.collections[1] = spec.collections[2] = spec.collections[3] = LAM_NON_TRAINABLE;
  spec.learner = g_strdup ("'type': 'lamina.learner', " SGD (", 'ema_decay': 0.9"));
  LmArray *vars[] = {lm_test_array (&spec.types[0], before), lm_test_array (&spec.types[1], flags),
                     lm_test_array (&spec.types[2], before),
                     lm_array_new_copy (&spec.types[3], count, NULL)};
  LmLearn *l = lm_learn_new (&spec, vars);
  lm_array_unref (l->vars[2]); /* as a forward pass changes them */
  l->vars[2] = lm_test_array (&spec.types[2], (double[]) {11, 2});
  lm_array_unref (l->vars[3]);
  l->vars[3] = lm_array_new_copy (&spec.types[3], (int32_t[]) {8, 9}, NULL);
  LmArray *grads[] = {lm_test_array (&spec.types[0], grad), lm_array_ref (vars[1]),
                      lm_test_array (&spec.types[0], nans), lm_array_ref (vars[3])};
  lm_learn_step (l, grads); /* d = 0.1 */
  assert_close (lm_learn_state_value (l, "ema.vars.mean", 0), 0.1 * 1 + 0.9 * 11);
  assert_close (lm_learn_state_value (l, "ema.vars.n", 0), 8);
  assert_close (lm_learn_state_value (l, "ema.vars.flag", 0), 1);
  assert_close (lm_learn_state_value (l, "ema.vars.flag", 1), 0);
  g_assert_null (lm_learn_state (l, "slots.n"));
  for (guint i = 0; i < 4; i++)
    lm_array_unref (vars[i]);
  lm_learn_free (l);
  g_free (spec.learner);
}

/* lm_optimizer_find_ema: the tree of averages, by the variables' paths, in whatever the
 * learner's states are. */
static void
test_find_ema (void)
{
  LmLearn *l = lm_learn_pair (
      "'bprop_variable_exclusion': ['b'], " SGD (", 'momentum': 0.9, 'ema_decay': 0.9"));
  g_autoptr (LmNest) list = lm_nest_new_list ();
  lm_nest_append (list, lm_nest_copy (l->structure));
  const LmNest *found = lm_optimizer_find_ema (l->structure);
  g_assert_true (found == lm_nest_get (l->structure, "optimizer.ema.vars"));
  g_assert_nonnull (lm_nest_get (found, "a"));
  g_assert_null (lm_nest_get (found, "b"));
  g_assert_cmpstr (l->state_paths[lm_nest_leaf (lm_nest_get (found, "a")) - 1], ==,
                   "optimizer.ema.vars.a");
  g_assert_nonnull (lm_optimizer_find_ema (list));
  lm_learn_free (l);
  l = lm_learn_pair (SGD (", 'momentum': 0.9"));
  g_assert_null (lm_optimizer_find_ema (l->structure));
  lm_learn_free (l);
}

/* --- counts ----------------------------------------------------------------------------------- */

/* Each stage has its own count from 0: with sub-batches the optimizer's counts emitted updates,
 * decay's and EWC's steps; each stage's rate follows its own. */
static void
test_counts (void)
{
  LmLearn *l = lm_learn_pair (SGD (DROP ", 'decoupled_weight_decay': 0.25, 'num_sub_batches': 2, "
                                        "'ema_decay': 0.9"));
  double p = -1;
  for (guint i = 0; i < 4; i++) {
    double emitted = i % 2 == 1 ? 0.5 * (i == 1 ? 1 : 0.1) * 12 : 0;
    lm_learn_pair_step (l, ga, gb);
    p += -emitted - 0.5 * (i == 0 ? 1 : 0.1) * 0.25 * p;
    assert_close (lm_learn_value (l, "b", 1), p);
  }
  assert_close (lm_learn_state_value (l, "optimizer.count", 0), 2);
  assert_close (lm_learn_state_value (l, "decay.count", 0), 4);
  assert_close (lm_learn_state_value (l, "ema.count", 0), 4);
  assert_close (lm_learn_state_value (l, "accumulator.count", 0), 0);
  lm_learn_free (l);
  l = lm_learn_pair (SGD (", 'l1_regularizer_weight': 0.1"));
  lm_learn_pair_step (l, ga, gb);
  assert_close (lm_learn_state_value (l, "l1.count", 0), 1);
  lm_learn_free (l);
  l = lm_learn_pair (SGD (", 'l2_regularizer_weight': 0.1, 'ewc_regularizer_weight': 1"));
  lm_learn_pair_step (l, ga, gb);
  assert_close (lm_learn_state_value (l, "l2.count", 0), 1);
  assert_close (lm_learn_state_value (l, "ewc.count", 0), 1);
  g_assert_null (lm_learn_state (l, "decay.count"));
  lm_learn_free (l);
}

/* --- sub-batches ------------------------------------------------------------------------------ */

/* Zeros until the Nth, then the update of the mean; L2 and clipping see each sub-batch; slots
 * and count stay between; a skipped sub-batch is not summed. */
static void
test_accumulate (void)
{
  LmLearn *l = lm_learn_pair ("'clip_gradient_single_norm_to_value': 9, " SGD (
      ", 'momentum': 0.9, 'num_sub_batches': 3, 'l2_regularizer_weight': 0.5"));
  double p = -1, trace = 0, sum = 0;
  lm_learn_pair_step (l, ga, gb);
  sum += 9 + 0.5 * p;
  assert_close (lm_learn_value (l, "b", 1), p);
  assert_close (lm_learn_state_value (l, "accumulator.sum.b", 1), sum);
  lm_learn_pair_step (l, ga, nans);
  assert_close (lm_learn_state_value (l, "accumulator.sum.b", 1), sum);
  assert_close (lm_learn_state_value (l, "accumulator.count", 0), 1);
  lm_learn_pair_step (l, ga, gc);
  sum += 6 + 0.5 * p;
  assert_close (lm_learn_value (l, "b", 1), p);
  assert_close (lm_learn_state_value (l, "slots.trace.b", 1), 0);
  assert_close (lm_learn_state_value (l, "optimizer.count", 0), 0);
  lm_learn_pair_step (l, ga, gc);
  sum += 6 + 0.5 * p;
  trace = sum / 3;
  p -= 0.5 * trace;
  assert_close (lm_learn_value (l, "b", 1), p);
  assert_close (lm_learn_state_value (l, "slots.trace.b", 1), trace);
  assert_close (lm_learn_state_value (l, "optimizer.count", 0), 1);
  assert_close (lm_learn_state_value (l, "accumulator.sum.b", 1), 0);
  lm_learn_free (l);
}

/* --- elastic weights -------------------------------------------------------------------------- */

/* The snapshot is taken at count 0, so the first update has no pull; then u - lr w / 2 (p - p0),
 * with factors by variable. */
static void
test_ewc (void)
{
  static const char *const learners[] = {
      SGD (DROP ", 'ewc_regularizer_weight': 0.5"),
      SGD (DROP ", 'ewc_regularizer_weight': 0.5, 'ewc_var_patterns': ['x', 'b$', 'b'], "
                "'ewc_weight_per_var': [100, 3, 200]")};
  for (guint k = 0; k < 2; k++) {
    double p = -5, p0 = -5;
    LmLearn *l = lm_learn_pair (learners[k]);
    lm_array_unref (l->vars[1]); /* loaded after the states were made */
    l->vars[1] = lm_test_array (&l->spec.types[1], (double[]) {0, -5, 0});
    for (guint i = 0; i < 3; i++) {
      double rate = i == 0 ? 0.5 : 0.05;
      lm_learn_pair_step (l, ga, gb);
      p = p - rate * 12 - rate * 0.25 * (k == 0 ? 1 : 3) * (p - p0);
      assert_close (lm_learn_value (l, "b", 1), p);
    }
    assert_close (lm_learn_state_value (l, "ewc.vars.b", 1), p0);
    lm_learn_free (l);
  }
}

/* --- repeated layers -------------------------------------------------------------------------- */

#define ADAFACTOR                                                                                  \
  "'optimizer': {'type': 'lamina.sharded_adafactor', 'learning_rate': 0.1, 'decay_adam': 0.9, "    \
  "'beta1': 0.5, 'quantized_dtype': 'i16', 'multiply_by_parameter_scale': true, "                  \
  "'layerwise_adaptation': true, 'skip_lp_1d_vectors': true, 'l2_regularizer_weight': 0.1}"

static double
number (guint i, guint k)
{
  return sin (1.0 + 3.0 * i + 1.7 * k);
}

static LmArray *
numbers (const lam_type *type, guint i, guint first)
{
  double values[64];
  for (guint k = 0; k < (guint)lam_type_elements (type); k++)
    values[k] = number (i, first + k);
  return lm_test_array (type, values);
}

/* A stack (2, 3, 4, 2) with two prefix dims is updated as six variables (4, 2): clipping by rms,
 * row and column means, buckets and ratios are per layer. The same for vectors, which
 * skip_lp_1d_vectors knows as such. */
static void
test_repeat_prefix (void)
{
  for (int32_t rank = 1; rank <= 2; rank++) {
    lam_type one = lm_type (LAM_F64, rank, (int64_t[]) {4, 2});
    lam_type all = lm_type (LAM_F64, 2 + rank, (int64_t[]) {2, 3, 4, 2});
    guint size = (guint)lam_type_elements (&one);
    LmLearnSpec spec = {1, {"w"}, {all}, {0}, {2}, "'type': 'lamina.learner', " ADAFACTOR};
    g_autoptr (LmArray) start = numbers (&all, 0, 0);
    LmLearn *stack = lm_learn_new (&spec, &start);
    for (guint i = 1; i <= 3; i++) {
      LmArray *grad = numbers (&all, i, 0);
      lm_learn_step (stack, &grad);
    }
    spec.types[0] = one;
    spec.n_prefix[0] = 0;
    for (guint row = 0; row < 6; row++) {
      g_autoptr (LmArray) start_row = numbers (&one, 0, row * size);
      LmLearn *l = lm_learn_new (&spec, &start_row);
      for (guint i = 1; i <= 3; i++) {
        LmArray *grad = numbers (&one, i, row * size);
        lm_learn_step (l, &grad);
      }
      for (guint k = 0; k < size; k++)
        assert_close (lm_learn_value (stack, "w", row * size + k), lm_learn_value (l, "w", k));
      lm_learn_free (l);
    }
    const LmArray *m = lm_learn_state (stack, "slots.m_scale.w");
    g_assert_cmpint (m->type.rank, ==, 2 + rank - 1);
    g_assert_true (m->type.dims[0] == 2 && m->type.dims[1] == 3);
    lm_learn_free (stack);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step/optimizer/ema", test_ema);
  g_test_add_func ("/step/optimizer/ema_non_trainable", test_ema_non_trainable);
  g_test_add_func ("/step/optimizer/find_ema", test_find_ema);
  g_test_add_func ("/step/optimizer/counts", test_counts);
  g_test_add_func ("/step/optimizer/accumulate", test_accumulate);
  g_test_add_func ("/step/optimizer/ewc", test_ewc);
  g_test_add_func ("/step/optimizer/repeat_prefix", test_repeat_prefix);
  return g_test_run ();
}
