/* SPDX-License-Identifier: Apache-2.0 */
/* Runs tables of op cases. */
#include "tests/lib/opcheck.h"

#include "core/ir/verify.h"
#include "core/transform/transform.h"
#include "tests/lib/batchcheck.h"
#include "tests/lib/fixture.h"

#include <math.h>
#include <string.h>

/* --- types ----------------------------------------------------------------------------------- */

void
lm_check_types (const LmTypeCase *cases, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LmFunction) f =
        lm_text_parse (cases[i].text, strlen (cases[i].text), "case", &error);
    if (cases[i].message == NULL) {
      g_assert_no_error (error);
      g_assert_nonnull (f);
      continue;
    }
    if (f != NULL)
      g_error ("case %u was taken, wanted \"%s\":\n%s", i, cases[i].message, cases[i].text);
    g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
    if (strstr (error->message, cases[i].message) == NULL)
      g_error ("case %u: wanted \"%s\", got: %s", i, cases[i].message, error->message);
  }
}

/* --- folds ----------------------------------------------------------------------------------- */

/* The body without white space. */
static char *
body_of (const LmFunction *f)
{
  g_autofree char *text = lm_text_print (f);
  GString *out = g_string_new (NULL);
  for (const char *p = strchr (text, '{'); *p != '\0'; p++)
    if (!g_ascii_isspace (*p))
      g_string_append_c (out, *p);
  return g_string_free (out, FALSE);
}

static void
check_fold (const LmFoldCase *c, guint i)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f = lm_test_parse (c->text);
  g_autoptr (LmFunction) wanted = lm_test_parse (c->wanted != NULL ? c->wanted : c->text);
  g_autoptr (LmFunction) simple = lm_simplify (f, &error);
  g_assert_no_error (error);
  g_autoptr (LmFunction) got = lm_dce (simple, &error);
  g_assert_no_error (error);
  g_assert_true (lm_verify (got, "simplify", &error));
  g_autofree char *a = body_of (got), *b = body_of (wanted);
  if (strcmp (a, b) != 0)
    g_error ("case %u: got %s, wanted %s", i, a, b);
}

void
lm_check_folds (const LmFoldCase *cases, guint n)
{
  for (guint i = 0; i < n; i++)
    check_fold (&cases[i], i);
}

/* --- gradients ------------------------------------------------------------------------------- */

/* One function at one point. */
typedef struct Point {
  const LmFunction *f;
  LmExecutable *exe, *vjp;
  GPtrArray *in, *ct; /* of LmArray; ct: each result */
  GRand *rand;
  double low, high;
} Point;

static LmArray *
new_array (const lam_type *type)
{
  g_autoptr (GError) error = NULL;
  LmArray *a = lm_array_new (type, &error);
  g_assert_no_error (error);
  return a;
}

/* All parameters together hold each point of an even grid once. */
static void
fill_inputs (Point *p)
{
  int64_t total = 0, at = 0;
  for (uint32_t i = 0; i < p->f->ir.n_params; i++) {
    g_assert_cmpint (lm_param_type (p->f, i)->dtype, ==, LAM_F64);
    total += lam_type_elements (lm_param_type (p->f, i));
  }
  g_autofree int64_t *order = g_new (int64_t, (gsize)total + 1);
  for (int64_t i = 0; i < total; i++)
    order[i] = i;
  for (int64_t i = total - 1; i > 0; i--) {
    int64_t j = g_rand_int_range (p->rand, 0, (gint32)i + 1), keep = order[i];
    order[i] = order[j];
    order[j] = keep;
  }
  for (uint32_t i = 0; i < p->f->ir.n_params; i++) {
    LmArray *a = new_array (lm_param_type (p->f, i));
    for (int64_t k = 0; k < lam_type_elements (&a->type); k++, at++)
      ((double *)a->data)[k] =
          p->low + (p->high - p->low) * ((double)order[at] + 0.57) / (double)total;
    g_ptr_array_add (p->in, a);
  }
}

static void
fill_cotangents (Point *p)
{
  for (uint32_t j = 0; j < p->f->ir.n_results; j++) {
    LmArray *a = new_array (lm_result_type (p->f, j));
    for (int64_t k = 0; k < lam_type_elements (&a->type); k++)
      ((double *)a->data)[k] = g_rand_double_range (p->rand, 0.5, 1.5) * (k % 2 ? 1 : -1);
    g_ptr_array_add (p->ct, a);
  }
}

static void
execute (LmExecutable *exe, GPtrArray *in, LmArray **out)
{
  g_autoptr (GError) error = NULL;
  lm_execute_arrays (exe, (LmArray *const *)in->pdata, out, &error);
  g_assert_no_error (error);
}

/* Sum of results times cotangents. */
static double
loss (const Point *p)
{
  g_autofree LmArray **out = g_new0 (LmArray *, p->f->ir.n_results);
  double sum = 0;
  execute (p->exe, p->in, out);
  for (uint32_t j = 0; j < p->f->ir.n_results; j++) {
    const double *ct = ((LmArray *)p->ct->pdata[j])->data;
    for (int64_t k = 0; k < lam_type_elements (&out[j]->type); k++)
      sum += ct[k] * ((double *)out[j]->data)[k];
    lm_array_unref (out[j]);
  }
  return sum;
}

/* Fourth-order central difference: its error is about h^4 |f^(5)| + 1e-16 |f| / h, near 1e-12 for
 * h = 1e-3 and moderate f; 1e-7 leaves room for steep ones. */
static double
difference (const Point *p, double *x)
{
  double at = *x, h = 1e-3 * (p->high - p->low) / 4, f[4];
  const double step[] = {-2, -1, 1, 2};
  for (int i = 0; i < 4; i++) {
    *x = at + step[i] * h;
    f[i] = loss (p);
  }
  *x = at;
  return (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h);
}

static void
compare (const Point *p, LmArray *const *d_in, const char *what)
{
  for (uint32_t i = 0; i < p->f->ir.n_params; i++) {
    LmArray *x = p->in->pdata[i];
    for (int64_t k = 0; k < lam_type_elements (&x->type); k++) {
      double got = ((double *)d_in[i]->data)[k];
      double want = difference (p, (double *)x->data + k);
      if (!(fabs (got - want) <= 1e-7 * (1 + fabs (want)))) {
        g_autofree char *text = lm_text_print (p->f);
        g_error ("%s: d parameter %u [%" G_GINT64_FORMAT "] is %.12g, finite difference %.12g\n%s",
                 what, i, k, got, want, text);
      }
    }
  }
}

static LmFunction *
vjp_of (const LmFunction *f)
{
  g_autoptr (GError) error = NULL;
  g_autofree bool *all = g_new (bool, f->ir.n_params + f->ir.n_results);
  memset (all, true, f->ir.n_params + f->ir.n_results);
  LmFunction *vjp = lm_vjp (f, all, all, &error);
  g_assert_no_error (error);
  lm_verify (vjp, "grad", &error);
  g_assert_no_error (error);
  return vjp;
}

static LmExecutable *
compile (LmBackend *backend, const LmFunction *f)
{
  g_autoptr (GError) error = NULL;
  LmExecutable *exe = lm_compile (backend, f, NULL, &error);
  g_assert_no_error (error);
  return exe;
}

/* Compares all of f's gradients; vjp is its vjp. */
static void
check_function (LmBackend *backend, const LmFunction *f, const LmFunction *vjp, const LmGradCase *c,
                const char *what)
{
  Point p = {.f = f, .low = c->low, .high = c->high, .rand = g_rand_new_with_seed (7)};
  uint32_t n = f->ir.n_params, m = f->ir.n_results;
  g_autofree LmArray **out = g_new0 (LmArray *, n + m);
  if (p.low == p.high) {
    p.low = -2;
    p.high = 2;
  }
  p.in = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  p.ct = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  p.exe = compile (backend, f);
  p.vjp = compile (backend, vjp);
  fill_inputs (&p);
  fill_cotangents (&p);
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_ptr_array_extend (all, p.in, NULL, NULL);
  g_ptr_array_extend (all, p.ct, NULL, NULL);
  execute (p.vjp, all, out);
  compare (&p, out + m, what);
  for (uint32_t i = 0; i < n + m; i++)
    lm_array_unref (out[i]);
  lm_executable_free (p.exe);
  lm_executable_free (p.vjp);
  g_ptr_array_unref (p.in);
  g_ptr_array_unref (p.ct);
  g_rand_free (p.rand);
}

LmBackend *
lm_check_backend (LmRegistry *registry)
{
  const char *name = g_getenv ("LAMINA_TEST_BACKEND");
  return lm_test_backend (registry, name != NULL ? name : "reference");
}

/* --- decompositions ---------------------------------------------------------------------------- */

static LmArray *
odd_array (const lam_type *type, GRand *rand)
{
  static const double odd[] = {NAN,  -NAN,   INFINITY, -INFINITY, 0,
                               -0.0, 1e-320, -1e-40,   6e-8,      65504};
  int64_t n = lam_type_elements (type);
  g_autofree double *values = g_new (double, (gsize)n + 1);
  for (int64_t i = 0; i < n; i++) {
    if (!lam_dtype_is_float (type->dtype))
      values[i] = g_rand_int_range (rand, lam_dtype_is_unsigned (type->dtype) ? 0 : -9, 10);
    else if (g_rand_int_range (rand, 0, 3) == 0)
      values[i] = odd[g_rand_int_range (rand, 0, G_N_ELEMENTS (odd))];
    else
      values[i] = g_rand_int_range (rand, -4, 5) * 0.375;
  }
  return lm_test_array (type, values);
}

static bool
same_bits (const LmArray *a, const LmArray *b)
{
  guint width = lam_dtype_bits (a->type.dtype) / 8;
  for (int64_t i = 0; i < lam_type_elements (&a->type); i++) {
    const char *p = (const char *)a->data + i * width, *q = (const char *)b->data + i * width;
    bool nan = lam_dtype_is_float (a->type.dtype) && isnan (lm_array_get_double (a, i))
               && isnan (lm_array_get_double (b, i));
    if (!nan && memcmp (p, q, width) != 0)
      return false;
  }
  return true;
}

static void
check_decomposition (LmBackend *backend, const char *text, GRand *rand)
{
  g_autoptr (GError) error = NULL;
  const LmClaims claims = {.ir_minor = LAM_IR_MINOR};
  g_autoptr (LmFunction) f = lm_test_parse (text);
  g_autoptr (LmFunction) plain = lm_legalize (f, &claims, NULL, &error);
  g_assert_no_error (error);
  for (uint32_t i = 0; i < plain->ir.n_equations; i++) {
    const LmOpInfo *info = lm_op_info (lam_equation_at (&plain->ir, i)->op);
    g_assert_true (lm_op_has_flag (info, 'M'));
  }
  LmArray *in[8], *want[4], *got[4];
  for (uint32_t i = 0; i < f->ir.n_params; i++)
    in[i] = odd_array (lm_param_type (f, i), rand);
  lm_test_run (backend, f, in, want);
  lm_test_run (backend, plain, in, got);
  for (uint32_t j = 0; j < f->ir.n_results; j++) {
    if (!same_bits (want[j], got[j]))
      g_error ("result %u differs from that of the decomposition:\n%s", j, text);
    lm_array_unref (want[j]);
    lm_array_unref (got[j]);
  }
  for (uint32_t i = 0; i < f->ir.n_params; i++)
    lm_array_unref (in[i]);
}

void
lm_check_decompositions (const char *const *texts, guint n)
{
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  GRand *rand = g_rand_new_with_seed (11);
  for (guint i = 0; i < 20 * n; i++) /* twenty draws each */
    check_decomposition (backend, texts[i % n], rand);
  g_rand_free (rand);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

/* --- gradients, all -------------------------------------------------------------------------- */

/* Over rows too: 1e-9 leaves room for other orders of the sums of two gradients. */
static void
check_batch (LmBackend *backend, const LmFunction *f, const LmGradCase *c)
{
  Point p = {.f = f, .low = c->low, .high = c->high, .rand = g_rand_new_with_seed (11)};
  if (p.low == p.high) {
    p.low = -2;
    p.high = 2;
  }
  p.in = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  fill_inputs (&p);
  LmBatchCheck check = {c->text, backend, f, (LmArray *const *)p.in->pdata, 1e-9};
  lm_check_batch (&check);
  lm_check_batch_grad (&check);
  g_ptr_array_unref (p.in);
  g_rand_free (p.rand);
}

void
lm_check_grads (const LmGradCase *cases, guint n)
{
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_check_backend (registry);
  for (guint i = 0; i < n; i++) {
    g_autoptr (LmFunction) f = lm_test_parse (cases[i].text);
    g_autoptr (LmFunction) vjp = vjp_of (f);
    check_function (backend, f, vjp, &cases[i], "gradient");
    check_batch (backend, f, &cases[i]);
    if (!cases[i].second)
      continue;
    g_autoptr (LmFunction) second = vjp_of (vjp);
    check_function (backend, vjp, second, &cases[i], "gradient of the gradient");
  }
  lm_backend_unref (backend);
  lm_registry_free (registry);
}
