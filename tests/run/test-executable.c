/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled functions: donation, repeated runs, layouts, wrong bindings. */
#include "tests/lib/fixture.h"

#include <string.h>

static const char *const names[] = {"reference", "cpu"};

/* A function over f32[4] run once with donated inputs; in[i] starts as 10 * (i + 1) + 0..3. */
typedef struct Donated {
  LmRegistry *registry;
  LmBackend *backend;
  LmExecutable *exe;
  LmBuffer *in[4], *out[4];
} Donated;

static void
donated_run (Donated *d, const char *backend, const char *text, const lam_alias *aliases, guint n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f = lm_test_parse (text);
  LmCompileArgs args = {.aliases = aliases, .n_aliases = n};
  *d = (Donated) {.registry = lm_test_registry ()};
  d->backend = lm_test_backend (d->registry, backend);
  d->exe = lm_compile (d->backend, f, &args, &error);
  g_assert_no_error (error);
  for (uint32_t i = 0; i < f->ir.n_params; i++) {
    double base = 10.0 * (i + 1);
    g_autoptr (LmArray) x =
        lm_test_array (lm_param_type (f, i), (double[]) {base, base + 1, base + 2, base + 3});
    d->in[i] = lm_buffer_new_from_array (d->backend, x, &error);
    g_assert_no_error (error);
  }
  for (uint32_t o = 0; o < f->ir.n_results; o++) {
    for (guint a = 0; a < n; a++)
      if (aliases[a].output == o)
        d->out[o] = d->in[aliases[a].input];
    if (d->out[o] == NULL)
      d->out[o] = lm_buffer_new (d->backend, lm_result_type (f, o), 0, &error);
    g_assert_no_error (error);
  }
  g_assert_true (lm_execute (d->exe, d->in, d->out, &error));
}

static double
first_of (LmBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmArray) x = lm_buffer_read (buffer, &error);
  g_assert_no_error (error);
  for (int64_t i = 1; i < 4; i++) /* each test's results grow by a fixed step: all elements moved */
    g_assert_cmpfloat (lm_array_get_double (x, i), !=, lm_array_get_double (x, i - 1));
  return lm_array_get_double (x, 0);
}

static void
donated_clear (Donated *d)
{
  for (guint o = 0; o < 4; o++) {
    bool shared = false;
    for (guint i = 0; i < 4; i++)
      shared |= d->out[o] == d->in[i];
    if (!shared)
      lm_buffer_free (d->out[o]);
  }
  for (guint i = 0; i < 4; i++)
    lm_buffer_free (d->in[i]);
  lm_executable_free (d->exe);
  lm_backend_unref (d->backend);
  lm_registry_free (d->registry);
}

/* Two inputs trade places, each written over the other. */
static void
test_swap (gconstpointer backend)
{
  Donated d;
  donated_run (&d, backend,
               "func @f(%0: f32[4], %1: f32[4]) -> (f32[4], f32[4]) {\n  return %1, %0\n}\n",
               (lam_alias[]) {{0, 0}, {1, 1}}, 2);
  g_assert_cmpfloat (first_of (d.out[0]), ==, 20);
  g_assert_cmpfloat (first_of (d.out[1]), ==, 10);
  donated_clear (&d);
}

/* An update in place, while the old value is a result too and is read after the new one is made. */
static void
test_old_value_kept (gconstpointer backend)
{
  Donated d;
  donated_run (&d, backend,
               "func @f(%0: f32[4], %1: f32[4]) -> (f32[4], f32[4], f32[4]) {\n"
               "  %2 = subtract(%0, %1) : f32[4]\n"
               "  %3 = multiply(%0, %2) : f32[4]\n"
               "  return %2, %0, %3\n}\n",
               (lam_alias[]) {{0, 0}}, 1);
  g_assert_cmpfloat (first_of (d.out[1]), ==, 10);
  g_assert_cmpfloat (first_of (d.out[2]), ==, -100);
  g_autoptr (GError) error = NULL;
  g_autoptr (LmArray) x = lm_buffer_read (d.out[0], &error);
  for (int64_t i = 0; i < 4; i++)
    g_assert_cmpfloat (lm_array_get_double (x, i), ==, -10);
  donated_clear (&d);
}

/* Each output overwrites an input that the other still needs. */
static void
test_crossed (gconstpointer backend)
{
  Donated d;
  donated_run (&d, backend,
               "func @f(%0: f32[4], %1: f32[4]) -> (f32[4], f32[4]) {\n"
               "  %2 = add(%0, %1) : f32[4]\n"
               "  %3 = multiply(%0, %1) : f32[4]\n"
               "  return %2, %3\n}\n",
               (lam_alias[]) {{0, 1}, {1, 0}}, 2);
  g_assert_cmpfloat (first_of (d.out[0]), ==, 30);
  g_assert_cmpfloat (first_of (d.out[1]), ==, 200);
  donated_clear (&d);
}

/* One op that is not elementwise may not write over what it reads; one value, two outputs. */
static void
test_reverse_and_twice (gconstpointer backend)
{
  Donated d;
  donated_run (&d, backend,
               "func @f(%0: f32[4]) -> (f32[4], f32[4]) {\n"
               "  %1 = reverse(%0) {dimensions = [0]} : f32[4]\n"
               "  return %1, %1\n}\n",
               (lam_alias[]) {{0, 0}}, 1);
  g_assert_cmpfloat (first_of (d.out[0]), ==, 13);
  g_assert_cmpfloat (first_of (d.out[1]), ==, 13);
  donated_clear (&d);
}

/* The state of a loop stays where it is: three runs, each over the result of the one before. */
static void
test_loop (gconstpointer backend)
{
  Donated d;
  g_autoptr (GError) error = NULL;
  donated_run (&d, backend,
               "func @f(%0: f32[4], %1: f32[4]) -> (f32[4]) {\n"
               "  %2 = reshape(%0) : f32[2,2]\n"
               "  %3 = reshape(%1) : f32[2,2]\n"
               "  %4 = add(%2, %3) : f32[2,2]\n"
               "  %5 = reshape(%4) : f32[4]\n"
               "  return %5\n}\n",
               (lam_alias[]) {{0, 0}}, 1);
  for (int i = 0; i < 2; i++)
    g_assert_true (lm_execute (d.exe, d.in, d.out, &error));
  g_assert_cmpfloat (first_of (d.out[0]), ==, 10 + 3 * 20);
  donated_clear (&d);
}

/* --- donated runs equal plain runs on random functions -------------------------------------------- */

/* A random function of f32[4] and f32[2,2] values, three parameters f32[4] and three results f32[4]. */
static char *
random_function (GRand *rand)
{
  GString *s = g_string_new ("func @f(%0: f32[4], %1: f32[4], %2: f32[4]) -> "
                             "(f32[4], f32[4], f32[4]) {\n");
  int n = g_rand_int_range (rand, 1, 12), v = 3;
  for (int i = 0; i < n; i++) {
    int a = g_rand_int_range (rand, 0, v), b = g_rand_int_range (rand, 0, v);
    switch (g_rand_int_range (rand, 0, 5)) {
    case 0:
      g_string_append_printf (s, "  %%%d = add(%%%d, %%%d) : f32[4]\n", v++, a, b);
      break;
    case 1:
      g_string_append_printf (s, "  %%%d = subtract(%%%d, %%%d) : f32[4]\n", v++, a, b);
      break;
    case 2:
      g_string_append_printf (s, "  %%%d = reverse(%%%d) {dimensions = [0]} : f32[4]\n", v++, a);
      break;
    case 3: /* bitcasts are aliases that simplify leaves alone when something stands between */
      g_string_append_printf (s, "  %%%d = bitcast_convert(%%%d) : i32[4]\n", v, a);
      g_string_append_printf (s, "  %%%d = bitcast_convert(%%%d) : f32[4]\n", v + 1, v);
      g_string_append_printf (s, "  %%%d = negate(%%%d) : f32[4]\n", v + 2, v + 1);
      a = v + 1;
      v += 3;
      g_string_append_printf (s, "  %%%d = maximum(%%%d, %%%d) : f32[4]\n", v, v - 1, a);
      g_string_append_printf (s, "  %%%d = add(%%%d, %%%d) : f32[4]\n", v + 1, v, b == v ? a : v);
      v += 2;
      break;
    default:
      g_string_append_printf (s, "  %%%d = negate(%%%d) : f32[4]\n", v++, a);
      break;
    }
  }
  return g_string_free (s, FALSE);
}

/* Values that are i32 in a text (results of the first bitcast) may not be used as f32. */
static bool
is_f32 (const char *text, int v)
{
  g_autofree char *def = g_strdup_printf ("  %%%d = ", v);
  const char *at = strstr (text, def);
  if (at == NULL)
    return v < 3;
  const char *end = strchr (at, '\n');
  g_autofree char *line = g_strndup (at, (gsize)(end - at));
  return g_str_has_suffix (line, "f32[4]");
}

static LmFunction *
random_parsed (GRand *rand)
{
  for (;;) { /* texts that use an i32 as f32 do not parse: draw again */
    g_autofree char *body = random_function (rand);
    GString *s = g_string_new (body);
    int n = 3, r[3];
    for (const char *p = strstr (body, " = "); p != NULL; p = strstr (p + 1, " = "))
      n += strncmp (p, " = [", 4) != 0;
    for (int i = 0; i < 3; i++) {
      do
        r[i] = g_rand_int_range (rand, 0, n);
      while (!is_f32 (body, r[i]));
    }
    g_string_append_printf (s, "  return %%%d, %%%d, %%%d\n}\n", r[0], r[1], r[2]);
    g_autofree char *text = g_string_free (s, FALSE);
    LmFunction *f = lm_text_parse (text, strlen (text), "random", NULL);
    if (f != NULL)
      return f;
  }
}

static void
check_donation (LmBackend *backend, const LmFunction *f, GRand *rand)
{
  g_autoptr (GError) error = NULL;
  guint n = (guint)g_rand_int_range (rand, 1, 4), shift = (guint)g_rand_int_range (rand, 0, 3);
  lam_alias aliases[3];
  for (guint i = 0; i < 3; i++)
    aliases[i] = (lam_alias) {i, (i + shift) % 3};
  LmCompileArgs args = {.aliases = aliases, .n_aliases = n};
  g_autoptr (LmExecutable) plain = lm_compile (backend, f, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (LmExecutable) donated = lm_compile (backend, f, &args, &error);
  g_assert_no_error (error);
  lam_type type = lm_type (LAM_F32, 1, (int64_t[]) {4});
  LmArray *in[3], *a[3], *b[3];
  for (int i = 0; i < 3; i++)
    in[i] = lm_test_array (&type, (double[]) {i + 1, -2 * i + 0.5, i * i - 3, 7 - i});
  lm_execute_arrays (plain, in, a, &error);
  g_assert_no_error (error);
  lm_execute_arrays (donated, in, b, &error);
  g_assert_no_error (error);
  for (int i = 0; i < 3; i++) {
    if (memcmp (a[i]->data, b[i]->data, 16) != 0) {
      g_autofree char *text = lm_text_print (f);
      g_error ("%s: result %d differs with %u aliases shifted by %u:\n%s", lm_backend_id (backend),
               i, n, shift, text);
    }
    lm_array_unref (in[i]);
    lm_array_unref (a[i]);
    lm_array_unref (b[i]);
  }
}

static void
test_random (gconstpointer name)
{
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (LmBackend) backend = lm_test_backend (registry, name);
  GRand *rand = g_rand_new_with_seed (7);
  for (int i = 0; i < 400; i++) {
    g_autoptr (LmFunction) f = random_parsed (rand);
    check_donation (backend, f, rand);
  }
  g_rand_free (rand);
  lm_registry_free (registry);
}

/* --- faults ------------------------------------------------------------------------------------------ */

#define NEGATE "func @neg(%0: f32[2]) -> (f32[2]) {\n  %1 = negate(%0) : f32[2]\n  return %1\n}\n"

static void
test_wrong_alias (void)
{
  LmRegistry *registry = lm_test_registry ();
  GError *error = NULL;
  g_autoptr (LmBackend) backend = lm_test_backend (registry, "reference");
  g_autoptr (LmFunction) f = lm_test_parse (NEGATE);
  lam_alias out_of_range[] = {{1, 0}}, twice[] = {{0, 0}, {0, 0}};
  LmCompileArgs one = {.aliases = out_of_range, .n_aliases = 1};
  LmCompileArgs two = {.aliases = twice, .n_aliases = 2};
  g_assert_null (lm_compile (backend, f, &one, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "neg", "output 1", "input 0", NULL);
  g_assert_null (lm_compile (backend, f, &two, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "output 0", "input 0", NULL);
  lm_registry_free (registry);
}

static void
test_wrong_binding (void)
{
  LmRegistry *registry = lm_test_registry ();
  GError *error = NULL;
  g_autoptr (LmBackend) backend = lm_test_backend (registry, "reference");
  g_autoptr (LmFunction) f = lm_test_parse (NEGATE);
  g_autoptr (LmExecutable) exe = lm_compile (backend, f, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lm_executable_layout (exe, false, 0), ==, 0);
  g_assert_cmpuint (lm_executable_layout (exe, true, 0), ==, 0);
  lam_type two = lm_type (LAM_F32, 1, (int64_t[]) {2}),
           three = lm_type (LAM_F32, 1, (int64_t[]) {3});
  g_autoptr (LmBuffer) right = lm_buffer_new (backend, &two, 0, &error);
  g_autoptr (LmBuffer) wrong = lm_buffer_new (backend, &three, 0, &error);
  g_assert_no_error (error);
  g_assert_false (lm_execute (exe, (LmBuffer *[]) {wrong}, (LmBuffer *[]) {right}, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "neg", "input 0", "f32[2]", "f32[3]", NULL);
  g_assert_false (lm_execute (exe, (LmBuffer *[]) {right}, (LmBuffer *[]) {wrong}, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "neg", "output 0", "f32[2]", "f32[3]", NULL);
  /* The same array of bindings with another buffer in it is looked at anew. */
  g_autoptr (LmBuffer) other = lm_buffer_new (backend, &two, 0, &error);
  LmBuffer *in[] = {right}, *out[] = {other};
  g_assert_true (lm_execute (exe, in, out, &error));
  in[0] = wrong;
  g_assert_false (lm_execute (exe, in, out, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "input 0", "f32[3]", NULL);
  g_autoptr (LmArray) x = lm_test_array (&three, (double[]) {1, 2, 3});
  LmArray *y = NULL;
  g_assert_false (lm_execute_arrays (exe, &x, &y, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "input 0", "f32[2]", "f32[3]", NULL);
  g_assert_null (y);
  lm_registry_free (registry);
}

/* Buffers of one backend do not go to another. */
static void
test_other_backend (void)
{
  LmRegistry *registry = lm_test_registry ();
  GError *error = NULL;
  g_autoptr (LmBackend) reference = lm_test_backend (registry, "reference");
  g_autoptr (LmBackend) cpu = lm_test_backend (registry, "cpu");
  g_autoptr (LmFunction) f = lm_test_parse (NEGATE);
  g_autoptr (LmExecutable) exe = lm_compile (reference, f, NULL, &error);
  lam_type two = lm_type (LAM_F32, 1, (int64_t[]) {2});
  g_autoptr (LmBuffer) a = lm_buffer_new (cpu, &two, 0, &error);
  g_autoptr (LmBuffer) b = lm_buffer_new (reference, &two, 0, &error);
  g_assert_no_error (error);
  g_assert_false (lm_execute (exe, (LmBuffer *[]) {a}, (LmBuffer *[]) {b}, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "lamina.reference", "lamina.cpu", NULL);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    GTestDataFunc run;
  } cases[] = {
      {"swap", test_swap},       {"old_value_kept", test_old_value_kept},
      {"crossed", test_crossed}, {"reverse_and_twice", test_reverse_and_twice},
      {"loop", test_loop},       {"random", test_random},
  };
  g_test_init (&argc, &argv, NULL);
  for (guint b = 0; b < G_N_ELEMENTS (names); b++)
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
      g_autofree char *path = g_strdup_printf ("/run/executable/%s/%s", cases[i].name, names[b]);
      g_test_add_data_func (path, names[b], cases[i].run);
    }
  g_test_add_func ("/run/executable/wrong_alias", test_wrong_alias);
  g_test_add_func ("/run/executable/wrong_binding", test_wrong_binding);
  g_test_add_func ("/run/executable/other_backend", test_other_backend);
  return g_test_run ();
}
