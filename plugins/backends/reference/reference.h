/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backend lamina.reference: plain loops, every op, obviously right. It is the oracle that other
 * backends are compared with: no threads, no tricks.
 *
 * Numbers: every op works on wide elements, double for floats and int64_t (bit pattern for u64) for
 * integers and bool, and rounds or truncates once when it stores. For f32 the elementwise + - * /
 * and sqrt come out correctly rounded: double has more than 2 * 24 + 2 bits, so the second rounding
 * is innocuous (Figueroa 1995). Other functions are libm's in double, rounded once. Reductions and
 * contractions of f64 and f32 accumulate in double, those of f16 and bf16 in f32.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <kit/backend.h>
#include <kit/collective.h>
#include <kit/ops.h>

/* Of the run at hand, shared by all steps. */
typedef struct ref_run_state {
  kit_replica replica;
  lam_status status; /* the first failure ends the run */
} ref_run_state;

typedef struct ref_step ref_step;
typedef void (*ref_run) (const ref_step *s);

/* One equation, ready to run. Arrays point into the executable. */
struct ref_step {
  ref_run run;
  int32_t op;
  uint32_t n_in, n_out;
  const uint32_t *values; /* operands, then results */
  const lam_type *types;  /* likewise */
  void **at;              /* likewise: addresses, filled before each run */
  void *args;             /* the family's attributes, owned; may be NULL */
  size_t scratch_bytes;   /* wanted */
  void *scratch;          /* 64-byte aligned; shared by all steps, contents last one step */
  ref_run_state *state;
};

static inline const lam_type *
ref_in_type (const ref_step *s, uint32_t k)
{
  return &s->types[k];
}

static inline const lam_type *
ref_out_type (const ref_step *s)
{
  return &s->types[s->n_in];
}

static inline const void *
ref_in (const ref_step *s, uint32_t k)
{
  return s->at[k];
}

static inline void *
ref_out (const ref_step *s, uint32_t r)
{
  return s->at[s->n_in + r];
}

/*
 * Preparing: each family sets run, args and scratch_bytes for an equation of an op it knows. Returns
 * LAM_OK, LAM_E_NO_MEMORY, or LAM_E_UNSUPPORTED for an op that is not of the family.
 */
lam_status ref_prepare_elementwise (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status ref_prepare_shape (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status ref_prepare_convert (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status ref_prepare_index (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status ref_prepare_reduce (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status ref_prepare_window (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status ref_prepare_dot (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status ref_prepare_conv (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status ref_prepare_dynamic (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status ref_prepare_order (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status ref_prepare_cumsum (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status ref_prepare_precision (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status ref_prepare_collective (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status ref_prepare_random (ref_step *s, const lam_function *f, const lam_equation *e);

/* --- wide elements (wide.c) ----------------------------------------------------------------- */

/* Elements at .. at+n-1 of a dense array, widened / narrowed. */
void ref_load_float (lam_dtype dtype, const void *data, int64_t at, int64_t n, double *out);
void ref_store_float (lam_dtype dtype, void *data, int64_t at, int64_t n, const double *in);
void ref_load_int (lam_dtype dtype, const void *data, int64_t at, int64_t n, int64_t *out);
void ref_store_int (lam_dtype dtype, void *data, int64_t at, int64_t n, const int64_t *in);

/* f16 and bf16 accumulate in f32: partial results are rounded to it. */
static inline bool
ref_is_narrow (lam_dtype dtype)
{
  return dtype == LAM_F16 || dtype == LAM_BF16;
}

/* --- combining (combine.c): KIT_COMBINE_* ------------------------------------------------------ */

double ref_identity_float (int32_t combine);
int64_t ref_identity_int (int32_t combine, lam_dtype dtype);
double ref_combine_float (int32_t combine, double a, double b);
int64_t ref_combine_int (int32_t combine, lam_dtype dtype, int64_t a, int64_t b);

/* --- special functions (special.c) ------------------------------------------------------------ */

float ref_erf_inv_f32 (float x);
double ref_erf_inv_f64 (double x);

#endif
