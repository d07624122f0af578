/* SPDX-License-Identifier: Apache-2.0 */
/* Opening backends: by name, by the best score, or over a table. */
#include "core/run/private.h"

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
fail_unknown (char **ids, const char *noun, const char *name, GError **error)
{
  g_autofree char *list = g_strjoinv (", ", ids);
  g_autoptr (GString) message = g_string_new (NULL);
  g_string_printf (message, "no %s \"%s\"; there is: %s", noun,
                   name != NULL ? name : "that runs here",
                   *list != '\0' ? list : "none (check --plugin-dir or $LAM_PLUGIN_PATH)");
  if (name != NULL && strchr (name, '.') != NULL)
    lm_append_did_you_mean (message, name, (const char *const *)ids);
  else if (name != NULL)
    append_near_last_part (message, ids, name);
  g_set_error_literal (error, LM_ERROR, LM_ERROR_NOT_FOUND, message->str);
}

char *
lm_find_id (LmRegistry *registry, const char *kind, const char *noun, const char *name,
            GError **error)
{
  g_auto (GStrv) ids = lm_registry_ids (registry, kind);
  const char *id =
      g_strv_contains ((const char *const *)ids, name) ? name : by_last_part (ids, name);
  if (id == NULL)
    fail_unknown (ids, noun, name, error);
  return g_strdup (id);
}

static char *
find_best (LmRegistry *registry, GError **error)
{
  g_auto (GStrv) ids = lm_registry_ids (registry, LAM_KIND_BACKEND);
  char *id = best_id (registry, ids, lm_registry_host (registry));
  if (id == NULL)
    fail_unknown (ids, "backend", NULL, error);
  return id;
}

char *
lm_backend_find_id (LmRegistry *registry, const char *name, GError **error)
{
  return name != NULL ? lm_find_id (registry, LAM_KIND_BACKEND, "backend", name, error)
                      : find_best (registry, error);
}

bool
lm_backend_has_option (LmRegistry *registry, const char *id, const char *option)
{
  const lam_backend_vt *vt = find_vtable (registry, id, NULL);
  LmFieldTable *table =
      vt != NULL ? lm_field_table_new (id, vt->fields, vt->options_size, NULL) : NULL;
  bool found = table != NULL && lm_field_table_find (table, option) != NULL;
  if (table != NULL)
    lm_field_table_free (table);
  return found;
}

LmBackend *
lm_backend_open (LmRegistry *registry, const char *name, JsonObject *options, GError **error)
{
  g_autofree char *id = lm_backend_find_id (registry, name, error);
  const lam_backend_vt *vt = id != NULL ? find_vtable (registry, id, error) : NULL;
  return vt != NULL ? lm_backend_open_vtable (id, vt, lm_registry_host (registry), options, error)
                    : NULL;
}

bool
lm_fill_options (LmFilled *out, const char *id, lam_declare_fields_fn fields, uint64_t size,
                 JsonObject *options, GError **error)
{
  g_autoptr (JsonObject) none = json_object_new ();
  out->table = lm_field_table_new (id, fields, size, error);
  if (out->table == NULL)
    return false;
  out->params = lm_params_new (out->table, options != NULL ? options : none, NULL, id, error);
  if (out->params == NULL)
    return false;
  out->options = g_malloc0 (size + 1);
  lm_params_fill (out->params, out->options);
  return true;
}

void
lm_filled_clear (LmFilled *filled)
{
  g_clear_pointer (&filled->params, lm_params_free);
  g_clear_pointer (&filled->table, lm_field_table_free);
  g_clear_pointer (&filled->options, g_free);
}

LmBackend *
lm_backend_open_vtable (const char *id, const lam_backend_vt *vt, const lam_host *host,
                        JsonObject *options, GError **error)
{
  LmFilled filled = {0};
  lam_backend *self = NULL;
  bool ok = lm_fill_options (&filled, id, vt->fields, vt->options_size, options, error);
  if (ok) {
    lam_error slot;
    lm_plugin_error_init (&slot);
    ok = lm_plugin_error_take (&slot, vt->open (host, filled.options, &self, &slot), id, error);
  }
  lm_filled_clear (&filled);
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
