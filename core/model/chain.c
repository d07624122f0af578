/* SPDX-License-Identifier: Apache-2.0 */
/* The host's part of an optimizer's config (sdk/lamina/optimizer.h): what
 * core/step/optimizer_*.c does around the plugin's update. Names and defaults:
 * praxis.optimizers.BaseOptimizer, and num_sub_batches of ShardedStaticAccumulator. */
#include "core/model/private.h"

#include "core/base/regex.h"

void
lm_chain_declare (lam_fields *lam_f_)
{
  typedef LmOptimizerChain lam_self_;
  LAM_FLOAT (learning_rate, 0, "Step size before the schedule's factor."), LAM_REQUIRED;
  LAM_LAYER_CONFIG (lr_schedule, NULL, "Schedule of the factor; absent: constant 1.");
  LAM_FLOAT (l1_regularizer_weight, 0, "Adds w * sign (p) to the gradient."), LAM_MIN (0);
  LAM_FLOAT (l2_regularizer_weight, 0, "Adds w * p to the gradient."), LAM_MIN (0);
  LAM_FLOAT (decoupled_weight_decay, 0, "Takes learning rate * w * p off the variable."),
      LAM_MIN (0);
  LAM_BOOL (skip_lp_1d_vectors, false, "No L1 or L2 for variables of rank 0 and 1.");
  LAM_FLOAT (ema_decay, 0,
             "Keeps an average of the variables, used in evaluation: d = min (ema_decay, (1 + n) / "
             "(10 + n)); 0: none."),
      LAM_MIN (0);
  LAM_FLOAT (
      ewc_regularizer_weight, 0,
      "Pulls towards the variables of the first step: learning rate * w / 2 * (p - p0); 0: no "
      "pull."),
      LAM_MIN (0);
  LAM_STRINGS (
      ewc_var_patterns, NULL,
      "Patterns matched at the start of a variable's path: the first that matches chooses the "
      "factor in ewc_weight_per_var.");
  LAM_FLOATS (
      ewc_weight_per_var, NULL,
      "Factors of ewc_regularizer_weight, one for each of ewc_var_patterns; other variables: 1.");
  LAM_INT (
      num_sub_batches, 1,
      "Gradients to sum before the optimizer gets their mean; the steps between change nothing."),
      LAM_MIN (1), LAM_MAX (4294967295); /* they are counted in a u32 */
  LAM_BOOL (
      vectorize_on_repeat_prefix, true,
      "Whether each layer of a stack of repeated layers is updated as a variable of its own.");
}

static bool
read_patterns (LmLayer *layer, GError **error)
{
  const LmOptimizerChain *chain = layer->chain;
  layer->chain_patterns = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_regex_free);
  for (uint64_t i = 0; i < chain->ewc_var_patterns.n; i++) {
    LmRegex *regex = lm_regex_new (chain->ewc_var_patterns.p[i], LM_REGEX_START, error);
    if (regex == NULL) {
      g_prefix_error (error, "%s: ewc_var_patterns: ", layer->path);
      return false;
    }
    g_ptr_array_add (layer->chain_patterns, regex);
  }
  return true;
}

/* What no single field can say. */
static bool
check (const LmLayer *layer, GError **error)
{
  const LmOptimizerChain *c = layer->chain;
  const char *wrong = NULL;
  if ((c->l1_regularizer_weight != 0) + (c->l2_regularizer_weight != 0)
          + (c->decoupled_weight_decay != 0)
      > 1)
    wrong = "l1_regularizer_weight, l2_regularizer_weight and decoupled_weight_decay exclude each "
            "other; set one of them";
  else if (!(c->ema_decay < 1))
    wrong = "ema_decay wants a number in [0, 1)";
  else if (c->ewc_var_patterns.n != c->ewc_weight_per_var.n)
    wrong = "ewc_var_patterns and ewc_weight_per_var want equally many elements";
  else if (c->ewc_var_patterns.n > 0 && c->ewc_regularizer_weight == 0)
    wrong = "ewc_weight_per_var does nothing without ewc_regularizer_weight; set it as well";
  if (wrong != NULL)
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%s: %s", layer->path, wrong);
  return wrong == NULL;
}

bool
lm_chain_read (LmLayer *layer, JsonObject *config, GError **error)
{
  layer->chain_fields =
      lm_field_table_new ("optimizer", lm_chain_declare, sizeof (LmOptimizerChain), error);
  if (layer->chain_fields == NULL)
    return false;
  JsonObject *own = lm_json_object_split (config, layer->chain_fields);
  layer->chain_params = lm_params_new (layer->chain_fields, own, NULL, layer->path, error);
  json_object_unref (own);
  if (layer->chain_params == NULL)
    return false;
  layer->chain = g_new0 (LmOptimizerChain, 1);
  lm_params_fill (layer->chain_params, layer->chain);
  if (!check (layer, error) || !read_patterns (layer, error))
    return false;
  guint field = 1; /* lr_schedule */
  JsonObject *schedule = lm_params_child (layer->chain_params, field, -1);
  if (schedule != NULL)
    layer->chain_schedule =
        lm_layer_build (layer->model, layer, LAM_KIND_SCHEDULE, "lr_schedule", schedule, error);
  return schedule == NULL || layer->chain_schedule != NULL;
}
