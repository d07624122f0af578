/* SPDX-License-Identifier: Apache-2.0 */
/* The registry: which plugin files are known, and who provides what. */
#include "core/plugin/registry.h"

#include "core/plugin/elf_file.h"
#include "core/plugin/ident.h"
#include "core/plugin/load.h"
#include <string.h>
#include <sys/auxv.h>

typedef struct Plugin {
  LmPluginInfo info;   /* first: listings show this part */
  GPtrArray *provided; /* of LmProvided*, once loaded */
  GError *load_error;  /* kept: a failed plugin is not tried again */
} Plugin;

struct LmRegistry {
  const lam_host *host;
  GPtrArray *plugins; /* of Plugin*, in order of precedence */
  GPtrArray *dirs;    /* of char*, searched */
  GRecMutex lock;     /* the loader lock; recursive as init may ask the host for something */
};

static void
plugin_free (gpointer data)
{
  Plugin *plugin = data;

  g_clear_pointer (&plugin->provided, g_ptr_array_unref);
  g_clear_error (&plugin->load_error);
  g_free (plugin->info.path);
  g_free (plugin->info.origin);
  g_free (plugin->info.id);
  g_free (plugin->info.version);
  g_free (plugin->info.license);
  g_free (plugin->info.refused);
  g_clear_pointer (&plugin->info.provides, g_ptr_array_unref);
  g_free (plugin);
}

LmRegistry *
lm_registry_new (const lam_host *host)
{
  LmRegistry *registry = g_new0 (LmRegistry, 1);

  registry->host = host;
  registry->plugins = g_ptr_array_new_with_free_func (plugin_free);
  registry->dirs = g_ptr_array_new_with_free_func (g_free);
  g_rec_mutex_init (&registry->lock);
  return registry;
}

void
lm_registry_free (LmRegistry *registry)
{
  if (registry == NULL)
    return;
  g_ptr_array_unref (registry->plugins);
  g_ptr_array_unref (registry->dirs);
  g_rec_mutex_clear (&registry->lock);
  g_free (registry);
}

static Plugin *
find_path (const LmRegistry *registry, const char *path)
{
  for (guint i = 0; i < registry->plugins->len; i++) {
    Plugin *plugin = registry->plugins->pdata[i];
    if (strcmp (plugin->info.path, path) == 0)
      return plugin;
  }
  return NULL;
}

static bool
is_shadowed (const LmRegistry *registry, const char *id)
{
  for (guint i = 0; i < registry->plugins->len; i++) {
    const LmPluginInfo *info = registry->plugins->pdata[i];
    if (info->id != NULL && info->refused == NULL && strcmp (info->id, id) == 0)
      return true;
  }
  return false;
}

/* Reads the file's notes and remembers it. A file that is not a plugin is forgotten: NULL, without
 * an error. */
static Plugin *
scan (LmRegistry *registry, const char *path, const char *origin)
{
  g_autoptr (GError) cause = NULL;
  bool not_plugin = false;
  LmElfNotes *notes = lm_elf_read (path, &not_plugin, &cause);
  Plugin *plugin;

  if (not_plugin)
    return NULL;
  plugin = g_new0 (Plugin, 1);
  plugin->info.path = g_strdup (path);
  plugin->info.origin = g_strdup (origin);
  if (notes != NULL) {
    plugin->info.id = g_steal_pointer (&notes->plugin_id);
    plugin->info.version = g_steal_pointer (&notes->version);
    plugin->info.license = g_steal_pointer (&notes->license);
    plugin->info.provides = g_ptr_array_ref (notes->provides);
    plugin->info.shadowed = is_shadowed (registry, plugin->info.id);
    lm_elf_notes_free (notes);
  } else {
    plugin->info.refused = g_strdup (cause->message);
    plugin->info.provides = g_ptr_array_new_with_free_func (lm_provides_free);
  }
  g_ptr_array_add (registry->plugins, plugin);
  return plugin;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* The candidate file of a folder's entry, or NULL: lamina-*.so, NAME.lamplugin/plugin.so. */
static char *
candidate (const char *dir, const char *name)
{
  if (g_str_has_suffix (name, ".lamplugin"))
    return g_build_filename (dir, name, "plugin.so", NULL);
  if (g_str_has_prefix (name, "lamina-") && g_str_has_suffix (name, ".so"))
    return g_build_filename (dir, name, NULL);
  return NULL;
}

const lam_host *
lm_registry_host (const LmRegistry *registry)
{
  return registry->host;
}

void
lm_registry_add_dir (LmRegistry *registry, const char *dir)
{
  g_autofree char *path = g_canonicalize_filename (dir, NULL);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  GDir *folder = g_dir_open (path, 0, NULL);

  g_rec_mutex_lock (&registry->lock);
  for (const char *name; folder != NULL && (name = g_dir_read_name (folder)) != NULL;) {
    char *file = candidate (path, name);
    if (file != NULL)
      g_ptr_array_add (files, file);
  }
  g_clear_pointer (&folder, g_dir_close);
  g_ptr_array_sort (files, compare_names);
  for (guint i = 0; i < files->len; i++)
    if (find_path (registry, files->pdata[i]) == NULL)
      scan (registry, files->pdata[i], NULL);
  g_ptr_array_add (registry->dirs, g_steal_pointer (&path));
  g_rec_mutex_unlock (&registry->lock);
}

/* Environment and home are the caller's, not ours, in a set-user-id program. */
static bool
has_environment (void)
{
  return getauxval (AT_SECURE) == 0;
}

/* Elements of $LAM_PLUGIN_PATH. A relative one would mean the working folder of the moment: never
 * searched. */
static char **
search_path (bool absolute)
{
  const char *text = has_environment () ? g_getenv ("LAM_PLUGIN_PATH") : NULL;
  g_auto (GStrv) dirs = g_strsplit (text != NULL ? text : "", G_SEARCHPATH_SEPARATOR_S, -1);
  GPtrArray *found = g_ptr_array_new ();

  for (char **dir = dirs; *dir != NULL; dir++)
    if (**dir != '\0' && (bool)g_path_is_absolute (*dir) == absolute)
      g_ptr_array_add (found, g_strdup (*dir));
  g_ptr_array_add (found, NULL);
  return (char **)g_ptr_array_free (found, FALSE);
}

char **
lm_registry_ignored_dirs (void)
{
  return search_path (false);
}

void
lm_registry_add_standard_dirs (LmRegistry *registry)
{
  if (has_environment ()) {
    const char *data = g_getenv ("XDG_DATA_HOME");
    g_auto (GStrv) dirs = search_path (true);
    g_autofree char *home = NULL;
    for (char **dir = dirs; *dir != NULL; dir++)
      lm_registry_add_dir (registry, *dir);
    home = data != NULL && g_path_is_absolute (data)
               ? g_build_filename (data, "lamina", "plugins", NULL)
               : g_build_filename (g_get_home_dir (), ".local", "share", "lamina", "plugins", NULL);
    lm_registry_add_dir (registry, home);
  }
  lm_registry_add_dir (registry, LM_PLUGIN_DIR);
}

bool
lm_registry_add_file (LmRegistry *registry, const char *path, const char *origin, GError **error)
{
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  Plugin *plugin;

  g_rec_mutex_lock (&registry->lock);
  plugin = find_path (registry, absolute);
  if (plugin == NULL)
    plugin = scan (registry, absolute, origin);
  g_rec_mutex_unlock (&registry->lock);
  if (plugin == NULL)
    g_set_error (error, LM_ERROR, LM_ERROR_PLUGIN,
                 "%s: a shared object, but not a Lamina plugin: it has no " LAM_ENTRY_SYMBOL
                 "; write LAM_PLUGIN (...) in one of its files",
                 absolute);
  else if (plugin->info.refused != NULL)
    g_set_error (error, LM_ERROR,
                 g_file_test (absolute, G_FILE_TEST_EXISTS) ? LM_ERROR_PLUGIN : LM_ERROR_NOT_FOUND,
                 "%s", plugin->info.refused);
  return plugin != NULL && plugin->info.refused == NULL;
}

static bool
provides (const LmPluginInfo *info, const char *kind, const char *id)
{
  for (guint i = 0; i < info->provides->len; i++) {
    const LmPluginProvides *p = info->provides->pdata[i];
    if (strcmp (p->kind, kind) == 0 && (id == NULL || strcmp (p->id, id) == 0))
      return true;
  }
  return false;
}

static bool
usable (const LmPluginInfo *info)
{
  return info->refused == NULL && !info->shadowed;
}

/* "layer" for "lamina.layer/1". */
static char *
short_kind (const char *kind)
{
  const char *dot = strrchr (kind, '.');
  char *name = g_strdup (dot != NULL ? dot + 1 : kind);
  char *slash = strchr (name, '/');

  if (slash != NULL)
    *slash = '\0';
  return name;
}

static void
set_not_found (LmRegistry *registry, const char *kind, const char *id, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_auto (GStrv) ids = lm_registry_ids (registry, kind);
  g_autofree char *name = short_kind (kind);

  g_string_printf (text, "no %s \"%s\" is known", name, id);
  lm_append_did_you_mean (text, id, (const char *const *)ids);
  g_string_append (text, "\n  searched:");
  for (guint i = 0; i < registry->dirs->len; i++)
    g_string_append_printf (text, " %s", (char *)registry->dirs->pdata[i]);
  for (guint i = 0; i < registry->plugins->len; i++) {
    const LmPluginInfo *info = registry->plugins->pdata[i];
    if (info->refused != NULL)
      g_string_append_printf (text, "\n  refused: %s", info->refused);
  }
  g_string_append_printf (text, "\n  see: lamina plugin list");
  g_set_error_literal (error, LM_ERROR, LM_ERROR_NOT_FOUND, text->str);
}

/* Its provided things, loading it the first time. */
static GPtrArray *
load (LmRegistry *registry, Plugin *plugin, GError **error)
{
  if (plugin->provided == NULL && plugin->load_error == NULL)
    plugin->provided = lm_plugin_load (&plugin->info, registry->host, &plugin->load_error);
  if (plugin->load_error != NULL && error != NULL)
    *error = g_error_copy (plugin->load_error);
  return plugin->provided;
}

static const LmProvided *
find_locked (LmRegistry *registry, const char *kind, const char *id, GError **error)
{
  for (guint i = 0; i < registry->plugins->len; i++) {
    Plugin *plugin = registry->plugins->pdata[i];
    GPtrArray *provided;
    if (!usable (&plugin->info) || !provides (&plugin->info, kind, id))
      continue;
    provided = load (registry, plugin, error);
    if (provided == NULL)
      return NULL;
    for (guint k = 0; k < provided->len; k++) {
      const LmProvided *p = provided->pdata[k];
      if (strcmp (p->kind, kind) == 0 && strcmp (p->id, id) == 0)
        return p;
    }
  }
  set_not_found (registry, kind, id, error);
  return NULL;
}

const LmProvided *
lm_registry_find (LmRegistry *registry, const char *kind, const char *id, GError **error)
{
  const LmProvided *provided;

  g_rec_mutex_lock (&registry->lock);
  provided = find_locked (registry, kind, id, error);
  g_rec_mutex_unlock (&registry->lock);
  return provided;
}

const GPtrArray *
lm_registry_plugins (const LmRegistry *registry)
{
  return registry->plugins;
}

char **
lm_registry_ids (const LmRegistry *registry, const char *kind)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *ids = g_ptr_array_new ();

  for (guint i = 0; i < registry->plugins->len; i++) {
    const LmPluginInfo *info = registry->plugins->pdata[i];
    for (guint k = 0; usable (info) && k < info->provides->len; k++) {
      const LmPluginProvides *p = info->provides->pdata[k];
      if (strcmp (p->kind, kind) == 0 && g_hash_table_add (seen, p->id))
        g_ptr_array_add (ids, g_strdup (p->id));
    }
  }
  g_ptr_array_sort (ids, compare_names);
  g_ptr_array_add (ids, NULL);
  return (char **)g_ptr_array_free (ids, FALSE);
}
