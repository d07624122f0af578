/* SPDX-License-Identifier: Apache-2.0 */
/* lam_vmap: a callback recorded once as a region on one row, batched, and inlined over all rows. */
#include "core/trace/private.h"
#include "core/transform/transform.h"

/* What is mapped over. */
typedef struct Rows {
  const LmNest *in;
  GArray *leaves;  /* of uint64_t: handle ids; 0 is nil */
  GArray *tensors; /* of lam_tensor: the region's first parameters, then its captures */
  GArray *in_axes; /* of int32_t, one each */
  int64_t size;
  guint frame, n_names; /* of frames and of namespaces around it */
} Rows;

bool
lm_trace_refuse_in_rows (LmTrace *t, const char *what, const char *why)
{
  const Frame *rows = NULL;
  for (guint i = 0; i < t->frames->len; i++) {
    const Frame *frame = g_ptr_array_index (t->frames, i);
    rows = frame->rows ? frame : rows;
  }
  if (rows == NULL || rows->n_contexts < t->contexts->len)
    return false;
  lm_trace_failf (t, LM_ERROR_INVALID, "%s inside lam_vmap: %s", what, why);
  return true;
}

/* --- inputs ----------------------------------------------------------------------------------- */

/* One leaf of the input; its fault, if any, into `wrong`. */
static void
add_leaf (LmTrace *t, Rows *rows, guint i, int32_t in_axis, GString *wrong)
{
  lam_tensor x = lm_trace_leaf (t, g_array_index (rows->leaves, uint64_t, i));
  if (lam_is_nil (x))
    return;
  const lam_type *type = lm_trace_peek_type (t, x);
  if (type == NULL)
    return;
  int32_t axis = in_axis < 0 ? in_axis + type->rank : in_axis;
  bool has_axis = axis >= 0 && axis < type->rank;
  if (has_axis && rows->size < 0)
    rows->size = type->dims[axis];
  if (!has_axis || type->dims[axis] != rows->size) {
    g_auto (GStrv) paths = lm_nest_paths (rows->in);
    g_string_append_printf (wrong, "%s\"%s\" is ", wrong->len > 0 ? ", " : "", paths[i]);
    lm_type_print (wrong, type);
  }
  g_array_append_val (rows->tensors, x);
  g_array_append_val (rows->in_axes, axis);
}

/* All leaves that do not fit, in one report. */
static bool
read_rows (LmTrace *t, Rows *rows, int32_t in_axis)
{
  g_autoptr (GString) wrong = g_string_new (NULL);
  for (guint i = 0; i < rows->leaves->len; i++)
    add_leaf (t, rows, i, in_axis, wrong);
  if (t->error != NULL)
    return false;
  if (wrong->len > 0)
    lm_trace_failf (
        t, LM_ERROR_INVALID,
        "lam_vmap: axis %d of every input is to count the rows, as many in each as in the "
        "first; %s",
        in_axis, wrong->str);
  else if (rows->tensors->len == 0)
    lm_trace_failf (t, LM_ERROR_INVALID,
                    "lam_vmap: the input has no tensor, so nothing tells the number of rows");
  return t->error == NULL;
}

static lam_type
row_type (const lam_type *type, int32_t axis)
{
  lam_type row = *type;
  row.rank--;
  for (int32_t i = axis; i < row.rank; i++)
    row.dims[i] = type->dims[i + 1];
  row.dims[row.rank] = 0;
  return row;
}

/* The input as one row sees it: parameters of the region. */
static lam_nest
row_input (LmTrace *t, const Rows *rows)
{
  g_autofree uint64_t *ids = g_new0 (uint64_t, rows->leaves->len + 1);
  for (guint i = 0, at = 0; i < rows->leaves->len; i++) {
    if (g_array_index (rows->leaves, uint64_t, i) == 0)
      continue;
    lam_tensor x = g_array_index (rows->tensors, lam_tensor, at);
    lam_type type =
        row_type (lm_trace_peek_type (t, x), g_array_index (rows->in_axes, int32_t, at++));
    ids[i] = lm_trace_param (t, &type).id;
  }
  return lm_trace_nest (t, lm_nest_pack (rows->in, ids, rows->leaves->len, NULL));
}

/* --- the region -------------------------------------------------------------------------------- */

/* What the callback left open is closed here, and is an error. */
static void
check_balance (LmTrace *t, const Rows *rows)
{
  guint n_contexts = ((Frame *)g_ptr_array_index (t->frames, rows->frame))->n_contexts;
  if (t->frames->len > rows->frame + 1)
    lm_trace_failf (t, LM_ERROR_INVALID,
                    "the function of lam_vmap returned inside composite %s; "
                    "end it first",
                    inner (t)->name);
  g_ptr_array_set_size (t->frames, (gint)rows->frame + 1);
  if (t->contexts->len > n_contexts)
    lm_trace_failf (t, LM_ERROR_INVALID,
                    "the function of lam_vmap returned with a context still pushed; pop it");
  g_ptr_array_set_size (t->contexts, (gint)n_contexts);
  if (top (t)->names->len != rows->n_names)
    lm_trace_failf (t, LM_ERROR_INVALID,
                    "the function of lam_vmap returned with another namespace "
                    "than it began with; pop what you push");
}

static void
fail_with (LmTrace *t, GError *error)
{
  if (error != NULL)
    lm_trace_failf (t, (LmErrorCode)error->code, "%s", error->message);
  g_clear_error (&error);
}

/* The region over all rows. */
static LmFunction *
batch (LmTrace *t, const Rows *rows, const LmFunction *region, int32_t out_axis)
{
  g_autofree int32_t *out_axes = g_new (int32_t, region->ir.n_results + 1);
  GError *error = NULL;
  for (uint32_t j = 0; j < region->ir.n_results; j++) {
    int32_t rank = lm_result_type (region, j)->rank;
    out_axes[j] = out_axis < 0 ? out_axis + rank + 1 : out_axis;
    if (out_axes[j] < 0 || out_axes[j] > rank) {
      g_autofree char *got = lm_type_to_string (lm_result_type (region, j));
      lm_trace_failf (t, LM_ERROR_INVALID,
                      "lam_vmap: result %u is %s in one row, it cannot have the rows at axis %d", j,
                      got, out_axis);
      return NULL;
    }
  }
  LmFunction *all =
      lm_vmap (region, (const int32_t *)(void *)rows->in_axes->data, out_axes, rows->size, &error);
  fail_with (t, error);
  return all;
}

/* Ends the region with n results and records it over all rows; outs: nil after an error. */
static void
record (LmTrace *t, Rows *rows, const lam_tensor *results, uint32_t n, lam_tensor *outs,
        int32_t out_axis)
{
  Frame *frame = NULL;
  int32_t none = -1;
  g_autoptr (LmFunction) region = lm_region_end (t, results, n, &frame);
  for (guint i = 0; i < frame->captured->len; i++) {
    lam_tensor x = {g_array_index (frame->captured, uint32_t, i), t->epoch};
    g_array_append_val (rows->tensors, x);
    g_array_append_val (rows->in_axes, none);
  }
  lm_frame_free (frame);
  g_autoptr (LmFunction) all = region != NULL ? batch (t, rows, region, out_axis) : NULL;
  if (all != NULL)
    lm_trace_inline (t, all, (const lam_tensor *)(void *)rows->tensors->data, outs);
}

/* The callback's result over all rows. */
static lam_nest
finish (LmTrace *t, Rows *rows, lam_nest out, int32_t out_axis)
{
  lam_nest nil = {0, 0};
  const LmNest *tree = lm_trace_nest_peek (t, out);
  g_autoptr (GArray) leaves =
      tree != NULL ? lm_nest_flatten (tree) : g_array_new (FALSE, FALSE, sizeof (uint64_t));
  g_autofree lam_tensor *results = g_new0 (lam_tensor, leaves->len + 1);
  g_autofree lam_tensor *outs = g_new0 (lam_tensor, leaves->len + 1);
  uint64_t *ids = (uint64_t *)(void *)leaves->data;
  uint32_t n = 0, at = 0;
  for (guint i = 0; i < leaves->len; i++)
    if (ids[i] != 0)
      results[n++] = lm_trace_leaf (t, ids[i]);
  record (t, rows, results, n, outs, out_axis);
  if (t->error != NULL || tree == NULL)
    return nil;
  for (guint i = 0; i < leaves->len; i++)
    if (ids[i] != 0)
      ids[i] = outs[at++].id;
  return lm_trace_nest (t, lm_nest_pack (tree, ids, leaves->len, NULL));
}

lam_nest
lm_trace_vmap (lam_trace *pub, lam_row_fn fn, void *user, lam_nest in, int32_t in_axis,
               int32_t out_axis)
{
  LmTrace *t = self (pub);
  lam_nest result = {0, 0};
  Rows rows = {.in = lm_trace_nest_peek (t, in), .size = -1};
  if (rows.in == NULL || fn == NULL) {
    lm_trace_failf (t, LM_ERROR_INVALID, "lam_vmap: %s is nil", fn == NULL ? "fn" : "the input");
    return result;
  }
  rows.leaves = lm_nest_flatten (rows.in);
  rows.tensors = g_array_new (FALSE, FALSE, sizeof (lam_tensor));
  rows.in_axes = g_array_new (FALSE, FALSE, sizeof (int32_t));
  rows.frame = t->frames->len;
  rows.n_names = top (t)->names->len;
  Frame *frame = read_rows (t, &rows, in_axis) ? lm_region_begin (t, "vmap") : NULL;
  if (frame != NULL) {
    frame->rows = true;
    frame->n_contexts = t->contexts->len;
    lam_nest out = fn (user, pub, row_input (t, &rows));
    check_balance (t, &rows);
    result = finish (t, &rows, out, out_axis);
  }
  g_array_unref (rows.leaves);
  g_array_unref (rows.tensors);
  g_array_unref (rows.in_axes);
  return result;
}
