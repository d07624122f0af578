/* SPDX-License-Identifier: Apache-2.0 */
/* Semantics 1.9, Comp: tests/strangers/comp.c run over lamina.batch_norm (values of praxis, golden group
 * layers) and over lamina.dropout (the key that the body sees). */
#include "core/step/step.h"
#include "tests/lib/fixture.h"
#include "tests/lib/golden.h"

#include <lamina/context.h>
#include <lamina/ops.h>
#include <string.h>

/* A model whose root is Comp over `body`, and a trace in which it runs. */
typedef struct Comp {
  LmRegistry *registry;
  LmBackend *backend;
  LmModel *model;
  LmTrace *trace;
  lam_trace *t;
  GPtrArray *in; /* of LmArray*, in the order of parameters */
} Comp;

static Comp
comp_new (const char *body)
{
  g_autoptr (GError) error = NULL;
  Comp c = {.registry = lm_test_registry ()};
  g_autofree char *text =
      g_strdup_printf ("{\"model\": {\"type\": \"test.comp\", \"body\": %s}}", body);
  g_autoptr (JsonObject) config = lm_test_json (text);
  c.backend = lm_test_backend (c.registry, "reference");
  c.model = lm_model_new (c.registry, lm_host_tables (), config, &error);
  g_assert_no_error (error);
  c.trace = lm_model_trace (c.model, "comp");
  c.t = lm_trace_pub (c.trace);
  c.in = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  return c;
}

static void
comp_clear (Comp *c)
{
  lm_trace_free (c->trace);
  lm_model_free (c->model);
  lm_backend_unref (c->backend);
  lm_registry_free (c->registry);
  g_ptr_array_unref (c->in);
}

/* A parameter with its value; takes the array. */
static lam_tensor
param (Comp *c, LmArray *array)
{
  g_ptr_array_add (c->in, array);
  return lm_trace_param (c->trace, &array->type);
}

static void
run (Comp *c, const lam_tensor *results, guint n, LmArray **out)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f = lm_trace_finish (c->trace, results, n, &error);
  g_assert_no_error (error);
  lm_test_run (c->backend, f, (LmArray **)c->in->pdata, out);
}

/* --- batch norm ---------------------------------------------------------------------------------------- */

static LmArray *
golden_array (const LmGolden *g, const LmGoldenCase *k, const char *section, const char *name)
{
  g_autoptr (GError) error = NULL;
  LmGoldenTensor x;
  g_assert_true (lm_golden_tensor (g, k, section, name, &x));
  LmArray *array = lm_array_new_copy (&x.type, x.data, &error);
  g_assert_no_error (error);
  return array;
}

/* A child by its raw key, which may hold slashes. */
static const LmNest *
find_key (const LmNest *map, const char *key)
{
  for (guint i = 0; i < lm_nest_size (map); i++)
    if (strcmp (lm_nest_key (map, i), key) == 0)
      return lm_nest_child (map, i);
  return NULL;
}

static void
test_batch_norm (gconstpointer id)
{
  static const char *const vars[] = {"beta", "gamma", "moving_mean", "moving_variance"};
  static const char *const keys[] = {"bn.fprop/mean_scalar", "bn.fprop/variance_scalar",
                                     "bn.fprop/moving_mean_scalar",
                                     "bn.fprop/moving_variance_scalar"};
  g_autoptr (LmGolden) g = lm_golden_open ("layers", NULL);
  const LmGoldenCase *k = lm_golden_lookup (g, id);
  Comp c = comp_new ("{\"type\": \"lamina.batch_norm\", \"dim\": 4}");
  lam_type u32 = lm_scalar_type (LAM_U32);
  lam_nest in = lam_nest_map (c.t), theta = lam_nest_map (c.t);
  JsonArray *inputs = lm_golden_names (k, "in");
  for (guint i = 0; i < 4; i++)
    lam_nest_set_tensor (c.t, theta, vars[i], param (&c, golden_array (g, k, "var", vars[i])));
  lam_nest_set (c.t, in, "theta", theta);
  lam_nest_set_tensor (c.t, in, "key", param (&c, lm_test_key (0, 42)));
  lam_nest_set_tensor (c.t, in, "step", param (&c, lm_test_array (&u32, (double[]) {7})));
  for (guint i = 0; i < json_array_get_length (inputs); i++) {
    const char *name = json_array_get_string_element (inputs, i);
    lam_nest_set_tensor (c.t, in, strcmp (name, "x") == 0 ? "inputs" : name,
                         param (&c, golden_array (g, k, "in", name)));
  }
  lam_nest out = lm_layer_call (c.trace, lm_model_root (c.model), "fprop", in);
  g_assert_no_error (lm_trace_error (c.trace));
  const LmNest *summaries = lm_nest_get (lm_trace_nest_peek (c.trace, out), "summaries");
  g_assert_cmpuint (lm_nest_size (summaries), ==, 4);
  for (guint i = 0; i < 4; i++)
    g_assert_nonnull (find_key (summaries, keys[i]));
  lam_tensor results[5] = {lam_nest_get_tensor (c.t, out, "out")};
  for (guint i = 0; i < 4; i++)
    results[1 + i] = lam_nest_get_tensor (c.t, lam_nest_get (c.t, out, "theta"), vars[i]);
  LmArray *got[5];
  run (&c, results, 5, got);
  g_autofree char *name = g_strdup (json_array_get_string_element (lm_golden_names (k, "out"), 0));
  g_autoptr (GString) why = g_string_new (NULL);
  g_assert_true (lm_golden_compare (g, k, "out", name, got[0]->data, (gsize)got[0]->bytes, why));
  for (guint i = 2; i < 4; i++)
    g_assert_true (lm_golden_compare (g, k, "updated", vars[i], got[1 + i]->data,
                                      (gsize)got[1 + i]->bytes, why));
  for (guint i = 0; i < 2; i++) { /* trainable: the old values */
    g_autoptr (LmArray) old = golden_array (g, k, "var", vars[i]);
    g_assert_cmpmem (got[1 + i]->data, (gsize)got[1 + i]->bytes, old->data, (gsize)old->bytes);
  }
  for (guint i = 0; i < 5; i++)
    lm_array_unref (got[i]);
  comp_clear (&c);
}

/* --- the key that the body sees -------------------------------------------------------------------------- */

/* The key that binding takes does not matter: the body draws the second half of split (fold_in (key,
 * step)). */
static void
test_key (void)
{
  Comp c = comp_new ("{\"type\": \"lamina.dropout\", \"keep_prob\": 0.5}");
  lam_type u32 = lm_scalar_type (LAM_U32), rows = lm_type (LAM_F32, 1, (int64_t[]) {64});
  double ones[64];
  for (guint i = 0; i < 64; i++)
    ones[i] = 1;
  lam_nest in = lam_nest_map (c.t);
  lam_key key = {param (&c, lm_test_key (0, 42))}, pair[2];
  lam_tensor step = param (&c, lm_test_array (&u32, (double[]) {7}));
  lam_tensor x = param (&c, lm_test_array (&rows, ones));
  lam_nest_set_tensor (c.t, in, "key", key.bits);
  lam_nest_set_tensor (c.t, in, "step", step);
  lam_nest_set_tensor (c.t, in, "inputs", x);
  lam_nest out = lm_layer_call (c.trace, lm_model_root (c.model), "fprop", in);
  g_assert_no_error (lm_trace_error (c.trace));
  lam_split (c.t, lam_fold_in (c.t, key, step), 2, pair);
  lam_tensor u = lam_uniform (c.t, pair[1], LAM_SHAPE (64), LAM_F32);
  lam_tensor wanted =
      lam_div_scalar (c.t, lam_mul (c.t, x, lam_floor (c.t, lam_add_scalar (c.t, u, 0.5))), 0.5);
  lam_tensor results[2] = {lam_nest_get_tensor (c.t, out, "out"), wanted};
  LmArray *got[2];
  run (&c, results, 2, got);
  g_assert_cmpmem (got[0]->data, (gsize)got[0]->bytes, got[1]->data, (gsize)got[1]->bytes);
  double sum = 0;
  for (guint i = 0; i < 64; i++)
    sum += lm_array_get_double (got[0], i);
  g_assert_true (sum > 16 && sum < 112); /* some stay, some go */
  lm_array_unref (got[0]);
  lm_array_unref (got[1]);
  comp_clear (&c);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("LAMINA_TEST_STRANGER", "comp", TRUE);
  g_test_add_data_func ("/step/comp/1.9/batch-norm", "batch_norm.train", test_batch_norm);
  g_test_add_data_func ("/step/comp/1.9/batch-norm-padded", "batch_norm.train.padded",
                        test_batch_norm);
  g_test_add_func ("/step/comp/1.9/key", test_key);
  return g_test_run ();
}
