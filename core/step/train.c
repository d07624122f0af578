/* SPDX-License-Identifier: Apache-2.0 */
/* The train step (semantics 1.5): differentiate the loss, hand the gradients to the learners, put the
 * new state together; on one of several replicas, or without any. The numbers in comments are 1.5's. */
#include "core/step/private.h"

/* What a train step is made from. */
typedef struct Train {
  LmModel *model;
  const LmBatchSpec *batch;
  const LmStepOptions *options;
  Learners learners;
  Loss loss;
  LmFunction *grad; /* the loss's results, then a gradient for each learnable variable */
  GArray *wanted;   /* of guint: flatten number of the variable of each gradient */
  LmStateInit *init;
  LmStep *step;
} Train;

static void
train_clear (Train *a)
{
  lm_learners_clear (&a->learners);
  lm_loss_clear (&a->loss);
  lm_function_unref (a->grad);
  g_clear_pointer (&a->wanted, g_array_unref);
  lm_state_init_free (a->init);
  lm_step_free (a->step);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Train, train_clear)

/* 3, 7: each learner's loss by the variables that it learns. */
static bool
differentiate (Train *a, GError **error)
{
  a->wanted = g_array_new (FALSE, FALSE, sizeof (guint));
  a->grad = lm_function_ref (a->loss.function);
  for (guint k = 0; k < a->learners.n && a->grad != NULL; k++) {
    g_autofree bool *wanted = g_new0 (bool, a->grad->ir.n_params + 1);
    guint before = a->wanted->len;
    for (guint i = 0; i < a->learners.n_vars; i++) {
      wanted[i] = a->learners.all[k].infos[i]->learnable != 0;
      if (wanted[i])
        g_array_append_val (a->wanted, i);
    }
    if (a->wanted->len == before)
      continue;
    LmFunction *more = lm_value_and_grad (a->grad, k, wanted, error);
    lm_function_unref (a->grad);
    a->grad = more;
  }
  return a->grad != NULL;
}

/* --- tracing the step ---------------------------------------------------------------------------- */

/* Handles of the step's trace. */
typedef struct Run {
  Train *a;
  LmTrace *trace;
  lam_trace *t;
  StepParams p;
  Forward forward; /* the loss's, over all replicas; names borrowed */
  lam_tensor *states, *outs;
  lam_tensor *grads; /* flatten order */
  lam_tensor *new_vars, *new_states;
  const lam_tensor *updated; /* of the variables that the loss kept */
} Run;

static void
run_clear (Run *r)
{
  lm_step_params_clear (&r->p);
  lm_forward_clear (&r->forward);
  g_free (r->states);
  g_free (r->outs);
  g_free (r->grads);
  g_free (r->new_vars);
  g_free (r->new_states);
  lm_trace_free (r->trace);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

static void
declare (Run *r)
{
  Train *a = r->a;
  r->trace = lm_model_trace (a->model, "train_step");
  r->t = lm_trace_pub (r->trace);
  lm_trace_set_axis_size (r->trace, a->options->replicas);
  r->states = g_new0 (lam_tensor, a->step->n_states + 1);
  r->new_states = g_new0 (lam_tensor, a->step->n_states + 1);
  r->new_vars = g_new0 (lam_tensor, a->step->n_vars + 1);
  r->outs = g_new0 (lam_tensor, a->grad->ir.n_results + 1);
  lm_step_declare_vars (r->trace, a->model, &r->p);
  for (guint i = 0; i < a->step->n_states; i++)
    r->states[i] = lm_trace_param (r->trace, lm_result_type (a->init->function, i));
  lm_step_declare_rest (r->trace, a->batch, &r->p);
}

/* The gradient function's arguments in its order: (vars, step, Kf, batch). */
static void
inline_loss (Run *r, lam_key forward_key)
{
  g_autoptr (GArray) args = g_array_new (FALSE, FALSE, sizeof (lam_tensor));
  g_array_append_vals (args, r->p.vars, r->a->step->n_vars);
  g_array_append_val (args, r->p.step);
  g_array_append_val (args, forward_key.bits);
  g_array_append_vals (args, r->p.batch, r->a->step->n_batch);
  lm_trace_inline (r->trace, r->a->grad, (const lam_tensor *)(void *)args->data, r->outs);
}

/* Takes the loss's results apart, and over the replicas: 4, 5, and summaries (1.2). */
static void
take_forward (Run *r)
{
  const Forward *f = &r->a->loss.forward;
  lam_tensor *out = r->outs + r->a->learners.n;
  r->forward = (Forward) {.metric_names = g_ptr_array_ref (f->metric_names),
                          .per_example_names = g_ptr_array_ref (f->per_example_names),
                          .metrics = g_array_new (FALSE, FALSE, sizeof (lam_tensor)),
                          .per_example = g_array_new (FALSE, FALSE, sizeof (lam_tensor)),
                          .summaries = g_array_new (FALSE, FALSE, sizeof (LmSummary)),
                          .watches = g_array_new (FALSE, FALSE, sizeof (LmWatch))};
  r->outs[0] = lam_psum (r->t, r->outs[0]);
  lm_replica_metrics (r->t, out, f->metrics->len / 2);
  g_array_append_vals (r->forward.metrics, out, f->metrics->len);
  out += f->metrics->len;
  for (guint i = 0; i < f->per_example->len; i++) {
    lam_tensor rows = lm_replica_rows (r->t, *out++);
    g_array_append_val (r->forward.per_example, rows);
  }
  r->updated = out;
  out += r->a->loss.kept->len;
  for (guint i = 0; i < f->summaries->len; i++) {
    LmSummary s = g_array_index (f->summaries, LmSummary, i);
    s.value = *out++;
    s.weight = lam_is_nil (s.weight) ? lam_nil () : *out++;
    lm_replica_summary (r->t, &s);
    g_array_append_val (r->forward.summaries, s);
  }
  for (guint i = 0; i < f->watches->len; i++) {
    LmWatch w = g_array_index (f->watches, LmWatch, i);
    w.value = *out++;
    g_array_append_val (r->forward.watches, w);
  }
}

/* 7, 8: summed over the replicas; zero like the variable where no learner learns. */
static void
take_gradients (Run *r)
{
  const Train *a = r->a;
  lam_tensor *found = r->outs + a->loss.function->ir.n_results;
  lam_all_reduce (r->t, "add", found, a->wanted->len, found);
  r->grads = g_new0 (lam_tensor, a->step->n_vars + 1);
  for (guint k = 0; k < a->wanted->len; k++)
    r->grads[g_array_index (a->wanted, guint, k)] = found[k];
  for (guint i = 0; i < a->step->n_vars; i++) {
    g_autofree char *name =
        g_strdup_printf ("gradient of %s", lm_model_var_infos (a->model)[i]->path);
    if (lam_is_nil (r->grads[i]))
      r->grads[i] = lam_zeros_like (r->t, r->p.vars[i]);
    else
      lam_check_numerics (r->t, name, r->grads[i]);
  }
}

/* 9d: a variable that is not trainable takes the forward pass's value. */
static void
take_updated (Run *r)
{
  const Train *a = r->a;
  for (guint i = 0; i < a->loss.kept->len; i++) {
    guint number = g_array_index (a->loss.kept, guint, i);
    r->new_vars[number] = lm_replica_sync (r->t, lm_model_var_infos (a->model)[number],
                                           r->p.vars[number], r->updated[i]);
  }
}

/* 9g: nested summaries, "forward@key" and "backward@key"; watches of both halves. */
static void
collect_effects (Run *r, GArray *results)
{
  LmStep *step = r->a->step;
  const LmSummary *backward;
  const LmWatch *watches;
  guint n = r->a->options->with_summaries ? lm_trace_summaries (r->trace, &backward) : 0;
  for (guint i = 0; i < r->forward.summaries->len; i++)
    lm_step_add_summary (step, r->trace, "forward@",
                         &g_array_index (r->forward.summaries, LmSummary, i), results);
  for (guint i = 0; i < n; i++)
    lm_step_add_summary (step, r->trace, "backward@", &backward[i], results);
  for (guint i = 0; i < r->forward.watches->len; i++)
    lm_step_add_watch (step, r->trace, &g_array_index (r->forward.watches, LmWatch, i), results);
  n = lm_trace_watches (r->trace, &watches);
  for (guint i = 0; i < n; i++)
    lm_step_add_watch (step, r->trace, &watches[i], results);
}

/* 9f: the new state, then what the step reports. */
static LmFunction *
finish (Run *r, GError **error)
{
  LmStep *step = r->a->step;
  lam_tensor next = lam_add (r->t, r->p.step, lam_full_bits (r->t, LAM_U32, LAM_SCALAR, 1));
  g_autoptr (GArray) results = g_array_new (FALSE, FALSE, sizeof (lam_tensor));
  g_array_append_vals (results, r->new_vars, step->n_vars);
  g_array_append_vals (results, r->new_states, step->n_states);
  g_array_append_val (results, next);
  g_array_append_val (results, r->outs[0]);
  lm_step_add_metrics (step, r->trace, &r->forward, results);
  lm_step_add_per_example (step, r->trace, &r->forward, results);
  collect_effects (r, results);
  lm_trace_context_pop (r->t);
  return lm_trace_finish (r->trace, (const lam_tensor *)(void *)results->data, results->len, error);
}

/* The whole step over a differentiated loss. The learners' key comes from the key that no replica has
 * folded, so that replicas never drift apart. */
static LmFunction *
trace_step (Train *a, GError **error)
{
  g_auto (Run) r = {.a = a};
  lam_key k1[2], k2[2];
  declare (&r);
  lam_split (r.t, lam_fold_in (r.t, lm_replica_key (r.t, r.p.key), r.p.step), 2, k1); /* 2 */
  inline_loss (&r, k1[1]);
  take_forward (&r);
  lam_split (r.t, lam_fold_in (r.t, r.p.key, r.p.step), 2, k1); /* 9 */
  lam_split (r.t, k1[0], 2, k2);
  lam_context_args context = lm_step_context (a->options, false, k2[1], r.p.step);
  g_autofree lam_tensor *by_id = lm_vars_by_id (a->model, r.p.vars);
  lm_trace_context_push (r.t, &context);
  lm_trace_bind_all (r.trace, by_id, LAM_MUTABLE_AUX_LOSS);
  take_gradients (&r);
  Second second = {a->model, r.trace, &a->learners, &r.p,        a->init,
                   r.states, r.grads, r.new_vars,   r.new_states};
  lm_learn (&second);
  take_updated (&r);
  return finish (&r, error);
}

LmStep *
lm_step_new_train (LmModel *model, const LmBatchSpec *batch, const LmStepOptions *options,
                   GError **error)
{
  static const LmStepOptions none = {0};
  g_auto (Train) a = {.model = model, .batch = batch, .options = options != NULL ? options : &none};
  if (!lm_learners_init (&a.learners, model, error))
    return NULL;
  const char *loss_name = lm_learners_loss (&a.learners, error); /* 1 */
  a.init = loss_name != NULL ? lm_state_init_new (model, error) : NULL;
  if (a.init == NULL)
    return NULL;
  a.step = lm_step_begin (LM_STEP_TRAIN, model, batch);
  a.step->n_states = a.init->function->ir.n_results;
  a.step->loss_name = g_strdup (loss_name);
  if (!lm_loss_trace (&a.loss, model, &a.learners, batch, a.options, error)
      || !differentiate (&a, error))
    return NULL;
  a.step->function = trace_step (&a, error);
  return a.step->function != NULL ? g_steal_pointer (&a.step) : NULL;
}
