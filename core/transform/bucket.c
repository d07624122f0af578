/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over replicas in buckets. Every operand of an all_reduce "add" is an item; items that do not
 * depend on each other go together into variadic all_reduces of at most some bytes, in the order in
 * which their operands come to be, each placed behind the last of its operands: so the first bucket
 * of gradients travels while the backward pass goes on. A sum has the same bits in any bucket. */
#include "core/transform/rewrite.h"
#include "core/transform/transform.h"

#include <string.h>

/* One operand of an all_reduce, and its result. Old value numbers. */
typedef struct Item {
  LmValue operand, result;
  uint32_t equation; /* the old all_reduce */
  uint32_t level;    /* sums on the longest way from the parameters to the operand */
} Item;

/* An open bucket: items whose operands are there. */
typedef struct Bucket {
  GArray *items; /* of guint */
  uint64_t bytes;
  guint to_come; /* items of this level whose operands are not there yet */
} Bucket;

typedef struct Walk {
  LmRewrite r;
  uint64_t limit;
  GArray *items;      /* of Item */
  GPtrArray *buckets; /* of Bucket, by level */
  guint *item_of;     /* by old value: 1 + item whose result it is; 0: none */
  GArray **waiting;   /* by old value: items whose operand it is; NULL: none */
} Walk;

static bool
is_sum (const lam_function *f, const lam_equation *e)
{
  return e->op == LAM_OP_all_reduce && strcmp (lam_attr_str (f, e, "computation", ""), "add") == 0;
}

static void
bucket_free (gpointer data)
{
  Bucket *bucket = data;
  g_array_unref (bucket->items);
  g_free (bucket);
}

static Bucket *
bucket_of (Walk *w, uint32_t level)
{
  while (w->buckets->len <= level) {
    Bucket *bucket = g_new0 (Bucket, 1);
    bucket->items = g_array_new (FALSE, FALSE, sizeof (guint));
    g_ptr_array_add (w->buckets, bucket);
  }
  return w->buckets->pdata[level];
}

static bool *
mark_used (const lam_function *f)
{
  bool *used = g_new0 (bool, f->n_values + 1);
  for (uint32_t i = 0; i < f->n_operands; i++)
    used[f->operands[i]] = true;
  for (uint32_t i = 0; i < f->n_results; i++)
    used[f->results[i]] = true;
  return used;
}

static void
add_item (Walk *w, const Item *item)
{
  guint number = w->items->len;
  g_array_append_val (w->items, *item);
  w->item_of[item->result] = number + 1;
  GArray **waiting = &w->waiting[item->operand];
  if (*waiting == NULL)
    *waiting = g_array_new (FALSE, FALSE, sizeof (guint));
  g_array_append_val (*waiting, number);
  bucket_of (w, item->level)->to_come++;
}

/* Finds the items and their levels. */
static void
find_items (Walk *w, const lam_function *f)
{
  g_autofree bool *used = mark_used (f);
  g_autofree uint32_t *levels = g_new0 (uint32_t, f->n_values + 1);
  for (uint32_t i = 0; i < f->n_equations; i++) {
    const lam_equation *e = lam_equation_at (f, i);
    uint32_t level = 0;
    for (uint32_t k = 0; k < e->n_operands; k++) {
      LmValue x = lam_operand (f, e, k);
      level = MAX (level, levels[x]);
      if (!is_sum (f, e))
        continue;
      levels[e->first_result + k] = levels[x] + 1;
      if (used[e->first_result + k])
        add_item (w, &(Item) {x, e->first_result + k, i, levels[x]});
    }
    for (uint32_t k = 0; k < e->n_results && !is_sum (f, e); k++)
      levels[e->first_result + k] = level;
  }
}

/* --- emitting ----------------------------------------------------------------------------------- */

static void take_ready (Walk *w, LmValue x);

static void
flush (Walk *w, Bucket *bucket)
{
  guint n = bucket->items->len;
  if (n == 0)
    return;
  g_autoptr (GArray) items = bucket->items;
  g_autofree LmValue *operands = g_new (LmValue, n);
  bucket->items = g_array_new (FALSE, FALSE, sizeof (guint));
  bucket->bytes = 0;
  const lam_function *f = &w->r.f->ir;
  const Item *first = &g_array_index (w->items, Item, g_array_index (items, guint, 0));
  for (guint i = 0; i < n; i++)
    operands[i] = w->r.map[g_array_index (w->items, Item, g_array_index (items, guint, i)).operand];
  const lam_equation *e = lam_equation_at (f, first->equation);
  lm_builder_set_path (w->r.b, f->paths[e->path]);
  lam_attr attr = lm_attr_str ("computation", "add");
  LmOp op = {
      .op = LAM_OP_all_reduce, .operands = operands, .n_operands = n, .attrs = &attr, .n_attrs = 1};
  LmValue sums = lm_builder_op (w->r.b, &op);
  for (guint i = 0; i < n; i++) {
    LmValue result = g_array_index (w->items, Item, g_array_index (items, guint, i)).result;
    w->r.map[result] = sums == LM_NIL ? LM_NIL : sums + i;
    take_ready (w, result);
  }
}

static void
take_item (Walk *w, guint number)
{
  const Item *item = &g_array_index (w->items, Item, number);
  Bucket *bucket = bucket_of (w, item->level);
  uint64_t bytes = (uint64_t)lam_type_bytes (lam_value_type (&w->r.f->ir, item->operand));
  if (bucket->items->len > 0 && bucket->bytes + bytes > w->limit)
    flush (w, bucket);
  g_array_append_val (bucket->items, number);
  bucket->bytes += bytes;
  bucket->to_come--;
  if (bucket->bytes >= w->limit || bucket->to_come == 0)
    flush (w, bucket);
}

/* Old value x is there: the items that waited for it go into their bucket. */
static void
take_ready (Walk *w, LmValue x)
{
  for (guint i = 0; w->waiting[x] != NULL && i < w->waiting[x]->len; i++)
    take_item (w, g_array_index (w->waiting[x], guint, i));
}

/* Sums that are used have to be made now: the sum of a sum comes after that. */
static void
flush_used (Walk *w, const LmValue *values, uint32_t n)
{
  for (uint32_t k = 0; k < n; k++) {
    guint number = w->item_of[values[k]];
    if (number == 0)
      continue;
    uint32_t level = g_array_index (w->items, Item, number - 1).level;
    if (w->r.map[values[k]] == LM_NIL)
      flush (w, bucket_of (w, level));
    for (uint32_t i = 0; i <= level && w->r.map[values[k]] == LM_NIL; i++)
      flush (w, bucket_of (w, i));
  }
}

static LmFunction *
rewrite (Walk *w, GError **error)
{
  const lam_function *f = &w->r.f->ir;
  for (uint32_t i = 0; i < f->n_params; i++)
    take_ready (w, i);
  for (uint32_t i = 0; i < f->n_equations; i++) {
    const lam_equation *e = lam_equation_at (f, i);
    if (is_sum (f, e))
      continue;
    flush_used (w, f->operands + e->first_operand, e->n_operands);
    lm_builder_set_path (w->r.b, f->paths[e->path]);
    lm_rewrite_copy (&w->r, e);
    for (uint32_t k = 0; k < e->n_results; k++)
      take_ready (w, e->first_result + k);
  }
  flush_used (w, f->results, f->n_results);
  return lm_rewrite_finish (&w->r, "bucket", error);
}

LmFunction *
lm_bucket (const LmFunction *f, uint64_t bucket_bytes, GError **error)
{
  guint n = 0;
  for (uint32_t i = 0; i < f->ir.n_equations; i++)
    n += is_sum (&f->ir, lam_equation_at (&f->ir, i));
  if (n == 0)
    return lm_function_ref (f);
  Walk w = {.limit = bucket_bytes,
            .items = g_array_new (FALSE, FALSE, sizeof (Item)),
            .buckets = g_ptr_array_new_with_free_func (bucket_free),
            .item_of = g_new0 (guint, f->ir.n_values + 1),
            .waiting = g_new0 (GArray *, f->ir.n_values + 1)};
  lm_rewrite_init (&w.r, f, f->ir.name);
  find_items (&w, &f->ir);
  LmFunction *out = rewrite (&w, error);
  for (uint32_t i = 0; i < f->ir.n_values; i++)
    if (w.waiting[i] != NULL)
      g_array_unref (w.waiting[i]);
  g_free (w.waiting);
  g_free (w.item_of);
  g_ptr_array_unref (w.buckets);
  g_array_unref (w.items);
  return out;
}
