/* SPDX-License-Identifier: Apache-2.0 */
/* plugins/layers/basic against praxis. */
#include "tests/lib/layer_check.h"
#include "tests/lib/layer_golden.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

static const char *const later[] = {NULL};

static const LmLayerRow *
row_of_type (const char *praxis)
{
  const LmLayerRow *r = lm_layer_rows;
  while (r->praxis != NULL && strcmp (r->praxis, praxis) != 0)
    r++;
  if (r->praxis == NULL)
    g_error ("no layer of ours stands for praxis.%s", praxis);
  return r;
}

/* The name of a class of praxis' activations among the functions of ours. */
static const char *
function_of (const char *praxis)
{
  static char name[64];
  const LmLayerRow *r = row_of_type (praxis);
  if (r->member == NULL || sscanf (r->member, "\"function\": \"%63[a-z0-9_]\"", name) != 1)
    g_error ("unknown activation %s", praxis);
  return name;
}

/* Config of a child, from upstream's. */
static JsonNode *
child_of (JsonObject *upstream)
{
  JsonObject *ours = json_object_new ();
  g_autoptr (GList) keys = json_object_get_members (upstream);
  for (GList *k = keys; k != NULL; k = k->next)
    json_object_set_member (ours, k->data,
                            json_node_copy (json_object_get_member (upstream, k->data)));
  json_object_set_string_member (
      ours, "type", row_of_type (json_object_get_string_member (upstream, "type"))->ours);
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  json_node_take_object (node, ours);
  return node;
}

static JsonNode *
children_of (JsonArray *upstream)
{
  JsonArray *ours = json_array_new ();
  for (guint i = 0; i < json_array_get_length (upstream); i++)
    json_array_add_element (ours, child_of (json_array_get_object_element (upstream, i)));
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);
  json_node_take_array (node, ours);
  return node;
}

static bool
field (JsonObject *ours, const char *key, JsonNode *value)
{
  if (strcmp (key, "activation_tpl") == 0)
    json_object_set_string_member (
        ours, "activation",
        function_of (json_object_get_string_member (json_node_get_object (value), "type")));
  else if (strcmp (key, "approximate") == 0)
    json_object_set_string_member (ours, "function",
                                   json_node_get_boolean (value) ? "gelu_approximate" : "gelu");
  else if (strcmp (key, "layers") == 0)
    json_object_set_member (ours, key, children_of (json_node_get_array (value)));
  else if (strcmp (key, "ff_tpl") == 0)
    json_object_set_member (ours, key, child_of (json_node_get_object (value)));
  else
    return false;
  return true;
}

static const LmLayerSuite suite = {.family = "basic", .later = later, .field = field};

/* Shapes and options that the golden cases leave out are here too. */
static const LmLayerCheck checks[] = {
    LM_CHECK_TRAIN ("{'type': 'lamina.linear', 'input_dims': 4, 'output_dims': 3}", "x 2,3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.linear', 'input_dims': 4, 'output_dims': 2, 'weight_init': "
                    "{'method': 'gaussian', 'scale': 0.3}}",
                    "x 4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.bias', 'dims': 3, 'bias_init': 0.5}", "x 2,1,3"),
    LM_CHECK_TRAIN ("{'type': 'lamina.feed_forward', 'input_dims': 3, 'output_dims': 4, "
                    "'bias_init': 0.25, 'activation': 'tanh'}",
                    "x 2,3"),
    LM_CHECK_TRAIN ("{'type': 'lamina.feed_forward', 'input_dims': 3, 'output_dims': 2, "
                    "'has_bias': false, 'checkpoint_str': 'product', 'activation_tpl': {'type': "
                    "'lamina.activation', 'function': 'elu', 'alpha': 0.5}}",
                    "x 2,2,3"),
    LM_CHECK_TRAIN ("{'type': 'lamina.mlp_block', 'num_layers': 3, 'hidden_dims': 4, "
                    "'activate_final': false, 'ff_tpl': {'type': 'lamina.feed_forward', "
                    "'input_dims': 3, 'output_dims': 2, 'activation': 'gelu'}}",
                    "x 2,3"),
    LM_CHECK_TRAIN ("{'type': 'lamina.mlp_block', 'num_layers': 1, 'ff_tpl': {'type': "
                    "'lamina.feed_forward', 'input_dims': 3, 'output_dims': 2}}",
                    "x 2,3"),
    LM_CHECK_TRAIN ("{'type': 'lamina.activation', 'function': 'relu'}", "x 3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.activation', 'function': 'relu6'}", "x 3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.activation', 'function': 'leaky_relu'}", "x 3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.activation', 'function': 'elu'}", "x 3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.activation', 'function': 'sigmoid'}", "x 3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.activation', 'function': 'tanh'}", "x 3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.activation', 'function': 'gelu'}", "x 3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.activation', 'function': 'gelu_approximate'}", "x 3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.activation', 'function': 'silu'}", "x 3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.activation', 'function': 'swish'}", "x 3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.activation', 'function': 'softplus'}", "x 3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.activation', 'function': 'squared_relu'}", "x 3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.activation', 'function': 'cubed_relu'}", "x 3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.activation', 'function': 'sine_relu'}", "x 3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.activation', 'function': 'exp'}", "x 3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.activation', 'function': 'identity'}", "x 3,4"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.activation', 'function': 'leaky_relu', 'negative_slope': 0.3}",
        "x 2,2,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.flatten'}", "x 2,3,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.identity'}", "x 2,3"),
    LM_CHECK_TRAIN ("{'type': 'lamina.sequential', 'layers': [{'type': 'lamina.linear', "
                    "'input_dims': 3, 'output_dims': 3}, {'type': 'lamina.activation', 'function': "
                    "'silu'}, {'type': 'lamina.identity'}]}",
                    "x 2,3"),
    LM_CHECK_TRAIN ("{'type': 'lamina.residual', 'residual_weight': 0.5, 'layer': {'type': "
                    "'lamina.linear', 'input_dims': 3, 'output_dims': 3}}",
                    "x 2,2,3"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.residual', 'layer': {'type': 'lamina.trainable_positional_embedding', "
        "'embedding_dims': 3, 'max_seq_length': 4}}",
        "x 2,3,3"),
    LM_CHECK_RANDOM ("{'type': 'lamina.dropout', 'keep_prob': 0.6}", "x 3,4"),
    LM_CHECK_RANDOM (
        "{'type': 'lamina.dropout', 'keep_prob': 0.5, 'noise_shape': [4], 'dropout_at_eval': true}",
        "x 3,4"),
    LM_CHECK_RANDOM (
        "{'type': 'lamina.dropout', 'keep_prob': 0.5, 'noise_shape_broadcast_dims': [0, -1]}",
        "x 2,4,3"),
    LM_CHECK_RANDOM ("{'type': 'lamina.dropout', 'keep_prob': 0.7, 'transpose_qk': true}",
                     "x 1,2,3,3"),
    LM_CHECK_EVAL ("{'type': 'lamina.dropout', 'keep_prob': 0.5}", "x 3,4"),
    LM_CHECK_RANDOM (
        "{'type': 'lamina.stochastic_residual', 'residual_weight': 0.5, 'survival_prob': 0.5}",
        "inputs 6,2; residual 6,2"),
    LM_CHECK_EVAL ("{'type': 'lamina.stochastic_residual', 'survival_prob': 0.5}",
                   "inputs 2,3,2; residual 2,3,2"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.stacking_over_time', 'left_context': 2, 'right_context': 1, 'stride': 2}",
        "x 2,5,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.stacking_over_time', 'left_context': 1, 'stride': 3, "
                    "'pad_with_left_frame': true, 'pad_with_right_frame': true}",
                    "inputs 2,7,2; paddings 2,7,1 mask"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.stacking_over_time', 'stride': 2, 'padding_reduce_option': 'reduce_max'}",
        "inputs 1,4,3; paddings 1,4,1 mask"),
};

static const LmLayerRefusal refusals[] = {
    {"{'type': 'lamina.linear', 'input_dims': 4, 'output_dims': 0}", NULL, {"output_dims"}},
    {"{'type': 'lamina.linear', 'input_dims': 4, 'output_dims': 3}",
     "x 2,5",
     {"model", "f32[2,5]"}},
    {"{'type': 'lamina.feed_forward', 'input_dims': 4, 'output_dims': 3, 'activation': 'rellu'}",
     NULL,
     {"rellu", "relu"}},
    {"{'type': 'lamina.mlp_block', 'ff_tpl': {'type': 'lamina.feed_forward', 'input_dims': 3}}",
     NULL,
     {"ff_tpl", "output_dims"}},
    {"{'type': 'lamina.mlp_block', 'num_layers': 0, 'ff_tpl': {'type': 'lamina.feed_forward', "
     "'input_dims': 3, 'output_dims': 2}}",
     NULL,
     {"num_layers"}},
    {"{'type': 'lamina.residual', 'layer': {'type': 'lamina.linear', 'input_dims': 3, "
     "'output_dims': 2}}",
     "x 4,3",
     {"residual", "(4, 3)", "f32[4,2]"}},
    {"{'type': 'lamina.dropout', 'keep_prob': 0}", NULL, {"keep_prob"}},
    {"{'type': 'lamina.dropout', 'keep_prob': 1.5}", NULL, {"keep_prob"}},
    {"{'type': 'lamina.dropout', 'keep_prob': 0.5, 'noise_shape': [0, 3]}", NULL, {"noise_shape"}},
    {"{'type': 'lamina.dropout', 'keep_prob': 0.5, 'noise_shape': [2, 3]}",
     "x 4,3",
     {"noise_shape", "(2, 3)", "f32[4,3]"}},
    {"{'type': 'lamina.dropout', 'keep_prob': 0.5, 'noise_shape_broadcast_dims': [2]}",
     "x 4,3",
     {"axis"}},
    {"{'type': 'lamina.dropout', 'keep_prob': 0.5}", "x 4,3 id 2", {"float"}},
    {"{'type': 'lamina.stochastic_residual', 'survival_prob': 0}", NULL, {"survival_prob"}},
    {"{'type': 'lamina.stochastic_residual'}",
     "inputs 4,3; residual 4,2",
     {"residual", "(4, 3)", "f32[4,2]"}},
    {"{'type': 'lamina.stochastic_residual'}", "inputs 4,3; other 4,2", {"residual", "inputs"}},
    {"{'type': 'lamina.stacking_over_time'}", NULL, {"stride"}},
    {"{'type': 'lamina.stacking_over_time', 'stride': 1, 'left_context': 200, 'right_context': "
     "200}",
     NULL,
     {"256"}},
    {"{'type': 'lamina.stacking_over_time', 'stride': 1}", "x 2,3", {"(B, T, D)", "f32[2,3]"}},
    {"{'type': 'lamina.stacking_over_time', 'stride': 1}",
     "inputs 2,3,4; paddings 2,3 mask",
     {"paddings", "f32[2,3]"}},
};

static void
test_refusals (void)
{
  lm_layer_check_refusals (refusals, G_N_ELEMENTS (refusals));
}

/* The start of a variable reaches a child through JSON text: every initialiser, every digit, in a locale whose
 * decimal point is a comma too. */
static void
check_inits (LmRegistry *registry)
{
  /* by LAM_INIT_* - 1; delta_orthogonal wants the shape of a convolution */
  static const char *const names[] = {"constant",
                                      "gaussian",
                                      "uniform",
                                      "truncated_gaussian",
                                      "xavier",
                                      "gaussian_sqrt_dim",
                                      "gaussian_sqrt_fanin",
                                      "gaussian_sqrt_fanout",
                                      "gaussian_sqrt_fanavg",
                                      "uniform_sqrt_dim",
                                      "uniform_sqrt_fanin",
                                      "uniform_sqrt_fanout",
                                      "truncated_gaussian_sqrt_dim",
                                      "truncated_gaussian_sqrt_fanin",
                                      "truncated_gaussian_sqrt_fanout",
                                      "uniform_unit_scaling",
                                      "uniform_sqrt_fanavg"};
  for (int32_t method = 1; method <= (int32_t)G_N_ELEMENTS (names); method++) {
    g_autofree char *text = g_strdup_printf (
        "{'type': 'lamina.feed_forward', 'input_dims': 2, 'output_dims': 2, 'bias_init': -1e-7, "
        "'weight_init': {'method': '%s', 'scale': 0.1}}",
        names[method - 1]);
    g_autoptr (LmLayerFn) fn =
        lm_layer_fn_new (registry, lm_layer_check_config (text), "f32", NULL);
    const lam_var_spec *w = lm_model_var_spec (fn->model, 0);
    const lam_var_spec *b = lm_model_var_spec (fn->model, 1);
    g_assert_cmpint (w->init.method, ==, method);
    g_assert_true (w->init.scale == 0.1);
    g_assert_cmpint (b->init.method, ==, LAM_INIT_CONSTANT);
    g_assert_true (b->init.scale == -1e-7);
  }
}

static void
test_inits (void)
{
  static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8"};
  LmRegistry *registry = lm_test_registry ();
  for (guint i = 0; i < G_N_ELEMENTS (locales); i++)
    if (setlocale (LC_ALL, locales[i]) != NULL)
      check_inits (registry);
  setlocale (LC_ALL, "C");
  lm_registry_free (registry);
}

/* --- unstack -------------------------------------------------------------------------------------------- */

static LmArray *
run_stacking (LmRegistry *registry, LmBackend *backend, const char *config, const char *method,
              LmArray *x)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmLayerFn) fn =
      lm_layer_fn_new (registry, lm_layer_check_config (config), "f32", NULL);
  fn->method = method;
  lm_layer_fn_add (fn, "in:x", x);
  lm_layer_fn_trace (fn, false, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) out = lm_layer_fn_run (fn, backend);
  return lm_array_ref (out->pdata[0]);
}

/* unstack gives the steps back: (L - 1) * stride + right_context + 1 of them, zeros after the last. */
static void
test_unstack (void)
{
  static const int contexts[][3] = {{1, 2, 2}, {2, 1, 4}, {0, 1, 1}, {2, 0, 3}, {0, 0, 1}};
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  double values[2 * 9 * 2];
  lam_type type = {.dtype = LAM_F32, .rank = 3, .dims = {2, 9, 2}};
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = i + 1;
  for (guint i = 0; i < G_N_ELEMENTS (contexts); i++) {
    const int *c = contexts[i];
    g_autofree char *config = g_strdup_printf (
        "{'type': 'lamina.stacking_over_time', 'left_context': %d, 'right_context': %d, "
        "'stride': %d}",
        c[0], c[1], c[2]);
    LmArray *stacked =
        run_stacking (registry, backend, config, NULL, lm_test_array (&type, values));
    int64_t steps = (stacked->type.dims[1] - 1) * c[2] + c[1] + 1;
    g_autoptr (LmArray) back = run_stacking (registry, backend, config, "unstack", stacked);
    g_assert_cmpint (back->type.dims[1], ==, steps);
    g_assert_cmpint (back->type.dims[2], ==, 2);
    for (int64_t k = 0; k < 2 * steps * 2; k++) {
      int64_t b = k / (steps * 2), at = k % (steps * 2);
      double wanted = at < 9 * 2 ? values[b * 18 + at] : 0;
      g_assert_cmpfloat (lm_array_get_double (back, k), ==, wanted);
    }
  }
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  lm_layer_golden_add (&suite);
  lm_layer_check_add (checks, G_N_ELEMENTS (checks));
  g_test_add_func ("/plugins/layers/basic/refusals", test_refusals);
  g_test_add_func ("/plugins/layers/basic/inits", test_inits);
  g_test_add_func ("/plugins/layers/stacking_over_time/unstack", test_unstack);
  return g_test_run ();
}
