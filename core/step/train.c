/* SPDX-License-Identifier: Apache-2.0 */
/* The train step (semantics 1.5), one replica: trace the loss, differentiate it, hand the gradients to
 * the learner, put the new state together. The numbers in comments are 1.5's. */
#include "core/step/private.h"

#include <string.h>

/* The loss as a function of its own: (vars, step, Kf, batch) -> weighted loss, metrics, per example,
 * new non-trainable variables, summaries. */
typedef struct Loss {
  LmFunction *function;
  Forward forward; /* names; its handles are dead */
  GArray *kept;    /* of guint: flatten numbers of the non-trainable variables, in result order */
  GPtrArray *summary_keys;
  GArray *summary_types;
} Loss;

static void
loss_clear (Loss *l)
{
  g_clear_pointer (&l->function, lm_function_unref);
  lm_forward_clear (&l->forward);
  g_clear_pointer (&l->kept, g_array_unref);
  g_clear_pointer (&l->summary_keys, g_ptr_array_unref);
  g_clear_pointer (&l->summary_types, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Loss, loss_clear)

/* 3e, 3f: loss * stop (w) / sum (stop (w)), which is NaN for weight 0, plus the aux losses. */
static lam_tensor
weighted_loss (LmTrace *trace, const Forward *f, int loss)
{
  lam_trace *t = lm_trace_pub (trace);
  lam_tensor value = g_array_index (f->metrics, lam_tensor, 2 * loss);
  lam_tensor w = lam_stop_gradient (t, g_array_index (f->metrics, lam_tensor, 2 * loss + 1));
  w = lam_cast (t, w, lam_dtype_of (t, value));
  lam_tensor weighted = lam_mul (t, value, lam_div (t, w, w));
  return lam_is_nil (f->aux) ? weighted
                             : lam_add (t, weighted, lam_cast (t, f->aux, lam_dtype_of (t, value)));
}

static void
append_summaries (Loss *l, GArray *results)
{
  l->summary_keys = g_ptr_array_new_with_free_func (g_free);
  l->summary_types = g_array_new (FALSE, FALSE, sizeof (int32_t));
  for (guint i = 0; i < l->forward.summaries->len; i++) {
    const LmSummary *s = &g_array_index (l->forward.summaries, LmSummary, i);
    g_array_append_val (results, s->value);
    g_ptr_array_add (l->summary_keys, g_strdup (s->key));
    g_array_append_val (l->summary_types, s->type);
  }
}

static void
append_updated (Loss *l, const LmModel *model, GArray *results)
{
  l->kept = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < lm_model_n_vars (model); i++) {
    lam_tensor x = l->forward.updated[lm_model_var_order (model)[i] - 1];
    if (lam_is_nil (x))
      continue;
    g_array_append_val (results, x);
    g_array_append_val (l->kept, i);
  }
}

/* 3: the loss function. step's output tables are filled. */
static bool
trace_loss (LmModel *model, const LmBatchSpec *batch, LmStep *step, Loss *l, GError **error)
{
  g_autoptr (LmTrace) t = lm_model_trace (model, "loss");
  g_auto (StepParams) p = lm_step_declare (t, model, batch);
  ForwardArgs args = {"fprop", false, LAM_MUTABLE_VARS | LAM_MUTABLE_AUX_LOSS, batch};
  lm_forward_run (t, model, &p, &args, &l->forward);
  int loss = lm_forward_loss (t, &l->forward, step->loss_name);
  if (loss < 0) {
    g_propagate_error (error, g_error_copy (lm_trace_error (t)));
    return false;
  }
  g_autoptr (GArray) results = g_array_new (FALSE, FALSE, sizeof (lam_tensor));
  lam_tensor weighted = weighted_loss (t, &l->forward, loss);
  g_array_append_val (results, weighted);
  g_array_append_vals (results, l->forward.metrics->data, l->forward.metrics->len);
  g_array_append_vals (results, l->forward.per_example->data, l->forward.per_example->len);
  append_updated (l, model, results);
  append_summaries (l, results);
  lm_step_note_outputs (step, t, &l->forward);
  l->function = lm_trace_finish (t, (const lam_tensor *)(void *)results->data, results->len, error);
  return l->function != NULL;
}

/* 3, 7: the loss's results followed by a gradient for each learnable variable. */
static LmFunction *
differentiate (const LmModel *model, const LmFunction *loss, GError **error)
{
  g_autofree bool *wanted = g_new0 (bool, loss->ir.n_params + 1);
  bool any = false;
  for (guint i = 0; i < lm_model_n_vars (model); i++) {
    wanted[i] = lm_model_var_infos (model)[i]->learnable != 0;
    any = any || wanted[i];
  }
  return any ? lm_value_and_grad (loss, 0, wanted, error) : lm_function_ref (loss);
}

/* Everything the second half works on, as handles of the step's trace. */
typedef struct Second {
  LmModel *model;
  LmLayer *learner;
  LmTrace *t;
  StepParams *p;
  lam_tensor *states; /* flat */
  const LmStateInit *init;
  lam_tensor *grads; /* flatten order of the variables */
  lam_tensor *new_vars, *new_states;
} Second;

static void
enter (const Second *s, const char *method)
{
  g_autofree char *name_space = g_strdup_printf ("%s.%s", s->learner->name, method);
  LmTraceLayer entered = {s->learner->id, s->learner->path, name_space};
  lm_trace_enter (s->t, &entered);
}

/* The state tree of learner 0 with this step's leaves. */
static lam_nest
state_nest (const Second *s)
{
  const LmNest *structure = lm_nest_child (s->init->structure, 0);
  g_autoptr (GArray) leaves = lm_nest_flatten (structure);
  for (guint i = 0; i < leaves->len; i++) {
    uint64_t number = g_array_index (leaves, uint64_t, i);
    g_array_index (leaves, uint64_t, i) = number != 0 ? s->states[number - 1].id : 0;
  }
  return lm_trace_nest (
      s->t, lm_nest_pack (structure, (const uint64_t *)(void *)leaves->data, leaves->len, NULL));
}

/* 6: a returned tree must have the structure and types of what it replaces. */
static bool
take_tree (const Second *s, const char *what, lam_nest got, lam_nest wanted, lam_tensor *out)
{
  lam_trace *t = lm_trace_pub (s->t);
  const LmNest *g = lm_trace_nest_peek (s->t, got), *w = lm_trace_nest_peek (s->t, wanted);
  g_autoptr (GError) error = NULL;
  if (!lam_is_ok (t))
    return false;
  if (g == NULL || !lm_nest_assert_same_structure (w, g, &error)) {
    lm_trace_failf (s->t, LM_ERROR_PLUGIN, "learner %s (%s): %s: %s", s->learner->path,
                    s->learner->provided->id, what,
                    error != NULL ? error->message : "returned nothing");
    return false;
  }
  g_autoptr (GArray) old = lm_nest_flatten (w), new = lm_nest_flatten (g);
  g_auto (GStrv) paths = lm_nest_paths (w);
  for (guint i = 0, k = 0; i < old->len; i++) {
    lam_type a, b;
    lam_tensor x = lm_trace_leaf (s->t, g_array_index (new, uint64_t, i));
    if (g_array_index (old, uint64_t, i) == 0)
      continue;
    t->api->type_of (t, lm_trace_leaf (s->t, g_array_index (old, uint64_t, i)), &a);
    if (!t->api->type_of (t, x, &b) || !lm_type_equal (&a, &b)) {
      g_autofree char *want = lm_type_to_string (&a), *have = lm_type_to_string (&b);
      lm_trace_failf (s->t, LM_ERROR_PLUGIN, "learner %s (%s): %s: %s: wanted %s, got %s",
                      s->learner->path, s->learner->provided->id, what, paths[i], want, have);
      return false;
    }
    out[k++] = x;
  }
  return true;
}

/* 9: the backward context: key Kb, aux losses writable only. */
static void
run_learner (Second *s)
{
  lam_trace *t = lm_trace_pub (s->t);
  const lam_learner_vt *vt = s->learner->provided->vtable;
  void *self = s->learner->instance;
  lam_learn learn = {.struct_size = sizeof learn,
                     .n_vars = lm_model_n_vars (s->model),
                     .infos = lm_model_var_infos (s->model),
                     .vars = lm_vars_nest (s->t, s->model, s->p->vars),
                     .grads = lm_vars_nest (s->t, s->model, s->grads),
                     .states = state_nest (s),
                     .step = s->p->step};
  enter (s, "learning_rate");
  lam_tensor rate = vt->learning_rate (self, t, s->p->step);
  lm_trace_leave (s->t);
  lm_trace_add_summary (t, "learning_rate", LAM_SUMMARY_SCALAR, rate, 2); /* 9a */
  lam_nest new_states = {0, 0};
  enter (s, "update_states");
  learn.updates = vt->update_states (self, t, &learn, &new_states); /* 9b */
  lm_trace_leave (s->t);
  g_autofree lam_tensor *updates = g_new0 (lam_tensor, learn.n_vars + 1);
  take_tree (s, "updates", learn.updates, learn.vars, updates);
  take_tree (s, "new states", new_states, learn.states, s->new_states);
  enter (s, "apply_gradient");
  lam_nest new_vars = vt->apply_gradient (self, t, &learn); /* 9c */
  lm_trace_leave (s->t);
  take_tree (s, "new variables", new_vars, learn.vars, s->new_vars);
}

/* 7: gradients as the learner sees them: zero like the variable where it is not learnable. */
static lam_tensor *
gradients (lam_trace *t, const LmModel *model, const StepParams *p, const lam_tensor *found)
{
  guint n = lm_model_n_vars (model);
  lam_tensor *grads = g_new0 (lam_tensor, n + 1);
  for (guint i = 0; i < n; i++)
    grads[i] = lm_model_var_infos (model)[i]->learnable ? *found++ : lam_zeros_like (t, p->vars[i]);
  return grads;
}

static void
note_summary (LmStep *step, const char *half, const char *key, int32_t type)
{
  LmStepOutput *s = &step->summaries[step->n_summaries++];
  s->name = g_strdup_printf ("%s@%s", half, key);
  s->type = type;
}

/* 9g: nested summaries, forward and backward: "forward@key", "backward@key". */
static void
collect_summaries (LmStep *step, LmTrace *t, const Loss *l, const lam_tensor *forward,
                   GArray *results)
{
  const LmSummary *backward;
  guint n_backward = lm_trace_summaries (t, &backward);
  step->summaries = lm_step_outputs_new (l->summary_keys->len + n_backward);
  for (guint i = 0; i < l->summary_keys->len; i++) {
    note_summary (step, "forward", l->summary_keys->pdata[i],
                  g_array_index (l->summary_types, int32_t, i));
    g_array_append_val (results, forward[i]);
  }
  for (guint i = 0; i < n_backward; i++) {
    note_summary (step, "backward", backward[i].key, backward[i].type);
    g_array_append_val (results, backward[i].value);
  }
  guint first = results->len - step->n_summaries;
  for (guint i = 0; i < step->n_summaries; i++)
    lm_trace_type_of (lm_trace_pub (t), g_array_index (results, lam_tensor, first + i),
                      &step->summaries[i].tensor);
}

/* The gradient function's arguments in its order: (vars, step, Kf, batch). */
static void
inline_loss (LmTrace *t, const LmFunction *grad, const StepParams *p, const LmStep *step,
             lam_key forward_key, lam_tensor *outs)
{
  g_autoptr (GArray) args = g_array_new (FALSE, FALSE, sizeof (lam_tensor));
  g_array_append_vals (args, p->vars, step->n_vars);
  g_array_append_val (args, p->step);
  g_array_append_val (args, forward_key.bits);
  g_array_append_vals (args, p->batch, step->n_batch);
  lm_trace_inline (t, grad, (const lam_tensor *)(void *)args->data, outs);
}

/* The whole step over a differentiated loss. */
static LmFunction *
trace_step (LmModel *model, const LmBatchSpec *batch, LmStep *step, const Loss *l,
            const LmFunction *grad, const LmStateInit *init, bool with_summaries, GError **error)
{
  g_autoptr (LmTrace) trace = lm_model_trace (model, "train_step");
  lam_trace *t = lm_trace_pub (trace);
  g_auto (StepParams) p = {0};
  guint n_vars = step->n_vars, n_states = step->n_states;
  g_autofree lam_tensor *states = g_new0 (lam_tensor, n_states + 1);
  g_autofree lam_tensor *new_vars = g_new0 (lam_tensor, n_vars + 1);
  g_autofree lam_tensor *new_states = g_new0 (lam_tensor, n_states + 1);
  lm_step_declare_vars (trace, model, &p);
  for (guint i = 0; i < n_states; i++)
    states[i] = lm_trace_param (trace, lm_result_type (init->function, i));
  lm_step_declare_rest (trace, batch, &p);

  lam_key k0 = lam_fold_in (t, p.key, p.step), k1[2], k2[2]; /* 2 */
  lam_split (t, k0, 2, k1);
  g_autofree lam_tensor *outs = g_new0 (lam_tensor, grad->ir.n_results + 1);
  inline_loss (trace, grad, &p, step, k1[1], outs);
  g_autofree lam_tensor *grads = gradients (t, model, &p, outs + l->function->ir.n_results);

  lam_split (t, k1[0], 2, k2); /* 9 */
  lam_context_args context = {.struct_size = sizeof context,
                              .do_eval = 0,
                              .original_keys = -1,
                              .key = k2[1],
                              .global_step = p.step};
  g_autofree lam_tensor *by_id = lm_vars_by_id (model, p.vars);
  lm_trace_context_push (t, &context);
  lm_trace_bind_all (trace, by_id, LAM_MUTABLE_AUX_LOSS);
  Second second = {model,     lm_model_learner (model, 0), trace, &p, states, init, grads, new_vars,
                   new_states};
  run_learner (&second);

  const lam_tensor *updated = outs + 1 + l->forward.metrics->len + l->forward.per_example->len;
  for (guint i = 0; i < l->kept->len; i++) /* 9d: non-trainable: the forward pass's value */
    new_vars[g_array_index (l->kept, guint, i)] = updated[i];
  lam_tensor next = lam_add (t, p.step, lam_full_bits (t, LAM_U32, LAM_SCALAR, 1)); /* 9f */
  g_autoptr (GArray) results = g_array_new (FALSE, FALSE, sizeof (lam_tensor));
  g_array_append_vals (results, new_vars, n_vars);
  g_array_append_vals (results, new_states, n_states);
  g_array_append_val (results, next);
  g_array_append_vals (results, outs, 1 + l->forward.metrics->len + l->forward.per_example->len);
  if (with_summaries)
    collect_summaries (step, trace, l, updated + l->kept->len, results);
  lm_trace_context_pop (t);
  return lm_trace_finish (trace, (const lam_tensor *)(void *)results->data, results->len, error);
}

LmStep *
lm_step_new_train (LmModel *model, const LmBatchSpec *batch, bool with_summaries, GError **error)
{
  LmLayer *learner = lm_step_learner (model, error); /* 1 */
  if (learner == NULL)
    return NULL;
  g_autoptr (LmStateInit) init = lm_state_init_new (model, error);
  if (init == NULL)
    return NULL;
  g_autoptr (LmStep) step = g_new0 (LmStep, 1);
  step->kind = LM_STEP_TRAIN;
  step->n_vars = lm_model_n_vars (model);
  step->n_states = init->function->ir.n_results;
  step->n_batch = batch->n;
  step->loss_name = g_strdup (lm_learner_loss_name (learner));
  g_auto (Loss) loss = {0};
  if (!trace_loss (model, batch, step, &loss, error))
    return NULL;
  g_autoptr (LmFunction) grad = differentiate (model, loss.function, error);
  if (grad == NULL)
    return NULL;
  step->function = trace_step (model, batch, step, &loss, grad, init, with_summaries, error);
  return step->function != NULL ? g_steal_pointer (&step) : NULL;
}
