/* SPDX-License-Identifier: Apache-2.0 */
/* 50 training steps of whole models against paxml (golden group training), f32 and bf16: losses, norms
 * of gradients, learning rates, validity, variables after 1, 3 and 50 steps. Where paxml and our rules
 * (semantics 1.5, 1.12) differ, the cases do not: their batches have weight and no step is invalid. */
#include "tests/lib/steps.h"

#include <lamina/layer.h>
#include <string.h>

/* Cases of the larger group whose layers no plugin has yet: a transformer. */
static const char *const later[] = {"lm.adamw", "lm.sgdm", NULL};

typedef struct Case {
  LmGolden *g;
  const LmGoldenCase *c;
} Case;

/* --- configs ---------------------------------------------------------------------------------------- */

/* Upstream's MlpModel: ff1, dropout, ff2 with gelu, softmax; ConvModel: conv1, conv2 of
 * stride 2, the mean over each image, softmax. */
static const char mlp[] =
    "{'type': 'lamina.sequential', 'layers': ["
    "  {'type': 'lamina.feed_forward', 'input_dims': @in_dims, 'output_dims': @hidden},"
    "  {'type': 'lamina.dropout', 'keep_prob': @keep},"
    "  {'type': 'lamina.feed_forward', 'input_dims': @hidden, 'output_dims': @hidden,"
    "   'activation': 'gelu_approximate'}]}";
#define NORM "'batch_norm_tpl': {'type': 'lamina.batch_norm', 'decay': 0.9}"
static const char conv[] =
    "{'type': 'lamina.sequential', 'layers': ["
    "  {'type': 'lamina.conv_bn_act', 'filter_shape': [3, 3, @channels, @filters], " NORM "},"
    "  {'type': 'lamina.conv_bn_act', 'filter_shape': [3, 3, @filters, @filters], " NORM ","
    "   'filter_stride': [2, 2]},"
    "  {'type': 'lamina.global_pooling', 'pooling_dims': [1, 2]}]}";
static const char head[] = "{'type': 'lamina.classification', 'network': @network, 'softmax': "
                           "{'type': 'lamina.full_softmax', 'input_dims': @width, 'num_classes': "
                           "@classes}}";

/* Our names of upstream's first path parts, by model. */
static const char *const names[][3] = {{"ff1.", "network.layers_0."},
                                       {"ff2.", "network.layers_2."},
                                       {"conv1.", "network.layers_0."},
                                       {"conv2.", "network.layers_1."},
                                       {"softmax.", "softmax."}};

/* Replaces every @key by the value. */
static char *
fill (char *text, const char *key, const char *value)
{
  g_autofree char *taken = text, *from = g_strconcat ("@", key, NULL);
  g_auto (GStrv) parts = g_strsplit (taken, from, -1);
  return g_strjoinv (value, parts);
}

static JsonObject *
model_config (JsonObject *attrs)
{
  JsonObject *model = json_object_get_object_member (attrs, "model");
  bool is_mlp = strcmp (json_object_get_string_member (model, "type"), "MlpModel") == 0;
  char *text = fill (g_strdup (head), "network", is_mlp ? mlp : conv);
  text = fill (text, "width", is_mlp ? "@hidden" : "@filters");
  g_autoptr (GList) keys = json_object_get_members (model);
  for (GList *k = keys; k != NULL; k = k->next) {
    char value[G_ASCII_DTOSTR_BUF_SIZE];
    if (strcmp (k->data, "type") != 0)
      text = fill (
          text, k->data,
          g_ascii_dtostr (value, sizeof value, json_object_get_double_member (model, k->data)));
  }
  g_autofree char *json = g_strdelimit (text, "'", '"');
  g_assert_null (strchr (json, '@'));
  return lm_test_json (json);
}

/* Upstream's class as our type. */
static const char *
type_of (const char *class)
{
  static const char *const types[][2] = {
      {"Adam", "lamina.adam"},
      {"Sgd", "lamina.sgd"},
      {"Constant", "lamina.constant"},
      {"LinearRampupCosineDecay", "lamina.linear_rampup_cosine_decay"}};
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (strcmp (types[i][0], class) == 0)
      return types[i][1];
  g_error ("no type for %s", class);
}

/* The optimizer, or its schedule; a key of the learner's goes there. */
static JsonObject *
optimizer_config (JsonObject *upstream, JsonObject *learner)
{
  JsonObject *out = json_object_new ();
  g_autoptr (GList) keys = json_object_get_members (upstream);
  for (GList *k = keys; k != NULL; k = k->next) {
    JsonNode *value = json_object_get_member (upstream, k->data);
    if (strcmp (k->data, "type") == 0)
      json_object_set_string_member (out, k->data, type_of (json_node_get_string (value)));
    else if (strcmp (k->data, "clip_gradient_norm_to_value") == 0)
      json_object_set_member (learner, k->data, json_node_copy (value));
    else if (JSON_NODE_HOLDS_OBJECT (value))
      json_object_set_object_member (out, k->data,
                                     optimizer_config (json_node_get_object (value), learner));
    else
      json_object_set_member (out, k->data, json_node_copy (value));
  }
  return out;
}

static JsonObject *
config_of (JsonObject *attrs)
{
  JsonObject *config = json_object_new (), *learner = json_object_new ();
  JsonArray *learners = json_array_new ();
  json_object_set_string_member (config, "fprop_dtype",
                                 json_object_get_string_member (attrs, "fprop_dtype"));
  json_object_set_object_member (config, "model", model_config (attrs));
  json_object_set_string_member (learner, "type", "lamina.learner");
  json_object_set_string_member (learner, "loss_name",
                                 json_object_get_string_member (attrs, "loss_name"));
  json_object_set_object_member (
      learner, "optimizer",
      optimizer_config (json_object_get_object_member (attrs, "optimizer"), learner));
  json_array_add_object_element (learners, learner);
  json_object_set_array_member (config, "learners", learners);
  return config;
}

/* "params.ff1.linear.w" -> "network.layers_0.linear.w" */
static char *
our_name (const char *upstream)
{
  const char *path = strchr (upstream, '.') + 1; /* after the collection */
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_has_prefix (path, names[i][0]))
      return g_strconcat (names[i][1], path + strlen (names[i][0]), NULL);
  g_error ("no name for %s", upstream);
}

/* --- keys: dropout gets the very keys that upstream's drew -------------------------------------------- */

typedef struct Keys {
  const uint32_t *given; /* (n, 2), of one step */
  guint n, drawn;
} Keys;

static Keys keys; /* of the step being traced */

static lam_key
next_key (lam_trace *t)
{
  lam_key key = {{0, 0}};
  guint i = keys.drawn++;
  if (i < keys.n)
    key.bits = lam_constant (t, LAM_U32, LAM_SHAPE (2), keys.given + 2 * i);
  else
    lam_fail (t, "a layer draws more keys than upstream's did");
  return key;
}

/* The host's tables with next_key above. */
static const LmHostTables *
tables_with_keys (void)
{
  static lam_trace_api trace;
  static LmHostTables tables;
  trace = *lm_host_tables ()->trace;
  trace.next_key = next_key;
  tables = *lm_host_tables ();
  tables.trace = &trace;
  return &tables;
}

/* Chooses the keys of a step; false if the case has none. */
static bool
choose_keys (const Case *k, guint step)
{
  LmGoldenTensor x;
  keys = (Keys) {NULL, 0, 0};
  if (lm_golden_names (k->c, "key") == NULL)
    return false;
  g_assert_true (lm_golden_tensor (k->g, k->c, "key", "dropout", &x));
  keys.n = (guint)x.type.dims[1];
  keys.given = (const uint32_t *)x.data + (gsize)step * 2 * keys.n;
  return true;
}

/* --- one case ----------------------------------------------------------------------------------------- */

static GHashTable *
start_weights (const Case *k)
{
  GHashTable *weights =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)lm_array_unref);
  JsonArray *list = lm_golden_names (k->c, "var");
  for (guint i = 0; i < json_array_get_length (list); i++) {
    LmGoldenTensor x;
    const char *name = json_array_get_string_element (list, i);
    g_assert_true (lm_golden_tensor (k->g, k->c, "var", name, &x));
    g_hash_table_insert (weights, our_name (name), lm_array_new_copy (&x.type, x.data, NULL));
  }
  return weights;
}

/* Batch i % batches of an input. */
static LmArray *
batch_of (const Case *k, const char *name, guint i)
{
  LmGoldenTensor x;
  g_assert_true (lm_golden_tensor (k->g, k->c, "in", name, &x));
  lam_type type = x.type;
  int64_t batches = type.dims[0];
  type.rank--;
  memmove (type.dims, type.dims + 1, sizeof (int64_t) * (size_t)type.rank);
  return lm_array_new_copy (&type, (const char *)x.data + i % batches * lam_type_bytes (&type),
                            NULL);
}

/* Variables of a section; its tolerance is the case's "final". */
static void
compare_vars (const Case *k, const LmTestRun *run, const char *section)
{
  JsonObject *wide = json_object_get_object_member (
      json_object_get_object_member (k->c->object, "tolerance"), "final");
  const LmGoldenTolerance tolerance = {.mode = LM_GOLDEN_CLOSE,
                                       .rtol = json_object_get_double_member (wide, "rtol"),
                                       .atol = json_object_get_double_member (wide, "atol")};
  JsonArray *list = lm_golden_names (k->c, section);
  g_assert_cmpuint (json_array_get_length (list), ==, run->step->n_vars);
  for (guint i = 0; i < json_array_get_length (list); i++) {
    g_autoptr (GString) why = g_string_new (NULL);
    const char *name = json_array_get_string_element (list, i);
    g_autofree char *ours = our_name (name);
    const LmArray *x = lm_test_run_var (run, ours);
    if (!lm_golden_compare_with (k->g, k->c, section, name, x->data, (gsize)x->bytes, &tolerance,
                                 why))
      g_test_fail_printf ("%s: %s", k->c->id, why->str);
  }
}

/* What is reported each step: upstream's name, the end of our summary's key (NULL: the loss). */
static const char *const reports[][2] = {{"loss", NULL},
                                         {"raw_grad_norm", "/grad_norm_scalar"},
                                         {"lr", "/learning_rate_scalar"},
                                         {"is_valid_step", "/is_valid_step_scalar"}};

static void
compare_reports (const Case *k, float *const *values, guint n)
{
  for (guint i = 0; i < G_N_ELEMENTS (reports); i++) {
    g_autoptr (GString) why = g_string_new (NULL);
    if (!lm_golden_compare (k->g, k->c, "out", reports[i][0], values[i], n * sizeof (float), why))
      g_test_fail_printf ("%s: %s", k->c->id, why->str);
  }
}

static void
run_step (const Case *k, LmTestRun *run, guint i, float *const *values)
{
  g_autoptr (LmArray) key = lm_test_key (0, 15); /* nothing draws from it */
  LmArray *batch[] = {batch_of (k, "x", i), batch_of (k, "labels", i)};
  lm_test_run_step (run, key, batch);
  for (guint r = 0; r < G_N_ELEMENTS (reports); r++)
    values[r][i] = (float)(reports[r][1] != NULL ? lm_test_run_summary (run, reports[r][1])
                                                 : lm_test_run_loss (run));
  lm_array_unref (batch[0]);
  lm_array_unref (batch[1]);
}

/* Steps 0 .. n - 1, each traced with its own keys where there are some. */
static void
run_steps (const Case *k, const LmTestRunArgs *args, guint n, float *const *values)
{
  choose_keys (k, 0);
  LmTestRun *run = lm_test_run_new_of (args);
  for (guint i = 0; i < n; i++) {
    if (choose_keys (k, i)) {
      lm_test_run_retrace (run, args);
      g_assert_cmpuint (keys.drawn, ==, keys.n);
    }
    run_step (k, run, i, values);
    if (i == 0 || i == 2)
      compare_vars (k, run, i == 0 ? "after1" : "after3");
  }
  compare_vars (k, run, "final");
  lm_test_run_free (run);
}

static void
run_case (const Case *k, const char *backend)
{
  guint n = (guint)lm_golden_number (k->c->attrs, "steps", 0);
  g_autoptr (LmArray) x = batch_of (k, "x", 0), labels = batch_of (k, "labels", 0);
  LmBatchField fields[] = {{(char *)"inputs", x->type}, {(char *)"labels", labels->type}};
  const LmBatchSpec batch = {G_N_ELEMENTS (fields), fields};
  const LmStepOptions options = {.with_summaries = true, .original_keys = true};
  g_autoptr (GHashTable) weights = start_weights (k);
  const LmTestRunArgs args = {.config = config_of (k->c->attrs),
                              .weights = weights,
                              .batch = &batch,
                              .kind = LM_STEP_TRAIN,
                              .backend = backend,
                              .options = &options,
                              .tables = tables_with_keys ()};
  float *values[G_N_ELEMENTS (reports)];
  for (guint r = 0; r < G_N_ELEMENTS (reports); r++)
    values[r] = g_new0 (float, n);
  run_steps (k, &args, n, values);
  compare_reports (k, values, n);
  for (guint r = 0; r < G_N_ELEMENTS (reports); r++)
    g_free (values[r]);
}

static LmGolden *
open_group (void)
{
  g_autoptr (GError) error = NULL;
  LmGolden *g = lm_golden_open ("training", &error);
  g_assert_no_error (error);
  return g;
}

typedef struct Data {
  const char *id, *backend;
} Data;

static void
test_case (gconstpointer data)
{
  const Data *d = data;
  g_autoptr (LmGolden) g = open_group ();
  const Case k = {g, lm_golden_lookup (g, d->id)};
  g_assert_nonnull (k.c);
  run_case (&k, d->backend);
}

static const char *const ids[] = {"mlp.adamw", "mlp.sgdm", "conv_bn.adamw", "conv_bn.sgdm",
                                  "mlp.bf16"};

/* Every case runs, and what the larger group has beyond them is the list above. */
static void
test_complete (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = open_group ();
  g_assert_cmpuint (lm_golden_n_cases (g), ==, G_N_ELEMENTS (ids));
  const char *srcdir = g_getenv ("LAMINA_SRCDIR");
  g_autofree char *path =
      g_build_filename (srcdir != NULL ? srcdir : ".", "tests/golden/training.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_assert_true (json_parser_load_from_file (parser, path, &error));
  JsonObject *group = json_node_get_object (json_parser_get_root (parser));
  JsonArray *left = json_object_get_array_member (group, "left_out");
  g_assert_cmpuint (json_array_get_length (left), ==, G_N_ELEMENTS (later) - 1);
  for (guint i = 0; later[i] != NULL; i++)
    g_assert_cmpstr (json_array_get_string_element (left, i), ==, later[i]);
}

int
main (int argc, char **argv)
{
  static const char *const backends[] = {"reference", "cpu"};
  static Data all[2 * G_N_ELEMENTS (ids)];
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    all[i] = (Data) {ids[i / 2], backends[i % 2]};
    g_autofree char *path = g_strdup_printf ("/step/training/%s/%s", all[i].id, all[i].backend);
    g_test_add_data_func (path, &all[i], test_case);
  }
  g_test_add_func ("/step/training/complete", test_complete);
  return g_test_run ();
}
