/* SPDX-License-Identifier: Apache-2.0 */
/* Common subexpressions: an equation equal to an earlier one (op, operands, attributes, regions,
 * result types) gives way to it. Barriers are never equal, so what is recomputed behind one stays. */
#include "core/ir/attr.h"
#include "core/transform/rewrite.h"
#include "core/transform/transform.h"

/* An equation that stays, with its operands as new values. */
typedef struct Entry {
  const LmFunction *f;
  const lam_equation *e;
  const LmValue *operands;
  LmValue first; /* its new results */
  guint hash;
} Entry;

static bool
may_merge (const LmOpInfo *info)
{
  return info->number != LAM_OP_optimization_barrier && info->op_class != LM_CLASS_HOST
         && info->op_class != LM_CLASS_COLLECTIVE;
}

static guint
mix (guint h, uint64_t word)
{
  uint64_t x = (h ^ word) * UINT64_C (0x9e3779b97f4a7c15);

  return (guint)(x ^ (x >> 32));
}

static guint
hash_type (guint h, const lam_type *type)
{
  h = mix (h, (uint64_t)type->dtype << 8 | (uint64_t)type->rank);
  for (int32_t i = 0; i < type->rank; i++)
    h = mix (h, (uint64_t)type->dims[i]);
  return h;
}

static guint
hash_equation (const LmFunction *f, const lam_equation *e, const LmValue *operands)
{
  guint h = mix ((guint)e->op, e->n_operands);

  for (uint32_t k = 0; k < e->n_operands; k++)
    h = mix (h, operands[k]);
  for (uint32_t k = 0; k < e->n_attrs; k++)
    h = mix (h, lm_attr_hash (lam_attr_at (&f->ir, e->first_attr + k)));
  for (uint32_t k = 0; k < e->n_regions; k++)
    h = mix (h, (uint64_t)(uintptr_t)f->ir.regions[e->first_region + k]);
  return hash_type (h, lam_value_type (&f->ir, e->first_result));
}

static guint
entry_hash (gconstpointer entry)
{
  return ((const Entry *)entry)->hash;
}

static gboolean
entry_equal (gconstpointer pa, gconstpointer pb)
{
  const Entry *a = pa, *b = pb;
  const lam_function *f = &a->f->ir;
  const lam_equation *x = a->e, *y = b->e;

  if (a->hash != b->hash || x->op != y->op || x->n_operands != y->n_operands
      || x->n_attrs != y->n_attrs || x->n_regions != y->n_regions || x->n_results != y->n_results)
    return FALSE;
  for (uint32_t k = 0; k < x->n_operands; k++)
    if (a->operands[k] != b->operands[k])
      return FALSE;
  for (uint32_t k = 0; k < x->n_regions; k++)
    if (f->regions[x->first_region + k] != f->regions[y->first_region + k])
      return FALSE;
  for (uint32_t k = 0; k < x->n_results; k++)
    if (!lm_type_equal (lam_value_type (f, x->first_result + k),
                        lam_value_type (f, y->first_result + k)))
      return FALSE;
  for (uint32_t k = 0; k < x->n_attrs; k++)
    if (!lm_attr_equal (lam_attr_at (f, x->first_attr + k), lam_attr_at (f, y->first_attr + k)))
      return FALSE;
  return TRUE;
}

/* New operands of e in the arena; those of a commutative op in order. */
static const LmValue *
canonical_operands (LmRewrite *r, LmArena *arena, const lam_equation *e, const LmOpInfo *info)
{
  const LmValue *operands = lm_rewrite_operands (r, e);
  LmValue *own = lm_arena_memdup (arena, operands, e->n_operands * sizeof *own, 4);

  if (lm_op_has_flag (info, 'C') && own[0] > own[1]) {
    LmValue swap = own[0];
    own[0] = own[1];
    own[1] = swap;
  }
  return own;
}

/* True if e gave way to an earlier equation. */
static bool
merge (LmRewrite *r, GHashTable *known, LmArena *arena, const lam_equation *e)
{
  const LmOpInfo *info = lm_op_info (e->op);
  const Entry *earlier;
  Entry *entry;

  if (!may_merge (info)) {
    lm_rewrite_copy (r, e);
    return false;
  }
  entry = lm_arena_new0 (arena, Entry, 1);
  entry->f = r->f;
  entry->e = e;
  entry->operands = canonical_operands (r, arena, e, info);
  entry->hash = hash_equation (r->f, e, entry->operands);
  earlier = g_hash_table_lookup (known, entry);
  if (earlier != NULL) {
    lm_rewrite_map (r, e, earlier->first);
    return true;
  }
  entry->first = lm_rewrite_copy (r, e);
  g_hash_table_add (known, entry);
  return false;
}

LmFunction *
lm_cse (const LmFunction *f, GError **error)
{
  g_autoptr (GHashTable) known = g_hash_table_new (entry_hash, entry_equal);
  g_autoptr (LmArena) arena = lm_arena_new ();
  bool changed = false;
  LmRewrite r;

  lm_rewrite_init (&r, f, f->ir.name);
  for (uint32_t i = 0; i < f->ir.n_equations; i++)
    changed |= merge (&r, known, arena, lam_equation_at (&f->ir, i));
  if (changed || lm_builder_error (r.b) != NULL)
    return lm_rewrite_finish (&r, "cse", error);
  lm_builder_free (r.b);
  lm_rewrite_clear (&r);
  return lm_function_ref (f);
}
