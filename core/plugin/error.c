/* SPDX-License-Identifier: Apache-2.0 */
/* The error slot that the host lends to a plugin, and its way into a GError. */
#include "core/plugin/error.h"

const char *
lm_status_name (lam_status status)
{
  switch (status) {
  case LAM_E_INVALID:
    return "invalid";
  case LAM_E_NOT_FOUND:
    return "not found";
  case LAM_E_EXISTS:
    return "exists already";
  case LAM_E_UNSUPPORTED:
    return "unsupported";
  case LAM_E_STALE:
    return "stale";
  case LAM_E_IO:
    return "input or output failed";
  case LAM_E_CORRUPT:
    return "corrupt data";
  case LAM_E_NO_MEMORY:
    return "no memory";
  case LAM_E_NO_DEVICE:
    return "no usable device";
  case LAM_E_BUSY:
    return "busy";
  case LAM_E_CANCELLED:
    return "cancelled";
  case LAM_E_TIMEOUT:
    return "timed out";
  case LAM_E_DENIED:
    return "denied";
  case LAM_E_ABI:
    return "ABI mismatch";
  case LAM_E_PEER:
    return "a peer failed";
  case LAM_E_INTERNAL:
    return "internal fault";
  default:
    return status >= 0 ? "ok" : "unknown failure";
  }
}

void
lm_plugin_error_init (lam_error *slot)
{
  slot->status = LAM_OK;
  slot->message = NULL;
}

void
lm_plugin_error_clear (lam_error *slot)
{
  g_clear_pointer (&slot->message, g_free);
  slot->status = LAM_OK;
}

lam_status
lm_plugin_error_set (lam_error *slot, lam_status status, const char *message)
{
  if (slot == NULL || slot->message != NULL)
    return status;
  slot->status = status;
  slot->message = g_utf8_make_valid (message != NULL ? message : lm_status_name (status), -1);
  return status;
}

bool
lm_plugin_error_take (lam_error *slot, lam_status status, const char *where, GError **error)
{
  /* A message without a failing status is a slip of the plugin; the status is what it promised. */
  if (status < 0)
    g_set_error (error, LM_ERROR, lm_error_from_status (status), "%s: %s", where,
                 slot->message != NULL ? slot->message : lm_status_name (status));
  lm_plugin_error_clear (slot);
  return status >= 0;
}
