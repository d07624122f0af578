/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of the learners (semantics 1.11): norms and clipping, the optimizers' chains,
 * skipping of invalid steps, new variables. */
#include "learner.h"
#include <stdio.h>

void
learner_setup_common (learner *p, lam_setup *s)
{
  if (p->clip_gradient_norm_to_value != 0 && p->clip_gradient_single_norm_to_value != 0)
    lam_setup_fail (s, "clip_gradient_norm_to_value and clip_gradient_single_norm_to_value exclude "
                       "each other: set one of them to 0");
  if (p->bprop_variable_exclusion.n > 0 && p->bprop_variable_inclusion.n > 0)
    lam_setup_fail (s, "bprop_variable_exclusion and bprop_variable_inclusion exclude each other: "
                       "give one of them");
  if (!p->check_valid_step && p->skip_step_gradient_norm_value != 0)
    lam_setup_fail (s, "skip_step_gradient_norm_value needs check_valid_step");
  p->excluded = lam_setup_patterns (s, p->bprop_variable_exclusion, LAM_REGEX_START);
  p->included = lam_setup_patterns (s, p->bprop_variable_inclusion, LAM_REGEX_START);
  p->children[0] = lam_create_optimizer (s, "optimizer", p->optimizer);
  p->n_optimizers = 1;
}

void
policy_select (const learner *p, lam_trace *t, const lam_var_info *const *infos, uint32_t n,
               bool *learnable)
{
  char message[400];
  bool found = p->included.n == 0 || n == 0;
  for (uint32_t i = 0; i < n; i++) {
    fate f = plan_fate (p, t, infos[i]);
    learnable[i] = learnable[i] && (f == LEARNED || f == OVERWRITTEN);
    found = found || learnable[i] || lam_patterns_find (t, p->included, infos[i]->path) >= 0;
  }
  if (!found) {
    snprintf (
        message, sizeof message,
        "bprop_variable_inclusion: no pattern matches a variable, so nothing is learned; they "
        "match at the start of paths such as %.200s",
        infos[0]->path);
    lam_fail (t, message);
  }
}

/* "optimizer" or "auxiliary.<name>" */
static const char *
state_path (const learner *p, uint32_t k, char buffer[128])
{
  if (k == 0)
    return "optimizer";
  snprintf (buffer, 128, "auxiliary.%.100s", p->auxiliary_names.p[k - 1]);
  return buffer;
}

/* True if the host averages variables that have no gradient. */
static bool
averages (lam_trace *t)
{
  return LAM_HAS (t->api, lam_trace_api, optimizer_init_for);
}

lam_nest
policy_init_states (const learner *p, lam_trace *t, const lam_learn *learn)
{
  lam_nest states = lam_nest_map (t);
  char path[128];
  plan plan;
  bool good = plan_init (&plan, p, t, learn);
  for (uint32_t k = 0; good && k < p->n_optimizers; k++) {
    lam_nest own = plan_pick (&plan, plan.vars, k, false), one;
    if (averages (t))
      one = t->api->optimizer_init_for (t, p->children[k], plan_pick (&plan, plan.vars, k, true),
                                        own);
    else
      one = t->api->optimizer_init (t, p->children[k], own);
    lam_nest_set (t, states, state_path (p, k, path), one);
  }
  plan_free (&plan);
  return states;
}

/* Every leaf: new where valid, else old. */
static lam_nest
keep_states (lam_trace *t, lam_tensor valid, lam_nest old_states, lam_nest new_states)
{
  uint32_t n = lam_nest_flatten (t, old_states, NULL, 0);
  lam_tensor *a = (lam_tensor *)calloc ((size_t)n + 1, sizeof *a);
  lam_tensor *b = (lam_tensor *)calloc ((size_t)n + 1, sizeof *b);
  if (a == NULL || b == NULL) {
    t->api->fail (t, LAM_E_NO_MEMORY, "learner: no memory for the list of states");
  } else if (lam_nest_flatten (t, old_states, a, n) == lam_nest_flatten (t, new_states, b, n)) {
    for (uint32_t i = 0; i < n; i++)
      if (!lam_is_nil (a[i]))
        b[i] = lam_where (t, valid, b[i], a[i]);
    new_states = lam_nest_pack (t, old_states, b, n);
  } else {
    lam_fail (t, "learner: the optimizer's states changed their structure");
  }
  free (a);
  free (b);
  return new_states;
}

/* Optimizer k's chain: its updates to plan->updates; its new states are returned. */
static lam_nest
run_optimizer (plan *plan, uint32_t k, lam_nest states)
{
  lam_trace *t = plan->t;
  lam_nest grads = plan_pick (plan, plan->grads, k, false);
  lam_nest vars = plan_pick (plan, plan->vars, k, averages (t));
  lam_nest both = t->api->optimizer_update (t, plan->p->children[k], grads, states, vars);
  plan_read (plan, lam_nest_get (t, both, "updates"), plan->work);
  for (uint32_t i = 0; i < plan->n; i++)
    if (plan_owns (plan, i, k))
      plan->updates[i] = plan->work[i];
  return lam_nest_get (t, both, "states");
}

static lam_nest
run_optimizers (plan *plan, lam_tensor valid)
{
  const learner *p = plan->p;
  lam_trace *t = plan->t;
  lam_nest states = lam_nest_map (t);
  char buffer[128];
  for (uint32_t k = 0; k < p->n_optimizers && lam_is_ok (t); k++) {
    const char *path = state_path (p, k, buffer);
    lam_nest old = lam_nest_get (t, plan->learn->states, path);
    lam_nest one = run_optimizer (plan, k, old);
    if (!lam_is_nil (valid))
      one = keep_states (t, valid, old, one);
    lam_nest_set (t, states, path, one);
  }
  return states;
}

/* Updates of LEARNED variables, 0 in an invalid step; gradients of OVERWRITTEN ones; else 0. */
static void
finish_updates (plan *plan, lam_tensor valid, const lam_tensor *raw)
{
  lam_trace *t = plan->t;
  for (uint32_t i = 0; i < plan->n; i++) {
    lam_tensor *u = &plan->updates[i];
    if (plan->fates[i] == OVERWRITTEN)
      *u = raw[i];
    else if (plan->fates[i] != LEARNED)
      *u = lam_zeros_like (t, plan->vars[i]);
    else if (!lam_is_nil (valid))
      *u = lam_where (t, valid, *u, lam_zeros_like (t, *u));
  }
}

static void
summarise_rates (const learner *p, lam_trace *t, lam_tensor step)
{
  char name[128];
  for (uint32_t k = 1; k < p->n_optimizers; k++) {
    snprintf (name, sizeof name, "learning_rate_%.100s", p->auxiliary_names.p[k - 1]);
    lam_add_summary_scalar (t, name, t->api->optimizer_learning_rate (t, p->children[k], step));
  }
}

static lam_nest
update (plan *plan, const lam_tensor *raw, lam_nest *new_states)
{
  const learner *p = plan->p;
  lam_trace *t = plan->t;
  for (uint32_t i = 0; i < plan->n; i++)
    plan->grads[i] = plan->fates[i] == LEARNED ? raw[i]
                     : plan->fates[i] == KEPT  ? lam_zeros_like (t, plan->vars[i])
                                               : lam_nil ();
  summarise_rates (p, t, plan->learn->step);
  lam_tensor valid = scale_gradients (plan);
  if (!p->enable_skip_step_on_gradient_anomalies)
    valid = lam_nil ();
  *new_states = run_optimizers (plan, valid);
  finish_updates (plan, valid, raw);
  if (p->grad_norm_summary)
    lam_add_summary_scalar (t, "applied_grad_norm", learned_norm (plan, plan->updates));
  return plan_pack (plan, plan->updates);
}

lam_nest
policy_update_states (const learner *p, lam_trace *t, const lam_learn *learn, lam_nest *new_states)
{
  lam_nest updates = {0, 0};
  lam_tensor *raw = (lam_tensor *)calloc ((size_t)learn->n_vars + 1, sizeof *raw);
  plan plan;
  bool good = plan_init (&plan, p, t, learn);
  if (raw == NULL)
    t->api->fail (t, LAM_E_NO_MEMORY, "learner: no memory for the list of gradients");
  if (good && raw != NULL) {
    plan_read (&plan, learn->grads, raw);
    updates = update (&plan, raw, new_states);
  }
  plan_free (&plan);
  free (raw);
  return updates;
}

lam_nest
policy_apply_gradient (const learner *p, lam_trace *t, const lam_learn *learn)
{
  lam_nest out = {0, 0};
  plan plan;
  if (plan_init (&plan, p, t, learn)) {
    if (p->var_norm_summary)
      lam_add_summary_scalar (t, "var_norm", norm_of (t, plan.vars, plan.n));
    if (p->var_norm_individual_vars)
      summarise_each (&plan, "per_var_norm", plan.vars, true);
    plan_read (&plan, learn->updates, plan.updates);
    for (uint32_t i = 0; i < plan.n; i++)
      if (plan.fates[i] == LEARNED)
        plan.vars[i] = lam_add (t, plan.vars[i], plan.updates[i]);
      else if (plan.fates[i] == OVERWRITTEN)
        plan.vars[i] = plan.updates[i];
    out = plan_pack (&plan, plan.vars);
  }
  plan_free (&plan);
  return out;
}
