/* SPDX-License-Identifier: Apache-2.0 */
/* sort and top_k, line by line. Elements become unsigned codes that ascend in the wanted order; lines of
 * codes are sorted byte by byte (stable, so that several keys are sorted one after the other, the
 * last first), and all operands are then moved by the places. */
#include "cpu.h"

#include <string.h>

enum { SMALL = 40, FEW = 64 }; /* lines sorted by insertion; results of top_k found in one scan */

typedef struct entry {
  uint64_t code;
  int64_t at; /* place in the line */
} entry;

typedef struct geometry {
  kit_axis axis;
  uint32_t num_keys;
  int64_t k;
  int64_t grain; /* lines in a task */
} geometry;

typedef struct job {
  const cpu_step *s;
  lam_exec *x;
  char *scratch;
} job;

/* --- codes ----------------------------------------------------------------------------------- */

typedef enum { ASCENDING, DESCENDING_TOTAL } wanted_order;

#define FILL_INT(name, T, U, top)                                                                  \
  static void name (const void *line, int64_t step, int64_t n, wanted_order order, entry *e)       \
  {                                                                                                \
    const T *x = line;                                                                             \
    for (int64_t i = 0; i < n; i++) {                                                              \
      U u = (U)((U)x[e[i].at * step] ^ (top));                                                     \
      e[i].code = order == ASCENDING ? u : (U)~u;                                                  \
    }                                                                                              \
  }
/* Ascending, both zeros are one and any NaN is last; the total order is that of the bits. */
#define FILL_FLOAT(name, U, bits, inf)                                                             \
  static void name (const void *line, int64_t step, int64_t n, wanted_order order, entry *e)       \
  {                                                                                                \
    const U *x = line;                                                                             \
    const U sign = (U)((U)1 << (bits - 1));                                                        \
    for (int64_t i = 0; i < n; i++) {                                                              \
      U v = x[e[i].at * step], size = (U)(v & (U)~sign);                                           \
      U u = (U)((v & sign) != 0 ? ~v : (v | sign));                                                \
      if (order != ASCENDING)                                                                      \
        u = (U)~u;                                                                                 \
      else if (size > (inf))                                                                       \
        u = (U) ~(U)0;                                                                             \
      else if (size == 0)                                                                          \
        u = sign;                                                                                  \
      e[i].code = u;                                                                               \
    }                                                                                              \
  }
FILL_INT (fill_i64, uint64_t, uint64_t, UINT64_C (1) << 63)
FILL_INT (fill_i32, uint32_t, uint32_t, UINT32_C (1) << 31)
FILL_INT (fill_i16, uint16_t, uint16_t, 1u << 15)
FILL_INT (fill_i8, uint8_t, uint8_t, 1u << 7)
FILL_INT (fill_u64, uint64_t, uint64_t, 0)
FILL_INT (fill_u32, uint32_t, uint32_t, 0)
FILL_INT (fill_u16, uint16_t, uint16_t, 0)
FILL_INT (fill_u8, uint8_t, uint8_t, 0)
FILL_FLOAT (fill_f64, uint64_t, 64, UINT64_C (0x7ff) << 52)
FILL_FLOAT (fill_f32, uint32_t, 32, UINT32_C (0x7f800000))
FILL_FLOAT (fill_f16, uint16_t, 16, 0x7c00)
FILL_FLOAT (fill_bf16, uint16_t, 16, 0x7f80)

typedef void (*fill_fn) (const void *line, int64_t step, int64_t n, wanted_order order, entry *e);

/* Codes of the elements at e[i].at of a line whose elements are `step` apart. */
static fill_fn
find_fill (lam_dtype dtype)
{
  static const struct {
    lam_dtype dtype;
    fill_fn fill;
  } table[] = {{LAM_F64, fill_f64}, {LAM_F32, fill_f32}, {LAM_F16, fill_f16}, {LAM_BF16, fill_bf16},
               {LAM_I64, fill_i64}, {LAM_I32, fill_i32}, {LAM_I16, fill_i16}, {LAM_I8, fill_i8},
               {LAM_U64, fill_u64}, {LAM_U32, fill_u32}, {LAM_U16, fill_u16}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (table[i].dtype == dtype)
      return table[i].fill;
  return fill_u8; /* and bool */
}

/* --- sorting codes --------------------------------------------------------------------------- */

static void
insert_sort (entry *e, int64_t n)
{
  for (int64_t i = 1; i < n; i++) {
    entry keep = e[i];
    int64_t j = i;
    for (; j > 0 && e[j - 1].code > keep.code; j--)
      e[j] = e[j - 1];
    e[j] = keep;
  }
}

/* e by codes of `bytes` bytes, other holds n more; returns the one that is sorted. */
static entry *
sort_codes (entry *e, entry *other, int64_t n, int64_t bytes)
{
  if (n <= SMALL) {
    insert_sort (e, n);
    return e;
  }
  for (int64_t byte = 0; byte < bytes; byte++) {
    int64_t count[256] = {0}, start = 0;
    int shift = (int)(8 * byte);
    for (int64_t i = 0; i < n; i++)
      count[e[i].code >> shift & 255]++;
    if (count[e[0].code >> shift & 255] == n) /* equal in all: small integers, few exponents */
      continue;
    for (int d = 0; d < 256; d++) {
      int64_t here = count[d];
      count[d] = start;
      start += here;
    }
    for (int64_t i = 0; i < n; i++)
      other[count[e[i].code >> shift & 255]++] = e[i];
    entry *keep = e;
    e = other;
    other = keep;
  }
  return e;
}

static void
number (entry *e, int64_t n)
{
  for (int64_t i = 0; i < n; i++)
    e[i].at = i;
}

/* y[i * step] = x[e[i].at * step], for n elements. */
static void
move_line (int64_t size, const char *x, char *y, int64_t step, int64_t n, const entry *e)
{
#define MOVE(T)                                                                                    \
  for (int64_t i = 0; i < n; i++)                                                                  \
    ((T *)(void *)y)[i * step] = ((const T *)(const void *)x)[e[i].at * step];
  if (size == 8)
    MOVE (uint64_t)
  else if (size == 4)
    MOVE (uint32_t)
  else if (size == 2)
    MOVE (uint16_t)
  else
    MOVE (uint8_t)
#undef MOVE
}

/* --- steps ----------------------------------------------------------------------------------- */

static void
sort_line (const job *j, int64_t line, entry *e)
{
  const cpu_step *s = j->s;
  const geometry *g = s->geo;
  int64_t n = g->axis.size, step = g->axis.inner, from = line / step * n * step + line % step;
  entry *other = e + n;
  number (e, n);
  for (uint32_t key = g->num_keys; key-- > 0;) {
    const cpu_view *view = &s->views[key];
    int64_t size = cpu_size (view->dtype);
    const char *x = cpu_at (j->x, view);
    find_fill (view->dtype) (x + from * size, step, n, ASCENDING, e);
    entry *sorted = sort_codes (e, other, n, size);
    other = sorted == e ? other : e;
    e = sorted;
  }
  for (uint32_t k = 0; k < s->n_in; k++) {
    int64_t size = cpu_size (s->views[k].dtype);
    const char *x = cpu_at (j->x, &s->views[k]);
    char *y = cpu_at (j->x, &s->views[s->n_in + k]);
    move_line (size, x + from * size, y + from * size, step, n, e);
  }
}

/* The k least codes of e, in order, to the front of best. */
static void
find_few (const entry *e, int64_t n, int64_t k, entry *best)
{
  int64_t found = 0;
  for (int64_t i = 0; i < n; i++) {
    if (found == k && e[i].code >= best[k - 1].code)
      continue;
    int64_t to = found < k ? found++ : k - 1;
    for (; to > 0 && best[to - 1].code > e[i].code; to--)
      best[to] = best[to - 1];
    best[to] = e[i];
  }
}

static void
top_k_line (const job *j, int64_t line, entry *e)
{
  const cpu_step *s = j->s;
  const geometry *g = s->geo;
  int64_t n = g->axis.size, size = cpu_size (s->views[0].dtype);
  const char *x = (const char *)cpu_at (j->x, &s->views[0]) + line * n * size;
  char *y = (char *)cpu_at (j->x, &s->views[1]) + line * g->k * size;
  int32_t *index = (int32_t *)cpu_at (j->x, &s->views[2]) + line * g->k;
  entry *best = e + n;
  number (e, n);
  find_fill (s->views[0].dtype) (x, 1, n, DESCENDING_TOTAL, e);
  if (g->k <= FEW)
    find_few (e, n, g->k, best);
  else
    best = sort_codes (e, best, n, size);
  move_line (size, x, y, 1, g->k, best);
  for (int64_t i = 0; i < g->k; i++)
    index[i] = (int32_t)best[i].at;
}

static void
run_lines (void *ctx, int64_t task, int thread)
{
  const job *j = ctx;
  const geometry *g = j->s->geo;
  int64_t lines = g->axis.outer * g->axis.inner, from = task * g->grain;
  int64_t to = from + g->grain < lines ? from + g->grain : lines;
  entry *e = (entry *)(void *)j->scratch + thread * 2 * g->axis.size;
  for (int64_t i = from; i < to; i++)
    if (g->k < 0)
      sort_line (j, i, e);
    else
      top_k_line (j, i, e);
}

static void
order_step (const cpu_step *s, lam_exec *x)
{
  const geometry *g = s->geo;
  job j = {s, x, cpu_scratch (x, s)};
  int64_t lines = g->axis.outer * g->axis.inner;
  cpu_pool_run (x->backend->pool, (lines + g->grain - 1) / g->grain, run_lines, &j);
}

void
cpu_lower_order (cpu_lower *l, const lam_equation *e)
{
  const lam_type *type = lam_value_type (l->f, lam_operand (l->f, e, 0));
  int64_t axis = e->op == LAM_OP_sort ? lam_attr_int (l->f, e, "dimension", 0) : type->rank - 1;
  bool empty = false;
  for (uint32_t r = 0; r < e->n_results && !l->no_memory; r++) {
    cpu_view out = cpu_result (l, e, r);
    empty = empty || cpu_count (&out) == 0;
  }
  for (uint32_t k = 0; k < e->n_operands && !l->no_memory; k++)
    cpu_dense_operand (l, e, k);
  if (l->no_memory || empty)
    return;
  cpu_step *s = cpu_add_step (l, order_step, e->n_operands, e->n_results, sizeof (geometry));
  if (s == NULL)
    return;
  geometry *g = s->geo;
  for (uint32_t k = 0; k < e->n_operands; k++)
    s->views[k] = cpu_operand (l, e, k);
  for (uint32_t r = 0; r < e->n_results; r++)
    s->views[s->n_in + r] = l->views[e->first_result + r];
  kit_split_axis (type, axis, &g->axis);
  g->num_keys = (uint32_t)lam_attr_int (l->f, e, "num_keys", 1);
  g->k = e->op == LAM_OP_sort ? -1 : lam_attr_int (l->f, e, "k", 0);
  g->grain = (1 << 12) / (g->axis.size + 1) + 1;
  cpu_set_scratch (l, s,
                   (uint64_t)cpu_pool_threads (l->backend->pool) * 2 * (uint64_t)g->axis.size
                       * sizeof (entry));
}
