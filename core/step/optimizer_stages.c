/* SPDX-License-Identifier: Apache-2.0 */
/* The stages around the plugin's update, each with its own count: L1, L2, the sum over
 * sub-batches, then decoupled decay and EWC. Sources: praxis apply_lp_regularizer,
 * sharded_static_accumulation, apply_decoupled_weight_decay, apply_ewc_regularization. */
#include "core/step/optimizer.h"

#include "core/base/regex.h"

/* --- counts ----------------------------------------------------------------------------------- */

static char *
join (const char *stage, const char *part)
{
  return g_strdup_printf ("%s.%s", stage, part);
}

void
lm_chain_init_count (const LmChain *c, const char *stage)
{
  g_autofree char *path = join (stage, "count");
  lam_nest_set_tensor (c->t, c->new_states, path, lam_full_bits (c->t, LAM_U32, LAM_SCALAR, 0));
}

static lam_tensor
next (lam_trace *t, lam_tensor count)
{
  return lam_add (t, count, lam_full_bits (t, LAM_U32, LAM_SCALAR, 1));
}

lam_tensor
lm_chain_take_count (const LmChain *c, const char *stage)
{
  g_autofree char *path = join (stage, "count");
  lam_tensor count = lam_nest_get_tensor (c->t, c->states, path);
  lam_nest_set_tensor (c->t, c->new_states, path, next (c->t, count));
  return count;
}

/* --- start ------------------------------------------------------------------------------------ */

/* What sub-batches are summed in. */
static lam_dtype
sum_dtype (const LmChainVar *var)
{
  return var->type.dtype == LAM_F64 ? LAM_F64 : LAM_F32;
}

static char *
var_path (const char *stage, const LmChainVar *var)
{
  return g_strdup_printf ("%s.%s", stage, var->path);
}

void
lm_chain_init_stages (const LmChain *c, const LmChainVar *vars, guint n)
{
  const LmOptimizerChain *config = c->config;
  if (config->l1_regularizer_weight != 0)
    lm_chain_init_count (c, "l1");
  if (config->l2_regularizer_weight != 0)
    lm_chain_init_count (c, "l2");
  if (config->decoupled_weight_decay != 0)
    lm_chain_init_count (c, "decay");
  if (config->num_sub_batches > 1)
    lm_chain_init_count (c, "accumulator");
  if (config->ewc_regularizer_weight != 0)
    lm_chain_init_count (c, "ewc");
  for (guint i = 0; i < n; i++) {
    if (config->num_sub_batches > 1) {
      g_autofree char *path = var_path ("accumulator.sum", &vars[i]);
      lam_nest_set_tensor (
          c->t, c->new_states, path,
          lam_full (c->t, sum_dtype (&vars[i]), lam_shape_of (c->t, vars[i].value), 0));
    }
    if (config->ewc_regularizer_weight != 0) {
      g_autofree char *path = var_path ("ewc.vars", &vars[i]);
      lam_nest_set_tensor (c->t, c->new_states, path, vars[i].value);
    }
  }
}

/* --- one step --------------------------------------------------------------------------------- */

/* The plugin's count, which counts emitted updates. */
static void
begin_sub_batch (LmChain *c)
{
  lam_trace *t = c->t;
  c->count = lam_nest_get_tensor (t, c->states, "count");
  lam_tensor new_count = next (t, c->count);
  if (c->config->num_sub_batches > 1) {
    lam_tensor summed = next (t, lam_nest_get_tensor (t, c->states, "accumulator.count"));
    lam_tensor all = lam_full_bits (t, LAM_U32, LAM_SCALAR, (uint64_t)c->config->num_sub_batches);
    lam_tensor zero = lam_full_bits (t, LAM_U32, LAM_SCALAR, 0);
    c->emit = lam_ge (t, summed, all);
    new_count = lam_where (t, c->emit, new_count, c->count);
    lam_nest_set_tensor (t, c->new_states, "accumulator.count",
                         lam_where (t, c->emit, zero, summed));
  }
  lam_nest_set_tensor (t, c->new_states, "count", new_count);
  c->rate = lm_chain_learning_rate (t, c->optimizer, c->count);
}

void
lm_chain_begin (LmChain *c, LmChainRates *rates)
{
  const LmOptimizerChain *config = c->config;
  begin_sub_batch (c);
  if (config->l1_regularizer_weight != 0)
    lm_chain_take_count (c, "l1");
  if (config->l2_regularizer_weight != 0)
    lm_chain_take_count (c, "l2");
  if (config->decoupled_weight_decay != 0)
    rates->decay = lm_chain_learning_rate (c->t, c->optimizer, lm_chain_take_count (c, "decay"));
  if (config->ewc_regularizer_weight != 0) {
    rates->ewc_count = lm_chain_take_count (c, "ewc");
    rates->ewc = lm_chain_learning_rate (c->t, c->optimizer, rates->ewc_count);
  }
}

/* The regularised gradient; skip_lp_1d_vectors leaves out vectors (of one layer), and so does the
 * collection. */
static lam_tensor
regularise (const LmChain *c, const LmChainVar *var, lam_tensor grad)
{
  lam_trace *t = c->t;
  double l1 = c->config->l1_regularizer_weight, l2 = c->config->l2_regularizer_weight;
  bool vector = var->type.rank - var->n_prefix <= 1;
  if (var->skip_lp || (c->config->skip_lp_1d_vectors && vector))
    return grad;
  if (l1 != 0)
    grad = lam_add (t, grad, lam_mul_scalar (t, lam_sign (t, var->value), l1));
  if (l2 != 0)
    grad = lam_add (t, grad, lam_mul_scalar (t, var->value, l2));
  return grad;
}

/* The plugin gets the mean of num_sub_batches gradients; in the steps between the update is 0
 * and nothing of the plugin's states changes. */
static lam_tensor
accumulate (const LmChain *c, const LmChainVar *var, lam_tensor grad)
{
  lam_trace *t = c->t;
  g_autofree char *path = var_path ("accumulator.sum", var);
  lam_tensor sum = lam_nest_get_tensor (t, c->states, path);
  sum = lam_add (t, sum, lam_cast (t, grad, sum_dtype (var)));
  lam_nest_set_tensor (t, c->new_states, path,
                       lam_where (t, c->emit, lam_zeros_like (t, sum), sum));
  lam_tensor mean = lam_div_scalar (t, sum, (double)c->config->num_sub_batches);
  lam_tensor update = lm_chain_raw (c, var, lam_cast (t, mean, var->type.dtype));
  return lam_where (t, c->emit, update, lam_zeros_like (t, update));
}

/* update - rate * weight * value, the factor rounded once to the variable's dtype. */
static lam_tensor
pull (lam_trace *t, lam_tensor update, lam_tensor rate, double weight, lam_tensor value)
{
  lam_tensor factor = lam_cast (t, lam_mul_scalar (t, rate, weight), lam_dtype_of (t, value));
  return lam_sub (t, update, lam_mul (t, value, factor));
}

/* ewc_weight_per_var of the variable. */
static double
ewc_factor (const LmChain *c, const LmChainVar *var)
{
  const GPtrArray *patterns = c->optimizer->chain_patterns;
  for (guint i = 0; i < patterns->len; i++) {
    LmRegexResult found = lm_regex_match (patterns->pdata[i], var->path);
    if (found == LM_REGEX_YES)
      return c->config->ewc_weight_per_var.p[i];
    if (found == LM_REGEX_GAVE_UP)
      lm_trace_failf ((LmTrace *)c->t, LM_ERROR_INVALID,
                      "%s: ewc_var_patterns: \"%s\" needs too many steps on %s", c->optimizer->path,
                      c->config->ewc_var_patterns.p[i], var->path);
  }
  return 1;
}

/* At count 0 the snapshot is taken again, so the first step has no pull. */
static lam_tensor
consolidate (const LmChain *c, const LmChainRates *rates, const LmChainVar *var, lam_tensor update)
{
  lam_trace *t = c->t;
  g_autofree char *path = var_path ("ewc.vars", var);
  lam_tensor first = lam_eq (t, rates->ewc_count, lam_full_bits (t, LAM_U32, LAM_SCALAR, 0));
  lam_tensor kept = lam_nest_get_tensor (t, c->states, path);
  kept = lam_where (t, first, var->value, kept);
  lam_nest_set_tensor (t, c->new_states, path, kept);
  double weight = c->config->ewc_regularizer_weight / 2 * ewc_factor (c, var);
  return pull (t, update, rates->ewc, weight, lam_sub (t, var->value, kept));
}

lam_tensor
lm_chain_update (const LmChain *c, const LmChainRates *rates, const LmChainVar *var,
                 lam_tensor grad)
{
  const LmOptimizerChain *config = c->config;
  grad = regularise (c, var, grad);
  lam_tensor y =
      config->num_sub_batches > 1 ? accumulate (c, var, grad) : lm_chain_raw (c, var, grad);
  if (config->decoupled_weight_decay != 0 && !var->skip_lp)
    y = pull (c->t, y, rates->decay, config->decoupled_weight_decay, var->value);
  if (config->ewc_regularizer_weight != 0)
    y = consolidate (c, rates, var, y);
  return y;
}
