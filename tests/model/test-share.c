/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/share.c: layers that use one set of variables. */
#include "core/transform/transform.h"
#include "tests/model/life.h"

#include <string.h>

#define LIFE       "{'type': 'stranger.life', "
#define ID         "'shared_weight_layer_id': 'id', "
#define LEAF       "'names': ['w'], 'shape': [3], 'init': {'method': 'gaussian'}}"
#define PAIR(a, b) LIFE "'children': [" a ", " b "], 'child_names': ['a', 'b']}"

/* The second layer makes none: one variable, listed once by the path of the first, and shown. */
static void
test_once (Life *f, gconstpointer unused)
{
  g_autoptr (LmModel) model = life_new (f, PAIR (LIFE ID LEAF, LIFE ID LEAF));
  g_assert_cmpuint (lm_model_n_vars (model), ==, 1);
  g_assert_cmpstr (lm_model_var_infos (model)[0]->path, ==, "a.w");
  g_assert_null (lm_nest_get (lm_model_var_tree (model), "b"));
  g_autofree char *text = lm_model_to_text (model);
  g_assert_nonnull (strstr (text, "b: stranger.life (variables of model.a)\n"));
  g_assert_nonnull (strstr (text, "1 variables, 3 numbers"));
  g_autoptr (LmModel) apart = life_new (f, PAIR (LIFE LEAF, LIFE LEAF));
  g_assert_cmpuint (lm_model_n_vars (apart), ==, 2);
}

/* It starts as the variable of the first would, alone. */
static void
test_start (Life *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmArray) key = lm_test_key (1, 2), shared = NULL;
  LmArray *apart[2];
  g_autoptr (LmModel) one = life_new (f, PAIR (LIFE ID LEAF, LIFE ID LEAF));
  g_autoptr (LmModel) two = life_new (f, PAIR (LIFE LEAF, LIFE LEAF));
  g_autoptr (LmFunction) init_one = lm_model_init_function (one, &error);
  g_autoptr (LmFunction) init_two = lm_model_init_function (two, &error);
  g_assert_no_error (error);
  lm_test_run (f->backend, init_one, &key, &shared);
  lm_test_run (f->backend, init_two, &key, apart);
  g_assert_cmpmem (shared->data, shared->bytes, apart[0]->data, apart[0]->bytes);
  lm_array_unref (apart[0]);
  lm_array_unref (apart[1]);
}

/* Both layers read it, and its gradient is the sum of both: y = 2 sum (w). */
static void
test_gradient (Life *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmLayerFn) fn = life_fn (f, PAIR (LIFE ID LEAF, LIFE ID LEAF), &error);
  g_assert_no_error (error);
  int w = lm_layer_fn_find (fn->names, "var:a.w");
  g_autoptr (GPtrArray) plain = lm_layer_fn_run (fn, f->backend);
  double sum = 0;
  for (int64_t i = 0; i < 3; i++)
    sum += lm_array_get_double (fn->arrays->pdata[w], i);
  double y = lm_array_get_double (lm_layer_fn_result (fn, plain, "y"), 0);
  g_assert_cmpfloat_with_epsilon (y, 2 * sum, 1e-15);
  bool wanted[2] = {w == 0, w == 1};
  guint at = (guint)lm_layer_fn_find (fn->out_names, "y"), n = fn->out_names->len;
  g_autoptr (LmFunction) grad = lm_value_and_grad (fn->f, at, wanted, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) out = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  g_ptr_array_set_size (out, (gint)n + 1);
  lm_test_run (f->backend, grad, (LmArray *const *)fn->arrays->pdata, (LmArray **)out->pdata);
  for (int64_t i = 0; i < 3; i++)
    g_assert_cmpfloat (lm_array_get_double (out->pdata[n], i), ==, 2);
}

#define TREE(shape)                                                                                \
  LIFE ID "'children': [" LIFE "'names': ['w'], 'shape': " shape                                   \
          ", 'init': {'method': 'constant'}}], 'child_names': ['c'], " LEAF

/* What stands below a layer that shares is shared too, by name. */
static void
test_subtree (Life *f, gconstpointer unused)
{
  g_autoptr (LmModel) model = life_new (f, PAIR (TREE ("[2]"), TREE ("[2]")));
  g_assert_cmpuint (lm_model_n_vars (model), ==, 2);
  g_assert_cmpstr (lm_model_var_infos (model)[0]->path, ==, "a.c.w");
  g_assert_cmpstr (lm_model_var_infos (model)[1]->path, ==, "a.w");
  g_autoptr (GError) error = NULL;
  g_autoptr (LmLayerFn) fn = life_fn (f, PAIR (TREE ("[2]"), TREE ("[2]")), &error);
  g_assert_no_error (error);
}

/* A batch norm of two towers: what one updates, the next reads. */
static void
test_update (Life *f, gconstpointer unused)
{
#define COUNT                                                                                      \
  LIFE ID "'names': ['n'], 'collections': 1, 'init': {'method': 'constant'}, 'deed': 'update'}"
  g_autoptr (GError) error = NULL;
  g_autoptr (LmLayerFn) fn = life_fn (f, PAIR (COUNT, COUNT), &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) out = lm_layer_fn_run (fn, f->backend);
  /* constant 1: the first makes it 2 and reads 2, the second 3. */
  g_assert_cmpfloat (lm_array_get_double (lm_layer_fn_result (fn, out, "y"), 0), ==, 5);
  g_assert_cmpfloat (lm_array_get_double (lm_layer_fn_result (fn, out, "updated:a.n"), 0), ==, 3);
}

typedef struct Bad {
  const char *name, *config, *pieces[4];
} Bad;

#define OF(shape) LIFE ID "'names': ['w'], 'shape': " shape ", 'init': {'method': 'gaussian'}}"

static const Bad bad[] = {
    {"type",
     PAIR (LIFE ID LEAF, "{'type': 'stranger.twin', 'shared_weight_layer_id': 'id'}"),
     {"model.b (stranger.twin)", "model.a (stranger.life)", "different types"}},
    {"shape", PAIR (OF ("[3]"), OF ("[4]")), {"model.b", "model.a", "f32[4]", "f32[3]"}},
    {"init",
     PAIR (OF ("[3]"), LIFE ID "'names': ['w'], 'shape': [3], 'init': {'method': 'uniform'}}"),
     {"model.b", "model.a", "initialiser"}},
    {"collections",
     PAIR (OF ("[3]"), LIFE ID "'collections': 8, " LEAF),
     {"model.b", "model.a", "collections"}},
    {"another-variable",
     PAIR (OF ("[3]"), LIFE ID "'names': ['v'], 'shape': [3]}"),
     {"model.b", "variable v", "model.a"}},
    {"fewer-variables",
     PAIR (OF ("[3]"), LIFE ID "'names': []}"),
     {"model.b", "model.a", "0 variables"}},
    {"below", PAIR (TREE ("[2]"), TREE ("[5]")), {"model.b.c", "model.a.c", "f32[5]", "f32[2]"}},
    {"child-missing", PAIR (OF ("[3]"), TREE ("[5]")), {"model.b.c", "model.a", "has no child c"}},
    {"inside-of-itself",
     LIFE ID "'children': [" LIFE ID LEAF "], 'child_names': ['c']}",
     {"model.c", "stands inside"}},
};

static void
test_bad (Life *f, gconstpointer data)
{
  const Bad *b = data;
  GError *error = NULL;
  g_assert_null (life_try (f, b->config, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, b->pieces[0], b->pieces[1], b->pieces[2],
                        b->pieces[3], NULL);
}

/* Only layers have variables to share. */
static void
test_learner (Life *f, gconstpointer unused)
{
  GError *error = NULL;
  g_assert_null (life_try (f,
                           "{'model': " LIFE LEAF ", 'learners': [{'type': 'lamina.learner', "
                           "'shared_weight_layer_id': 'id', 'loss_name': 'loss', 'optimizer': "
                           "{'type': 'lamina.sgd', 'learning_rate': 1}}]}",
                           &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "shared_weight_layer_id is for layers", NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  LIFE_CASE ("/model/share/once", test_once);
  LIFE_CASE ("/model/share/start", test_start);
  LIFE_CASE ("/model/share/gradient", test_gradient);
  LIFE_CASE ("/model/share/subtree", test_subtree);
  LIFE_CASE ("/model/share/update", test_update);
  LIFE_CASE ("/model/share/learner", test_learner);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *path = g_strdup_printf ("/model/share/bad/%s", bad[i].name);
    g_test_add (path, Life, &bad[i], life_set_up, test_bad, life_tear_down);
  }
  return g_test_run ();
}
