/* SPDX-License-Identifier: Apache-2.0 */
/* Equations over replicas: the calls they make, and what they are for one replica. */
#include <kit/collective.h>

#include <string.h>

kit_replica
kit_replica_of (const lam_host *host, const lam_exec_call *call, lam_error *error)
{
  kit_replica r = {host, NULL, error};

  if (LAM_HAS (call, lam_exec_call, collective))
    r.collective = call->collective;
  return r;
}

int32_t
kit_reduction (const lam_function *f, const lam_equation *e)
{
  const char *computation = lam_attr_str (f, e, "computation", "add");

  if (strcmp (computation, "maximum") == 0)
    return LAM_REDUCE_MAXIMUM;
  return strcmp (computation, "minimum") == 0 ? LAM_REDUCE_MINIMUM : LAM_REDUCE_ADD;
}

lam_status
kit_all_reduce (const kit_replica *r, lam_collective_call *call)
{
  call->struct_size = (uint32_t)sizeof *call;
  if (!kit_is_alone (r))
    return r->collective->all_reduce (r->collective->self, call, r->error);
  for (uint32_t i = 0; i < call->n; i++)
    if (call->out[i] != call->in[i])
      memcpy (call->out[i], call->in[i],
              (size_t)call->counts[i] * (lam_dtype_bits (call->dtypes[i]) / 8));
  return LAM_OK;
}

void
kit_read_all_gather (const lam_function *f, const lam_equation *e, kit_all_gather *out)
{
  const lam_type *x = lam_value_type (f, lam_operand (f, e, 0));

  out->dtype = x->dtype;
  out->count = lam_attr_int (f, e, "replica_count", 1);
  kit_split_axis (x, lam_attr_int (f, e, "all_gather_dimension", 0), &out->axis);
}

static uint64_t
element_size (const kit_all_gather *g)
{
  return lam_dtype_bits (g->dtype) / 8;
}

uint64_t
kit_all_gather_scratch (const kit_all_gather *g)
{
  bool lies_right = g->axis.outer <= 1 || g->count == 1;

  return lies_right ? 0
                    : (uint64_t)(g->axis.outer * g->axis.size * g->axis.inner * g->count)
                          * element_size (g);
}

/* (count, outer, row) to (outer, count, row). */
static void
interleave (const kit_all_gather *g, const char *in, char *out)
{
  size_t row = (size_t)(g->axis.size * g->axis.inner) * element_size (g);

  for (int64_t c = 0; c < g->count; c++)
    for (int64_t o = 0; o < g->axis.outer; o++)
      memcpy (out + (size_t)(o * g->count + c) * row, in + (size_t)(c * g->axis.outer + o) * row,
              row);
}

lam_status
kit_run_all_gather (const kit_replica *r, const kit_all_gather *g, const void *in, void *out,
                    void *scratch)
{
  uint64_t count = (uint64_t)(g->axis.outer * g->axis.size * g->axis.inner);
  uint32_t replicas = r->collective != NULL ? r->collective->size : 1;
  void *to = kit_all_gather_scratch (g) > 0 ? scratch : out;
  lam_collective_call call = {.struct_size = (uint32_t)sizeof call,
                              .n = 1,
                              .dtypes = &g->dtype,
                              .counts = &count,
                              .in = &in,
                              .out = &to};
  lam_status status;

  if (g->count != (int64_t)replicas)
    return kit_fail (r->host, r->error, LAM_E_INVALID,
                     "all_gather was traced for %lld replicas, but %u run: compile the step for as "
                     "many as there are",
                     (long long)g->count, replicas);
  if (replicas == 1) {
    memcpy (out, in, (size_t)count * element_size (g));
    return LAM_OK;
  }
  status = r->collective->all_gather (r->collective->self, &call, r->error);
  if (status == LAM_OK && to != out)
    interleave (g, scratch, out);
  return status;
}
