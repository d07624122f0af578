/* SPDX-License-Identifier: Apache-2.0 */
/* Legalisation: what the backend at hand does not claim is inlined (composites) or decomposed
 * (derived rows, rows newer than the backend), until it knows every equation. */
#include "core/op/rule.h"
#include "core/transform/rewrite.h"
#include "core/transform/transform.h"

typedef struct Legalizer {
  const LmClaims *claims;
  GString *explain; /* may be NULL */
  LmBuilder *b;
  bool changed;
} Legalizer;

static void walk (Legalizer *l, const LmFunction *f, const LmValue *args, const char *path,
                  LmValue *out_results);

/* Layer path of e; `outer` is that of the composite being inlined around it. */
static const char *
path_of (const LmFunction *f, const lam_equation *e, const char *outer)
{
  const char *path = f->ir.paths[e->path];

  return *path != '\0' ? path : outer;
}

static void
explain (Legalizer *l, const lam_function *f, const lam_equation *e, const char *decision)
{
  const char *path = lm_builder_path (l->b);

  if (l->explain == NULL)
    return;
  g_string_append (l->explain, lm_op_info (e->op)->name);
  if (e->op == LAM_OP_composite)
    g_string_append_printf (l->explain, " %s version %" G_GINT64_FORMAT,
                            lam_attr_str (f, e, "name", "?"), lam_attr_int (f, e, "version", 1));
  if (*path != '\0')
    g_string_append_printf (l->explain, " in layer %s", path);
  g_string_append_printf (l->explain, ": %s\n", decision);
}

static bool
is_claimed (const Legalizer *l, const LmFunction *f, const lam_equation *e)
{
  return l->claims->claims != NULL && l->claims->claims (l->claims->ctx, &f->ir, e);
}

static void
inline_composite (Legalizer *l, LmRewrite *r, const lam_equation *e, const char *path)
{
  g_autofree LmValue *args = g_memdup2 (lm_rewrite_operands (r, e), e->n_operands * sizeof *args);
  g_autofree LmValue *results = g_new (LmValue, e->n_results);

  explain (l, &r->f->ir, e, "inlined, the backend does not claim it");
  walk (l, lm_function_region (r->f, e, 0), args, path, results);
  for (uint32_t k = 0; k < e->n_results; k++)
    r->map[e->first_result + k] = results[k];
}

/* What it is made of is legalised in turn: it may be newer than the backend as well. */
static void
decompose (Legalizer *l, LmRewrite *r, const lam_equation *e, const char *path, const char *why)
{
  const LmRules *rules = lm_rules (e->op);
  g_autofree LmValue *args = NULL, *results = g_new (LmValue, e->n_results);
  g_autoptr (LmFunction) row = NULL;
  GError *error = NULL;

  if (rules->decompose == NULL) {
    g_autofree char *type = lm_type_to_string (lam_value_type (&r->f->ir, e->first_result));
    lm_builder_fail (l->b, g_error_new (LM_ERROR, LM_ERROR_UNSUPPORTED,
                                        "the backend cannot run %s (result %s%s%s): %s, and the op "
                                        "has no decomposition; use another backend, or a newer one",
                                        lm_op_info (e->op)->name, type, *path ? ", layer " : "",
                                        path, why));
    return;
  }
  g_autofree char *did = g_strconcat ("decomposed, ", why, NULL);
  explain (l, &r->f->ir, e, did);
  args = g_memdup2 (lm_rewrite_operands (r, e), e->n_operands * sizeof *args);
  row = lm_decomposed (r->f, e, &error);
  if (row == NULL) {
    lm_builder_fail (l->b, error);
    return;
  }
  walk (l, row, args, path, results);
  for (uint32_t k = 0; k < e->n_results; k++)
    r->map[e->first_result + k] = results[k];
}

/* One equation into l->b, as it is or in other words. */
static void
legalize (Legalizer *l, LmRewrite *r, const lam_equation *e, const char *path)
{
  const LmOpInfo *info = lm_op_info (e->op);
  bool known = (uint32_t)info->since <= l->claims->ir_minor;

  lm_builder_set_path (l->b, path);
  if (e->op == LAM_OP_stop_gradient || e->op == LAM_OP_name) {
    l->changed = true;
    r->map[e->first_result] = lm_rewrite_operands (r, e)[0];
  } else if (known && lm_op_has_flag (info, 'M')) {
    lm_rewrite_copy (r, e);
  } else if (known && is_claimed (l, r->f, e)) {
    explain (l, &r->f->ir, e, "claimed by the backend");
    lm_rewrite_copy (r, e);
  } else {
    l->changed = true;
    if (e->op == LAM_OP_composite)
      inline_composite (l, r, e, path);
    else
      decompose (l, r, e, path,
                 known ? "the backend does not claim it" : "the row is newer than the backend");
  }
}

static void
walk (Legalizer *l, const LmFunction *f, const LmValue *args, const char *path,
      LmValue *out_results)
{
  LmRewrite r;

  lm_rewrite_init_into (&r, f, l->b, args);
  for (uint32_t i = 0; i < f->ir.n_equations && lm_builder_error (l->b) == NULL; i++) {
    const lam_equation *e = lam_equation_at (&f->ir, i);
    legalize (l, &r, e, path_of (f, e, path));
  }
  for (uint32_t i = 0; i < f->ir.n_results; i++)
    out_results[i] = r.map[f->ir.results[i]];
  lm_rewrite_clear (&r);
}

LmFunction *
lm_legalize (const LmFunction *f, const LmClaims *claims, GString *explain_to, GError **error)
{
  g_autofree LmValue *args = g_new (LmValue, MAX (f->ir.n_params, 1));
  g_autofree LmValue *results = g_new (LmValue, MAX (f->ir.n_results, 1));
  Legalizer l = {claims, explain_to, lm_builder_new (f->ir.name), false};

  for (uint32_t i = 0; i < f->ir.n_params; i++)
    args[i] = lm_builder_param (l.b, lm_param_type (f, i));
  walk (&l, f, args, "", results);
  if (!l.changed && lm_builder_error (l.b) == NULL) {
    lm_builder_free (l.b);
    return lm_function_ref (f);
  }
  return lm_transform_checked (lm_builder_finish (l.b, results, f->ir.n_results, error), "legalize",
                               error);
}
