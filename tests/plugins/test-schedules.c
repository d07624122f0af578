/* SPDX-License-Identifier: Apache-2.0 */
/* The schedules of plugins/schedules against praxis (golden group schedules_praxis), and their formula in
 * f64 models. */
#include "core/model/model.h"
#include "tests/lib/fixture.h"
#include "tests/lib/golden.h"

#include <lamina/schedule.h>
#include <math.h>
#include <string.h>

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

/* (count) -> multiplier */
static LmFunction *
trace (LmModel *model)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTrace) t = lm_model_trace (model, "schedule");
  const LmLayer *optimizer = lm_model_learner (model, 0)->children->pdata[0];
  const LmLayer *schedule = optimizer->chain_schedule;
  const lam_schedule_vt *vt = schedule->provided->vtable;
  lam_type type = lm_scalar_type (LAM_U32);
  lam_tensor y = vt->value (schedule->instance, lm_trace_pub (t), lm_trace_param (t, &type));
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

/* Upstream's parameters are ours; its class name becomes our type. */
static JsonObject *
schedule_of (const LmGoldenCase *c)
{
  JsonObject *out = json_object_new ();
  g_autoptr (GList) keys = json_object_get_members (c->attrs);
  json_object_set_string_member (out, "type",
                                 strcmp (c->kind, "praxis.Constant") == 0
                                     ? "lamina.constant"
                                     : "lamina.linear_rampup_cosine_decay");
  for (GList *k = keys; k != NULL; k = k->next)
    json_object_set_member (out, k->data,
                            json_node_copy (json_object_get_member (c->attrs, k->data)));
  return out;
}

static void
compare (const LmGolden *g, const LmGoldenCase *c, LmBackend *backend, const LmFunction *f)
{
  LmGoldenTensor steps;
  g_assert_true (lm_golden_tensor (g, c, "in", "step", &steps));
  g_autofree float *got = g_new (float, steps.elements);
  g_autoptr (GString) why = g_string_new (NULL);
  for (int64_t i = 0; i < steps.elements; i++) {
    g_autoptr (LmArray) y =
        value_at (backend, f, lm_golden_value (steps.type.dtype, steps.data, i));
    got[i] = (float)lm_array_get_double (y, 0);
  }
  if (!lm_golden_compare (g, c, "out", "value", got, (gsize)steps.elements * sizeof *got, why))
    g_test_fail_printf ("%s: %s", c->id, why->str);
}

static void
test_golden (gconstpointer kind)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open ("schedules_praxis", &error);
  g_assert_no_error (error);
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  guint seen = 0;
  for (guint i = 0; i < lm_golden_n_cases (g); i++) {
    const LmGoldenCase *c = lm_golden_case (g, i);
    if (strcmp (c->kind, kind) != 0)
      continue;
    g_autoptr (JsonObject) schedule = schedule_of (c);
    g_autoptr (LmModel) model = model_of (registry, "f32", schedule, &error);
    seen++;
    if (lm_golden_names (c, "out") == NULL) { /* upstream refuses it */
      g_assert_null (model);
      lm_test_assert_error (&error, LM_ERROR_INVALID, "lr_schedule", NULL);
      continue;
    }
    g_assert_no_error (error);
    g_autoptr (LmFunction) f = trace (model);
    compare (g, c, backend, f);
  }
  g_assert_cmpuint (seen, >, 0);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

/* In an f64 model the multiplier is f64: the formula to 1e-15. */
static void
test_f64 (void)
{
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonObject) schedule = lm_test_json (
      "{\"type\": \"lamina.linear_rampup_cosine_decay\", \"warmup_steps\": 7, \"decay_start\": 10, "
      "\"decay_end\": 31, \"max\": 0.7, \"min_ratio\": 0.1}");
  g_autoptr (LmModel) model = model_of (registry, "f64", schedule, &error);
  g_assert_no_error (error);
  g_autoptr (LmFunction) f = trace (model);
  for (int i = 0; i < 40; i++) {
    g_autoptr (LmArray) y = value_at (backend, f, i);
    double part = CLAMP ((i - 10) / 21.0, 0, 1);
    double want = i < 7 ? 0.7 * i / 7 : 0.07 + 0.63 * (1 + cos (G_PI * part)) / 2;
    g_assert_cmpint (y->type.dtype, ==, LAM_F64);
    g_assert_cmpfloat_with_epsilon (lm_array_get_double (y, 0), want, 1e-15);
  }
  lm_backend_unref (backend);
  g_clear_pointer (&model, lm_model_free);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/plugins/schedules/constant", "praxis.Constant", test_golden);
  g_test_add_data_func ("/plugins/schedules/linear_rampup_cosine_decay",
                        "praxis.LinearRampupCosineDecay", test_golden);
  g_test_add_func ("/plugins/schedules/f64", test_f64);
  return g_test_run ();
}
