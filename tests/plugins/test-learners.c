/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.learner by the rules of semantics 1.11, in f64 against their formulas. (Whole optimizers:
 * test-optimizers.) a (2, 2) = 1, -2, 3, 0.5; b (3) = 0.5, -1, 2. */
#include "tests/lib/learn.h"

#include <lamina/setup.h>
#include <math.h>
#include <string.h>

#define SGD(more) "'optimizer': {'type': 'lamina.sgd', 'learning_rate': 0.5" more "}"

static const double ga[] = {3, 0, -4, 0}, gb[] = {0, 12, 0}; /* norms 5, 12, together 13 */
static const double zero[] = {0, 0, 0, 0}, nans[] = {NAN, 1, 1};

static void
assert_close (double got, double wanted)
{
  if (!(fabs (got - wanted) <= 1e-12 * fmax (1, fabs (wanted))))
    g_error ("got %.17g, wanted %.17g", got, wanted);
}

/* Both kinds of clipping, both lists, and regularisers that do not go together are refused, and
 * so are options that have no effect. */
static void
test_refuse (void)
{
  static const char *const bad[][2] = {
      {"'clip_gradient_norm_to_value': 1.0, 'clip_gradient_single_norm_to_value': 1.0, " SGD (""),
       "exclude each other"},
      {"'bprop_variable_exclusion': ['a'], 'bprop_variable_inclusion': ['b'], " SGD (""),
       "exclude each other"},
      {"'check_valid_step': false, 'skip_step_gradient_norm_value': 5, " SGD (""),
       "needs check_valid_step"},
      {"'bprop_variable_exclusion': ['a', 'b(c'], " SGD (""),
       "the pattern \"b(c\" is no regular expression: at character 3"},
      {SGD (", 'l1_regularizer_weight': 0.1, 'l2_regularizer_weight': 0.1"), "exclude each other"},
      {SGD (", 'l1_regularizer_weight': 0.1, 'decoupled_weight_decay': 0.1"), "exclude each other"},
      {SGD (", 'l2_regularizer_weight': 0.1, 'decoupled_weight_decay': 0.1"), "exclude each other"},
      {SGD (", 'ema_decay': 1.0"), "ema_decay wants a number in [0, 1)"},
      {SGD (", 'num_sub_batches': 0"), "num_sub_batches"},
      {SGD (", 'num_sub_batches': 4294967296"), "num_sub_batches: wanted an integer >= 1 and <= "},
      {"'bprop_variable_inclusion': ['c', 'ab'], " SGD (""), "no pattern matches a variable"},
      {"'bprop_variable_inclusion': ['(?R)'], " SGD (""), "too many steps on a"},
      {SGD (", 'ewc_var_patterns': ['a']"), "equally many"},
      {SGD (", 'ewc_var_patterns': ['a'], 'ewc_weight_per_var': [1]"),
       "does nothing without ewc_regularizer_weight"},
      {SGD (", 'ewc_regularizer_weight': 1, 'ewc_var_patterns': ['*'], 'ewc_weight_per_var': [1]"),
       "ewc_var_patterns: the pattern \"*\""},
      {"'loss_name': 'loss'", "optimizer: missing"}};
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = lm_learn_pair_error (bad[i][0]);
    lm_test_assert_error (&error, LM_ERROR_INVALID, bad[i][1], NULL);
  }
}

/* 1, 2, 4, 7: the summaries and their values; var_norm is of the old variables. */
static void
test_summaries (void)
{
  LmLearn *l =
      lm_learn_pair ("'clip_gradient_norm_to_value': 6.5, 'grad_norm_individual_vars': true, "
                     "'var_norm_individual_vars': true, " SGD (""));
  lm_learn_pair_step (l, ga, gb);
  assert_close (lm_learn_summary (l, "/grad_norm_scalar"), 13);
  assert_close (lm_learn_summary (l, "/grad_scale_scalar"), 0.5);
  assert_close (lm_learn_summary (l, "/clipped_grad_norm_scalar"), 6.5);
  assert_close (lm_learn_summary (l, "/applied_grad_norm_scalar"), 3.25);
  assert_close (lm_learn_summary (l, "/is_valid_step_scalar"), 1);
  assert_close (lm_learn_summary (l, "/var_grad_norm/a_scalar"), 5);
  assert_close (lm_learn_summary (l, "/var_grad_norm/b_scalar"), 12);
  assert_close (lm_learn_summary (l, "/var_norm_scalar"), sqrt (1 + 4 + 9 + .25 + .25 + 1 + 4));
  assert_close (lm_learn_summary (l, "/per_var_norm/b_scalar"), sqrt (5.25));
  assert_close (lm_learn_value (l, "a", 0), 1 - 0.5 * 1.5);
  lm_learn_pair_step (l, zero, nans);
  assert_close (lm_learn_summary (l, "/is_valid_step_scalar"), 0);
  assert_close (lm_learn_summary (l, "/applied_grad_norm_scalar"), 0);
  lm_learn_free (l);
}

/* All switches off: no summary; with check_valid_step off no norm and no test of it is in the
 * step. */
static void
test_switches (void)
{
  LmLearn *l = lm_learn_pair ("'grad_norm_summary': false, 'var_norm_summary': false, "
                              "'check_valid_step': false, " SGD (""));
  g_assert_cmpuint (l->summary_keys->len, ==, 0);
  g_autofree char *text = lm_text_print (l->step);
  g_assert_null (strstr (text, "is_finite"));
  g_assert_null (strstr (text, "reduce"));
  lm_learn_pair_step (l, ga, nans);
  g_assert_true (isnan (lm_learn_value (l, "b", 0)));
  assert_close (lm_learn_value (l, "a", 0), -0.5);
  lm_learn_free (l);
}

/* 3: valid is isfinite (N) and N < threshold; at the threshold a step is not valid. */
static void
test_valid (void)
{
  static const double inf[] = {INFINITY, 0, 0}, less[] = {0, 11.9, 0};
  LmLearn *l = lm_learn_pair ("'skip_step_gradient_norm_value': 13.0, " SGD (""));
  lm_learn_pair_step (l, ga, gb); /* N = 13 */
  assert_close (lm_learn_value (l, "b", 1), -1);
  lm_learn_pair_step (l, ga, inf);
  assert_close (lm_learn_value (l, "a", 0), 1);
  lm_learn_pair_step (l, ga, nans);
  assert_close (lm_learn_value (l, "a", 0), 1);
  lm_learn_pair_step (l, ga, less);
  assert_close (lm_learn_value (l, "b", 1), -1 - 0.5 * 11.9);
  lm_learn_free (l);
}

/* 4: N = 0 gives C / 0 = inf, scale 1, and the gradient stays 0. */
static void
test_zero_norm (void)
{
  static const char *const learners[] = {"'clip_gradient_norm_to_value': 1, " SGD (""),
                                         "'clip_gradient_single_norm_to_value': 1, " SGD ("")};
  for (guint i = 0; i < 2; i++) {
    LmLearn *l = lm_learn_pair (learners[i]);
    lm_learn_pair_step (l, zero, zero);
    assert_close (lm_learn_summary (l, "/grad_scale_scalar"), 1);
    assert_close (lm_learn_value (l, "a", 1), -2);
    assert_close (lm_learn_value (l, "b", 2), 2);
    lm_learn_free (l);
  }
}

/* 4: each gradient by its own norm; grad_scale stays 1. */
static void
test_clip_single (void)
{
  LmLearn *l = lm_learn_pair ("'clip_gradient_single_norm_to_value': 6, " SGD (""));
  lm_learn_pair_step (l, ga, gb);
  assert_close (lm_learn_summary (l, "/grad_scale_scalar"), 1);
  assert_close (lm_learn_value (l, "a", 0), 1 - 0.5 * 3);  /* norm 5: as it is */
  assert_close (lm_learn_value (l, "b", 1), -1 - 0.5 * 6); /* norm 12: halved */
  lm_learn_free (l);
}

/* 4, 5: clipping comes first, then L2, then momentum; decay comes last and sees no momentum. */
static void
test_order (void)
{
  double m = 0, p = -1;
  LmLearn *l = lm_learn_pair ("'clip_gradient_norm_to_value': 6.5, " SGD (
      ", 'momentum': 0.9, 'l2_regularizer_weight': 0.25"));
  for (guint i = 0; i < 3; i++) {
    lm_learn_pair_step (l, ga, gb);
    m = 0.9 * m + (6 + 0.25 * p);
    p -= 0.5 * m;
    assert_close (lm_learn_value (l, "b", 1), p);
  }
  lm_learn_free (l);
  m = 0;
  p = -1;
  l = lm_learn_pair (SGD (", 'momentum': 0.9, 'decoupled_weight_decay': 0.25"));
  for (guint i = 0; i < 3; i++) {
    lm_learn_pair_step (l, ga, gb);
    m = 0.9 * m + 12;
    p += -0.5 * m - 0.5 * 0.25 * p;
    assert_close (lm_learn_value (l, "b", 1), p);
  }
  lm_learn_free (l);
}

/* 5: L1 and L2 leave out variables of rank <= 1 only where skip_lp_1d_vectors says so; decay
 * never does. */
static void
test_skip_lp_1d_vectors (void)
{
  static const struct {
    const char *learner;
    double a, b; /* a[1] = -2 and b[1] = -1 after a step with gradient 0 */
  } rows[] = {
      {SGD (", 'l1_regularizer_weight': 0.1"), -2 + 0.05, -1 + 0.05},
      {SGD (", 'l1_regularizer_weight': 0.1, 'skip_lp_1d_vectors': true"), -2 + 0.05, -1},
      {SGD (", 'l2_regularizer_weight': 0.1"), -2 + 0.1, -1 + 0.05},
      {SGD (", 'l2_regularizer_weight': 0.1, 'skip_lp_1d_vectors': true"), -2 + 0.1, -1},
      {SGD (", 'decoupled_weight_decay': 0.1, 'skip_lp_1d_vectors': true"), -2 + 0.1, -1 + 0.05}};
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LmLearn *l = lm_learn_pair (rows[i].learner);
    lm_learn_pair_step (l, zero, zero);
    assert_close (lm_learn_value (l, "a", 1), rows[i].a);
    assert_close (lm_learn_value (l, "b", 1), rows[i].b);
    lm_learn_free (l);
  }
}

/* The collection SKIP_LP_REGULARIZATION leaves out all three. */
static void
test_skip_lp_collection (void)
{
  static const char *const learners[] = {SGD (", 'l1_regularizer_weight': 0.1"),
                                         SGD (", 'l2_regularizer_weight': 0.1"),
                                         SGD (", 'decoupled_weight_decay': 0.1")};
  for (guint i = 0; i < G_N_ELEMENTS (learners); i++) {
    LmLearnSpec spec = lm_learn_pair_spec (learners[i]);
    spec.collections[0] = LAM_SKIP_LP_REGULARIZATION;
    LmLearn *l = lm_learn_pair_of (&spec);
    lm_learn_pair_step (l, zero, zero);
    assert_close (lm_learn_value (l, "a", 1), -2);
    g_assert_cmpfloat (lm_learn_value (l, "b", 1), >, -1);
    lm_learn_free (l);
    g_free (spec.learner);
  }
}

/* 6: a skipped step keeps every state leaf, the optimizer's counts among them, while the step
 * goes on: the next rate is the schedule's at the count, not at the step. */
static void
test_skip_keeps_counts (void)
{
  LmLearn *l =
      lm_learn_pair (SGD (", 'momentum': 0.5, 'ema_decay': 0.9, 'lr_schedule': {'type': "
                          "'lamina.piecewise_constant', 'boundaries': [1], 'values': [1, 0.1]}"));
  lm_learn_pair_step (l, zero, nans);
  g_assert_cmpuint (l->count, ==, 1);
  assert_close (lm_learn_state_value (l, "optimizer.count", 0), 0);
  assert_close (lm_learn_state_value (l, "ema.count", 0), 0);
  assert_close (lm_learn_state_value (l, "slots.trace.b", 1), 0);
  lm_learn_pair_step (l, ga, gb);
  g_assert_cmpuint (l->count, ==, 2);
  assert_close (lm_learn_state_value (l, "optimizer.count", 0), 1);
  assert_close (lm_learn_value (l, "b", 1), -1 - 0.5 * 12); /* the rate of count 0 */
  lm_learn_pair_step (l, ga, gb);
  assert_close (lm_learn_value (l, "b", 1), -7 - 0.05 * 18);
  lm_learn_free (l);
}

/* 6 switched off: what is not finite goes through, and counts advance. */
static void
test_no_skip (void)
{
  LmLearn *l = lm_learn_pair ("'enable_skip_step_on_gradient_anomalies': false, " SGD (""));
  lm_learn_pair_step (l, ga, nans);
  g_assert_true (isnan (lm_learn_value (l, "b", 0)));
  assert_close (lm_learn_value (l, "b", 1), -1.5);
  assert_close (lm_learn_state_value (l, "optimizer.count", 0), 1);
  assert_close (lm_learn_summary (l, "/is_valid_step_scalar"), 0);
  lm_learn_free (l);
}

/* Variables that are not trainable count in var_norm, but in nothing else. */
static void
test_non_trainable (void)
{
  LmLearnSpec spec = lm_learn_pair_spec (SGD (", 'momentum': 0.9"));
  spec.collections[1] = LAM_NON_TRAINABLE;
  LmLearn *l = lm_learn_pair_of (&spec);
  lm_learn_pair_step (l, ga, gb);
  assert_close (lm_learn_summary (l, "/grad_norm_scalar"), 5);
  assert_close (lm_learn_summary (l, "/var_norm_scalar"), sqrt (1 + 4 + 9 + .25 + .25 + 1 + 4));
  assert_close (lm_learn_value (l, "b", 1), -1);
  g_assert_null (lm_learn_state (l, "slots.trace.b"));
  lm_learn_free (l);
  g_free (spec.learner);
}

/* Exclusion, inclusion: fixed variables are not selected, have no slots and do not count in the
 * norm. */
static void
test_bprop (void)
{
  static const char *const learners[] = {
      "'bprop_variable_exclusion': ['x.*', 'b'], " SGD (", 'momentum': 0.9, 'ema_decay': 0.5"),
      "'bprop_variable_inclusion': ['a$'], " SGD (", 'momentum': 0.9, 'ema_decay': 0.5")};
  for (guint i = 0; i < G_N_ELEMENTS (learners); i++) {
    LmLearn *l = lm_learn_pair (learners[i]);
    g_assert_true (l->infos[0]->learnable && !l->infos[1]->learnable);
    lm_learn_pair_step (l, ga, gb);
    assert_close (lm_learn_summary (l, "/grad_norm_scalar"), 5);
    assert_close (lm_learn_value (l, "a", 0), -0.5);
    assert_close (lm_learn_value (l, "b", 1), -1);
    g_assert_nonnull (lm_learn_state (l, "slots.trace.a"));
    g_assert_null (lm_learn_state (l, "slots.trace.b"));
    g_assert_nonnull (lm_learn_state (l, "ema.vars.a"));
    g_assert_null (lm_learn_state (l, "ema.vars.b"));
    lm_learn_free (l);
  }
}

/* keep_optimizer_state_for_excluded_vars: slots that see gradient 0; the variable stays. */
static void
test_keep_states (void)
{
  LmLearn *l =
      lm_learn_pair ("'bprop_variable_exclusion': ['b'], "
                     "'keep_optimizer_state_for_excluded_vars': true, 'optimizer': {'type': "
                     "'lamina.adagrad', 'learning_rate': 1, 'decoupled_weight_decay': 0.5}");
  lm_learn_pair_step (l, ga, gb);
  assert_close (lm_learn_state_value (l, "slots.sum_of_squares.b", 1), 0.1);
  assert_close (lm_learn_state_value (l, "slots.sum_of_squares.a", 0), 9.1);
  assert_close (lm_learn_value (l, "b", 1), -1);
  assert_close (lm_learn_summary (l, "/grad_norm_scalar"), 5);
  lm_learn_free (l);
}

/* OVERWRITE_WITH_GRADIENT: the raw gradient is the new value, also in an invalid step; norms,
 * clipping and the optimizer do not see it. */
static void
test_overwrite (void)
{
  static const double na[] = {NAN, 0, 0, 0};
  LmLearnSpec spec = lm_learn_pair_spec ("'clip_gradient_norm_to_value': 2.5, " SGD (
      ", 'momentum': 0.9, 'l2_regularizer_weight': 0.1, 'ema_decay': 0.5"));
  spec.collections[1] = LAM_OVERWRITE_WITH_GRADIENT;
  LmLearn *l = lm_learn_pair_of (&spec);
  lm_learn_pair_step (l, ga, gb);
  assert_close (lm_learn_summary (l, "/grad_norm_scalar"), 5);
  assert_close (lm_learn_summary (l, "/grad_scale_scalar"), 0.5);
  assert_close (lm_learn_value (l, "b", 1), 12);
  assert_close (lm_learn_value (l, "b", 0), 0);
  g_assert_null (lm_learn_state (l, "slots.trace.b"));
  g_assert_null (lm_learn_state (l, "ema.vars.b"));
  lm_learn_pair_step (l, na, ga);
  assert_close (lm_learn_value (l, "b", 0), 3);
  lm_learn_free (l);
  g_free (spec.learner);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plugins/learners/refuse", test_refuse);
  g_test_add_func ("/plugins/learners/summaries", test_summaries);
  g_test_add_func ("/plugins/learners/switches", test_switches);
  g_test_add_func ("/plugins/learners/valid", test_valid);
  g_test_add_func ("/plugins/learners/zero_norm", test_zero_norm);
  g_test_add_func ("/plugins/learners/clip_single", test_clip_single);
  g_test_add_func ("/plugins/learners/order", test_order);
  g_test_add_func ("/plugins/learners/skip_lp_1d_vectors", test_skip_lp_1d_vectors);
  g_test_add_func ("/plugins/learners/skip_lp_collection", test_skip_lp_collection);
  g_test_add_func ("/plugins/learners/skip_keeps_counts", test_skip_keeps_counts);
  g_test_add_func ("/plugins/learners/no_skip", test_no_skip);
  g_test_add_func ("/plugins/learners/non_trainable", test_non_trainable);
  g_test_add_func ("/plugins/learners/bprop", test_bprop);
  g_test_add_func ("/plugins/learners/keep_states", test_keep_states);
  g_test_add_func ("/plugins/learners/overwrite", test_overwrite);
  return g_test_run ();
}
