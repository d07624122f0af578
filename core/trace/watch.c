/* SPDX-License-Identifier: Apache-2.0 */
/* Watched values of a context: checks of numerics, asserts and debug prints. They are results of the
 * step, which the host reads after it. */
#include "core/op/emit.h"
#include "core/trace/private.h"

#include <string.h>

/* "model.network.layers_0: name", so that a report says where. */
static const char *
place_of (LmTrace *t, const char *name)
{
  const LmTraceLayer *layer =
      t->layers->len > 0 ? &g_array_index (t->layers, LmTraceLayer, t->layers->len - 1) : NULL;
  if (layer == NULL)
    return g_string_chunk_insert_const (t->strings, name);
  g_autofree char *place = g_strdup_printf ("%s: %s", layer->path, name);
  return g_string_chunk_insert_const (t->strings, place);
}

static void
add (LmTrace *t, LmWatchKind kind, const char *name, LmValue value)
{
  LmWatch w = {kind, place_of (t, name), lm_trace_handle (t, value)};
  if (t->error == NULL)
    g_array_append_val (top (t)->watches, w);
}

/* Type of x, NULL where nothing is to be recorded. */
static const lam_type *
begin (LmTrace *t, const char *what, const char *name, lam_tensor x)
{
  if (t->error != NULL
      || lm_trace_refuse_in_rows (t, what,
                                  "each row would have its own; return it as a result and watch it "
                                  "outside"))
    return NULL;
  const lam_type *type = name != NULL && *name != '\0' ? lm_trace_peek_type (t, x) : NULL;
  if (type == NULL)
    lm_trace_failf (t, LM_ERROR_INVALID, "%s \"%s\": no name, or the value is nil", what,
                    name != NULL ? name : "");
  return type;
}

/* A bool scalar: whether every element is finite. */
static LmValue
all_finite (LmBuilder *b, LmValue x)
{
  return lm_reduce_all (b, lm_emit_unary (b, LAM_OP_is_finite, x), "and");
}

void
lm_trace_check_numerics (lam_trace *pub, const char *name, lam_tensor x)
{
  LmTrace *t = self (pub);
  if (!top (t)->check_numerics)
    return;
  const lam_type *type = begin (t, "check_numerics", name, x);
  if (type != NULL && lam_dtype_is_float (type->dtype))
    add (t, LM_WATCH_NUMERICS, name, all_finite (lm_trace_builder (t), lm_trace_resolve (t, x)));
}

void
lm_trace_check (lam_trace *pub, const char *message, lam_tensor condition)
{
  LmTrace *t = self (pub);
  if (!top (t)->enable_asserts)
    return;
  const lam_type *type = begin (t, "check", message, condition);
  if (type == NULL)
    return;
  if (type->dtype != LAM_PRED || type->rank != 0) {
    g_autofree char *got = lm_type_to_string (type);
    lm_trace_failf (t, LM_ERROR_INVALID, "check \"%s\": wanted a bool scalar, got %s", message,
                    got);
    return;
  }
  add (t, LM_WATCH_ASSERT, message, lm_trace_resolve (t, condition));
}

void
lm_trace_debug_print (lam_trace *pub, const char *name, lam_tensor x)
{
  LmTrace *t = self (pub);
  if (begin (t, "debug_print", name, x) != NULL)
    add (t, LM_WATCH_PRINT, name, lm_trace_resolve (t, x));
}

guint
lm_trace_watches (LmTrace *t, const LmWatch **out)
{
  *out = (const LmWatch *)(void *)top (t)->watches->data;
  return top (t)->watches->len;
}
