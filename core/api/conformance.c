/* SPDX-License-Identifier: Apache-2.0 */
/* Conformance of a backend: opening it beside reference, and keeping cases that fail. */
#include "core/api/private.h"

#include "core/archive/file.h"
#include "core/conformance/conformance.h"
#include "core/ir/text.h"
#include <string.h>

const char **
lamina_conformance_checks (void)
{
  return lm_conformance_checks ();
}

const char *
lamina_conformance_allows (const char *check, const char **out_why)
{
  const LmTolerance *tolerance = lm_conformance_tolerance (check);
  if (out_why != NULL)
    *out_why = tolerance != NULL ? tolerance->why : NULL;
  return tolerance != NULL ? tolerance->allowed : NULL;
}

/* --- opening ------------------------------------------------------------------------------------------ */

static bool
is_file (const char *backend)
{
  return strchr (backend, '/') != NULL || g_str_has_suffix (backend, ".so");
}

/* The one backend of a plugin file. */
static const char *
backend_of_file (LmRegistry *registry, const char *path, GError **error)
{
  const GPtrArray *plugins = lm_registry_plugins (registry);
  const LmPluginInfo *info = plugins->len > 0 ? plugins->pdata[0] : NULL;
  const char *id = NULL;
  guint n = 0;
  for (guint i = 0; info != NULL && info->provides != NULL && i < info->provides->len; i++) {
    const LmPluginProvides *p = info->provides->pdata[i];
    if (strcmp (p->kind, LAM_KIND_BACKEND) != 0)
      continue;
    id = p->id;
    n++;
  }
  if (n == 1)
    return id;
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
               "%s: this plugin has %u backends, wanted one; with more name it by its id and the "
               "file by --plugin",
               path, n);
  return NULL;
}

/* A file given as the backend stands before all other plugins, also one that has the id of another. */
static LmBackend *
open_file (const char *path, JsonObject *options, LmRegistry **out, GError **error)
{
  LmRegistry *registry = lm_registry_new (lm_host_tables ()->host);
  *out = registry;
  if (!lm_registry_add_file (registry, path, NULL, error))
    return NULL;
  const char *id = backend_of_file (registry, path, error);
  return id != NULL ? lm_backend_open (registry, id, options, error) : NULL;
}

static JsonNode *
parse_options (const char *text, GError **error)
{
  g_autoptr (JsonNode) node =
      lm_json_parse (text, strlen (text), LM_JSON_STRICT, "backend options", error);
  if (node == NULL || JSON_NODE_HOLDS_OBJECT (node))
    return g_steal_pointer (&node);
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
               "backend options: wanted a JSON object such as {\"threads\": 1}");
  return NULL;
}

/* --- keeping ------------------------------------------------------------------------------------------ */

typedef struct Watch {
  const LaminaConformanceOptions *options;
  const LaminaConformanceWatch *watch;
  char *kept;    /* of the dtype at work */
  GError *error; /* the first that keeping met */
} Watch;

static bool
write_text (const char *path, const char *text, GError **error)
{
  LmNewFile file;
  if (!lm_new_file_open (&file, path, 0644, error))
    return false;
  if (lm_new_file_write (&file, text, strlen (text), error))
    return lm_new_file_commit (&file, error);
  lm_new_file_abandon (&file);
  return false;
}

/* NumPy has no name for bf16. */
static const char *
suffix_of (const LmConformanceCase *c)
{
  for (uint32_t i = 0; i < c->f->ir.n_params; i++)
    if (c->in[i]->type.dtype == LAM_BF16)
      return "safetensors";
  return "npz";
}

static bool
save_inputs (const LmConformanceCase *c, const char *path, GError **error)
{
  g_autoptr (GHashTable) tensors = lamina_tensors_new ();
  for (uint32_t i = 0; i < c->f->ir.n_params; i++)
    g_hash_table_insert (tensors, g_strdup_printf ("%u", i),
                         lm_tensor_wrap (lm_array_ref (c->in[i])));
  return lamina_tensors_save (tensors, path, error);
}

static void
keep (Watch *w, const LmConformanceCase *c)
{
  const char *dir = w->options->keep;
  if (dir == NULL || c->f == NULL || w->error != NULL)
    return;
  g_autofree char *name = g_strdup_printf ("%s-%s", c->check, c->dtype);
  g_autofree char *stem = g_build_filename (dir, name, NULL);
  g_autofree char *inputs = g_strdup_printf ("%s.%s", stem, suffix_of (c));
  g_autofree char *lir = g_strdup_printf ("%s.lir", stem);
  g_autofree char *function = lm_text_print (c->f);
  g_autofree char *text =
      g_strdup_printf ("# %s in %s, case %u, seed %" G_GUINT64_FORMAT
                       "%s%s\n# lamina call %s-%s.lir --in %s-%s.%s\n%s",
                       c->check, c->dtype, c->number, w->options->seed,
                       c->message != NULL ? ": " : "", c->message != NULL ? c->message : "",
                       c->check, c->dtype, c->check, c->dtype, suffix_of (c), function);
  if (!write_text (lir, text, &w->error) || !save_inputs (c, inputs, &w->error))
    return;
  g_free (w->kept);
  w->kept = g_steal_pointer (&lir);
}

static void
on_begin (const LmConformanceCase *c, gpointer user)
{
  Watch *w = user;
  if (w->options->only >= 0)
    keep (w, c);
  if (w->watch == NULL || w->watch->begin == NULL)
    return;
  g_autofree char *text = c->f != NULL ? lm_text_print (c->f) : g_strdup ("");
  w->watch->begin (c->dtype, c->number, text, w->watch->user);
}

static void
on_failed (const LmConformanceCase *c, gpointer user)
{
  keep (user, c);
}

static void
on_result (const LmConformanceResult *r, gpointer user)
{
  Watch *w = user;
  const LaminaConformanceResult result = {.check = r->check,
                                          .dtype = r->dtype,
                                          .cases = r->cases,
                                          .failed = r->failed,
                                          .refused = r->refused,
                                          .refusal = r->refusal,
                                          .worst_ulps = r->worst_ulps,
                                          .worst_part = r->worst_part,
                                          .first_failed = r->first_failed,
                                          .message = r->message,
                                          .function = r->first_function,
                                          .kept = w->kept};
  if (w->watch != NULL && w->watch->result != NULL)
    w->watch->result (&result, w->watch->user);
  g_clear_pointer (&w->kept, g_free);
}

/* --- running ------------------------------------------------------------------------------------------ */

static bool
check_dtype (const char *dtype, GError **error)
{
  if (dtype == NULL || lm_dtype_from_name (dtype) != LAM_DTYPE_NONE)
    return true;
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
               "no dtype \"%s\"; known: f64 f32 f16 bf16 i64 i32 i16 i8 u64 u32 u16 u8 bool",
               dtype);
  return false;
}

static bool
run_check (const LmConformance *base, Watch *w, GError **error)
{
  LmConformance c = *base;
  c.tables = lm_host_tables ();
  c.check = w->options->check;
  c.dtype = w->options->dtype;
  c.seed = w->options->seed;
  c.only = w->options->only;
  c.begin = on_begin;
  c.failed = on_failed;
  c.result = on_result;
  c.user = w;
  bool ok = lm_conformance_run (&c, error);
  g_free (w->kept);
  if (ok && w->error != NULL) {
    g_propagate_error (error, w->error);
    return false;
  }
  g_clear_error (&w->error);
  return ok;
}

/* *own: registry of a plugin file, which must outlive the backend. */
static LmBackend *
open_backend (LaminaContext *context, const LaminaConformanceOptions *options, LmRegistry **own,
              GError **error)
{
  g_autoptr (JsonNode) node = NULL;
  if (options->backend_options != NULL
      && (node = parse_options (options->backend_options, error)) == NULL)
    return NULL;
  JsonObject *json = node != NULL ? json_node_get_object (node) : NULL;
  return is_file (options->backend)
             ? open_file (options->backend, json, own, error)
             : lm_backend_open (lm_context_registry (context), options->backend, json, error);
}

gboolean
lamina_conformance_run (LaminaContext *context, const LaminaConformanceOptions *options,
                        const LaminaConformanceWatch *watch, char **out_device, GError **error)
{
  g_return_val_if_fail (options != NULL && options->backend != NULL, FALSE);
  LmRegistry *registry = lm_context_registry (context), *own = NULL;
  bool known = check_dtype (options->dtype, error)
               && (options->check == NULL || lm_conformance_known (options->check, error));
  LmBackend *backend = known ? open_backend (context, options, &own, error) : NULL;
  LmBackend *reference =
      backend != NULL ? lm_backend_open (registry, "lamina.reference", NULL, error) : NULL;
  Watch w = {.options = options, .watch = watch};
  LmConformance c = {.backend = backend, .reference = reference, .registry = registry};
  bool ok = reference != NULL && (options->check == NULL || run_check (&c, &w, error));
  if (ok && out_device != NULL)
    *out_device =
        g_strdup_printf ("%s (%s)", lm_backend_id (backend), lm_backend_device_name (backend));
  lm_backend_unref (reference);
  lm_backend_unref (backend);
  if (own != NULL)
    lm_registry_free (own);
  return ok;
}
