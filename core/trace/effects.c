/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries and auxiliary losses of a context. */
#include "core/op/emit.h"
#include "core/trace/private.h"

#include <string.h>

static const char *
suffix_of (int32_t type)
{
  switch (type) {
  case LAM_SUMMARY_SCALAR:
    return "_scalar";
  case LAM_SUMMARY_IMAGE:
    return "_image";
  case LAM_SUMMARY_AGGREGATE_SCALAR:
    return "_aggregate_scalar";
  case LAM_SUMMARY_AGGREGATE_IMAGE:
    return "_aggregate_image";
  case LAM_SUMMARY_TEXT:
    return "_text";
  case LAM_SUMMARY_HISTOGRAM:
    return "_histogram";
  default:
    return NULL;
  }
}

static bool
is_aggregate (int32_t type)
{
  return type == LAM_SUMMARY_AGGREGATE_SCALAR || type == LAM_SUMMARY_AGGREGATE_IMAGE;
}

/* join ("/", namespace) + "/" + name + N + suffix; N = "", 1, 2 ... until free. */
static const char *
unique_key (LmTrace *t, const char *name, const char *suffix)
{
  Context *c = top (t);
  g_autoptr (GString) prefix = g_string_new (NULL);
  for (guint i = 0; i < c->names->len; i++)
    g_string_append_printf (prefix, "%s%s", i > 0 ? "/" : "",
                            (char *)g_ptr_array_index (c->names, i));
  g_autofree char *key = g_strdup_printf ("%s/%s%s", prefix->str, name, suffix);
  for (guint n = 1; g_hash_table_contains (c->keys, key); n++) {
    g_free (key);
    key = g_strdup_printf ("%s/%s%u%s", prefix->str, name, n, suffix);
  }
  char *kept = g_string_chunk_insert_const (t->strings, key);
  g_hash_table_add (c->keys, kept);
  return kept;
}

/* An image of rank 3 gets a batch axis of 1; other ranks than 4 are refused. */
static lam_tensor
as_image (LmTrace *t, const char *name, lam_tensor value)
{
  const lam_type *type = lm_trace_peek_type (t, value);
  if (type == NULL || type->rank == 4)
    return value;
  if (type->rank != 3) {
    lm_trace_failf (t, LM_ERROR_INVALID,
                    "summary %s: an image has shape (H, W, C) or (B, H, W, C), got rank %d", name,
                    type->rank);
    return value;
  }
  int64_t dims[4] = {1, type->dims[0], type->dims[1], type->dims[2]};
  LmValue v = lm_reshape (lm_trace_builder (t), lm_trace_resolve (t, value), 4, dims);
  return lm_trace_handle (t, v);
}

/* UTF-8 bytes: (N) u8. */
static bool
check_text (LmTrace *t, const char *name, lam_tensor value)
{
  const lam_type *type = lm_trace_peek_type (t, value);
  if (type->dtype == LAM_U8 && type->rank == 1)
    return true;
  g_autofree char *got = lm_type_to_string (type);
  lm_trace_failf (t, LM_ERROR_INVALID, "summary %s: a text has type u8[N], UTF-8 bytes; got %s",
                  name, got);
  return false;
}

/* The value as it leaves the step; nil after an error. */
static lam_tensor
prepare (LmTrace *t, const char *name, int32_t type, lam_tensor value)
{
  switch (type) {
  case LAM_SUMMARY_IMAGE:
  case LAM_SUMMARY_AGGREGATE_IMAGE:
    return as_image (t, name, value);
  case LAM_SUMMARY_TEXT:
    return check_text (t, name, value) ? value : lam_nil ();
  case LAM_SUMMARY_HISTOGRAM:
    return lm_histogram (t, name, value);
  default:
    return value;
  }
}

/* Whether a summary is to be recorded; errors of its arguments. */
static bool
begin (LmTrace *t, const char *name, int32_t type, lam_tensor value, int32_t verbosity)
{
  if (t->error != NULL || verbosity > top (t)->verbosity)
    return false;
  if (lm_trace_refuse_in_rows (t, "add_summary",
                               "each row would have its own; return it as a result and add it "
                               "outside"))
    return false;
  if (suffix_of (type) == NULL || name == NULL || *name == '\0') {
    lm_trace_failf (t, LM_ERROR_INVALID, "summary \"%s\": unknown type %d or no name",
                    name != NULL ? name : "", type);
    return false;
  }
  if (lm_trace_peek_type (t, value) == NULL) {
    lm_trace_failf (t, LM_ERROR_INVALID, "summary %s: the value is nil", name);
    return false;
  }
  return true;
}

static void
keep (LmTrace *t, const char *name, int32_t type, lam_tensor value, lam_tensor weight)
{
  if (t->error != NULL)
    return;
  LmSummary s = {unique_key (t, name, suffix_of (type)), type, value, weight};
  g_array_append_val (top (t)->summaries, s);
}

void
lm_trace_add_summary (lam_trace *pub, const char *name, int32_t type, lam_tensor value,
                      int32_t verbosity)
{
  LmTrace *t = self (pub);
  if (!begin (t, name, type, value, verbosity))
    return;
  if (is_aggregate (type)) {
    lm_trace_failf (t, LM_ERROR_INVALID,
                    "summary %s: an aggregate has a weight; use lam_add_aggregate_scalar", name);
    return;
  }
  keep (t, name, type, prepare (t, name, type, value), lam_nil ());
}

void
lm_trace_add_aggregate (lam_trace *pub, const char *name, int32_t type, lam_tensor value,
                        lam_tensor weight, int32_t verbosity)
{
  LmTrace *t = self (pub);
  if (!begin (t, name, type, value, verbosity))
    return;
  const lam_type *v = lm_trace_peek_type (t, value), *w = lm_trace_peek_type (t, weight);
  if (!is_aggregate (type) || w == NULL || w->rank != 0 || v->dtype != w->dtype
      || !lam_dtype_is_float (v->dtype)) {
    lm_trace_failf (
        t, LM_ERROR_INVALID,
        "summary %s: an aggregate has a float value and a float scalar as its weight, of "
        "one dtype, and the type LAM_SUMMARY_AGGREGATE_*",
        name);
    return;
  }
  keep (t, name, type, prepare (t, name, type, value), weight);
}

guint
lm_trace_summaries (LmTrace *t, const LmSummary **out)
{
  *out = (const LmSummary *)(void *)top (t)->summaries->data;
  return top (t)->summaries->len;
}

lam_nest
lm_trace_all_summaries (lam_trace *pub)
{
  LmTrace *t = self (pub);
  LmNest *map = lm_nest_new_map ();
  const LmSummary *all;
  guint n = lm_trace_summaries (t, &all);
  for (guint i = 0; i < n; i++)
    lm_nest_put (map, all[i].key, lm_nest_new_leaf (all[i].value.id));
  return lm_trace_nest (t, map);
}

void
lm_trace_add_aux_loss (lam_trace *pub, const char *name, lam_tensor value, lam_tensor weight)
{
  LmTrace *t = self (pub);
  if (t->error != NULL)
    return;
  if (lm_trace_refuse_in_rows (t, "add_aux_loss",
                               "each row would have its own; return it as a result, reduce it over "
                               "the rows and add it outside"))
    return;
  const lam_type *v = lm_trace_peek_type (t, value), *w = lm_trace_peek_type (t, weight);
  if (v == NULL || w == NULL || v->rank != 0 || w->rank != 0 || v->dtype != w->dtype
      || !lam_dtype_is_float (v->dtype)) {
    lm_trace_failf (t, LM_ERROR_INVALID,
                    "aux loss %s: value and weight must be float scalars of one dtype", name);
    return;
  }
  if (!(top (t)->mutables & LAM_MUTABLE_AUX_LOSS)) {
    lm_trace_failf (t, LM_ERROR_INVALID, "aux loss %s: aux losses are not writable in this context",
                    name);
    return;
  }
  AuxLoss aux = {value, weight};
  g_array_append_val (top (t)->aux, aux);
}

lam_tensor
lm_trace_aux_loss (LmTrace *t)
{
  GArray *aux = top (t)->aux;
  LmBuilder *b = lm_trace_builder (t);
  LmValue sum = LM_NIL;
  for (guint i = 0; i < aux->len && t->error == NULL; i++) {
    const AuxLoss *a = &g_array_index (aux, AuxLoss, i);
    LmValue term = lm_mul (b, lm_trace_resolve (t, a->value), lm_trace_resolve (t, a->weight));
    sum = sum == LM_NIL ? term : lm_add (b, sum, term);
  }
  return lm_trace_handle (t, sum);
}
