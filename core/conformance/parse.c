/* SPDX-License-Identifier: Apache-2.0 */
/* Cases from their short text: dtypes put in, parsed, results found. */
#include "core/conformance/cases.h"

#include "core/ir/text.h"
#include <string.h>

const char *const lm_case_dtypes[] = {"f64", "f32", "f16", "bf16", "i64", "i32",  "i16",
                                      "i8",  "u64", "u32", "u16",  "u8",  "bool", NULL};

static char *
put_in (const char *text, const char *dtype, const char *other)
{
  GString *out = g_string_new (NULL);
  for (const char *p = text; *p != '\0'; p++)
    if (*p == '$')
      g_string_append (out, dtype);
    else if (*p == '?')
      g_string_append (out, other != NULL ? other : dtype);
    else
      g_string_append_c (out, *p);
  return g_string_free (out, FALSE);
}

/* "f32[2] i32[3]@7" as "%0: f32[2], %1: i32[3]"; the bounds aside. */
static char *
parameters (const char *text, int64_t *bounds)
{
  GString *out = g_string_new (NULL);
  g_auto (GStrv) types = g_strsplit (text, " ", -1);
  for (guint i = 0; types[i] != NULL && *types[i] != '\0' && i < LM_CASE_PARAMS; i++) {
    char *at = strchr (types[i], '@');
    if (at != NULL) {
      *at = '\0';
      bounds[i] = g_ascii_strtoll (at + 1, NULL, 10);
    }
    g_string_append_printf (out, "%s%%%u: %s", i > 0 ? ", " : "", i, types[i]);
  }
  return g_string_free (out, FALSE);
}

/* f has no results: the same function with those values as results that no equation uses. */
static LmFunction *
with_results (const LmFunction *f, GError **error)
{
  const lam_function *ir = &f->ir;
  LmBuilder *b = lm_builder_new (ir->name);
  g_autofree LmValue *values = g_new (LmValue, ir->n_values + 1);
  g_autofree bool *used = g_new0 (bool, ir->n_values + 1);
  g_autofree LmValue *operands = g_new (LmValue, ir->n_operands + 1);
  g_autoptr (GArray) results = g_array_new (FALSE, FALSE, sizeof (LmValue));
  for (uint32_t i = 0; i < ir->n_params; i++)
    values[i] = lm_builder_param (b, lm_param_type (f, i));
  for (uint32_t i = 0; i < ir->n_equations; i++) {
    const lam_equation *e = lam_equation_at (ir, i);
    for (uint32_t k = 0; k < e->n_operands; k++) {
      used[lam_operand (ir, e, k)] = true;
      operands[k] = values[lam_operand (ir, e, k)];
    }
    LmValue first = lm_builder_copy (b, f, e, operands);
    for (uint32_t k = 0; k < e->n_results; k++)
      values[e->first_result + k] = first + k;
  }
  for (uint32_t v = ir->n_params; v < ir->n_values; v++)
    if (!used[v])
      g_array_append_val (results, values[v]);
  return lm_builder_finish (b, (const LmValue *)(const void *)results->data, results->len, error);
}

bool
lm_case_parse (const char *name, const char *params, const char *equations, const char *dtype,
               const char *other, LmParsedCase *out, GError **error)
{
  memset (out, 0, sizeof *out);
  g_autofree char *body = put_in (equations, dtype, other);
  if (params == NULL) {
    out->f = lm_text_parse (body, strlen (body), name, error);
    return out->f != NULL;
  }
  g_autofree char *types = put_in (params, dtype, other);
  g_autofree char *list = parameters (types, out->bounds);
  g_autofree char *text = g_strdup_printf ("func @%s(%s) -> () {\n%sreturn\n}\n", name, list, body);
  g_autoptr (LmFunction) f = lm_text_parse (text, strlen (text), name, error);
  out->f = f != NULL ? with_results (f, error) : NULL;
  return out->f != NULL;
}

void
lm_parsed_case_clear (LmParsedCase *c)
{
  g_clear_pointer (&c->f, lm_function_unref);
}

/* --- what generators call ------------------------------------------------------------------------- */

static guint
count_params (const char *params)
{
  guint n = *params != '\0';
  for (const char *p = params; *p != '\0'; p++)
    n += *p == ' ';
  return n;
}

void
lm_case_other (LmCases *c, LmDraw draw, const char *other, const char *params, const char *attrs,
               const char *wanted)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n = count_params (params);
  int32_t results = lm_op_info_by_name (c->check)->n_results;
  for (guint i = 0; i < (results < 0 ? n : (guint)results); i++)
    g_string_append_printf (text, "%s%%r%u", i > 0 ? ", " : "", i);
  g_string_append_printf (text, " = %s(", c->check);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%%u", i > 0 ? ", " : "", i);
  g_string_append_printf (text, ") {%s}", attrs != NULL ? attrs : "");
  if (wanted != NULL)
    g_string_append_printf (text, " : %s", wanted);
  g_string_append_c (text, '\n');
  c->take (c, draw, other, params, text->str);
}

void
lm_case (LmCases *c, LmDraw draw, const char *params, const char *attrs, const char *wanted)
{
  lm_case_other (c, draw, NULL, params, attrs, wanted);
}

void
lm_case_text (LmCases *c, LmDraw draw, const char *params, const char *equations)
{
  c->take (c, draw, NULL, params, equations);
}
