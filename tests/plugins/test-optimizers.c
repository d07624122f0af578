/* SPDX-License-Identifier: Apache-2.0 */
/* Every optimizer in its learner, against praxis and optax in f32 (golden groups
 * optimizers_praxis, optimizers_optax: 20 steps) and optax in f64 (optimizers_f64: 10 steps);
 * the reference backend. Among the praxis cases are those of the host's chain and of the
 * learners. */
#include "tests/lib/golden.h"
#include "tests/lib/learn.h"
#include "tests/plugins/optimizers.h"

#include <lamina/setup.h>
#include <math.h>
#include <string.h>

static LmArray *
row_of (const LmGolden *g, const LmGoldenCase *c, const char *section, const char *name, gint i)
{
  LmGoldenTensor x;
  g_assert_true (lm_golden_tensor (g, c, section, name, &x));
  lam_type type = x.type;
  if (i >= 0) {
    type.rank--;
    memmove (type.dims, type.dims + 1, sizeof type.dims - sizeof type.dims[0]);
  }
  gsize bytes = (gsize)lam_type_bytes (&type);
  return lm_array_new_copy (&type, (const char *)x.data + (i >= 0 ? (gsize)i * bytes : 0), NULL);
}

/* The variables that the case has results of. */
static LmLearnSpec
spec_of (const LmOptimizerRow *row, const LmGoldenCase *c, LmArray **params, guint n)
{
  LmLearnSpec spec = {.n = n};
  JsonArray *names = lm_golden_names (c, "out");
  for (guint i = 0; i < n; i++) {
    spec.names[i] = json_array_get_string_element (names, i);
    spec.types[i] = params[i]->type;
    if (row->skip_lp != NULL && strcmp (row->skip_lp, spec.names[i]) == 0)
      spec.collections[i] = LAM_SKIP_LP_REGULARIZATION;
    if (row->prefixed != NULL && strcmp (row->prefixed, spec.names[i]) == 0)
      spec.n_prefix[i] = 1;
  }
  const char *type = strstr (row->learner, "auxiliary") != NULL ? "lamina.multi_optimizer_learner"
                                                                : "lamina.learner";
  spec.learner =
      g_strdup_printf ("'type': '%s', 'optimizer': {%s}%s", type, row->optimizer, row->learner);
  return spec;
}

static bool
close_to (double a, double b, double limit)
{
  return (isnan (a) && isnan (b)) || a == b || fabs (a - b) <= limit;
}

static bool
compare (const LmOptimizerRow *row, const LmGoldenCase *c, const LmArray *got, const LmArray *want,
         const char *what)
{
  for (int64_t e = 0; e < lam_type_elements (&want->type); e++) {
    double a = lm_array_get_double (got, e), b = lm_array_get_double (want, e);
    double limit = row->slack * (c->tolerance.atol + c->tolerance.rtol * fabs (b));
    if (!close_to (a, b, limit)) {
      g_test_fail_printf ("%s: %s[%d]: got %.17g, wanted %.17g", c->id, what, (int)e, a, b);
      return false;
    }
  }
  return true;
}

/* Variables after step i; after the last one the averages, where the case has them. */
static bool
compare_step (const LmOptimizerRow *row, const LmGolden *g, const LmGoldenCase *c, const LmLearn *l,
              guint i)
{
  bool good = true;
  JsonArray *states = lm_golden_names (c, "state");
  for (guint k = 0; k < l->spec.n && good; k++) {
    g_autofree char *what = g_strdup_printf ("step %u: %s", i, l->spec.names[k]);
    g_autoptr (LmArray) want = row_of (g, c, "out", l->spec.names[k], (gint)i);
    good = compare (row, c, l->vars[k], want, what);
  }
  for (guint k = 0; states != NULL && k < json_array_get_length (states) && good; k++) {
    const char *name = json_array_get_string_element (states, k); /* "ema.b" */
    g_autofree char *path = g_strdup_printf ("ema.vars.%s", name + strlen ("ema."));
    g_autoptr (LmArray) want = row_of (g, c, "state", name, (gint)i);
    const LmArray *got = lm_learn_state (l, path);
    g_assert_nonnull (got);
    good = compare (row, c, got, want, path);
  }
  return good;
}

static void
test_golden (gconstpointer data)
{
  const LmOptimizerRow *row = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open (row->group, &error);
  g_assert_no_error (error);
  const LmGoldenCase *c = lm_golden_lookup (g, row->id);
  g_assert_nonnull (c);
  const LmGoldenCase *inputs =
      lm_golden_lookup (g, json_object_get_string_member (c->attrs, "inputs"));
  JsonArray *names = lm_golden_names (c, "out");
  guint n = json_array_get_length (names);
  LmArray *params[LM_LEARN_VARS] = {NULL}, *grads[LM_LEARN_VARS] = {NULL};
  for (guint k = 0; k < n; k++)
    params[k] = row_of (g, inputs, "params", json_array_get_string_element (names, k), -1);
  LmLearnSpec spec = spec_of (row, c, params, n);
  LmLearn *l = lm_learn_new (&spec, params);
  guint steps = (guint)json_object_get_int_member (inputs->attrs, "steps");
  for (guint i = 0; i < steps; i++) {
    for (guint k = 0; k < n; k++)
      grads[k] = row_of (g, inputs, "grads", spec.names[k], (gint)i);
    lm_learn_step (l, grads);
    if (!compare_step (row, g, c, l, i))
      break;
  }
  for (guint k = 0; k < n; k++)
    lm_array_unref (params[k]);
  lm_learn_free (l);
  g_free (spec.learner);
}

/* Each case of the groups is a row, or is named as one that is left out. */
static void
test_complete (void)
{
  static const char *const groups[] = {"optimizers_praxis", "optimizers_optax", "optimizers_f64"};
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LmGolden) g = lm_golden_open (groups[i], &error);
    g_assert_no_error (error);
    for (guint k = 0; k < lm_golden_n_cases (g); k++) {
      const LmGoldenCase *c = lm_golden_case (g, k);
      bool found = strcmp (c->kind, "inputs") == 0;
      for (const LmOptimizerRow *row = lm_optimizer_rows; row->id != NULL && !found; row++)
        found = strcmp (row->group, groups[i]) == 0 && strcmp (row->id, c->id) == 0;
      for (const LmOptimizerLater *later = lm_optimizers_later; later->id != NULL && !found;
           later++)
        found = strcmp (later->group, groups[i]) == 0 && strcmp (later->id, c->id) == 0;
      if (!found)
        g_test_fail_printf ("%s/%s is no row of this test", groups[i], c->id);
    }
  }
}

/* What an optimizer's own table cannot refuse. */
static void
test_refuse (void)
{
  static const char *const bad[][2] = {
      {"'type': 'lamina.adamw', 'learning_rate': 1, 'beta1': 1.0", "beta1 and beta2"},
      {"'type': 'lamina.adam', 'learning_rate': 1, 'beta2': 1.0", "beta1 and beta2"},
      {"'type': 'lamina.adam', 'learning_rate': 1, 'sharded_adam': false, 'weight_decay': 0.1",
       "use decoupled_weight_decay"},
      {"'type': 'lamina.sgd', 'learning_rate': 1, 'momentun': 0.9", "momentum"},
      {"'type': 'lamina.sgd', 'learning_rate': 1, 'momentum': -1", "momentum"},
      {"'type': 'lamina.lion', 'learning_rate': 1, 'm_dtype': 'i8'", "m_dtype wants a float"},
      {"'type': 'lamina.lamb', 'learning_rate': 1, 'mask': ['(']", "no regular expression"},
      {"'type': 'lamina.sharded_adafactor', 'learning_rate': 1", "decay_adam in (0, 1)"},
      {"'type': 'lamina.sharded_adafactor', 'learning_rate': 1, 'decay_adam': 0.9, "
       "'quantized_dtype': 'u8'",
       "i8, i16, bf16 or f32"},
      {"'type': 'lamina.radam', 'learning_rate': 1, 'b2': 0.5", "(0.5, 1)"}};
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *learner =
        g_strdup_printf ("'type': 'lamina.learner', 'optimizer': {%s}", bad[i][0]);
    LmLearnSpec spec = {1, {"w"}, {lm_scalar_type (LAM_F32)}, {0}, {0}, learner};
    g_assert_null (lm_learn_try (&spec, &error));
    lm_test_assert_error (&error, LM_ERROR_INVALID, bad[i][1], NULL);
  }
}

/* The case's name; a second row of the same case says what differs. */
static char *
row_path (const LmOptimizerRow *row)
{
  bool again = row > lm_optimizer_rows && strcmp (row[-1].id, row->id) == 0
               && strcmp (row[-1].group, row->group) == 0;
  return g_strdup_printf ("/plugins/optimizers/%s/%s%s", row->group, row->id,
                          again ? "/not_vectorized" : "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (const LmOptimizerRow *row = lm_optimizer_rows; row->id != NULL; row++) {
    g_autofree char *path = row_path (row);
    g_test_add_data_func (path, row, test_golden);
  }
  g_test_add_func ("/plugins/optimizers/complete", test_complete);
  g_test_add_func ("/plugins/optimizers/refuse", test_refuse);
  return g_test_run ();
}
