/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the reader and the comparison of golden vectors themselves. */
#include "tests/lib/golden.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const groups[] = {
    "ops",
    "grads",
    "keys",
    "keys_praxis",
    "layers",
    "optimizers_praxis",
    "optimizers_optax",
    "optimizers_f64",
    "schedules_praxis",
    "schedules_optax",
    "digits_mlp",
    "digits_cnn_bn",
    "step_cases",
    "key_cases",
    "random_draws",
    "ops_more",
};

/* Every tensor that a case lists is there, and equals itself by the case's own tolerance. */
static void
check_case (const LmGolden *g, const LmGoldenCase *c, guint *n_tensors)
{
  g_autoptr (GString) why = g_string_new (NULL);
  g_autoptr (GList) sections = NULL;

  if (!json_object_has_member (c->object, "tensors"))
    return;
  sections = json_object_get_members (json_object_get_object_member (c->object, "tensors"));
  for (GList *l = sections; l != NULL; l = l->next) {
    JsonArray *names = lm_golden_names (c, l->data);
    for (guint i = 0; i < json_array_get_length (names); i++) {
      const char *name = json_array_get_string_element (names, i);
      LmGoldenTensor t;
      if (!lm_golden_tensor (g, c, l->data, name, &t))
        g_error ("%s/%s/%s is missing", c->id, (char *)l->data, name);
      if (!lm_golden_compare (g, c, l->data, name, t.data, t.nbytes, why))
        g_error ("%s", why->str);
      ++*n_tensors;
    }
  }
}

static void
test_open (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (groups); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LmGolden) g = lm_golden_open (groups[i], &error);
    guint n = 0;
    g_assert_no_error (error);
    g_assert_cmpuint (lm_golden_n_cases (g), >, 0);
    for (guint k = 0; k < lm_golden_n_cases (g); k++) {
      const LmGoldenCase *c = lm_golden_case (g, k);
      g_assert_true (lm_golden_lookup (g, c->id) == c);
      check_case (g, c, &n);
    }
    g_assert_cmpuint (n, >=, g_strv_length ((char **)lm_golden_tensor_names (g)));
  }
}

/* The second opinion of a case with tolerance ulp is another library: both must agree within it,
 * or the tolerance, the decoding or the comparison is wrong. */
static void
test_second_opinion (void)
{
  g_autoptr (GString) why = g_string_new (NULL);
  g_autoptr (LmGolden) g = lm_golden_open ("ops", NULL);
  guint n = 0;

  g_assert_nonnull (g);
  for (guint k = 0; k < lm_golden_n_cases (g); k++) {
    const LmGoldenCase *c = lm_golden_case (g, k);
    LmGoldenTensor ref;
    if (c->tolerance.mode != LM_GOLDEN_ULP || !lm_golden_tensor (g, c, "ref", "y", &ref))
      continue;
    if (!lm_golden_compare (g, c, "out", "y", ref.data, ref.nbytes, why))
      g_error ("%s", why->str);
    n++;
  }
  g_assert_cmpuint (n, >, 20);
}

static void
test_absent (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) why = g_string_new (NULL);
  g_autoptr (LmGolden) none = lm_golden_open ("no_such_group", &error);
  g_autoptr (LmGolden) g = lm_golden_open ("ops", NULL);
  const LmGoldenCase *c = lm_golden_lookup (g, "exponential.f64");
  LmGoldenTensor t;

  g_assert_null (none);
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_nonnull (c);
  g_assert_null (lm_golden_lookup (g, "no.such.case"));
  g_assert_null (lm_golden_names (c, "grad"));
  g_assert_false (lm_golden_tensor (g, c, "in", "z", &t));
  g_assert_false (lm_golden_compare (g, c, "out", "z", NULL, 0, why));
  g_assert_false (lm_golden_compare (g, c, "out", "y", why->str, 3, why));
  g_assert_nonnull (strstr (why->str, "got 3"));
}

static bool
accepts (LmGoldenTolerance tolerance, lam_dtype dtype, const void *want, const void *got)
{
  g_autoptr (GString) why = g_string_new (NULL);
  LmGoldenTensor t = {.type = {.dtype = dtype, .rank = 1, .dims = {1}},
                      .elements = 1,
                      .nbytes = lam_dtype_bits (dtype) / 8,
                      .data = want};
  bool ok = lm_golden_compare_arrays ("x", &t, NULL, got, &tolerance, why);

  g_assert_true (ok == (why->len == 0));
  return ok;
}

static const LmGoldenTolerance bits = {.mode = LM_GOLDEN_BITS};
static const LmGoldenTolerance ulp2 = {.mode = LM_GOLDEN_ULP, .ulp = 2};
static const LmGoldenTolerance near_to = {.mode = LM_GOLDEN_CLOSE, .rtol = 1e-6, .atol = 1e-9};

static void
test_modes (void)
{
  double one = 1, one_up = 1 + 0x1p-52, three_up = 1 + 3 * 0x1p-52, zero = 0, minus_zero = -0.0;
  double nan1 = NAN, nan2 = -NAN, inf = INFINITY, big = 1.7976931348623157e308, tiny = 5e-324;
  double far_off = 1.0000021;

  g_assert_true (accepts (bits, LAM_F64, &one, &one));
  g_assert_false (accepts (bits, LAM_F64, &one, &one_up));
  g_assert_false (accepts (bits, LAM_F64, &zero, &minus_zero));
  g_assert_true (accepts (bits, LAM_F64, &nan1, &nan2));
  g_assert_true (accepts (ulp2, LAM_F64, &one, &one_up));
  g_assert_false (accepts (ulp2, LAM_F64, &one, &three_up));
  g_assert_true (accepts (ulp2, LAM_F64, &zero, &minus_zero));
  g_assert_true (accepts (ulp2, LAM_F64, &minus_zero, &tiny));
  g_assert_false (accepts (ulp2, LAM_F64, &inf, &big));
  g_assert_false (accepts (near_to, LAM_F64, &inf, &big));
  g_assert_false (accepts (near_to, LAM_F64, &nan1, &one));
  g_assert_false (accepts (near_to, LAM_F64, &one, &nan1));
  g_assert_true (accepts (near_to, LAM_F64, &one, &three_up));
  g_assert_false (accepts (near_to, LAM_F64, &one, &far_off));
}

static void
test_dtypes (void)
{
  int32_t a = 7, b = 8;
  uint8_t yes = 1, no = 0;
  uint16_t half_third = 0x3555, half_next = 0x3556, half_far = 0x3558, half_tiny = 0x8001;
  uint16_t brain_pi = 0x4049;
  int64_t big = G_MAXINT64, less = G_MAXINT64 - 1;
  float third = 1.0f / 3.0f, next = nextafterf (third, 1);

  g_assert_false (accepts (near_to, LAM_I32, &a, &b));
  g_assert_false (accepts (ulp2, LAM_PRED, &yes, &no));
  g_assert_false (accepts (near_to, LAM_I64, &big, &less));
  g_assert_true (accepts (ulp2, LAM_F16, &half_third, &half_next));
  g_assert_false (accepts (ulp2, LAM_F16, &half_third, &half_far));
  g_assert_true (accepts (ulp2, LAM_F32, &third, &next));
  g_assert_cmpfloat (lm_golden_value (LAM_F16, &half_third, 0), ==, 0x1.554p-2);
  g_assert_cmpfloat (lm_golden_value (LAM_F16, &half_tiny, 0), ==, -0x1p-24);
  g_assert_cmpfloat (lm_golden_value (LAM_BF16, &brain_pi, 0), ==, 3.140625);
  g_assert_cmpfloat (lm_golden_ulps (LAM_F32, &third, &next, 0), ==, 1);
}

static void
test_either (void)
{
  double want[2] = {0, 1}, ref[2] = {1e-310, 1}, other[2] = {1e-309, 1};
  lam_type type = {.dtype = LAM_F64, .rank = 1, .dims = {2}};
  LmGoldenTensor w = {.type = type, .elements = 2, .nbytes = 16, .data = want};
  LmGoldenTensor r = {.type = type, .elements = 2, .nbytes = 16, .data = ref};
  LmGoldenTolerance either = {.mode = LM_GOLDEN_EITHER, .ulp = 4};
  g_autoptr (GString) why = g_string_new (NULL);

  g_assert_true (lm_golden_compare_arrays ("x", &w, &r, want, &either, why));
  g_assert_true (lm_golden_compare_arrays ("x", &w, &r, ref, &either, why));
  g_assert_cmpstr (why->str, ==, "");
  g_assert_false (lm_golden_compare_arrays ("x", &w, &r, other, &either, why));
  g_assert_nonnull (strstr (why->str, "element 0 of f64[2]"));
  g_assert_nonnull (strstr (why->str, "1 of 2 differ"));
}

static void
test_plain (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open_plain ("digits_mlp_init_f64.safetensors", &error);
  LmGoldenTensor w;

  g_assert_no_error (error);
  g_assert_cmpuint (lm_golden_n_cases (g), ==, 0);
  g_assert_true (lm_golden_find (g, "network.layers_1.linear.w", &w));
  g_assert_cmpstr (w.dtype, ==, "F64");
  g_assert_cmpint (w.type.rank, ==, 2);
  g_assert_cmpint (w.type.dims[0], ==, 64);
  g_assert_cmpint (w.type.dims[1], ==, 128);
}

/* Opens group "x" below a folder of its own that holds these two files; the message, or NULL. */
static char *
open_damaged (const char *json, const char *tensors, gssize n)
{
  g_autofree char *old = g_strdup (g_getenv ("LAMINA_SRCDIR"));
  g_autofree char *root = g_dir_make_tmp ("golden-XXXXXX", NULL);
  g_autofree char *parent = g_build_filename (root, "tests", NULL);
  g_autofree char *folder = g_build_filename (parent, "golden", NULL);
  g_autofree char *a = g_build_filename (folder, "x.json", NULL);
  g_autofree char *b = g_build_filename (folder, "x.safetensors", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = NULL;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (a, json, -1, NULL));
  g_assert_true (g_file_set_contents (b, tensors, n, NULL));
  g_setenv ("LAMINA_SRCDIR", root, TRUE);
  g = lm_golden_open ("x", &error);
  if (old != NULL)
    g_setenv ("LAMINA_SRCDIR", old, TRUE);
  else
    g_unsetenv ("LAMINA_SRCDIR");
  g_assert_true (remove (a) == 0 && remove (b) == 0 && remove (folder) == 0);
  g_assert_true (remove (parent) == 0 && remove (root) == 0);
  return error != NULL ? g_strdup (error->message) : NULL;
}

static void
test_damaged (void)
{
  static const struct {
    const char *tensors;
    gssize n;
    const char *message;
  } cases[] = {
      {"1234", 4, "shorter than its header"},
      {"\xff\0\0\0\0\0\0\0{}", 10, "reaches beyond the end"},
      {"\x02\0\0\0\0\0\0\0{}", 10, "sha256"},
      {"\x38\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}  ", 64,
       "entry is wrong"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *message =
        open_damaged ("{\"sha256\": \"0\", \"cases\": []}", cases[i].tensors, cases[i].n);
    g_assert_nonnull (message);
    g_test_message ("%s", message);
    g_assert_nonnull (strstr (message, cases[i].message));
  }
}

static void
test_number (void)
{
  g_autoptr (JsonNode) node =
      json_from_string ("{\"a\": 2, \"b\": 0.5, \"c\": \"-inf\", \"d\": \"nan\", \"e\": []}", NULL);
  JsonObject *o = json_node_get_object (node);

  g_assert_cmpfloat (lm_golden_number (o, "a", 9), ==, 2);
  g_assert_cmpfloat (lm_golden_number (o, "b", 9), ==, 0.5);
  g_assert_cmpfloat (lm_golden_number (o, "c", 9), ==, -INFINITY);
  g_assert_true (isnan (lm_golden_number (o, "d", 9)));
  g_assert_cmpfloat (lm_golden_number (o, "e", 9), ==, 9);
  g_assert_cmpfloat (lm_golden_number (o, "none", 9), ==, 9);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lib/golden/open", test_open);
  g_test_add_func ("/lib/golden/second_opinion", test_second_opinion);
  g_test_add_func ("/lib/golden/absent", test_absent);
  g_test_add_func ("/lib/golden/modes", test_modes);
  g_test_add_func ("/lib/golden/dtypes", test_dtypes);
  g_test_add_func ("/lib/golden/either", test_either);
  g_test_add_func ("/lib/golden/plain", test_plain);
  g_test_add_func ("/lib/golden/damaged", test_damaged);
  g_test_add_func ("/lib/golden/number", test_number);
  return g_test_run ();
}
