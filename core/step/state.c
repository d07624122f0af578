/* SPDX-License-Identifier: Apache-2.0 */
/* Start states of the learners as a traced function of the variables: a list, one state a learner. */
#include "core/step/private.h"

/* Arguments common to a learner's calls. */
static lam_learn
learn_args (LmTrace *t, const LmModel *model, const Learning *one, const StepParams *p)
{
  lam_learn learn = {.struct_size = sizeof learn,
                     .n_vars = lm_model_n_vars (model),
                     .infos = one->infos,
                     .vars = lm_vars_nest (t, model, p->vars)};
  return learn;
}

static LmNest *
init_one (LmTrace *t, const LmModel *model, const Learning *one, const StepParams *p)
{
  lam_learn learn = learn_args (t, model, one, p);
  lm_learning_enter (t, one, "init_states");
  lam_nest states = one->vt->init_states (one->layer->instance, lm_trace_pub (t), &learn);
  lm_trace_leave (t);
  const LmNest *tree = lm_trace_nest_peek (t, states);
  if (tree == NULL)
    lm_trace_failf (t, LM_ERROR_PLUGIN, "learner %s (%s): init_states returned nothing",
                    one->layer->path, one->layer->provided->id);
  return tree != NULL ? lm_nest_copy (tree) : NULL;
}

static uint64_t
number_leaf (uint64_t leaf, const char *path, gpointer user)
{
  uint64_t *next = user;
  return leaf != 0 ? (*next)++ : 0;
}

/* Non-nil leaves in flatten order: tensors to results, their paths below "learner[i]" to paths. */
static void
collect (LmTrace *t, const LmNest *list, const LmModel *model, GArray *results, GPtrArray *names)
{
  for (guint k = 0; k < lm_nest_size (list); k++) {
    g_autoptr (GArray) leaves = lm_nest_flatten (lm_nest_child (list, k));
    g_auto (GStrv) paths = lm_nest_paths (lm_nest_child (list, k));
    for (guint i = 0; i < leaves->len; i++) {
      lam_tensor x = lm_trace_leaf (t, g_array_index (leaves, uint64_t, i));
      if (lam_is_nil (x))
        continue;
      g_array_append_val (results, x);
      g_ptr_array_add (names,
                       g_strdup_printf ("%s.%s", lm_model_learner (model, k)->name, paths[i]));
    }
  }
}

LmStateInit *
lm_state_init_new (LmModel *model, GError **error)
{
  g_auto (Learners) learners = {0};
  if (!lm_learners_init (&learners, model, error))
    return NULL;
  g_autoptr (LmTrace) t = lm_model_trace (model, "init_states");
  g_auto (StepParams) p = {0};
  g_autoptr (LmNest) list = lm_nest_new_list ();
  lm_step_declare_vars (t, model, &p);
  for (guint k = 0; k < learners.n; k++) {
    LmNest *one = init_one (t, model, &learners.all[k], &p);
    lm_nest_append (list, one != NULL ? one : lm_nest_new_map ());
  }
  g_autoptr (GArray) results = g_array_new (FALSE, FALSE, sizeof (lam_tensor));
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  collect (t, list, model, results, names);
  LmFunction *f =
      lm_trace_finish (t, (const lam_tensor *)(void *)results->data, results->len, error);
  g_ptr_array_add (names, NULL);
  if (f == NULL) {
    g_ptr_array_unref (names);
    return NULL;
  }
  LmStateInit *init = g_new0 (LmStateInit, 1);
  uint64_t next = 1;
  init->function = f;
  init->structure = lm_nest_map (list, number_leaf, &next);
  init->paths = (char **)g_ptr_array_free (names, FALSE);
  return init;
}

void
lm_state_init_free (LmStateInit *init)
{
  if (init == NULL)
    return;
  lm_function_unref (init->function);
  lm_nest_free (init->structure);
  g_strfreev (init->paths);
  g_free (init);
}
