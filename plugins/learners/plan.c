/* SPDX-License-Identifier: Apache-2.0 */
/* Which variable a learner treats how, and which of its optimizers gets it. */
#include "learner.h"
#include <stdio.h>

void
plan_free (plan *plan)
{
  free (plan->fates);
  free (plan->owners);
  free (plan->vars);
  free (plan->work);
  free (plan->grads);
  free (plan->updates);
}

void
plan_read (plan *plan, lam_nest tree, lam_tensor *out)
{
  if (lam_nest_flatten (plan->t, tree, out, plan->n) != plan->n)
    lam_fail (plan->t, "learner: a tree has another number of leaves than there are variables");
}

/* True if the patterns let it be learned. */
static bool
is_chosen (const learner *p, lam_trace *t, const char *path)
{
  if (p->included.n > 0)
    return lam_patterns_find (t, p->included, path) >= 0;
  return lam_patterns_find (t, p->excluded, path) < 0;
}

fate
plan_fate (const learner *p, lam_trace *t, const lam_var_info *info)
{
  bool trainable =
      !(info->collections & LAM_NON_TRAINABLE) && lam_dtype_is_float (info->type.dtype);
  if (!trainable)
    return AVERAGED;
  if (!is_chosen (p, t, info->path))
    return p->keep_optimizer_state_for_excluded_vars ? KEPT : FIXED;
  if (!info->learnable)
    return FIXED;
  return info->collections & LAM_OVERWRITE_WITH_GRADIENT ? OVERWRITTEN : LEARNED;
}

/* 0: primary; k: the auxiliary whose pattern matches; two that match are an error. */
static uint32_t
owner_of (const learner *p, lam_trace *t, const char *path)
{
  char message[400];
  int64_t first = lam_patterns_find (t, p->auxiliary, path);
  if (first < 0)
    return 0;
  int64_t second = lam_patterns_find_from (t, p->auxiliary, path, (uint64_t)first + 1);
  if (second >= 0) {
    snprintf (message, sizeof message,
              "auxiliary_regex \"%.100s\" and \"%.100s\" both match %.100s; make them exclude each "
              "other",
              p->auxiliary_regex.p[first], p->auxiliary_regex.p[second], path);
    lam_fail (t, message);
  }
  return (uint32_t)first + 1;
}

bool
plan_init (plan *out, const learner *p, lam_trace *t, const lam_learn *learn)
{
  size_t n = (size_t)learn->n_vars + 1;
  plan made = {.p = p, .t = t, .learn = learn, .n = learn->n_vars};
  made.fates = (fate *)calloc (n, sizeof *made.fates);
  made.owners = (uint32_t *)calloc (n, sizeof *made.owners);
  made.vars = (lam_tensor *)calloc (n, sizeof *made.vars);
  made.work = (lam_tensor *)calloc (n, sizeof *made.work);
  made.grads = (lam_tensor *)calloc (n, sizeof *made.grads);
  made.updates = (lam_tensor *)calloc (n, sizeof *made.updates);
  *out = made;
  if (made.fates == NULL || made.owners == NULL || made.vars == NULL || made.work == NULL
      || made.grads == NULL || made.updates == NULL) {
    t->api->fail (t, LAM_E_NO_MEMORY, "learner: no memory for the list of variables");
    return false;
  }
  plan_read (out, learn->vars, out->vars);
  for (uint32_t i = 0; i < out->n; i++) {
    out->fates[i] = plan_fate (p, t, learn->infos[i]);
    out->owners[i] = out->fates[i] == LEARNED || out->fates[i] == KEPT
                         ? owner_of (p, t, learn->infos[i]->path)
                         : 0;
  }
  return lam_is_ok (t);
}

bool
plan_owns (const plan *plan, uint32_t i, uint32_t k)
{
  return (plan->fates[i] == LEARNED || plan->fates[i] == KEPT) && plan->owners[i] == k;
}

lam_nest
plan_pack (const plan *plan, const lam_tensor *leaves)
{
  return lam_nest_pack (plan->t, plan->learn->vars, leaves, plan->n);
}

lam_nest
plan_pick (plan *plan, const lam_tensor *leaves, uint32_t k, bool with_averaged)
{
  for (uint32_t i = 0; i < plan->n; i++) {
    bool averaged =
        with_averaged && k == 0
        && (plan->fates[i] == AVERAGED || plan->fates[i] == LEARNED || plan->fates[i] == KEPT);
    plan->work[i] = plan_owns (plan, i, k) || averaged ? leaves[i] : lam_nil ();
  }
  return plan_pack (plan, plan->work);
}
