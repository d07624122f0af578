/* SPDX-License-Identifier: Apache-2.0 */
/* Random functions: cpu against reference by the tolerances of conformance, exact transforms, and the text
 * form. LAMINA_PROPERTY_SEED and LAMINA_PROPERTY_COUNT make other and longer runs. */
#include "core/conformance/cases.h"
#include "tests/lib/equations.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_fn.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Random functions of a usual run: enough for every op, and for single wrong fold rules, to show. */
#define FUNCTIONS 600

typedef struct Test {
  LmRegistry *registry;
  LmBackend *reference, *cpu;
} Test;

/* --- equal bits ----------------------------------------------------------------------------------------- */

/* got[j] should be want[which[j]], or want[j] without a list. */
static char *
compare_bits (const char *what, guint n, LmArray *const *got, LmArray *const *want,
              const uint32_t *which)
{
  for (guint j = 0; j < n; j++) {
    const LmArray *a = got[j], *b = want[which != NULL ? which[j] : j];
    int64_t at = lm_first_difference (a, b);
    if (at >= 0)
      return g_strdup_printf ("%s: result %u [%" G_GINT64_FORMAT "] is %.17g, wanted %.17g", what,
                              j, at, lm_array_get_double (a, at), lm_array_get_double (b, at));
  }
  return NULL;
}

/* Results of f, run as a whole, against those values. */
static char *
compare_run (LmBackend *backend, const char *what, const LmFunction *f, LmArray *const *in,
             LmArray *const *want, const uint32_t *which)
{
  g_autoptr (GError) error = NULL;
  LmArray **got = g_new0 (LmArray *, f->ir.n_results + 1);
  char *message = lm_run_function (backend, f, in, got, &error)
                      ? compare_bits (what, f->ir.n_results, got, want, which)
                      : g_strdup_printf ("%s: %s", what, error->message);
  lm_equations_free (got, f->ir.n_results);
  return message;
}

/* --- transforms and text -------------------------------------------------------------------------------- */

typedef LmFunction *(*Transform) (const LmFunction *f, GError **error);

/* The transform of f, equation by equation. */
static char *
check_transform (const Test *t, const char *what, Transform transform, const LmFunction *f,
                 LmArray *const *in, LmArray *const *want)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) next = transform (f, &error);
  if (next == NULL)
    return g_strdup_printf ("%s: %s", what, error->message);
  LmArray **values = lm_equations_run (t->reference, next, in);
  LmArray **got = g_new0 (LmArray *, next->ir.n_results + 1);
  for (uint32_t j = 0; j < next->ir.n_results; j++)
    got[j] = values[next->ir.results[j]];
  char *message = compare_bits (what, f->ir.n_results, got, want, f->ir.results);
  g_free (got);
  lm_equations_free (values, next->ir.n_values);
  return message;
}

static char *
check_text (const Test *t, const LmFunction *f, LmArray *const *in, LmArray *const *want)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = lm_text_print (f);
  g_autoptr (LmFunction) back = lm_text_parse (text, strlen (text), "text", &error);
  if (back == NULL)
    return g_strdup_printf ("parse: %s", error->message);
  g_autofree char *again = lm_text_print (back);
  if (strcmp (text, again) != 0)
    return g_strdup_printf ("print, parse, print gives another text:\n%s", again);
  return compare_run (t->reference, "parsed", back, in, want, f->ir.results);
}

static char *
exact (const LmFunction *f, LmArray *const *in, gpointer user)
{
  const Test *t = user;
  LmArray **want = lm_equations_run (t->reference, f, in);
  char *message = check_text (t, f, in, want);
  if (message == NULL)
    message = check_transform (t, "simplify", lm_simplify, f, in, want);
  if (message == NULL)
    message = check_transform (t, "cse", lm_cse, f, in, want);
  if (message == NULL)
    message = check_transform (t, "dce", lm_dce, f, in, want);
  if (message == NULL)
    message = compare_run (t->reference, "pipeline", f, in, want, f->ir.results);
  lm_equations_free (want, f->ir.n_values);
  return message;
}

/* --- tolerances ------------------------------------------------------------------------------------------ */

static const char *
op_name (const lam_equation *e)
{
  return lm_op_info (e->op)->name;
}

static bool
is_index (const lam_equation *e, uint32_t k)
{
  return strcmp (op_name (e), "scatter") == 0 && k == 1;
}

/* The equation in f64 with sums for products. */
static LmFunction *
in_f64 (const LmFunction *one)
{
  g_autoptr (GError) error = NULL;
  const lam_equation *e = lam_equation_at (&one->ir, 0);
  LmBuilder *b = lm_builder_new ("measure");
  LmValue operands[4];
  g_autofree lam_attr *attrs = g_new0 (lam_attr, e->n_attrs + 1);
  for (uint32_t k = 0; k < e->n_operands; k++) {
    lam_type type = *lm_param_type (one, k);
    type.dtype = is_index (e, k) ? type.dtype : LAM_F64;
    operands[k] = lm_builder_param (b, &type);
  }
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    attrs[i] = *lam_attr_at (&one->ir, e->first_attr + i);
    if (strcmp (attrs[i].key, "out_dtype") == 0)
      attrs[i] = lm_attr_dtype ("out_dtype", LAM_F64);
    if (strcmp (attrs[i].key, "computation") == 0)
      attrs[i] = lm_attr_str ("computation", "add");
  }
  const LmOp op = {.op = e->op,
                   .operands = operands,
                   .n_operands = e->n_operands,
                   .attrs = attrs,
                   .n_attrs = e->n_attrs};
  LmValue y = lm_builder_op (b, &op);
  LmFunction *f = lm_builder_finish (b, &y, 1, &error);
  g_assert_no_error (error);
  return f;
}

/* Magnitudes of the elements as f64, or ones. */
static LmArray *
measure (const LmArray *x, bool ones)
{
  g_autoptr (GError) error = NULL;
  lam_type type = x->type;
  type.dtype = LAM_F64;
  LmArray *out = lm_array_new (&type, &error);
  g_assert_no_error (error);
  for (int64_t i = 0; i < lam_type_elements (&type); i++)
    ((double *)out->data)[i] = ones ? 1 : fabs (lm_array_get_double (x, i));
  return out;
}

static LmArray *
run_measure (const Test *t, const LmFunction *one, LmArray *const *in, bool ones)
{
  g_autoptr (LmFunction) f = in_f64 (one);
  const lam_equation *e = lam_equation_at (&one->ir, 0);
  LmArray *x[4], *out = NULL;
  for (uint32_t k = 0; k < e->n_operands; k++)
    x[k] = is_index (e, k) ? lm_array_ref (in[k]) : measure (in[k], ones);
  lm_test_run (t->reference, f, x, &out);
  for (uint32_t k = 0; k < e->n_operands; k++)
    lm_array_unref (x[k]);
  return out;
}

/* Sums or products of such numbers could leave the accumulator's range on the way, in one order of the terms
 * and not in another. */
static bool
may_overflow (const LmFunction *one, LmArray *const *in, LmAllow allow)
{
  bool wide = lm_param_type (one, 0)->dtype == LAM_F64, odd = false;
  double most = wide ? 1e150 : 1e15, powers = 0;
  for (uint32_t k = 0; k < one->ir.n_params; k++)
    for (int64_t i = 0; i < lam_type_elements (&in[k]->type); i++) {
      double x = fabs (lm_array_get_double (in[k], i));
      odd = odd || (isfinite (x) && x > most);
      powers += isfinite (x) && x > 0 ? fabs (log2 (x)) : 0;
    }
  return odd || (allow == LM_ALLOW_PRODUCT && powers > (wide ? 900 : 100));
}

/* What an equation gave on cpu against reference on the same operands. */
static char *
compare_equation (const Test *t, const LmFunction *one, LmArray *const *in, LmArray *const *got,
                  LmArray *const *want)
{
  const lam_equation *e = lam_equation_at (&one->ir, 0);
  LmComparison c = {.rule = lm_rule_of (op_name (e)), .accumulator = LAM_F32};
  g_autoptr (LmArray) size = NULL;
  g_autoptr (LmArray) count = NULL;
  g_autofree char *message = NULL;
  c.allow = lm_rule_allow (c.rule, lam_attr_str (&one->ir, e, "computation", NULL));
  if (e->n_operands > 0 && lm_param_type (one, 0)->dtype == LAM_F64)
    c.accumulator = LAM_F64;
  bool real = e->n_results > 0 && lam_dtype_is_float (lm_result_type (one, 0)->dtype);
  if (real && (c.allow == LM_ALLOW_SUM || c.allow == LM_ALLOW_PRODUCT)) {
    if (may_overflow (one, in, c.allow))
      return NULL;
    c.size = size = run_measure (t, one, in, false);
    c.count = count = run_measure (t, one, in, true);
  }
  for (uint32_t j = 0; j < e->n_results && message == NULL; j++)
    if (!lm_case_compare (&c, got[j], want[j], &message))
      return g_strdup_printf ("%s, result %u: %s", op_name (e), j, message);
  return NULL;
}

static char *
check_equation (const Test *t, const LmFunction *f, uint32_t i, LmArray *const *values)
{
  const lam_equation *e = lam_equation_at (&f->ir, i);
  g_autoptr (LmFunction) one = lm_equation_alone (f, i);
  LmArray *in[8], *want[8] = {NULL};
  for (uint32_t k = 0; k < e->n_operands; k++)
    in[k] = values[lam_operand (&f->ir, e, k)];
  lm_test_run (t->reference, one, in, want);
  char *message = compare_equation (t, one, in, values + e->first_result, want);
  for (uint32_t j = 0; j < e->n_results; j++)
    lm_array_unref (want[j]);
  return message;
}

/* Twice, result 0 in the memory of parameter 0 and read again, against two runs in memory of their own. */
static char *
check_donated (const Test *t, const LmFunction *f, LmArray *const *in, LmArray *const *first)
{
  g_autoptr (GError) error = NULL;
  guint n = f->ir.n_results;
  if (f->ir.n_params == 0 || !lm_type_equal (lm_param_type (f, 0), lm_result_type (f, 0)))
    return NULL;
  LmArray **got = g_new0 (LmArray *, n + 1), **want = g_new0 (LmArray *, n + 1);
  g_autofree LmArray **again = g_memdup2 (in, f->ir.n_params * sizeof *in);
  again[0] = first[f->ir.results[0]];
  bool ok = lm_run_function (t->cpu, f, again, want, &error)
            && lm_case_run_steps (t->cpu, f, 1, 2, in, got, &error);
  char *message = ok ? compare_bits ("cpu, donated", n, got, want, NULL)
                     : g_strdup_printf ("cpu, donated: %s", error->message);
  lm_equations_free (want, n);
  lm_equations_free (got, n);
  return message;
}

/* All values shown, each equation of cpu's is reference's on the same operands; with only the results
 * shown, whatever is fused or shares memory, cpu gives the same bits. */
static char *
agrees (const LmFunction *f, LmArray *const *in, gpointer user)
{
  const Test *t = user;
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) shown = lm_equations_shown (f);
  LmArray **values = g_new0 (LmArray *, f->ir.n_values + 1);
  char *message = NULL;
  if (!lm_run_function (t->cpu, shown, in, values, &error))
    message = g_strdup_printf ("cpu: %s", error->message);
  for (uint32_t i = 0; i < f->ir.n_equations && message == NULL; i++)
    message = check_equation (t, f, i, values);
  if (message == NULL)
    message = compare_run (t->cpu, "cpu, values hidden", f, in, values, f->ir.results);
  if (message == NULL)
    message = check_donated (t, f, in, values);
  lm_equations_free (values, f->ir.n_values);
  return message;
}

/* --- functions that transforms make of it --------------------------------------------------------------- */

static GPtrArray *
new_arrays (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
}

/* Cotangents of all float results, ones and minus ones. */
static LmFunction *
gradient (const LmFunction *f, LmArray *const *in, GPtrArray *out)
{
  g_autofree bool *wanted = g_new0 (bool, f->ir.n_params + 1);
  g_autofree bool *given = g_new0 (bool, f->ir.n_results + 1);
  for (uint32_t i = 0; i < f->ir.n_params; i++) {
    wanted[i] = lam_dtype_is_float (lm_param_type (f, i)->dtype);
    g_ptr_array_add (out, lm_array_ref (in[i]));
  }
  for (uint32_t j = 0; j < f->ir.n_results; j++) {
    const lam_type *type = lm_result_type (f, j);
    int64_t n = lam_type_elements (type);
    g_autofree double *signs = g_new (double, (gsize)n + 1);
    for (int64_t i = 0; i < n; i++)
      signs[i] = i % 3 == 0 ? -1 : 1;
    given[j] = lam_dtype_is_float (type->dtype);
    if (given[j])
      g_ptr_array_add (out, lm_test_array (type, signs));
  }
  return lm_vjp (f, wanted, given, NULL);
}

/* What holds for a function holds for its gradient, where it has one. */
static char *
gradient_agrees (const LmFunction *f, LmArray *const *in, gpointer user)
{
  g_autoptr (GPtrArray) arrays = new_arrays ();
  g_autoptr (LmFunction) vjp = gradient (f, in, arrays);
  LmArray *const *all = (LmArray *const *)arrays->pdata;
  char *message = vjp != NULL ? exact (vjp, all, user) : NULL;
  if (message == NULL && vjp != NULL)
    message = agrees (vjp, all, user);
  return message;
}

/* Row 0 as it is; in row 1 the elements are others' (first last), which keeps permutations. */
static LmArray *
second_row (const LmArray *x)
{
  g_autoptr (GError) error = NULL;
  LmArray *y = lm_array_new_copy (&x->type, x->data, &error);
  g_assert_no_error (error);
  int64_t n = lam_type_elements (&x->type);
  gsize width = lam_dtype_bits (x->type.dtype) / 8;
  for (int64_t i = 0; i < n; i++)
    memcpy ((char *)y->data + (gsize)i * width, (char *)x->data + (gsize)(n - 1 - i) * width,
            width);
  return y;
}

static LmArray *
join (const LmArray *a, const LmArray *b)
{
  g_autoptr (GError) error = NULL;
  lam_type type = {.dtype = a->type.dtype, .rank = a->type.rank + 1, .dims = {2}};
  memcpy (type.dims + 1, a->type.dims, (gsize)a->type.rank * sizeof *type.dims);
  LmArray *both = lm_array_new (&type, &error);
  g_assert_no_error (error);
  memcpy (both->data, a->data, (gsize)a->bytes);
  memcpy ((char *)both->data + a->bytes, b->data, (gsize)b->bytes);
  return both;
}

/* Results of f on each row, joined, against those of vmap. */
static char *
check_rows (const Test *t, const LmFunction *f, const LmFunction *rows, LmArray *const *in)
{
  guint n = f->ir.n_params, m = f->ir.n_results;
  LmArray **other = g_new0 (LmArray *, n + 1), **both = g_new0 (LmArray *, n + 1);
  LmArray **first = g_new0 (LmArray *, m + 1), **second = g_new0 (LmArray *, m + 1);
  LmArray **want = g_new0 (LmArray *, m + 1);
  for (guint i = 0; i < n; i++) {
    other[i] = second_row (in[i]);
    both[i] = join (in[i], other[i]);
  }
  lm_test_run (t->reference, f, in, first);
  lm_test_run (t->reference, f, other, second);
  for (guint j = 0; j < m; j++)
    want[j] = join (first[j], second[j]);
  char *message = compare_run (t->reference, "vmap", rows, both, want, NULL);
  lm_equations_free (other, n);
  lm_equations_free (both, n);
  lm_equations_free (first, m);
  lm_equations_free (second, m);
  lm_equations_free (want, m);
  return message;
}

static char *
rows_agree (const LmFunction *f, LmArray *const *in, gpointer user)
{
  g_autoptr (GError) error = NULL;
  guint n = MAX (f->ir.n_params, f->ir.n_results);
  g_autofree int32_t *front = g_new0 (int32_t, n + 1);
  for (uint32_t v = 0; v < f->ir.n_values; v++)
    if (lam_value_type (&f->ir, v)->rank >= LAM_MAX_RANK - 1)
      return NULL; /* no room for one more axis */
  g_autoptr (LmFunction) rows = lm_vmap (f, front, front, 2, &error);
  if (rows == NULL)
    return g_strdup_printf ("vmap: %s", error->message);
  return check_rows (user, f, rows, in);
}

/* --- running ---------------------------------------------------------------------------------------------- */

static guint64
setting (const char *name, guint64 fallback)
{
  const char *text = g_getenv (name);
  return text != NULL ? g_ascii_strtoull (text, NULL, 0) : fallback;
}

/* Fails the test with a small function if the function of the seed has not the property. */
static bool
holds (Test *t, guint32 seed, LmProperty property, guint *counts, bool loud)
{
  g_autoptr (GPtrArray) in = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  const LmRandomOptions o = {
      .seed = seed, .equations = 50, .reference = t->reference, .counts = counts};
  g_autoptr (LmFunction) f = lm_random_function (&o, in);
  LmArray *const *arrays = (LmArray *const *)in->pdata;
  g_autofree char *message = property (f, arrays, t);
  if (message == NULL || !loud)
    return message == NULL;
  g_autofree char *report = lm_shrink (f, arrays, t->reference, property, t);
  g_autofree char *text = lm_text_print (f);
  g_test_message ("the whole function:\n%s", text);
  g_test_fail_printf ("LAMINA_PROPERTY_SEED=%u LAMINA_PROPERTY_COUNT=1: %s", seed, report);
  return false;
}

static void
open_test (Test *t)
{
  t->registry = lm_test_registry ();
  t->reference = lm_test_backend (t->registry, "reference");
}

static void
close_test (Test *t)
{
  lm_backend_unref (t->reference);
  lm_registry_free (t->registry);
}

static void
test_random (void)
{
  Test t = {0};
  guint counts[LM_RANDOM_OPS] = {0}, n;
  guint32 seed = (guint32)setting ("LAMINA_PROPERTY_SEED", 1);
  guint count = (guint)setting ("LAMINA_PROPERTY_COUNT", FUNCTIONS);
  const LmOpInfo *table = lm_op_table (&n);
  open_test (&t);
  t.cpu = lm_test_backend (t.registry, "cpu");
  for (guint i = 0; i < count; i++) {
    holds (&t, seed + i, exact, counts, true);
    holds (&t, seed + i, agrees, NULL, true);
    holds (&t, seed + i, rows_agree, NULL, true);
    if (i % 3 == 0)
      holds (&t, seed + i, gradient_agrees, NULL, true);
  }
  for (guint i = 0; i < n && count >= FUNCTIONS; i++)
    if (counts[table[i].number] == 0)
      g_test_fail_printf ("no function had the op %s", table[i].name);
  lm_backend_unref (t.cpu);
  close_test (&t);
}

/* Functions that each fault is given; most show in the first 100. */
#define MOST_SEEDS 1000

/* A property that nothing can break would say nothing: each seeded fault of a backend must show. */
static void
test_finds (void)
{
  static const char *const faults[] = {"tie",  "dot_axes", "nan",   "padding", "stale", "scatter",
                                       "sort", "convert",  "shift", "clamp",   "f16",   "empty"};
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
      g_build_filename (g_getenv ("LAMINA_STRANGER_DIR"), "backend_faults.so", NULL);
  Test t = {0};
  open_test (&t);
  lm_registry_add_file (t.registry, path, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++) {
    g_autoptr (JsonObject) options = json_object_new ();
    guint32 seed = 1;
    json_object_set_string_member (options, "fault", faults[i]);
    t.cpu = lm_backend_open (t.registry, "stranger.faults", options, &error);
    g_assert_no_error (error);
    while (seed < MOST_SEEDS && holds (&t, seed, agrees, NULL, false))
      seed++;
    g_test_message ("%s: found by seed %u", faults[i], seed);
    if (seed == MOST_SEEDS)
      g_test_fail_printf ("no function found the fault %s", faults[i]);
    lm_backend_unref (t.cpu);
  }
  close_test (&t);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/backends/property/random", test_random);
  g_test_add_func ("/backends/property/finds", test_finds);
  return g_test_run ();
}
