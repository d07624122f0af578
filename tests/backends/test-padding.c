/* SPDX-License-Identifier: Apache-2.0 */
/* Padding of a convolution holds zeros, which are multiplied as any others (StableHLO pads, then takes
 * products): an infinite kernel element over padding gives NaN, on every backend. */
#include "tests/lib/fixture.h"

#include <math.h>

static void
test_infinite_kernel (gconstpointer backend_name)
{
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, backend_name);
  g_autoptr (LmFunction) f = lm_test_parse (
      "func @c(%0: f32[1,2,1], %1: f32[3,1,1]) -> (f32[1,2,1]) {\n"
      "  %2 = convolution(%0, %1) {window_strides = [1], padding = [1, 1], lhs_spec = [0, 2, 1], "
      "rhs_spec = [2, 1, 0], out_spec = [0, 2, 1]} : f32[1,2,1]\n"
      "  return %2\n"
      "}\n");
  lam_type x = lm_type (LAM_F32, 3, (int64_t[]) {1, 2, 1}),
           w = lm_type (LAM_F32, 3, (int64_t[]) {3, 1, 1});
  LmArray *in[] = {lm_test_array (&x, (double[]) {1, 2}),
                   lm_test_array (&w, (double[]) {INFINITY, 1, 3})};
  g_autoptr (LmArray) out = NULL;
  lm_test_run (backend, f, in, &out);
  g_assert_true (isnan (lm_array_get_double (out, 0))); /* inf * 0 + 1 * 1 + 3 * 2 */
  g_assert_true (isinf (lm_array_get_double (out, 1))); /* inf * 1 + 1 * 2 + 3 * 0 */
  lm_array_unref (in[0]);
  lm_array_unref (in[1]);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/backends/padding/reference", "reference", test_infinite_kernel);
  g_test_add_data_func ("/backends/padding/cpu", "cpu", test_infinite_kernel);
  return g_test_run ();
}
