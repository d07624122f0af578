/* SPDX-License-Identifier: Apache-2.0 */
/* Which plugins there are, and the registries made of them. */
#include "core/api/private.h"

#include <dirent.h>
#include <errno.h>

LaminaContext *
lamina_context_new (void)
{
  LaminaContext *context = g_new0 (LaminaContext, 1);
  context->files = g_ptr_array_new_with_free_func (g_free);
  context->dirs = g_ptr_array_new_with_free_func (g_free);
  return context;
}

void
lamina_context_free (LaminaContext *context)
{
  if (context == NULL)
    return;
  g_clear_pointer (&context->registry, lm_registry_free);
  g_ptr_array_unref (context->files);
  g_ptr_array_unref (context->dirs);
  g_free (context);
}

/* What is given by name is searched first; then what the archive brings, so that a model runs with the
 * code it was made with; then what is installed. */
LmRegistry *
lm_context_new_registry (LaminaContext *context, LmArchive *archive, GError **error)
{
  LmRegistry *registry = lm_registry_new (lm_host_tables ()->host);
  bool ok = true;
  for (guint i = 0; i < context->files->len && ok; i++)
    ok = lm_registry_add_file (registry, context->files->pdata[i], NULL, error);
  for (guint i = 0; i < context->dirs->len && ok; i++)
    lm_registry_add_dir (registry, context->dirs->pdata[i]);
  ok = ok && (archive == NULL || lm_code_register (archive, registry, error));
  if (!ok) {
    lm_registry_free (registry);
    return NULL;
  }
  lm_registry_add_standard_dirs (registry);
  return registry;
}

LmRegistry *
lm_context_registry (LaminaContext *context)
{
  if (context->registry == NULL)
    context->registry = lm_context_new_registry (context, NULL, NULL);
  if (context->registry == NULL) { /* a file given by name went bad since: without it */
    context->registry = lm_registry_new (lm_host_tables ()->host);
    lm_registry_add_standard_dirs (context->registry);
  }
  return context->registry;
}

gboolean
lamina_context_add_plugin_dir (LaminaContext *context, const char *dir, GError **error)
{
  DIR *folder = opendir (dir);
  int code = errno;
  if (folder == NULL) {
    g_set_error (error, LM_ERROR, code == ENOENT ? LM_ERROR_NOT_FOUND : LM_ERROR_IO,
                 "cannot search %s for plugins: %s", dir, g_strerror (code));
    return FALSE;
  }
  closedir (folder);
  g_ptr_array_add (context->dirs, g_strdup (dir));
  g_clear_pointer (&context->registry, lm_registry_free);
  return TRUE;
}

char **
lamina_context_ignored_dirs (const LaminaContext *context)
{
  g_return_val_if_fail (context != NULL, NULL);
  return lm_registry_ignored_dirs ();
}

gboolean
lamina_context_add_plugin (LaminaContext *context, const char *path, GError **error)
{
  LmRegistry *probe = lm_registry_new (lm_host_tables ()->host);
  bool ok = lm_registry_add_file (probe, path, NULL, error);
  lm_registry_free (probe);
  if (!ok)
    return FALSE;
  g_ptr_array_add (context->files, g_strdup (path));
  g_clear_pointer (&context->registry, lm_registry_free);
  return TRUE;
}
