/* SPDX-License-Identifier: Apache-2.0 */
/* From a function to steps: memory of an executable, buffers, and the walk over the equations. */
#include "cpu.h"

#include <stdlib.h>
#include <string.h>

/* --- memory ---------------------------------------------------------------------------------- */

void *
cpu_new (cpu_lower *l, uint64_t bytes)
{
  cpu_block *block = kit_alloc (64 + bytes); /* the payload stays 64-byte aligned */
  if (block == NULL) {
    l->no_memory = true;
    return NULL;
  }
  memset (block, 0, 64 + bytes);
  block->next = l->x->blocks;
  l->x->blocks = block;
  return (char *)block + 64;
}

static bool
grow (cpu_lower *l, void **array, uint32_t *cap, uint32_t n, size_t size)
{
  if (n < *cap)
    return true;
  uint32_t wanted = *cap == 0 ? 64 : *cap * 2;
  void *bigger = realloc (*array, wanted * size);
  if (bigger == NULL) {
    l->no_memory = true;
    return false;
  }
  *array = bigger;
  *cap = wanted;
  return true;
}

uint32_t
cpu_add_buf (cpu_lower *l, cpu_buf_kind kind, uint64_t bytes, uint32_t value)
{
  lam_exec *x = l->x;
  if (!grow (l, (void **)&x->bufs, &x->cap_bufs, x->n_bufs, sizeof *x->bufs))
    return 0;
  cpu_buf *b = &x->bufs[x->n_bufs];
  memset (b, 0, sizeof *b);
  b->kind = kind;
  b->bytes = bytes;
  b->value = value;
  b->output = b->shares = CPU_NONE;
  b->first = CPU_NONE; /* not written yet */
  b->offset = KIT_NOWHERE;
  return x->n_bufs++;
}

/* --- steps ----------------------------------------------------------------------------------- */

cpu_step *
cpu_add_step (cpu_lower *l, cpu_step_fn run, uint32_t n_in, uint32_t n_out, uint64_t geo_bytes)
{
  lam_exec *x = l->x;
  if (!grow (l, (void **)&x->steps, &x->cap_steps, x->n_steps, sizeof *x->steps))
    return NULL;
  cpu_view *views = cpu_new (l, (uint64_t)(n_in + n_out) * sizeof (cpu_view));
  void *geo = geo_bytes > 0 ? cpu_new (l, geo_bytes) : NULL;
  if (l->no_memory)
    return NULL;
  cpu_step *s = &x->steps[x->n_steps++];
  *s = (cpu_step) {.run = run,
                   .equation = l->equation,
                   .n_in = n_in,
                   .n_out = n_out,
                   .scratch = CPU_NONE,
                   .views = views,
                   .geo = geo};
  return s;
}

void
cpu_set_scratch (cpu_lower *l, cpu_step *s, uint64_t bytes)
{
  if (bytes > 0)
    s->scratch = cpu_add_buf (l, CPU_TEMP, bytes, l->x->bufs[s->views[s->n_in].buffer].value);
}

/* --- values ---------------------------------------------------------------------------------- */

bool
cpu_is_dense (const cpu_view *view)
{
  kit_view v = view->v;
  if (v.offset != 0)
    return false;
  kit_view_merge (&v);
  return v.rank == 0 || kit_elements (v.rank, v.dims) <= 1 || (v.rank == 1 && v.strides[0] == 1);
}

static cpu_view
new_value (cpu_lower *l, const lam_type *type, uint32_t value)
{
  cpu_view view = {.dtype = type->dtype};
  view.buffer = cpu_add_buf (l, CPU_TEMP, (uint64_t)lam_type_bytes (type), value);
  kit_view_dense (type, &view.v);
  return view;
}

cpu_view
cpu_result (cpu_lower *l, const lam_equation *e, uint32_t r)
{
  uint32_t value = e->first_result + r;
  l->views[value] = new_value (l, lam_value_type (l->f, value), value);
  return l->views[value];
}

cpu_view
cpu_operand (cpu_lower *l, const lam_equation *e, uint32_t k)
{
  return l->views[lam_operand (l->f, e, k)];
}

cpu_view
cpu_materialise (cpu_lower *l, cpu_view src, uint32_t value)
{
  lam_type type = {.dtype = src.dtype, .rank = src.v.rank};
  memcpy (type.dims, src.v.dims, sizeof type.dims);
  cpu_view dst = new_value (l, &type, value);
  cpu_add_copy (l, &dst, &src);
  return dst;
}

cpu_view
cpu_temporary (cpu_lower *l, const cpu_view *like, lam_dtype dtype)
{
  lam_type type = {.dtype = dtype, .rank = like->v.rank};
  memcpy (type.dims, like->v.dims, sizeof type.dims);
  return new_value (l, &type, l->no_memory ? 0 : l->x->bufs[like->buffer].value);
}

/* The copy replaces the view, so that later readers share it. */
cpu_view
cpu_dense_operand (cpu_lower *l, const lam_equation *e, uint32_t k)
{
  uint32_t value = lam_operand (l->f, e, k);
  cpu_view *view = &l->views[value];
  if (!cpu_is_dense (view))
    *view = cpu_materialise (l, *view, value);
  return *view;
}

/* --- the walk -------------------------------------------------------------------------------- */

static cpu_lower_fn
lowering (const lam_equation *e)
{
  switch (e->op) {
  case LAM_OP_constant:
    return cpu_lower_constant;
  case LAM_OP_iota:
    return cpu_lower_iota;
  case LAM_OP_broadcast_in_dim:
  case LAM_OP_reshape:
  case LAM_OP_transpose:
  case LAM_OP_reverse:
  case LAM_OP_slice:
    return cpu_lower_view;
  case LAM_OP_bitcast_convert:
  case LAM_OP_name:
  case LAM_OP_stop_gradient:
  case LAM_OP_optimization_barrier:
    return cpu_lower_same;
  case LAM_OP_pad:
    return cpu_lower_pad;
  case LAM_OP_concatenate:
    return cpu_lower_concatenate;
  case LAM_OP_gather:
    return cpu_lower_gather;
  case LAM_OP_scatter:
    return cpu_lower_scatter;
  case LAM_OP_reduce:
    return cpu_lower_reduce;
  case LAM_OP_reduce_window:
  case LAM_OP_reduce_window_arg:
    return cpu_lower_window;
  case LAM_OP_argmax:
  case LAM_OP_argmin:
    return cpu_lower_arg;
  case LAM_OP_dot_general:
    return cpu_lower_dot;
  case LAM_OP_convolution:
    return cpu_lower_conv;
  case LAM_OP_dynamic_slice:
  case LAM_OP_dynamic_update_slice:
    return cpu_lower_dynamic;
  case LAM_OP_sort:
  case LAM_OP_top_k:
    return cpu_lower_order;
  case LAM_OP_cumsum:
    return cpu_lower_cumsum;
  case LAM_OP_reduce_precision:
    return cpu_lower_precision;
  case LAM_OP_all_reduce:
    return cpu_lower_all_reduce;
  case LAM_OP_all_gather:
    return cpu_lower_all_gather;
  case LAM_OP_axis_index:
    return cpu_lower_axis_index;
  default:
    return cpu_lower_elementwise;
  }
}

/* Result o as a buffer of its own: what is a parameter, a constant, a view or given out twice is
 * copied by a step. */
static void
lower_output (cpu_lower *l, const lam_compile_options *options, uint32_t o)
{
  lam_exec *x = l->x;
  cpu_view view = l->views[l->f->results[o]];
  const cpu_buf *b = &x->bufs[view.buffer];
  uint64_t bytes = (uint64_t)(cpu_count (&view) * cpu_size (view.dtype));
  for (uint32_t a = 0; options != NULL && a < options->n_aliases; a++)
    if (options->aliases[a].output == o && b->kind == CPU_INPUT
        && options->aliases[a].input == b->binding && cpu_is_dense (&view))
      return; /* it is there already */
  if (b->kind != CPU_TEMP || b->output != CPU_NONE || b->bytes != bytes || !cpu_is_dense (&view))
    view = cpu_materialise (l, view, l->f->results[o]);
  if (!l->no_memory)
    x->bufs[view.buffer].output = o;
}

bool
cpu_lower_function (cpu_lower *l, const lam_compile_options *options)
{
  const lam_function *f = l->f;
  for (uint32_t i = 0; i < f->n_params; i++) {
    l->views[i] = new_value (l, lam_value_type (f, i), i);
    if (l->no_memory)
      return false;
    cpu_buf *b = &l->x->bufs[l->views[i].buffer];
    b->kind = CPU_INPUT;
    b->binding = i;
    b->first = 0;
  }
  for (l->equation = 0; l->equation < f->n_equations && !l->no_memory; l->equation++) {
    const lam_equation *e = lam_equation_at (f, l->equation);
    cpu_lower_waits (l, e);
    lowering (e) (l, e);
  }
  cpu_lower_waits (l, NULL);
  for (uint32_t o = 0; o < f->n_results && !l->no_memory; o++)
    lower_output (l, options, o);
  return !l->no_memory && cpu_plan (l, options);
}
