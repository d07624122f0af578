/* SPDX-License-Identifier: Apache-2.0 */
/* The cpu backend's own types. A function is compiled into a flat list of steps; each step has views
 * of its operands and results over numbered buffers, and a function that runs it. */
#ifndef CPU_H
#define CPU_H

#include "comm.h"
#include "kernels.h"
#include "pool.h"
#include <kit/backend.h>
#include <kit/ops.h>

#define CPU_NONE 0xffffffffu

/* Elements of a tile: what elementwise loops stage in L1 for operands that are not dense. */
#define CPU_TILE 512

typedef struct cpu_blas cpu_blas;

struct lam_backend {
  kit_backend kit; /* first: sdk/kit's buffer functions expect it there */
  const cpu_isa *isa;
  cpu_pool *pool;
  cpu_blas *blas; /* NULL: own kernels only */
  char name[200];
};

/* A strided view of a buffer; v counts in elements of dtype. */
typedef struct cpu_view {
  uint32_t buffer;
  lam_dtype dtype;
  kit_view v;
} cpu_view;

typedef enum { CPU_TEMP, CPU_INPUT, CPU_CONST } cpu_buf_kind;

typedef struct cpu_buf {
  cpu_buf_kind kind;
  uint32_t binding;     /* CPU_INPUT: parameter number */
  uint32_t output;      /* result that this buffer holds, or CPU_NONE */
  uint32_t value;       /* value number in the function; of the step's result for scratch */
  uint32_t first, last; /* steps between which it lives */
  uint32_t read_last;   /* the same, but for steps that only wait */
  uint32_t shares;      /* buffer whose memory it takes over, or CPU_NONE */
  bool direct;          /* lives in the caller's output */
  uint64_t bytes, offset;
  void *data; /* CPU_CONST: contents, owned by the executable */
} cpu_buf;

typedef struct cpu_step cpu_step;
typedef void (*cpu_step_fn) (const cpu_step *s, lam_exec *x);

struct cpu_step {
  cpu_step_fn run;
  uint32_t equation;
  uint32_t n_in, n_out;
  uint32_t in_place; /* bit k: result 0 may be written over operand k (element i needs element i) */
  bool pairwise;     /* result k may be written over operand k */
  bool waits;        /* reads nothing, but its operands must stay until here */
  uint32_t scratch;  /* buffer that lives during this step only, or CPU_NONE */
  cpu_view *views;   /* operands, then results */
  void *geo;         /* what the step's kind precomputed */
};

typedef struct cpu_block {
  struct cpu_block *next;
} cpu_block;

struct lam_exec {
  lam_backend *backend;
  cpu_block *blocks; /* all small memory of the executable */
  cpu_buf *bufs;
  cpu_step *steps;
  uint32_t n_bufs, cap_bufs, n_steps, cap_steps;
  uint32_t n_in, n_out;
  void **ptr; /* address of each buffer in the current run */
  void *slab;
  uint64_t slab_bytes;
  uint32_t *copies; /* buffers to copy to their output at the end */
  uint32_t n_copies;
  bool overlaps;       /* some call may be made on the communication thread */
  cpu_comm *comm;      /* made by the first run that has use for it */
  kit_replica replica; /* of the current run */
  lam_status status;   /* of the current run: the first failure ends it */
};

/* An all_reduce under way at this point of the function. */
typedef struct cpu_waiting {
  struct cpu_waiting *next;
  const lam_equation *e;
  uint32_t step;
} cpu_waiting;

/* State of one compilation. The first failure sticks; after it adding steps is harmless. */
typedef struct cpu_lower {
  lam_exec *x;
  lam_backend *backend;
  const lam_function *f;
  cpu_view *views; /* of each value */
  uint32_t equation;
  cpu_waiting *waiting;
  bool no_memory;
} cpu_lower;

/* --- lower.c: helpers for lowering functions --- */
void *cpu_new (cpu_lower *l,
               uint64_t bytes); /* zeroed, lives with the executable; NULL when short */
uint32_t cpu_add_buf (cpu_lower *l, cpu_buf_kind kind, uint64_t bytes, uint32_t value);
/* NULL when memory is short: the lowering function returns. */
cpu_step *cpu_add_step (cpu_lower *l, cpu_step_fn run, uint32_t n_in, uint32_t n_out,
                        uint64_t geo_bytes);
cpu_view cpu_operand (cpu_lower *l, const lam_equation *e, uint32_t k);
cpu_view cpu_dense_operand (cpu_lower *l, const lam_equation *e, uint32_t k);
cpu_view cpu_result (cpu_lower *l, const lam_equation *e, uint32_t r);
/* A new dense temporary of the same shape as `like`. */
cpu_view cpu_temporary (cpu_lower *l, const cpu_view *like, lam_dtype dtype);
/* Dense copy of a view in a new buffer of its own. */
cpu_view cpu_materialise (cpu_lower *l, cpu_view src, uint32_t value);
bool cpu_is_dense (const cpu_view *view);
/* Call after the step's views are set. */
void cpu_set_scratch (cpu_lower *l, cpu_step *s, uint64_t bytes);
bool cpu_lower_function (cpu_lower *l, const lam_compile_options *options);

static inline int64_t
cpu_count (const cpu_view *view)
{
  return kit_elements (view->v.rank, view->v.dims);
}

static inline int64_t
cpu_size (lam_dtype dtype)
{
  return (int64_t)(lam_dtype_bits (dtype) / 8);
}

/* Address of the first element of view k (operands first) in this run. */
static inline void *
cpu_at (const lam_exec *x, const cpu_view *view)
{
  return (char *)x->ptr[view->buffer] + view->v.offset * cpu_size (view->dtype);
}

static inline void *
cpu_scratch (const lam_exec *x, const cpu_step *s)
{
  return s->scratch == CPU_NONE ? NULL : x->ptr[s->scratch];
}

/* --- one lowering function for each family of ops --- */
typedef void (*cpu_lower_fn) (cpu_lower *l, const lam_equation *e);
void cpu_lower_view (cpu_lower *l, const lam_equation *e);
void cpu_lower_constant (cpu_lower *l, const lam_equation *e);
void cpu_lower_same (cpu_lower *l, const lam_equation *e);
void cpu_lower_iota (cpu_lower *l, const lam_equation *e);
void cpu_lower_elementwise (cpu_lower *l, const lam_equation *e);
void cpu_lower_pad (cpu_lower *l, const lam_equation *e);
void cpu_lower_concatenate (cpu_lower *l, const lam_equation *e);
void cpu_lower_gather (cpu_lower *l, const lam_equation *e);
void cpu_lower_scatter (cpu_lower *l, const lam_equation *e);
void cpu_lower_reduce (cpu_lower *l, const lam_equation *e);
void cpu_lower_window (cpu_lower *l, const lam_equation *e);
void cpu_lower_arg (cpu_lower *l, const lam_equation *e);
void cpu_lower_dot (cpu_lower *l, const lam_equation *e);
void cpu_lower_conv (cpu_lower *l, const lam_equation *e);
void cpu_lower_dynamic (cpu_lower *l, const lam_equation *e);
void cpu_lower_order (cpu_lower *l, const lam_equation *e);
void cpu_lower_cumsum (cpu_lower *l, const lam_equation *e);
void cpu_lower_precision (cpu_lower *l, const lam_equation *e);
void cpu_lower_all_reduce (cpu_lower *l, const lam_equation *e);
void cpu_lower_all_gather (cpu_lower *l, const lam_equation *e);
void cpu_lower_axis_index (cpu_lower *l, const lam_equation *e);
/* Adds the steps that wait for those all_reduces of which e uses a result; NULL: for all. */
void cpu_lower_waits (cpu_lower *l, const lam_equation *e);

/* --- plan.c --- */
bool cpu_plan (cpu_lower *l, const lam_compile_options *options);
uint64_t cpu_exec_plan (const lam_exec *x, void (*each) (void *ctx, const lam_plan_buffer *buffer),
                        void *ctx);

/* --- copy.c: strided copies --- */

/* Two views of equal dims walked together: dst gets src. Made once, run in pieces. */
typedef struct cpu_copy_plan {
  int32_t rank;
  int64_t size; /* bytes an element */
  int64_t dims[LAM_MAX_RANK], dst[LAM_MAX_RANK], src[LAM_MAX_RANK];
} cpu_copy_plan;
void cpu_copy_init (cpu_copy_plan *p, const kit_view *dst, const kit_view *src, int64_t size);
void cpu_copy_run (const cpu_copy_plan *p, cpu_pool *pool, char *dst, const char *src);
/* n elements of a view from flat index `from` on, into a dense tile. */
void cpu_fill_tile (const kit_view *v, int64_t size, const char *src, char *tile, int64_t from,
                    int64_t n);
/* n copies of one element. */
void cpu_splat (char *dst, const char *element, int64_t size, int64_t n);
/* Adds the step dst = src. */
void cpu_add_copy (cpu_lower *l, const cpu_view *dst, const cpu_view *src);

/* --- elementwise.c: conversions beside those of the function --- */

/* Adds the step dst = convert (src), of any view of the same shape. */
void cpu_add_convert (cpu_lower *l, const cpu_view *dst, const cpu_view *src);
/* src if it has that dtype, else a dense converted copy. */
cpu_view cpu_converted (cpu_lower *l, cpu_view src, lam_dtype dtype);

/* --- gather.c --- */
/* Element i of an integer array; what is beyond i64 is its largest. */
int64_t cpu_read_int (lam_dtype dtype, const void *data, int64_t i);

/* --- gemm.c: c (m, n) = a (m, k) . b (k, n), every matrix with two strides --- */
typedef struct cpu_matrix {
  int64_t rows, cols; /* element strides between rows and between columns */
} cpu_matrix;
typedef struct cpu_gemm {
  int64_t m, n, k;
  cpu_matrix a, b, c;
  lam_dtype dtype; /* f32 or f64 */
  bool blas;       /* OpenBLAS takes it: fixed by shape, never by the number of threads */
} cpu_gemm;
void cpu_gemm_init (cpu_gemm *g, const lam_backend *backend);
/* Scratch for one task of cpu_gemm_run. */
uint64_t cpu_gemm_scratch (const cpu_gemm *g, const lam_backend *backend);
/* On the calling thread. a, b, c: element (0, 0). */
void cpu_gemm_run (const cpu_gemm *g, const lam_backend *backend, const void *a, const void *b,
                   void *c, void *scratch);
/* The same, split over the pool; scratch for each of the pool's threads. */
void cpu_gemm_parallel (const cpu_gemm *g, const lam_backend *backend, const void *a, const void *b,
                        void *c, void *scratch);

/* The dtype in which a contraction from `in` to `out` is computed: f32, f64, or i64 (which wraps to any
 * integer). */
lam_dtype cpu_contract_dtype (lam_dtype in, lam_dtype out);

/* --- blas.c --- */
/* NULL: *out_core says why not; else it names the core type that OpenBLAS took. */
cpu_blas *cpu_blas_open (const cpu_isa *isa, const char **out_core);
void cpu_blas_close (cpu_blas *blas);
/* Needs a and b with one unit stride each, and c.cols == 1. */
bool cpu_blas_takes (const cpu_gemm *g);
void cpu_blas_gemm (cpu_blas *blas, const cpu_gemm *g, const void *a, const void *b, void *c);

#endif
