/* SPDX-License-Identifier: Apache-2.0 */
/* Opening backends: by name, by the best score, or over a table. */
#include "core/run/private.h"

#include "core/base/params.h"

#include <string.h>

static const lam_backend_vt *
find_vtable (LmRegistry *registry, const char *id, GError **error)
{
  const LmProvided *p = lm_registry_find (registry, LAM_KIND_BACKEND, id, error);
  return p != NULL ? p->vtable : NULL;
}

/* The one id whose last part is `name`; NULL when there is none or more than one. */
static const char *
by_last_part (char **ids, const char *name)
{
  const char *found = NULL;
  for (char **id = ids; *id != NULL; id++) {
    const char *dot = strrchr (*id, '.');
    if (dot == NULL || strcmp (dot + 1, name) != 0)
      continue;
    if (found != NULL)
      return NULL;
    found = *id;
  }
  return found;
}

/* The id of the highest score above 0, from plugins that load. */
static char *
best_id (LmRegistry *registry, char **ids, const lam_host *host)
{
  const char *best = NULL;
  int32_t most = 0;
  for (char **id = ids; *id != NULL; id++) {
    const lam_backend_vt *vt = find_vtable (registry, *id, NULL);
    int32_t score = vt != NULL ? vt->probe (host) : 0;
    if (score > most) {
      most = score;
      best = *id;
    }
  }
  return g_strdup (best);
}

/* A name without a dot was meant as a last part. */
static void
append_near_last_part (GString *message, char **ids, const char *name)
{
  g_autofree const char **last = g_new0 (const char *, g_strv_length (ids) + 1);
  for (guint i = 0; ids[i] != NULL; i++) {
    const char *dot = strrchr (ids[i], '.');
    last[i] = dot != NULL ? dot + 1 : ids[i];
  }
  lm_append_did_you_mean (message, name, last);
}

static void
fail_unknown (char **ids, const char *name, GError **error)
{
  g_autofree char *list = g_strjoinv (", ", ids);
  g_autoptr (GString) message = g_string_new (NULL);
  g_string_printf (message, "no backend \"%s\"; there is: %s",
                   name != NULL ? name : "that runs here",
                   *list != '\0' ? list : "none (check --plugin-dir or $LAM_PLUGIN_PATH)");
  if (name != NULL && strchr (name, '.') != NULL)
    lm_append_did_you_mean (message, name, (const char *const *)ids);
  else if (name != NULL)
    append_near_last_part (message, ids, name);
  g_set_error_literal (error, LM_ERROR, LM_ERROR_NOT_FOUND, message->str);
}

LmBackend *
lm_backend_open (LmRegistry *registry, const char *name, JsonObject *options, GError **error)
{
  g_auto (GStrv) ids = lm_registry_ids (registry, LAM_KIND_BACKEND);
  const lam_host *host = lm_registry_host (registry);
  g_autofree char *id = NULL;
  if (name == NULL)
    id = best_id (registry, ids, host);
  else if (g_strv_contains ((const char *const *)ids, name))
    id = g_strdup (name);
  else
    id = g_strdup (by_last_part (ids, name));
  if (id == NULL) {
    fail_unknown (ids, name, error);
    return NULL;
  }
  const lam_backend_vt *vt = find_vtable (registry, id, error);
  return vt != NULL ? lm_backend_open_vtable (id, vt, host, options, error) : NULL;
}

/* The options struct filled from JSON; *out_params owns what it points to. */
static bool
fill_options (const char *id, const lam_backend_vt *vt, JsonObject *options,
              LmFieldTable **out_table, LmParams **out_params, void **out, GError **error)
{
  g_autoptr (JsonObject) none = json_object_new ();
  *out_table = lm_field_table_new (id, vt->fields, vt->options_size, error);
  if (*out_table == NULL)
    return false;
  *out_params = lm_params_new (*out_table, options != NULL ? options : none, NULL, id, error);
  if (*out_params == NULL)
    return false;
  *out = g_malloc0 (vt->options_size + 1);
  lm_params_fill (*out_params, *out);
  return true;
}

LmBackend *
lm_backend_open_vtable (const char *id, const lam_backend_vt *vt, const lam_host *host,
                        JsonObject *options, GError **error)
{
  LmFieldTable *table = NULL;
  g_autoptr (LmParams) params = NULL;
  g_autofree void *filled = NULL;
  lam_backend *self = NULL;
  bool ok = fill_options (id, vt, options, &table, &params, &filled, error);
  if (ok) {
    lam_error slot;
    lm_plugin_error_init (&slot);
    ok = lm_plugin_error_take (&slot, vt->open (host, filled, &self, &slot), id, error);
  }
  g_clear_pointer (&params, lm_params_free);
  g_clear_pointer (&table, lm_field_table_free);
  if (!ok)
    return NULL;
  LmBackend *backend = g_new0 (LmBackend, 1);
  backend->refs = 1;
  backend->id = g_strdup (id);
  memcpy (&backend->table, vt, MIN (vt->struct_size, sizeof backend->table));
  backend->vt = &backend->table;
  backend->self = self;
  return backend;
}

LmBackend *
lm_backend_ref (LmBackend *backend)
{
  g_atomic_int_inc (&backend->refs);
  return backend;
}

void
lm_backend_unref (LmBackend *backend)
{
  if (backend == NULL || !g_atomic_int_dec_and_test (&backend->refs))
    return;
  backend->vt->close (backend->self);
  g_free (backend->id);
  g_free (backend);
}

const char *
lm_backend_id (const LmBackend *backend)
{
  return backend->id;
}

const char *
lm_backend_device_name (const LmBackend *backend)
{
  return backend->vt->device_name (backend->self);
}

static bool
claims (void *ctx, const lam_function *f, const lam_equation *e)
{
  const LmBackend *backend = ctx;
  return backend->vt->claims (backend->self, f, e);
}

LmClaims
lm_backend_claims (LmBackend *backend)
{
  return (LmClaims) {backend->vt->ir_minor, backend, claims, NULL};
}
