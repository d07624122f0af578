/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a composite is a composite, so that a fused backward can be claimed too. */
#include "core/transform/grad.h"

#include <string.h>

typedef struct Composite {
  LmVjpCtx *c;
  LmFunction *region;     /* vjp of the region */
  GArray *operands;       /* LmValue: operands, given cotangents */
  GArray *attrs;          /* lam_attr */
  GArray *wanted, *given; /* int64_t: operand and result numbers */
  bool canonical;         /* every float operand and result takes part */
  char *name;
} Composite;

/* ct_given: [n_results], filled. Lists what takes part. */
static void
list_parts (Composite *k, bool *ct_given)
{
  const lam_function *f = &k->c->f->ir;
  const lam_equation *e = k->c->e;

  k->canonical = true;
  g_array_append_vals (k->operands, k->c->in, e->n_operands);
  for (int64_t i = 0; i < e->n_operands; i++) {
    lam_dtype dtype = lam_value_type (f, lam_operand (f, e, (uint32_t)i))->dtype;
    k->canonical &= k->c->wanted[i] == lam_dtype_is_float (dtype);
    if (k->c->wanted[i])
      g_array_append_val (k->wanted, i);
  }
  for (int64_t j = 0; j < e->n_results; j++) {
    lam_dtype dtype = lam_value_type (f, e->first_result + (uint32_t)j)->dtype;
    ct_given[j] = k->c->ct[j] != LM_NIL;
    k->canonical &= ct_given[j] == lam_dtype_is_float (dtype);
    if (!ct_given[j])
      continue;
    g_array_append_val (k->given, j);
    g_array_append_val (k->operands, k->c->ct[j]);
  }
}

static void
add_list (Composite *k, const char *key, const GArray *list)
{
  lam_attr a = lm_attr_ints (key, (const int64_t *)(const void *)list->data, list->len);

  a.flags = LAM_ATTR_MUST_UNDERSTAND; /* the signature depends on it */
  g_array_append_val (k->attrs, a);
}

static void
collect_attrs (Composite *k)
{
  const lam_function *f = &k->c->f->ir;
  const lam_equation *e = k->c->e;

  for (uint32_t i = 0; i < e->n_attrs; i++) {
    lam_attr a = *lam_attr_at (f, e->first_attr + i);
    if (strcmp (a.key, "name") == 0) {
      k->name = g_strconcat (a.data, ".vjp", NULL);
      a = lm_attr_str ("name", k->name);
    }
    g_array_append_val (k->attrs, a);
  }
  if (k->canonical)
    return;
  add_list (k, "wanted", k->wanted);
  add_list (k, "cotangents", k->given);
}

/* The gradient's results as values of the builder: out, one each wanted operand. */
static void
emit (Composite *k, LmValue *out)
{
  const LmVjpCtx *c = k->c;
  const LmValue *operands = (const LmValue *)(const void *)k->operands->data;
  const LmFunction *region = k->region;
  LmValue first;

  if (lam_find_attr (&c->f->ir, c->e, "wanted") != NULL) {
    lm_builder_inline (c->b, region, operands, out);
    return;
  }
  collect_attrs (k);
  first = lm_builder_op (c->b, &(LmOp) {
                                   .op = LAM_OP_composite,
                                   .operands = operands,
                                   .n_operands = k->operands->len,
                                   .attrs = (const lam_attr *)(const void *)k->attrs->data,
                                   .n_attrs = k->attrs->len,
                                   .regions = &region,
                                   .n_regions = 1,
                               });
  for (uint32_t i = 0; i < k->wanted->len; i++)
    out[i] = first == LM_NIL ? LM_NIL : first + i;
}

void
lm_grad_composite (LmVjpCtx *c)
{
  g_autofree bool *ct_given = g_new0 (bool, c->e->n_results);
  g_autofree LmValue *out = NULL;
  GError *error = NULL;
  Composite k = {
      .c = c,
      .operands = g_array_new (FALSE, FALSE, sizeof (LmValue)),
      .attrs = g_array_new (FALSE, FALSE, sizeof (lam_attr)),
      .wanted = g_array_new (FALSE, FALSE, sizeof (int64_t)),
      .given = g_array_new (FALSE, FALSE, sizeof (int64_t)),
  };

  list_parts (&k, ct_given);
  out = g_new (LmValue, k.wanted->len);
  k.region = c->vjp_of (lm_function_region (c->f, c->e, 0), c->wanted, ct_given, &error);
  if (k.region != NULL) {
    emit (&k, out);
    for (uint32_t i = 0; i < k.wanted->len; i++)
      c->d_in[g_array_index (k.wanted, int64_t, i)] = out[i];
  } else {
    g_prefix_error (&error,
                    "in the vjp of composite %s: ", lam_attr_str (&c->f->ir, c->e, "name", "?"));
    lm_builder_fail (c->b, error);
  }
  lm_function_unref (k.region);
  g_array_unref (k.operands);
  g_array_unref (k.attrs);
  g_array_unref (k.wanted);
  g_array_unref (k.given);
  g_free (k.name);
}
