/* SPDX-License-Identifier: Apache-2.0 */
/* Equations one by one, and the shrinking of functions that fail. */
#include "tests/lib/equations.h"

#include "core/ir/text.h"
#include <math.h>
#include <string.h>

/* --- taking apart ---------------------------------------------------------------------------------- */

LmFunction *
lm_equation_alone (const LmFunction *f, uint32_t i)
{
  g_autoptr (GError) error = NULL;
  const lam_equation *e = lam_equation_at (&f->ir, i);
  LmBuilder *b = lm_builder_new ("alone");
  g_autofree LmValue *values = g_new (LmValue, e->n_operands + e->n_results + 1);
  for (uint32_t k = 0; k < e->n_operands; k++)
    values[k] = lm_builder_param (b, lam_value_type (&f->ir, lam_operand (&f->ir, e, k)));
  LmValue first = lm_builder_copy (b, f, e, values);
  for (uint32_t k = 0; k < e->n_results; k++)
    values[k] = first + k;
  LmFunction *one = lm_builder_finish (b, values, e->n_results, &error);
  g_assert_no_error (error);
  return one;
}

LmFunction *
lm_equations_shown (const LmFunction *f)
{
  g_autoptr (GError) error = NULL;
  LmBuilder *b = lm_builder_new (f->ir.name);
  g_autofree LmValue *map = g_new (LmValue, f->ir.n_values + 1);
  g_autofree LmValue *operands = g_new (LmValue, f->ir.n_operands + 1);
  for (uint32_t i = 0; i < f->ir.n_params; i++)
    map[i] = lm_builder_param (b, lm_param_type (f, i));
  for (uint32_t i = 0; i < f->ir.n_equations; i++) {
    const lam_equation *e = lam_equation_at (&f->ir, i);
    for (uint32_t k = 0; k < e->n_operands; k++)
      operands[k] = map[lam_operand (&f->ir, e, k)];
    LmValue first = lm_builder_copy (b, f, e, operands);
    for (uint32_t k = 0; k < e->n_results; k++)
      map[e->first_result + k] = first + k;
  }
  LmFunction *all = lm_builder_finish (b, map, f->ir.n_values, &error);
  g_assert_no_error (error);
  return all;
}

static void
run_one (LmBackend *backend, const LmFunction *f, uint32_t i, LmArray **values)
{
  g_autoptr (GError) error = NULL;
  const lam_equation *e = lam_equation_at (&f->ir, i);
  g_autoptr (LmFunction) one = lm_equation_alone (f, i);
  g_autofree LmArray **in = g_new (LmArray *, e->n_operands + 1);
  for (uint32_t k = 0; k < e->n_operands; k++)
    in[k] = values[lam_operand (&f->ir, e, k)];
  if (!lm_run_function (backend, one, in, values + e->first_result, &error)) {
    g_autofree char *text = lm_text_print (one);
    g_error ("%s\n%s", error->message, text);
  }
}

LmArray **
lm_equations_run (LmBackend *backend, const LmFunction *f, LmArray *const *in)
{
  LmArray **values = g_new0 (LmArray *, f->ir.n_values + 1);
  for (uint32_t i = 0; i < f->ir.n_params; i++)
    values[i] = lm_array_ref (in[i]);
  for (uint32_t i = 0; i < f->ir.n_equations; i++)
    run_one (backend, f, i, values);
  return values;
}

void
lm_equations_free (LmArray **arrays, guint n)
{
  for (guint i = 0; i < n; i++)
    lm_array_unref (arrays[i]);
  g_free (arrays);
}

int64_t
lm_first_difference (const LmArray *a, const LmArray *b)
{
  guint width = lam_dtype_bits (a->type.dtype) / 8;
  for (int64_t i = 0; i < lam_type_elements (&a->type); i++) {
    const char *p = (const char *)a->data + i * width, *q = (const char *)b->data + i * width;
    bool nan = lam_dtype_is_float (a->type.dtype) && isnan (lm_array_get_double (a, i))
               && isnan (lm_array_get_double (b, i));
    if (!nan && memcmp (p, q, width) != 0)
      return i;
  }
  return -1;
}

/* --- shrinking --------------------------------------------------------------------------------------- */

typedef struct Shrink {
  const LmFunction *f;
  LmArray *const *values; /* of all of f */
  bool *cut;              /* of each equation: its results are parameters */
  bool *keep;             /* of each result */
} Shrink;

/* Which values the kept results need. */
static bool *
needed (const Shrink *s)
{
  const lam_function *ir = &s->f->ir;
  bool *need = g_new0 (bool, ir->n_values + 1);
  for (uint32_t j = 0; j < ir->n_results; j++)
    need[ir->results[j]] = need[ir->results[j]] || s->keep[j];
  for (uint32_t i = ir->n_equations; i > 0; i--) {
    const lam_equation *e = lam_equation_at (ir, i - 1);
    bool used = false;
    for (uint32_t k = 0; k < e->n_results; k++)
      used = used || need[e->first_result + k];
    for (uint32_t k = 0; used && !s->cut[i - 1] && k < e->n_operands; k++)
      need[lam_operand (ir, e, k)] = true;
  }
  return need;
}

static void
add_param (const Shrink *s, LmBuilder *b, uint32_t v, LmValue *map, GPtrArray *in)
{
  map[v] = lm_builder_param (b, lam_value_type (&s->f->ir, v));
  g_ptr_array_add (in, lm_array_ref (s->values[v]));
}

static LmFunction *
piece (const Shrink *s, GPtrArray *in)
{
  g_autoptr (GError) error = NULL;
  const lam_function *ir = &s->f->ir;
  LmBuilder *b = lm_builder_new (ir->name);
  g_autofree bool *need = needed (s);
  g_autofree LmValue *map = g_new (LmValue, ir->n_values + 1);
  g_autofree LmValue *list = g_new (LmValue, ir->n_operands + ir->n_results + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < ir->n_params; i++)
    if (need[i])
      add_param (s, b, i, map, in);
  for (uint32_t i = 0; i < ir->n_equations; i++) {
    const lam_equation *e = lam_equation_at (ir, i);
    bool used = false;
    for (uint32_t k = 0; k < e->n_results; k++)
      used = used || need[e->first_result + k];
    for (uint32_t k = 0; s->cut[i] && k < e->n_results; k++)
      if (need[e->first_result + k])
        add_param (s, b, e->first_result + k, map, in);
    if (!used || s->cut[i])
      continue;
    for (uint32_t k = 0; k < e->n_operands; k++)
      list[k] = map[lam_operand (ir, e, k)];
    LmValue first = lm_builder_copy (b, s->f, e, list);
    for (uint32_t k = 0; k < e->n_results; k++)
      map[e->first_result + k] = first + k;
  }
  for (uint32_t j = 0; j < ir->n_results; j++)
    if (s->keep[j])
      list[n++] = map[ir->results[j]];
  LmFunction *f = lm_builder_finish (b, list, n, &error);
  g_assert_no_error (error);
  return f;
}

static char *
still_fails (const Shrink *s, LmProperty property, gpointer user)
{
  g_autoptr (GPtrArray) in = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  g_autoptr (LmFunction) f = piece (s, in);
  return property (f, (LmArray *const *)in->pdata, user);
}

static void
append_array (GString *out, uint32_t i, const LmArray *a)
{
  int64_t n = lam_type_elements (&a->type);
  guint width = lam_dtype_bits (a->type.dtype) / 8;
  g_string_append_printf (out, "# %%%u = [", i);
  for (int64_t k = 0; k < n && k < 40; k++) {
    uint64_t bits = 0;
    memcpy (&bits, (const char *)a->data + k * width, width);
    if (lam_dtype_is_float (a->type.dtype))
      g_string_append_printf (out, "%s%.17g", k > 0 ? ", " : "", lm_array_get_double (a, k));
    else
      g_string_append_printf (out, "%s%" G_GINT64_FORMAT, k > 0 ? ", " : "",
                              lm_array_get_int (a, k));
    if (lam_dtype_is_float (a->type.dtype) && isnan (lm_array_get_double (a, k)))
      g_string_append_printf (out, " (0x%" G_GINT64_MODIFIER "x)", bits);
  }
  g_string_append (out, n > 40 ? ", ...]\n" : "]\n");
}

static char *
report (const Shrink *s, LmProperty property, gpointer user)
{
  g_autoptr (GPtrArray) in = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  g_autoptr (LmFunction) f = piece (s, in);
  g_autofree char *text = lm_text_print (f);
  g_autofree char *message = property (f, (LmArray *const *)in->pdata, user);
  GString *out = g_string_new (message != NULL ? message : "the whole function alone fails");
  g_string_append_printf (out, "\n%s", text);
  for (uint32_t i = 0; i < in->len; i++)
    append_array (out, i, in->pdata[i]);
  return g_string_free (out, FALSE);
}

static void
drop_results (Shrink *s, LmProperty property, gpointer user)
{
  guint left = s->f->ir.n_results;
  for (guint j = 0; j < s->f->ir.n_results && left > 1; j++) {
    s->keep[j] = false;
    g_autofree char *message = still_fails (s, property, user);
    s->keep[j] = message == NULL;
    left -= message != NULL;
  }
}

static void
cut_equations (Shrink *s, LmProperty property, gpointer user)
{
  for (guint i = 0; i < s->f->ir.n_equations; i++) {
    s->cut[i] = true;
    g_autofree char *message = still_fails (s, property, user);
    s->cut[i] = message != NULL;
  }
}

char *
lm_shrink (const LmFunction *f, LmArray *const *in, LmBackend *reference, LmProperty property,
           gpointer user)
{
  LmArray **values = lm_equations_run (reference, f, in);
  g_autoptr (LmFunction) shown = lm_equations_shown (f);
  Shrink s = {.f = f, .values = values};
  s.cut = g_new0 (bool, f->ir.n_equations + 1);
  guint n = MAX (f->ir.n_results, shown->ir.n_results);
  s.keep = g_new (bool, n + 1);
  memset (s.keep, true, n);
  g_autofree char *message = still_fails (&s, property, user);
  if (message == NULL) /* it is about equations that no result needs */
    s.f = shown;
  drop_results (&s, property, user);
  cut_equations (&s, property, user);
  char *out = report (&s, property, user);
  lm_equations_free (values, f->ir.n_values);
  g_free (s.cut);
  g_free (s.keep);
  return out;
}
