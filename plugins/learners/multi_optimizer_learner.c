/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.multi_optimizer_learner: a learner whose variables are shared out among a primary
 * optimizer and auxiliary ones, by patterns on their paths. Semantics: paxml
 * MultiOptimizerLearner; "match": "substring" is lingvo-jax's. The summary learning_rate is the
 * primary optimizer's, learning_rate_<name> an auxiliary one's. */
#include "learner.h"
#include <string.h>

typedef learner multi_optimizer_learner;

LAM_FIELDS (
    multi_optimizer_learner, LEARNER_FIELDS,
    LAM_LAYERS (auxiliary_optimizers, NULL, "The other optimizers, without ema_decay."),
    LAM_STRINGS (auxiliary_regex, NULL, "One pattern for each: its variables."),
    LAM_STRINGS (auxiliary_names, NULL, "One name for each, for states and summaries."),
    LAM_STRING (match, "start",
                "Where a pattern is to match a path: at its start, anywhere (search), or as "
                "plain text (substring)."),
    LAM_CHOICES ("start search substring"),
    LAM_BOOL (apply_separate_scaling, false,
              "Whether each optimizer's gradients have their own norm and clipping; the step "
              "is valid if all are."),
    LAM_FLOATS (auxiliary_clip_gradient_norm_to_value, NULL,
                "With that, clip_gradient_norm_to_value of each auxiliary; absent: 0."),
    LAM_MIN (0),
    LAM_FLOATS (auxiliary_clip_gradient_single_norm_to_value, NULL,
                "With that, clip_gradient_single_norm_to_value of each; absent: 0."),
    LAM_MIN (0))

/* A list that is empty or has one element an auxiliary optimizer. */
static bool
fits (const learner *p, uint64_t n)
{
  return n == 0 || n == p->auxiliary_regex.n;
}

static void
check (const learner *p, lam_setup *s)
{
  uint64_t n = p->auxiliary_regex.n;
  const lam_floats *global = &p->auxiliary_clip_gradient_norm_to_value;
  const lam_floats *single = &p->auxiliary_clip_gradient_single_norm_to_value;
  if (p->auxiliary_optimizers.count != n || p->auxiliary_names.n != n)
    lam_setup_fail (s,
                    "auxiliary_optimizers, auxiliary_regex and auxiliary_names want equally many "
                    "elements");
  else if (n + 1 > MAX_OPTIMIZERS)
    lam_setup_fail (s, "at most 15 auxiliary optimizers");
  else if (!fits (p, global->n) || !fits (p, single->n))
    lam_setup_fail (s, "the auxiliary clip lists want one element for each auxiliary optimizer");
  else if ((global->n > 0 || single->n > 0) && !p->apply_separate_scaling)
    lam_setup_fail (s, "the auxiliary clip lists need apply_separate_scaling; without it "
                       "the learner's own thresholds hold for all gradients");
  for (uint64_t i = 0; i < n && global->n == n && single->n == n; i++)
    if (global->p[i] != 0 && single->p[i] != 0)
      lam_setup_fail (s, "an auxiliary optimizer has both kinds of clipping: set one to 0");
}

static void
add_auxiliary (learner *p, lam_setup *s, uint32_t i)
{
  lam_child_config config = s->api->config_copy (s, p->auxiliary_optimizers, i);
  if (s->api->config_has (s, config, "ema_decay"))
    lam_setup_fail (s, "ema_decay belongs to the primary optimizer: its average is of all "
                       "variables");
  p->children[p->n_optimizers++] =
      s->api->create_child (s, LAM_KIND_OPTIMIZER, p->auxiliary_names.p[i], config, 0);
}

static void
multi_optimizer_learner_setup (multi_optimizer_learner *p, lam_setup *s)
{
  int32_t mode = strcmp (p->match, "start") == 0    ? LAM_REGEX_START
                 : strcmp (p->match, "search") == 0 ? LAM_REGEX_SEARCH
                                                    : LAM_REGEX_SUBSTRING;
  check (p, s);
  learner_setup_common (p, s);
  p->auxiliary = lam_setup_patterns (s, p->auxiliary_regex, mode);
  for (uint32_t i = 0;
       i < p->auxiliary_optimizers.count && i + 1 < MAX_OPTIMIZERS && i < p->auxiliary_names.n; i++)
    add_auxiliary (p, s, i);
}

LEARNER_METHODS (multi_optimizer_learner)

LAM_LEARNER_WITH_SELECT (multi_optimizer_learner, "lamina.multi_optimizer_learner", 1,
                         "Several optimizers, each for the variables that its pattern matches.")
