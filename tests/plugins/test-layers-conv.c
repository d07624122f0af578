/* SPDX-License-Identifier: Apache-2.0 */
/* plugins/layers/conv against praxis, differences and bf16; what they refuse. */
#include "tests/lib/layer_check.h"
#include "tests/lib/layer_golden.h"

static const char *const later[] = {NULL};

/* Where a window has padded rows only, upstream's gradient of the paddings is 0 * inf. */
static const char *const nan_grads[] = {"pool.AVG.paddings", NULL};

static const LmLayerSuite suite = {.family = "conv", .later = later, .nan_grads = nan_grads};

/* Shapes and options that the golden cases leave out are here too. */
static const LmLayerCheck checks[] = {
    LM_CHECK_TRAIN ("{'type': 'lamina.conv2d', 'filter_shape': [3, 2, 2, 3], 'bias': true}",
                    "x 2,4,3,2"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.conv2d', 'filter_shape': [2, 3, 1, 4], 'filter_stride': [2, 1], "
        "'dilations': [1, 2], 'tf_equivalent_padding': true}",
        "x 2,5,4,2"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.conv2d', 'filter_shape': [3, 2, 2, 2], 'filter_stride': [1, 2], "
        "'tf_equivalent_padding': true, 'is_causal': true}",
        "x 1,4,4,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.conv2d', 'filter_shape': [2, 2, 2, 3], 'padding': 'VALID', "
                    "'weight_norm_tpl': {'type': 'lamina.weight_norm_l2'}}",
                    "x 2,3,4,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.conv3d', 'filter_shape': [2, 2, 2, 1, 2], 'bias': true, "
                    "'filter_stride': [1, 2, 1], 'dilations': [2, 1, 1]}",
                    "x 1,4,3,3,1"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.conv3d', 'filter_shape': [2, 1, 3, 1, 2], 'tf_equivalent_padding': true, "
        "'is_causal': true}",
        "x 2,3,2,3,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.conv_bn_act', 'filter_shape': [2, 2, 2, 3], 'bias': true, "
                    "'activation_tpl': {'type': 'lamina.activation', 'function': 'tanh'}}",
                    "x 3,3,3,2"),
    LM_CHECK_EVAL ("{'type': 'lamina.conv_bn_act', 'filter_shape': [2, 2, 2, 3]}", "x 2,3,3,2"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.conv_bn_act', 'filter_shape': [2, 2, 2, 3], 'batch_norm': false, "
        "'weight_norm_tpl': {'type': 'lamina.weight_norm_l2'}}",
        "x 2,3,3,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.depthwise_conv1d', 'filter_shape': [3, 2, 2], 'bias': true}",
                    "inputs 2,5,2; paddings 2,5 mask"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.depthwise_conv1d', 'filter_shape': [2, 3, 1], 'is_causal': true, "
        "'rhs_dilation_rate': 2, 'use_2d_conv_weight_shape': true}",
        "x 2,5,3"),
    LM_CHECK_TRAIN ("{'type': 'lamina.pooling', 'window_shape': [2, 3], 'window_stride': [2, 1]}",
                    "x 2,5,4,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.pooling', 'window_shape': [3, 2], 'padding': 'VALID', "
                    "'pooling_type': 'AVG'}",
                    "x 2,6,4,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.pooling', 'window_shape': [2, 2], 'window_stride': [1, 2], "
                    "'pooling_type': 'AVG'}",
                    "inputs 2,5,4,2; paddings 2,5 mask"),
    LM_CHECK_TRAIN ("{'type': 'lamina.pooling', 'window_shape': [2, 2]}",
                    "inputs 2,5,4,2; paddings 2,5 mask"),
    LM_CHECK_TRAIN ("{'type': 'lamina.max_pool', 'window_shape': [3, 2], 'window_stride': [1, 2]}",
                    "x 2,4,4,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.global_pooling', 'pooling_dims': [1, 2]}", "x 2,3,4,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.global_pooling', 'pooling_dims': [2], 'pooling_type': 'MAX', "
                    "'keepdims': true}",
                    "x 2,3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.global_pooling', 'pooling_dims': [1, 2]}",
                    "inputs 2,3,2,3; compatible_paddings 2,3,1,1 mask")};

static const LmLayerRefusal refusals[] = {
    {"{'type': 'lamina.conv2d'}", NULL, {"filter_shape", "missing"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2]}",
     NULL,
     {"filter_shape [height, width, in, out]"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2, 2], 'filter_stride': [1]}",
     NULL,
     {"filter_stride [height, width]"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2, 2], 'filter_stride': [0, 1]}",
     NULL,
     {"filter_stride", ">= 1"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2, 2], 'padding': 'FULL'}",
     NULL,
     {"padding", "SAME", "VALID"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2, 2], 'is_causal': true}",
     NULL,
     {"is_causal", "tf_equivalent_padding"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2, 2], 'is_causal': true, "
     "'tf_equivalent_padding': true, 'padding': 'VALID'}",
     NULL,
     {"is_causal", "SAME"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2, 2]}",
     "x 2,4,4",
     {"conv2d input (B, H, W, C)", "(?, ?, ?, 2)", "f32[2,4,4]"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2, 2]}",
     "x 2,4,4,3",
     {"conv2d input (B, H, W, C)", "(?, ?, ?, 2)", "f32[2,4,4,3]"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2, 3]}",
     "x 2,4,4,4",
     {"output channels", "feature groups"}},
    {"{'type': 'lamina.conv3d', 'filter_shape': [3, 3, 2, 2]}",
     NULL,
     {"filter_shape [time, height, width, in, out]"}},
    {"{'type': 'lamina.conv3d', 'filter_shape': [1, 3, 3, 2, 2]}",
     "x 2,4,4,2",
     {"conv3d input (B, T, H, W, C)", "(?, ?, ?, ?, 2)", "f32[2,4,4,2]"}},
    {"{'type': 'lamina.conv_bn_act', 'filter_shape': [3, 3, 2, 2]}",
     "x 2,4,4,3",
     {"conv_bn_act input (B, H, W, C)", "f32[2,4,4,3]"}},
    {"{'type': 'lamina.depthwise_conv1d', 'filter_shape': [3, 2]}",
     NULL,
     {"filter_shape [kernel size, input channels"}},
    {"{'type': 'lamina.depthwise_conv1d', 'filter_shape': [3, 2, 1], 'rhs_dilation_rate': 0}",
     NULL,
     {"rhs_dilation_rate", ">= 1"}},
    {"{'type': 'lamina.depthwise_conv1d', 'filter_shape': [3, 2, 1]}",
     "x 2,4,3",
     {"depthwise_conv1d input (B, T, C)", "(?, ?, 2)", "f32[2,4,3]"}},
    {"{'type': 'lamina.depthwise_conv1d', 'filter_shape': [3, 2, 1]}",
     "inputs 2,4,2; paddings 4,2 mask",
     {"depthwise_conv1d paddings (B, T)", "(2, 4)", "f32[4,2]"}},
    {"{'type': 'lamina.pooling', 'window_shape': [2]}", NULL, {"window_shape", "[height, width]"}},
    {"{'type': 'lamina.pooling', 'pooling_type': 'SUM'}", NULL, {"pooling_type", "MAX", "AVG"}},
    {"{'type': 'lamina.pooling'}",
     "x 2,4,4",
     {"pooling input (B, H, W, C)", "(?, ?, ?, ?)", "f32[2,4,4]"}},
    {"{'type': 'lamina.pooling'}",
     "inputs 2,4,4,1; paddings 2,3 mask",
     {"pooling paddings (B, H)", "(2, 4)", "f32[2,3]"}},
    {"{'type': 'lamina.pooling', 'pooling_type': 'AVG'}",
     "x 2,4,4,1 id 9",
     {"pooling AVG", "float"}},
    {"{'type': 'lamina.max_pool'}", "x 4,4,1", {"max_pool input (B, H, W, C)", "f32[4,4,1]"}},
    {"{'type': 'lamina.global_pooling'}", NULL, {"pooling_dims", "missing"}},
    {"{'type': 'lamina.global_pooling', 'pooling_dims': []}", NULL, {"pooling_dims", "1 to 8"}},
    {"{'type': 'lamina.global_pooling', 'pooling_dims': [-1]}", NULL, {"pooling_dims", ">= 0"}},
    {"{'type': 'lamina.global_pooling', 'pooling_dims': [3]}", "x 2,4,4", {"axis", "rank"}},
    {"{'type': 'lamina.global_pooling', 'pooling_dims': [1]}",
     "x 2,4,4 id 9",
     {"global_pooling AVG", "float"}},
    {"{'type': 'lamina.global_pooling', 'pooling_dims': [1]}",
     "inputs 2,4,4; compatible_paddings 2,4 mask",
     {"global_pooling compatible_paddings", "(2, 4, 4)", "f32[2,4]"}}};

static void
test_refusals (void)
{
  lm_layer_check_refusals (refusals, G_N_ELEMENTS (refusals));
}

/* --- formulas --------------------------------------------------------------------------------------------- */

/* A 2-D convolution of x (1, H, W, C); filter (k0, k1, C / groups, D). */
typedef struct Plain {
  int size[2], channels, filter[2], outputs, groups, stride[2], dilation[2];
  const char *options; /* of the padding */
  bool same, tf, causal;
} Plain;

static const Plain plain[] = {
    {{5, 4}, 2, {3, 2}, 3, 1, {1, 1}, {1, 1}, "", true, false, false},
    {{5, 6}, 2, {4, 3}, 2, 1, {2, 3}, {1, 2}, "", true, false, false},
    {{6, 7}, 1, {2, 3}, 2, 1, {2, 2}, {2, 1}, ", 'padding': 'VALID'", false, false, false},
    {{5, 7}, 4, {2, 2}, 4, 2, {1, 2}, {2, 2}, ", 'tf_equivalent_padding': true", true, true, false},
    {{6, 5}, 2, {2, 4}, 3, 1, {3, 2}, {1, 1}, ", 'tf_equivalent_padding': true", true, true, false},
    /* Less filter than stride: nothing is padded. */
    {{5, 5}, 1, {1, 1}, 2, 1, {2, 3}, {1, 1}, ", 'tf_equivalent_padding': true", true, true, false},
    {{6, 7},
     2,
     {3, 4},
     2,
     1,
     {2, 3},
     {2, 1},
     ", 'tf_equivalent_padding': true, 'is_causal': true",
     true,
     true,
     true}};

/* Zeros before and after axis i, as praxis.layers.convolutions says. */
static void
padding_of (const Plain *p, int i, int pair[2])
{
  int reach = p->dilation[i] * (p->filter[i] - 1), total = p->same ? reach : 0;
  int windows = (p->size[i] + p->stride[i] - 1) / p->stride[i];
  if (p->tf && !p->causal)
    total = MAX ((windows - 1) * p->stride[i] + reach + 1 - p->size[i], 0);
  pair[0] = p->causal && i == 0 ? total : total / 2;
  pair[1] = total - pair[0];
}

/* Output (i, j, d) from the definition. */
static double
cell_of (const Plain *p, const double *x, const double *w, const int at[3])
{
  int deep = p->channels / p->groups, group = at[2] / (p->outputs / p->groups), pad[2][2];
  double sum = 0;
  for (int i = 0; i < 2; i++)
    padding_of (p, i, pad[i]);
  for (int k = 0; k < p->filter[0] * p->filter[1]; k++) {
    int a = k / p->filter[1], b = k % p->filter[1];
    int row = at[0] * p->stride[0] + a * p->dilation[0] - pad[0][0];
    int column = at[1] * p->stride[1] + b * p->dilation[1] - pad[1][0];
    if (row < 0 || row >= p->size[0] || column < 0 || column >= p->size[1])
      continue;
    for (int c = 0; c < deep; c++)
      sum += x[(row * p->size[1] + column) * p->channels + group * deep + c]
             * w[(k * deep + c) * p->outputs + at[2]];
  }
  return sum;
}

static void
check_plain (LmRegistry *registry, LmBackend *backend, const Plain *p)
{
  g_autofree char *config = g_strdup_printf (
      "{'type': 'lamina.conv2d', 'filter_shape': [%d, %d, %d, %d], 'filter_stride': [%d, %d], "
      "'dilations': [%d, %d]%s}",
      p->filter[0], p->filter[1], p->channels / p->groups, p->outputs, p->stride[0], p->stride[1],
      p->dilation[0], p->dilation[1], p->options);
  g_autofree char *inputs = g_strdup_printf ("x 1,%d,%d,%d", p->size[0], p->size[1], p->channels);
  LmLayerCheck check = LM_CHECK_TRAIN (config, inputs);
  g_autoptr (LmLayerFn) fn = lm_layer_check_fn (registry, backend, &check, "f64");
  g_autoptr (GPtrArray) out = lm_layer_fn_run (fn, backend);
  const LmArray *y = lm_layer_fn_result (fn, out, "y");
  const LmArray *w = fn->arrays->pdata[lm_layer_fn_find (fn->names, "var:w")];
  const LmArray *x = fn->arrays->pdata[lm_layer_fn_find (fn->names, "in:x")];
  for (int i = 0; i < 2; i++) {
    int pad[2], reach = p->dilation[i] * (p->filter[i] - 1);
    padding_of (p, i, pad);
    g_assert_cmpint (y->type.dims[1 + i], ==,
                     (p->size[i] + pad[0] + pad[1] - reach - 1) / p->stride[i] + 1);
  }
  for (int64_t i = 0; i < lam_type_elements (&y->type); i++) {
    int line = (int)y->type.dims[2] * p->outputs;
    int at[3] = {(int)i / line, (int)i % line / p->outputs, (int)i % p->outputs};
    g_assert_cmpfloat_with_epsilon (lm_array_get_double (y, i), cell_of (p, x->data, w->data, at),
                                    1e-12);
  }
}

static void
test_formula (void)
{
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  for (gsize i = 0; i < G_N_ELEMENTS (plain); i++)
    check_plain (registry, backend, &plain[i]);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

/* --- options ---------------------------------------------------------------------------------------------- */

/* y of a call in an f32 model. */
static GPtrArray *
run_f32 (LmRegistry *registry, LmBackend *backend, const char *config, const char *inputs)
{
  LmLayerCheck check = LM_CHECK_TRAIN (config, inputs);
  g_autoptr (LmLayerFn) fn = lm_layer_check_fn (registry, backend, &check, "f32");
  g_autoptr (GPtrArray) out = lm_layer_fn_run (fn, backend);
  GPtrArray *y = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  g_ptr_array_add (y, lm_array_ref (out->pdata[lm_layer_fn_find (fn->out_names, "y")]));
  return y;
}

/* fprop_dtype: the result has the input's dtype and bf16's precision. */
static void
test_fprop_dtype (void)
{
  static const char *const layers[][2] = {
      {"'type': 'lamina.conv2d', 'filter_shape': [2, 2, 2, 3], 'bias': true", "x 2,4,3,2"},
      {"'type': 'lamina.conv3d', 'filter_shape': [2, 1, 2, 2, 3], 'bias': true", "x 1,3,2,3,2"},
      {"'type': 'lamina.depthwise_conv1d', 'filter_shape': [3, 2, 2], 'bias': true", "x 2,5,2"}};
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  for (gsize i = 0; i < G_N_ELEMENTS (layers); i++) {
    g_autofree char *wide = g_strdup_printf ("{%s}", layers[i][0]);
    g_autofree char *narrow = g_strdup_printf ("{%s, 'fprop_dtype': 'bf16'}", layers[i][0]);
    g_autoptr (GPtrArray) a = run_f32 (registry, backend, wide, layers[i][1]);
    g_autoptr (GPtrArray) b = run_f32 (registry, backend, narrow, layers[i][1]);
    const LmArray *y = a->pdata[0], *z = b->pdata[0];
    bool same = true;
    g_assert_cmpint (z->type.dtype, ==, LAM_F32);
    for (int64_t k = 0; k < lam_type_elements (&y->type); k++) {
      float got = (float)lm_array_get_double (z, k);
      g_assert_cmpfloat_with_epsilon (got, lm_array_get_double (y, k), 0.1);
      g_assert_cmpfloat (got, ==, lm_bf16_to_f32 (lm_f32_to_bf16 (got)));
      same = same && got == (float)lm_array_get_double (y, k);
    }
    g_assert_false (same);
  }
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

/* kernel_init and bias_init; the child batch norm gets its dim and never uses moving averages in training. */
static void
test_inits (void)
{
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  g_autoptr (LmLayerFn) fn = lm_layer_fn_new (
      registry,
      lm_layer_check_config (
          "{'type': 'lamina.conv_bn_act', 'filter_shape': [2, 2, 1, 3], 'bias': true, "
          "'kernel_init': {'method': 'constant', 'scale': 0.5}, "
          "'bias_init': {'method': 'constant', 'scale': -2}, 'batch_norm_tpl': {'type': "
          "'lamina.batch_norm', 'decay': 0.5, 'use_moving_avg_in_training': true}}"),
      "f32", NULL);
  lm_layer_fn_init (fn, backend);
  const LmArray *w = fn->arrays->pdata[lm_layer_fn_find (fn->names, "var:w")];
  const LmArray *b = fn->arrays->pdata[lm_layer_fn_find (fn->names, "var:b")];
  const LmArray *gamma = fn->arrays->pdata[lm_layer_fn_find (fn->names, "var:bn.gamma")];
  g_assert_cmpfloat (lm_array_get_double (w, 11), ==, 0.5);
  g_assert_cmpfloat (lm_array_get_double (b, 2), ==, -2);
  g_assert_cmpint (gamma->type.dims[0], ==, 3);
  LmLayer *bn = lm_model_layer (fn->model, 1);
  g_assert_cmpstr (bn->name, ==, "bn");
  g_autoptr (JsonNode) params = lm_params_to_json (bn->params);
  JsonObject *members = json_node_get_object (params);
  g_assert_false (json_object_get_boolean_member (members, "use_moving_avg_in_training"));
  g_assert_cmpfloat (json_object_get_double_member (members, "decay"), ==, 0.5);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

/* Integers have a largest element too; padded rows never win, and give 0. */
static void
test_integers (void)
{
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  lam_type x = lm_type (LAM_I32, 4, (int64_t[]) {1, 4, 2, 1});
  lam_type p = lm_type (LAM_F32, 2, (int64_t[]) {1, 4});
  const int32_t want[] = {-2, 0, 4, 0};
  g_autoptr (GError) error = NULL;
  g_autoptr (LmLayerFn) fn = lm_layer_fn_new (
      registry, lm_layer_check_config ("{'type': 'lamina.pooling', 'window_stride': [1, 2]}"),
      "f32", NULL);
  lm_layer_fn_add (fn, "in:inputs", lm_test_array (&x, (double[]) {-7, -2, 9, 8, 3, 4, 5, 6}));
  lm_layer_fn_add (fn, "in:paddings", lm_test_array (&p, (double[]) {0, 1, 0, 1}));
  lm_layer_fn_trace (fn, false, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) out = lm_layer_fn_run (fn, backend);
  const LmArray *y = lm_layer_fn_result (fn, out, "y.inputs");
  const LmArray *paddings = lm_layer_fn_result (fn, out, "y.paddings");
  g_assert_cmpint (y->type.dtype, ==, LAM_I32);
  g_assert_cmpmem (y->data, (gsize)y->bytes, want, sizeof want);
  for (int i = 0; i < 4; i++)
    g_assert_cmpfloat (lm_array_get_double (paddings, i), ==, i % 2);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  lm_layer_golden_add (&suite);
  lm_layer_check_add (checks, G_N_ELEMENTS (checks));
  g_test_add_func ("/plugins/layers/conv/refusals", test_refusals);
  g_test_add_func ("/plugins/layers/conv2d/formula", test_formula);
  g_test_add_func ("/plugins/layers/conv/fprop_dtype", test_fprop_dtype);
  g_test_add_func ("/plugins/layers/conv/inits", test_inits);
  g_test_add_func ("/plugins/layers/pooling/integers", test_integers);
  return g_test_run ();
}
