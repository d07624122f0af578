/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin's part of the chain: its slots, and its update, once for each layer of a stack of
 * repeated layers, so that what it reduces over a variable (norms, row and column means) is per
 * layer. */
#include "core/step/optimizer.h"

#include <string.h>

/* --- slots ------------------------------------------------------------------------------------ */

#define SLOT_NAME 64

typedef struct Slot {
  char name[SLOT_NAME];
  lam_type type; /* without prefix dims */
  double start;
} Slot;

typedef struct Slots {
  lam_slots pub; /* first */
  const lam_type *var;
  guint n;
  const char *bad; /* what the first bad one lacks */
  char bad_name[SLOT_NAME];
  Slot slots[LAM_MAX_SLOTS];
} Slots;

/* What is wrong with one more slot; NULL: nothing. */
static const char *
slot_problem (const Slots *s, const char *name, const lam_type *type)
{
  int64_t n, bytes;
  if (s->n == LAM_MAX_SLOTS)
    return "at most " G_STRINGIFY (LAM_MAX_SLOTS) " slots";
  if (name == NULL)
    return "a name (none comes, too, where a C++ exception escapes)";
  if (!lm_nest_check_key (name) || strlen (name) >= SLOT_NAME)
    return "a key [A-Za-z_][A-Za-z0-9_]* of less than " G_STRINGIFY (SLOT_NAME) " bytes for a name";
  for (guint i = 0; i < s->n; i++)
    if (strcmp (s->slots[i].name, name) == 0)
      return "a name that no other slot has";
  if (type == NULL || lam_dtype_bits (type->dtype) == 0)
    return "a known dtype";
  if (type->rank < 0 || type->rank > LAM_MAX_RANK || !lm_type_checked_bytes (type, &n, &bytes))
    return "a shape of at most 8 dims >= 0 whose bytes 63 bits count";
  return NULL;
}

static void
slots_add_spec (lam_slots *pub, const char *name, const lam_type *type, double start)
{
  Slots *s = (Slots *)pub;
  const char *problem = s->bad == NULL ? slot_problem (s, name, type) : NULL;
  if (problem != NULL) {
    s->bad = problem;
    g_strlcpy (s->bad_name, name != NULL ? name : "", SLOT_NAME);
  }
  if (s->bad != NULL)
    return;
  Slot *slot = &s->slots[s->n++];
  *slot = (Slot) {.type = lm_type (type->dtype, type->rank, type->dims), .start = start};
  g_strlcpy (slot->name, name, SLOT_NAME);
}

static void
slots_add (lam_slots *pub, const char *name, lam_dtype dtype, double start)
{
  lam_type type = *((Slots *)pub)->var;
  if (dtype != LAM_DTYPE_NONE)
    type.dtype = dtype;
  slots_add_spec (pub, name, &type, start);
}

/* The type without its first n dims. */
static lam_type
row_type (const lam_type *type, int32_t n)
{
  return lm_type (type->dtype, type->rank - n, type->dims + n);
}

static bool
declare (const LmChain *c, const LmChainVar *var, Slots *out)
{
  const lam_optimizer_vt *vt = c->optimizer->provided->vtable;
  lam_type row = row_type (&var->type, var->n_prefix);
  *out = (Slots) {.pub = {sizeof (lam_slots), 0, slots_add, slots_add_spec}, .var = &row};
  vt->declare_slots (c->optimizer->instance, &out->pub, &row);
  for (guint i = 0; i < out->n && out->bad == NULL; i++)
    if (out->slots[i].type.rank + var->n_prefix > LAM_MAX_RANK) {
      out->bad = "at most 8 dims together with those that count repeated layers";
      g_strlcpy (out->bad_name, out->slots[i].name, SLOT_NAME);
    }
  if (out->bad != NULL)
    lm_trace_failf ((LmTrace *)c->t, LM_ERROR_PLUGIN,
                    "optimizer %s (%s): slot \"%s\" of %s: wanted %s", c->optimizer->path,
                    c->optimizer->provided->id, out->bad_name, var->path, out->bad);
  return out->bad == NULL;
}

static char *
slot_path (const Slot *slot, const LmChainVar *var)
{
  return g_strdup_printf ("slots.%s.%s", slot->name, var->path);
}

void
lm_chain_init_slots (const LmChain *c, const LmChainVar *var)
{
  Slots slots;
  if (!declare (c, var, &slots))
    return;
  for (guint k = 0; k < slots.n; k++) {
    const Slot *slot = &slots.slots[k];
    g_autofree char *path = slot_path (slot, var);
    lam_shape shape = {.rank = var->n_prefix + slot->type.rank};
    for (int32_t i = 0; i < shape.rank; i++)
      shape.dims[i] = i < var->n_prefix ? var->type.dims[i] : slot->type.dims[i - var->n_prefix];
    lam_nest_set_tensor (c->t, c->new_states, path,
                         lam_full (c->t, slot->type.dtype, shape, slot->start));
  }
}

/* --- update ----------------------------------------------------------------------------------- */

/* The rows of one variable: a map {"grad", "var", "slots": list} in, {"delta", "slots"} out. */
typedef struct Rows {
  const LmChain *c;
  const LmChainVar *var;
  guint n_slots;
  int32_t depth; /* prefix dims still to be mapped over */
} Rows;

static lam_nest
slots_nest (lam_trace *t, const lam_tensor *slots, guint n)
{
  lam_nest list = lam_nest_list (t);
  for (guint k = 0; k < n; k++)
    t->api->nest_append (t, list, lam_nest_of (t, slots[k]));
  return list;
}

static lam_nest
update_row (void *user, lam_trace *t, lam_nest in)
{
  const Rows *rows = user;
  const LmLayer *optimizer = rows->c->optimizer;
  if (rows->depth > 0) {
    Rows inner = *rows;
    inner.depth--;
    return lam_vmap (t, update_row, &inner, in, 0, 0);
  }
  const lam_optimizer_vt *vt = optimizer->provided->vtable;
  lam_tensor old_slots[LAM_MAX_SLOTS], new_slots[LAM_MAX_SLOTS] = {{0, 0}};
  lam_nest_flatten (t, lam_nest_get (t, in, "slots"), old_slots, rows->n_slots);
  lam_update arg = {sizeof arg,
                    rows->n_slots,
                    lam_nest_get_tensor (t, in, "grad"),
                    lam_nest_get_tensor (t, in, "var"),
                    rows->c->rate,
                    rows->c->count,
                    old_slots,
                    new_slots,
                    rows->var->path};
  lm_chain_enter (t, optimizer, "update");
  lam_tensor y = vt->update (optimizer->instance, t, &arg);
  lm_trace_leave ((LmTrace *)t);
  lam_nest out = lam_nest_map (t);
  lam_nest_set_tensor (t, out, "delta", y);
  lam_nest_set (t, out, "slots", slots_nest (t, new_slots, rows->n_slots));
  return out;
}

/* An update or slot must have the type of what it belongs to. */
static void
check_type (const LmChain *c, const char *what, lam_tensor wanted, lam_tensor got)
{
  lam_type a, b;
  if (!lam_is_ok (c->t) || !c->t->api->type_of (c->t, wanted, &a))
    return;
  if (c->t->api->type_of (c->t, got, &b) && lm_type_equal (&a, &b))
    return;
  g_autofree char *want = lm_type_to_string (&a);
  g_autofree char *have = lam_is_nil (got) ? g_strdup ("nothing") : lm_type_to_string (&b);
  lm_trace_failf ((LmTrace *)c->t, LM_ERROR_PLUGIN, "optimizer %s (%s): %s: wanted %s, got %s",
                  c->optimizer->path, c->optimizer->provided->id, what, want, have);
}

lam_tensor
lm_chain_raw (const LmChain *c, const LmChainVar *var, lam_tensor grad)
{
  lam_trace *t = c->t;
  lam_tensor old_slots[LAM_MAX_SLOTS], new_slots[LAM_MAX_SLOTS] = {{0, 0}};
  Slots slots;
  if (!declare (c, var, &slots))
    return lam_nil ();
  for (guint k = 0; k < slots.n; k++) {
    g_autofree char *path = slot_path (&slots.slots[k], var);
    old_slots[k] = lam_nest_get_tensor (t, c->states, path);
  }
  lam_nest in = lam_nest_map (t);
  lam_nest_set_tensor (t, in, "grad", grad);
  lam_nest_set_tensor (t, in, "var", var->value);
  lam_nest_set (t, in, "slots", slots_nest (t, old_slots, slots.n));
  Rows rows = {c, var, slots.n, var->n_prefix};
  lam_nest out = update_row (&rows, t, in);
  lam_tensor y = lam_nest_get_tensor (t, out, "delta");
  lam_nest_flatten (t, lam_nest_get (t, out, "slots"), new_slots, slots.n);
  check_type (c, var->path, var->value, y);
  for (guint k = 0; k < slots.n && lam_is_ok (t); k++) {
    g_autofree char *path = slot_path (&slots.slots[k], var);
    check_type (c, path, old_slots[k], new_slots[k]);
    if (!lam_is_nil (c->emit))
      new_slots[k] = lam_where (t, c->emit, new_slots[k], old_slots[k]);
    lam_nest_set_tensor (t, c->new_states, path, new_slots[k]);
  }
  return y;
}
