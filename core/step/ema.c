/* SPDX-License-Identifier: Apache-2.0 */
/* Averages of the variables (ema_decay), for evaluation. Source: praxis apply_ema_weights. */
#include "core/step/optimizer.h"

#include <string.h>

static char *
average_path (const LmChainVar *var)
{
  return g_strdup_printf ("ema.vars.%s", var->path);
}

void
lm_chain_init_ema (const LmChain *c, const LmChainVar *vars, guint n)
{
  if (c->config->ema_decay == 0)
    return;
  lm_chain_init_count (c, "ema");
  lam_nest_set (c->t, c->new_states, "ema.vars", lam_nest_map (c->t));
  for (guint i = 0; i < n; i++) {
    g_autofree char *path = average_path (&vars[i]);
    lam_nest_set_tensor (c->t, c->new_states, path, vars[i].value);
  }
}

/* 1 - min (decay, (1 + count) / (10 + count)), a scalar of real_dtype */
static lam_tensor
rate_of (const LmChain *c)
{
  lam_trace *t = c->t;
  lam_tensor n = lam_cast (t, lm_chain_take_count (c, "ema"), lam_real_dtype (t));
  lam_tensor d = lam_div (t, lam_add_scalar (t, n, 1), lam_add_scalar (t, n, 10));
  return lam_sub (t, lam_real (t, 1), lam_min_scalar (t, d, c->config->ema_decay));
}

void
lm_chain_update_ema (const LmChain *c, const LmChainVar *vars, guint n)
{
  lam_trace *t = c->t;
  if (c->config->ema_decay == 0)
    return;
  lam_tensor rate = rate_of (c);
  lam_nest_set (t, c->new_states, "ema.vars", lam_nest_map (t));
  for (guint i = 0; i < n && lam_is_ok (t); i++) {
    g_autofree char *path = average_path (&vars[i]);
    lam_tensor value = vars[i].value; /* integers and booleans: copied */
    if (lam_dtype_is_float (vars[i].type.dtype)) {
      lam_tensor old = lam_nest_get_tensor (t, c->states, path);
      lam_tensor step =
          lam_mul (t, lam_sub (t, old, value), lam_cast (t, rate, vars[i].type.dtype));
      value = lam_sub (t, old, step);
    }
    lam_nest_set_tensor (t, c->new_states, path, value);
  }
}

const LmNest *
lm_optimizer_find_ema (const LmNest *states)
{
  if (lm_nest_kind (states) == LM_NEST_LEAF)
    return NULL;
  const LmNest *found = NULL;
  bool map = lm_nest_kind (states) == LM_NEST_MAP;
  if (map && lm_nest_get (states, "count") != NULL && lm_nest_get (states, "ema.count") != NULL)
    found = lm_nest_get (states, "ema.vars");
  for (guint i = 0; i < lm_nest_size (states) && found == NULL; i++)
    if (!map || strcmp (lm_nest_key (states, i), "slots") != 0)
      found = lm_optimizer_find_ema (lm_nest_child (states, i));
  return found;
}
