/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convolution: both operands are widened into the scratch, the kernel as (window, input feature, output
 * feature). For each result position, every window position and input feature adds its products
 * to a row over output features.
 */
#include "reference.h"

#include <stdlib.h>

/* Features of one group: they see the same input features and batches. */
typedef struct segment {
  int64_t from, count;            /* result features */
  int64_t lhs_feature, lhs_batch; /* first input feature, first batch */
} segment;

static segment
segment_of (const kit_conv *c, int64_t g)
{
  int64_t count = c->out_features / (c->feature_groups * c->batch_groups);
  segment s = {g * count, count, 0, 0};

  if (c->feature_groups > 1)
    s.lhs_feature = g * c->group_features;
  else
    s.lhs_batch = g * c->batch;
  return s;
}

static void
load_wide (lam_dtype dtype, const void *data, int64_t at, int64_t n, void *out)
{
  if (lam_dtype_is_float (dtype))
    ref_load_float (dtype, data, at, n, out);
  else
    ref_load_int (dtype, data, at, n, out);
}

/* The kernel as (window, input feature, output feature), 8 bytes each. */
static void
pack_kernel (const ref_step *s, const kit_conv *c, char *out)
{
  int64_t w[LAM_MAX_RANK] = {0};

  if (kit_elements (c->window.rank, c->window.size) == 0)
    return;
  do {
    int64_t at = kit_dot_index (c->window.rank, w, c->rhs_spatial);
    for (int64_t i = 0; i < c->group_features; i++)
      for (int64_t o = 0; o < c->out_features; o++, out += 8)
        load_wide (c->in_dtype, ref_in (s, 1), at + i * c->rhs_in + o * c->rhs_out, 1, out);
  } while (kit_next (c->window.rank, c->window.size, w));
}

/* Offset of the input position under window position w of result position o; -1 outside. */
static int64_t
position (const kit_conv *c, const int64_t *o, const int64_t *w)
{
  int64_t at = 0;

  for (int32_t k = 0; k < c->window.rank; k++) {
    int64_t x = kit_window_at (&c->window, k, o[k], w[k]);
    if (x < 0)
      return -1;
    at += x * c->lhs_spatial[k];
  }
  return at;
}

static void
add_float (double x, const double *kernel, int64_t n, bool narrow, double *row)
{
  if (narrow)
    for (int64_t o = 0; o < n; o++)
      row[o] = (float)(row[o] + x * kernel[o]);
  else
    for (int64_t o = 0; o < n; o++)
      row[o] += x * kernel[o];
}

static void
add_int (int64_t x, const int64_t *kernel, int64_t n, int64_t *row)
{
  for (int64_t o = 0; o < n; o++)
    row[o] = (int64_t)((uint64_t)row[o] + (uint64_t)x * (uint64_t)kernel[o]);
}

/* Adds what one window position brings: lhs (NULL: padding, which holds zeros that are multiplied as
 * any others, so that 0 * inf is NaN) and kernel point at its first input feature. */
static void
add_position (const kit_conv *c, const segment *g, const char *lhs, const char *kernel, char *row)
{
  static const double zero = 0;
  bool is_float = lam_dtype_is_float (c->in_dtype), narrow = ref_is_narrow (c->in_dtype);

  for (int64_t i = 0; i < c->group_features && (is_float || lhs != NULL); i++) {
    const char *x = lhs != NULL ? lhs + i * c->lhs_feature * 8 : (const char *)&zero;
    const char *k = kernel + i * c->out_features * 8;
    if (is_float)
      add_float (*(const double *)x, (const double *)k, g->count, narrow, (double *)row);
    else
      add_int (*(const int64_t *)x, (const int64_t *)k, g->count, (int64_t *)row);
  }
}

/* One result position b, o: all features. */
static void
sum_row (const kit_conv *c, int64_t b, const int64_t *o, const char *lhs, const char *kernel,
         char *row)
{
  int64_t w[LAM_MAX_RANK] = {0}, groups = c->feature_groups * c->batch_groups;
  int64_t plane = c->group_features * c->out_features * 8;

  for (int64_t f = 0; f < c->out_features * 8; f++)
    row[f] = 0;
  if (kit_elements (c->window.rank, c->window.size) == 0)
    return;
  do {
    int64_t at = position (c, o, w);
    for (int64_t i = 0; i < groups; i++) {
      segment g = segment_of (c, i);
      int64_t from = at + (b + g.lhs_batch) * c->lhs_batch + g.lhs_feature * c->lhs_feature;
      add_position (c, &g, at >= 0 ? lhs + from * 8 : NULL, kernel + g.from * 8, row + g.from * 8);
    }
    kernel += plane;
  } while (kit_next (c->window.rank, c->window.size, w));
}

static void
store_row (const ref_step *s, const kit_conv *c, int64_t at, const char *row)
{
  for (int64_t f = 0; f < c->out_features; f++, at += c->out_feature, row += 8)
    if (lam_dtype_is_float (c->out_dtype))
      ref_store_float (c->out_dtype, ref_out (s, 0), at, 1, (const double *)row);
    else
      ref_store_int (c->out_dtype, ref_out (s, 0), at, 1, (const int64_t *)row);
}

static void
run_conv (const ref_step *s)
{
  const kit_conv *c = s->args;
  int64_t n_lhs = lam_type_elements (ref_in_type (s, 0));
  char *lhs = s->scratch;
  char *kernel = lhs + n_lhs * 8;
  char *row = kernel + lam_type_elements (ref_in_type (s, 1)) * 8;

  if (lam_type_elements (ref_out_type (s)) == 0)
    return;
  load_wide (c->in_dtype, ref_in (s, 0), 0, n_lhs, lhs);
  pack_kernel (s, c, kernel);
  for (int64_t b = 0; b < c->batch; b++) {
    int64_t o[LAM_MAX_RANK] = {0};
    do {
      sum_row (c, b, o, lhs, kernel, row);
      store_row (s, c, b * c->out_batch + kit_dot_index (c->window.rank, o, c->out_spatial), row);
    } while (kit_next (c->window.rank, c->window.out_dims, o));
  }
}

lam_status
ref_prepare_conv (ref_step *s, const lam_function *f, const lam_equation *e)
{
  kit_conv *c;

  if (e->op != LAM_OP_convolution)
    return LAM_E_UNSUPPORTED;
  c = calloc (1, sizeof *c);
  if (c == NULL)
    return LAM_E_NO_MEMORY;
  s->args = c;
  s->run = run_conv;
  kit_read_conv (f, e, c);
  s->scratch_bytes = (size_t)(lam_type_elements (ref_in_type (s, 0))
                              + lam_type_elements (ref_in_type (s, 1)) + c->out_features)
                     * 8;
  return LAM_OK;
}
