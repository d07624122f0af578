/* SPDX-License-Identifier: Apache-2.0 */
/* The error slot that the host lends to a plugin, and its way into a GError. */
#ifndef LM_PLUGIN_ERROR_H
#define LM_PLUGIN_ERROR_H

#include "core/base/error.h"
#include <lamina/plugin.h>

/* Opaque to plugins; lives on the caller's stack: init, hand its address out, take or clear. */
struct lam_error {
  lam_status status; /* LAM_OK: nothing set */
  char *message;
};

void lm_plugin_error_init (lam_error *slot);
void lm_plugin_error_clear (lam_error *slot);

/* lam_host.error_set: the first message wins, it is copied, and bytes that are not UTF-8 are replaced.
 * Returns status. Accepts a NULL slot. */
lam_status lm_plugin_error_set (lam_error *slot, lam_status status, const char *message);

/* Ends a call that returned `status`: true if it succeeded (>= 0). Otherwise sets error to
 * "<where>: <the plugin's message>" (or the status in words when it gave none) and returns false. Clears the
 * slot either way. */
bool lm_plugin_error_take (lam_error *slot, lam_status status, const char *where, GError **error);

/* "invalid", "no memory" ... for messages. */
const char *lm_status_name (lam_status status);

#endif
