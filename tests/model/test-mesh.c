/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/mesh.c: partition specs, point by point of semantics 1.7. */
#include "tests/model/life.h"

#include <string.h>

#define MESH        "'mesh': {'axis_names': ['data', 'model'], 'shape': [2, 4]}"
#define WITH(layer) "{" MESH ", 'model': " layer "}"
#define LAYER       "{'type': 'stranger.life', 'names': ['w'], "
#define CUBE        LAYER "'shape': [8, 4, 16], "

/* The spec of one variable, as text. */
typedef struct Good {
  const char *name, *config, *spec;
} Good;

static const Good good[] = {
    /* int < 0: unsharded; int: that axis. */
    {"to-partition-spec/numbers", WITH (CUBE "'sharding': [1, -1, 0]}"),
     "[\"model\", null, \"data\"]"},
    {"to-partition-spec/any-negative", WITH (CUBE "'sharding': [-7, -1, -2]}"),
     "[null, null, null]"},
    {"to-partition-spec/names",
     WITH (CUBE "'weight_split_dims_mapping': {'w': ['data', null, 'model']}}"),
     "[\"data\", null, \"model\"]"},
    {"to-partition-spec/several-axes-on-one-dim",
     WITH (CUBE "'weight_split_dims_mapping': {'w': [-1, null, ['model', 0]]}}"),
     "[null, null, [\"model\", \"data\"]]"},
    {"var-partition-specs/missing", WITH (CUBE "'deed': 'none'}"), "[null, null, null]"},
    {"var-partition-specs/config-goes-first",
     WITH (CUBE "'sharding': [1, -1, 0], 'weight_split_dims_mapping': {'w': [0, -1, -1]}}"),
     "[\"data\", null, null]"},
    {"var-partition-specs/null-is-not-said",
     WITH (CUBE "'sharding': [1, -1, 0], 'weight_split_dims_mapping': {'w': null}}"),
     "[\"model\", null, \"data\"]"},
    {"var-partition-specs/prefix",
     WITH (CUBE "'repeat_prefix': [6, 3], 'repeat_prefix_split_dims_mapping': [0, -1], 'sharding': "
                "[1, -1, -1]}"),
     "[\"data\", null, \"model\", null, null]"},
    {"var-partition-specs/prefix-alone",
     WITH (CUBE "'repeat_prefix': [6], 'sharding': [1, -1, -1]}"), "[null, \"model\", null, null]"},
    {"var-partition-specs/scalar", WITH (LAYER "'init': {'method': 'constant'}}"), "[]"},
};

static void
test_good (Life *f, gconstpointer data)
{
  const Good *g = data;
  g_autoptr (LmModel) model = life_new (f, g->config);
  g_autofree char *text =
      lm_partition_to_text (lm_model_var_partition (model, 0), lm_model_mesh (model));
  g_assert_cmpstr (text, ==, g->spec);
}

typedef struct Bad {
  const char *name, *config, *pieces[4];
} Bad;

static const Bad bad[] = {
    {"to-partition-spec/bounds",
     WITH (CUBE "'sharding': [2, -1, -1]}"),
     {"variable w", "dim 0: mesh axis 2 is not one of the mesh's 2"}},
    {"to-partition-spec/unknown-name",
     WITH (CUBE "'weight_split_dims_mapping': {'w': [null, null, 'modle']}}"),
     {"dim 2: \"modle\" is not an axis", "did you mean \"model\""}},
    {"to-partition-spec/no-axis",
     WITH (CUBE "'weight_split_dims_mapping': {'w': [null, true, null]}}"),
     {"dim 1: wanted the name or number"}},
    {"to-partition-spec/too-deep",
     WITH (CUBE "'weight_split_dims_mapping': {'w': [null, [['data']], null]}}"),
     {"dim 1: wanted the name or number"}},
    {"to-partition-spec/axis-twice",
     WITH (CUBE "'sharding': [0, -1, 0]}"),
     {"dim 2: mesh axis data is taken by dim 0"}},
    {"var-partition-specs/length",
     WITH (CUBE "'sharding': [0, -1]}"),
     {"variable w", "2 sharding dims for rank 3"}},
    {"var-partition-specs/length-in-config",
     WITH (CUBE "'weight_split_dims_mapping': {'w': [null, null]}}"),
     {"variable w", "a list of 3 elements"}},
    {"var-partition-specs/length-without-mesh",
     "{'model': " CUBE "'weight_split_dims_mapping': {'w': ['x']}}}",
     {"variable w", "a list of 3 elements"}},
    {"var-partition-specs/divides",
     WITH (LAYER "'shape': [6, 7], 'sharding': [1, 0]}"),
     {"dim 0: its size 6 is not a multiple", "dim 1: its size 7"}},
    {"var-partition-specs/divides-jointly",
     WITH (LAYER "'shape': [4], 'weight_split_dims_mapping': {'w': [['data', 'model']]}}"),
     {"dim 0: its size 4"}},
    {"var-partition-specs/prefix-bounds",
     WITH (CUBE "'repeat_prefix': [6], 'repeat_prefix_split_dims_mapping': [3]}"),
     {"dim 0: mesh axis 3"}},
    {"var-partition-specs/no-variable",
     WITH (CUBE "'weight_split_dims_mapping': {'W': [0, null, null], 'x': [0]}}"),
     {"model: weight_split_dims_mapping:", "W is not a variable", "did you mean \"w\"",
      "x is not a variable"}},
    {"mesh/lengths",
     "{'mesh': {'axis_names': ['a', 'b'], 'shape': [2]}, 'model': " CUBE "'deed': 'none'}}",
     {"config: mesh", "2 and 1"}},
    {"mesh/name-twice",
     "{'mesh': {'axis_names': ['a', 'a'], 'shape': [2, 2]}, 'model': " CUBE "'deed': 'none'}}",
     {"config: mesh", "all different"}},
    {"mesh/empty",
     "{'mesh': {'axis_names': [], 'shape': []}, 'model': " CUBE "'deed': 'none'}}",
     {"config: mesh", "1 to 8"}},
    {"mesh/all-problems-at-once",
     "{'mesh': {'axis_nmaes': ['a'], 'shape': [0]}, 'model': " CUBE "'deed': 'none'}}",
     {"config.mesh", "axis_nmaes", "did you mean \"axis_names\"", "shape"}},
    {"mesh/not-an-object", "{'mesh': [2, 4], 'model': " CUBE "'deed': 'none'}}", {"mesh"}},
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

/* `lamina inspect`: the mesh, every spec, and which weights nobody said anything about. */
static void
test_text (Life *f, gconstpointer unused)
{
  g_autoptr (LmModel) model = life_new (
      f, WITH (CUBE "'sharding': [1, -1, 0], 'children': [" LAYER "'shape': [2, 3]}, " LAYER
                    "'shape': [3]}], 'child_names': ['a', 'b']}"));
  g_autofree char *text = lm_model_to_text (model);
  g_assert_true (g_str_has_prefix (text, "mesh: data=2 model=4\n"));
  g_assert_nonnull (strstr (text, "w f32[8,4,16] [\"model\", null, \"data\"]\n"));
  g_assert_nonnull (strstr (text, "w f32[2,3] [null, null] (no sharding is given)\n"));
  g_assert_nonnull (strstr (text, "w f32[3] [null]\n"));
}

/* Without a mesh a mapping is carried and nothing is sharded. */
static void
test_no_mesh (Life *f, gconstpointer unused)
{
  g_autoptr (LmModel) model = life_new (f, CUBE "'sharding': [9, -1, 0]}");
  g_assert_null (lm_model_mesh (model));
  for (int32_t i = 0; i < 3; i++)
    g_assert_cmpuint (lm_model_var_partition (model, 0)->dims[i].n, ==, 0);
  g_assert_cmpint (lm_model_var_spec (model, 0)->sharding[0], ==, 9);
}

/* An archive holds the config: written and read again, it gives the same specs. */
static void
test_carried (Life *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmModel) model = life_new (f, good[3].config);
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  json_node_set_object (node, lm_model_config (model));
  g_autofree char *printed = lm_json_print (node);
  g_autoptr (JsonObject) again = lm_test_json (printed);
  LmModel *copy = lm_model_new (f->registry, lm_host_tables (), again, &error);
  g_assert_no_error (error);
  g_autofree char *text =
      lm_partition_to_text (lm_model_var_partition (copy, 0), lm_model_mesh (copy));
  g_assert_cmpstr (text, ==, good[3].spec);
  lm_model_free (copy);
}

/* shard_on_batch_dim_partition_spec. */
static void
test_batch (Life *f, gconstpointer unused)
{
  g_autoptr (LmModel) model = life_new (f, good[0].config);
  static const char *const want[] = {"[]", "[[\"data\", \"model\"]]",
                                     "[[\"data\", \"model\"], null]"};
  for (int32_t rank = 0; rank < 3; rank++) {
    LmPartition p = lm_mesh_batch_partition (lm_model_mesh (model), rank);
    g_autofree char *text = lm_partition_to_text (&p, lm_model_mesh (model));
    g_assert_cmpstr (text, ==, want[rank]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_autofree char *path = g_strdup_printf ("/model/mesh/%s", good[i].name);
    g_test_add (path, Life, &good[i], life_set_up, test_good, life_tear_down);
  }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *path = g_strdup_printf ("/model/mesh/bad/%s", bad[i].name);
    g_test_add (path, Life, &bad[i], life_set_up, test_bad, life_tear_down);
  }
  LIFE_CASE ("/model/mesh/text", test_text);
  LIFE_CASE ("/model/mesh/no-mesh", test_no_mesh);
  LIFE_CASE ("/model/mesh/carried-in-config", test_carried);
  LIFE_CASE ("/model/mesh/shard-on-batch-dim", test_batch);
  return g_test_run ();
}
