/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise ops, block by block: widen, apply one op to the block, narrow. Reading a block of every
 * operand before writing makes running in place right. */
#include "elementwise.h"

#include <stdlib.h>

typedef struct element_args {
  int32_t direction; /* of compare */
  bool scalar[3];    /* operand k is one element for all */
} element_args;

static void
load_float (const ref_step *s, uint32_t k, int64_t at, int64_t n, double *out)
{
  const element_args *a = s->args;

  if (!a->scalar[k]) {
    ref_load_float (ref_in_type (s, k)->dtype, ref_in (s, k), at, n, out);
    return;
  }
  ref_load_float (ref_in_type (s, k)->dtype, ref_in (s, k), 0, 1, out);
  for (int64_t i = 1; i < n; i++)
    out[i] = out[0];
}

static void
load_int (const ref_step *s, uint32_t k, int64_t at, int64_t n, int64_t *out)
{
  const element_args *a = s->args;

  if (!a->scalar[k]) {
    ref_load_int (ref_in_type (s, k)->dtype, ref_in (s, k), at, n, out);
    return;
  }
  ref_load_int (ref_in_type (s, k)->dtype, ref_in (s, k), 0, 1, out);
  for (int64_t i = 1; i < n; i++)
    out[i] = out[0];
}

static void
run_float (const ref_step *s)
{
  int64_t n = lam_type_elements (ref_out_type (s));
  lam_dtype dtype = ref_out_type (s)->dtype;
  double x[3][REF_BLOCK], y[REF_BLOCK];

  for (int64_t at = 0; at < n; at += REF_BLOCK) {
    int64_t m = n - at < REF_BLOCK ? n - at : REF_BLOCK;
    for (uint32_t k = 0; k < s->n_in; k++)
      load_float (s, k, at, m, x[k]);
    if (s->n_in == 1)
      ref_unary_float (s->op, dtype, m, x[0], y);
    else if (s->n_in == 2)
      ref_binary_float (s->op, m, x[0], x[1], y);
    else
      ref_clamp_float (m, x[0], x[1], x[2], y);
    ref_store_float (dtype, ref_out (s, 0), at, m, y);
  }
}

static void
run_int (const ref_step *s)
{
  int64_t n = lam_type_elements (ref_out_type (s));
  lam_dtype dtype = ref_out_type (s)->dtype;
  int64_t x[3][REF_BLOCK], y[REF_BLOCK];

  for (int64_t at = 0; at < n; at += REF_BLOCK) {
    int64_t m = n - at < REF_BLOCK ? n - at : REF_BLOCK;
    for (uint32_t k = 0; k < s->n_in; k++)
      load_int (s, k, at, m, x[k]);
    if (s->n_in == 1)
      ref_unary_int (s->op, dtype, m, x[0], y);
    else if (s->n_in == 2)
      ref_binary_int (s->op, dtype, m, x[0], x[1], y);
    else
      ref_clamp_int (dtype, m, x[0], x[1], x[2], y);
    ref_store_int (dtype, ref_out (s, 0), at, m, y);
  }
}

static void
run_compare (const ref_step *s)
{
  const element_args *a = s->args;
  lam_dtype dtype = ref_in_type (s, 0)->dtype;
  int64_t n = lam_type_elements (ref_out_type (s));
  double x[2][REF_BLOCK];
  int64_t v[2][REF_BLOCK], y[REF_BLOCK];

  for (int64_t at = 0; at < n; at += REF_BLOCK) {
    int64_t m = n - at < REF_BLOCK ? n - at : REF_BLOCK;
    for (uint32_t k = 0; k < 2; k++)
      if (lam_dtype_is_float (dtype))
        load_float (s, k, at, m, x[k]);
      else
        load_int (s, k, at, m, v[k]);
    if (lam_dtype_is_float (dtype))
      ref_compare_float (a->direction, m, x[0], x[1], y);
    else
      ref_compare_int (a->direction, dtype, m, v[0], v[1], y);
    ref_store_int (LAM_PRED, ref_out (s, 0), at, m, y);
  }
}

static void
run_is_finite (const ref_step *s)
{
  int64_t n = lam_type_elements (ref_out_type (s));
  double x[REF_BLOCK];
  int64_t y[REF_BLOCK];

  for (int64_t at = 0; at < n; at += REF_BLOCK) {
    int64_t m = n - at < REF_BLOCK ? n - at : REF_BLOCK;
    load_float (s, 0, at, m, x);
    ref_is_finite (m, x, y);
    ref_store_int (LAM_PRED, ref_out (s, 0), at, m, y);
  }
}

/* Moves bits: the same for all dtypes of one width. */
#define SELECT(T)                                                                                  \
  for (int64_t i = 0; i < n; i++)                                                                  \
    ((T *)y)[i] = (p[one ? 0 : i] != 0 ? (const T *)a : (const T *)b)[i];                          \
  break;

static void
run_select (const ref_step *s)
{
  const uint8_t *p = ref_in (s, 0);
  const void *a = ref_in (s, 1), *b = ref_in (s, 2);
  void *y = ref_out (s, 0);
  bool one = ((const element_args *)s->args)->scalar[0];
  int64_t n = lam_type_elements (ref_out_type (s));

  switch (lam_dtype_bits (ref_out_type (s)->dtype)) {
  case 64:
    SELECT (uint64_t)
  case 32:
    SELECT (uint32_t)
  case 16:
    SELECT (uint16_t)
  default:
    SELECT (uint8_t)
  }
}
#undef SELECT

lam_status
ref_prepare_elementwise (ref_step *s, const lam_function *f, const lam_equation *e)
{
  element_args *a;

  if (e->op < LAM_OP_add || e->op > LAM_OP_clamp)
    return LAM_E_UNSUPPORTED;
  a = calloc (1, sizeof *a);
  if (a == NULL)
    return LAM_E_NO_MEMORY;
  s->args = a;
  for (uint32_t k = 0; k < s->n_in; k++)
    a->scalar[k] = lam_type_elements (ref_in_type (s, k)) == 1;
  if (e->op == LAM_OP_compare) {
    a->direction = kit_direction (f, e);
    s->run = run_compare;
  } else if (e->op == LAM_OP_select) {
    s->run = run_select;
  } else if (e->op == LAM_OP_is_finite) {
    s->run = run_is_finite;
  } else {
    s->run = lam_dtype_is_float (ref_out_type (s)->dtype) ? run_float : run_int;
  }
  return LAM_OK;
}
