/* SPDX-License-Identifier: Apache-2.0 */
/* What lamina.learner and lamina.multi_optimizer_learner share: one struct, one policy; the
 * plain learner has no auxiliary optimizers. Semantics: lingvo-jax and paxml Learner,
 * MultiOptimizerLearner. */
#ifndef LAMINA_PLUGINS_LEARNERS_H
#define LAMINA_PLUGINS_LEARNERS_H

#include <lamina/learner.h>
#include <lamina/ext/regex.h>
#include <stdlib.h>

#define MAX_OPTIMIZERS 16 /* of one learner */

typedef struct learner {
  /* config */
  const char *loss_name, *match;
  lam_child_config optimizer, auxiliary_optimizers;
  double clip_gradient_norm_to_value, clip_gradient_single_norm_to_value;
  double skip_step_gradient_norm_value;
  bool enable_skip_step_on_gradient_anomalies, check_valid_step;
  bool grad_norm_summary, grad_norm_individual_vars, var_norm_summary, var_norm_individual_vars;
  bool keep_optimizer_state_for_excluded_vars, apply_separate_scaling;
  lam_strings bprop_variable_exclusion, bprop_variable_inclusion;
  lam_strings auxiliary_regex, auxiliary_names;
  lam_floats auxiliary_clip_gradient_norm_to_value, auxiliary_clip_gradient_single_norm_to_value;
  /* derived; optimizer 0 is the primary one */
  uint32_t n_optimizers;
  lam_child children[MAX_OPTIMIZERS];
  lam_patterns excluded, included, auxiliary;
} learner;

/* The fields of both. */
#define LEARNER_FIELDS                                                                             \
  LAM_STRING (loss_name, "loss", "The metric to make small."),                                     \
      LAM_LAYER_CONFIG (optimizer, NULL, "The optimizer, such as lamina.sgd."), LAM_REQUIRED,      \
      LAM_FLOAT (clip_gradient_norm_to_value, 0,                                                   \
                 "Most global norm of the gradients; 0: no limit."),                               \
      LAM_MIN (0),                                                                                 \
      LAM_FLOAT (clip_gradient_single_norm_to_value, 0,                                            \
                 "Most norm of each gradient; 0: no limit."),                                      \
      LAM_MIN (0),                                                                                 \
      LAM_BOOL (check_valid_step, true,                                                            \
                "False: every step is valid, and no norm is computed for it."),                    \
      LAM_FLOAT (skip_step_gradient_norm_value, 0,                                                 \
                 "Global norm from which on a step is invalid; 0: any finite one is valid."),      \
      LAM_MIN (0),                                                                                 \
      LAM_BOOL (enable_skip_step_on_gradient_anomalies, true,                                      \
                "Whether an invalid step (norm not finite, or too large) changes nothing."),       \
      LAM_STRINGS (bprop_variable_exclusion, NULL,                                                 \
                   "Patterns, matched at the start of paths, of variables that stay fixed."),      \
      LAM_STRINGS (bprop_variable_inclusion, NULL,                                                 \
                   "Patterns, matched at the start of paths, of the only variables to learn."),    \
      LAM_BOOL (keep_optimizer_state_for_excluded_vars, false,                                     \
                "Whether the fixed variables have optimizer states all the same."),                \
      LAM_BOOL (grad_norm_summary, true,                                                           \
                "Whether to add the summaries grad_norm, clipped_grad_norm, applied_grad_norm, "   \
                "grad_scale and is_valid_step."),                                                  \
      LAM_BOOL (grad_norm_individual_vars, false, "Whether to add var_grad_norm/<path> as well."), \
      LAM_BOOL (var_norm_summary, true, "Whether to add the summary var_norm."),                   \
      LAM_BOOL (var_norm_individual_vars, false, "Whether to add per_var_norm/<path> as well.")

/* What becomes of a variable. */
typedef enum {
  FIXED,       /* nothing */
  AVERAGED,    /* not trainable: only the optimizer's average of variables sees it */
  KEPT,        /* excluded, but with optimizer states: gradient 0, update dropped */
  OVERWRITTEN, /* its gradient is its new value; norms, clipping and optimizers do not see it */
  LEARNED
} fate;

/* One call's variables, in flatten order. */
typedef struct plan {
  const learner *p;
  lam_trace *t;
  const lam_learn *learn;
  uint32_t n;
  fate *fates;                 /* n */
  uint32_t *owners;            /* n: which optimizer */
  lam_tensor *vars;            /* n */
  lam_tensor *work;            /* n: room for one list more */
  lam_tensor *grads, *updates; /* n, of update_states */
} plan;

/* plan.c. False after an error; plan_free either way. */
bool plan_init (plan *plan, const learner *p, lam_trace *t, const lam_learn *learn);
void plan_free (plan *plan);
/* Leaves of a tree as the plan's variables. */
void plan_read (plan *plan, lam_nest tree, lam_tensor *out);
/* The fate of a variable: OVERWRITTEN, LEARNED ... */
fate plan_fate (const learner *p, lam_trace *t, const lam_var_info *info);
/* True if optimizer k has states for variable i / sees it at all (averages). */
bool plan_owns (const plan *plan, uint32_t i, uint32_t k);
/* A tree of those leaves that optimizer k owns, and with_averaged those that it averages. */
lam_nest plan_pick (plan *plan, const lam_tensor *leaves, uint32_t k, bool with_averaged);
lam_nest plan_pack (const plan *plan, const lam_tensor *leaves);

/* scale.c. Clips plan->grads in place and adds the summaries; returns whether the step is valid,
 * a bool scalar, nil: it always is. */
lam_tensor scale_gradients (plan *plan);
/* Global norm of those xs that are LEARNED, real_dtype. */
lam_tensor learned_norm (const plan *plan, const lam_tensor *xs);
/* Global norm of all floats. */
lam_tensor norm_of (lam_trace *t, const lam_tensor *xs, uint32_t n);
/* name/<path> for each LEARNED variable (all of them: every float). */
void summarise_each (const plan *plan, const char *name, const lam_tensor *xs, bool all);

/* policy.c: the methods of both learners */
void learner_setup_common (learner *p, lam_setup *s);
lam_nest policy_init_states (const learner *p, lam_trace *t, const lam_learn *learn);
lam_nest policy_update_states (const learner *p, lam_trace *t, const lam_learn *learn,
                               lam_nest *new_states);
lam_nest policy_apply_gradient (const learner *p, lam_trace *t, const lam_learn *learn);
void policy_select (const learner *p, lam_trace *t, const lam_var_info *const *infos, uint32_t n,
                    bool *learnable);

/* The methods of a learner type T, which is `learner` by another name. */
#define LEARNER_METHODS(T)                                                                         \
  static const char *T##_loss_name (const T *p)                                                    \
  {                                                                                                \
    return p->loss_name;                                                                           \
  }                                                                                                \
  static lam_tensor T##_learning_rate (const T *p, lam_trace *t, lam_tensor step)                  \
  {                                                                                                \
    return t->api->optimizer_learning_rate (t, p->children[0], step);                              \
  }                                                                                                \
  static lam_nest T##_init_states (const T *p, lam_trace *t, const lam_learn *learn)               \
  {                                                                                                \
    return policy_init_states (p, t, learn);                                                       \
  }                                                                                                \
  static lam_nest T##_update_states (const T *p, lam_trace *t, const lam_learn *learn,             \
                                     lam_nest *new_states)                                         \
  {                                                                                                \
    return policy_update_states (p, t, learn, new_states);                                         \
  }                                                                                                \
  static lam_nest T##_apply_gradient (const T *p, lam_trace *t, const lam_learn *learn)            \
  {                                                                                                \
    return policy_apply_gradient (p, t, learn);                                                    \
  }                                                                                                \
  static void T##_select (const T *p, lam_trace *t, const lam_var_info *const *infos, uint32_t n,  \
                          bool *learnable)                                                         \
  {                                                                                                \
    policy_select (p, t, infos, n, learnable);                                                     \
  }

#endif
