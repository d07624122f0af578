/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that move elements: views (broadcast, transpose, reverse, slice), pad, concatenate, iota, and
 * plain copies. Only the width of an element matters. */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* y[i * y_step] = x[i * x_step] for n elements of `width` bytes. */
static void
copy_line (uint32_t width, int64_t n, const void *x, int64_t x_step, void *y, int64_t y_step)
{
#define LINE(T)                                                                                    \
  for (int64_t i = 0; i < n; i++)                                                                  \
    ((T *)y)[i * y_step] = ((const T *)x)[i * x_step];                                             \
  break;
  switch (width) {
  case 8:
    LINE (uint64_t)
  case 4:
    LINE (uint32_t)
  case 2:
    LINE (uint16_t)
  default:
    LINE (uint8_t)
  }
#undef LINE
}

static uint32_t
width_of (const ref_step *s)
{
  return lam_dtype_bits (ref_out_type (s)->dtype) / 8;
}

static const char *
element (const void *data, int64_t at, uint32_t width)
{
  return (const char *)data + at * (int64_t)width;
}

/* --- views ------------------------------------------------------------------------------------ */

static void
run_view (const ref_step *s)
{
  const kit_view *v = s->args;
  uint32_t width = width_of (s);
  int32_t outer = v->rank > 0 ? v->rank - 1 : 0;
  int64_t n = v->rank > 0 ? v->dims[outer] : 1, step = v->rank > 0 ? v->strides[outer] : 0;
  int64_t index[LAM_MAX_RANK] = {0};
  char *y = ref_out (s, 0);

  if (n == 0)
    return;
  do {
    int64_t from = v->offset + kit_dot_index (outer, index, v->strides);
    copy_line (width, n, element (ref_in (s, 0), from, width), step, y, 1);
    y += n * (int64_t)width;
  } while (kit_next (outer, v->dims, index));
}

/* --- pad -------------------------------------------------------------------------------------- */

static void
run_pad (const ref_step *s)
{
  const kit_pad *p = s->args;
  const lam_type *out = ref_out_type (s);
  uint32_t width = width_of (s);
  int64_t counts[LAM_MAX_RANK], index[LAM_MAX_RANK] = {0};
  int64_t in_strides[LAM_MAX_RANK], out_strides[LAM_MAX_RANK];

  copy_line (width, lam_type_elements (out), ref_in (s, 1), 0, ref_out (s, 0), 1);
  kit_strides (p->rank, p->in_dims, in_strides);
  kit_strides (p->rank, p->out_dims, out_strides);
  for (int32_t k = 0; k < p->rank; k++)
    counts[k] = p->to[k] - p->from[k];
  if (kit_elements (p->rank, counts) == 0)
    return;
  do {
    int64_t from = 0, to = 0;
    for (int32_t k = 0; k < p->rank; k++) {
      int64_t i = p->from[k] + index[k];
      from += i * in_strides[k];
      to += (p->low[k] + i * p->step[k]) * out_strides[k];
    }
    memcpy ((char *)ref_out (s, 0) + to * (int64_t)width, element (ref_in (s, 0), from, width),
            width);
  } while (kit_next (p->rank, counts, index));
}

/* --- concatenate, iota, copies ------------------------------------------------------------------ */

static void
run_concatenate (const ref_step *s)
{
  int64_t axis = *(const int64_t *)s->args;
  uint32_t width = width_of (s);
  kit_axis whole, part;
  int64_t done = 0; /* of the axis */

  kit_split_axis (ref_out_type (s), axis, &whole);
  for (uint32_t k = 0; k < s->n_in; k++) {
    int64_t run;
    kit_split_axis (ref_in_type (s, k), axis, &part);
    run = part.size * part.inner;
    for (int64_t i = 0; i < whole.outer && run != 0; i++)
      memcpy ((char *)ref_out (s, 0) + (i * whole.size + done) * whole.inner * (int64_t)width,
              element (ref_in (s, k), i * run, width), (size_t)run * width);
    done += part.size;
  }
}

static void
run_iota (const ref_step *s)
{
  const lam_type *type = ref_out_type (s);
  int64_t at = 0;
  kit_axis a;

  kit_split_axis (type, *(const int64_t *)s->args, &a);
  for (int64_t o = 0; o < a.outer; o++)
    for (int64_t i = 0; i < a.size; i++) {
      double x = (double)i;
      for (int64_t k = 0; k < a.inner; k++, at++)
        if (lam_dtype_is_float (type->dtype))
          ref_store_float (type->dtype, ref_out (s, 0), at, 1, &x);
        else
          ref_store_int (type->dtype, ref_out (s, 0), at, 1, &i);
    }
}

/* optimization_barrier: result k is operand k. */
static void
run_copy (const ref_step *s)
{
  for (uint32_t k = 0; k < s->n_in; k++) {
    size_t bytes = (size_t)lam_type_bytes (ref_in_type (s, k));
    if (bytes != 0)
      memmove (ref_out (s, k), ref_in (s, k), bytes);
  }
}

/* --- preparing ---------------------------------------------------------------------------------- */

static lam_status
prepare_view (ref_step *s, const lam_function *f, const lam_equation *e)
{
  kit_view *v = calloc (1, sizeof *v);

  if (v == NULL)
    return LAM_E_NO_MEMORY;
  s->args = v;
  s->run = run_view;
  kit_view_of (f, e, v);
  kit_view_merge (v);
  return LAM_OK;
}

static lam_status
prepare_pad (ref_step *s, const lam_function *f, const lam_equation *e)
{
  kit_pad *p = calloc (1, sizeof *p);

  if (p == NULL)
    return LAM_E_NO_MEMORY;
  s->args = p;
  s->run = run_pad;
  kit_read_pad (f, e, p);
  return LAM_OK;
}

static lam_status
prepare_axis (ref_step *s, int64_t axis, ref_run run)
{
  int64_t *a = malloc (sizeof *a);

  if (a == NULL)
    return LAM_E_NO_MEMORY;
  *a = axis;
  s->args = a;
  s->run = run;
  return LAM_OK;
}

lam_status
ref_prepare_shape (ref_step *s, const lam_function *f, const lam_equation *e)
{
  switch (e->op) {
  case LAM_OP_broadcast_in_dim:
  case LAM_OP_transpose:
  case LAM_OP_reverse:
  case LAM_OP_slice:
    return prepare_view (s, f, e);
  case LAM_OP_pad:
    return prepare_pad (s, f, e);
  case LAM_OP_concatenate:
    return prepare_axis (s, lam_attr_int (f, e, "dimension", 0), run_concatenate);
  case LAM_OP_iota:
    return prepare_axis (s, lam_attr_int (f, e, "iota_dimension", 0), run_iota);
  case LAM_OP_reshape: /* these four stand in their operand's memory unless the plan says otherwise */
  case LAM_OP_bitcast_convert:
  case LAM_OP_name:
  case LAM_OP_stop_gradient:
  case LAM_OP_optimization_barrier:
    s->run = run_copy;
    return LAM_OK;
  default:
    return LAM_E_UNSUPPORTED;
  }
}
