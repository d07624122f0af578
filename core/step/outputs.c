/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a step: what each result is called and where it stands. */
#include "core/step/private.h"

LmStep *
lm_step_begin (LmStepKind kind, const LmModel *model, const LmBatchSpec *batch)
{
  LmStep *step = g_new0 (LmStep, 1);
  step->kind = kind;
  step->n_vars = lm_model_n_vars (model);
  step->n_batch = batch->n;
  return step;
}

static void
outputs_free (LmStepOutput *outputs, guint n)
{
  for (guint i = 0; i < n; i++)
    g_free (outputs[i].name);
  g_free (outputs);
}

void
lm_step_free (LmStep *step)
{
  if (step == NULL)
    return;
  outputs_free (step->metrics, step->n_metrics);
  outputs_free (step->per_example, step->n_per_example);
  outputs_free (step->summaries, step->n_summaries);
  outputs_free (step->watches, step->n_watches);
  lm_function_unref (step->function);
  g_free (step->loss_name);
  g_free (step);
}

/* --- filling ------------------------------------------------------------------------------------- */

/* Takes the name. */
static LmStepOutput *
append (LmStepOutput **list, guint *n, LmTrace *t, char *name, lam_tensor x)
{
  *list = g_renew (LmStepOutput, *list, *n + 1);
  LmStepOutput *output = &(*list)[(*n)++];
  *output = (LmStepOutput) {.name = name};
  lm_trace_type_of (lm_trace_pub (t), x, &output->tensor);
  return output;
}

void
lm_step_add_metrics (LmStep *step, LmTrace *t, const Forward *f, GArray *results)
{
  for (guint i = 0; i < f->metric_names->len; i++)
    append (&step->metrics, &step->n_metrics, t, g_strdup (f->metric_names->pdata[i]),
            g_array_index (f->metrics, lam_tensor, 2 * i));
  g_array_append_vals (results, f->metrics->data, f->metrics->len);
}

void
lm_step_add_per_example (LmStep *step, LmTrace *t, const Forward *f, GArray *results)
{
  for (guint i = 0; i < f->per_example_names->len; i++)
    append (&step->per_example, &step->n_per_example, t, g_strdup (f->per_example_names->pdata[i]),
            g_array_index (f->per_example, lam_tensor, i));
  g_array_append_vals (results, f->per_example->data, f->per_example->len);
}

void
lm_step_add_summary (LmStep *step, LmTrace *t, const char *prefix, const LmSummary *s,
                     GArray *results)
{
  LmStepOutput *output = append (&step->summaries, &step->n_summaries, t,
                                 g_strconcat (prefix, s->key, NULL), s->value);
  output->type = s->type;
  output->has_weight = !lam_is_nil (s->weight);
  g_array_append_val (results, s->value);
  if (output->has_weight)
    g_array_append_val (results, s->weight);
}

void
lm_step_add_watch (LmStep *step, LmTrace *t, const LmWatch *w, GArray *results)
{
  append (&step->watches, &step->n_watches, t, g_strdup (w->name), w->value)->type =
      (int32_t)w->kind;
  g_array_append_val (results, w->value);
}

/* --- where they stand ----------------------------------------------------------------------------- */

guint
lm_step_loss_index (const LmStep *step)
{
  return step->kind == LM_STEP_TRAIN ? step->n_vars + step->n_states + 1 : 0;
}

guint
lm_step_metric_index (const LmStep *step, guint i)
{
  guint after_loss = step->kind == LM_STEP_TRAIN  ? lm_step_loss_index (step) + 1
                     : step->kind == LM_STEP_EVAL ? 2
                                                  : 0;
  return after_loss + 2 * i;
}

guint
lm_step_per_example_index (const LmStep *step, guint i)
{
  return lm_step_metric_index (step, step->n_metrics) + i;
}

guint
lm_step_summary_index (const LmStep *step, guint i)
{
  guint index = lm_step_per_example_index (step, step->n_per_example);
  for (guint k = 0; k < i; k++)
    index += step->summaries[k].has_weight ? 2 : 1;
  return index;
}

guint
lm_step_watch_index (const LmStep *step, guint i)
{
  return lm_step_summary_index (step, step->n_summaries) + i;
}
