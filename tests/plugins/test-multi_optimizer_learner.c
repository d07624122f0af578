/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.multi_optimizer_learner by the rules of semantics 1.11, in f64 against their formulas.
 * a (2, 2) = 1, -2, 3, 0.5; b (3) = 0.5, -1, 2. */
#include "tests/lib/learn.h"

#include <math.h>

#define MULTI(more)                                                                                \
  "'type': 'lamina.multi_optimizer_learner', 'optimizer': {'type': 'lamina.sgd', "                 \
  "'learning_rate': 0.5, 'momentum': 0.9}" more
#define TENTH "{'type': 'lamina.sgd', 'learning_rate': 0.1}"
/* One auxiliary optimizer of that pattern. */
#define ONE(regex, more)                                                                           \
  MULTI (", 'auxiliary_optimizers': [" TENTH "], 'auxiliary_regex': ['" regex                      \
         "'], 'auxiliary_names': ['slow']" more)
#define TWO(regex_0, regex_1, more)                                                                \
  MULTI (", 'auxiliary_optimizers': [" TENTH ", {'type': 'lamina.adagrad', 'learning_rate': 1}], " \
         "'auxiliary_regex': ['" regex_0 "', '" regex_1                                            \
         "'], 'auxiliary_names': ['slow', 'ada']" more)

static const double ga[] = {3, 0, -4, 0}, gb[] = {0, 12, 0}; /* norms 5, 12, together 13 */
static const double zero[] = {0, 0, 0, 0}, nans[] = {NAN, 1, 1};

static void
assert_close (double got, double wanted)
{
  if (!(fabs (got - wanted) <= 1e-12 * fmax (1, fabs (wanted))))
    g_error ("got %.17g, wanted %.17g", got, wanted);
}

/* Lists of other lengths, overlap, an average in an auxiliary, and clip lists without effect. */
static void
test_refuse (void)
{
  static const struct {
    const char *learner, *piece, *other;
  } bad[] = {
      {MULTI (", 'auxiliary_regex': ['a']"), "want equally many elements", ""},
      {TWO ("a|b", "b", ""), "auxiliary_regex \"a|b\" and \"b\" both match b",
       "exclude each other"},
      {ONE ("a(", ""), "the pattern \"a(\"", "at character 2"},
      {ONE ("a", ", 'auxiliary_clip_gradient_norm_to_value': [1]"), "need apply_separate_scaling",
       ""},
      {ONE ("a",
            ", 'apply_separate_scaling': true, 'auxiliary_clip_gradient_norm_to_value': [1, 2]"),
       "one element for each auxiliary", ""},
      {ONE ("a", ", 'apply_separate_scaling': true, 'auxiliary_clip_gradient_norm_to_value': [1], "
                 "'auxiliary_clip_gradient_single_norm_to_value': [1]"),
       "both kinds of clipping", ""},
      {MULTI (", 'auxiliary_optimizers': [{'type': 'lamina.sgd', 'learning_rate': 1, 'ema_decay': "
              "0.9}], 'auxiliary_regex': ['a'], 'auxiliary_names': ['x']"),
       "ema_decay belongs to the primary optimizer", ""},
      {MULTI (", 'auxiliary_optimizers': [" TENTH "], 'auxiliary_regex': ['a'], 'auxiliary_names': "
              "['optimizer']"),
       "is taken", ""},
      {ONE ("a", ", 'match': 'glob'"), "start, search, substring", ""}};
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = lm_learn_pair_error (bad[i].learner);
    lm_test_assert_error (&error, LM_ERROR_INVALID, bad[i].piece, bad[i].other, NULL);
  }
}

/* Each variable goes to one optimizer, whose slots alone it has. */
static void
test_shared_out (void)
{
  LmLearn *l = lm_learn_pair (ONE ("b", ""));
  for (guint i = 0; i < 2; i++)
    lm_learn_pair_step (l, ga, gb);
  assert_close (lm_learn_value (l, "a", 0), 1 - 0.5 * 3 - 0.5 * (3 + 2.7));
  assert_close (lm_learn_value (l, "b", 1), -1 - 0.1 * 12 * 2);
  g_assert_nonnull (lm_learn_state (l, "optimizer.slots.trace.a"));
  g_assert_null (lm_learn_state (l, "slots.trace.b"));
  assert_close (lm_learn_state_value (l, "auxiliary.slow.count", 0), 2);
  lm_learn_free (l);
}

/* No pattern matches, or there is none: everything is the primary's. */
static void
test_default (void)
{
  static const char *const learners[] = {MULTI (""), ONE ("c", "")};
  for (guint i = 0; i < G_N_ELEMENTS (learners); i++) {
    LmLearn *l = lm_learn_pair (learners[i]);
    lm_learn_pair_step (l, ga, gb);
    assert_close (lm_learn_value (l, "b", 1), -7);
    g_assert_nonnull (lm_learn_state (l, "optimizer.slots.trace.b"));
    lm_learn_free (l);
  }
}

/* A pattern matches at the start of a path; as an option anywhere, or as plain text. */
static void
test_match (void)
{
  static const struct {
    const char *learner;
    bool auxiliary; /* whether net.block is the auxiliary's */
  } rows[] = {{ONE ("block", ""), false},
              {ONE (".*block", ""), true},
              {ONE ("b[k-m]ock", ", 'match': 'search'"), true},
              {ONE ("b[k-m]ock", ", 'match': 'substring'"), false},
              {ONE ("t.b", ", 'match': 'substring'"), false},
              {ONE ("t_b", ", 'match': 'substring'"), true}};
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LmLearnSpec spec = lm_learn_pair_spec (rows[i].learner);
    spec.names[1] = "net_block";
    LmLearn *l = lm_learn_pair_of (&spec);
    g_assert_true ((lm_learn_state (l, "slots.trace.net_block") == NULL) == rows[i].auxiliary);
    lm_learn_free (l);
    g_free (spec.learner);
  }
}

/* Clipping uses the primary's threshold over all gradients. */
static void
test_clip_together (void)
{
  LmLearn *l = lm_learn_pair (ONE ("b", ", 'clip_gradient_norm_to_value': 6.5"));
  lm_learn_pair_step (l, ga, gb);
  assert_close (lm_learn_summary (l, "/grad_norm_scalar"), 13);
  assert_close (lm_learn_summary (l, "/grad_scale_scalar"), 0.5);
  assert_close (lm_learn_value (l, "a", 0), 1 - 0.5 * 1.5);
  assert_close (lm_learn_value (l, "b", 1), -1 - 0.1 * 6);
  lm_learn_free (l);
}

/* apply_separate_scaling: each group by its own norm and threshold; a step is valid if all
 * groups are. */
static void
test_clip_apart (void)
{
  LmLearn *l = lm_learn_pair (ONE ("b", ", 'clip_gradient_norm_to_value': 1, "
                                        "'apply_separate_scaling': true, "
                                        "'auxiliary_clip_gradient_norm_to_value': [3]"));
  lm_learn_pair_step (l, ga, gb);
  assert_close (lm_learn_summary (l, "/main/grad_norm_scalar"), 5);
  assert_close (lm_learn_summary (l, "/main/grad_scale_scalar"), 0.2);
  assert_close (lm_learn_summary (l, "/slow/grad_norm_scalar"), 12);
  assert_close (lm_learn_summary (l, "/slow/grad_scale_scalar"), 0.25);
  assert_close (lm_learn_value (l, "a", 0), 1 - 0.5 * 0.6);
  assert_close (lm_learn_value (l, "b", 1), -1 - 0.1 * 3);
  lm_learn_pair_step (l, ga, nans);
  assert_close (lm_learn_value (l, "a", 0), 1 - 0.5 * 0.6);
  assert_close (lm_learn_summary (l, "/main/is_valid_step_scalar"), 1);
  assert_close (lm_learn_summary (l, "/slow/is_valid_step_scalar"), 0);
  assert_close (lm_learn_state_value (l, "optimizer.count", 0), 1);
  assert_close (lm_learn_state_value (l, "auxiliary.slow.count", 0), 1);
  lm_learn_free (l);
}

/* The average stands at the front: it covers the variables of all optimizers. */
static void
test_average (void)
{
  LmLearn *l = lm_learn_pair (
      "'type': 'lamina.multi_optimizer_learner', 'optimizer': {'type': 'lamina.sgd', "
      "'learning_rate': 0.5, 'ema_decay': 0.9}, 'auxiliary_optimizers': [" TENTH
      "], 'auxiliary_regex': ['b'], 'auxiliary_names': ['slow']");
  double ema = -1, p = -1;
  for (guint i = 0; i < 3; i++) {
    double d = fmin (0.9, (1.0 + i) / (10.0 + i));
    lm_learn_pair_step (l, ga, gb);
    ema -= (1 - d) * (ema - p);
    p -= 0.1 * 12;
    assert_close (lm_learn_value (l, "b", 1), p);
    assert_close (lm_learn_state_value (l, "optimizer.ema.vars.b", 1), ema);
  }
  lm_learn_free (l);
}

/* learning_rate_<name> at the step, whatever the optimizers' counts; the primary's is the core's
 * summary. */
static void
test_rates (void)
{
  LmLearn *l = lm_learn_pair (MULTI (", 'auxiliary_optimizers': [{'type': 'lamina.sgd', "
                                     "'learning_rate': 0.1, 'lr_schedule': {'type': "
                                     "'lamina.piecewise_constant', 'boundaries': [1], 'values': "
                                     "[1, 0.5]}}], 'auxiliary_regex': ['b'], "
                                     "'auxiliary_names': ['slow']"));
  lm_learn_pair_step (l, zero, nans); /* skipped */
  assert_close (lm_learn_summary (l, "/learning_rate_slow_scalar"), 0.1);
  lm_learn_pair_step (l, ga, gb);
  assert_close (lm_learn_summary (l, "/learning_rate_slow_scalar"), 0.05);
  assert_close (lm_learn_value (l, "b", 1), -1 - 0.1 * 12);
  lm_learn_free (l);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plugins/multi_optimizer_learner/refuse", test_refuse);
  g_test_add_func ("/plugins/multi_optimizer_learner/shared_out", test_shared_out);
  g_test_add_func ("/plugins/multi_optimizer_learner/default", test_default);
  g_test_add_func ("/plugins/multi_optimizer_learner/match", test_match);
  g_test_add_func ("/plugins/multi_optimizer_learner/clip_together", test_clip_together);
  g_test_add_func ("/plugins/multi_optimizer_learner/clip_apart", test_clip_apart);
  g_test_add_func ("/plugins/multi_optimizer_learner/average", test_average);
  g_test_add_func ("/plugins/multi_optimizer_learner/rates", test_rates);
  return g_test_run ();
}
