/* SPDX-License-Identifier: Apache-2.0 */
/* Equations over replicas: all_reduce, all_gather, axis_index, on the thread that runs the function. */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* --- all_reduce ----------------------------------------------------------------------------------- */

typedef struct reduce_args {
  int32_t reduction;
  lam_dtype *dtypes; /* of each operand; behind this struct, as counts */
  uint64_t *counts;
} reduce_args;

static void
run_all_reduce (const ref_step *s)
{
  const reduce_args *a = s->args;
  lam_collective_call call = {.reduction = a->reduction,
                              .n = s->n_in,
                              .dtypes = a->dtypes,
                              .counts = a->counts,
                              .in = (const void *const *)s->at,
                              .out = s->at + s->n_in};

  s->state->status = kit_all_reduce (&s->state->replica, &call);
}

static lam_status
prepare_all_reduce (ref_step *s, const lam_function *f, const lam_equation *e)
{
  reduce_args *a = calloc (1, sizeof *a + s->n_in * (sizeof *a->counts + sizeof *a->dtypes));

  if (a == NULL)
    return LAM_E_NO_MEMORY;
  a->counts = (uint64_t *)(void *)(a + 1);
  a->dtypes = (lam_dtype *)(void *)(a->counts + s->n_in);
  a->reduction = kit_reduction (f, e);
  for (uint32_t k = 0; k < s->n_in; k++) {
    a->counts[k] = (uint64_t)lam_type_elements (ref_in_type (s, k));
    a->dtypes[k] = ref_in_type (s, k)->dtype;
  }
  s->args = a;
  s->run = run_all_reduce;
  return LAM_OK;
}

/* --- all_gather ----------------------------------------------------------------------------------- */

static void
run_all_gather (const ref_step *s)
{
  s->state->status =
      kit_run_all_gather (&s->state->replica, s->args, ref_in (s, 0), ref_out (s, 0), s->scratch);
}

static lam_status
prepare_all_gather (ref_step *s, const lam_function *f, const lam_equation *e)
{
  kit_all_gather *g = calloc (1, sizeof *g);

  if (g == NULL)
    return LAM_E_NO_MEMORY;
  kit_read_all_gather (f, e, g);
  s->args = g;
  s->scratch_bytes = (size_t)kit_all_gather_scratch (g);
  s->run = run_all_gather;
  return LAM_OK;
}

/* --- axis_index ----------------------------------------------------------------------------------- */

static void
run_axis_index (const ref_step *s)
{
  uint32_t rank = kit_rank (&s->state->replica);

  memcpy (ref_out (s, 0), &rank, sizeof rank);
}

lam_status
ref_prepare_collective (ref_step *s, const lam_function *f, const lam_equation *e)
{
  switch (e->op) {
  case LAM_OP_all_reduce:
    return prepare_all_reduce (s, f, e);
  case LAM_OP_all_gather:
    return prepare_all_gather (s, f, e);
  case LAM_OP_axis_index:
    s->run = run_axis_index;
    return LAM_OK;
  default:
    return LAM_E_UNSUPPORTED;
  }
}
