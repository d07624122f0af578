/* SPDX-License-Identifier: Apache-2.0 */
/* Results of steps as events. */
#include "core/program/summaries.h"

#include <math.h>
#include <string.h>

#define MAX_IMAGES 64

/* 1234567 -> "1 234 567" */
static char *
group_digits (uint64_t n)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, n);
  GString *out = g_string_new (NULL);
  gsize length = strlen (digits);
  for (gsize i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0)
      g_string_append_c (out, ' ');
    g_string_append_c (out, digits[i]);
  }
  return g_string_free (out, FALSE);
}

bool
lm_summaries_write_model (LmEvents *events, const LmModel *model, GError **error)
{
  uint64_t total = 0;
  for (guint i = 0; i < lm_model_n_vars (model); i++)
    total += (uint64_t)lam_type_elements (&lm_model_var (model, i)->type);
  g_autofree char *tree = lm_model_to_text (model), *count = group_digits (total);
  /* TensorBoard shows texts as Markdown: indented by four it keeps the lines. */
  g_auto (GStrv) lines = g_strsplit (tree, "\n", -1);
  g_autofree char *joined = g_strjoinv ("\n    ", lines);
  g_autofree char *block = g_strconcat ("    ", joined, NULL);
  lm_events_text (events, 0, "Model", block, strlen (block));
  lm_events_text (events, 0, "Total Num Params", count, strlen (count));
  return lm_events_flush (events, error);
}

/* --- one summary -------------------------------------------------------------------------------------- */

static void
write_text (LmEvents *events, uint64_t step, const char *tag, const LmArray *x)
{
  lm_events_text (events, step, tag, x->data, (gsize)x->bytes);
}

/* Floats are 0 to 1, bytes 0 to 255; what is beyond is cut off, NaN is black. */
static guint8
pixel (const LmArray *x, int64_t i)
{
  double v = lm_array_get_double (x, i);
  if (lam_dtype_is_float (x->type.dtype))
    v = v * 255 + 0.5;
  return v >= 255 ? 255 : v > 0 ? (guint8)v : 0;
}

/* (B, H, W, C): one tag <key>_i an image. */
static void
write_images (LmEvents *events, uint64_t step, const char *tag, const LmArray *x)
{
  const int64_t *size = x->type.dims + 1;
  int64_t count = MIN (x->type.dims[0], MAX_IMAGES), n = size[0] * size[1] * size[2];
  g_autofree guint8 *pixels = g_try_malloc0 ((gsize)n + 1);
  for (int64_t i = 0; pixels != NULL && i < count; i++) {
    g_autofree char *name = g_strdup_printf ("%s_%" G_GINT64_FORMAT, tag, i);
    for (int64_t k = 0; k < n; k++)
      pixels[k] = pixel (x, i * n + k);
    lm_events_image (events, step, name, pixels, size);
  }
}

static void
write_histogram (LmEvents *events, uint64_t step, const char *tag, const LmArray *x)
{
  guint n = (guint)x->type.dims[0];
  g_autofree double *rows = g_new (double, 3 * n + 1);
  for (guint i = 0; i < 3 * n; i++)
    rows[i] = lm_array_get_double (x, i);
  lm_events_histogram (events, step, tag, rows, n);
}

static void
write_summary (LmEvents *events, uint64_t step, const LmStepOutput *s, const LmReadout *value)
{
  switch (s->type) {
  case LAM_SUMMARY_TEXT:
    write_text (events, step, s->name, value->host);
    break;
  case LAM_SUMMARY_IMAGE:
  case LAM_SUMMARY_AGGREGATE_IMAGE:
    write_images (events, step, s->name, value->host);
    break;
  case LAM_SUMMARY_HISTOGRAM:
    write_histogram (events, step, s->name, value->host);
    break;
  default:
    lm_events_scalar (events, step, s->name, lm_readout_mean (value));
    break;
  }
}

/* sum (v w) / max (sum w, 1e-6), as paxml: lingvo-jax has no such bound (semantics 1.22, 18). The weight
 * of a value of several elements is one number for all, or one for each. */
static double
metric_average (const LmReadout *value, const LmReadout *weight, double *total)
{
  int64_t n = lam_type_elements (&value->host->type);
  bool each = lam_type_elements (&weight->host->type) == n;
  double sum = 0;
  *total = 0;
  for (int64_t i = 0; i < n; i++) {
    double w = lm_array_get_double (weight->host, each ? i : 0);
    sum += lm_array_get_double (value->host, i) * w;
    *total += w;
  }
  return sum / MAX (*total, 1e-6);
}

bool
lm_summaries_write_step (LmEvents *events, const LmRunner *r, uint64_t step,
                         double steps_per_second, GError **error)
{
  lm_events_scalar (events, step, "loss", lm_readout_mean (&r->loss));
  lm_events_scalar (events, step, "Steps/sec", steps_per_second);
  for (guint i = 0; i < r->step->n_metrics; i++) {
    g_autofree char *tag = g_strdup_printf ("Metrics/%s", r->step->metrics[i].name);
    g_autofree char *weight = g_strdup_printf ("%s-weight", tag);
    double total, average = metric_average (&r->metrics[2 * i], &r->metrics[2 * i + 1], &total);
    lm_events_scalar (events, step, tag, average);
    lm_events_scalar (events, step, weight, total);
  }
  for (guint i = 0; i < r->step->n_summaries; i++)
    write_summary (events, step, &r->step->summaries[i], &r->summaries[2 * i]);
  return lm_events_flush (events, error);
}

bool
lm_summaries_write_norms (LmEvents *events, LmState *state, uint64_t step, GError **error)
{
  const lam_var_info *const *infos = lm_model_var_infos (state->model);
  for (guint i = 0; i < state->n_vars; i++) {
    g_autoptr (LmArray) x = lm_buffer_read (state->buffers[i], error);
    if (x == NULL)
      return false;
    g_autofree char *tag = g_strdup_printf ("Vars/%s", infos[i]->path);
    int64_t n = lam_type_elements (&x->type);
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
      sum += lm_array_get_double (x, k) * lm_array_get_double (x, k);
    lm_events_scalar (events, step, tag, n > 0 ? sqrt (sum / (double)n) : 0);
  }
  return lm_events_flush (events, error);
}
