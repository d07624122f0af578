/* SPDX-License-Identifier: Apache-2.0 */
/* Device tensors: there and back, other types refused. */
#include "tests/lib/fixture.h"

static const char *const names[] = {"reference", "cpu"};

static void
test_round_trip (void)
{
  static const double values[] = {0, 1.5, -2, 3, 1e-7, -65504};
  LmRegistry *registry = lm_test_registry ();
  for (guint b = 0; b < G_N_ELEMENTS (names); b++)
    for (lam_dtype dtype = LAM_F64; dtype <= LAM_PRED; dtype++) {
      g_autoptr (GError) error = NULL;
      g_autoptr (LmBackend) backend = lm_test_backend (registry, names[b]);
      lam_type type = lm_type (dtype, 2, (int64_t[]) {2, 3});
      g_autoptr (LmArray) in = lm_test_array (&type, values);
      g_autoptr (LmBuffer) buffer = lm_buffer_new_from_array (backend, in, &error);
      g_assert_no_error (error);
      g_assert_true (lm_type_equal (lm_buffer_type (buffer), &type));
      g_assert_cmpuint (lm_buffer_layout (buffer), ==, 0);
      g_autoptr (LmArray) out = lm_buffer_read (buffer, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (in->data, (gsize)in->bytes, out->data, (gsize)out->bytes);
      guint8 room[6 * 8];
      g_assert_true (lm_buffer_read_into (buffer, room, &error));
      g_assert_cmpmem (in->data, (gsize)in->bytes, room, (gsize)in->bytes);
    }
  lm_registry_free (registry);
}

static void
test_empty (void)
{
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (GError) error = NULL;
  g_autoptr (LmBackend) backend = lm_test_backend (registry, "reference");
  lam_type type = lm_type (LAM_F32, 2, (int64_t[]) {0, 3});
  g_autoptr (LmArray) in = lm_test_array (&type, (double[]) {0});
  g_autoptr (LmBuffer) buffer = lm_buffer_new_from_array (backend, in, &error);
  g_assert_no_error (error);
  g_autoptr (LmArray) out = lm_buffer_read (buffer, &error);
  g_assert_no_error (error);
  g_assert_cmpint (out->bytes, ==, 0);
  lm_registry_free (registry);
}

static void
test_refused (void)
{
  LmRegistry *registry = lm_test_registry ();
  GError *error = NULL;
  g_autoptr (LmBackend) backend = lm_test_backend (registry, "reference");
  lam_type two = lm_type (LAM_F32, 1, (int64_t[]) {2}),
           three = lm_type (LAM_F32, 1, (int64_t[]) {3});
  g_autoptr (LmArray) in = lm_test_array (&three, (double[]) {1, 2, 3});
  g_autoptr (LmBuffer) buffer = lm_buffer_new (backend, &two, 0, &error);
  g_assert_no_error (error);
  g_assert_false (lm_buffer_write (buffer, in, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "f32[2]", "f32[3]", NULL);
  g_assert_null (lm_buffer_new (backend, &two, 7, &error));
  lm_test_assert_error (&error, LM_ERROR_UNSUPPORTED, "layout 7", NULL);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/buffer/round_trip", test_round_trip);
  g_test_add_func ("/run/buffer/empty", test_empty);
  g_test_add_func ("/run/buffer/refused", test_refused);
  return g_test_run ();
}
