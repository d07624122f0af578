/* SPDX-License-Identifier: Apache-2.0 */
/* gather and scatter as the linear maps of sdk/kit. The last axis of the result (or updates) is done in
 * one run: as a strided copy when it lies inside a slice, with one start each when it runs over
 * indices. Scatter keeps the row-major order of the updates and so runs on one thread. */
#include "cpu.h"

#include <string.h>

typedef void (*combine_fn) (char *to, int64_t to_stride, const char *from, int64_t n);

typedef struct geometry {
  kit_index k;
  int64_t size, bytes; /* of an element; of operand 0 */
  int64_t outer;       /* places of all axes but the last */
  combine_fn combine;
} geometry;

/* --- starts ---------------------------------------------------------------------------------- */

int64_t
cpu_read_int (lam_dtype dtype, const void *indices, int64_t i)
{
  switch (dtype) {
  case LAM_I64:
    return ((const int64_t *)indices)[i];
  case LAM_I32:
    return ((const int32_t *)indices)[i];
  case LAM_I16:
    return ((const int16_t *)indices)[i];
  case LAM_I8:
    return ((const int8_t *)indices)[i];
  case LAM_U64: {
    uint64_t u = ((const uint64_t *)indices)[i];
    return u > INT64_MAX ? INT64_MAX : (int64_t)u;
  }
  case LAM_U32:
    return ((const uint32_t *)indices)[i];
  case LAM_U16:
    return ((const uint16_t *)indices)[i];
  default:
    return ((const uint8_t *)indices)[i];
  }
}

/* Element offset in the operand of the slice whose starts stand at `at`; false: it does not fit. */
static bool
start (const kit_index *k, const void *indices, int64_t at, int64_t *out)
{
  *out = 0;
  for (uint32_t c = 0; c < k->n_starts; c++) {
    int64_t s = cpu_read_int (k->index_dtype, indices, at + (int64_t)c * k->start_stride);
    int64_t limit = k->limits[c];
    if (k->fill && (s < 0 || s > limit))
      return false;
    s = s > limit ? limit : s;
    s = s < 0 ? 0 : s;
    *out += s * k->start_strides[c];
  }
  return true;
}

/* --- gather ---------------------------------------------------------------------------------- */

typedef struct job {
  const geometry *g;
  const char *operand;
  const void *indices;
  char *out;
  int64_t grain; /* outer places in a task */
} job;

static void
take_run (const job *j, int64_t index, int64_t place, char *out)
{
  const kit_index *k = &j->g->k;
  int32_t last = k->rank - 1;
  int64_t n = k->dims[last], size = j->g->size, at;
  kit_view line = {.rank = 1, .dims = {n}, .strides = {k->operand_strides[last]}};
  if (k->index_strides[last] == 0) {
    if (start (k, j->indices, index, &at))
      cpu_fill_tile (&line, size, j->operand + (at + place) * size, out, 0, n);
    else
      memset (out, 0, (size_t)(n * size));
    return;
  }
  for (int64_t i = 0; i < n; i++, out += size) {
    if (!start (k, j->indices, index + i * k->index_strides[last], &at))
      memset (out, 0, (size_t)size);
    else if (size == 4)
      memcpy (out, j->operand + (at + place + i * k->operand_strides[last]) * 4, 4);
    else
      memcpy (out, j->operand + (at + place + i * k->operand_strides[last]) * size, (size_t)size);
  }
}

static void
gather_part (void *ctx, int64_t task, int thread)
{
  const job *j = ctx;
  const geometry *g = j->g;
  int32_t last = g->k.rank - 1;
  int64_t from = task * j->grain, to = from + j->grain < g->outer ? from + j->grain : g->outer;
  int64_t at[LAM_MAX_RANK], rest = from;
  (void)thread;
  for (int32_t i = last - 1; i >= 0; i--) {
    at[i] = rest % g->k.dims[i];
    rest /= g->k.dims[i];
  }
  for (int64_t i = from; i < to; i++) {
    take_run (j, kit_dot_index (last, at, g->k.index_strides),
              kit_dot_index (last, at, g->k.operand_strides),
              j->out + i * g->k.dims[last] * g->size);
    kit_next (last, g->k.dims, at);
  }
}

static void
gather_step (const cpu_step *s, lam_exec *x)
{
  const geometry *g = s->geo;
  job j = {g, cpu_at (x, &s->views[0]), cpu_at (x, &s->views[1]), cpu_at (x, &s->views[2]), 1};
  j.grain = (1 << 15) / (g->k.dims[g->k.rank - 1] + 8) + 1;
  cpu_pool_run (x->backend->pool, (g->outer + j.grain - 1) / j.grain, gather_part, &j);
}

/* --- scatter --------------------------------------------------------------------------------- */

#define COMBINE(name, T, expression)                                                               \
  static void name (char *to, int64_t stride, const char *from, int64_t n)                         \
  {                                                                                                \
    T *p = (T *)(void *)to;                                                                        \
    const T *q = (const T *)(const void *)from;                                                    \
    for (int64_t i = 0; i < n; i++) {                                                              \
      T a = p[i * stride], b = q[i];                                                               \
      p[i * stride] = (T)(expression);                                                             \
    }                                                                                              \
  }
/* NaN wins; of zeros, +0 is larger. */
#define LARGER(is_negative)                                                                        \
  a != a ? a : b != b ? b : a == b ? (is_negative (a) ? b : a) : a > b ? a : b
#define SMALLER(is_negative)                                                                       \
  a != a ? a : b != b ? b : a == b ? (is_negative (a) ? a : b) : a < b ? a : b
#define FLOATS(S, T)                                                                               \
  COMBINE (S##_add, T, a + b)                                                                      \
  COMBINE (S##_multiply, T, a *b)                                                                  \
  COMBINE (S##_maximum, T, LARGER (__builtin_signbit))                                             \
  COMBINE (S##_minimum, T, SMALLER (__builtin_signbit))
#define INTEGERS(S, T)                                                                             \
  COMBINE (S##_add, T, (uint64_t)a + (uint64_t)b)                                                  \
  COMBINE (S##_multiply, T, (uint64_t)a *(uint64_t)b)                                              \
  COMBINE (S##_maximum, T, a > b ? a : b)                                                          \
  COMBINE (S##_minimum, T, a < b ? a : b)
FLOATS (f64, double)
FLOATS (f32, float)
INTEGERS (i64, int64_t)
INTEGERS (i32, int32_t)
INTEGERS (i16, int16_t)
INTEGERS (i8, int8_t)
INTEGERS (u64, uint64_t)
INTEGERS (u32, uint32_t)
INTEGERS (u16, uint16_t)
INTEGERS (u8, uint8_t)
COMBINE (update_1, uint8_t, ((void)a, b))
COMBINE (update_2, uint16_t, ((void)a, b))
COMBINE (update_4, uint32_t, ((void)a, b))
COMBINE (update_8, uint64_t, ((void)a, b))
COMBINE (bool_or, uint8_t, a | b)
COMBINE (bool_and, uint8_t, a &b)

static combine_fn
find_combine (int32_t combine, lam_dtype dtype)
{
  static const combine_fn update[] = {update_1, update_2, NULL, update_4,
                                      NULL,     NULL,     NULL, update_8};
#define ROW(D, S) [D] = { S##_add, S##_multiply, S##_maximum, S##_minimum }
  static const combine_fn table[][4] = {
      ROW (LAM_F64, f64),
      ROW (LAM_F32, f32),
      ROW (LAM_I64, i64),
      ROW (LAM_I32, i32),
      ROW (LAM_I16, i16),
      ROW (LAM_I8, i8),
      ROW (LAM_U64, u64),
      ROW (LAM_U32, u32),
      ROW (LAM_U16, u16),
      ROW (LAM_U8, u8),
      [LAM_PRED] = {bool_or, bool_and, bool_or, bool_and},
  };
#undef ROW
  return combine == KIT_COMBINE_UPDATE ? update[cpu_size (dtype) - 1] : table[dtype][combine];
}

static void
put_run (const geometry *g, char *out, const void *indices, const char *updates, int64_t index,
         int64_t place)
{
  const kit_index *k = &g->k;
  int32_t last = k->rank - 1;
  int64_t n = k->dims[last], at;
  if (k->index_strides[last] == 0) {
    if (start (k, indices, index, &at))
      g->combine (out + (at + place) * g->size, k->operand_strides[last], updates, n);
    return;
  }
  for (int64_t i = 0; i < n; i++, updates += g->size)
    if (start (k, indices, index + i * k->index_strides[last], &at))
      g->combine (out + (at + place + i * k->operand_strides[last]) * g->size, 1, updates, 1);
}

static void
scatter_step (const cpu_step *s, lam_exec *x)
{
  const geometry *g = s->geo;
  const char *in = cpu_at (x, &s->views[0]), *updates = cpu_at (x, &s->views[2]);
  const void *indices = cpu_at (x, &s->views[1]);
  char *out = cpu_at (x, &s->views[3]);
  int32_t last = g->k.rank - 1;
  int64_t at[LAM_MAX_RANK] = {0};
  if (out != in)
    memcpy (out, in, (size_t)g->bytes);
  for (int64_t i = 0; i < g->outer; i++) {
    put_run (g, out, indices, updates + i * g->k.dims[last] * g->size,
             kit_dot_index (last, at, g->k.index_strides),
             kit_dot_index (last, at, g->k.operand_strides));
    kit_next (last, g->k.dims, at);
  }
}

/* --- lowering -------------------------------------------------------------------------------- */

static void
set_geometry (geometry *g, const cpu_view *operand, int32_t combine)
{
  kit_index *k = &g->k;
  if (k->rank == 0) { /* one element: an axis of one */
    k->rank = 1;
    k->dims[0] = 1;
    k->operand_strides[0] = k->index_strides[0] = 0;
  }
  g->size = cpu_size (operand->dtype);
  g->bytes = cpu_count (operand) * g->size;
  g->outer = k->dims[k->rank - 1] > 0 ? kit_elements (k->rank - 1, k->dims) : 0;
  if (combine >= 0)
    g->combine = find_combine (combine, operand->dtype);
}

void
cpu_lower_gather (cpu_lower *l, const lam_equation *e)
{
  cpu_view in = cpu_dense_operand (l, e, 0), indices = cpu_dense_operand (l, e, 1);
  cpu_view out = cpu_result (l, e, 0);
  if (l->no_memory || cpu_count (&out) == 0)
    return;
  cpu_step *s = cpu_add_step (l, gather_step, 2, 1, sizeof (geometry));
  if (s == NULL)
    return;
  geometry *g = s->geo;
  s->views[0] = in;
  s->views[1] = indices;
  s->views[2] = out;
  kit_read_gather (l->f, e, &g->k);
  set_geometry (g, &in, -1);
}

/* 16-bit floats are combined in f32 and rounded once. */
void
cpu_lower_scatter (cpu_lower *l, const lam_equation *e)
{
  cpu_view in = cpu_dense_operand (l, e, 0), indices = cpu_dense_operand (l, e, 1);
  cpu_view updates = cpu_dense_operand (l, e, 2), out = cpu_result (l, e, 0), sums = out;
  bool half = in.dtype == LAM_F16 || in.dtype == LAM_BF16;
  if (l->no_memory || cpu_count (&out) == 0)
    return;
  if (half) {
    in = cpu_converted (l, in, LAM_F32);
    updates = cpu_converted (l, updates, LAM_F32);
    sums = cpu_temporary (l, &out, LAM_F32);
  }
  cpu_step *s = cpu_add_step (l, scatter_step, 3, 1, sizeof (geometry));
  if (s == NULL)
    return;
  geometry *g = s->geo;
  s->views[0] = in;
  s->views[1] = indices;
  s->views[2] = updates;
  s->views[3] = sums;
  s->in_place = 1;
  kit_read_scatter (l->f, e, &g->k);
  set_geometry (g, &in, g->k.combine);
  if (half)
    cpu_add_convert (l, &out, &sums);
}
