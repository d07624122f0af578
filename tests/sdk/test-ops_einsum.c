/* SPDX-License-Identifier: Apache-2.0 */
/* <lamina/ops_einsum.h> against its definition: for every value of every letter the product of the
 * operands' elements is added to the result's. Small integers in f64, so results are exact. */
#include "tests/lib/fixture.h"
#include <lamina/layer.h>

#include <string.h>

/* Size of a letter: a 2, b 3, c 4 ... */
static int64_t
size_of (char letter)
{
  return 2 + (letter - 'a') % 5;
}

typedef struct Part {
  char letters[LAM_MAX_RANK + 1];
  lam_type type;
} Part;

static Part
part_of (const char *from, size_t n)
{
  Part p = {.type = lm_scalar_type (LAM_F64)};
  memcpy (p.letters, from, n);
  p.type.rank = (int32_t)n;
  for (size_t i = 0; i < n; i++)
    p.type.dims[i] = size_of (from[i]);
  return p;
}

/* Parts of "ab,bc->ac"; returns the number of operands. */
static int
parts_of (const char *spec, Part in[2], Part *out)
{
  const char *arrow = strstr (spec, "->"), *comma = strchr (spec, ',');
  in[0] = part_of (spec, (size_t)((comma != NULL ? comma : arrow) - spec));
  if (comma != NULL)
    in[1] = part_of (comma + 1, (size_t)(arrow - comma - 1));
  *out = part_of (arrow + 2, strlen (arrow + 2));
  return comma != NULL ? 2 : 1;
}

static int64_t
place (const Part *p, const int64_t *value)
{
  int64_t at = 0;
  for (int32_t i = 0; i < p->type.rank; i++)
    at = at * p->type.dims[i] + value[(int)p->letters[i]];
  return at;
}

/* The definition: odometer over all letters used. */
static void
define (const Part *in, int n, const Part *out, const double *const *x, double *y)
{
  int64_t value[128] = {0};
  char used[64] = "";
  for (int k = 0; k < n; k++)
    for (const char *c = in[k].letters; *c != '\0'; c++)
      if (strchr (used, *c) == NULL)
        used[strlen (used)] = *c; /* zeros follow */
  for (;;) {
    double product = x[0][place (&in[0], value)];
    if (n == 2)
      product *= x[1][place (&in[1], value)];
    y[place (out, value)] += product;
    const char *c = used;
    while (*c != '\0' && ++value[(int)*c] == size_of (*c))
      value[(int)*c++] = 0;
    if (*c == '\0')
      return;
  }
}

static void
test_spec (gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  Part in[2], out;
  int n = parts_of (data, in, &out);
  g_autoptr (LmTrace) trace = lm_trace_new ("einsum", lm_host_tables ()->trace, NULL, LAM_F64);
  lam_tensor x[2] = {lam_nil (), lam_nil ()};
  LmArray *arrays[2] = {NULL, NULL}, *got = NULL;
  for (int k = 0; k < n; k++) {
    x[k] = lm_trace_param (trace, &in[k].type);
    arrays[k] = lm_array_new (&in[k].type, NULL);
    for (int64_t i = 0; i < lam_type_elements (&in[k].type); i++)
      ((double *)arrays[k]->data)[i] = (double)(i * 7 % 11) - 5;
  }
  lam_tensor y = lam_einsum (lm_trace_pub (trace), data, x[0], x[1]);
  g_autoptr (LmFunction) f = lm_trace_finish (trace, &y, 1, &error);
  g_assert_no_error (error);
  lm_test_run (backend, f, arrays, &got);
  g_assert_true (lm_type_equal (&got->type, &out.type));
  g_autoptr (LmArray) want = lm_array_new (&out.type, NULL);
  define (in, n, &out, (const double *[]) {arrays[0]->data, n == 2 ? arrays[1]->data : NULL},
          want->data);
  g_assert_cmpmem (got->data, got->bytes, want->data, want->bytes);
  lm_array_unref (arrays[0]);
  lm_array_unref (arrays[1]);
  lm_array_unref (got);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

static void
test_wrong (gconstpointer spec)
{
  g_autoptr (LmTrace) trace = lm_trace_new ("einsum", lm_host_tables ()->trace, NULL, LAM_F64);
  lam_type type = lm_type (LAM_F64, 2, (int64_t[]) {2, 3});
  lam_tensor a = lm_trace_param (trace, &type), b = lm_trace_param (trace, &type);
  g_assert_true (lam_is_nil (lam_einsum (lm_trace_pub (trace), spec, a, b)));
  GError *error = g_error_copy (lm_trace_error (trace));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "lam_einsum", NULL);
}

int
main (int argc, char **argv)
{
  static const char *const specs[] = {"ab,bc->ac",   "ab,bc->ca", "abc,acd->abd", "abc,cab->b",
                                      "ab,cd->dbca", "ab,ab->",   "ab,ab->ab",    "abcd,dce->eba",
                                      "a,b->ab",     "abc,c->ab", "ab->ba",       "ab->",
                                      "abc->ca",     "ab->ab",    "abc,bd->d"};
  static const char *const wrong[] = {"ab,bc",     "aa,bc->ab",  "ab,bc->ad",
                                      "ab,bc->aa", "abc,bc->a",  "ab,...->a",
                                      "ab->a",     "ab,bc->ac ", ""};
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (specs); i++) {
    g_autofree char *path = g_strdup_printf ("/sdk/ops_einsum/%s", specs[i]);
    g_test_add_data_func (path, specs[i], test_spec);
  }
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autofree char *path = g_strdup_printf ("/sdk/ops_einsum/wrong/%u", i);
    g_test_add_data_func (path, wrong[i], test_wrong);
  }
  return g_test_run ();
}
