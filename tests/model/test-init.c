/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/init.c: fans, and initial values against JAX (group key_cases, kind init). */
#include "core/model/private.h"
#include "tests/lib/fixture.h"
#include "tests/lib/golden.h"

#include <string.h>

static void
check_fans (lam_var_spec spec, double in, double out)
{
  double fan_in, fan_out;
  lm_var_fans (&spec, &fan_in, &fan_out);
  g_assert_cmpfloat (fan_in, ==, in);
  g_assert_cmpfloat (fan_out, ==, out);
}

/* semantics 1.3: rank 1 both shape[0]; else receptive = prod shape[:-2]. */
static void
test_fans (void)
{
  lam_var_spec heads = lam_var_spec_make (LAM_SHAPE (8, 4, 2), LAM_XAVIER); /* (D, N, H) */
  check_fans (lam_var_spec_make (LAM_SHAPE (5), LAM_XAVIER), 5, 5);
  check_fans (lam_var_spec_make (LAM_SHAPE (6, 5), LAM_XAVIER), 6, 5);
  check_fans (lam_var_spec_make (LAM_SHAPE (3, 2, 4, 3), LAM_XAVIER), 24, 18);
  heads.n_in_axes = 1;
  heads.in_axes[0] = 0;
  heads.n_out_axes = 2;
  heads.out_axes[0] = 1;
  heads.out_axes[1] = 2;
  check_fans (heads, 8, 8);
}

/* --- values ------------------------------------------------------------------------------------ */

static const char *const methods[] = {"",
                                      "constant",
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
                                      "uniform_unit_scaling"};

static lam_var_spec
spec_of (JsonObject *attrs)
{
  lam_var_spec spec = lam_var_spec_make (LAM_SCALAR, LAM_XAVIER);
  JsonArray *dims = json_object_get_array_member (attrs, "shape");
  spec.shape.rank = (int32_t)json_array_get_length (dims);
  for (guint i = 0; i < json_array_get_length (dims); i++)
    spec.shape.dims[i] = json_array_get_int_element (dims, i);
  spec.init.scale = json_object_get_double_member (attrs, "scale");
  spec.dtype =
      strcmp (json_object_get_string_member (attrs, "dtype"), "float64") == 0 ? LAM_F64 : LAM_F32;
  for (guint i = 1; i < G_N_ELEMENTS (methods); i++)
    if (strcmp (json_object_get_string_member (attrs, "method"), methods[i]) == 0)
      spec.init.method = (int32_t)i;
  g_assert_cmpstr (methods[spec.init.method], ==, json_object_get_string_member (attrs, "method"));
  return spec;
}

static LmFunction *
trace_value (const lam_var_spec *spec, bool original)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTrace) trace = lm_trace_new ("value", lm_host_tables ()->trace, NULL, LAM_F32);
  lam_trace *t = lm_trace_pub (trace);
  lam_type key_type = lm_type (LAM_U32, 1, (int64_t[]) {2});
  lam_key key = {lm_trace_param (trace, &key_type)};
  lam_context_args args = {.struct_size = sizeof args, .original_keys = original};
  t->api->context_push (t, &args);
  lam_tensor y = lm_var_init_value (t, key, spec, "v");
  t->api->context_pop (t);
  LmFunction *f = lm_trace_finish (trace, &y, 1, &error);
  g_assert_no_error (error);
  return f;
}

static void
test_values (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open ("key_cases", &error);
  g_assert_no_error (error);
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  guint n = 0;
  for (guint i = 0; i < lm_golden_n_cases (g); i++) {
    const LmGoldenCase *c = lm_golden_case (g, i);
    LmGoldenTensor key;
    if (strcmp (c->kind, "init") != 0)
      continue;
    lam_var_spec spec = spec_of (c->attrs);
    bool original = strcmp (json_object_get_string_member (c->attrs, "layout"), "original") == 0;
    g_autoptr (LmFunction) f = trace_value (&spec, original);
    g_assert_true (lm_golden_tensor (g, c, "in", "key", &key));
    g_autoptr (LmArray) in = lm_array_new_copy (&key.type, key.data, NULL), out = NULL;
    g_autoptr (GString) why = g_string_new (NULL);
    lm_test_run (backend, f, &in, &out);
    if (!lm_golden_compare (g, c, "out", "y", out->data, (gsize)out->bytes, why))
      g_test_fail_printf ("%s: %s", c->id, why->str);
    n++;
  }
  g_assert_cmpuint (n, >=, 100);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

/* --- keys by path ------------------------------------------------------------------------------ */

/* A variable of the built model equals its value drawn from the key that JAX derives for its path. */
static void
check_var (LmBackend *backend, const LmModel *model, guint i, const LmArray *got, const LmGolden *g)
{
  const LmGoldenCase *c = lm_golden_lookup (g, "variable_keys.partitionable.classification");
  const char *path = lm_model_var_infos (model)[i]->path;
  g_autofree char *full = g_strdup_printf ("model.%s", path);
  LmGoldenTensor key;
  g_assert_true (lm_golden_tensor (g, c, "out", full, &key));
  const lam_var_spec *spec = lm_model_var_spec (model, lm_model_var_order (model)[i] - 1);
  g_autoptr (LmFunction) f = trace_value (spec, false);
  g_autoptr (LmArray) in = lm_array_new_copy (&key.type, key.data, NULL), want = NULL;
  lm_test_run (backend, f, &in, &want);
  g_test_message ("%s", path);
  g_assert_cmpmem (got->data, got->bytes, want->data, want->bytes);
}

static void
test_keys (void)
{
  static const char *const text =
      "{\"model\": {\"type\": \"lamina.classification\", \"network\": {\"type\": "
      "\"lamina.sequential\", "
      "\"layers\": [{\"type\": \"lamina.flatten\"}, {\"type\": \"lamina.feed_forward\", "
      "\"input_dims\": 4, "
      "\"output_dims\": 3}, {\"type\": \"lamina.batch_norm\", \"dim\": 3}]}, \"softmax\": "
      "{\"type\": "
      "\"lamina.full_softmax\", \"input_dims\": 3, \"num_classes\": 2}}}";
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open ("key_cases", &error);
  g_autoptr (JsonObject) config = lm_test_json (text);
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  LmModel *model = lm_model_new (registry, lm_host_tables (), config, &error);
  g_assert_no_error (error);
  g_autoptr (LmFunction) init = lm_model_init_function (model, &error);
  g_assert_no_error (error);
  g_autoptr (LmArray) key = lm_test_key (0, 1234);
  g_autoptr (GPtrArray) out = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  g_ptr_array_set_size (out, (gint)lm_model_n_vars (model));
  g_assert_cmpuint (out->len, ==, 8);
  lm_test_run (backend, init, &key, (LmArray **)out->pdata);
  for (guint i = 0; i < out->len; i++)
    check_var (backend, model, i, out->pdata[i], g);
  lm_model_free (model);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/init/fans", test_fans);
  g_test_add_func ("/model/init/values", test_values);
  g_test_add_func ("/model/init/keys-by-path", test_keys);
  return g_test_run ();
}
