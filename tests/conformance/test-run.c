/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of checks: a sound backend passes, a faulty one fails in the right place with a case that can be
 * made again; the number of terms and their size come from the function itself. */
#include "core/conformance/cases.h"
#include "tests/lib/fixture.h"

#include <math.h>
#include <string.h>

/* What the callbacks saw. */
typedef struct Seen {
  guint begun, results, cases, failed, refused, first;
  double part;
  char *message, *function, *dtype;
  LmArray *in; /* parameter 0 of the last case that began */
  bool donated;
} Seen;

static void
begin (const LmConformanceCase *c, gpointer user)
{
  Seen *s = user;
  s->begun++;
  g_assert_null (c->message);
  if (c->f == NULL || c->f->ir.n_params == 0)
    return;
  g_clear_pointer (&s->in, lm_array_unref);
  s->in = lm_array_ref (c->in[0]);
}

static void
failed (const LmConformanceCase *c, gpointer user)
{
  Seen *s = user;
  g_assert_nonnull (c->message);
  s->donated = s->donated || c->donated;
}

static void
result (const LmConformanceResult *r, gpointer user)
{
  Seen *s = user;
  s->results++;
  s->cases += r->cases;
  s->failed += r->failed;
  s->refused += r->refused;
  s->part = MAX (s->part, r->worst_part);
  if (r->failed == 0 || s->message != NULL)
    return;
  s->first = r->first_failed;
  s->message = g_strdup (r->message);
  s->function = g_strdup (r->first_function);
  s->dtype = g_strdup (r->dtype);
}

static void
seen_clear (Seen *s)
{
  g_free (s->message);
  g_free (s->function);
  g_free (s->dtype);
  g_clear_pointer (&s->in, lm_array_unref);
  memset (s, 0, sizeof *s);
}

typedef struct Fixture {
  LmRegistry *registry;
  LmBackend *reference;
  Seen seen;
} Fixture;

static void
setup (Fixture *x, gconstpointer data)
{
  x->registry = lm_test_registry ();
  x->reference = lm_test_backend (x->registry, "reference");
}

static void
teardown (Fixture *x, gconstpointer data)
{
  seen_clear (&x->seen);
  lm_backend_unref (x->reference);
  lm_registry_free (x->registry);
}

static LmBackend *
open_faulty (Fixture *x, const char *fault)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
      g_build_filename (g_getenv ("LAMINA_STRANGER_DIR"), "backend_faults.so", NULL);
  g_autofree char *json = g_strdup_printf ("{\"fault\": \"%s\"}", fault);
  g_autoptr (JsonObject) options = lm_test_json (json);
  lm_registry_add_file (x->registry, path, NULL, NULL);
  LmBackend *backend = lm_backend_open (x->registry, "stranger.faults", options, &error);
  g_assert_no_error (error);
  return backend;
}

static LmConformance
conformance (Fixture *x, LmBackend *backend, const char *check)
{
  return (LmConformance) {.backend = backend,
                          .reference = x->reference,
                          .registry = x->registry,
                          .tables = lm_host_tables (),
                          .check = check,
                          .seed = 1,
                          .only = -1,
                          .begin = begin,
                          .failed = failed,
                          .result = result,
                          .user = &x->seen};
}

static void
run (const LmConformance *c)
{
  g_autoptr (GError) error = NULL;
  lm_conformance_run (c, &error);
  g_assert_no_error (error);
}

/* One of each kind of tolerance. */
static void
test_sound (Fixture *x, gconstpointer data)
{
  static const char *const checks[] = {"slice", "add",    "tanh",     "reduce",
                                       "sort",  "chains", "donation", "steps_mlp"};
  LmBackend *cpu = lm_test_backend (x->registry, "cpu");
  for (guint i = 0; i < G_N_ELEMENTS (checks); i++) {
    LmConformance c = conformance (x, cpu, checks[i]);
    run (&c);
    g_assert_cmpuint (x->seen.cases, >=, 4);
    g_assert_cmpuint (x->seen.begun, ==, x->seen.cases);
    g_assert_cmpuint (x->seen.failed + x->seen.refused, ==, 0);
    seen_clear (&x->seen);
  }
  lm_backend_unref (cpu);
}

/* The case alone has the same numbers, and fails again. */
static void
test_only (Fixture *x, gconstpointer data)
{
  LmBackend *backend = open_faulty (x, "clamp");
  LmConformance c = conformance (x, backend, "dynamic_slice");
  c.dtype = "i16";
  run (&c);
  g_assert_cmpuint (x->seen.failed, >, 0);
  g_assert_cmpstr (x->seen.dtype, ==, "i16");
  g_assert_nonnull (strstr (x->seen.function, "= dynamic_slice("));
  g_autofree char *message = g_strdup (x->seen.message);
  c.only = x->seen.first;
  seen_clear (&x->seen);
  run (&c);
  g_assert_cmpuint (x->seen.begun, ==, 1);
  g_assert_cmpuint (x->seen.failed, ==, 1);
  g_assert_cmpstr (x->seen.message, ==, message);
  g_autoptr (LmArray) same = lm_array_ref (x->seen.in);
  seen_clear (&x->seen);
  c.seed = 2;
  run (&c);
  g_assert_cmpint (memcmp (x->seen.in->data, same->data, (size_t)same->bytes), !=, 0);
  lm_backend_unref (backend);
}

/* A faulty backend fails in no other check. */
static void
test_apart (Fixture *x, gconstpointer data)
{
  static const char *const checks[] = {"shift_right_logical", "add", "reduce_window", "steps_conv"};
  LmBackend *backend = open_faulty (x, "shift");
  for (guint i = 0; i < G_N_ELEMENTS (checks); i++) {
    LmConformance c = conformance (x, backend, checks[i]);
    run (&c);
    g_assert_cmpuint (x->seen.failed, ==, 0);
  }
  lm_backend_unref (backend);
}

static void
test_refused (Fixture *x, gconstpointer data)
{
  LmBackend *backend = open_faulty (x, "refuse");
  LmConformance c = conformance (x, backend, "cbrt");
  run (&c);
  g_assert_cmpuint (x->seen.failed, ==, 0);
  g_assert_cmpuint (x->seen.refused, >, 5);
  seen_clear (&x->seen);
  c.check = "sine"; /* f32 is not for the backend to refuse */
  run (&c);
  g_assert_cmpuint (x->seen.failed, >, 5);
  g_assert_cmpstr (x->seen.dtype, ==, "f32");
  lm_backend_unref (backend);
}

static void
test_unknown (Fixture *x, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  LmConformance c = conformance (x, x->reference, "transpos");
  g_assert_false (lm_conformance_run (&c, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "transpos", "did you mean \"transpose\"", NULL);
}

/* Three steps, each feeding the next: x becomes max (x, y) reversed, by hand. */
static void
test_steps (Fixture *x, gconstpointer data)
{
  g_autoptr (LmFunction) f = lm_test_parse (
      "func @f(%0: f32[3], %1: f32[3]) -> (f32[3], f32[]) {\n"
      "%2 = maximum(%0, %1)\n%3 = reverse(%2) {dimensions = [0]}\n"
      "%4 = reduce(%0) {computation = \"add\", dimensions = [0]}\nreturn %3, %4\n}\n");
  lam_type type = lm_type (LAM_F32, 1, (int64_t[]) {3});
  g_autoptr (LmArray) a = lm_test_array (&type, (double[]) {1, 5, 2});
  g_autoptr (LmArray) b = lm_test_array (&type, (double[]) {3, 0, -7});
  LmArray *out[2];
  g_autoptr (GError) error = NULL;
  lm_case_run_steps (x->reference, f, 1, 3, (LmArray *const[]) {a, b}, out, &error);
  g_assert_no_error (error);
  /* [1 5 2] -> [2 5 3] -> [3 5 3] -> [3 5 3]; the sum is of the last step's input */
  const double wanted[] = {3, 5, 3};
  for (int i = 0; i < 3; i++)
    g_assert_cmpfloat (lm_array_get_double (out[0], i), ==, wanted[i]);
  g_assert_cmpfloat (lm_array_get_double (out[1], 0), ==, 11);
  g_assert_cmpfloat (lm_array_get_double (a, 0), ==, 1); /* the host's copy is its own */
  lm_case_free_arrays (out, 2);
}

#define ADD(name, fn) g_test_add ("/conformance/run/" name, Fixture, NULL, setup, fn, teardown)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("sound", test_sound);
  ADD ("only", test_only);
  ADD ("apart", test_apart);
  ADD ("refused", test_refused);
  ADD ("unknown", test_unknown);
  ADD ("steps", test_steps);
  return g_test_run ();
}
