/* SPDX-License-Identifier: Apache-2.0 */
/* plugins/collectives: local with 1 to 8 threads, and the same checks as one process of an MPI job when
 * that is how the program was started (tests/e2e/mpi.sh does). What must come out is added up here,
 * rank by rank. */
#include "core/plugin/error.h"
#include "core/run/group.h"
#include "tests/lib/fixture.h"
#include "tests/lib/golden.h"

#include <math.h>
#include <string.h>

#define TENSORS 4

static const lam_dtype numbers[] = {LAM_F64, LAM_F32, LAM_F16, LAM_BF16, LAM_I64, LAM_I32,
                                    LAM_I16, LAM_I8,  LAM_U64, LAM_U32,  LAM_U16, LAM_U8};

/* From nothing to more than a block; together, for some dtypes, what mpi takes for a large message. */
static const int64_t sizes[TENSORS] = {0, 1, 67, 5003};

/* Tensor k of a rank: the same numbers whoever asks. Floats of many sizes, so that order shows. */
static LmArray *
tensor (lam_dtype dtype, guint k, guint rank, bool special)
{
  static const double specials[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 65504, 1e-8};
  lam_type type = lm_type (dtype, 1, (int64_t[]) {sizes[k]});
  g_autofree double *values = g_new (double, (gsize)sizes[k] + 1);
  GRand *rand = g_rand_new_with_seed (977 * k + rank);
  for (int64_t i = 0; i < sizes[k]; i++) {
    double x = g_rand_double_range (rand, -1, 1) * exp2 (g_rand_int_range (rand, -6, 7));
    if (!lam_dtype_is_float (dtype))
      x = (double)g_rand_int_range (rand, lam_dtype_is_unsigned (dtype) ? 0 : -100, 101);
    else if (special && g_rand_int_range (rand, 0, 9) == 0)
      x = specials[g_rand_int_range (rand, 0, G_N_ELEMENTS (specials))];
    values[i] = x;
  }
  g_rand_free (rand);
  return lm_test_array (&type, values);
}

static double
pick (int32_t reduction, double a, double b)
{
  if (isnan (a) || isnan (b))
    return NAN;
  if (a == b)
    return (reduction == LAM_REDUCE_MAXIMUM) == (signbit (a) != 0) ? b : a;
  return (reduction == LAM_REDUCE_MAXIMUM) == (a > b) ? a : b;
}

/* ((x0 + x1) + x2) + ... in the dtype's own arithmetic; element i of all ranks. */
static double
reduced (lam_dtype dtype, int32_t reduction, LmArray *const *x, guint ranks, int64_t i)
{
  double sum = lm_array_get_double (x[0], i);
  for (guint r = 1; r < ranks; r++) {
    double next = lm_array_get_double (x[r], i);
    if (reduction != LAM_REDUCE_ADD)
      sum = pick (reduction, sum, next);
    else if (dtype == LAM_F64 || !lam_dtype_is_float (dtype))
      sum += next;
    else
      sum = (float)sum + (float)next;
  }
  return sum;
}

/* Equal bits, any NaN for a NaN. Integers wrap, so they are compared by their low bits. */
static void
check_tensor (const LmArray *got, const double *want)
{
  lam_dtype dtype = got->type.dtype;
  gsize width = lam_dtype_bits (dtype) / 8;
  bool floats = lam_dtype_is_float (dtype);
  g_autoptr (LmArray) exact = floats ? lm_test_array (&got->type, want) : NULL;
  for (int64_t i = 0; i < lam_type_elements (&got->type); i++) {
    const char *bits = (const char *)got->data + (gsize)i * width;
    int64_t wide = floats ? 0 : (int64_t)want[i]; /* little-endian */
    if (floats && isnan (want[i]))
      g_assert_true (isnan (lm_array_get_double (got, i)));
    else
      g_assert_cmpmem (bits, width, floats ? (char *)exact->data + (gsize)i * width : (char *)&wide,
                       width);
  }
}

typedef struct Case {
  lam_dtype dtype;
  int32_t reduction;
  bool in_place, special;
} Case;

/* All tensors in one call. */
static void
run_reduce (const lam_collective *member, const Case *c)
{
  LmArray *in[TENSORS][64], *out[TENSORS];
  lam_dtype dtypes[TENSORS];
  uint64_t counts[TENSORS];
  const void *from[TENSORS];
  void *to[TENSORS];
  g_autoptr (GError) error = NULL;
  g_assert_cmpuint (member->size, <=, 64);
  for (guint k = 0; k < TENSORS; k++) {
    for (guint r = 0; r < member->size; r++)
      in[k][r] = tensor (c->dtype, k, r, c->special);
    dtypes[k] = c->dtype;
    counts[k] = (uint64_t)sizes[k];
    out[k] = tensor (c->dtype, k, c->in_place ? member->rank : 1000, c->special);
    from[k] = c->in_place ? out[k]->data : in[k][member->rank]->data;
    to[k] = out[k]->data;
  }
  const lam_collective_call call = {.struct_size = sizeof call,
                                    .reduction = c->reduction,
                                    .n = TENSORS,
                                    .dtypes = dtypes,
                                    .counts = counts,
                                    .in = from,
                                    .out = to};
  lam_error slot;
  lm_plugin_error_init (&slot);
  lam_status status = member->all_reduce (member->self, &call, &slot);
  g_assert_true (lm_plugin_error_take (&slot, status, "all_reduce", &error));
  for (guint k = 0; k < TENSORS; k++) {
    g_autofree double *want = g_new (double, (gsize)sizes[k] + 1);
    for (int64_t i = 0; i < sizes[k]; i++)
      want[i] = reduced (c->dtype, c->reduction, in[k], member->size, i);
    check_tensor (out[k], want);
    for (guint r = 0; r < member->size; r++)
      lm_array_unref (in[k][r]);
    lm_array_unref (out[k]);
  }
}

static void
run_gather (const lam_collective *member, lam_dtype dtype)
{
  for (guint k = 0; k < TENSORS; k++) {
    g_autoptr (LmArray) mine = tensor (dtype, k, member->rank, true);
    lam_type type = lm_type (dtype, 1, (int64_t[]) {sizes[k] * member->size});
    g_autoptr (GError) error = NULL;
    g_autoptr (LmArray) all = lm_array_new (&type, &error);
    uint64_t count = (uint64_t)sizes[k];
    const void *in = mine->data;
    void *out = all->data;
    const lam_collective_call call = {.struct_size = sizeof call,
                                      .n = 1,
                                      .dtypes = &dtype,
                                      .counts = &count,
                                      .in = &in,
                                      .out = &out};
    lam_error slot;
    lm_plugin_error_init (&slot);
    lam_status status = member->all_gather (member->self, &call, &slot);
    g_assert_true (lm_plugin_error_take (&slot, status, "all_gather", &error));
    for (guint r = 0; r < member->size; r++) {
      g_autoptr (LmArray) want = tensor (dtype, k, r, true);
      g_assert_cmpmem ((char *)all->data + r * (gsize)want->bytes, (gsize)want->bytes, want->data,
                       (gsize)want->bytes);
    }
  }
}

/* More than mpi sends at once: element i of rank r is i mod 7 + r. In place. */
static void
run_long (const lam_collective *member)
{
  const lam_dtype dtypes[2] = {LAM_F32, LAM_F32};
  const uint64_t counts[2] = {4300001, 4300001};
  g_autofree float *a = g_new (float, counts[0]), *b = g_new (float, counts[1]);
  void *out[2] = {a, b};
  for (uint64_t i = 0; i < counts[0]; i++)
    a[i] = b[i] = (float)(i % 7) + (float)member->rank;
  const lam_collective_call call = {.struct_size = sizeof call,
                                    .reduction = LAM_REDUCE_ADD,
                                    .n = 2,
                                    .dtypes = dtypes,
                                    .counts = counts,
                                    .in = (const void *const *)out,
                                    .out = out};
  float n = (float)member->size;
  lam_error slot;
  lm_plugin_error_init (&slot);
  g_assert_cmpint (member->all_reduce (member->self, &call, &slot), ==, LAM_OK);
  for (uint64_t i = 0; i < counts[0]; i++) {
    float want = n * (float)(i % 7) + n * (n - 1) / 2;
    if (a[i] != want || b[i] != want)
      g_error ("element %" G_GUINT64_FORMAT " is %g and %g, wanted %g", i, a[i], b[i], want);
  }
}

static gpointer
run_all (gpointer data)
{
  const lam_collective *member = data;
  if (member->size <= 3)
    run_long (member);
  for (guint d = 0; d < G_N_ELEMENTS (numbers); d++) {
    for (int32_t reduction = LAM_REDUCE_ADD; reduction <= LAM_REDUCE_MINIMUM; reduction++) {
      Case c = {numbers[d], reduction, d % 2 == 0, reduction != LAM_REDUCE_ADD};
      run_reduce (member, &c);
    }
    run_gather (member, numbers[d]);
  }
  run_gather (member, LAM_PRED);
  return NULL;
}

static LmGroup *
open_group (LmRegistry *registry, const char *name, guint n)
{
  g_autoptr (GError) error = NULL;
  LmGroup *group = lm_group_open (registry, name, NULL, n, &error);
  g_assert_no_error (error);
  return group;
}

static void
test_values (gconstpointer data)
{
  guint n = GPOINTER_TO_UINT (data);
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (LmGroup) group = open_group (registry, "local", n);
  GThread *threads[8];
  g_assert_cmpuint (lm_group_size (group), ==, n);
  g_assert_cmpuint (lm_group_first_rank (group), ==, 0);
  for (guint i = 0; i < n; i++)
    threads[i] = g_thread_new ("replica", run_all, (gpointer)lm_group_member (group, i));
  for (guint i = 0; i < n; i++)
    g_thread_join (threads[i]);
  lm_registry_free (registry);
}

/* --- failures ---------------------------------------------------------------------------------------- */

typedef struct Caller {
  LmGroup *group;
  guint i, words;
  bool ok;
  char *message;
} Caller;

static gpointer
gather_words (gpointer data)
{
  Caller *c = data;
  g_autoptr (GError) error = NULL;
  uint64_t in[8] = {c->i}, out[64];
  c->ok = lm_group_gather_words (c->group, c->i, in, c->words, out, &error);
  c->message = error != NULL ? g_strdup (error->message) : NULL;
  return NULL;
}

/* Two wait for a third, which fails instead of coming. */
static void
test_abort (void)
{
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (LmGroup) group = open_group (registry, "local", 3);
  Caller callers[3] = {
      {group, 0, 1, true, NULL}, {group, 1, 1, true, NULL}, {group, 2, 1, true, NULL}};
  GThread *threads[2];
  for (guint i = 0; i < 2; i++)
    threads[i] = g_thread_new ("replica", gather_words, &callers[i]);
  g_usleep (20000);
  lm_group_abort (group);
  for (guint i = 0; i < 2; i++)
    g_thread_join (threads[i]);
  gather_words (&callers[2]); /* too late */
  for (guint i = 0; i < 3; i++) {
    g_autofree char *who = g_strdup_printf ("replica %u of 3: another replica failed", i);
    g_assert_false (callers[i].ok);
    g_assert_nonnull (strstr (callers[i].message, who));
    g_free (callers[i].message);
  }
  lm_registry_free (registry);
}

/* Calls that do not fit together touch nobody's memory. */
static void
test_mismatch (void)
{
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (LmGroup) group = open_group (registry, "local", 2);
  Caller callers[2] = {{group, 0, 1, true, NULL}, {group, 1, 8, true, NULL}};
  GThread *other = g_thread_new ("replica", gather_words, &callers[1]);
  gather_words (&callers[0]);
  g_thread_join (other);
  for (guint i = 0; i < 2; i++) {
    g_assert_false (callers[i].ok);
    g_assert_nonnull (strstr (callers[i].message, "do not make the same calls"));
    g_free (callers[i].message);
  }
  lm_registry_free (registry);
}

static void
test_refused (void)
{
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (GError) error = NULL;
  g_assert_null (lm_group_open (registry, "lokal", NULL, 2, &error));
  lm_test_assert_error (&error, LM_ERROR_NOT_FOUND, "no collective \"lokal\"", "lamina.local",
                        NULL);
  g_autoptr (JsonObject) options = lm_test_json ("{\"timeout\": 3}");
  g_assert_null (lm_group_open (registry, "local", options, 2, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "timeout", NULL);
  g_autoptr (LmGroup) group = open_group (registry, "local", 1);
  const lam_collective *member = lm_group_member (group, 0);
  lam_dtype dtype = LAM_PRED;
  uint64_t count = 1;
  uint8_t byte = 1;
  const void *in = &byte;
  void *out = &byte;
  const lam_collective_call call = {.struct_size = sizeof call,
                                    .reduction = LAM_REDUCE_ADD,
                                    .n = 1,
                                    .dtypes = &dtype,
                                    .counts = &count,
                                    .in = &in,
                                    .out = &out};
  lam_error slot;
  lm_plugin_error_init (&slot);
  lam_status status = member->all_reduce (member->self, &call, &slot);
  g_assert_cmpint (status, ==, LAM_E_UNSUPPORTED);
  g_assert_false (lm_plugin_error_take (&slot, status, "all_reduce", &error));
  lm_test_assert_error (&error, LM_ERROR_UNSUPPORTED, "numbers only", NULL);
  lm_registry_free (registry);
}

/* --- MPI --------------------------------------------------------------------------------------------- */

static void
test_mpi (void)
{
  if (g_getenv ("OMPI_COMM_WORLD_SIZE") == NULL) {
    g_test_skip ("not started by mpirun; tests/e2e/mpi.sh does that");
    return;
  }
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (GError) error = NULL;
  g_assert_null (lm_group_open (registry, "mpi", NULL, 2, &error));
  lm_test_assert_error (&error, LM_ERROR_UNSUPPORTED, "one replica a process", "mpirun -n 2", NULL);
  LmGroup *group = open_group (registry, "mpi", 1);
  g_assert_cmpuint (lm_group_size (group), ==,
                    g_ascii_strtoull (g_getenv ("OMPI_COMM_WORLD_SIZE"), NULL, 10));
  run_all ((gpointer)lm_group_member (group, 0));
  lm_group_free (group);
  g_assert_null (lm_group_open (registry, "mpi", NULL, 1, &error)); /* MPI ends once */
  lm_test_assert_error (&error, LM_ERROR_NOT_FOUND, "once in a process", NULL);
  lm_registry_free (registry);
}

/* Rank 1 fails instead of coming: the others learn of it. */
static void
test_mpi_abort (void)
{
  if (g_getenv ("OMPI_COMM_WORLD_SIZE") == NULL) {
    g_test_skip ("not started by mpirun; tests/e2e/mpi.sh does that");
    return;
  }
  LmRegistry *registry = lm_test_registry ();
  LmGroup *group = open_group (registry, "mpi", 1);
  Caller caller = {group, 0, 1, true, NULL};
  if (lm_group_first_rank (group) == 1) {
    lm_group_abort (group);
    g_usleep (300000); /* so that mpirun does not end the others first */
  } else {
    gather_words (&caller);
    g_assert_false (caller.ok);
    g_assert_nonnull (strstr (caller.message, "another replica failed"));
    g_free (caller.message);
  }
  lm_group_free (group);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint n = 1; n <= 8; n++) {
    g_autofree char *path = g_strdup_printf ("/plugins/collectives/local/%u", n);
    g_test_add_data_func (path, GUINT_TO_POINTER (n), test_values);
  }
  g_test_add_func ("/plugins/collectives/local/abort", test_abort);
  g_test_add_func ("/plugins/collectives/local/mismatch", test_mismatch);
  g_test_add_func ("/plugins/collectives/local/refused", test_refused);
  g_test_add_func ("/plugins/collectives/mpi/values", test_mpi);
  g_test_add_func ("/plugins/collectives/mpi/abort", test_mpi_abort);
  return g_test_run ();
}
