/* SPDX-License-Identifier: Apache-2.0 */
/* Times what happens to a generated function of many equations between trace and plan: build, verify,
 * gradient, simplify, cse, dce, legalize, compile (which plans) on a backend.
 *
 *   bench-passes [EQUATIONS [BACKEND]]        default 100000, cpu
 *
 * Prints milliseconds a pass and the most memory used. Nothing here asserts a time. */
#include "core/ir/verify.h"
#include "core/op/emit.h"
#include "tests/lib/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* n equations over f32[16]: products, sums and tanh of two earlier values near and far, a sum at last. */
static LmFunction *
generate (guint n)
{
  static const int32_t ops[] = {LAM_OP_add, LAM_OP_multiply, LAM_OP_subtract, LAM_OP_tanh};
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  LmBuilder *b = lm_builder_new ("generated");
  lam_type type = lm_type (LAM_F32, 1, (int64_t[]) {16});
  LmValue *values = g_new (LmValue, n + 2);
  guint count = 2;
  values[0] = lm_builder_param (b, &type);
  values[1] = lm_builder_param (b, &type);
  for (guint i = 0; i + 1 < n; i++, count++) {
    LmValue x = values[count - 1], y = values[g_rand_int_range (rand, 0, (gint32)count)];
    int32_t op = ops[g_rand_int_range (rand, 0, G_N_ELEMENTS (ops))];
    values[count] = op == LAM_OP_tanh ? lm_emit_unary (b, op, x) : lm_emit_binary (b, op, x, y);
  }
  LmValue loss = lm_reduce_all (b, values[count - 1], "add");
  g_free (values);
  LmFunction *f = lm_builder_finish (b, &loss, 1, &error);
  g_assert_no_error (error);
  return f;
}

static gint64 began;

static void
report (const char *what, const LmFunction *f)
{
  gint64 now = g_get_monotonic_time ();
  printf ("%-10s %8.1f ms", what, (double)(now - began) / 1000);
  printf (f != NULL ? "  %u equations\n" : "\n", f != NULL ? f->ir.n_equations : 0);
  began = g_get_monotonic_time ();
}

static LmFunction *
pass (const char *what, LmFunction *f, LmFunction *(*run) (const LmFunction *, GError **))
{
  g_autoptr (GError) error = NULL;
  LmFunction *out = run (f, &error);
  g_assert_no_error (error);
  lm_function_unref (f);
  report (what, out);
  return out;
}

static LmFunction *
grad (const LmFunction *f, GError **error)
{
  return lm_value_and_grad (f, 0, (bool[]) {true, true}, error);
}

int
main (int argc, char **argv)
{
  guint n = argc > 1 ? (guint)atoi (argv[1]) : 100000;
  g_autoptr (GError) error = NULL;
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, argc > 2 ? argv[2] : "cpu");
  gint64 start = began = g_get_monotonic_time ();
  LmFunction *f = generate (MAX (n, 2));
  report ("build", f);
  lm_verify (f, NULL, &error);
  g_assert_no_error (error);
  report ("verify", NULL);
  f = pass ("grad", f, grad);
  f = pass ("simplify", f, lm_simplify);
  f = pass ("cse", f, lm_cse);
  f = pass ("dce", f, lm_dce);
  g_autoptr (LmExecutable) exe = lm_compile (backend, f, NULL, &error);
  g_assert_no_error (error);
  report ("compile", lm_executable_function (exe));
  struct rusage usage;
  getrusage (RUSAGE_SELF, &usage);
  printf ("in all     %8.1f ms, %ld MiB\n", (double)(g_get_monotonic_time () - start) / 1000,
          usage.ru_maxrss / 1024);
  g_clear_pointer (&exe, lm_executable_free);
  lm_function_unref (f);
  lm_backend_unref (backend);
  lm_registry_free (registry);
  return 0;
}
