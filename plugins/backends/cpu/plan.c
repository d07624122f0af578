/* SPDX-License-Identifier: Apache-2.0 */
/* Lifetimes of buffers counted in steps, operands overwritten where they die, donated state written
 * in place, and the slab. */
#include "cpu.h"

#include <stdlib.h>
#include <string.h>

static void
touch (lam_exec *x, uint32_t buffer, uint32_t step)
{
  cpu_buf *b = &x->bufs[buffer];
  if (b->first == CPU_NONE)
    b->first = step;
  b->last = step;
  if (!x->steps[step].waits)
    b->read_last = step;
}

static void
lifetimes (lam_exec *x)
{
  for (uint32_t i = 0; i < x->n_steps; i++) {
    const cpu_step *s = &x->steps[i];
    for (uint32_t k = 0; k < s->n_in + s->n_out; k++)
      touch (x, s->views[k].buffer, i);
    if (s->scratch != CPU_NONE)
      touch (x, s->scratch, i);
  }
  for (uint32_t b = 0; b < x->n_bufs; b++) {
    if (x->bufs[b].first == CPU_NONE) /* no elements, never touched */
      x->bufs[b].first = x->bufs[b].last = 0;
    if (x->bufs[b].output != CPU_NONE)
      x->bufs[b].last = x->bufs[b].read_last = x->n_steps;
  }
}

/* True if step s may write its result over the memory of `buffer`: every reading of it in this step
 * runs along with the writing. */
static bool
overwrites (const cpu_step *s, uint32_t buffer)
{
  bool found = false;
  for (uint32_t k = 0; k < s->n_in; k++) {
    if (s->views[k].buffer != buffer)
      continue;
    if ((s->in_place & 1u << k) == 0)
      return false;
    found = true;
  }
  return found;
}

static bool
appears_once (const cpu_step *s, uint32_t buffer)
{
  uint32_t n = 0;
  for (uint32_t k = 0; k < s->n_in; k++)
    n += s->views[k].buffer == buffer;
  return n == 1;
}

/* Each result takes over its own operand, if nobody else reads it from here on. */
static void
share_pairs (lam_exec *x, uint32_t step)
{
  const cpu_step *s = &x->steps[step];
  for (uint32_t k = 0; k < s->n_out; k++) {
    const cpu_buf *in = &x->bufs[s->views[k].buffer];
    cpu_buf *out = &x->bufs[s->views[s->n_in + k].buffer];
    if (in->kind == CPU_TEMP && !in->direct && in->read_last == step && !out->direct
        && in->bytes == out->bytes && appears_once (s, s->views[k].buffer))
      out->shares = s->views[k].buffer;
  }
}

/* A temporary result takes over an operand that dies. */
static void
share (lam_exec *x, uint32_t step)
{
  const cpu_step *s = &x->steps[step];
  if (s->pairwise)
    share_pairs (x, step);
  if (s->in_place == 0)
    return;
  cpu_buf *out = &x->bufs[s->views[s->n_in].buffer];
  if (out->direct || out->first != step)
    return;
  for (uint32_t k = 0; k < s->n_in; k++) {
    const cpu_buf *in = &x->bufs[s->views[k].buffer];
    if (in->kind == CPU_TEMP && !in->direct && in->last == step && in->bytes == out->bytes
        && overwrites (s, s->views[k].buffer)) {
      out->shares = s->views[k].buffer;
      return;
    }
  }
}

static uint32_t
donor (const lam_compile_options *options, uint32_t output)
{
  for (uint32_t i = 0; options != NULL && i < options->n_aliases; i++)
    if (options->aliases[i].output == output)
      return options->aliases[i].input;
  return CPU_NONE;
}

/* Decides for each result whether it is written where the caller wants it: always when the output is
 * memory of its own; over a donated input only after the last reading of that input. */
static bool
place_outputs (cpu_lower *l, const lam_compile_options *options)
{
  lam_exec *x = l->x;
  uint32_t *dying = calloc ((size_t)l->f->n_params + 1, sizeof *dying); /* buffer of each input */
  x->copies = cpu_new (l, (uint64_t)x->n_out * sizeof *x->copies);
  if (dying == NULL || x->copies == NULL) {
    free (dying);
    return false;
  }
  for (uint32_t b = 0; b < x->n_bufs; b++)
    if (x->bufs[b].kind == CPU_INPUT)
      dying[x->bufs[b].binding] = b;
  for (uint32_t b = 0; b < x->n_bufs; b++) {
    cpu_buf *out = &x->bufs[b];
    if (out->output == CPU_NONE)
      continue;
    uint32_t input = donor (options, out->output);
    out->direct = true;
    if (input != CPU_NONE) {
      const cpu_buf *in = &x->bufs[dying[input]];
      bool along = out->first < x->n_steps && in->last == out->first
                   && overwrites (&x->steps[out->first], dying[input])
                   && x->steps[out->first].views[x->steps[out->first].n_in].buffer == b;
      out->direct = in->last < out->first || along;
    }
    if (!out->direct)
      x->copies[x->n_copies++] = b;
  }
  free (dying);
  return true;
}

/* An input that no step reads counts as read before the first step. */
static bool
plan_slab (lam_exec *x)
{
  kit_piece *pieces = calloc ((size_t)x->n_bufs + 1, sizeof *pieces);
  if (pieces == NULL)
    return false;
  for (uint32_t i = 0; i < x->n_bufs; i++) {
    const cpu_buf *b = &x->bufs[i];
    bool in_slab = b->kind == CPU_TEMP && !b->direct;
    pieces[i].bytes = in_slab ? b->bytes : 0;
    pieces[i].first = b->first;
    pieces[i].last = b->last;
    pieces[i].shares = b->shares == CPU_NONE ? -1 : (int32_t)b->shares;
  }
  bool ok = kit_slab_plan (pieces, x->n_bufs, &x->slab_bytes) == LAM_OK;
  for (uint32_t i = 0; i < x->n_bufs; i++)
    if (x->bufs[i].kind == CPU_TEMP && !x->bufs[i].direct)
      x->bufs[i].offset = pieces[i].offset;
  free (pieces);
  return ok;
}

bool
cpu_plan (cpu_lower *l, const lam_compile_options *options)
{
  lam_exec *x = l->x;
  lifetimes (x);
  if (!place_outputs (l, options))
    return false;
  for (uint32_t i = 0; i < x->n_steps; i++)
    share (x, i);
  x->ptr = cpu_new (l, (uint64_t)x->n_bufs * sizeof *x->ptr);
  if (x->ptr == NULL || !plan_slab (x))
    return false;
  x->slab = kit_alloc (x->slab_bytes);
  if (x->slab == NULL)
    return false;
  for (uint32_t i = 0; i < x->n_bufs; i++) {
    const cpu_buf *b = &x->bufs[i];
    if (b->kind == CPU_CONST)
      x->ptr[i] = b->data;
    else if (b->kind == CPU_TEMP && !b->direct)
      x->ptr[i] = (char *)x->slab + b->offset;
  }
  return true;
}

/* Steps are told as the equations they come from; the end of the last step is past them. */
static uint32_t
equation_of (const lam_exec *x, uint32_t step)
{
  if (x->n_steps == 0)
    return 0;
  return step < x->n_steps ? x->steps[step].equation : x->steps[x->n_steps - 1].equation + 1;
}

uint64_t
cpu_exec_plan (const lam_exec *x, void (*each) (void *ctx, const lam_plan_buffer *buffer),
               void *ctx)
{
  for (uint32_t i = 0; i < x->n_bufs; i++) {
    const cpu_buf *b = &x->bufs[i];
    bool shares = b->shares != CPU_NONE;
    lam_plan_buffer out = {
        .struct_size = sizeof out,
        .value = b->value,
        .first = equation_of (x, b->first),
        .last = equation_of (x, b->last),
        .offset = b->offset,
        .bytes = b->bytes,
        .shares = shares ? (int32_t)x->bufs[b->shares].value : -1,
        .kind = b->kind == CPU_INPUT   ? LAM_PLAN_INPUT
                : b->kind == CPU_CONST ? LAM_PLAN_CONSTANT
                : b->direct            ? LAM_PLAN_OUTPUT
                                       : LAM_PLAN_TEMPORARY,
    };
    each (ctx, &out);
  }
  return x->slab_bytes;
}
