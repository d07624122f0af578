/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of plugins and of what they provide. */
#ifndef LM_PLUGIN_IDENT_H
#define LM_PLUGIN_IDENT_H

#include <glib.h>
#include <stdbool.h>

#define LM_MAX_PROVIDES 1024

/* True for [a-z0-9_]+(.[a-z0-9_]+)+ of at most 100 bytes. */
static inline bool
lm_ident_ok (const char *id)
{
  gsize n = 0;
  guint dots = 0;
  bool after_dot = true;

  for (; id[n] != '\0'; n++) {
    if (id[n] == '.' && after_dot)
      return false;
    after_dot = id[n] == '.';
    dots += after_dot;
    if (n >= 100
        || !(after_dot || g_ascii_islower (id[n]) || g_ascii_isdigit (id[n]) || id[n] == '_'))
      return false;
  }
  return dots > 0 && !after_dot;
}

/* Frees an LmPluginProvides. */
void lm_provides_free (gpointer provides);

#endif
