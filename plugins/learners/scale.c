/* SPDX-License-Identifier: Apache-2.0 */
/* Norms of gradients, whether a step is valid, and clipping (semantics 1.11, 1 to 4). */
#include "learner.h"

/* sum (x^2) as a scalar of the real dtype */
static lam_tensor
square_sum (lam_trace *t, lam_tensor x)
{
  x = lam_cast (t, x, lam_real_dtype (t));
  return lam_sum (t, lam_square (t, x), LAM_EVERY_AXIS, false);
}

lam_tensor
norm_of (lam_trace *t, const lam_tensor *xs, uint32_t n)
{
  lam_tensor total = lam_real (t, 0);
  for (uint32_t i = 0; i < n; i++)
    if (lam_dtype_is_float (lam_dtype_of (t, xs[i])))
      total = lam_add (t, total, square_sum (t, xs[i]));
  return lam_sqrt (t, total);
}

lam_tensor
learned_norm (const plan *plan, const lam_tensor *xs)
{
  for (uint32_t i = 0; i < plan->n; i++)
    plan->work[i] = plan->fates[i] == LEARNED ? xs[i] : lam_nil ();
  return norm_of (plan->t, plan->work, plan->n);
}

void
summarise_each (const plan *plan, const char *name, const lam_tensor *xs, bool all)
{
  lam_trace *t = plan->t;
  lam_namespace_push (t, name);
  for (uint32_t i = 0; i < plan->n; i++)
    if (plan->fates[i] == LEARNED || (all && lam_dtype_is_float (lam_dtype_of (t, xs[i]))))
      lam_add_summary_scalar (t, plan->learn->infos[i]->path, lam_sqrt (t, square_sum (t, xs[i])));
  lam_namespace_pop (t);
}

/* A group of gradients that are scaled together. */
typedef struct group {
  const char *name;      /* namespace of its summaries, NULL: none */
  int64_t owner;         /* of its variables; -1: all */
  double global, single; /* thresholds */
} group;

static bool
is_member (const plan *plan, const group *g, uint32_t i)
{
  return plan->fates[i] == LEARNED && (g->owner < 0 || plan->owners[i] == (uint32_t)g->owner);
}

static lam_tensor
group_norm (const plan *plan, const group *g)
{
  for (uint32_t i = 0; i < plan->n; i++)
    plan->work[i] = is_member (plan, g, i) ? plan->grads[i] : lam_nil ();
  return norm_of (plan->t, plan->work, plan->n);
}

/* min (1, limit / norm); norm 0 gives limit / 0 = inf, so the gradient stays */
static lam_tensor
clip_scale (lam_trace *t, double limit, lam_tensor norm)
{
  return lam_min (t, lam_real (t, 1), lam_div (t, lam_real (t, limit), norm));
}

/* Scales the group's gradients in place; returns the factor of a global clip. */
static lam_tensor
clip (const plan *plan, const group *g, lam_tensor norm)
{
  lam_trace *t = plan->t;
  lam_tensor global = g->global != 0 ? clip_scale (t, g->global, norm) : lam_real (t, 1);
  for (uint32_t i = 0; i < plan->n && (g->global != 0 || g->single != 0); i++) {
    lam_tensor *grad = &plan->grads[i], scale = global;
    if (!is_member (plan, g, i))
      continue;
    if (g->single != 0)
      scale = clip_scale (t, g->single, lam_sqrt (t, square_sum (t, *grad)));
    *grad = lam_mul (t, *grad, lam_cast (t, scale, lam_dtype_of (t, *grad)));
  }
  return global;
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

static lam_tensor
scale_group (const plan *plan, const group *g)
{
  const learner *p = plan->p;
  lam_trace *t = plan->t;
  lam_tensor norm = lam_nil (), valid = lam_nil (), scale;
  if (g->name != NULL)
    lam_namespace_push (t, g->name);
  if (p->grad_norm_summary || p->check_valid_step || g->global != 0)
    norm = group_norm (plan, g);
  if (p->grad_norm_summary)
    lam_add_summary_scalar (t, "grad_norm", norm);
  if (p->check_valid_step)
    valid = validity (p, t, norm);
  scale = clip (plan, g, norm);
  if (p->grad_norm_summary) {
    lam_add_summary_scalar (t, "grad_scale", scale);
    lam_add_summary_scalar (t, "clipped_grad_norm", group_norm (plan, g));
  }
  if (p->grad_norm_summary && p->check_valid_step)
    lam_add_summary_scalar (t, "is_valid_step", lam_cast (t, valid, lam_real_dtype (t)));
  if (g->name != NULL)
    lam_namespace_pop (t);
  return valid;
}

/* The gradients of optimizer k. */
static group
group_of (const learner *p, uint32_t k)
{
  group g = {"main", k, p->clip_gradient_norm_to_value, p->clip_gradient_single_norm_to_value};
  const lam_floats *global = &p->auxiliary_clip_gradient_norm_to_value;
  const lam_floats *single = &p->auxiliary_clip_gradient_single_norm_to_value;
  if (k > 0) {
    g.name = p->auxiliary_names.p[k - 1];
    g.global = global->n > 0 ? global->p[k - 1] : 0;
    g.single = single->n > 0 ? single->p[k - 1] : 0;
  }
  return g;
}

lam_tensor
scale_gradients (plan *plan)
{
  const learner *p = plan->p;
  lam_trace *t = plan->t;
  lam_tensor valid = lam_nil ();
  group all = {NULL, -1, p->clip_gradient_norm_to_value, p->clip_gradient_single_norm_to_value};
  if (p->grad_norm_individual_vars)
    summarise_each (plan, "var_grad_norm", plan->grads, false);
  if (!p->apply_separate_scaling)
    return scale_group (plan, &all);
  for (uint32_t k = 0; k < p->n_optimizers; k++) {
    group g = group_of (p, k);
    lam_tensor one = scale_group (plan, &g);
    valid = lam_is_nil (valid) || lam_is_nil (one) ? one : lam_and (t, valid, one);
  }
  return valid;
}
