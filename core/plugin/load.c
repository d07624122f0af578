/* SPDX-License-Identifier: Apache-2.0 */
/* Maps a plugin, reads its entry with bounds, compares it with its note, copies its tables. */
#include "core/plugin/load.h"

#include "core/plugin/error.h"
#include "core/plugin/ident.h"
#include "core/plugin/kinds.h"
#include <dlfcn.h>
#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#define MAX_TABLE 65536u
#define MAX_TEXT  1000u

typedef struct Loading {
  const LmPluginInfo *info;
  LmModule module;
  lam_plugin_entry entry; /* our copy, zero beyond the plugin's size */
  GPtrArray *provided;
  GError **error;
} Loading;

static bool G_GNUC_PRINTF (2, 3) fail (Loading *l, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (l->error, LM_ERROR, LM_ERROR_PLUGIN, "%s: %s", l->info->path, message);
  return false;
}

static guint
float_state (void)
{
#ifdef __SSE__
  return _mm_getcsr () & ~(guint)_MM_EXCEPT_MASK; /* sticky exception flags do not count */
#else
  return 0;
#endif
}

static void
set_float_state (guint state)
{
#ifdef __SSE__
  _mm_setcsr (state);
#else
  (void)state;
#endif
}

/* RTLD_NOW: an undefined symbol must not end the process later; RTLD_NODELETE: code of a plugin may
 * be on any stack for ever. */
static void *
map_library (Loading *l)
{
  guint before = float_state (), after;
  void *handle = dlopen (l->info->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  const char *why = handle == NULL ? dlerror () : NULL;

  after = float_state ();
  set_float_state (before);
  if (handle == NULL) {
    fail (l,
          "cannot be loaded: %s; is a library that it needs missing, or was it built on a newer "
          "system?",
          why != NULL ? why : "no reason given");
    return NULL;
  }
  if (after != before) {
    fail (l,
          "loading it changed the floating point state from 0x%x to 0x%x (a constructor of "
          "-ffast-math or -Ofast does that); link it without -ffast-math",
          before, after);
    return NULL;
  }
  return handle;
}

static bool
read_entry (Loading *l, void *handle)
{
  const lam_plugin_entry *entry = dlsym (handle, LAM_ENTRY_SYMBOL);
  uint32_t head[2];

  if (entry == NULL || !lm_module_of (&l->module, handle)
      || !lm_module_holds (&l->module, entry, sizeof head))
    return fail (l, "it has no " LAM_ENTRY_SYMBOL " of its own");
  memcpy (head, entry, sizeof head);
  if (head[0] != LAM_ENTRY_MAGIC)
    return fail (l, LAM_ENTRY_SYMBOL " begins with 0x%08x, wanted 0x%08x; use LAM_PLUGIN", head[0],
                 LAM_ENTRY_MAGIC);
  if (head[1] < LAM_END (lam_plugin_entry, n_provides) || head[1] > MAX_TABLE || head[1] % 8 != 0
      || !lm_module_holds (&l->module, entry, head[1]))
    return fail (l, "its entry claims %u bytes; wanted a multiple of 8 between %u and %u", head[1],
                 (guint)LAM_END (lam_plugin_entry, n_provides), MAX_TABLE);
  memcpy (&l->entry, entry, MIN (head[1], sizeof l->entry));
  return true;
}

static bool
differs (Loading *l, const char *field, const char *note, const char *entry)
{
  return fail (l,
               "its note and its entry disagree: the %s is \"%s\" in the note and \"%s\" in the "
               "entry; build it again with LAM_PLUGIN",
               field, note, entry);
}

static bool
check_entry (Loading *l)
{
  const lam_plugin_entry *e = &l->entry;

  if (e->abi_major != LAM_ABI_MAJOR)
    return fail (l, "it is built for plugin ABI %u, this Lamina speaks %d", e->abi_major,
                 LAM_ABI_MAJOR);
  if (e->need_minor > LAM_ABI_MINOR)
    return fail (l, "it needs plugin ABI 1.%u or newer, this Lamina speaks 1.%d; update Lamina",
                 e->need_minor, LAM_ABI_MINOR);
  if (!lm_module_text_ok (&l->module, e->id, MAX_TEXT)
      || !lm_module_text_ok (&l->module, e->version, MAX_TEXT)
      || !lm_module_text_ok (&l->module, e->license, MAX_TEXT))
    return fail (l, "its id, version or license is not readable UTF-8 text inside the plugin");
  if (strcmp (e->id, l->info->id) != 0)
    return differs (l, "id", l->info->id, e->id);
  if (strcmp (e->version, l->info->version) != 0)
    return differs (l, "version", l->info->version, e->version);
  if (e->n_provides > LM_MAX_PROVIDES
      || !lm_module_holds (&l->module, e->provides, e->n_provides * sizeof *e->provides))
    return fail (l,
                 "its entry lists %" G_GUINT64_FORMAT
                 " provided things; wanted a list of at most %d inside the plugin",
                 e->n_provides, LM_MAX_PROVIDES);
  if (e->init != NULL && !lm_module_is_code (&l->module, (uintptr_t)e->init))
    return fail (l, "its init function is not code of the plugin");
  return e->get_extension == NULL || lm_module_is_code (&l->module, (uintptr_t)e->get_extension)
         || fail (l, "its get_extension function is not code of the plugin");
}

static const LmPluginProvides *
find_note (const LmPluginInfo *info, const char *kind, const char *id)
{
  for (guint i = 0; i < info->provides->len; i++) {
    const LmPluginProvides *p = info->provides->pdata[i];
    if (strcmp (p->kind, kind) == 0 && strcmp (p->id, id) == 0)
      return p;
  }
  return NULL;
}

/* Reads descriptor i with bounds into *desc. */
static bool
read_desc (Loading *l, guint64 i, lam_desc *desc)
{
  const lam_desc *at = l->entry.provides[i];
  uint32_t size = 0;

  if (lm_module_holds (&l->module, at, sizeof size))
    memcpy (&size, at, sizeof size);
  if (size < LAM_END (lam_desc, flags) || size > MAX_TABLE || size % 8 != 0
      || !lm_module_holds (&l->module, at, size))
    return fail (l, "descriptor %" G_GUINT64_FORMAT " of its entry claims %u bytes", i, size);
  memcpy (desc, at, sizeof *desc);
  if (!lm_module_text_ok (&l->module, desc->kind, MAX_TEXT)
      || !lm_module_text_ok (&l->module, desc->id, MAX_TEXT)
      || !lm_module_text_ok (&l->module, desc->summary, MAX_TEXT) || !lm_ident_ok (desc->id))
    return fail (
        l, "descriptor %" G_GUINT64_FORMAT " of its entry has an unreadable kind, id or summary",
        i);
  if ((desc->flags & 0xffff) != 0)
    return fail (l, "%s has flags 0x%x that this version does not understand; update Lamina",
                 desc->id, (guint)(desc->flags & 0xffff));
  return true;
}

static bool
add_provided (Loading *l, const lam_desc *desc)
{
  const LmPluginProvides *note = find_note (l->info, desc->kind, desc->id);
  const LmKind *kind = lm_kind_find (desc->kind);
  g_autofree char *what = NULL;
  LmProvided *p;
  void *vtable;

  if (note == NULL)
    return differs (l, "list of provided things", "(absent)", desc->id);
  if (note->revision != desc->revision) {
    g_autofree char *a = g_strdup_printf ("%u", note->revision);
    g_autofree char *b = g_strdup_printf ("%u", desc->revision);
    return differs (l, "revision", a, b);
  }
  if (kind == NULL) /* a kind of a later version: listed, not usable */
    return true;
  what = g_strdup_printf ("%s: %s %s", l->info->path, kind->name, desc->id);
  vtable = lm_kind_copy (kind, desc->vtable, &l->module, what, l->error);
  if (vtable == NULL)
    return false;
  p = g_new0 (LmProvided, 1);
  p->kind = kind->id;
  p->id = note->id;
  p->summary = note->summary;
  p->revision = note->revision;
  p->vtable = vtable;
  p->plugin_id = l->info->id;
  p->plugin_version = l->info->version;
  p->plugin_path = l->info->path;
  g_ptr_array_add (l->provided, p);
  return true;
}

static bool
add_all (Loading *l)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint64 i = 0; i < l->entry.n_provides; i++) {
    lam_desc desc;
    if (!read_desc (l, i, &desc))
      return false;
    if (!g_hash_table_add (seen, g_strdup_printf ("%s:%s", desc.kind, desc.id)))
      return fail (l, "its entry provides %s \"%s\" twice", desc.kind, desc.id);
    if (!add_provided (l, &desc))
      return false;
  }
  if (l->entry.n_provides != l->info->provides->len) {
    g_autofree char *a = g_strdup_printf ("%u", l->info->provides->len);
    g_autofree char *b = g_strdup_printf ("%u", (guint)l->entry.n_provides);
    return differs (l, "number of provided things", a, b);
  }
  return true;
}

static bool
call_init (Loading *l, const lam_host *host)
{
  g_autofree char *where = g_strdup_printf ("%s: init", l->info->path);
  lam_error slot;

  if (l->entry.init == NULL)
    return true;
  lm_plugin_error_init (&slot);
  return lm_plugin_error_take (&slot, l->entry.init (host, &slot), where, l->error);
}

static void
provided_free (gpointer data)
{
  LmProvided *p = data;

  g_free ((void *)(uintptr_t)p->vtable);
  g_free (p);
}

GPtrArray *
lm_plugin_load (const LmPluginInfo *info, const lam_host *host, GError **error)
{
  g_autoptr (GPtrArray) provided = g_ptr_array_new_with_free_func (provided_free);
  Loading l = {.info = info, .provided = provided, .error = error};
  void *handle = map_library (&l);

  if (handle == NULL || !read_entry (&l, handle) || !check_entry (&l) || !add_all (&l)
      || !call_init (&l, host))
    return NULL;
  return g_steal_pointer (&provided);
}
