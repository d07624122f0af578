/* SPDX-License-Identifier: Apache-2.0 */
/* Hyper-parameters built in code, and models of them: LaminaParams is the core's LmHyper. */
#include "core/api/private.h"

#include "core/base/hyper_table.h"
#include "core/base/hyper_text.h"
#include <string.h>

static LmHyper *
core (LaminaParams *params)
{
  return (LmHyper *)params;
}

static const LmHyper *
peek (const LaminaParams *params)
{
  return (const LmHyper *)params;
}

static LaminaParams *
wrap (LmHyper *params)
{
  return (LaminaParams *)params;
}

/* --- making --------------------------------------------------------------------------------------- */

LaminaParams *
lamina_params_new (const char *cls)
{
  return wrap (lm_hyper_new (cls));
}

/* The sections around the top level's own keys, in the order that configs have them. */
static bool
define_sections (LmHyper *params, GError **error)
{
  static const struct {
    const char *name, *doc;
    bool list;
  } sections[] = {
      {"model", "The root layer.", false},
      {"learners", "What trains the variables.", true},
      {"inputs", "Inputs by name: train, eval ...", false},
      {"metrics", "Metrics by name.", false},
      {"train", "How long to train, what to save (type \"train\").", false},
  };
  for (guint i = 0; i < G_N_ELEMENTS (sections); i++) {
    LmHyperValue *value = sections[i].list ? lm_hyper_sequence (LM_HYPER_LIST) : lm_hyper_none ();
    if (!lm_hyper_define (params, sections[i].name, value, sections[i].doc, error))
      return false;
  }
  return true;
}

LaminaParams *
lamina_params_new_for_type (LaminaContext *context, const char *kind, const char *type,
                            GError **error)
{
  const char *found;
  g_autoptr (GPtrArray) tables = lm_context_tables (context, kind, type, &found, error);
  if (tables == NULL)
    return NULL;
  g_autoptr (LmHyper) params = lm_hyper_new (found != NULL ? type : NULL);
  if (g_strcmp0 (found, LAM_KIND_LAYER) == 0
      && !lm_hyper_define (params, "name", lm_hyper_none (), "Name of the layer.", error))
    return NULL;
  for (guint i = 0; i < tables->len; i++)
    if (!lm_hyper_define_table (params, tables->pdata[i], error))
      return NULL;
  if (found == NULL && strcmp (type, "config") == 0 && !define_sections (params, error))
    return NULL;
  return wrap (g_steal_pointer (&params));
}

LaminaParams *
lamina_params_new_from_json (const char *text, GError **error)
{
  g_autoptr (JsonNode) node =
      lm_json_parse (text, strlen (text), LM_JSON_COMMENTS, "config", error);
  if (node == NULL)
    return NULL;
  if (JSON_NODE_HOLDS_OBJECT (node))
    return wrap (lm_hyper_from_json (json_node_get_object (node), error));
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "config: wanted an object { \"name\": ... }");
  return NULL;
}

LaminaParams *
lamina_params_copy (const LaminaParams *params)
{
  return wrap (lm_hyper_copy (peek (params)));
}

void
lamina_params_free (LaminaParams *params)
{
  lm_hyper_free (core (params));
}

/* --- values --------------------------------------------------------------------------------------- */

gboolean
lamina_params_define (LaminaParams *params, const char *name, LaminaValue *value,
                      const char *description, GError **error)
{
  return lm_hyper_define (core (params), name, (LmHyperValue *)value, description, error);
}

gboolean
lamina_params_set (LaminaParams *params, const char *path, LaminaValue *value, GError **error)
{
  return lm_hyper_set (core (params), path, (LmHyperValue *)value, error);
}

const LaminaValue *
lamina_params_get (const LaminaParams *params, const char *path, GError **error)
{
  return (const LaminaValue *)lm_hyper_get (peek (params), path, error);
}

LaminaParams *
lamina_params_get_params (LaminaParams *params, const char *path, GError **error)
{
  return wrap (lm_hyper_get_params (core (params), path, error));
}

gboolean
lamina_params_delete (LaminaParams *params, const char *path, GError **error)
{
  return lm_hyper_delete (core (params), path, error);
}

gboolean
lamina_params_is_set (const LaminaParams *params, const char *path, GError **error)
{
  return lm_hyper_is_set (peek (params), path, error);
}

guint
lamina_params_size (const LaminaParams *params)
{
  return lm_hyper_size (peek (params));
}

gboolean
lamina_params_has (const LaminaParams *params, const char *name)
{
  return lm_hyper_has (peek (params), name);
}

const char *
lamina_params_name (const LaminaParams *params, guint i)
{
  return i < lm_hyper_size (peek (params)) ? lm_hyper_name (peek (params), i) : NULL;
}

const char *
lamina_params_description (const LaminaParams *params, guint i)
{
  return i < lm_hyper_size (peek (params)) ? lm_hyper_description (peek (params), i) : NULL;
}

/* --- whole objects -------------------------------------------------------------------------------- */

void
lamina_params_freeze (LaminaParams *params)
{
  lm_hyper_freeze (core (params));
}

gboolean
lamina_params_is_frozen (const LaminaParams *params)
{
  return lm_hyper_is_frozen (peek (params));
}

gboolean
lamina_params_equal (const LaminaParams *a, const LaminaParams *b)
{
  return lm_hyper_equal (peek (a), peek (b));
}

gboolean
lamina_params_copy_fields (const LaminaParams *from, LaminaParams *to, const char *const *skip,
                           GError **error)
{
  return lm_hyper_copy_fields (peek (from), core (to), skip, error);
}

gboolean
lamina_params_merge_common (LaminaParams *to, const LaminaParams *from, GError **error)
{
  return lm_hyper_merge_common (core (to), peek (from), error);
}

typedef struct Visit {
  LaminaParamsEnterFunc enter;
  LaminaParamsVisitFunc visit;
  gpointer user;
} Visit;

static bool
enter_value (const char *key, const LmHyperValue *value, gpointer user)
{
  const Visit *v = user;
  return v->enter == NULL || v->enter (key, (const LaminaValue *)value, v->user);
}

static void
visit_value (const char *key, const LmHyperValue *value, gpointer user)
{
  const Visit *v = user;
  v->visit (key, (const LaminaValue *)value, v->user);
}

void
lamina_params_visit (const LaminaParams *params, LaminaParamsEnterFunc enter,
                     LaminaParamsVisitFunc visit, gpointer user)
{
  Visit v = {enter, visit, user};
  const LmHyperVisitor visitor = {enter_value, visit_value, NULL, &v};
  g_return_if_fail (visit != NULL);
  lm_hyper_visit (peek (params), &visitor);
}

/* --- text ----------------------------------------------------------------------------------------- */

char *
lamina_params_to_text (const LaminaParams *params, gboolean types)
{
  return lm_hyper_to_text (peek (params), types != FALSE);
}

gboolean
lamina_params_from_text (LaminaParams *params, const char *text, gboolean types, GError **error)
{
  return lm_hyper_from_text (core (params), text, types != FALSE, error);
}

char *
lamina_params_to_string (const LaminaParams *params)
{
  return lm_hyper_to_string (peek (params));
}

char *
lamina_params_diff (const LaminaParams *a, const LaminaParams *b)
{
  return lm_hyper_diff (peek (a), peek (b));
}

char *
lamina_params_to_json (const LaminaParams *params)
{
  g_autoptr (JsonNode) node = lm_hyper_to_json (peek (params));
  return lm_json_print (node);
}

/* --- building ------------------------------------------------------------------------------------- */

/* A whole config as it is, a layer as the root of one. */
static JsonObject *
config_of (const LmHyper *params, GError **error)
{
  g_autoptr (JsonNode) node = lm_hyper_to_json (params);
  JsonObject *object = json_node_get_object (node);
  if (lm_hyper_cls (params) == NULL && json_object_has_member (object, "model"))
    return json_object_ref (object);
  if (lm_hyper_cls (params) == NULL) {
    g_set_error (
        error, LM_ERROR, LM_ERROR_INVALID,
        "params: nothing to build: neither \"cls\" (a layer's type) nor \"model\" (the root "
        "layer of a config) is set");
    return NULL;
  }
  JsonObject *config = json_object_new ();
  json_object_set_member (config, "model", g_steal_pointer (&node));
  return config;
}

LaminaModel *
lamina_params_instantiate (const LaminaParams *params, LaminaContext *context, const char *folder,
                           const LaminaModelOptions *options, GError **error)
{
  g_return_val_if_fail (params != NULL && context != NULL, NULL);
  g_autoptr (JsonObject) config = config_of (peek (params), error);
  if (config == NULL)
    return NULL;
  LmArchive *archive = lm_archive_new_config (folder != NULL ? folder : ".", config);
  return lm_model_open_archive (context, archive, options, error);
}
