/* SPDX-License-Identifier: Apache-2.0 */
/* Patches of a convolution (im2col) in the order in which the image lies in memory, so that they are
 * copied in runs; and the plain loops for integers. */
#include "conv.h"

#include <string.h>

/* Where a point stands in the result. */
typedef struct place {
  int64_t batch;
  int64_t o[LAM_MAX_RANK];
} place;

static void
coordinates (const cpu_walk *w, int64_t flat, int64_t *at)
{
  for (int32_t i = w->rank - 1; i >= 0; i--) {
    at[i] = flat % w->dims[i];
    flat /= w->dims[i];
  }
}

static void
place_of (const cpu_conv *v, const int64_t *at, place *out)
{
  out->batch = 0;
  for (int32_t i = 0; i < v->points.rank; i++)
    if (v->points.axis[i] == CPU_BATCH)
      out->batch = at[i];
    else
      out->o[v->points.axis[i]] = at[i];
}

/* Element offset in the image seen from a point through window position w (spatial axes except skip), or
 * false for padding. */
static bool
look (const cpu_conv *v, const place *p, const int64_t *w, int32_t skip, int64_t *out)
{
  *out = p->batch * v->c.lhs_batch;
  for (int32_t i = 0; i < v->c.window.rank; i++) {
    if (i == skip)
      continue;
    int64_t at = kit_window_at (&v->c.window, i, p->o[i], w[i]);
    if (at < 0)
      return false;
    *out += at * v->c.lhs_spatial[i];
  }
  return true;
}

#define COPY_RUN(T)                                                                                \
  static void copy_##T (char *dst, const char *src, int64_t n, int64_t stride)                     \
  {                                                                                                \
    T *d = (T *)(void *)dst;                                                                       \
    const T *s = (const T *)(const void *)src;                                                     \
    if (stride == 1)                                                                               \
      memcpy (d, s, (size_t)n * sizeof (T));                                                       \
    else                                                                                           \
      for (int64_t i = 0; i < n; i++)                                                              \
        d[i] = s[i * stride];                                                                      \
  }
COPY_RUN (float)
COPY_RUN (double)

static void
copy_run (int64_t size, char *dst, const char *src, int64_t n, int64_t stride)
{
  if (size == 4)
    copy_float (dst, src, n, stride);
  else
    copy_double (dst, src, n, stride);
}

/* First and past-the-last step k in 0 .. n-1 at which base + k * step lies in 0 .. limit-1. */
static void
inside (int64_t base, int64_t step, int64_t limit, int64_t n, int64_t *out_from, int64_t *out_to)
{
  int64_t from = base >= 0 ? 0 : (-base + step - 1) / step;
  int64_t to = base >= limit ? 0 : (limit - base + step - 1) / step;
  *out_to = to < n ? to : n;
  *out_from = from < *out_to ? from : *out_to;
}

/* --- (point, tap): features run fastest ------------------------------------------------------ */

/* One point's row when the innermost window axis and the features are one run of the image. */
static void
row_merged (const cpu_conv *v, int64_t size, const char *image, char *out, const place *p)
{
  const kit_window *k = &v->c.window;
  int32_t last = k->rank - 1;
  int64_t c = v->c.group_features, w[LAM_MAX_RANK] = {0}, from, to, at;
  int64_t base = p->o[last] * k->stride[last] - k->low[last];
  int64_t run = k->size[last] * c;
  inside (base, k->window_dilation[last], k->in_dims[last], k->size[last], &from, &to);
  do {
    if (from < to && look (v, p, w, last, &at)) {
      at += (base + from) * v->c.lhs_spatial[last];
      memset (out, 0, (size_t)(from * c * size));
      memcpy (out + from * c * size, image + at * size, (size_t)((to - from) * c * size));
      memset (out + to * c * size, 0, (size_t)((k->size[last] - to) * c * size));
    } else {
      memset (out, 0, (size_t)(run * size));
    }
    out += run * size;
  } while (kit_next (last, k->size, w));
}

static void
row_plain (const cpu_conv *v, int64_t size, const char *image, char *out, const place *p)
{
  const kit_window *k = &v->c.window;
  int64_t c = v->c.group_features, w[LAM_MAX_RANK] = {0}, at;
  do {
    if (look (v, p, w, -1, &at))
      copy_run (size, out, image + at * size, c, v->c.lhs_feature);
    else
      memset (out, 0, (size_t)(c * size));
    out += c * size;
  } while (kit_next (k->rank, k->size, w));
}

static void
rows (const cpu_conv *v, int64_t size, const char *image, char *out, int64_t from, int64_t n)
{
  const kit_window *k = &v->c.window;
  int32_t last = k->rank - 1;
  bool merged = last >= 0 && v->c.lhs_feature == 1 && k->base_dilation[last] == 1
                && k->window_dilation[last] == 1 && v->c.lhs_spatial[last] == v->c.group_features;
  int64_t row = kit_elements (v->taps.rank, v->taps.dims) * size, at[LAM_MAX_RANK];
  place p;
  coordinates (&v->points, from, at);
  for (int64_t i = 0; i < n; i++, out += row) {
    place_of (v, at, &p);
    if (merged)
      row_merged (v, size, image, out, &p);
    else
      row_plain (v, size, image, out, &p);
    kit_next (v->points.rank, v->points.dims, at);
  }
}

/* --- (tap, point): the last axis of the points runs fastest ---------------------------------- */

/* n points from the one at `at` on, all on one line of the last axis, seen through one tap. */
static void
line (const cpu_conv *v, int64_t size, const char *image, char *out, const int64_t *at,
      const int64_t *w, int64_t n)
{
  const kit_window *k = &v->c.window;
  int32_t axis = v->points.axis[v->points.rank - 1];
  int64_t offset, from, to;
  place p;
  place_of (v, at, &p);
  if (!look (v, &p, w, axis, &offset)) {
    memset (out, 0, (size_t)(n * size));
  } else if (axis == CPU_BATCH) {
    copy_run (size, out, image + offset * size, n, v->c.lhs_batch);
  } else if (k->base_dilation[axis] == 1) {
    int64_t base = p.o[axis] * k->stride[axis] + w[axis] * k->window_dilation[axis] - k->low[axis];
    inside (base, k->stride[axis], k->in_dims[axis], n, &from, &to);
    memset (out, 0, (size_t)(from * size));
    if (from < to)
      copy_run (size, out + from * size,
                image + (offset + (base + from * k->stride[axis]) * v->c.lhs_spatial[axis]) * size,
                to - from, k->stride[axis] * v->c.lhs_spatial[axis]);
    memset (out + to * size, 0, (size_t)((n - to) * size));
  } else {
    for (int64_t i = 0; i < n; i++, out += size) {
      int64_t c = kit_window_at (k, axis, p.o[axis] + i, w[axis]);
      if (c < 0)
        memset (out, 0, (size_t)size);
      else
        memcpy (out, image + (offset + c * v->c.lhs_spatial[axis]) * size, (size_t)size);
    }
  }
}

static void
columns (const cpu_conv *v, int64_t size, const char *image, char *out, int64_t from, int64_t n)
{
  int32_t last = v->points.rank - 1;
  int64_t tap[LAM_MAX_RANK] = {0}, start[LAM_MAX_RANK], at[LAM_MAX_RANK], w[LAM_MAX_RANK];
  coordinates (&v->points, from, start);
  do {
    int64_t feature = 0, left = n;
    for (int32_t i = 0; i < v->taps.rank; i++)
      if (v->taps.axis[i] == CPU_FEATURE)
        feature = tap[i] * v->c.lhs_feature;
      else
        w[v->taps.axis[i]] = tap[i];
    memcpy (at, start, sizeof at);
    while (left > 0) {
      int64_t run = v->points.dims[last] - at[last] < left ? v->points.dims[last] - at[last] : left;
      line (v, size, image + feature * size, out, at, w, run);
      out += run * size;
      left -= run;
      at[last] = 0;
      kit_next (last, v->points.dims, at);
    }
  } while (kit_next (v->taps.rank, v->taps.dims, tap));
}

void
cpu_conv_patches (const cpu_conv *v, int64_t size, const char *image, char *out, int64_t from,
                  int64_t n)
{
  if (kit_elements (v->taps.rank, v->taps.dims) == 0)
    return;
  if (v->taps_last)
    rows (v, size, image, out, from, n);
  else
    columns (v, size, image, out, from, n);
}

/* --- integers -------------------------------------------------------------------------------- */

static uint64_t
integer_sum (const cpu_conv *v, const uint64_t *image, const uint64_t *kernel, const place *p)
{
  const kit_window *k = &v->c.window;
  int64_t w[LAM_MAX_RANK] = {0}, at;
  uint64_t sum = 0;
  do {
    if (!look (v, p, w, -1, &at))
      continue;
    const uint64_t *a = image + at, *b = kernel + kit_dot_index (k->rank, w, v->c.rhs_spatial);
    for (int64_t i = 0; i < v->c.group_features; i++)
      sum += a[i * v->c.lhs_feature] * b[i * v->c.rhs_in];
  } while (kit_next (k->rank, k->size, w));
  return sum;
}

void
cpu_conv_integers (const cpu_conv *v, const uint64_t *lhs, const uint64_t *rhs, uint64_t *out)
{
  const kit_conv *c = &v->c;
  int64_t n = kit_elements (v->points.rank, v->points.dims), at[LAM_MAX_RANK] = {0};
  int64_t per_feature = c->out_features / c->feature_groups;
  int64_t per_batch = c->out_features / c->batch_groups;
  place p;
  for (int64_t i = 0; i < n; i++) {
    place_of (v, at, &p);
    int64_t to = p.batch * c->out_batch;
    to += kit_dot_index (c->window.rank, p.o, c->out_spatial);
    for (int64_t f = 0; f < c->out_features; f++) {
      const uint64_t *image = lhs + f / per_feature * c->group_features * c->lhs_feature
                              + f / per_batch * c->batch * c->lhs_batch;
      out[to + f * c->out_feature] = integer_sum (v, image, rhs + f * c->rhs_out, &p);
    }
    kit_next (v->points.rank, v->points.dims, at);
  }
}
