/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a model: archive, code by trust, layers, backend, variables. */
#include "core/api/private.h"

#include <string.h>

JsonObject *
lm_config_open (LmArchive *archive, GError **error)
{
  g_autoptr (JsonNode) node = lm_archive_config (archive, error);
  if (node == NULL)
    return NULL;
  if (!JSON_NODE_HOLDS_OBJECT (node)) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "%s: the config is not an object; it wants { \"model\": { ... }, ... }",
                 lm_archive_path (archive));
    return NULL;
  }
  JsonObject *copy = json_object_new ();
  JsonObjectIter iter;
  const char *key;
  JsonNode *value;
  json_object_iter_init (&iter, json_node_get_object (node));
  while (json_object_iter_next (&iter, &key, &value))
    json_object_set_member (copy, key, json_node_copy (value));
  return copy;
}

char *
lm_archive_folder (const LmArchive *archive)
{
  const char *path = lm_archive_path (archive);
  return lm_archive_is_directory (archive) ? g_strdup (path) : g_path_get_dirname (path);
}

/* Members of options beyond the caller's struct_size are the defaults. */
static LaminaModelOptions
read_options (const LaminaModelOptions *options)
{
  LaminaModelOptions out = LAMINA_MODEL_OPTIONS_INIT;
  if (options != NULL)
    memcpy (&out, options, MIN (options->struct_size, sizeof out));
  return out;
}

/* What was not found may be what the archive brings for other machines only. */
static void
add_elsewhere (const LmArchive *archive, GError **error)
{
  if (error == NULL || !g_error_matches (*error, LM_ERROR, LM_ERROR_NOT_FOUND))
    return;
  g_autoptr (GString) text = g_string_new ((*error)->message);
  const GPtrArray *plugins = lm_archive_plugins (archive);
  for (guint i = 0; i < plugins->len; i++) {
    const LmArchivePlugin *p = plugins->pdata[i];
    if (!p->here)
      g_string_append_printf (text, "\n  %s %s comes with it for %s; this machine is %s", p->id,
                              p->version, p->platform, lm_platform ());
  }
  g_free ((*error)->message);
  (*error)->message = g_string_free (g_steal_pointer (&text), FALSE);
}

static bool
build_model (LaminaModel *m, const LaminaModelOptions *o, GError **error)
{
  g_autoptr (JsonObject) config = lm_config_open (m->archive, error);
  if (config == NULL)
    return false;
  if (o->dtype != NULL)
    json_object_set_string_member (config, "dtype", o->dtype);
  if (o->seed >= 0)
    json_object_set_int_member (config, "seed", o->seed);
  m->model = lm_model_new (m->registry, lm_host_tables (), config, error);
  if (m->model == NULL) {
    g_prefix_error (error, "%s: ", lm_archive_path (m->archive));
    add_elsewhere (m->archive, error);
  }
  return m->model != NULL;
}

/* m->backend_options from the option's text. */
static bool
read_backend_options (LaminaModel *m, const LaminaModelOptions *o, GError **error)
{
  if (o->backend_options == NULL) {
    m->backend_options = json_object_new ();
    return true;
  }
  g_autoptr (JsonNode) node = lm_json_parse (o->backend_options, strlen (o->backend_options),
                                             LM_JSON_STRICT, "backend options", error);
  if (node == NULL)
    return false;
  if (!JSON_NODE_HOLDS_OBJECT (node)) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "backend options: wanted a JSON object such as {\"threads\": 1}");
    return false;
  }
  m->backend_options = json_object_ref (json_node_get_object (node));
  return true;
}

static bool
open_backend (LaminaModel *m, const LaminaModelOptions *o, GError **error)
{
  const char *name = o->backend != NULL ? o->backend : lm_archive_backend (m->archive);
  if (!read_backend_options (m, o, error))
    return false;
  if (name != NULL && *name == '\0')
    name = NULL;
  if (lm_model_share_threads (m, name, error))
    m->backend = lm_backend_open (m->registry, name, m->backend_options, error);
  if (m->backend == NULL && o->backend == NULL && name != NULL)
    g_prefix_error (error, "%s asks for backend %s (another one: --backend): ",
                    lm_archive_path (m->archive), name);
  if (m->backend == NULL)
    add_elsewhere (m->archive, error);
  return m->backend != NULL;
}

/* --- variables ------------------------------------------------------------------------------------ */

/* f32 <-> f64 where the caller changed the model's dtype. */
static GHashTable *
convert_floats (GHashTable *arrays, lam_dtype real, GError **error)
{
  g_autoptr (GHashTable) out = lm_arrays_new ();
  GHashTableIter iter;
  gpointer name, value;
  g_hash_table_iter_init (&iter, arrays);
  while (g_hash_table_iter_next (&iter, &name, &value)) {
    LmArray *array = value;
    lam_dtype dtype = array->type.dtype;
    bool change = (dtype == LAM_F32 || dtype == LAM_F64) && dtype != real;
    LmArray *taken = change ? lm_array_convert (array, real, error) : lm_array_ref (array);
    if (taken == NULL)
      return NULL;
    g_hash_table_insert (out, g_strdup (name), taken);
  }
  return g_steal_pointer (&out);
}

/* Weights by option, else of the archive; *out NULL without an error when there are none. */
static bool
read_weights (LaminaModel *m, const LaminaModelOptions *o, GHashTable **out, GError **error)
{
  GError *why = NULL;
  GHashTable *found = o->weights != NULL ? lm_arrays_load (o->weights, &why)
                                         : lm_archive_weights (m->archive, &why);
  if (why == NULL && found != NULL && o->dtype != NULL) {
    GHashTable *converted = convert_floats (found, lm_model_real_dtype (m->model), &why);
    g_hash_table_unref (found);
    found = converted;
  }
  *out = found;
  if (why != NULL)
    g_propagate_error (error, why);
  return why == NULL;
}

/* The state of a run that stopped; given weights start a new run. */
static bool
read_saved (LaminaModel *m, const LaminaModelOptions *o, GError **error)
{
  if (o->weights != NULL)
    return true;
  if (!lm_saved_read (m->archive, &m->saved, error))
    return false;
  if (m->saved.learners != NULL && o->dtype != NULL) {
    GHashTable *converted =
        convert_floats (m->saved.learners, lm_model_real_dtype (m->model), error);
    g_hash_table_unref (m->saved.learners);
    m->saved.learners = converted;
    return converted != NULL;
  }
  return true;
}

/* Evaluation and prediction want the averages of the variables, which stand among the learner states. */
static bool
read_averages (LaminaModel *m, GError **error)
{
  GHashTableIter iter;
  gpointer path;
  bool any = false;
  if (m->saved.learners == NULL)
    return true;
  g_hash_table_iter_init (&iter, m->saved.learners);
  while (!any && g_hash_table_iter_next (&iter, &path, NULL))
    any = strstr (path, ".ema.vars.") != NULL;
  return !any
         || lm_state_init_learners (m->state, m->saved.learners, lm_archive_path (m->archive),
                                    error);
}

static bool
load_state (LaminaModel *m, const LaminaModelOptions *o, GError **error)
{
  g_autoptr (GHashTable) weights = NULL;
  guint n = lm_model_n_vars (m->model);
  g_autofree LmArray **vars = g_new0 (LmArray *, n + 1);
  const char *where = o->weights != NULL ? o->weights : lm_archive_path (m->archive);
  if (!read_weights (m, o, &weights, error) || !read_saved (m, o, error)
      || (weights != NULL && !lm_model_take_weights (m->model, weights, where, vars, error)))
    return false;
  m->state = lm_state_new (m->model, m->backend, weights != NULL ? vars : NULL, error);
  for (guint i = 0; i < n; i++)
    lm_array_unref (vars[i]);
  return m->state != NULL && lm_state_set_step (m->state, m->saved.step, error)
         && read_averages (m, error);
}

LaminaModel *
lm_model_open_archive (LaminaContext *context, LmArchive *archive,
                       const LaminaModelOptions *options, GError **error)
{
  g_autoptr (LaminaModel) m = g_new0 (LaminaModel, 1);
  LaminaModelOptions o = read_options (options);
  m->context = context;
  m->explain = g_string_new (NULL);
  m->archive = archive;
  g_autofree char *folder = lm_archive_folder (m->archive);
  m->files = lm_files_new (m->archive, folder);
  m->registry = lm_context_new_registry (context, m->archive, error);
  if (m->registry == NULL || !lm_code_check_requires (m->archive, m->registry, error)
      || !build_model (m, &o, error) || !lm_model_join (m, &o, error))
    return NULL;
  if (!open_backend (m, &o, error) || !load_state (m, &o, error)) {
    lm_model_give_up (m);
    return NULL;
  }
  m->predictor = lm_predictor_new (m->state);
  return g_steal_pointer (&m);
}

LaminaModel *
lamina_model_open (LaminaContext *context, const char *path, const LaminaModelOptions *options,
                   GError **error)
{
  g_return_val_if_fail (context != NULL && path != NULL, NULL);
  LmArchive *archive = lm_archive_open (path, error);
  return archive != NULL ? lm_model_open_archive (context, archive, options, error) : NULL;
}

void
lamina_model_free (LaminaModel *m)
{
  if (m == NULL)
    return;
  lm_predictor_free (m->predictor);
  lm_state_free (m->state);
  g_clear_pointer (&m->backend, lm_backend_unref);
  g_clear_pointer (&m->backend_options, json_object_unref);
  lm_group_free (m->group);
  lm_model_free (m->model);
  lm_saved_clear (&m->saved);
  lm_files_free (m->files);
  g_clear_pointer (&m->registry, lm_registry_free);
  g_clear_pointer (&m->archive, lm_archive_free);
  g_string_free (m->explain, TRUE);
  g_free (m);
}

/* --- reading -------------------------------------------------------------------------------------- */

const char *
lamina_model_name (const LaminaModel *model)
{
  return lm_model_name (model->model);
}

const char *
lamina_model_backend (const LaminaModel *model)
{
  return lm_backend_id (model->backend);
}

const char *
lamina_model_device (const LaminaModel *model)
{
  return lm_backend_device_name (model->backend);
}

guint64
lamina_model_step (const LaminaModel *model)
{
  return model->state->step;
}

GHashTable *
lamina_model_variables (LaminaModel *model, GError **error)
{
  g_autoptr (GHashTable) arrays = lm_state_read_vars (model->state, error);
  return arrays != NULL ? lm_tensors_from_arrays (arrays) : NULL;
}

char *
lamina_model_explain (const LaminaModel *model)
{
  return g_strdup (model->explain->str);
}

gboolean
lamina_model_has_input (const LaminaModel *model, const char *input)
{
  return lm_model_input_config (model->model, input) != NULL;
}
