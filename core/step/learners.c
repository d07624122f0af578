/* SPDX-License-Identifier: Apache-2.0 */
/* The learners of a model and which variables each of them learns. */
#include "core/step/private.h"

#include <string.h>

void
lm_learners_clear (Learners *l)
{
  for (guint k = 0; k < l->n; k++) {
    g_free (l->all[k].own);
    g_free (l->all[k].infos);
  }
  g_clear_pointer (&l->all, g_free);
  l->n = 0;
}

/* The learner's view of the variables; asks `select` where the plugin has it. */
static bool
select_vars (Learning *one, LmModel *model, GError **error)
{
  guint n = lm_model_n_vars (model);
  const lam_var_info *const *infos = lm_model_var_infos (model);
  one->own = g_new0 (lam_var_info, n + 1);
  one->infos = g_new0 (const lam_var_info *, n + 1);
  g_autofree bool *learnable = g_new0 (bool, n + 1);
  for (guint i = 0; i < n; i++) {
    one->own[i] = *infos[i];
    one->infos[i] = &one->own[i];
    learnable[i] = infos[i]->learnable != 0;
  }
  if (!LAM_HAS (one->vt, lam_learner_vt, select))
    return true;
  g_autoptr (LmTrace) t = lm_model_trace (model, "select");
  lm_learning_enter (t, one, "select");
  one->vt->select (one->layer->instance, lm_trace_pub (t), infos, n, learnable);
  lm_trace_leave (t);
  if (lm_trace_error (t) != NULL) {
    g_propagate_error (error, g_error_copy (lm_trace_error (t)));
    return false;
  }
  const guint8 *flags = (const guint8 *)learnable; /* a plugin's bool may hold any byte */
  for (guint i = 0; i < n; i++)
    one->own[i].learnable = one->own[i].learnable && flags[i] != 0;
  return true;
}

/* No variable has two learners. */
static bool
check_overlap (const Learners *l, GError **error)
{
  for (guint i = 0; i < l->n_vars; i++) {
    const Learning *first = NULL;
    for (guint k = 0; k < l->n; k++) {
      const Learning *one = &l->all[k];
      if (!one->infos[i]->learnable)
        continue;
      if (first != NULL) {
        g_set_error (
            error, LM_ERROR, LM_ERROR_INVALID,
            "variable %s is learned by both %s and %s; let each leave out the other's with "
            "bprop_variable_inclusion or bprop_variable_exclusion",
            one->infos[i]->path, first->layer->path, one->layer->path);
        return false;
      }
      first = one;
    }
  }
  return true;
}

bool
lm_learners_init (Learners *l, LmModel *model, GError **error)
{
  *l = (Learners) {.n_vars = lm_model_n_vars (model)};
  l->all = g_new0 (Learning, lm_model_n_learners (model) + 1);
  for (guint k = 0; k < lm_model_n_learners (model); k++) {
    Learning *one = &l->all[l->n++];
    one->layer = lm_model_learner (model, k);
    one->vt = one->layer->provided->vtable;
    one->loss_name = one->vt->loss_name (one->layer->instance);
    one->loss_name = one->loss_name != NULL ? one->loss_name : "";
    if (!select_vars (one, model, error))
      return false;
  }
  return check_overlap (l, error);
}

const char *
lm_learners_loss (const Learners *l, GError **error)
{
  if (l->n > 0)
    return l->all[0].loss_name;
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
               "config: learners: this step wants a learner, got none; add \"learners\": [ { "
               "\"type\": \"lamina.learner\", ... } ]");
  return NULL;
}

void
lm_learning_enter (LmTrace *t, const Learning *learning, const char *method)
{
  g_autofree char *name_space = g_strdup_printf ("%s.%s", learning->layer->name, method);
  LmTraceLayer entered = {learning->layer->id, learning->layer->path, name_space};
  lm_trace_enter (t, &entered);
}
