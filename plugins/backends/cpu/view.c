/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that only look at their operand in another way make no step: their result is a strided view,
 * which every reader either walks as it is or asks to have copied. Also constants and iota. */
#include "cpu.h"

#include <string.h>

static void
transpose (const lam_function *f, const lam_equation *e, const kit_view *in, kit_view *out)
{
  uint64_t n;
  const int64_t *permutation = lam_attr_ints (f, e, "permutation", &n);
  for (uint64_t i = 0; i < n; i++)
    out->strides[i] = in->strides[permutation[i]];
}

static void
broadcast (const lam_function *f, const lam_equation *e, const kit_view *in, kit_view *out)
{
  uint64_t n;
  const int64_t *axes = lam_attr_ints (f, e, "broadcast_dimensions", &n);
  memset (out->strides, 0, sizeof out->strides);
  for (uint64_t i = 0; i < n; i++)
    out->strides[axes[i]] = in->dims[i] == 1 ? 0 : in->strides[i];
}

static void
reverse (const lam_function *f, const lam_equation *e, kit_view *out)
{
  uint64_t n;
  const int64_t *axes = lam_attr_ints (f, e, "dimensions", &n);
  for (uint64_t i = 0; i < n; i++) {
    if (out->dims[axes[i]] == 0)
      continue;
    out->offset += (out->dims[axes[i]] - 1) * out->strides[axes[i]];
    out->strides[axes[i]] *= -1;
  }
}

static void
slice (const lam_function *f, const lam_equation *e, kit_view *out)
{
  uint64_t n, n_strides;
  const int64_t *start = lam_attr_ints (f, e, "start_indices", &n);
  const int64_t *strides = lam_attr_ints (f, e, "strides", &n_strides);
  for (uint64_t i = 0; i < n; i++) {
    out->offset += start[i] * out->strides[i];
    if (n_strides > 0)
      out->strides[i] *= strides[i];
  }
}

void
cpu_lower_view (cpu_lower *l, const lam_equation *e)
{
  const lam_type *type = lam_value_type (l->f, e->first_result);
  cpu_view in = e->op == LAM_OP_reshape ? cpu_dense_operand (l, e, 0) : cpu_operand (l, e, 0);
  cpu_view out = in;
  out.v.rank = type->rank;
  memcpy (out.v.dims, type->dims, sizeof out.v.dims);
  switch (e->op) {
  case LAM_OP_transpose:
    transpose (l->f, e, &in.v, &out.v);
    break;
  case LAM_OP_broadcast_in_dim:
    broadcast (l->f, e, &in.v, &out.v);
    break;
  case LAM_OP_reverse:
    reverse (l->f, e, &out.v);
    break;
  case LAM_OP_slice:
    slice (l->f, e, &out.v);
    break;
  default: /* reshape */
    kit_view_dense (type, &out.v);
  }
  l->views[e->first_result] = out;
}

/* The same bits under the result's dtype. */
void
cpu_lower_same (cpu_lower *l, const lam_equation *e)
{
  for (uint32_t r = 0; r < e->n_results; r++) {
    l->views[e->first_result + r] = cpu_operand (l, e, r);
    l->views[e->first_result + r].dtype = lam_value_type (l->f, e->first_result + r)->dtype;
  }
}

/* A splat keeps one element and is read with strides of 0. */
void
cpu_lower_constant (cpu_lower *l, const lam_equation *e)
{
  const lam_type *type = lam_value_type (l->f, e->first_result);
  const lam_attr *value = lam_find_attr (l->f, e, "value");
  cpu_view view = {.dtype = type->dtype};
  void *data = cpu_new (l, value->n);
  if (data == NULL)
    return;
  if (value->n > 0) /* an empty list has no data */
    memcpy (data, value->data, value->n);
  view.buffer = cpu_add_buf (l, CPU_CONST, value->n, e->first_result);
  if (l->no_memory)
    return;
  l->x->bufs[view.buffer].data = data;
  l->x->bufs[view.buffer].first = 0;
  kit_view_dense (type, &view.v);
  if (lam_type_elements (type) != 1 && value->n == (uint64_t)cpu_size (type->dtype))
    memset (view.v.strides, 0, sizeof view.v.strides);
  l->views[e->first_result] = view;
}

/* Counts as a dense vector in the wanted dtype; the other axes repeat it. */
void
cpu_lower_iota (cpu_lower *l, const lam_equation *e)
{
  const lam_type *type = lam_value_type (l->f, e->first_result);
  int64_t axis = lam_attr_int (l->f, e, "iota_dimension", 0), n = type->dims[axis];
  cpu_loop convert = cpu_find_loop (l->backend->isa, LAM_OP_convert, LAM_I64, type->dtype);
  int64_t *counts = cpu_new (l, (uint64_t)n * 8);
  void *data = cpu_new (l, (uint64_t)(n * cpu_size (type->dtype)));
  cpu_view view = {.dtype = type->dtype};
  if (l->no_memory)
    return;
  for (int64_t i = 0; i < n; i++)
    counts[i] = i;
  convert (n, &data, (const void *const *)&counts);
  view.buffer = cpu_add_buf (l, CPU_CONST, (uint64_t)(n * cpu_size (type->dtype)), e->first_result);
  if (l->no_memory)
    return;
  l->x->bufs[view.buffer].data = data;
  l->x->bufs[view.buffer].first = 0;
  kit_view_dense (type, &view.v);
  for (int32_t i = 0; i < view.v.rank; i++)
    view.v.strides[i] = i == axis ? 1 : 0;
  l->views[e->first_result] = view;
}
