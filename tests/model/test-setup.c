/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/setup.c: the life of a layer, point by point of semantics 1.3; collections. */
#include "tests/model/life.h"

#include <string.h>

#define ONE  "'shape': [3, 2], 'init': {'method': 'constant', 'scale': 1.5}"
#define BARE "{'type': 'stranger.life'}"
#define LIFE "{'type': 'stranger.life', "

typedef struct Bad {
  const char *name, *config, *pieces[4];
} Bad;

static const Bad bad[] = {
    {"names/not-a-key", LIFE ONE ", 'names': ['a b']}", {"variable name \"a b\" is not a key"}},
    {"names/variable-twice", LIFE ONE ", 'names': ['a', 'a']}", {"name \"a\" is taken"}},
    {"names/child-not-a-key",
     LIFE "'children': [" BARE "], 'child_names': ['a.b']}",
     {"child name \"a.b\" is not a key"}},
    {"names/child-as-variable",
     LIFE ONE ", 'names': ['a'], 'children': [" BARE "], 'child_names': ['a']}",
     {"child name \"a\" is taken"}},
    {"names/child-twice",
     LIFE "'children': [" BARE ", " BARE "], 'child_names': ['a', 'a']}",
     {"child name \"a\" is taken"}},
    {"collections/both-syncs",
     LIFE ONE ", 'names': ['a'], 'collections': 7}",
     {"REQUIRES_MEAN_SYNC and REQUIRES_SUM_SYNC exclude"}},
    {"collections/unknown", LIFE ONE ", 'names': ['a'], 'collections': 192}", {"0xc0"}},
    {"spec/scalar-xavier",
     LIFE "'names': ['a'], 'init': {'method': 'xavier'}}",
     {"xavier wants at least one dim"}},
    {"spec/scalar-default", LIFE "'names': ['a']}", {"xavier wants at least one dim"}},
    {"spec/six-dims-orthogonal",
     LIFE "'names': ['a'], 'shape': [1, 1, 1, 1, 1, 1], 'init': {'method': 'delta_orthogonal'}}",
     {"delta_orthogonal wants at most 5"}},
    {"spec/all-problems-at-once",
     LIFE "'names': ['a'], 'shape': [3, 0], 'sharding': [0], 'collections': 6}",
     {"variable a:", "every dim >= 1", "1 sharding dims for rank 2", "exclude each other"}},
    {"spec/unknown-method",
     LIFE "'names': ['a'], 'init': {'method': 'gausian'}}",
     {"method", "did you mean \"gaussian\""}},
    {"spec/scale-is-a-number",
     LIFE "'names': ['a'], 'init': {'method': 'gaussian', 'scale': '1'}}",
     {"init.scale", "number"}},
    {"keys/common-and-own-at-once",
     "{'type': 'stranger.life', 'dtype': 'f33', 'repeat_prefix': [0], 'deed': 'evil'}",
     {"dtype", "repeat_prefix", "deed", "evil"}},
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

/* create_child, create_variable: only in setup; afterwards a clear error, not a crash. */
static void
check_late (Life *f, const char *deed, const char *piece)
{
  GError *error = NULL;
  g_autofree char *text = g_strdup_printf ("{'type': 'stranger.life', 'deed': '%s', 'children': "
                                           "[{'type': 'stranger.life'}], 'child_names': ['a']}",
                                           deed);
  g_assert_null (life_fn (f, text, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "model", piece, NULL);
}

static void
test_late_variable (Life *f, gconstpointer unused)
{
  check_late (f, "late_variable", "setup is over");
}

static void
test_late_child (Life *f, gconstpointer unused)
{
  check_late (f, "late_child", "setup is over");
}

static void
test_late_config (Life *f, gconstpointer unused)
{
  check_late (f, "late_config", "setup is over");
}

static void
test_stray_variable (Life *f, gconstpointer unused)
{
  check_late (f, "stray_variable", "not a variable that this layer declared in setup");
}

/* The child's own name is overwritten with the given one; paths are dot-joined. */
static void
test_child_name (Life *f, gconstpointer unused)
{
  g_autoptr (LmModel) model =
      life_new (f, LIFE "'children': [{'type': 'stranger.life', 'name': 'mine', " ONE
                        ", 'names': ['w']}], 'child_names': ['given']}");
  const LmLayer *child = lm_model_root (model)->children->pdata[0];
  g_assert_cmpstr (child->name, ==, "given");
  g_assert_cmpstr (child->path, ==, "model.given");
  g_assert_cmpstr (lm_model_var (model, 0)->path, ==, "given.w");
}

/* create_children: name_0, name_1 ... in the order of the list, and keys in that order past 9. */
static void
test_list_names (Life *f, gconstpointer unused)
{
  g_autoptr (GString) text = g_string_new ("{'type': 'lamina.sequential', 'layers': [");
  for (int i = 0; i < 11; i++)
    g_string_append_printf (text, "%s{'type': 'lamina.bias', 'dims': %d}", i > 0 ? ", " : "",
                            i + 1);
  g_string_append (text, "]}");
  g_autoptr (LmModel) model = life_new (f, text->str);
  for (guint i = 0; i < 11; i++) {
    g_autofree char *name = g_strdup_printf ("layers_%u", i);
    const LmLayer *child = lm_model_root (model)->children->pdata[i];
    g_assert_cmpstr (child->name, ==, name);
  }
}

/* Each collection reaches the variable's info; not trainable or not a float: not learnable. */
static void
test_collections (Life *f, gconstpointer unused)
{
  static const uint32_t each[] = {
      LAM_NON_TRAINABLE,          LAM_REQUIRES_MEAN_SYNC,           LAM_REQUIRES_SUM_SYNC,
      LAM_SKIP_LP_REGULARIZATION, LAM_DISALLOW_BFLOAT16_CONVERSION, LAM_OVERWRITE_WITH_GRADIENT};
  for (guint i = 0; i < G_N_ELEMENTS (each); i++) {
    g_autofree char *text =
        g_strdup_printf (LIFE ONE ", 'names': ['w'], 'collections': %u}", each[i]);
    g_autoptr (LmModel) model = life_new (f, text);
    g_assert_cmpuint (lm_model_var (model, 0)->collections, ==, each[i]);
    g_assert_cmpint (lm_model_var (model, 0)->learnable, ==, each[i] != LAM_NON_TRAINABLE);
  }
  g_autoptr (LmModel) integers = life_new (f, LIFE ONE ", 'names': ['w'], 'dtype': 'i32'}");
  g_assert_cmpint (lm_model_var (integers, 0)->learnable, ==, 0);
}

/* total_num_vars: prefix + shape, a scalar counts 1. */
static void
test_total (Life *f, gconstpointer unused)
{
  g_autoptr (LmModel) model = life_new (
      f, LIFE ONE ", 'names': ['a', 'b'], 'children': [" LIFE
                  "'names': ['s'], 'init': {'method': 'constant'}, 'repeat_prefix': [5]}, " LIFE
                  "'names': ['s'], 'init': {'method': 'constant'}}], 'child_names': ['c', 'd']}");
  g_autofree char *text = lm_model_to_text (model);
  g_assert_nonnull (strstr (text, "4 variables, 18 numbers\n"));
}

/* update_var, then a second read in the same pass sees the new value; trainable ones stay out of the
 * updated ones. */
static void
test_update (Life *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmLayerFn) fn = life_fn (f,
                                      LIFE ONE ", 'names': ['n'], 'collections': 1, 'deed': "
                                               "'update', 'children': [" LIFE ONE
                                               ", 'names': ['w']}], 'child_names': ['c']}",
                                      &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) out = lm_layer_fn_run (fn, f->backend);
  g_assert_cmpfloat (lm_array_get_double (lm_layer_fn_result (fn, out, "y"), 0), ==,
                     6 * 2.5 + 6 * 1.5);
  g_assert_cmpfloat (lm_array_get_double (lm_layer_fn_result (fn, out, "updated:n"), 5), ==, 2.5);
  g_assert_cmpint (lm_layer_fn_find (fn->out_names, "updated:c.w"), <, 0);
  GError *refused = NULL;
  g_assert_null (life_fn (f, LIFE ONE ", 'names': ['w'], 'deed': 'update'}", &refused));
  lm_test_assert_error (&refused, LM_ERROR_INVALID, "w is trainable", NULL);
}

/* The same key gives the same variables, as often as one asks; children do not move each other's keys
 * by the order in which setup creates them. */
static void
test_repeatable (Life *f, gconstpointer unused)
{
#define GAUSS LIFE "'names': ['w'], 'shape': [4], 'init': {'method': 'gaussian'}}"
  g_autoptr (GError) error = NULL;
  g_autoptr (LmArray) key = lm_test_key (3, 4);
  LmArray *got[4][2];
  for (guint i = 0; i < 2; i++) {
    g_autofree char *text =
        g_strdup_printf (LIFE "'children': [" GAUSS ", " GAUSS "], 'child_names': ['%s', '%s']}",
                         i == 0 ? "a" : "b", i == 0 ? "b" : "a");
    g_autoptr (LmModel) model = life_new (f, text);
    for (guint k = 0; k < 2; k++) {
      g_autoptr (LmFunction) init = lm_model_init_function (model, &error);
      g_assert_no_error (error);
      lm_test_run (f->backend, init, &key, got[2 * i + k]);
    }
  }
  g_assert_cmpint (memcmp (got[0][0]->data, got[0][1]->data, 16), !=, 0);
  for (guint i = 0; i < 4; i++)
    for (guint v = 0; v < 2; v++) {
      g_assert_cmpmem (got[i][v]->data, 16, got[0][v]->data, 16);
      if (i > 0)
        lm_array_unref (got[i][v]);
    }
  lm_array_unref (got[0][0]);
  lm_array_unref (got[0][1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *path = g_strdup_printf ("/model/setup/%s", bad[i].name);
    g_test_add (path, Life, &bad[i], life_set_up, test_bad, life_tear_down);
  }
  LIFE_CASE ("/model/setup/late/variable", test_late_variable);
  LIFE_CASE ("/model/setup/late/child", test_late_child);
  LIFE_CASE ("/model/setup/late/config", test_late_config);
  LIFE_CASE ("/model/setup/stray-variable", test_stray_variable);
  LIFE_CASE ("/model/setup/names/child-is-given-its-name", test_child_name);
  LIFE_CASE ("/model/setup/names/lists", test_list_names);
  LIFE_CASE ("/model/setup/collections/carried", test_collections);
  LIFE_CASE ("/model/setup/total-num-vars", test_total);
  LIFE_CASE ("/model/setup/update-var", test_update);
  LIFE_CASE ("/model/setup/repeatable", test_repeatable);
  return g_test_run ();
}
