/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs as programs see them. */
#include "core/program/input.h"

#include "tests/lib/project.h"
#include <string.h>

static void
test_spec (void)
{
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_autoptr (LmInput) input = lm_test_project_input (p, "train");
  const LmBatchSpec *spec = lm_input_spec (input);
  static const char *const wanted[][2] = {
      {"inputs", "f32[32,8,8,1]"}, {"labels", "i32[32]"}, {"weights", "f32[32]"}};
  g_assert_cmpuint (spec->n, ==, 3);
  for (guint i = 0; i < 3; i++) {
    g_autofree char *type = lm_type_to_string (&spec->fields[i].type);
    g_assert_cmpstr (spec->fields[i].name, ==, wanted[i][0]);
    g_assert_cmpstr (type, ==, wanted[i][1]);
  }
  g_assert_cmpint (lm_input_batches (input), ==, 1437 / 32);
  g_assert_cmpstr (lm_input_provided (input)->id, ==, "lamina.npz");
}

/* One pass over the 360 test images in batches of 100; the last is filled at weight 0. */
static void
test_pass (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_autoptr (LmInput) input = lm_test_project_input (p, "eval");
  bool end = false;
  double weight = 0;
  int batches = 0;
  while (lm_input_next (input, &end, &error) && !end) {
    for (int64_t i = 0; i < 100; i++)
      weight += lm_array_get_double (lm_input_arrays (input)[2], i);
    batches++;
  }
  g_assert_no_error (error);
  g_assert_cmpint (batches, ==, 4);
  g_assert_cmpfloat (weight, ==, 360);
  lm_input_reset (input);
  g_assert_true (lm_input_next (input, &end, &error));
  g_assert_false (end);
}

static char *
digest (LmInput *input)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  for (guint i = 0; i < lm_input_spec (input)->n; i++)
    g_checksum_update (sum, lm_input_arrays (input)[i]->data, lm_input_arrays (input)[i]->bytes);
  return g_strdup (g_checksum_get_string (sum));
}

/* A saved and restored input goes on with the same bytes, over the end of an epoch too. */
static void
test_resume (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_autoptr (LmInput) a = lm_test_project_input (p, "train");
  g_autoptr (LmInput) b = lm_test_project_input (p, "train");
  bool end;
  for (int i = 0; i < 43; i++)
    g_assert_true (lm_input_next (a, &end, &error));
  g_autoptr (LmArray) position = lm_input_save (a, &error);
  g_assert_true (lm_input_restore (b, position, &error));
  for (int i = 0; i < 5; i++) {
    g_assert_true (lm_input_next (a, &end, &error) && lm_input_next (b, &end, &error));
    g_autofree char *x = digest (a), *y = digest (b);
    g_assert_cmpstr (x, ==, y);
  }
}

static void
test_restore_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_autoptr (LmInput) input = lm_test_project_input (p, "train");
  lam_type floats = lm_type (LAM_F32, 1, (int64_t[]) {2});
  g_autoptr (LmArray) odd = lm_test_array (&floats, (double[]) {1, 2});
  g_assert_false (lm_input_restore (input, odd, &error));
  lm_test_assert_error (&error, LM_ERROR_CORRUPT, "inputs.train", "u8", "f32[2]", NULL);
  lam_type bytes = lm_type (LAM_U8, 1, (int64_t[]) {2});
  g_autoptr (LmArray) little = lm_test_array (&bytes, (double[]) {1, 2});
  g_assert_false (lm_input_restore (input, little, &error));
  g_assert_nonnull (strstr (error->message, "inputs.train"));
}

static void
test_missing (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_assert_null (lm_input_open (p->model, "trian", p->files, &error));
  lm_test_assert_error (&error, LM_ERROR_NOT_FOUND, "trian", "eval", "did you mean \"train\"",
                        NULL);
}

/* Problems of an input's config name the input. */
static void
test_config (void)
{
  static const struct {
    const char *key, *value, *says;
    LmErrorCode code;
  } cases[] = {{"type", "\"lamina.npy\"", "lamina.npy", LM_ERROR_NOT_FOUND},
               {"type", "3", "\"type\"", LM_ERROR_INVALID},
               {"batch_size", "0", "batch_size", LM_ERROR_INVALID},
               {"scalee", "1", "did you mean \"scale\"", LM_ERROR_INVALID},
               {"file", "\"tests/data/none.npz\"", "tests/data/none.npz", LM_ERROR_NOT_FOUND}};
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
    JsonObject *config = lm_model_input_config (p->model, "train");
    g_autoptr (JsonNode) value = json_from_string (cases[i].value, NULL);
    json_object_set_member (config, cases[i].key, json_node_copy (value));
    g_assert_null (lm_input_open (p->model, "train", p->files, &error));
    lm_test_assert_error (&error, cases[i].code, "inputs.train", cases[i].says, NULL);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program/input/spec", test_spec);
  g_test_add_func ("/program/input/pass", test_pass);
  g_test_add_func ("/program/input/resume", test_resume);
  g_test_add_func ("/program/input/restore_refused", test_restore_refused);
  g_test_add_func ("/program/input/missing", test_missing);
  g_test_add_func ("/program/input/config", test_config);
  return g_test_run ();
}
