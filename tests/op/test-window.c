/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/window.c: reduce_window reduce_window_arg. */
#include "core/transform/transform.h"
#include "tests/lib/fixture.h"
#include "tests/lib/opcheck.h"

#define WINDOW(op, how, size, stride, padding, base, dilation)                                     \
  op "(%0) {computation = \"" how "\", window_dimensions = [" size "], window_strides = [" stride  \
     "], padding = [" padding "], base_dilations = [" base "], window_dilations = [" dilation "]}"
#define POOL(how, size, stride, padding, base, dilation)                                           \
  WINDOW ("reduce_window", how, size, stride, padding, base, dilation)

static void
test_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F1 ("f32[5]", "reduce_window(%0) {computation = \"add\", window_dimensions = [2]}",
              "f32[4]"),
       NULL},
      /* dilated base 9, padded 11, dilated window 3, stride 2 */
      {LM_F1 ("f32[5]", POOL ("add", "2", "2", "1, 1", "2", "2"), "f32[5]"), NULL},
      {LM_F1 ("f32[5]", POOL ("maximum", "2", "1", "-1, -1", "1", "1"), "f32[2]"), NULL},
      {LM_F1 ("f32[5]", POOL ("maximum", "7", "1", "0, 0", "1", "1"), "f32[0]"), NULL},
      {LM_F1 ("f32[0]", POOL ("maximum", "2", "1", "1, 1", "1", "1"), "f32[1]"), NULL},
      {LM_F1 ("f32[5]", POOL ("maximum", "2", "1", "-3, -3", "1", "1"), "f32[0]"),
       "padding leaves -1 elements on windowed axis 0"},
      {LM_F1 ("f32[5]", POOL ("maximum", "0", "1", "0, 0", "1", "1"), "f32[0]"),
       "window_dimensions[0] is 0, wanted at least 1"},
      {LM_F1 ("f32[5]", POOL ("maximum", "2", "0", "0, 0", "1", "1"), "f32[4]"),
       "window_strides[0] is 0"},
      {LM_F1 ("f32[5]", POOL ("maximum", "2", "1", "0", "1", "1"), "f32[4]"),
       "padding has 1 numbers, wanted 2"},
      {LM_F1 ("f32[5]", POOL ("maximum", "2", "1", "0, 0", "0", "1"), "f32[4]"),
       "base_dilations[0] is 0"},
      {LM_F1 ("f32[5]", POOL ("maximum", "2", "1", "0, 0", "1", "9223372036854775807"), "f32[0]"),
       "does not fit 64 bits"},
      {LM_F1 ("f32[5]", POOL ("mean", "2", "1", "0, 0", "1", "1"), "f32[4]"),
       "computation is \"mean\""},
      {LM_F1 ("f32[5]", POOL ("and", "2", "1", "0, 0", "1", "1"), "f32[4]"),
       "wanted integers or bool"},
      {LM_F1 ("f32[5]", WINDOW ("reduce_window_arg", "minimum", "2", "1", "0, 0", "1", "1"),
              "i32[4]"),
       NULL},
      {LM_F1 ("f32[5]", WINDOW ("reduce_window_arg", "add", "2", "1", "0, 0", "1", "1"), "i32[4]"),
       "wanted one of: maximum, minimum"},
      {LM_F1 ("f32[5]",
              WINDOW ("reduce_window_arg", "maximum", "2147483648", "1", "0, 0", "1", "1"),
              "i32[0]"),
       "more elements than i32 holds"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

/* Every window geometry with every computation. */
static void
check_geometry (const char *in, const char *out, const char *rest)
{
  static const char *const how[] = {"add", "maximum", "minimum", "multiply"};
  for (guint i = 0; i < G_N_ELEMENTS (how); i++) {
    g_autofree char *text = g_strdup_printf (
        "func @f(%%0: %s) -> (%s) {\n"
        " %%1 = reduce_window(%%0) {computation = \"%s\", %s} : %s\n return %%1\n}",
        in, out, how[i], rest, out);
    const LmGradCase c = {text, 0.5, 2, true};
    lm_check_grads (&c, 1);
  }
}

static void
test_grads (void)
{
  check_geometry ("f64[7]", "f64[6]", "window_dimensions = [2]");
  check_geometry ("f64[7]", "f64[3]", "window_dimensions = [3], window_strides = [2]");
  check_geometry ("f64[7]", "f64[3]",
                  "window_dimensions = [2], window_strides = [3], padding = [1, 0]");
  check_geometry ("f64[4,5]", "f64[2,4]",
                  "window_dimensions = [2, 3], window_strides = [2, 1], padding = [0, 1, 1, 0]");
  check_geometry ("f64[6]", "f64[2]",
                  "window_dimensions = [2], padding = [-1, -2], window_dilations = [1]");
  check_geometry ("f64[8]", "f64[2]",
                  "window_dimensions = [2], window_strides = [2], window_dilations = [3], "
                  "padding = [0, -1]");
  check_geometry ("f64[1,4,4,2]", "f64[1,2,2,2]",
                  "window_dimensions = [1, 2, 2, 1], window_strides = [1, 2, 2, 1]");
  check_geometry ("f64[3]", "f64[0]", "window_dimensions = [5]");
  /* holes between elements; every window holds one at least */
  check_geometry ("f64[4]", "f64[4]",
                  "window_dimensions = [4], window_strides = [2], base_dilations = [2], "
                  "padding = [1, 2]");
}

/* A window of padding only has no element: nothing flows from it. */
static void
test_empty_windows (void)
{
  const LmGradCase sums[] = {
      {LM_F1 ("f64[3]", POOL ("add", "1", "1", "2, 1", "2", "1"), "f64[8]"), 0, 0, true},
      {LM_F1 ("f64[3]", POOL ("multiply", "1", "1", "2, 1", "2", "1"), "f64[8]"), 0, 0, true},
  };
  lm_check_grads (sums, G_N_ELEMENTS (sums));
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f =
      lm_test_parse (LM_F1 ("f64[3]", POOL ("maximum", "1", "1", "2, 1", "2", "1"), "f64[8]"));
  bool yes = true;
  g_autoptr (LmFunction) vjp = lm_vjp (f, &yes, &yes, &error);
  g_assert_no_error (error);
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_check_backend (registry);
  g_autoptr (LmArray) x = lm_test_array (lm_param_type (f, 0), (double[]) {5, 6, 7});
  g_autoptr (LmArray) ct =
      lm_test_array (lm_result_type (f, 0), (double[]) {1, 2, 4, 8, 16, 32, 64, 128});
  LmArray *in[] = {x, ct}, *out[2];
  lm_test_run (backend, vjp, in, out);
  /* padded and dilated: . . 5 . 6 . 7 . */
  const double wanted[] = {4, 16, 64};
  for (int i = 0; i < 3; i++)
    g_assert_cmpfloat (((double *)out[1]->data)[i], ==, wanted[i]);
  lm_array_unref (out[0]);
  lm_array_unref (out[1]);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/window/types", test_types);
  g_test_add_func ("/op/window/grads", test_grads);
  g_test_add_func ("/op/window/empty-windows", test_empty_windows);
  return g_test_run ();
}
