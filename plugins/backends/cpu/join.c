/* SPDX-License-Identifier: Apache-2.0 */
/* pad and concatenate: copies of the operands into parts of the result. */
#include "cpu.h"

#include <string.h>

void
cpu_lower_pad (cpu_lower *l, const lam_equation *e)
{
  kit_pad p;
  cpu_view in = cpu_operand (l, e, 0), fill = cpu_operand (l, e, 1), out = cpu_result (l, e, 0);
  if (l->no_memory || cpu_count (&out) == 0)
    return;
  kit_read_pad (l->f, e, &p);
  cpu_view part = out; /* where the operand lands */
  for (int32_t k = 0; k < p.rank; k++) {
    int64_t n = p.to[k] > p.from[k] ? p.to[k] - p.from[k] : 0;
    in.v.offset += p.from[k] * in.v.strides[k];
    part.v.offset += (p.low[k] + p.from[k] * p.step[k]) * out.v.strides[k];
    part.v.strides[k] = out.v.strides[k] * p.step[k];
    in.v.dims[k] = part.v.dims[k] = n;
  }
  if (cpu_count (&part) < cpu_count (&out)) {
    int64_t offset = fill.v.offset;
    fill.v = out.v;
    fill.v.offset = offset;
    memset (fill.v.strides, 0, sizeof fill.v.strides);
    cpu_add_copy (l, &out, &fill);
  }
  cpu_add_copy (l, &part, &in);
}

void
cpu_lower_concatenate (cpu_lower *l, const lam_equation *e)
{
  int64_t axis = lam_attr_int (l->f, e, "dimension", 0);
  cpu_view out = cpu_result (l, e, 0), part = out;
  for (uint32_t k = 0; k < e->n_operands && !l->no_memory; k++) {
    cpu_view in = cpu_operand (l, e, k);
    part.v.dims[axis] = in.v.dims[axis];
    cpu_add_copy (l, &part, &in);
    part.v.offset += in.v.dims[axis] * out.v.strides[axis];
  }
}
