/* SPDX-License-Identifier: Apache-2.0 */
/* The chain around an optimizer (semantics 1.11 step 5): L1, L2, the plugin's update, decoupled decay;
 * and learning rates. A skipped step is the learner's business: it keeps the old states. */
#include "core/step/step.h"
#include <lamina/layer.h>
#include <lamina/optimizer.h>
#include <lamina/schedule.h>

#include <string.h>

/* A child optimizer or schedule of the calling learner (or of the optimizer being asked). */
static LmLayer *
find (lam_trace *pub, lam_child child, const char *kind, const char *what)
{
  LmTrace *t = (LmTrace *)pub;
  LmModel *model = lm_trace_model (pub);
  if (lm_trace_error (t) != NULL)
    return NULL;
  LmLayer *layer =
      model != NULL ? lm_model_resolve_child (model, lm_trace_layer_id (t), child) : NULL;
  if (layer != NULL && strcmp (layer->provided->kind, kind) == 0)
    return layer;
  lm_trace_failf (t, LM_ERROR_INVALID, "%s: not a child that this layer created in setup", what);
  return NULL;
}

static void
enter (LmTrace *t, const LmLayer *layer, const char *method)
{
  g_autofree char *name_space = g_strdup_printf ("%s.%s", layer->name, method);
  LmTraceLayer entered = {layer->id, layer->path, name_space};
  lm_trace_enter (t, &entered);
}

static lam_tensor
schedule_value (lam_trace *t, const LmLayer *schedule, lam_tensor count)
{
  const lam_schedule_vt *vt = schedule->provided->vtable;
  enter ((LmTrace *)t, schedule, "value");
  lam_tensor y = vt->value (schedule->instance, t, count);
  lm_trace_leave ((LmTrace *)t);
  lam_type type;
  lam_dtype wanted = lam_real_dtype (t);
  if (lam_is_ok (t) && (!t->api->type_of (t, y, &type) || type.dtype != wanted || type.rank != 0))
    lm_trace_failf ((LmTrace *)t, LM_ERROR_PLUGIN, "schedule %s (%s): value wants a %s scalar",
                    schedule->path, schedule->provided->id, lam_dtype_name (wanted));
  return y;
}

lam_tensor
lm_schedule_value (lam_trace *t, lam_child child, lam_tensor count)
{
  const LmLayer *schedule = find (t, child, LAM_KIND_SCHEDULE, "schedule_value");
  return schedule != NULL ? schedule_value (t, schedule, count) : lam_nil ();
}

static lam_tensor
learning_rate (lam_trace *t, const LmLayer *optimizer, lam_tensor count)
{
  lam_tensor rate = lam_scalar (t, lam_real_dtype (t), optimizer->chain->learning_rate);
  if (optimizer->chain_schedule == NULL)
    return rate;
  return lam_mul (t, schedule_value (t, optimizer->chain_schedule, count), rate);
}

lam_tensor
lm_optimizer_learning_rate (lam_trace *t, lam_child child, lam_tensor count)
{
  const LmLayer *optimizer = find (t, child, LAM_KIND_OPTIMIZER, "optimizer_learning_rate");
  return optimizer != NULL ? learning_rate (t, optimizer, count) : lam_nil ();
}

/* --- slots -------------------------------------------------------------------------------------------- */

typedef struct Slot {
  const char *name; /* the plugin's, static */
  lam_dtype dtype;
  double start;
} Slot;

typedef struct Slots {
  lam_slots pub; /* first */
  guint n;
  bool bad;
  Slot slots[LAM_MAX_SLOTS];
} Slots;

static void
slots_add (lam_slots *pub, const char *name, lam_dtype dtype, double start)
{
  Slots *s = (Slots *)pub;
  if (s->n == LAM_MAX_SLOTS || name == NULL || !lm_nest_check_key (name)
      || (dtype != LAM_DTYPE_NONE && lam_dtype_bits (dtype) == 0)) {
    s->bad = true;
    return;
  }
  s->slots[s->n++] = (Slot) {name, dtype, start};
}

static bool
declare (lam_trace *t, const LmLayer *optimizer, const lam_type *var, Slots *out)
{
  const lam_optimizer_vt *vt = optimizer->provided->vtable;
  *out = (Slots) {.pub = {sizeof (lam_slots), 0, slots_add}};
  vt->declare_slots (optimizer->instance, &out->pub, var);
  if (out->bad)
    lm_trace_failf ((LmTrace *)t, LM_ERROR_PLUGIN,
                    "optimizer %s (%s) declared a bad slot: at most %d, named by keys",
                    optimizer->path, optimizer->provided->id, LAM_MAX_SLOTS);
  return !out->bad;
}

/* Paths of a tree's leaves, for keys below "slots". */
static char **
leaf_paths (LmTrace *t, lam_nest nest)
{
  const LmNest *n = lm_trace_nest_peek (t, nest);
  return n != NULL ? lm_nest_paths (n) : g_new0 (char *, 1);
}

lam_nest
lm_optimizer_init (lam_trace *t, lam_child child, lam_nest vars)
{
  lam_nest nil = {0, 0};
  const LmLayer *optimizer = find (t, child, LAM_KIND_OPTIMIZER, "optimizer_init");
  if (optimizer == NULL)
    return nil;
  lam_nest states = lam_nest_map (t);
  lam_nest_set_tensor (t, states, "count", lam_full_bits (t, LAM_U32, LAM_SCALAR, 0));
  uint32_t n = lam_nest_flatten (t, vars, NULL, 0);
  g_autofree lam_tensor *leaves = g_new0 (lam_tensor, n + 1);
  g_auto (GStrv) paths = leaf_paths ((LmTrace *)t, vars);
  lam_nest_flatten (t, vars, leaves, n);
  for (uint32_t i = 0; i < n && lam_is_ok (t); i++) {
    lam_type type;
    Slots slots;
    if (!t->api->type_of (t, leaves[i], &type) || !declare (t, optimizer, &type, &slots))
      continue; /* a nil leaf has no slots */
    for (guint k = 0; k < slots.n; k++) {
      const Slot *slot = &slots.slots[k];
      g_autofree char *path = g_strdup_printf ("slots.%s.%s", slot->name, paths[i]);
      lam_shape shape = lam_shape_of (t, leaves[i]);
      lam_dtype dtype = slot->dtype != LAM_DTYPE_NONE ? slot->dtype : type.dtype;
      lam_nest_set_tensor (t, states, path, lam_full (t, dtype, shape, slot->start));
    }
  }
  return states;
}

/* --- update ------------------------------------------------------------------------------------------- */

typedef struct Update {
  const LmLayer *optimizer;
  lam_nest states, new_states;
  lam_tensor count, rate;
} Update;

/* The regularised gradient; skip_lp_1d_vectors leaves out vectors, and so does the collection. */
static lam_tensor
regularise (lam_trace *t, const LmOptimizerChain *c, bool skip, lam_tensor grad, lam_tensor var)
{
  if (skip)
    return grad;
  if (c->l1_regularizer_weight != 0)
    grad = lam_add (t, grad, lam_mul_scalar (t, lam_sign (t, var), c->l1_regularizer_weight));
  if (c->l2_regularizer_weight != 0)
    grad = lam_add (t, grad, lam_mul_scalar (t, var, c->l2_regularizer_weight));
  return grad;
}

static bool
skips_lp (lam_trace *t, const LmOptimizerChain *c, const lam_type *type, const char *path)
{
  const LmModel *model = lm_trace_model (t);
  if (c->skip_lp_1d_vectors && type->rank <= 1)
    return true;
  const LmNest *leaf = lm_nest_get (lm_model_var_tree (model), path);
  guint id = leaf != NULL && lm_nest_kind (leaf) == LM_NEST_LEAF ? (guint)lm_nest_leaf (leaf) : 0;
  return id != 0 && (lm_model_var (model, id - 1)->collections & LAM_SKIP_LP_REGULARIZATION) != 0;
}

/* The plugin's update of one variable with its slots. */
static lam_tensor
raw_update (lam_trace *t, const Update *u, const char *path, lam_tensor grad, lam_tensor var)
{
  const lam_optimizer_vt *vt = u->optimizer->provided->vtable;
  lam_tensor old_slots[LAM_MAX_SLOTS], new_slots[LAM_MAX_SLOTS] = {{0, 0}};
  lam_type type;
  Slots slots;
  if (!t->api->type_of (t, var, &type) || !declare (t, u->optimizer, &type, &slots))
    return lam_nil ();
  for (guint k = 0; k < slots.n; k++) {
    g_autofree char *at = g_strdup_printf ("slots.%s.%s", slots.slots[k].name, path);
    old_slots[k] = lam_nest_get_tensor (t, u->states, at);
  }
  lam_update arg = {sizeof arg, slots.n, grad, var, u->rate, u->count, old_slots, new_slots};
  enter ((LmTrace *)t, u->optimizer, "update");
  lam_tensor y = vt->update (u->optimizer->instance, t, &arg);
  lm_trace_leave ((LmTrace *)t);
  for (guint k = 0; k < slots.n && lam_is_ok (t); k++) {
    g_autofree char *at = g_strdup_printf ("slots.%s.%s", slots.slots[k].name, path);
    lam_type was, is;
    if (!t->api->type_of (t, old_slots[k], &was) || !t->api->type_of (t, new_slots[k], &is)
        || !lm_type_equal (&was, &is))
      lm_trace_failf ((LmTrace *)t, LM_ERROR_PLUGIN, "optimizer %s (%s): slot %s changed its type",
                      u->optimizer->path, u->optimizer->provided->id, at);
    lam_nest_set_tensor (t, u->new_states, at, new_slots[k]);
  }
  return y;
}

static lam_tensor
update_one (lam_trace *t, const Update *u, const char *path, lam_tensor grad, lam_tensor var)
{
  const LmOptimizerChain *c = u->optimizer->chain;
  lam_type type, got;
  if (!t->api->type_of (t, var, &type))
    return lam_nil ();
  bool skip = skips_lp (t, c, &type, path);
  lam_tensor y = raw_update (t, u, path, regularise (t, c, skip, grad, var), var);
  if (lam_is_ok (t) && (!t->api->type_of (t, y, &got) || !lm_type_equal (&got, &type)))
    lm_trace_failf ((LmTrace *)t, LM_ERROR_PLUGIN,
                    "optimizer %s (%s): the update of %s has another type than the variable",
                    u->optimizer->path, u->optimizer->provided->id, path);
  if (c->decoupled_weight_decay == 0 || skip)
    return y;
  lam_tensor decay =
      lam_cast (t, lam_mul_scalar (t, u->rate, c->decoupled_weight_decay), type.dtype);
  return lam_sub (t, y, lam_mul (t, var, decay));
}

lam_nest
lm_optimizer_update (lam_trace *t, lam_child child, lam_nest grads, lam_nest states, lam_nest vars)
{
  lam_nest nil = {0, 0};
  const LmLayer *optimizer = find (t, child, LAM_KIND_OPTIMIZER, "optimizer_update");
  if (optimizer == NULL)
    return nil;
  uint32_t n = lam_nest_flatten (t, vars, NULL, 0);
  g_autofree lam_tensor *var = g_new0 (lam_tensor, n + 1), *grad = g_new0 (lam_tensor, n + 1);
  g_auto (GStrv) paths = leaf_paths ((LmTrace *)t, vars);
  lam_nest_flatten (t, vars, var, n);
  if (lam_nest_flatten (t, grads, grad, n) != n)
    lam_fail (t, "optimizer_update: gradients and variables differ in structure");
  lam_tensor count = lam_nest_get_tensor (t, states, "count");
  Update u = {optimizer, states, lam_nest_map (t), count, learning_rate (t, optimizer, count)};
  lam_nest_set_tensor (t, u.new_states, "count",
                       lam_add (t, count, lam_full_bits (t, LAM_U32, LAM_SCALAR, 1)));
  for (uint32_t i = 0; i < n && lam_is_ok (t); i++)
    grad[i] = update_one (t, &u, paths[i], grad[i], var[i]);
  lam_nest out = lam_nest_map (t);
  lam_nest_set (t, out, "updates", lam_nest_pack (t, vars, grad, n));
  lam_nest_set (t, out, "states", u.new_states);
  return out;
}
