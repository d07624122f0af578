/* SPDX-License-Identifier: Apache-2.0 */
/* Recording: handles, operations, regions of composites, the end of the trace. */
#include "core/trace/private.h"

#define MOST_FRAMES 16

void
lm_frame_free (gpointer data)
{
  Frame *frame = data;
  lm_builder_free (frame->builder);
  g_clear_pointer (&frame->captures, g_hash_table_unref);
  g_array_unref (frame->captured);
  g_free (frame->name);
  g_free (frame->attributes);
  g_free (frame);
}

static Frame *
frame_push (LmTrace *t, const char *name)
{
  Frame *frame = g_new0 (Frame, 1);
  frame->serial = t->next_frame++;
  frame->builder = lm_builder_new (name);
  frame->captures = g_hash_table_new (NULL, NULL);
  frame->captured = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  frame->layer_depth = t->layers->len;
  g_ptr_array_add (t->frames, frame);
  return frame;
}

/* Handles of another trace must not fit this one: the epoch mixes a counter of time and place. */
static uint32_t
new_epoch (const LmTrace *t)
{
  uint64_t x = (uint64_t)g_get_monotonic_time () * 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)t;
  x ^= x >> 29;
  return (uint32_t)(x ^ (x >> 32)) | 1u;
}

LmTrace *
lm_trace_new (const char *name, const lam_trace_api *api, const LmTraceVars *vars,
              lam_dtype real_dtype)
{
  LmTrace *t = g_new0 (LmTrace, 1);
  t->pub.api = api;
  t->epoch = new_epoch (t);
  t->real = real_dtype;
  t->vars = vars;
  t->handles = g_array_new (FALSE, FALSE, sizeof (Handle));
  t->nests = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_nest_free);
  t->frames = g_ptr_array_new_with_free_func (lm_frame_free);
  t->contexts = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_context_free);
  t->layers = g_array_new (FALSE, FALSE, sizeof (LmTraceLayer));
  t->strings = g_string_chunk_new (256);
  frame_push (t, name);
  g_ptr_array_add (t->contexts, lm_context_new (vars));
  return t;
}

void
lm_trace_free (LmTrace *t)
{
  if (t == NULL)
    return;
  g_clear_error (&t->error);
  g_array_unref (t->handles);
  g_ptr_array_unref (t->nests);
  g_ptr_array_unref (t->frames);
  g_ptr_array_unref (t->contexts);
  g_array_unref (t->layers);
  g_string_chunk_free (t->strings);
  g_free (t);
}

const LmTraceVars *
lm_trace_vars (const LmTrace *t)
{
  return t->vars;
}

lam_trace *
lm_trace_pub (LmTrace *t)
{
  return &t->pub;
}

const GError *
lm_trace_error (const LmTrace *t)
{
  return t->error;
}

static const char *
layer_path (const LmTrace *t)
{
  return t->layers->len > 0 ? g_array_index (t->layers, LmTraceLayer, t->layers->len - 1).path : "";
}

void
lm_trace_failf (LmTrace *t, LmErrorCode code, const char *format, ...)
{
  if (t->error != NULL)
    return;
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  const char *path = layer_path (t);
  t->error = *path != '\0' ? g_error_new (LM_ERROR, code, "in layer %s: %s", path, text)
                           : g_error_new_literal (LM_ERROR, code, text);
}

bool
lm_trace_sync (LmTrace *t)
{
  const GError *e = lm_builder_error (inner (t)->builder);
  if (e != NULL && t->error == NULL)
    t->error = g_error_copy (e);
  return t->error == NULL;
}

LmBuilder *
lm_trace_builder (LmTrace *t)
{
  return inner (t)->builder;
}

static const Handle *
lookup (LmTrace *t, lam_tensor x)
{
  if (t->error != NULL || lam_is_nil (x))
    return NULL;
  if (x.epoch != t->epoch || x.id > t->handles->len) {
    lm_trace_failf (t, LM_ERROR_INVALID,
                    "a tensor of another trace was used; keep no tensors between calls");
    return NULL;
  }
  return &g_array_index (t->handles, Handle, x.id - 1);
}

/* Position on the frame stack of a handle's region; -1 when that region has ended. */
static int
frame_index (const LmTrace *t, uint32_t serial)
{
  for (int i = (int)t->frames->len - 1; i >= 0; i--)
    if (((Frame *)g_ptr_array_index (t->frames, i))->serial == serial)
      return i;
  return -1;
}

/* The value of an outer handle inside frame `to`: a parameter of each region on the way. */
static LmValue
capture (LmTrace *t, uint32_t id, const Handle *h, int from, int to)
{
  const lam_type *type =
      lm_builder_type (((Frame *)g_ptr_array_index (t->frames, from))->builder, h->value);
  LmValue v = h->value;
  for (int i = from + 1; i <= to; i++) {
    Frame *frame = g_ptr_array_index (t->frames, i);
    gpointer known = g_hash_table_lookup (frame->captures, GUINT_TO_POINTER (id));
    if (known == NULL) {
      v = lm_builder_param (frame->builder, type);
      g_hash_table_insert (frame->captures, GUINT_TO_POINTER (id), GUINT_TO_POINTER (v + 1));
      g_array_append_val (frame->captured, id);
    } else {
      v = GPOINTER_TO_UINT (known) - 1;
    }
  }
  return v;
}

LmValue
lm_trace_resolve (LmTrace *t, lam_tensor x)
{
  const Handle *h = lookup (t, x);
  if (h == NULL)
    return LM_NIL;
  int from = frame_index (t, h->frame), to = (int)t->frames->len - 1;
  if (from < 0) {
    lm_trace_failf (t, LM_ERROR_INVALID,
                    "a tensor made inside a region was used after the region ended; return it as a "
                    "result of the region");
    return LM_NIL;
  }
  return from == to ? h->value : capture (t, x.id, h, from, to);
}

const lam_type *
lm_trace_peek_type (LmTrace *t, lam_tensor x)
{
  const Handle *h = lookup (t, x);
  if (h == NULL)
    return NULL;
  int i = frame_index (t, h->frame);
  if (i < 0)
    return lm_trace_resolve (t, x), NULL; /* sets the error */
  return lm_builder_type (((Frame *)g_ptr_array_index (t->frames, i))->builder, h->value);
}

lam_tensor
lm_trace_handle (LmTrace *t, LmValue v)
{
  if (!lm_trace_sync (t) || v == LM_NIL)
    return lam_nil ();
  Handle h = {inner (t)->serial, v};
  g_array_append_val (t->handles, h);
  return (lam_tensor) {t->handles->len, t->epoch};
}

lam_tensor
lm_trace_leaf (LmTrace *t, uint64_t leaf)
{
  return leaf == 0 ? lam_nil () : (lam_tensor) {(uint32_t)leaf, t->epoch};
}

lam_tensor
lm_trace_param (LmTrace *t, const lam_type *type)
{
  return lm_trace_handle (t, lm_builder_param (inner (t)->builder, type));
}

/* Resolves n operands; false after an error. A nil operand is an error that names its place. */
static bool
resolve_all (LmTrace *t, const char *what, const lam_tensor *xs, uint32_t n, LmValue *out)
{
  for (uint32_t i = 0; i < n && t->error == NULL; i++) {
    out[i] = lm_trace_resolve (t, xs[i]);
    if (out[i] == LM_NIL && t->error == NULL)
      lm_trace_failf (t, LM_ERROR_INVALID, "%s: operand %u is nil; it wants a tensor", what, i);
  }
  return t->error == NULL;
}

/* The first result's value; LM_NIL after an error. */
static LmValue
record_op (LmTrace *t, const lam_op_call *call)
{
  const LmOpInfo *info = lm_op_info (call->op);
  if (info == NULL)
    lm_trace_failf (t, LM_ERROR_UNSUPPORTED,
                    "op number %d is unknown to this host (it reads IR %d.%d); update Lamina",
                    call->op, LAM_IR_MAJOR, LAM_IR_MINOR);
  else if ((call->operands == NULL && call->n_operands > 0)
           || (call->attrs == NULL && call->n_attrs > 0))
    lm_trace_failf (t, LM_ERROR_INVALID, "%s: operands or attributes are counted but not given",
                    info->name);
  g_autofree LmValue *operands = g_new (LmValue, call->n_operands + 1);
  if (t->error != NULL || !resolve_all (t, info->name, call->operands, call->n_operands, operands))
    return LM_NIL;
  LmOp op = {call->op, operands, call->n_operands, call->attrs, call->n_attrs, NULL, 0, call->type};
  LmValue first = lm_builder_op (inner (t)->builder, &op);
  if (!lm_trace_sync (t))
    return LM_NIL;
  uint32_t n = lm_builder_n_results (inner (t)->builder, first);
  if (n != call->n_results)
    lm_trace_failf (t, LM_ERROR_INVALID, "%s: has %u results, the caller made room for %u",
                    info->name, n, call->n_results);
  return n == call->n_results ? first : LM_NIL;
}

/* Results may be stored over the operands. */
void
lm_trace_op (lam_trace *pub, const lam_op_call *call)
{
  LmTrace *t = self (pub);
  LmValue first = record_op (t, call);
  for (uint32_t i = 0; i < call->n_results; i++)
    call->results[i] = first == LM_NIL ? lam_nil () : lm_trace_handle (t, first + i);
}

bool
lm_trace_type_of (lam_trace *pub, lam_tensor x, lam_type *out)
{
  memset (out, 0, sizeof *out);
  const lam_type *type = lm_trace_peek_type (self (pub), x);
  if (type == NULL)
    return false;
  *out = *type;
  return true;
}

bool
lm_trace_ok (lam_trace *pub)
{
  return self (pub)->error == NULL;
}

void
lm_trace_fail (lam_trace *pub, lam_status status, const char *message)
{
  lm_trace_failf (self (pub), lm_error_from_status (status), "%s",
                  message != NULL ? message : "the layer failed and gave no message");
}

void
lm_trace_fail_shape (lam_trace *pub, const char *what, const lam_shape *wanted, lam_tensor got)
{
  LmTrace *t = self (pub);
  const lam_type *type = lm_trace_peek_type (t, got);
  g_autofree char *have = type != NULL ? lm_type_to_string (type) : g_strdup ("nil");
  g_autoptr (GString) want = g_string_new (NULL);
  for (int32_t i = 0; i < MIN (wanted->rank, LAM_MAX_RANK); i++) {
    g_string_append (want, i > 0 ? ", " : "");
    if (wanted->dims[i] < 0)
      g_string_append_c (want, '?');
    else
      g_string_append_printf (want, "%" G_GINT64_FORMAT, wanted->dims[i]);
  }
  lm_trace_failf (t, LM_ERROR_INVALID, "%s: wanted shape (%s), got %s", what, want->str, have);
}

Frame *
lm_region_begin (LmTrace *t, const char *name)
{
  if (t->frames->len >= MOST_FRAMES) {
    lm_trace_failf (t, LM_ERROR_INVALID, "%s: regions nest deeper than %d", name, MOST_FRAMES);
    return NULL;
  }
  const char *path = lm_builder_path (inner (t)->builder);
  Frame *frame = frame_push (t, name);
  frame->name = g_strdup (name);
  lm_builder_set_path (frame->builder, path);
  return frame;
}

void
lm_trace_composite_begin (lam_trace *pub, const char *name, int64_t version, const char *attributes)
{
  LmTrace *t = self (pub);
  if (t->error != NULL)
    return;
  Frame *frame = lm_region_begin (t, name);
  if (frame == NULL)
    return;
  frame->version = version;
  frame->attributes = g_strdup (attributes);
}

LmFunction *
lm_region_end (LmTrace *t, const lam_tensor *results, uint32_t n, Frame **out_frame)
{
  g_autofree LmValue *values = g_new (LmValue, n + 1);
  resolve_all (t, inner (t)->name, results, n, values);
  Frame *frame = g_ptr_array_steal_index (t->frames, t->frames->len - 1);
  *out_frame = frame;
  LmBuilder *b = g_steal_pointer (&frame->builder);
  if (t->error != NULL) {
    lm_builder_free (b);
    return NULL;
  }
  return lm_builder_finish (b, values, n, &t->error);
}

static void
emit_composite (LmTrace *t, const Frame *frame, const LmFunction *region, lam_tensor *outs)
{
  uint32_t n_operands = frame->captured->len;
  g_autofree LmValue *operands = g_new (LmValue, n_operands + 1);
  for (uint32_t i = 0; i < n_operands; i++) {
    lam_tensor x = {g_array_index (frame->captured, uint32_t, i), t->epoch};
    operands[i] = lm_trace_resolve (t, x);
  }
  lam_attr attrs[3] = {lm_attr_str ("name", frame->name), lm_attr_int ("version", frame->version)};
  uint32_t n_attrs = 2;
  if (frame->attributes != NULL)
    attrs[n_attrs++] = lm_attr_str ("attributes", frame->attributes);
  LmOp op = {LAM_OP_composite, operands, n_operands, attrs, n_attrs, &region, 1, NULL};
  LmValue first = lm_builder_op (inner (t)->builder, &op);
  for (uint32_t i = 0; lm_trace_sync (t) && i < region->ir.n_results; i++)
    outs[i] = lm_trace_handle (t, first + i);
}

void
lm_trace_composite_end (lam_trace *pub, const lam_tensor *results, uint32_t n, lam_tensor *outs)
{
  LmTrace *t = self (pub);
  for (uint32_t i = 0; i < n; i++)
    outs[i] = lam_nil ();
  if (t->frames->len < 2 || inner (t)->rows || t->layers->len != inner (t)->layer_depth) {
    lm_trace_failf (t, LM_ERROR_INVALID,
                    "composite_end without the composite_begin of the same method");
    return;
  }
  Frame *frame = NULL;
  g_autoptr (LmFunction) region = lm_region_end (t, results, n, &frame);
  if (region != NULL)
    emit_composite (t, frame, region, outs);
  lm_frame_free (frame);
}

void
lm_trace_inline (LmTrace *t, const LmFunction *f, const lam_tensor *args, lam_tensor *outs)
{
  g_autofree LmValue *in = g_new (LmValue, f->ir.n_params + 1);
  g_autofree LmValue *out = g_new (LmValue, f->ir.n_results + 1);
  for (uint32_t i = 0; i < f->ir.n_results; i++)
    outs[i] = lam_nil ();
  if (!resolve_all (t, f->ir.name, args, f->ir.n_params, in))
    return;
  lm_builder_inline (inner (t)->builder, f, in, out);
  for (uint32_t i = 0; lm_trace_sync (t) && i < f->ir.n_results; i++)
    outs[i] = lm_trace_handle (t, out[i]);
}

LmFunction *
lm_trace_finish (LmTrace *t, const lam_tensor *results, uint32_t n, GError **error)
{
  g_autofree LmValue *values = g_new (LmValue, n + 1);
  if (t->frames->len > 1)
    lm_trace_failf (t, LM_ERROR_INVALID, "composite %s was begun and not ended", inner (t)->name);
  resolve_all (t, "result", results, n, values);
  if (t->error != NULL) {
    g_propagate_error (error, g_error_copy (t->error));
    return NULL;
  }
  LmBuilder *b = g_steal_pointer (&inner (t)->builder);
  LmFunction *f = lm_builder_finish (b, values, n, error);
  inner (t)->builder = lm_builder_new ("finished");
  t->error = g_error_new_literal (LM_ERROR, LM_ERROR_INVALID, "the trace has ended");
  return f;
}
