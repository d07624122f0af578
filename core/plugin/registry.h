/* SPDX-License-Identifier: Apache-2.0 */
/* Finds plugins, checks and loads them, and answers "who provides layer acme.dense?". Scanning reads
 * ELF notes only; code runs when a thing is first asked for. The only caller of dlopen. */
#ifndef LM_PLUGIN_REGISTRY_H
#define LM_PLUGIN_REGISTRY_H

#include "core/base/error.h"
#include <lamina/plugin.h>

typedef struct LmRegistry LmRegistry;

/* `host` is the table handed to plugins (core/host fills it); it must outlive the process. */
LmRegistry *lm_registry_new (const lam_host *host);
void lm_registry_free (LmRegistry *registry); /* never unloads a library */
const lam_host *lm_registry_host (const LmRegistry *registry);

/* Elements of $LAM_PLUGIN_PATH that are not searched, as they are relative. */
char **lm_registry_ignored_dirs (void);

/* Adds a search directory: scans lamina-*.so and NAME.lamplugin/plugin.so (sorted by name) without
 * running code. Not-plugins are skipped silently, broken candidates are remembered with a reason.
 * First id wins along the order of adding. A missing directory is not an error. */
void lm_registry_add_dir (LmRegistry *registry, const char *dir);

/* Adds the standard path: $LAM_PLUGIN_PATH (ignored when AT_SECURE), $XDG_DATA_HOME/lamina/plugins,
 * LM_PLUGIN_DIR. */
void lm_registry_add_standard_dirs (LmRegistry *registry);

/* Adds one file; false with its reason when it is refused (asked by name, so always reported).
 * `origin` (may be NULL) is a label for listings and errors ("m.lam"). */
bool lm_registry_add_file (LmRegistry *registry, const char *path, const char *origin,
                           GError **error);

/* A provided thing, loaded: entry checked (plugin-abi 2.4), vtable copied (min of sizes) into
 * zeroed memory of vtable_size bytes, and kept until the registry is freed. */
typedef struct LmProvided {
  const char *kind, *id, *summary;
  uint32_t revision;
  const void *vtable; /* host's private copy; members beyond the plugin's size are zero */
  const char *plugin_id, *plugin_version, *plugin_path;
} LmProvided;

/* Looks up and loads. Errors: NOT_FOUND (with did-you-mean over all known ids of the kind, the
 * directories searched, and refused candidates that claim the id), PLUGIN (refused at load).
 * vtable_required: bytes that must be present and whose pointer members must not be NULL and must
 * point into executable memory of that plugin; pointers beyond are optional. */
const LmProvided *lm_registry_find (LmRegistry *registry, const char *kind, const char *id,
                                    GError **error);

/* Listing, without loading: for each known plugin file. */
typedef struct LmPluginInfo {
  char *path, *origin;
  char *id, *version, *license; /* NULL when refused before its note was read */
  GPtrArray *provides;          /* of LmPluginProvides* */
  char *refused;                /* reason with next step, or NULL */
  bool shadowed;                /* an earlier file provides the same plugin id */
} LmPluginInfo;
typedef struct LmPluginProvides {
  char *kind, *id, *summary;
  uint32_t revision;
} LmPluginProvides;
const GPtrArray *lm_registry_plugins (const LmRegistry *registry); /* of const LmPluginInfo* */

/* Ids of one kind, sorted, NULL-terminated; free with g_strfreev. */
char **lm_registry_ids (const LmRegistry *registry, const char *kind);

#endif
