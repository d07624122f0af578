/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_precision, on the bits of each element and without a branch. */
#include "cpu.h"

enum { TILE = 4096 };

typedef struct rounding {
  uint64_t cut;         /* fraction bits that go */
  uint64_t inf, sign;   /* bits of infinity; the sign bit */
  uint64_t least, most; /* exponents beyond these become 0 and infinity */
} rounding;

typedef void (*round_fn) (const rounding *r, int64_t n, const void *in, void *out);

typedef struct geometry {
  rounding r;
  round_fn round;
  int64_t n, size;
} geometry;

typedef struct job {
  const geometry *g;
  const char *in;
  char *out;
} job;

#define ROUND(U)                                                                                   \
  static void round_##U (const rounding *r, int64_t n, const void *in, void *out)                  \
  {                                                                                                \
    const U *x = in;                                                                               \
    U *y = out;                                                                                    \
    U inf = (U)r->inf, sign = (U)r->sign, least = (U)r->least, most = (U)r->most;                  \
    U low = (U)((UINT64_C (1) << r->cut) - 1), half = (U)(low >> 1);                               \
    U odd = (U)(r->cut > 0);                                                                       \
    CPU_INDEPENDENT                                                                                \
    for (int64_t i = 0; i < n; i++) {                                                              \
      U u = x[i], v = (U)((U)(u + half + (u >> r->cut & odd)) & (U)~low);                          \
      U e = v & inf;                                                                               \
      v = e > most ? (U)((u & sign) | inf) : v;                                                    \
      v = e < least ? (U)(u & sign) : v;                                                           \
      y[i] = (U)(u & (U)~sign) > inf ? u : v;                                                      \
    }                                                                                              \
  }
ROUND (uint64_t)
ROUND (uint32_t)
ROUND (uint16_t)

static void
run_tile (void *ctx, int64_t task, int thread)
{
  const job *j = ctx;
  int64_t from = task * TILE, n = j->g->n - from < TILE ? j->g->n - from : TILE;
  (void)thread;
  j->g->round (&j->g->r, n, j->in + from * j->g->size, j->out + from * j->g->size);
}

static void
precision_step (const cpu_step *s, lam_exec *x)
{
  const geometry *g = s->geo;
  job j = {g, cpu_at (x, &s->views[0]), cpu_at (x, &s->views[1])};
  cpu_pool_run (x->backend->pool, (g->n + TILE - 1) / TILE, run_tile, &j);
}

static void
set_rounding (rounding *r, lam_dtype dtype, int64_t exponent, int64_t mantissa)
{
  int64_t e = dtype == LAM_F64 ? 11 : dtype == LAM_F16 ? 5 : 8;
  int64_t m = (int64_t)lam_dtype_bits (dtype) - 1 - e;
  uint64_t bias = (UINT64_C (1) << (e - 1)) - 1, mine;
  r->cut = mantissa < m ? (uint64_t)(m - mantissa) : 0;
  r->inf = ((UINT64_C (1) << e) - 1) << m;
  r->sign = UINT64_C (1) << (e + m);
  r->least = 0;
  r->most = r->inf;
  if (exponent >= e)
    return;
  mine = (UINT64_C (1) << (exponent - 1)) - 1;
  r->least = (bias - mine + 1) << m;
  r->most = (bias + mine) << m;
}

void
cpu_lower_precision (cpu_lower *l, const lam_equation *e)
{
  cpu_view in = cpu_dense_operand (l, e, 0), out = cpu_result (l, e, 0);
  if (l->no_memory || cpu_count (&out) == 0)
    return;
  cpu_step *s = cpu_add_step (l, precision_step, 1, 1, sizeof (geometry));
  if (s == NULL)
    return;
  geometry *g = s->geo;
  s->views[0] = in;
  s->views[1] = out;
  s->in_place = 1;
  g->n = cpu_count (&out);
  g->size = cpu_size (out.dtype);
  g->round = g->size == 8 ? round_uint64_t : g->size == 4 ? round_uint32_t : round_uint16_t;
  set_rounding (&g->r, out.dtype, lam_attr_int (l->f, e, "exponent_bits", 0),
                lam_attr_int (l->f, e, "mantissa_bits", 0));
}
