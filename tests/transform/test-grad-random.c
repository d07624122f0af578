/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of random functions, and the gradients of those, against finite differences along a random
 * direction. LAMINA_PROPERTY_SEED and LAMINA_PROPERTY_COUNT make other and longer runs. */
#include "core/ir/rules.h"
#include "tests/lib/equations.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_fn.h"

#include <math.h>
#include <string.h>

/* Functions of a usual run. */
#define FUNCTIONS 1500

typedef struct Test {
  LmRegistry *registry;
  LmBackend *reference;
  bool second;         /* the gradient of the gradient */
  guint decided, open; /* functions compared; where differences say nothing */
  guint32 seed;
} Test;

static bool
is_real (const lam_type *type)
{
  return type->dtype == LAM_F64;
}

/* --- a function at a point, and a way to go ------------------------------------------------------------ */

typedef struct Point {
  LmExecutable *exe;
  const LmFunction *f;
  LmArray *const *in;
  LmArray **way, **ct; /* of each parameter, of each result; NULL where it is not f64 */
} Point;

static LmArray *
draw (GRand *rand, const lam_type *type)
{
  g_autoptr (GError) error = NULL;
  LmArray *a = lm_array_new (type, &error);
  g_assert_no_error (error);
  for (int64_t i = 0; i < lam_type_elements (type); i++)
    ((double *)a->data)[i] = g_rand_double_range (rand, -1, 1);
  return a;
}

static double
dot (const LmArray *a, const LmArray *b, bool magnitudes)
{
  double sum = 0;
  for (int64_t i = 0; i < lam_type_elements (&a->type); i++) {
    double term = ((double *)a->data)[i] * ((double *)b->data)[i];
    sum += magnitudes ? fabs (term) : term;
  }
  return sum;
}

/* Results times cotangents at in + step * way. */
static double
loss_at (const Point *p, double step)
{
  g_autoptr (GError) error = NULL;
  uint32_t n = p->f->ir.n_params, m = p->f->ir.n_results;
  LmArray **in = g_new0 (LmArray *, n + 1), **out = g_new0 (LmArray *, m + 1);
  double sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    in[i] = lm_array_new_copy (&p->in[i]->type, p->in[i]->data, &error);
    g_assert_no_error (error);
    for (int64_t k = 0; p->way[i] != NULL && k < lam_type_elements (&in[i]->type); k++)
      ((double *)in[i]->data)[k] += step * ((double *)p->way[i]->data)[k];
  }
  lm_execute_arrays (p->exe, in, out, &error);
  g_assert_no_error (error);
  for (uint32_t j = 0; j < m; j++)
    if (p->ct[j] != NULL)
      sum += dot (out[j], p->ct[j], false);
  lm_equations_free (in, n);
  lm_equations_free (out, m);
  return sum;
}

/* Central difference of fourth order. */
static double
slope (const Point *p, double h)
{
  return (loss_at (p, -2 * h) - 8 * loss_at (p, -h) + 8 * loss_at (p, h) - loss_at (p, 2 * h))
         / (12 * h);
}

static void
point_clear (Point *p)
{
  lm_executable_free (p->exe);
  lm_equations_free (p->way, p->f->ir.n_params);
  lm_equations_free (p->ct, p->f->ir.n_results);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Point, point_clear)

static void
point_init (Point *p, const Test *t, const LmFunction *f, LmArray *const *in)
{
  g_autoptr (GError) error = NULL;
  GRand *rand = g_rand_new_with_seed (t->seed);
  *p = (Point) {.f = f, .in = in, .exe = lm_compile (t->reference, f, NULL, &error)};
  g_assert_no_error (error);
  p->way = g_new0 (LmArray *, f->ir.n_params + 1);
  p->ct = g_new0 (LmArray *, f->ir.n_results + 1);
  for (uint32_t i = 0; i < f->ir.n_params; i++)
    if (is_real (lm_param_type (f, i)))
      p->way[i] = draw (rand, lm_param_type (f, i));
  for (uint32_t j = 0; j < f->ir.n_results; j++)
    if (is_real (lm_result_type (f, j)))
      p->ct[j] = draw (rand, lm_result_type (f, j));
  g_rand_free (rand);
}

/* --- the gradient --------------------------------------------------------------------------------------- */

/* (p..., ct of each f64 result) -> (r..., d of each f64 parameter) */
static LmFunction *
vjp_of (const LmFunction *f, GError **error)
{
  g_autofree bool *wanted = g_new0 (bool, f->ir.n_params + 1);
  g_autofree bool *given = g_new0 (bool, f->ir.n_results + 1);
  for (uint32_t i = 0; i < f->ir.n_params; i++)
    wanted[i] = is_real (lm_param_type (f, i));
  for (uint32_t j = 0; j < f->ir.n_results; j++)
    given[j] = is_real (lm_result_type (f, j));
  return lm_vjp (f, wanted, given, error);
}

/* The slope along the way by the gradient; *size is the sum of its terms' magnitudes. */
static char *
slope_of (const Point *p, const Test *t, const LmFunction *vjp, double *slope, double *size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) in = g_ptr_array_new ();
  LmArray **out = g_new0 (LmArray *, vjp->ir.n_results + 1);
  for (uint32_t i = 0; i < p->f->ir.n_params; i++)
    g_ptr_array_add (in, p->in[i]);
  for (uint32_t j = 0; j < p->f->ir.n_results; j++)
    if (p->ct[j] != NULL)
      g_ptr_array_add (in, p->ct[j]);
  bool ok = lm_run_function (t->reference, vjp, (LmArray *const *)in->pdata, out, &error);
  uint32_t at = p->f->ir.n_results;
  *slope = *size = 0;
  for (uint32_t i = 0; ok && i < p->f->ir.n_params; i++)
    if (p->way[i] != NULL) {
      *slope += dot (out[at], p->way[i], false);
      *size += dot (out[at++], p->way[i], true);
    }
  lm_equations_free (out, vjp->ir.n_results);
  return ok ? NULL : g_strdup (error->message);
}

/* Differences over h and h / 2 agree where the function is smooth on the way; their own error is about
 * h^4 |f^(5)| + 1e-16 |f| / h. */
static char *
compare (Test *t, const Point *p, double got, double size)
{
  double h = 2e-4, want = slope (p, h / 2), other = slope (p, h);
  double room = 1e-6 * (1 + size);
  if (!(fabs (want - other) <= room / 4)) {
    t->open++;
    return NULL;
  }
  t->decided++;
  if (fabs (got - want) <= room)
    return NULL;
  return g_strdup_printf ("%s: slope %.12g, finite difference %.12g",
                          t->second ? "gradient of the gradient" : "gradient", got, want);
}

static char *
agrees_at (Test *t, const LmFunction *f, LmArray *const *in)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) vjp = vjp_of (f, &error);
  double got, size;
  if (vjp == NULL)
    return g_strdup_printf ("vjp: %s", error->message);
  g_auto (Point) p = {0};
  point_init (&p, t, f, in);
  char *message = slope_of (&p, t, vjp, &got, &size);
  return message != NULL ? message : compare (t, &p, got, size);
}

/* The property: of f, or of its gradient as a function of parameters and cotangents. */
static char *
agrees (const LmFunction *f, LmArray *const *in, gpointer user)
{
  Test *t = user;
  if (!t->second)
    return agrees_at (t, f, in);
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) vjp = vjp_of (f, &error);
  if (vjp == NULL)
    return g_strdup_printf ("vjp: %s", error->message);
  g_auto (Point) p = {0};
  point_init (&p, t, f, in);
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  for (uint32_t i = 0; i < f->ir.n_params; i++)
    g_ptr_array_add (all, in[i]);
  for (uint32_t j = 0; j < f->ir.n_results; j++)
    if (p.ct[j] != NULL)
      g_ptr_array_add (all, p.ct[j]);
  return agrees_at (t, vjp, (LmArray *const *)all->pdata);
}

/* --- running ---------------------------------------------------------------------------------------------- */

static guint64
setting (const char *name, guint64 fallback)
{
  const char *text = g_getenv (name);
  return text != NULL ? g_ascii_strtoull (text, NULL, 0) : fallback;
}

static void
check_seed (Test *t, guint equations, guint *counts)
{
  g_autoptr (GPtrArray) in = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  const LmRandomOptions o = {.seed = t->seed,
                             .equations = equations,
                             .smooth = true,
                             .reference = t->reference,
                             .counts = counts};
  g_autoptr (LmFunction) f = lm_random_function (&o, in);
  LmArray *const *arrays = (LmArray *const *)in->pdata;
  g_autofree char *message = agrees (f, arrays, t);
  if (message == NULL)
    return;
  g_autofree char *report = lm_shrink (f, arrays, t->reference, agrees, t);
  g_autofree char *text = lm_text_print (f);
  g_test_message ("the whole function:\n%s", text);
  g_test_fail_printf ("LAMINA_PROPERTY_SEED=%u LAMINA_PROPERTY_COUNT=1: %s", t->seed, report);
}

/* Ops with a vjp rule that functions over f64 cannot have here: rounding shows no slope, and the gradient
 * of stop_gradient is not the slope. */
static bool
is_left_out (const char *op)
{
  static const char *const names[] = {"convert", "reduce_precision", "stop_gradient", NULL};
  return g_strv_contains (names, op);
}

static void
run (bool second, guint equations)
{
  Test t = {.registry = lm_test_registry (), .second = second};
  guint counts[LM_RANDOM_OPS] = {0}, n;
  guint count = (guint)setting ("LAMINA_PROPERTY_COUNT", FUNCTIONS);
  guint32 seed = (guint32)setting ("LAMINA_PROPERTY_SEED", 1);
  const LmOpInfo *table = lm_op_table (&n);
  t.reference = lm_test_backend (t.registry, "reference");
  for (t.seed = seed; t.seed < seed + count; t.seed++)
    check_seed (&t, equations, counts);
  g_test_message ("%u functions compared, %u left open", t.decided, t.open);
  if (10 * t.open > t.decided)
    g_test_fail_printf ("%u of %u functions are not smooth enough", t.open, count);
  for (guint i = 0; i < n && count >= FUNCTIONS; i++)
    if (counts[table[i].number] == 0 && !is_left_out (table[i].name)
        && lm_rules (table[i].number)->vjp != NULL)
      g_test_fail_printf ("no function had the op %s", table[i].name);
  lm_backend_unref (t.reference);
  lm_registry_free (t.registry);
}

static void
test_first (void)
{
  run (false, 40);
}

static void
test_second (void)
{
  run (true, 12);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transform/grad-random/first", test_first);
  g_test_add_func ("/transform/grad-random/second", test_second);
  return g_test_run ();
}
