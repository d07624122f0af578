/* SPDX-License-Identifier: Apache-2.0 */
/* What learners ask of an optimizer: learning rates, start states, updates. A skipped step is the
 * learner's business: it keeps the old states, counts included. */
#include "core/step/optimizer.h"

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

void
lm_chain_enter (lam_trace *t, const LmLayer *layer, const char *method)
{
  g_autofree char *name_space = g_strdup_printf ("%s.%s", layer->name, method);
  LmTraceLayer entered = {layer->id, layer->path, name_space};
  lm_trace_enter ((LmTrace *)t, &entered);
}

/* --- learning rates --------------------------------------------------------------------------- */

static lam_tensor
schedule_value (lam_trace *t, const LmLayer *schedule, lam_tensor count)
{
  const lam_schedule_vt *vt = schedule->provided->vtable;
  lm_chain_enter (t, schedule, "value");
  lam_tensor y = vt->value (schedule->instance, t, count);
  lm_trace_leave ((LmTrace *)t);
  lam_type wanted = {.dtype = lam_real_dtype (t)}, type;
  bool found = lam_is_ok (t) && t->api->type_of (t, y, &type);
  if (!lam_is_ok (t) || (found && lm_type_equal (&wanted, &type)))
    return y;
  g_autofree char *want = lm_type_to_string (&wanted);
  g_autofree char *have = found ? lm_type_to_string (&type) : g_strdup ("nothing");
  lm_trace_failf ((LmTrace *)t, LM_ERROR_PLUGIN, "schedule %s (%s): value: wanted %s, got %s",
                  schedule->path, schedule->provided->id, want, have);
  return y;
}

lam_tensor
lm_schedule_value (lam_trace *t, lam_child child, lam_tensor count)
{
  const LmLayer *schedule = find (t, child, LAM_KIND_SCHEDULE, "schedule_value");
  return schedule != NULL ? schedule_value (t, schedule, count) : lam_nil ();
}

lam_tensor
lm_chain_learning_rate (lam_trace *t, const LmLayer *optimizer, lam_tensor count)
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
  return optimizer != NULL ? lm_chain_learning_rate (t, optimizer, count) : lam_nil ();
}

/* --- variables -------------------------------------------------------------------------------- */

/* The leaves of a tree of variables that are not nil. */
typedef struct Vars {
  guint n_leaves, n;
  char **paths;     /* of all leaves */
  guint *leaf;      /* of each variable: its number among the leaves */
  LmChainVar *vars; /* n */
} Vars;

static void
vars_clear (Vars *v)
{
  g_strfreev (v->paths);
  g_free (v->leaf);
  g_free (v->vars);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Vars, vars_clear)

/* What the model says of the variable at a path, if it has it. */
static const lam_var_info *
info_at (const LmModel *model, const char *path)
{
  const LmNest *leaf = lm_nest_get (lm_model_var_tree (model), path);
  guint id = leaf != NULL && lm_nest_kind (leaf) == LM_NEST_LEAF ? (guint)lm_nest_leaf (leaf) : 0;
  return id != 0 ? lm_model_var (model, id - 1) : NULL;
}

static void
read_vars (lam_trace *t, const LmOptimizerChain *chain, lam_nest tree, Vars *out)
{
  const LmNest *nest = lm_trace_nest_peek ((LmTrace *)t, tree);
  out->n_leaves = lam_nest_flatten (t, tree, NULL, 0);
  out->paths = nest != NULL ? lm_nest_paths (nest) : g_new0 (char *, 1);
  out->leaf = g_new0 (guint, out->n_leaves + 1);
  out->vars = g_new0 (LmChainVar, out->n_leaves + 1);
  g_autofree lam_tensor *leaves = g_new0 (lam_tensor, out->n_leaves + 1);
  lam_nest_flatten (t, tree, leaves, out->n_leaves);
  for (guint i = 0; i < out->n_leaves; i++) {
    LmChainVar *var = &out->vars[out->n];
    if (!t->api->type_of (t, leaves[i], &var->type))
      continue;
    const lam_var_info *info = info_at (lm_trace_model (t), out->paths[i]);
    var->path = out->paths[i];
    var->value = leaves[i];
    if (info != NULL && chain->vectorize_on_repeat_prefix)
      var->n_prefix = CLAMP (info->n_prefix, 0, var->type.rank);
    var->skip_lp = info != NULL && (info->collections & LAM_SKIP_LP_REGULARIZATION) != 0;
    out->leaf[out->n++] = i;
  }
}

/* The leaves of a tree of the same structure, by leaf number; free with g_free. */
static lam_tensor *
read_beside (lam_trace *t, const Vars *v, lam_nest tree, const char *what)
{
  lam_tensor *leaves = g_new0 (lam_tensor, v->n_leaves + 1);
  if (lam_nest_flatten (t, tree, leaves, v->n_leaves) != v->n_leaves)
    lm_trace_failf ((LmTrace *)t, LM_ERROR_INVALID, "%s and variables differ in structure", what);
  return leaves;
}

/* --- start ------------------------------------------------------------------------------------ */

lam_nest
lm_optimizer_init_for (lam_trace *t, lam_child child, lam_nest tree, lam_nest learned)
{
  lam_nest nil = {0, 0};
  const LmLayer *optimizer = find (t, child, LAM_KIND_OPTIMIZER, "optimizer_init");
  if (optimizer == NULL)
    return nil;
  LmChain c = {
      .t = t, .optimizer = optimizer, .config = optimizer->chain, .new_states = lam_nest_map (t)};
  g_auto (Vars) all = {0};
  read_vars (t, c.config, tree, &all);
  g_autofree lam_tensor *wanted = read_beside (t, &all, learned, "optimizer_init: learned");
  g_autofree LmChainVar *own = g_new0 (LmChainVar, all.n + 1);
  guint n = 0;
  for (guint i = 0; i < all.n; i++)
    if (!lam_is_nil (wanted[all.leaf[i]]))
      own[n++] = all.vars[i];
  lam_nest_set_tensor (t, c.new_states, "count", lam_full_bits (t, LAM_U32, LAM_SCALAR, 0));
  for (guint i = 0; i < n; i++)
    lm_chain_init_slots (&c, &own[i]);
  lm_chain_init_stages (&c, own, n);
  lm_chain_init_ema (&c, all.vars, all.n);
  return c.new_states;
}

lam_nest
lm_optimizer_init (lam_trace *t, lam_child child, lam_nest vars)
{
  return lm_optimizer_init_for (t, child, vars, vars);
}

/* --- update ----------------------------------------------------------------------------------- */

lam_nest
lm_optimizer_update (lam_trace *t, lam_child child, lam_nest grads, lam_nest states, lam_nest vars)
{
  lam_nest nil = {0, 0};
  const LmLayer *optimizer = find (t, child, LAM_KIND_OPTIMIZER, "optimizer_update");
  if (optimizer == NULL)
    return nil;
  LmChain c = {.t = t,
               .optimizer = optimizer,
               .config = optimizer->chain,
               .states = states,
               .new_states = lam_nest_map (t)};
  LmChainRates rates = {{0, 0}, {0, 0}, {0, 0}};
  g_auto (Vars) all = {0};
  read_vars (t, c.config, vars, &all);
  g_autofree lam_tensor *grad = read_beside (t, &all, grads, "optimizer_update: gradients");
  g_autofree lam_tensor *updates = g_new0 (lam_tensor, all.n_leaves + 1);
  lm_chain_begin (&c, &rates);
  for (guint i = 0; i < all.n && lam_is_ok (t); i++)
    if (!lam_is_nil (grad[all.leaf[i]]))
      updates[all.leaf[i]] = lm_chain_update (&c, &rates, &all.vars[i], grad[all.leaf[i]]);
  lm_chain_update_ema (&c, all.vars, all.n);
  lam_nest out = lam_nest_map (t);
  lam_nest_set (t, out, "updates", lam_nest_pack (t, vars, updates, all.n_leaves));
  lam_nest_set (t, out, "states", c.new_states);
  return out;
}
