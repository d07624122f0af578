/* SPDX-License-Identifier: Apache-2.0 */
/* Times matrix products and convolutions of one backend against a hand count of their FLOPs.
 *
 *   bench-cpu [BACKEND [THREADS]]
 *
 * Prints for each shape the median time of a run, GF/s, and the share of the best rate seen on the
 * big square products. No assertion on time: machines differ. */
#include "tests/lib/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Shape {
  const char *name;
  const char *text; /* a function of one equation */
  double flops;
} Shape;

#define DOT(m, n, k, a, b, lc, rc)                                                                 \
  {                                                                                                \
    "dot " #m "x" #n "x" #k " " lc rc,                                                             \
        "func @f(%0: f32" a ", %1: f32" b ") -> (f32[" #m "," #n "]) {\n"                          \
        "  %2 = dot_general(%0, %1) {lhs_contracting_dimensions = [" lc                            \
        "], rhs_contracting_dimensions = [" rc "]} : f32[" #m "," #n "]\n  return %2\n}\n",        \
        2.0 * m *n *k                                                                              \
  }
#define NN(m, n, k) DOT (m, n, k, "[" #m "," #k "]", "[" #k "," #n "]", "1", "0")
#define NT(m, n, k) DOT (m, n, k, "[" #m "," #k "]", "[" #n "," #k "]", "1", "1")
#define TN(m, n, k) DOT (m, n, k, "[" #k "," #m "]", "[" #k "," #n "]", "0", "0")

/* 3x3, stride 1, same padding, NHWC: forward and both gradients as core/op writes them. */
#define CONV(name, lhs, rhs, out, lspec, rspec, ospec, n, h, c, k)                                 \
  {                                                                                                \
    "conv " name " " #n "x" #h "x" #h " " #c "->" #k,                                              \
        "func @f(%0: f32" lhs ", %1: f32" rhs ") -> (f32" out ") {\n"                              \
        "  %2 = convolution(%0, %1) {padding = [1, 1, 1, 1], lhs_spec = " lspec                    \
        ", rhs_spec = " rspec ", out_spec = " ospec "} : f32" out "\n  return %2\n}\n",            \
        2.0 * n *h *h *c *k * 9                                                                    \
  }
#define FORWARD(n, h, c, k)                                                                        \
  CONV ("forward", "[" #n "," #h "," #h "," #c "]", "[3,3," #c "," #k "]",                         \
        "[" #n "," #h "," #h "," #k "]", "[0, 3, 1, 2]", "[3, 2, 0, 1]", "[0, 3, 1, 2]", n, h, c,  \
        k)
#define D_LHS(n, h, c, k)                                                                          \
  CONV ("d_lhs", "[" #n "," #h "," #h "," #k "]", "[3,3," #c "," #k "]",                           \
        "[" #n "," #h "," #h "," #c "]", "[0, 3, 1, 2]", "[2, 3, 0, 1]", "[0, 3, 1, 2]", n, h, c,  \
        k)
#define D_RHS(n, h, c, k)                                                                          \
  CONV ("d_rhs", "[" #n "," #h "," #h "," #c "]", "[" #n "," #h "," #h "," #k "]",                 \
        "[3,3," #c "," #k "]", "[3, 0, 1, 2]", "[3, 0, 1, 2]", "[2, 3, 0, 1]", n, h, c, k)

static const Shape shapes[] = {
    NN (1024, 1024, 1024),  NN (2048, 2048, 2048),  NT (64, 512, 784),
    TN (512, 784, 64),      NN (64, 512, 512),      NN (128, 128, 128),
    NN (32, 64, 64),        NT (32, 1024, 256),     NT (2048, 1024, 256),
    NN (1, 768, 3072),      FORWARD (64, 8, 1, 16), FORWARD (64, 8, 16, 32),
    D_LHS (64, 8, 16, 32),  D_RHS (64, 8, 16, 32),  FORWARD (64, 8, 32, 64),
    D_LHS (64, 8, 32, 64),  D_RHS (64, 8, 32, 64),  FORWARD (64, 4, 32, 64),
    D_LHS (64, 4, 32, 64),  D_RHS (64, 4, 32, 64),  FORWARD (32, 32, 64, 64),
    D_LHS (32, 32, 64, 64), D_RHS (32, 32, 64, 64),
};

static int
by_value (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* Device buffers for all parameters (filled) or results of f. */
static void
buffers (LmBackend *backend, const LmFunction *f, bool results, LmBuffer **out)
{
  uint32_t n = results ? f->ir.n_results : f->ir.n_params;
  for (uint32_t i = 0; i < n; i++) {
    const lam_type *type = results ? lm_result_type (f, i) : lm_param_type (f, i);
    out[i] = lm_buffer_new (backend, type, 0, NULL);
    if (results)
      continue;
    g_autoptr (LmArray) array = lm_array_new (type, NULL);
    for (int64_t k = 0; k < array->bytes / 4; k++)
      ((float *)array->data)[k] = (float)(k * 7919 % 251 - 125) / 128;
    lm_buffer_write (out[i], array, NULL);
  }
}

/* Microseconds: of this process's processor time on one thread (other load does not count), else
 * of the wall clock. */
static int64_t
now (bool one_thread)
{
  struct timespec t;
  clock_gettime (one_thread ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Median seconds of a run over about 0.3 s. */
static double
median_time (LmExecutable *exe, LmBuffer **in, LmBuffer **out, bool one_thread)
{
  double samples[31];
  int64_t start = now (one_thread);
  for (int i = 0; i < 3; i++)
    lm_execute (exe, in, out, NULL);
  double once = (double)(now (one_thread) - start) / 3e6 + 1e-7;
  int64_t inner = (int64_t)(0.01 / once) + 1;
  for (guint s = 0; s < G_N_ELEMENTS (samples); s++) {
    start = now (one_thread);
    for (int64_t i = 0; i < inner; i++)
      lm_execute (exe, in, out, NULL);
    samples[s] = (double)(now (one_thread) - start) / 1e6 / (double)inner;
  }
  qsort (samples, G_N_ELEMENTS (samples), sizeof *samples, by_value);
  return samples[G_N_ELEMENTS (samples) / 2];
}

static double
time_shape (LmBackend *backend, const Shape *shape, bool one_thread)
{
  g_autoptr (LmFunction) f = lm_test_parse (shape->text);
  LmCompileArgs args = {0};
  LmExecutable *exe = lm_compile (backend, f, &args, NULL);
  LmBuffer *in[2], *out[1];
  buffers (backend, f, false, in);
  buffers (backend, f, true, out);
  double seconds = median_time (exe, in, out, one_thread);
  lm_executable_free (exe);
  lm_buffer_free (in[0]);
  lm_buffer_free (in[1]);
  lm_buffer_free (out[0]);
  return seconds;
}

int
main (int argc, char **argv)
{
  g_autofree char *options = g_strdup_printf ("{\"threads\": %d}", argc > 2 ? atoi (argv[2]) : 0);
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (JsonObject) json = lm_test_json (options);
  LmBackend *backend =
      lm_backend_open (registry, argc > 1 ? argv[1] : "cpu", argc > 2 ? json : NULL, NULL);
  if (backend == NULL)
    return 1;
  bool one_thread = argc > 2 && atoi (argv[2]) == 1;
  double best = 0;
  printf ("%s\n%-40s %10s %8s %6s\n", lm_backend_device_name (backend), "", "us", "GF/s", "share");
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++) {
    double seconds = time_shape (backend, &shapes[i], one_thread),
           rate = shapes[i].flops / seconds / 1e9;
    best = rate > best ? rate : best;
    printf ("%-40s %10.1f %8.1f %5.0f%%\n", shapes[i].name, seconds * 1e6, rate, rate / best * 100);
  }
  lm_backend_unref (backend);
  lm_registry_free (registry);
  return 0;
}
