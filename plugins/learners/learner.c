/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.learner: norm, validity, clipping, optimizer, skipping, in this order. Semantics: lingvo-jax
 * and paxml Learner. Variables that are not learnable never reach the optimizer. */
#include <lamina/learner.h>
#include <stdlib.h>

typedef struct {
  const char *loss_name;
  lam_child_config optimizer;
  double clip_gradient_norm_to_value, clip_gradient_single_norm_to_value;
  double skip_step_gradient_norm_value;
  bool enable_skip_step_on_gradient_anomalies;
  bool grad_norm_summary, grad_norm_individual_vars, var_norm_summary;
  lam_child child;
} learner;

LAM_FIELDS (
    learner, LAM_STRING (loss_name, "loss", "The metric to make small."),
    LAM_LAYER_CONFIG (optimizer, NULL, "The optimizer, such as lamina.sgd."), LAM_REQUIRED,
    LAM_FLOAT (clip_gradient_norm_to_value, 0, "Most global norm of the gradients; 0: no limit."),
    LAM_MIN (0),
    LAM_FLOAT (clip_gradient_single_norm_to_value, 0, "Most norm of each gradient; 0: no limit."),
    LAM_MIN (0),
    LAM_FLOAT (skip_step_gradient_norm_value, 0,
               "Global norm from which on a step is invalid; 0: "
               "any finite one is valid."),
    LAM_MIN (0),
    LAM_BOOL (enable_skip_step_on_gradient_anomalies, true,
              "Whether an invalid step (norm not finite, or too large) changes nothing."),
    LAM_BOOL (grad_norm_summary, true, "Whether to add the summaries grad_norm and grad_scale."),
    LAM_BOOL (grad_norm_individual_vars, false, "Whether to add var_grad_norm/<path> as well."),
    LAM_BOOL (var_norm_summary, true, "Whether to add the summary var_norm."))

static void
learner_setup (learner *p, lam_setup *s)
{
  if (p->clip_gradient_norm_to_value != 0 && p->clip_gradient_single_norm_to_value != 0)
    lam_setup_fail (s, "clip_gradient_norm_to_value and clip_gradient_single_norm_to_value exclude "
                       "each other: set one of them to 0");
  p->child = lam_create_optimizer (s, "optimizer", p->optimizer);
}

static const char *
learner_loss_name (const learner *p)
{
  return p->loss_name;
}

static lam_tensor
learner_learning_rate (const learner *p, lam_trace *t, lam_tensor step)
{
  return t->api->optimizer_learning_rate (t, p->child, step);
}

/* Leaves of a tree, n of them; freed by the caller; NULL and the sticky error when there is no memory
 * or another number of leaves. */
static lam_tensor *
leaves_of (lam_trace *t, lam_nest tree, uint32_t n)
{
  lam_tensor *leaves = (lam_tensor *)calloc ((size_t)n + 1, sizeof *leaves);
  if (leaves == NULL)
    t->api->fail (t, LAM_E_NO_MEMORY, "learner: no memory for the list of variables");
  else if (lam_nest_flatten (t, tree, leaves, n) != n)
    lam_fail (t, "learner: a tree has another number of leaves than there are variables");
  return leaves;
}

/* The tree of variables with nil in place of those that are not learnable. */
static lam_nest
learnable_vars (lam_trace *t, const lam_learn *learn)
{
  lam_tensor *vars = leaves_of (t, learn->vars, learn->n_vars);
  lam_nest tree = {0, 0};
  for (uint32_t i = 0; vars != NULL && i < learn->n_vars; i++)
    if (!learn->infos[i]->learnable)
      vars[i] = lam_nil ();
  if (vars != NULL)
    tree = lam_nest_pack (t, learn->vars, vars, learn->n_vars);
  free (vars);
  return tree;
}

static lam_nest
learner_init_states (const learner *p, lam_trace *t, const lam_learn *learn)
{
  lam_nest states = lam_nest_map (t);
  lam_nest_set (t, states, "optimizer",
                t->api->optimizer_init (t, p->child, learnable_vars (t, learn)));
  return states;
}

/* sum (x^2) as a scalar of the real dtype */
static lam_tensor
square_sum (lam_trace *t, lam_tensor x)
{
  x = lam_cast (t, x, lam_real_dtype (t));
  return lam_sum (t, lam_square (t, x), LAM_EVERY_AXIS, false);
}

/* sqrt (sum of squares) of all floats in xs */
static lam_tensor
global_norm (lam_trace *t, const lam_tensor *xs, uint32_t n)
{
  lam_tensor total = lam_real (t, 0);
  for (uint32_t i = 0; i < n; i++)
    if (lam_dtype_is_float (lam_dtype_of (t, xs[i])))
      total = lam_add (t, total, square_sum (t, xs[i]));
  return lam_sqrt (t, total);
}

/* x * min (1, limit / norm); norm 0 gives limit / 0 = inf, so x stays */
static lam_tensor
clip_scale (lam_trace *t, double limit, lam_tensor norm)
{
  return lam_min (t, lam_real (t, 1), lam_div (t, lam_real (t, limit), norm));
}

static lam_tensor
scale_by (lam_trace *t, lam_tensor x, lam_tensor scale)
{
  return lam_mul (t, x, lam_cast (t, scale, lam_dtype_of (t, x)));
}

static void
summarise_each (lam_trace *t, const lam_learn *learn, const lam_tensor *grads)
{
  lam_namespace_push (t, "var_grad_norm");
  for (uint32_t i = 0; i < learn->n_vars; i++)
    if (learn->infos[i]->learnable)
      lam_add_summary_scalar (t, learn->infos[i]->path, lam_sqrt (t, square_sum (t, grads[i])));
  lam_namespace_pop (t);
}

/* Clips grads in place; norm: the global one. */
static void
clip (const learner *p, lam_trace *t, const lam_learn *learn, lam_tensor *grads, lam_tensor norm)
{
  double global = p->clip_gradient_norm_to_value, single = p->clip_gradient_single_norm_to_value;
  lam_tensor scale = global != 0 ? clip_scale (t, global, norm) : lam_real (t, 1);
  if (p->grad_norm_summary)
    lam_add_summary_scalar (t, "grad_scale", scale);
  for (uint32_t i = 0; i < learn->n_vars; i++) {
    if (!learn->infos[i]->learnable)
      continue;
    if (single != 0)
      scale = clip_scale (t, single, lam_sqrt (t, square_sum (t, grads[i])));
    if (global != 0 || single != 0)
      grads[i] = scale_by (t, grads[i], scale);
  }
}

/* Every leaf: new where valid, else old. */
static lam_nest
keep_states (lam_trace *t, lam_tensor valid, lam_nest old_states, lam_nest new_states)
{
  uint32_t n = lam_nest_flatten (t, old_states, NULL, 0);
  lam_tensor *a = leaves_of (t, old_states, n), *b = leaves_of (t, new_states, n);
  for (uint32_t i = 0; a != NULL && b != NULL && i < n; i++)
    if (!lam_is_nil (a[i]))
      b[i] = lam_where (t, valid, b[i], a[i]);
  if (a != NULL && b != NULL)
    new_states = lam_nest_pack (t, old_states, b, n);
  free (a);
  free (b);
  return new_states;
}

/* Updates with zeros where a variable is not learnable or, if asked for, the step is not valid. */
static lam_nest
keep_updates (const learner *p, lam_trace *t, const lam_learn *learn, lam_tensor valid,
              lam_nest updates)
{
  lam_tensor *u = leaves_of (t, updates, learn->n_vars);
  lam_tensor *vars = leaves_of (t, learn->vars, learn->n_vars);
  for (uint32_t i = 0; u != NULL && vars != NULL && i < learn->n_vars; i++) {
    if (!learn->infos[i]->learnable)
      u[i] = lam_zeros_like (t, vars[i]);
    else if (p->enable_skip_step_on_gradient_anomalies)
      u[i] = lam_where (t, valid, u[i], lam_zeros_like (t, u[i]));
  }
  if (u != NULL && vars != NULL)
    updates = lam_nest_pack (t, learn->vars, u, learn->n_vars);
  free (u);
  free (vars);
  return updates;
}

/* isfinite (norm) and, with a threshold, norm < threshold: a bool scalar */
static lam_tensor
validity (const learner *p, lam_trace *t, lam_tensor norm)
{
  lam_tensor valid = lam_is_finite (t, norm);
  if (p->skip_step_gradient_norm_value == 0)
    return valid;
  return lam_and (t, valid, lam_lt (t, norm, lam_real (t, p->skip_step_gradient_norm_value)));
}

static lam_nest
learner_update_states (const learner *p, lam_trace *t, const lam_learn *learn, lam_nest *new_states)
{
  lam_tensor *grads = leaves_of (t, learn->grads, learn->n_vars), norm, valid;
  lam_nest old, both, updates = {0, 0}, kept;
  if (grads == NULL)
    return updates;
  for (uint32_t i = 0; i < learn->n_vars; i++)
    if (!learn->infos[i]->learnable)
      grads[i] = lam_nil ();
  norm = global_norm (t, grads, learn->n_vars);
  if (p->grad_norm_summary)
    lam_add_summary_scalar (t, "grad_norm", norm);
  if (p->grad_norm_individual_vars)
    summarise_each (t, learn, grads);
  valid = validity (p, t, norm);
  clip (p, t, learn, grads, norm);
  old = lam_nest_get (t, learn->states, "optimizer");
  both =
      t->api->optimizer_update (t, p->child, lam_nest_pack (t, learn->grads, grads, learn->n_vars),
                                old, learnable_vars (t, learn));
  free (grads);
  updates = keep_updates (p, t, learn, valid, lam_nest_get (t, both, "updates"));
  kept = lam_nest_get (t, both, "states");
  if (p->enable_skip_step_on_gradient_anomalies)
    kept = keep_states (t, valid, old, kept);
  *new_states = lam_nest_map (t);
  lam_nest_set (t, *new_states, "optimizer", kept);
  return updates;
}

static lam_nest
learner_apply_gradient (const learner *p, lam_trace *t, const lam_learn *learn)
{
  lam_tensor *vars = leaves_of (t, learn->vars, learn->n_vars);
  lam_tensor *u = leaves_of (t, learn->updates, learn->n_vars);
  lam_nest out = {0, 0};
  if (vars != NULL && p->var_norm_summary)
    lam_add_summary_scalar (t, "var_norm", global_norm (t, vars, learn->n_vars));
  for (uint32_t i = 0; vars != NULL && u != NULL && i < learn->n_vars; i++)
    if (learn->infos[i]->learnable)
      vars[i] = lam_add (t, vars[i], u[i]);
  if (vars != NULL && u != NULL)
    out = lam_nest_pack (t, learn->vars, vars, learn->n_vars);
  free (vars);
  free (u);
  return out;
}

LAM_LEARNER (learner, "lamina.learner", 1, "One optimizer, with clipping and skipping.")
