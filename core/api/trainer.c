/* SPDX-License-Identifier: Apache-2.0 */
/* Training an opened model, and keeping it. */
#include "core/api/private.h"

#include "core/archive/profile.h"

static LaminaTrainer *
trainer_new (LaminaModel *model, GError **error)
{
  g_autoptr (LaminaTrainer) t = g_new0 (LaminaTrainer, 1);
  t->model = model;
  t->options = (LmTrainOptions) {.scalars = true, .explain = model->explain};
  if (!lm_train_config_read (model->model, &t->options.config, error))
    return NULL;
  t->total = (uint64_t)t->options.config.steps;
  if (lm_model_n_learners (model->model) == 0) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "%s: nothing to train with: the config has no \"learners\"; it wants "
                 "[{ \"type\": \"lamina.learner\", \"optimizer\": { ... } }]",
                 lm_archive_path (model->archive));
    return NULL;
  }
  if (model->state->init == NULL
      && !lm_state_init_learners (model->state, model->saved.learners,
                                  lm_archive_path (model->archive), error))
    return NULL;
  t->replicas = lm_model_replicas_new (model, error);
  if (t->replicas == NULL || !lm_replicas_open_input (t->replicas, model->saved.input, error))
    return NULL;
  return g_steal_pointer (&t);
}

LaminaTrainer *
lamina_trainer_new (LaminaModel *model, GError **error)
{
  LaminaTrainer *t = trainer_new (model, error);
  if (t == NULL)
    lm_model_give_up (model);
  return t;
}

void
lamina_trainer_free (LaminaTrainer *t)
{
  if (t == NULL)
    return;
  lm_replicas_free (t->replicas);
  lm_file_unlock (t->lock);
  g_free (t->events);
  g_free (t->names);
  g_free (t->values);
  g_free (t->prints);
  g_free (t);
}

/* --- how it runs ------------------------------------------------------------------------------------- */

void
lamina_trainer_set_scalars (LaminaTrainer *t, gboolean each_step)
{
  g_return_if_fail (!t->started);
  t->options.scalars = each_step;
}

void
lamina_trainer_set_events (LaminaTrainer *t, const char *folder)
{
  g_return_if_fail (!t->started);
  g_free (t->events);
  t->events = g_strdup (folder);
  t->options.events = t->events;
}

void
lamina_trainer_set_checks (LaminaTrainer *t, gboolean numerics, gboolean asserts)
{
  g_return_if_fail (!t->started);
  t->options.config.check_numerics = t->options.config.check_numerics || numerics;
  t->options.config.enable_asserts = t->options.config.enable_asserts || asserts;
}

gboolean
lamina_trainer_lock (LaminaTrainer *t, const char *path, GError **error)
{
  g_clear_pointer (&t->lock, lm_file_unlock);
  return lamina_model_rank (t->model) > 0 || lm_file_lock (path, &t->lock, error)
         || lm_model_give_up (t->model);
}

/* --- running ------------------------------------------------------------------------------------------ */

/* Room for the numbers of one step, made once. */
static void
reserve (LaminaTrainer *t, guint n, guint n_prints)
{
  if (t->names != NULL)
    return;
  t->names = g_new0 (const char *, n + 1);
  t->values = g_new0 (double, 2 * n + 1);
  t->prints = g_malloc0 ((n_prints + 1) * (sizeof (LaminaTensor *) + sizeof (LaminaTensor)));
  for (guint i = 0; i < n_prints; i++)
    t->prints[i] = (LaminaTensor *)(void *)(t->prints + n_prints + 1) + i;
}

/* Splits the report into the parallel arrays of the public struct. */
static void
fill_info (LaminaTrainer *t, const LmTrainReport *r, LaminaStepInfo *info)
{
  guint n = r->n_metrics, m = r->n_scalars;
  reserve (t, n + m, r->n_prints);
  double *weights = t->values + n + m;
  for (guint i = 0; i < n; i++) {
    t->names[i] = r->metrics[i].name;
    t->values[i] = r->metrics[i].value;
    weights[i] = r->metrics[i].weight;
  }
  for (guint i = 0; i < m; i++) {
    t->names[n + i] = r->scalars[i].name;
    t->values[n + i] = r->scalars[i].value;
  }
  info->step = r->step;
  info->loss = r->loss;
  info->n_metrics = n;
  info->metric_names = t->names;
  info->metric_values = t->values;
  info->metric_weights = weights;
  info->n_scalars = m;
  info->scalar_names = t->names + n;
  info->scalar_values = t->values + n;
  info->n_prints = r->n_prints;
  info->print_names = r->print_names;
  info->print_values = (const LaminaTensor *const *)t->prints;
  for (guint i = 0; i < r->n_prints; i++)
    *t->prints[i] = (LaminaTensor) {.array = (LmArray *)r->print_values[i]};
}

/* One step; FALSE at the end, *out_why NULL when that is none of a failure. */
static bool
make_step (LaminaTrainer *t, LaminaStepInfo *info, GError **out_why)
{
  const LmTrainReport *report = lm_replicas_step (t->replicas, out_why);
  if (report != NULL)
    fill_info (t, report, info);
  return report != NULL;
}

gboolean
lamina_trainer_run (LaminaTrainer *t, guint64 until, LaminaStepFunc each, gpointer user,
                    GError **error)
{
  LmState *state = t->model->state;
  LaminaStepInfo info = {.total = until != 0 ? until : t->total};
  gint64 start = g_get_monotonic_time ();
  t->stopped = false;
  if (state->step >= info.total)
    return TRUE;
  if (!t->started && !lm_replicas_start (t->replicas, &t->options, error))
    return lm_model_give_up (t->model);
  t->started = true;
  while (state->step < info.total) {
    GError *why = NULL;
    if (!make_step (t, &info, &why)) {
      if (why != NULL)
        g_propagate_error (error, why);
      t->stopped = lm_replicas_stopped (t->replicas);
      return why == NULL; /* the input is at its end, or another process was told to stop */
    }
    info.seconds = (double)(g_get_monotonic_time () - start) / 1e6;
    if (each == NULL || each (&info, user))
      continue;
    t->stopped = true;
    if (!lm_replicas_stop (t->replicas))
      break;
  }
  return TRUE;
}

gboolean
lamina_trainer_stopped (const LaminaTrainer *t)
{
  return t->stopped;
}

/* Data files that an archive can carry and the source does not hold as members of their own. */
static GHashTable *
collect_assets (const LaminaModel *m)
{
  g_autoptr (GHashTable) opened = lm_files_opened (m->files);
  GHashTable *assets =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
  GHashTableIter iter;
  gpointer path, bytes;
  g_hash_table_iter_init (&iter, opened);
  while (g_hash_table_iter_next (&iter, &path, &bytes)) {
    g_autofree char *name = lm_files_asset_name (path);
    bool held = lm_archive_manifest (m->archive) != NULL && lm_archive_has (m->archive, path);
    if (!held && g_bytes_get_size (bytes) <= LM_SAVE_ASSET_BYTES
        && lm_profile_name_fault (name) == NULL)
      g_hash_table_insert (assets, g_steal_pointer (&name), g_bytes_ref (bytes));
  }
  return assets;
}

/* Opens the other inputs, so that their files are known too. A file that is missing here was not
 * needed for training, and is not needed for saving. */
static void
touch_inputs (LaminaModel *m)
{
  JsonNode *node = json_object_get_member (lm_model_config (m->model), "inputs");
  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return;
  g_autoptr (GList) names = json_object_get_members (json_node_get_object (node));
  for (GList *l = names; l != NULL; l = l->next)
    lm_input_free (lm_input_open (m->model, l->data, m->files, NULL));
}

static bool
save (LaminaTrainer *t, const char *path, GError **error)
{
  touch_inputs (t->model);
  g_autoptr (GHashTable) assets = collect_assets (t->model);
  LmSave save = {t->model->state, lm_replicas_input (t->replicas), t->model->archive, assets};
  return lm_save_archive (&save, path, error) || lm_model_give_up (t->model);
}

/* Nobody goes on, and may fail, before the archive is there: a failure ends the job, also for the one
 * that still writes. */
gboolean
lamina_trainer_save (LaminaTrainer *t, const char *path, GError **error)
{
  return lm_replicas_check (t->replicas, error)
         && (lamina_model_rank (t->model) > 0 || save (t, path, error))
         && lm_replicas_meet (t->replicas, error);
}

guint64
lamina_trainer_step (const LaminaTrainer *t)
{
  return t->model->state->step;
}

guint64
lamina_trainer_total (const LaminaTrainer *t)
{
  return t->total;
}
