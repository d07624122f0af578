/* SPDX-License-Identifier: Apache-2.0 */
/* Functions over replicas on both backends, with a collective that lives in the test: it plays the other
 * replicas (rank q holds this replica's elements times q + 1), so that every value is known. */
#include "tests/lib/fixture.h"

#include <math.h>
#include <string.h>

#define SIZE 3
#define RANK 1

typedef struct Fake {
  lam_collective table;
  guint calls;
  guint fail_at; /* 1: the first call fails; 0: none */
  GThread *caller;
  guint elsewhere;  /* calls from a thread that did not run the executable */
  uint64_t log[16]; /* elements of each call */
} Fake;

static lam_status
note (Fake *fake, const lam_collective_call *call, lam_error *error)
{
  uint64_t n = 0;
  for (uint32_t i = 0; i < call->n; i++)
    n += call->counts[i];
  if (fake->calls < G_N_ELEMENTS (fake->log))
    fake->log[fake->calls] = n;
  fake->elsewhere += g_thread_self () != fake->caller;
  if (++fake->calls != fake->fail_at)
    return LAM_OK;
  lm_host_tables ()->host->error_set (error, LAM_E_PEER, "replica 2 is gone");
  return LAM_E_PEER;
}

/* f32 only: x of this replica is `RANK + 1` units. */
static lam_status
reduce (void *self, const lam_collective_call *call, lam_error *error)
{
  lam_status status = note (self, call, error);
  for (uint32_t i = 0; i < call->n && status == LAM_OK; i++) {
    const float *in = call->in[i];
    float *out = call->out[i];
    g_assert_cmpint (call->dtypes[i], ==, LAM_F32);
    for (uint64_t k = 0; k < call->counts[i]; k++) {
      float unit = in[k] / (RANK + 1), up = MAX (unit, SIZE * unit);
      out[k] = call->reduction == LAM_REDUCE_ADD       ? 6 * unit
               : call->reduction == LAM_REDUCE_MAXIMUM ? up
                                                       : MIN (unit, SIZE * unit);
    }
  }
  return status;
}

static lam_status
gather (void *self, const lam_collective_call *call, lam_error *error)
{
  lam_status status = note (self, call, error);
  const float *in = call->in[0];
  float *out = call->out[0];
  for (uint64_t q = 0; q < SIZE && status == LAM_OK; q++)
    for (uint64_t k = 0; k < call->counts[0]; k++)
      out[q * call->counts[0] + k] = in[k] / (RANK + 1) * (float)(q + 1);
  return status;
}

typedef struct Fixture {
  LmRegistry *registry;
  LmBackend *backend;
  Fake fake;
  GRand *rand;
} Fixture;

static void
setup (Fixture *x, gconstpointer name)
{
  x->registry = lm_test_registry ();
  x->backend = lm_test_backend (x->registry, name);
  x->fake.table = (lam_collective) {.struct_size = sizeof x->fake.table,
                                    .rank = RANK,
                                    .size = SIZE,
                                    .self = &x->fake,
                                    .all_reduce = reduce,
                                    .all_gather = gather};
  x->fake.caller = g_thread_self ();
  x->rand = g_rand_new_with_seed (7);
}

static void
teardown (Fixture *x, gconstpointer name)
{
  lm_backend_unref (x->backend);
  lm_registry_free (x->registry);
  g_rand_free (x->rand);
}

typedef struct Call {
  LmFunction *f;
  LmExecutable *exe;
  LmArray *in[4], *out[8];
} Call;

static void
call_init (Call *c, Fixture *x, const char *text, const lam_alias *aliases, guint n_aliases)
{
  g_autoptr (GError) error = NULL;
  LmCompileArgs args = {.aliases = aliases, .n_aliases = n_aliases};
  memset (c, 0, sizeof *c);
  c->f = lm_test_parse (text);
  c->exe = lm_compile (x->backend, c->f, &args, &error);
  g_assert_no_error (error);
  for (uint32_t i = 0; i < c->f->ir.n_params; i++) {
    c->in[i] = lm_array_new (lm_param_type (c->f, i), &error);
    float *data = c->in[i]->data;
    for (int64_t k = 0; k < lam_type_elements (&c->in[i]->type); k++)
      data[k] = (float)(2 * g_rand_int_range (x->rand, -30, 31)); /* halves stay whole */
  }
}

static void
call_run (Call *c)
{
  g_autoptr (GError) error = NULL;
  for (uint32_t i = 0; i < c->f->ir.n_results; i++)
    g_clear_pointer (&c->out[i], lm_array_unref);
  lm_execute_arrays (c->exe, c->in, c->out, &error);
  g_assert_no_error (error);
}

static void
call_clear (Call *c)
{
  for (uint32_t i = 0; i < c->f->ir.n_params; i++)
    lm_array_unref (c->in[i]);
  for (uint32_t i = 0; i < c->f->ir.n_results; i++)
    lm_array_unref (c->out[i]);
  lm_executable_free (c->exe);
  lm_function_unref (c->f);
}

/* --- small ones ------------------------------------------------------------------------------------ */

static void
test_ops (Fixture *x, gconstpointer name)
{
  Call c;
  call_init (
      &c, x,
      "func @f(%0: f32[2,3]) -> (f32[2,3], f32[2,3], f32[2,3], f32[6,3], f32[2,9], u32[]) {\n"
      " %1 = all_reduce(%0) {computation = \"add\"}\n"
      " %2 = all_reduce(%0) {computation = \"maximum\"}\n"
      " %3 = all_reduce(%0) {computation = \"minimum\"}\n"
      " %4 = all_gather(%0) {all_gather_dimension = 0, replica_count = 3}\n"
      " %5 = all_gather(%0) {all_gather_dimension = 1, replica_count = 3}\n"
      " %6 = axis_index()\n return %1, %2, %3, %4, %5, %6\n}",
      NULL, 0);
  lm_executable_set_collective (c.exe, &x->fake.table);
  call_run (&c);
  const float *in = c.in[0]->data, *rows = c.out[3]->data, *columns = c.out[4]->data;
  for (int i = 0; i < 6; i++) {
    float u = in[i] / 2;
    g_assert_cmpfloat (((float *)c.out[0]->data)[i], ==, 6 * u);
    g_assert_cmpfloat (((float *)c.out[1]->data)[i], ==, fmaxf (u, 3 * u));
    g_assert_cmpfloat (((float *)c.out[2]->data)[i], ==, fminf (u, 3 * u));
    for (int q = 0; q < 3; q++) {
      g_assert_cmpfloat (rows[6 * q + i], ==, u * (float)(q + 1));
      g_assert_cmpfloat (columns[9 * (i / 3) + 3 * q + i % 3], ==, u * (float)(q + 1));
    }
  }
  g_assert_cmpuint (*(uint32_t *)c.out[5]->data, ==, 1);
  lm_executable_set_collective (c.exe, NULL); /* two all_gathers for three replicas */
  g_autoptr (GError) error = NULL;
  LmArray *out[6];
  g_assert_false (lm_execute_arrays (c.exe, c.in, out, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "traced for 3 replicas, but 1 run", NULL);
  call_clear (&c);
}

/* --- beside other work, in place --------------------------------------------------------------------- */

/* Sums that are wanted later, with their operands read before, between and after. */
#define BIG "f32[256,256]"
static const char overlapped[] =
    "func @f(%0: " BIG ", %1: " BIG ") -> (" BIG ", " BIG ", " BIG ", " BIG ") {\n"
    " %2 = add(%0, %1)\n"
    " %3 = subtract(%0, %1)\n"
    " %4, %5, %6 = all_reduce(%2, %3, %0) {computation = \"maximum\"}\n"
    " %7 = reverse(%3) {dimensions = [0]}\n" /* %3 lives on, %2 dies */
    " %8 = add(%7, %1)\n"
    " %9 = all_reduce(%8) {computation = \"maximum\"}\n"
    " %10 = transpose(%7) {permutation = [1, 0]}\n"
    " %11 = add(%10, %3)\n"
    " %12 = add(%11, %9)\n"
    " %13 = add(%12, %4)\n"
    " %14 = add(%13, %5)\n"
    " return %14, %6, %9, %11\n}";

static void
check_overlapped (const Call *c, const float *a, const float *b)
{
  for (int i = 0; i < 256; i++)
    for (int k = 0; k < 256; k++) {
      int at = 256 * i + k, mirror = 256 * (255 - i) + k, turned = 256 * (255 - k) + i;
      float v2 = (a[at] + b[at]) / 2, v3 = (a[at] - b[at]) / 2, v0 = a[at] / 2;
      float v8 = (a[mirror] - b[mirror] + b[at]) / 2;
      float v9 = fmaxf (v8, 3 * v8), v11 = a[turned] - b[turned] + 2 * v3;
      float v14 = v11 + v9 + fmaxf (v2, 3 * v2) + fmaxf (v3, 3 * v3);
      g_assert_cmpfloat (((float *)c->out[0]->data)[at], ==, v14);
      g_assert_cmpfloat (((float *)c->out[1]->data)[at], ==, fmaxf (v0, 3 * v0));
      g_assert_cmpfloat (((float *)c->out[2]->data)[at], ==, v9);
      g_assert_cmpfloat (((float *)c->out[3]->data)[at], ==, v11);
    }
}

static void
test_overlap (Fixture *x, gconstpointer name)
{
  for (guint donated = 0; donated < 2; donated++) {
    Call c;
    call_init (&c, x, overlapped, (lam_alias[]) {{1, 0}, {0, 1}}, 2 * donated);
    lm_executable_set_collective (c.exe, &x->fake.table);
    x->fake.elsewhere = 0;
    for (int run = 0; run < 20; run++) {
      x->fake.calls = 0;
      call_run (&c);
      check_overlapped (&c, c.in[0]->data, c.in[1]->data);
      g_assert_cmpuint (x->fake.calls, ==, 2);
      g_assert_cmpuint (x->fake.log[0], ==, 3 * 256 * 256); /* always in this order */
      g_assert_cmpuint (x->fake.log[1], ==, 256 * 256);
    }
    g_assert_cmpuint (x->fake.elsewhere, ==, strcmp (name, "cpu") == 0 ? 40 : 0);
    call_clear (&c);
  }
}

/* A sum needs no memory beside its operand's when that is not used again. */
static void
test_in_place (Fixture *x, gconstpointer name)
{
  uint64_t bytes[2];
  for (int i = 0; i < 2; i++) {
    Call c;
    call_init (&c, x,
               i == 0 ? "func @f(%0: f32[4096]) -> (f32[4096]) {\n %1 = sine(%0)\n"
                        " %2 = reverse(%1) {dimensions = [0]}\n %3 = cosine(%2)\n return %3\n}"
                      : "func @f(%0: f32[4096]) -> (f32[4096]) {\n %1 = sine(%0)\n"
                        " %4 = all_reduce(%1) {computation = \"add\"}\n"
                        " %2 = reverse(%4) {dimensions = [0]}\n %3 = cosine(%2)\n return %3\n}",
               NULL, 0);
    bytes[i] = lm_executable_slab_bytes (c.exe);
    call_clear (&c);
  }
  if (strcmp (name, "cpu") == 0)
    g_assert_cmpuint (bytes[1], ==, bytes[0]);
}

/* --- failures ---------------------------------------------------------------------------------------- */

static void
test_failure (Fixture *x, gconstpointer name)
{
  Call c;
  call_init (&c, x, overlapped, NULL, 0);
  lm_executable_set_collective (c.exe, &x->fake.table);
  for (guint at = 1; at <= 2; at++) {
    g_autoptr (GError) error = NULL;
    LmArray *out[4];
    x->fake.calls = 0;
    x->fake.fail_at = at;
    g_assert_false (lm_execute_arrays (c.exe, c.in, out, &error));
    g_assert_nonnull (error);
    g_assert_nonnull (strstr (error->message, "replica 2 is gone"));
    g_assert_cmpuint (x->fake.calls, ==, at); /* later ones are not made */
  }
  x->fake.fail_at = 0;
  call_run (&c); /* a failure does not stick */
  check_overlapped (&c, c.in[0]->data, c.in[1]->data);
  call_clear (&c);
}

int
main (int argc, char **argv)
{
  static const char *const backends[] = {"reference", "cpu"};
  static const struct {
    const char *name;
    void (*run) (Fixture *x, gconstpointer name);
  } tests[] = {{"ops", test_ops},
               {"overlap", test_overlap},
               {"in_place", test_in_place},
               {"failure", test_failure}};
  g_test_init (&argc, &argv, NULL);
  for (guint b = 0; b < G_N_ELEMENTS (backends); b++)
    for (guint i = 0; i < G_N_ELEMENTS (tests); i++) {
      g_autofree char *path =
          g_strdup_printf ("/backends/collective/%s/%s", backends[b], tests[i].name);
      g_test_add (path, Fixture, backends[b], setup, tests[i].run, teardown);
    }
  return g_test_run ();
}
