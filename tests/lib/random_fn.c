/* SPDX-License-Identifier: Apache-2.0 */
/* Grows random functions: the pool of values, equations tried and taken, results chosen. */
#include "tests/lib/random_gen.h"

#include "core/conformance/cases.h"
#include "core/ir/text.h"
#include <math.h>
#include <string.h>

/* Elements of one value; more would make 300 functions slow. */
#define MAX_ELEMENTS 5000

/* --- choices ------------------------------------------------------------------------------------- */

guint
lm_gen_below (LmGen *g, guint n)
{
  return n > 1 ? (guint)g_rand_int_range (g->rand, 0, (gint32)n) : 0;
}

bool
lm_gen_chance (LmGen *g, guint percent)
{
  return lm_gen_below (g, 100) < percent;
}

const char *
lm_gen_word (LmGen *g, const char *const *words)
{
  return words[lm_gen_below (g, g_strv_length ((char **)(uintptr_t)words))];
}

const LmArray *
lm_gen_array (const LmGen *g, guint k)
{
  return ((const LmGenValue *)g->pool->pdata[k])->a;
}

const lam_type *
lm_gen_type (const LmGen *g, guint k)
{
  return &lm_gen_array (g, k)->type;
}

lam_dtype
lm_gen_dtype (LmGen *g, guint set)
{
  if (g->o->smooth && (set & LM_GEN_OF (LAM_F64)) != 0)
    return LAM_F64;
  if ((set & LM_GEN_FLOATS) != 0 && lm_gen_chance (g, 35))
    set &= LM_GEN_FLOATS;
  for (;;) {
    lam_dtype dtype = LAM_F64 + (lam_dtype)lm_gen_below (g, 13);
    if (set & LM_GEN_OF (dtype))
      return dtype;
  }
}

int64_t
lm_gen_dim (LmGen *g)
{
  static const int64_t dims[] = {2, 3, 4, 5, 7, 2, 3, 4, 1, 1, 1};
  if (lm_gen_chance (g, 3))
    return 0;
  if (lm_gen_chance (g, 8) && !g->o->smooth)
    return lm_gen_chance (g, 80) ? 67 : 131;
  return dims[lm_gen_below (g, G_N_ELEMENTS (dims))];
}

char *
lm_gen_list (const int64_t *values, guint n)
{
  GString *out = g_string_new ("[");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", values[i]);
  g_string_append_c (out, ']');
  return g_string_free (out, FALSE);
}

/* --- the pool -------------------------------------------------------------------------------------- */

static void
free_value (gpointer p)
{
  LmGenValue *value = p;
  lm_array_unref (value->a);
  g_free (value);
}

static guint
add_value (LmGen *g, LmValue v, LmArray *a)
{
  LmGenValue *value = g_new0 (LmGenValue, 1);
  value->v = v;
  value->a = a;
  g_ptr_array_add (g->pool, value);
  return g->pool->len - 1;
}

static void
spread (LmGen *g, LmArray *a)
{
  for (int64_t i = 0; i < lam_type_elements (&a->type); i++)
    ((double *)a->data)[i] = g_rand_double_range (g->rand, -2, 2);
}

guint
lm_gen_param (LmGen *g, const lam_type *type, int64_t bound)
{
  static const LmDraw draws[] = {LM_DRAW_PLAIN, LM_DRAW_SPECIAL, LM_DRAW_SPECIAL, LM_DRAW_TIES,
                                 LM_DRAW_TIES,  LM_DRAW_FACTORS, LM_DRAW_POSITIVE};
  g_autoptr (GError) error = NULL;
  if (lam_type_elements (type) > MAX_ELEMENTS)
    return LM_GEN_NONE;
  const LmDrawing d = {g->rand, draws[lm_gen_below (g, G_N_ELEMENTS (draws))], bound, g->in->len};
  LmArray *a = lm_case_draw (&d, type, &error);
  g_assert_no_error (error);
  if (g->o->smooth && type->dtype == LAM_F64)
    spread (g, a);
  g_ptr_array_add (g->in, lm_array_ref (a));
  return add_value (g, lm_builder_param (g->b, type), a);
}

static bool
fits (const LmGen *g, guint k, guint set, int32_t least, int32_t most)
{
  const lam_type *t = lm_gen_type (g, k);
  return (set & LM_GEN_OF (t->dtype)) != 0 && t->rank >= least && t->rank <= most;
}

guint
lm_gen_any (LmGen *g, guint set, int32_t least, int32_t most)
{
  guint n = g->pool->len;
  for (guint tries = 0; tries < 12 && n > 0 && !lm_gen_chance (g, 4); tries++) {
    guint k = lm_gen_chance (g, 50) ? n - 1 - lm_gen_below (g, MIN (n, 6)) : lm_gen_below (g, n);
    if (fits (g, k, set, least, most))
      return k;
  }
  lam_type type = {.dtype = lm_gen_dtype (g, set)};
  type.rank = least + (int32_t)lm_gen_below (g, (guint)(MIN (most, MAX (least, 3)) - least + 1));
  for (int32_t i = 0, n_before = 1; i < type.rank; n_before *= (int32_t)type.dims[i++])
    type.dims[i] = n_before < MAX_ELEMENTS / 131 ? lm_gen_dim (g) : 1;
  return lm_gen_param (g, &type, 0);
}

guint
lm_gen_same (LmGen *g, const lam_type *type, guint other)
{
  lam_type wanted = *type; /* the pool moves */
  guint n = g->pool->len, start = lm_gen_below (g, n);
  if (lm_gen_chance (g, 5) && other != LM_GEN_NONE)
    return lm_type_equal (lm_gen_type (g, other), &wanted) ? other : lm_gen_param (g, &wanted, 0);
  for (guint i = 0; i < n; i++) {
    guint k = (start + i) % n;
    if (k != other && lm_type_equal (lm_gen_type (g, k), &wanted))
      return k;
  }
  return lm_gen_param (g, &wanted, 0);
}

guint
lm_gen_scalar (LmGen *g, lam_dtype dtype)
{
  const lam_type type = {.dtype = dtype};
  return lm_gen_same (g, &type, LM_GEN_NONE);
}

/* --- one equation ------------------------------------------------------------------------------------ */

static LmFunction *
parse (const LmGen *g, const LmGenOp *op)
{
  g_autoptr (GString) text = g_string_new ("func @one(");
  const LmOpInfo *info = lm_op_info_by_name (op->op);
  guint results = info->n_results < 0 ? op->n : (guint)info->n_results;
  if (strcmp (op->op, "composite") == 0)
    results = 1;
  for (guint i = 0; i < op->n; i++) {
    g_autofree char *type = lm_type_to_string (lm_gen_type (g, op->operands[i]));
    g_string_append_printf (text, "%s%%%u: %s", i > 0 ? ", " : "", i, type);
  }
  g_string_append (text, ") -> () {\n");
  for (guint i = 0; i < results; i++)
    g_string_append_printf (text, "%s%%r%u", i > 0 ? ", " : "", i);
  g_string_append_printf (text, " = %s(", op->op);
  for (guint i = 0; i < op->n; i++)
    g_string_append_printf (text, "%s%%%u", i > 0 ? ", " : "", i);
  g_string_append_printf (text, ") {%s} %s %s%s\nreturn\n}\n", op->attrs != NULL ? op->attrs : "",
                          op->region != NULL ? op->region : "", op->wanted != NULL ? ": " : "",
                          op->wanted != NULL ? op->wanted : "");
  return lm_text_parse (text->str, text->len, "random", NULL);
}

/* f with the results of its one equation as its results. */
static LmFunction *
with_results (const LmFunction *f)
{
  LmBuilder *b = lm_builder_new ("one");
  LmValue operands[8], results[8];
  const lam_equation *e = lam_equation_at (&f->ir, 0);
  for (uint32_t i = 0; i < f->ir.n_params; i++)
    operands[i] = lm_builder_param (b, lm_param_type (f, i));
  LmValue first = lm_builder_copy (b, f, e, operands);
  for (uint32_t i = 0; i < e->n_results; i++)
    results[i] = first + i;
  return lm_builder_finish (b, results, e->n_results, NULL);
}

static bool
has_nan (const LmArray *a)
{
  for (int64_t i = 0; lam_dtype_is_float (a->type.dtype) && i < lam_type_elements (&a->type); i++)
    if (isnan (lm_array_get_double (a, i)))
      return true;
  return false;
}

/* A NaN may be any NaN: its bits are nothing to build on. */
static bool
hides_nan (const LmGen *g, const LmGenOp *op, const LmArray *result)
{
  bool shows = strcmp (op->op, "bitcast_convert") == 0 || strcmp (op->op, "top_k") == 0;
  return shows && (has_nan (lm_gen_array (g, op->operands[0])) || has_nan (result));
}

/* Few functions should end in NaN all over, and a smooth one must stay where differences are exact. */
static bool
is_useful (LmGen *g, const LmArray *a)
{
  int64_t n = lam_type_elements (&a->type), odd = 0;
  if (!lam_dtype_is_float (a->type.dtype))
    return true;
  for (int64_t i = 0; i < n; i++) {
    double x = lm_array_get_double (a, i);
    odd += !isfinite (x) || (g->o->smooth && fabs (x) > 10);
  }
  return g->o->smooth ? odd == 0 : 3 * odd <= n || lm_gen_chance (g, 10);
}

static bool
run (LmGen *g, const LmFunction *one, const LmGenOp *op, LmArray **out)
{
  g_autoptr (GError) error = NULL;
  LmArray *in[8];
  bool ok = true;
  for (uint32_t i = 0; i < one->ir.n_results; i++)
    if (lam_type_elements (lm_result_type (one, i)) > MAX_ELEMENTS)
      return false;
  for (guint i = 0; i < op->n; i++)
    in[i] = (LmArray *)(uintptr_t)lm_gen_array (g, op->operands[i]);
  if (!lm_run_function (g->o->reference, one, in, out, &error)) {
    g_autofree char *text = lm_text_print (one);
    g_error ("reference: %s\n%s", error->message, text);
  }
  for (uint32_t i = 0; i < one->ir.n_results; i++)
    ok = ok && !hides_nan (g, op, out[i]) && is_useful (g, out[i]);
  for (uint32_t i = 0; i < one->ir.n_results && !ok; i++)
    g_clear_pointer (&out[i], lm_array_unref);
  return ok;
}

static LmGenOp *
copy_op (const LmGenOp *op)
{
  LmGenOp *copy = g_memdup2 (op, sizeof *op);
  copy->attrs = g_strdup (op->attrs);
  copy->region = g_strdup (op->region);
  copy->wanted = g_strdup (op->wanted);
  copy->op = lm_op_info_by_name (op->op)->name;
  return copy;
}

static void
free_op (gpointer p)
{
  LmGenOp *op = p;
  g_free ((char *)(uintptr_t)op->attrs);
  g_free ((char *)(uintptr_t)op->region);
  g_free ((char *)(uintptr_t)op->wanted);
  g_free (op);
}

bool
lm_gen_try (LmGen *g, const LmGenOp *op)
{
  LmArray *out[8] = {NULL};
  LmValue operands[8];
  for (guint i = 0; i < op->n; i++)
    if (op->operands[i] == LM_GEN_NONE)
      return false;
  if (g->o->smooth && !lm_gen_is_smooth (g, op))
    return false;
  g_autoptr (LmFunction) bare = parse (g, op);
  if (bare == NULL)
    return false;
  g_autoptr (LmFunction) one = with_results (bare);
  if (!run (g, one, op, out))
    return false;
  for (guint i = 0; i < op->n; i++)
    operands[i] = ((LmGenValue *)g->pool->pdata[op->operands[i]])->v;
  const lam_equation *e = lam_equation_at (&one->ir, 0);
  LmValue first = lm_builder_copy (g->b, one, e, operands);
  for (uint32_t i = 0; i < one->ir.n_results; i++)
    add_value (g, first + i, out[i]);
  g->equations++;
  g_ptr_array_add (g->taken, copy_op (op));
  if (g->o->counts != NULL)
    g->o->counts[e->op]++;
  return true;
}

bool
lm_gen_simple (LmGen *g, const char *op, const guint *operands, guint n)
{
  LmGenOp one = {.op = op, .n = n};
  memcpy (one.operands, operands, n * sizeof *operands);
  return lm_gen_try (g, &one);
}

/* --- whole functions ----------------------------------------------------------------------------------- */

static bool
carries_gradient (const LmGen *g, guint k)
{
  return !g->o->smooth || lm_gen_type (g, k)->dtype == LAM_F64;
}

static LmFunction *
finish (LmGen *g)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) results = g_array_new (FALSE, FALSE, sizeof (LmValue));
  guint n = g->pool->len;
  for (guint k = n; k > 0 && g->in->len > 0 && results->len == 0; k--)
    if (lm_type_equal (&((LmArray *)g->in->pdata[0])->type, lm_gen_type (g, k - 1))
        && carries_gradient (g, k - 1))
      g_array_append_val (results, ((LmGenValue *)g->pool->pdata[k - 1])->v);
  for (guint k = 0; k < n; k++)
    if (carries_gradient (g, k) && (k + 1 == n || lm_gen_chance (g, 12)))
      g_array_append_val (results, ((LmGenValue *)g->pool->pdata[k])->v);
  LmFunction *f =
      lm_builder_finish (g->b, (const LmValue *)(const void *)results->data, results->len, &error);
  g_assert_no_error (error);
  return f;
}

LmFunction *
lm_random_function (const LmRandomOptions *options, GPtrArray *in)
{
  static bool (*const families[]) (LmGen * g) = {
      lm_gen_elementwise, lm_gen_elementwise, lm_gen_elementwise, lm_gen_shape,    lm_gen_shape,
      lm_gen_index,       lm_gen_reduce,      lm_gen_reduce,      lm_gen_contract, lm_gen_pass};
  LmGen g = {.o = options, .in = in};
  g.rand = g_rand_new_with_seed (options->seed);
  g.b = lm_builder_new ("random");
  g.pool = g_ptr_array_new_with_free_func (free_value);
  g.taken = g_ptr_array_new_with_free_func (free_op);
  guint wanted = 1 + lm_gen_below (&g, options->equations);
  for (guint tries = 0; g.equations < wanted && tries < 20 * wanted; tries++)
    families[lm_gen_below (&g, G_N_ELEMENTS (families))](&g);
  LmFunction *f = finish (&g);
  g_ptr_array_unref (g.pool);
  g_ptr_array_unref (g.taken);
  g_rand_free (g.rand);
  return f;
}
