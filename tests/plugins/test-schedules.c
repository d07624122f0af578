/* SPDX-License-Identifier: Apache-2.0 */
/* The schedules of plugins/schedules against praxis and optax (golden groups schedules_praxis and
 * schedules_optax: all cases of both), and against numpy in f64 models (schedule_cases). */
#include "core/model/model.h"
#include "tests/lib/fixture.h"
#include "tests/lib/golden.h"

#include <lamina/learner.h>
#include <string.h>

typedef struct Tools {
  LmRegistry *registry;
  LmBackend *backend;
} Tools;

static Tools
tools_open (void)
{
  LmRegistry *registry = lm_test_registry ();
  return (Tools) {registry, lm_test_backend (registry, "reference")};
}

static void
tools_close (Tools *tools)
{
  lm_backend_unref (tools->backend);
  lm_registry_free (tools->registry);
}

/* JSON with ' in place of ". */
static JsonObject *
config_of (const char *text)
{
  g_autofree char *json = g_strdelimit (g_strdup (text), "'", '"');
  return lm_test_json (json);
}

/* A model whose optimizer has this schedule; NULL and the error if it is refused. */
static LmModel *
model_of (LmRegistry *registry, const char *dtype, JsonObject *schedule, GError **error)
{
  g_autoptr (JsonObject) config = lm_test_json (
      "{\"model\": {\"type\": \"lamina.bias\", \"dims\": 1}, \"learners\": [{\"type\": "
      "\"lamina.learner\", \"optimizer\": {\"type\": \"lamina.sgd\", \"learning_rate\": 1.0}}]}");
  JsonArray *learners = json_object_get_array_member (config, "learners");
  JsonObject *learner = json_array_get_object_element (learners, 0);
  json_object_set_string_member (config, "dtype", dtype);
  json_object_set_object_member (json_object_get_object_member (learner, "optimizer"),
                                 "lr_schedule", json_object_ref (schedule));
  return lm_model_new (registry, lm_host_tables (), config, error);
}

/* (count) -> multiplier: the learning rate that the learner says, of an optimizer with rate 1. */
static LmFunction *
trace (LmModel *model)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTrace) t = lm_model_trace (model, "schedule");
  const LmLayer *learner = lm_model_learner (model, 0);
  const lam_learner_vt *vt = learner->provided->vtable;
  lam_type type = lm_scalar_type (LAM_U32);
  LmTraceLayer entered = {learner->id, learner->path, "learning_rate"};
  lam_tensor count = lm_trace_param (t, &type);
  lm_trace_enter (t, &entered);
  lam_tensor y = vt->learning_rate (learner->instance, lm_trace_pub (t), count);
  lm_trace_leave (t);
  LmFunction *f = lm_trace_finish (t, &y, 1, &error);
  g_assert_no_error (error);
  return f;
}

static LmArray *
value_at (LmBackend *backend, const LmFunction *f, double count)
{
  lam_type type = lm_scalar_type (LAM_U32);
  LmArray *in = lm_test_array (&type, &count), *out = NULL;
  lm_test_run (backend, f, &in, &out);
  lm_array_unref (in);
  return out;
}

/* "LinearRampupCosineDecay" -> "lamina.linear_rampup_cosine_decay" */
static char *
id_of (const char *class_name)
{
  GString *id = g_string_new ("lamina.");
  for (const char *p = class_name; *p != '\0'; p++) {
    if (g_ascii_isupper (*p) && p != class_name)
      g_string_append_c (id, '_');
    g_string_append_c (id, g_ascii_tolower (*p));
  }
  return g_string_free (id, FALSE);
}

/* Upstream's parameters are ours; its class names, in lists of schedules too, become our types. */
static JsonObject *
schedule_of (JsonObject *attrs, const char *class_name)
{
  JsonObject *out = json_object_new ();
  g_autoptr (GList) keys = json_object_get_members (attrs);
  for (GList *k = keys; k != NULL; k = k->next)
    json_object_set_member (out, k->data, json_object_dup_member (attrs, k->data));
  g_autofree char *id = id_of (class_name);
  json_object_set_string_member (out, "type", id);
  if (!json_object_has_member (out, "schedules"))
    return out;
  JsonArray *parts = json_object_get_array_member (attrs, "schedules"), *copy = json_array_new ();
  for (guint i = 0; i < json_array_get_length (parts); i++) {
    JsonObject *part = json_array_get_object_element (parts, i);
    json_array_add_object_element (
        copy, schedule_of (part, json_object_get_string_member (part, "type")));
  }
  json_object_set_array_member (out, "schedules", copy);
  return out;
}

static void
compare (const LmGolden *g, const LmGoldenCase *c, LmBackend *backend, const LmFunction *f)
{
  LmGoldenTensor steps, want;
  g_assert_true (lm_golden_tensor (g, c, "in", "step", &steps));
  g_assert_true (lm_golden_tensor (g, c, "out", "value", &want));
  g_autoptr (GByteArray) got = g_byte_array_new ();
  g_autoptr (GString) why = g_string_new (NULL);
  for (int64_t i = 0; i < steps.elements; i++) {
    g_autoptr (LmArray) y =
        value_at (backend, f, lm_golden_value (steps.type.dtype, steps.data, i));
    g_assert_cmpint (y->type.dtype, ==, want.type.dtype);
    g_byte_array_append (got, y->data, (guint)y->bytes);
  }
  if (!lm_golden_compare (g, c, "out", "value", got->data, got->len, why))
    g_test_fail_printf ("%s: %s", c->id, why->str);
}

/* One case: its values, or that our setup refuses what upstream refuses. */
static void
run_case (const LmGolden *g, const LmGoldenCase *c, JsonObject *schedule, const char *dtype,
          Tools *tools)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmModel) model = model_of (tools->registry, dtype, schedule, &error);
  if (lm_golden_names (c, "out") == NULL) { /* upstream refuses it */
    g_assert_null (model);
    lm_test_assert_error (&error, LM_ERROR_INVALID, "lr_schedule", NULL);
    return;
  }
  g_assert_no_error (error);
  g_autoptr (LmFunction) f = trace (model);
  compare (g, c, tools->backend, f);
}

/* All cases of one praxis class. */
static void
test_praxis (gconstpointer kind)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open ("schedules_praxis", &error);
  g_assert_no_error (error);
  Tools tools = tools_open ();
  guint seen = 0;
  for (guint i = 0; i < lm_golden_n_cases (g); i++) {
    const LmGoldenCase *c = lm_golden_case (g, i);
    const char *class_name = c->kind + strlen ("praxis.");
    g_assert_true (g_str_has_prefix (c->kind, "praxis."));
    if (strcmp (class_name, kind) != 0)
      continue;
    g_autoptr (JsonObject) schedule = schedule_of (c->attrs, class_name);
    run_case (g, c, schedule, "f32", &tools);
    seen++;
  }
  g_assert_cmpuint (seen, >, 0);
  tools_close (&tools);
}

/* --- optax ------------------------------------------------------------------------------------- */

#define PART(name, args) "{'type': 'lamina." name "', " args "}"
#define LINE(x0, y0, x1, y1)                                                                       \
  PART ("linear", "'start': [" #x0 ", " #y0 "], 'limit': [" #x1 ", " #y1 "]")
#define FALL(y0, steps, y1)                                                                        \
  PART ("cosine", "'initial_value': " #y0 ", 'total_steps': " #steps ", 'final_value': " #y1)
#define RISE_FALL(warmup, end, low)                                                                \
  PART ("linear_rampup_cosine_decay", "'warmup_steps': " #warmup ", 'decay_start': " #warmup       \
                                      ", 'decay_end': " #end ", 'max': 1.0, 'min_ratio': " #low)
#define JOIN(boundaries, parts)                                                                    \
  PART ("piecewise_schedule", "'boundaries': [" boundaries "], 'schedules': [" parts "]")

/* How optax' schedules are said with ours; by the id of the case. */
static const struct {
  const char *id, *config;
} optax_cases[] = {
    {"constant", PART ("constant", "'value': 0.3")},
    {"linear", LINE (4, 1.0, 14, 0.1)},
    {"polynomial", PART ("polynomial", "'power': 2, 'start': [0, 1.0], 'limit': [20, 0.05], "
                                       "'origin': 'limit'")},
    {"cosine_decay", FALL (1.0, 30, 0.1)},
    /* without an end: 0.7^(step / 5) until it is 0 in f32 anyway, 0.7^300 */
    {"exponential_decay",
     PART ("exponential", "'start': [0, 1.0], 'limit': [1500, 3.383857020074846e-47]")},
    {"exponential_decay.staircase",
     PART ("piecewise_constant",
           "'boundaries': [7, 12, 17, 22, 27], 'values': [1.0, 0.7, 0.49, 0.343, 0.2401, 0.2]")},
    {"warmup_cosine", RISE_FALL (6, 40, 0.05)},
    /* 5 * log (0.01) / log (0.8) steps */
    {"warmup_exponential",
     JOIN ("6", LINE (0, 0.0, 6, 1.0) ", " PART (
                    "exponential", "'start': [0, 1.0], 'limit': [103.1885115851617, 0.01]"))},
    {"warmup_constant", LINE (0, 0.0, 6, 1.0)},
    {"piecewise_constant",
     PART ("piecewise_constant", "'boundaries': [5, 9], 'values': [1.0, 0.1, 0.05]")},
    {"piecewise_interpolate", JOIN ("5", LINE (0, 1.0, 5, 0.1) ", " LINE (0, 0.1, 4, 0.5))},
    {"linear_onecycle", JOIN ("9, 25", LINE (0, 0.04, 9, 1.0) ", " LINE (
                                           0, 1.0, 16, 0.04) ", " LINE (0, 0.04, 5, 4e-6))},
    {"cosine_onecycle", JOIN ("9", FALL (0.04, 9, 1.0) ", " FALL (1.0, 21, 4e-6))},
    {"join", JOIN ("5", LINE (0, 0.0, 5, 1.0) ", " FALL (1.0, 10, 0.0))},
    {"sgdr", JOIN ("10", RISE_FALL (2, 10, 0.1) ", " RISE_FALL (2, 10, 0.1))},
};

static void
test_optax (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open ("schedules_optax", &error);
  g_assert_no_error (error);
  Tools tools = tools_open ();
  g_assert_cmpuint (lm_golden_n_cases (g), ==, G_N_ELEMENTS (optax_cases));
  for (guint i = 0; i < G_N_ELEMENTS (optax_cases); i++) {
    const LmGoldenCase *c = lm_golden_lookup (g, optax_cases[i].id);
    g_autoptr (JsonObject) schedule = config_of (optax_cases[i].config);
    g_assert_nonnull (c);
    run_case (g, c, schedule, "f32", &tools);
  }
  tools_close (&tools);
}

/* Formulas in f64 models, and all that have an id. */
static void
test_f64 (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open ("schedule_cases", &error);
  g_assert_no_error (error);
  Tools tools = tools_open ();
  for (guint i = 0; i < lm_golden_n_cases (g); i++) {
    const LmGoldenCase *c = lm_golden_case (g, i);
    g_autoptr (JsonObject) schedule = schedule_of (c->attrs, c->kind + strlen ("formula."));
    run_case (g, c, schedule, "f64", &tools);
  }
  tools_close (&tools);
}

/* A count that float32 does not hold is on its own side of a boundary in f32 models too. */
static void
test_large_counts (void)
{
  g_autoptr (GError) error = NULL;
  Tools tools = tools_open ();
  g_autoptr (JsonObject) schedule =
      config_of (PART ("piecewise_constant", "'boundaries': [16777217], 'values': [1.0, 0.5]"));
  g_autoptr (LmModel) model = model_of (tools.registry, "f32", schedule, &error);
  g_assert_no_error (error);
  g_autoptr (LmFunction) f = trace (model);
  g_autoptr (LmArray) before = value_at (tools.backend, f, 16777216);
  g_autoptr (LmArray) after = value_at (tools.backend, f, 16777217);
  g_assert_cmpfloat (lm_array_get_double (before, 0), ==, 1.0);
  g_assert_cmpfloat (lm_array_get_double (after, 0), ==, 0.5);
  g_clear_pointer (&model, lm_model_free);
  tools_close (&tools);
}

static void
test_refused (void)
{
  static const struct {
    const char *config, *says;
  } rows[] = {
      {LINE (5, 1.0, 5, 2.0), "start[0] < limit[0], got steps 5 and 5"},
      {LINE (5, 1.0, 4, 2.0), "start[0] < limit[0], got steps 5 and 4"},
      {PART ("linear", "'start': [1], 'limit': [1, 2]"), "two numbers, [step, value], got 1 and 2"},
      {PART ("linear", "'start': [0, 'nan'], 'limit': [1, 2]"), "finite numbers"},
      {PART ("polynomial", "'origin': 'strat'"), "did you mean \"start\""},
      {PART ("polynomial", "'power': -1"), "power"},
      {PART ("exponential", "'start': [0, 0.0]"), "start[1] wants to be a finite number above 0"},
      {PART ("exponential", "'limit': [5, -1]"), "limit[1] wants to be a finite number above 0"},
      {PART ("delayed_cosine", "'limit': [5, -1]"), "limit[1] wants to be >= 0"},
      {PART ("cosine", "'final_value': 2"), "total_steps: missing"},
      {PART ("linear_rampup_exponential_decay", "'decay_end': 9, 'max': 1, 'min_ratio': 0"),
       "min_ratio"},
      {PART ("linear_rampup_polynomial_decay", "'decay_end': 9, 'max': 0"), "max wants"},
      {PART ("linear_rampup_cosine_decay",
             "'warmup_steps': 4, 'decay_start': 3, 'decay_end': 9, 'max': 1"),
       "warmup_steps <= decay_start < decay_end, got 4, 3, 9"},
      {PART ("piecewise_constant", "'boundaries': [9, 5], 'values': [1, 2, 3]"),
       "increasing steps, got 5 after 9 (boundaries[1])"},
      {PART ("piecewise_constant", "'boundaries': [5, 9], 'values': [1, 2]"),
       "2 boundaries want 3 values, got 2"},
      {PART ("linear_rampup_piecewise_constant", "'boundaries': [], 'values': []"), "one step"},
      {PART ("linear_rampup_piecewise_constant", "'boundaries': [4], 'values': [1, 2]"),
       "1 boundaries want 1 values, got 2"},
      {JOIN ("5", LINE (0, 0.0, 5, 1.0)), "1 boundaries want 2 schedules, got 1"},
      {JOIN ("5, 4", FALL (1, 2, 0) "," FALL (1, 2, 0) "," FALL (1, 2, 0)), "got 4 after 5"},
      {JOIN ("5", FALL (1, 2, 0) "," LINE (7, 0.0, 5, 1.0)), "lr_schedule.schedules_1 (lamina.lin"},
      {PART ("cycle_schedule", "'steps': [1, 2], 'schedules': [" FALL (1, 2, 0) "]"),
       "as many steps as schedules, one at least, got 2 and 1"},
      {PART ("cycle_schedule", "'steps': [], 'schedules': []"), "one at least, got 0 and 0"},
      {PART ("cycle_schedule",
             "'steps': [4294967295, 1], 'schedules': [" FALL (1, 2, 0) "," FALL (1, 2, 0) "]"),
       "sum below 2^32"},
      {PART ("continuous_schedule", "'min': 1"), "min wants to be above 0 and below 1"},
  };
  Tools tools = tools_open ();
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (JsonObject) schedule = config_of (rows[i].config);
    g_autoptr (LmModel) model = model_of (tools.registry, "f32", schedule, &error);
    g_assert_null (model);
    lm_test_assert_error (&error, LM_ERROR_INVALID, "lr_schedule", rows[i].says, NULL);
  }
  tools_close (&tools);
}

static const char *const classes[] = {"Constant",
                                      "Polynomial",
                                      "Linear",
                                      "Exponential",
                                      "Cosine",
                                      "DelayedCosine",
                                      "PiecewiseConstant",
                                      "Transformer",
                                      "SqrtDecay",
                                      "LinearRampupPolynomialDecay",
                                      "LinearRampupCosineDecay",
                                      "LinearRampupExponentialDecay",
                                      "LinearRampupSqrtDecay",
                                      "LinearRampupPiecewiseConstant",
                                      "PiecewiseSchedule",
                                      "CycleSchedule",
                                      "ContinuousSchedule"};

/* No case of the group is left out. */
static void
test_complete (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open ("schedules_praxis", &error);
  g_assert_no_error (error);
  for (guint i = 0; i < lm_golden_n_cases (g); i++) {
    bool listed = false;
    for (guint k = 0; k < G_N_ELEMENTS (classes); k++)
      listed = listed || strcmp (lm_golden_case (g, i)->kind + strlen ("praxis."), classes[k]) == 0;
    if (!listed)
      g_test_fail_printf ("no test runs %s", lm_golden_case (g, i)->id);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (classes); i++) {
    g_autofree char *id = id_of (classes[i]);
    g_autofree char *path = g_strdup_printf ("/plugins/schedules/%s", id + strlen ("lamina."));
    g_test_add_data_func (path, classes[i], test_praxis);
  }
  g_test_add_func ("/plugins/schedules/complete", test_complete);
  g_test_add_func ("/plugins/schedules/optax", test_optax);
  g_test_add_func ("/plugins/schedules/f64", test_f64);
  g_test_add_func ("/plugins/schedules/large_counts", test_large_counts);
  g_test_add_func ("/plugins/schedules/refused", test_refused);
  return g_test_run ();
}
