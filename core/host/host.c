/* SPDX-License-Identifier: Apache-2.0 */
/* What plugins may ask of the host outside traces: memory, log, errors, extensions. */
#include "core/host/private.h"

#include "core/plugin/error.h"
#include <stdlib.h>
#include <string.h>

static const void *
get_extension (const lam_host *host, const char *id)
{
  if (g_strcmp0 (id, LAM_EXT_FILES) == 0)
    return &lm_host_files;
  if (g_strcmp0 (id, LAM_EXT_REGEX) == 0)
    return &lm_host_regex;
  if (g_strcmp0 (id, LAM_EXT_ZIP) == 0)
    return &lm_host_zip;
  return NULL;
}

static void *
host_alloc (const lam_host *host, uint64_t bytes, uint64_t align)
{
  bool power = align != 0 && (align & (align - 1)) == 0;
  if (!power || align > (1u << 20) || bytes > INT64_MAX - align)
    return NULL;
  align = MAX (align, sizeof (void *));
  size_t size = (MAX (bytes, 1) + align - 1) & ~(align - 1);
  void *p = aligned_alloc (align, size);
  if (p != NULL)
    memset (p, 0, size);
  return p;
}

static void
host_free (const lam_host *host, void *p)
{
  free (p);
}

/* Through GLib's log, which the application directs; the library writes nowhere by itself. */
static void
host_log (const lam_host *host, int32_t level, const char *message)
{
  static const GLogLevelFlags levels[] = {G_LOG_LEVEL_DEBUG, G_LOG_LEVEL_INFO, G_LOG_LEVEL_WARNING,
                                          G_LOG_LEVEL_CRITICAL};
  g_autofree char *text = g_utf8_make_valid (message != NULL ? message : "", -1);
  g_log ("lamina-plugin", levels[CLAMP (level, 0, 3)], "%s", text);
}

static const lam_host host_table = {
    .struct_size = sizeof (lam_host),
    .abi_major = LAM_ABI_MAJOR,
    .abi_minor = LAM_ABI_MINOR,
    .get_extension = get_extension,
    .alloc = host_alloc,
    .free = host_free,
    .log = host_log,
    .error_set = lm_plugin_error_set,
};

const LmHostTables *
lm_host_tables (void)
{
  static const LmHostTables tables = {&host_table, &lm_host_trace_api, &lm_setup_api};
  return &tables;
}
