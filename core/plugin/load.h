/* SPDX-License-Identifier: Apache-2.0 */
/* Maps a plugin and checks its entry: the only file that calls dlopen. */
#ifndef LM_PLUGIN_LOAD_H
#define LM_PLUGIN_LOAD_H

#include "core/plugin/registry.h"

/* Loads info->path and checks all it says (plugin-abi 2.4) against its notes in info; a library once
 * mapped stays. Returns its LmProvided* of the kinds that this version uses, or NULL. Free the array
 * with g_ptr_array_unref. */
GPtrArray *lm_plugin_load (const LmPluginInfo *info, const lam_host *host, GError **error);

#endif
