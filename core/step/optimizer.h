/* SPDX-License-Identifier: Apache-2.0 */
/* The optimizer chain (semantics 1.11 step 5, 1.14), shared by the files core/step/optimizer*.c and
 * ema.c only. States of an optimizer, each part only where its key is set:
 *
 *   count          u32: updates that the plugin has made
 *   slots          <slot>.<variable>: the plugin's
 *   l1, l2, decay  count of that stage
 *   accumulator    count: gradients summed so far; sum.<variable>
 *   ewc            count; vars.<variable>: the variables of the first step
 *   ema            count; vars.<variable>: averages
 *
 * Upstream groups variables by their repeat prefix (keys "no_prefix", "p#2#i-1") to map over a
 * group at once; here each variable is mapped by itself, so states have the same paths with and
 * without a prefix, and one count. */
#ifndef LM_STEP_OPTIMIZER_H
#define LM_STEP_OPTIMIZER_H

#include "core/step/step.h"
#include <lamina/layer.h>
#include <lamina/optimizer.h>
#include <lamina/schedule.h>

/* One call of lm_optimizer_update. */
typedef struct LmChain {
  lam_trace *t;
  const LmLayer *optimizer;
  const LmOptimizerChain *config;
  lam_nest states, new_states;
  lam_tensor count, rate; /* of the plugin's update */
  lam_tensor emit; /* bool: this step the mean of the sub-batches goes to the plugin; nil: always */
} LmChain;

/* One variable on its way through the chain. */
typedef struct LmChainVar {
  const char *path;
  lam_type type;
  int32_t n_prefix; /* leading dims of repeated layers */
  bool skip_lp;     /* in the collection SKIP_LP_REGULARIZATION */
  lam_tensor value;
} LmChainVar;

/* Enters the layer's namespace; lm_trace_leave ends it. */
void lm_chain_enter (lam_trace *t, const LmLayer *layer, const char *method);

/* schedule (count) * learning_rate, real_dtype. */
lam_tensor lm_chain_learning_rate (lam_trace *t, const LmLayer *optimizer, lam_tensor count);

/* --- optimizer_raw.c: the plugin -------------------------------------------------------------- */
void lm_chain_init_slots (const LmChain *c, const LmChainVar *var);
/* The plugin's update; slots go from states to new_states. */
lam_tensor lm_chain_raw (const LmChain *c, const LmChainVar *var, lam_tensor grad);

/* --- optimizer_stages.c ----------------------------------------------------------------------- */
/* "<stage>.count": its start, or its value, which is kept incremented. */
void lm_chain_init_count (const LmChain *c, const char *stage);
lam_tensor lm_chain_take_count (const LmChain *c, const char *stage);

void lm_chain_init_stages (const LmChain *c, const LmChainVar *vars, guint n);
/* Counts and learning rates of this step. */
typedef struct LmChainRates {
  lam_tensor decay, ewc, ewc_count;
} LmChainRates;
void lm_chain_begin (LmChain *c, LmChainRates *rates);
/* The variable's update from its gradient. */
lam_tensor lm_chain_update (const LmChain *c, const LmChainRates *rates, const LmChainVar *var,
                            lam_tensor grad);

/* --- ema.c ------------------------------------------------------------------------------------ */
void lm_chain_init_ema (const LmChain *c, const LmChainVar *vars, guint n);
void lm_chain_update_ema (const LmChain *c, const LmChainVar *vars, guint n);

#endif
