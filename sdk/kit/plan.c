/* SPDX-License-Identifier: Apache-2.0 */
/* Decides where each value lives and what is copied at the end. */
#include <kit/plan.h>

#include <stdlib.h>
#include <string.h>

/* What the steps below share. */
typedef struct work {
  kit_plan *plan;
  const lam_function *f;
  const lam_alias *aliases;
  uint32_t n_aliases, flags;
  const bool *elided;
  kit_life *lives;      /* [n_values] */
  uint32_t *definition; /* [n_values] equation that defines it; n_equations for a parameter */
  uint32_t *donor;      /* [n_results] input whose memory the output is, or UINT32_MAX */
  bool *donated;        /* [n_params] */
  kit_piece *pieces;    /* [n_values + n_results]; the later ones for results set aside */
  uint32_t *piece_of;   /* [n_values] or UINT32_MAX */
  uint32_t n_pieces;
} work;

static void
work_clear (work *w)
{
  free (w->lives);
  free (w->definition);
  free (w->donor);
  free (w->donated);
  free (w->pieces);
  free (w->piece_of);
}

static bool
work_init (work *w)
{
  const lam_function *f = w->f;
  size_t values = (size_t)f->n_values + 1, results = (size_t)f->n_results + 1;

  w->lives = (kit_life *)calloc (values, sizeof *w->lives);
  w->definition = (uint32_t *)malloc (values * sizeof *w->definition);
  w->donor = (uint32_t *)malloc (results * sizeof *w->donor);
  w->donated = (bool *)calloc ((size_t)f->n_params + 1, sizeof *w->donated);
  w->pieces = (kit_piece *)calloc (values + results, sizeof *w->pieces);
  w->piece_of = (uint32_t *)malloc (values * sizeof *w->piece_of);
  if (w->lives == NULL || w->definition == NULL || w->donor == NULL || w->donated == NULL
      || w->pieces == NULL || w->piece_of == NULL)
    return false;
  kit_liveness (f, w->lives);
  for (uint32_t v = 0; v < f->n_values; v++) {
    w->definition[v] = f->n_equations;
    w->piece_of[v] = UINT32_MAX;
  }
  for (uint32_t i = 0; i < f->n_equations; i++) {
    const lam_equation *e = lam_equation_at (f, i);
    for (uint32_t k = 0; k < e->n_results; k++)
      w->definition[e->first_result + k] = i;
  }
  for (uint32_t o = 0; o < f->n_results; o++)
    w->donor[o] = UINT32_MAX;
  for (uint32_t a = 0; a < w->n_aliases; a++) {
    w->donor[w->aliases[a].output] = w->aliases[a].input;
    w->donated[w->aliases[a].input] = true;
  }
  return true;
}

/* An alias (reshape ...) keeps its operand's memory alive: the operand's life is stretched over it. */
static void
stretch_lives (work *w)
{
  const lam_function *f = w->f;

  for (uint32_t i = f->n_equations; i-- > 0;) {
    const lam_equation *e = lam_equation_at (f, i);
    if (kit_is_alias (e)) {
      kit_life *in = &w->lives[lam_operand (f, e, 0)];
      if (in->last < w->lives[e->first_result].last)
        in->last = w->lives[e->first_result].last;
    }
  }
}

/* True if result v, defined by equation i, may be written into output o as soon as it is computed. */
static bool
may_be_direct (const work *w, uint32_t v, uint32_t i, uint32_t o)
{
  const lam_equation *e;
  uint32_t input = w->donor[o];

  if (input == UINT32_MAX || w->lives[input].last < i)
    return true;
  if (w->lives[input].last > i || w->lives[input].uses == 0)
    return w->lives[input].uses == 0;
  e = lam_equation_at (w->f, i); /* read for the last time while v is written */
  for (uint32_t k = 0; k < e->n_operands; k++) {
    uint32_t operand = lam_operand (w->f, e, k);
    if (w->plan->places[operand].where == KIT_IN_INPUT && w->plan->places[operand].binding == input
        && !kit_in_place (w->f, e, k))
      return false;
  }
  return v >= w->f->n_params;
}

static void
place_direct (work *w)
{
  const lam_function *f = w->f;

  for (uint32_t o = 0; (w->flags & KIT_PLAN_DIRECT) != 0 && o < f->n_results; o++) {
    uint32_t v = f->results[o], i = w->definition[v];
    kit_place *place = &w->plan->places[v];
    const lam_equation *e;
    if (i == f->n_equations || place->where != KIT_IN_SLAB)
      continue;
    e = lam_equation_at (f, i);
    if (kit_is_alias (e) || e->op == LAM_OP_constant || !may_be_direct (w, v, i, o))
      continue;
    place->where = KIT_IN_OUTPUT;
    place->binding = o;
    place->offset = KIT_NOWHERE;
  }
}

/* Bindings, constants, elided values, aliases of what is not in the slab; all else stays KIT_IN_SLAB. */
static void
place_fixed (work *w)
{
  const lam_function *f = w->f;
  kit_plan *plan = w->plan;

  for (uint32_t v = 0; v < f->n_values; v++) {
    kit_place *p = &plan->places[v];
    *p = (kit_place) {
        KIT_IN_SLAB,      0, 0, (uint64_t)lam_type_bytes (lam_value_type (f, v)), w->lives[v].first,
        w->lives[v].last, -1};
    if (v < f->n_params) {
      p->where = KIT_IN_INPUT;
      p->binding = v;
      p->offset = KIT_NOWHERE;
    }
  }
  for (uint32_t i = 0; i < f->n_equations; i++) {
    const lam_equation *e = lam_equation_at (f, i);
    kit_place *p = &plan->places[e->first_result];
    for (uint32_t k = 0; w->elided != NULL && k < e->n_results; k++)
      if (w->elided[e->first_result + k])
        p[k].where = KIT_IN_NOTHING;
    if (p->where == KIT_IN_NOTHING) {
      p->offset = KIT_NOWHERE;
    } else if (e->op == LAM_OP_constant) {
      p->where = KIT_IN_CONSTANT;
      p->offset = plan->constant_bytes;
      plan->constant_bytes += (p->bytes + KIT_SLAB_ALIGN - 1) / KIT_SLAB_ALIGN * KIT_SLAB_ALIGN;
    } else if (kit_is_alias (e)) {
      const kit_place *in = &plan->places[lam_operand (f, e, 0)];
      if (in->where == KIT_IN_NOTHING)
        continue; /* nothing to stand on: it gets memory of its own */
      p->where = in->where;
      p->binding = in->binding;
      p->offset = in->offset;
      p->shares = (int32_t)lam_operand (f, e, 0);
    }
  }
}

/* An alias of a value that went to an output binding follows it. */
static void
follow_direct (work *w)
{
  for (uint32_t v = w->f->n_params; v < w->f->n_values; v++) {
    kit_place *p = &w->plan->places[v];
    if (p->where == KIT_IN_SLAB && p->shares >= 0
        && w->plan->places[p->shares].where == KIT_IN_OUTPUT) {
      p->where = KIT_IN_OUTPUT;
      p->binding = w->plan->places[p->shares].binding;
      p->offset = KIT_NOWHERE;
    }
  }
}

/* Takes over the memory of an operand that dies at equation i. */
static int32_t
dying_in_slab (const work *w, uint32_t i)
{
  int32_t k = kit_dying_operand (w->f, w->lives, i);
  const lam_equation *e = lam_equation_at (w->f, i);
  uint32_t v;

  if (k < 0)
    return -1;
  for (uint32_t n = (uint32_t)k; n < e->n_operands; n++) {
    v = lam_operand (w->f, e, n);
    if (w->plan->places[v].where == KIT_IN_SLAB && w->lives[v].last == i
        && kit_in_place (w->f, e, n) && w->piece_of[v] != UINT32_MAX)
      return (int32_t)v;
  }
  return -1;
}

/* The value whose memory an alias chain ends in. */
static uint32_t
base_of (const work *w, uint32_t v)
{
  while (w->plan->places[v].shares >= 0 && kit_is_alias (lam_equation_at (w->f, w->definition[v])))
    v = (uint32_t)w->plan->places[v].shares;
  return v;
}

/* An alias dies when its base does: only then is the memory free to be taken over. */
static bool
base_dies (const work *w, int32_t v, uint32_t i)
{
  return v >= 0 && w->lives[base_of (w, (uint32_t)v)].last == i;
}

static void
make_pieces (work *w)
{
  const lam_function *f = w->f;

  for (uint32_t v = f->n_params; v < f->n_values; v++) {
    kit_place *p = &w->plan->places[v];
    kit_piece *piece = &w->pieces[w->n_pieces];
    uint32_t i = w->definition[v];
    if (p->where != KIT_IN_SLAB)
      continue;
    if (p->shares < 0) {
      int32_t dying = dying_in_slab (w, i);
      p->shares = base_dies (w, dying, i) ? dying : -1;
    }
    *piece = (kit_piece) {p->bytes, p->first, p->last, -1, 0};
    if (p->shares >= 0)
      piece->shares = (int32_t)w->piece_of[p->shares];
    w->piece_of[v] = w->n_pieces++;
  }
}

/* Results that are not in their output yet; those that stand in an input which some output overwrites
 * are set aside first. */
static void
make_copies (work *w)
{
  const lam_function *f = w->f;
  kit_plan *plan = w->plan;

  for (uint32_t o = 0; o < f->n_results; o++) {
    uint32_t v = f->results[o];
    const kit_place *p = &plan->places[v];
    kit_copy *copy = &plan->copies[plan->n_copies];
    if (p->where == KIT_IN_OUTPUT && p->binding == o)
      continue;
    if (p->where == KIT_IN_INPUT && w->donor[o] == p->binding)
      continue;
    *copy = (kit_copy) {v, o, KIT_NOWHERE};
    if (p->where == KIT_IN_INPUT && w->donated[p->binding]) {
      w->pieces[w->n_pieces] = (kit_piece) {p->bytes, f->n_equations, f->n_equations, -1, 0};
      copy->staged = w->n_pieces++; /* a piece number until offsets are known */
    }
    plan->n_copies++;
  }
}

static void
take_offsets (work *w)
{
  kit_plan *plan = w->plan;

  for (uint32_t v = 0; v < w->f->n_values; v++)
    if (w->piece_of[v] != UINT32_MAX)
      plan->places[v].offset = w->pieces[w->piece_of[v]].offset;
  for (uint32_t c = 0; c < plan->n_copies; c++)
    if (plan->copies[c].staged != KIT_NOWHERE)
      plan->copies[c].staged = w->pieces[plan->copies[c].staged].offset;
}

static lam_status
fill_constants (work *w)
{
  const lam_function *f = w->f;
  kit_plan *plan = w->plan;

  plan->constants = aligned_alloc (KIT_SLAB_ALIGN, (size_t)plan->constant_bytes + KIT_SLAB_ALIGN);
  if (plan->constants == NULL)
    return LAM_E_NO_MEMORY;
  for (uint32_t i = 0; i < f->n_equations; i++) {
    const lam_equation *e = lam_equation_at (f, i);
    const kit_place *p = &plan->places[e->first_result];
    const lam_attr *value = lam_find_attr (f, e, "value");
    if (e->op != LAM_OP_constant || p->where != KIT_IN_CONSTANT || p->bytes == 0 || value == NULL)
      continue;
    for (uint64_t at = 0; value->n != 0 && at < p->bytes; at += value->n)
      memcpy ((char *)plan->constants + p->offset + at, value->data, (size_t)value->n);
  }
  return LAM_OK;
}

static lam_status
run_steps (work *w)
{
  kit_plan *plan = w->plan;
  lam_status status;

  plan->places = (kit_place *)calloc ((size_t)w->f->n_values + 1, sizeof *plan->places);
  plan->copies = (kit_copy *)calloc ((size_t)w->f->n_results + 1, sizeof *plan->copies);
  if (plan->places == NULL || plan->copies == NULL || !work_init (w))
    return LAM_E_NO_MEMORY;
  plan->n_values = w->f->n_values;
  stretch_lives (w);
  place_fixed (w);
  place_direct (w);
  follow_direct (w);
  make_pieces (w);
  make_copies (w);
  status = kit_slab_plan (w->pieces, w->n_pieces, &plan->slab_bytes);
  take_offsets (w);
  return status == LAM_OK ? fill_constants (w) : status;
}

lam_status
kit_plan_init (kit_plan *out, const lam_function *f, const lam_compile_options *options,
               uint32_t flags, const bool *elided)
{
  work w;
  lam_status status;

  memset (out, 0, sizeof *out);
  memset (&w, 0, sizeof w);
  w.plan = out;
  w.f = f;
  w.flags = flags;
  w.elided = elided;
  w.aliases = options != NULL ? options->aliases : NULL;
  w.n_aliases = options != NULL ? options->n_aliases : 0;
  status = run_steps (&w);
  work_clear (&w);
  if (status != LAM_OK)
    kit_plan_clear (out);
  return status;
}

void
kit_plan_clear (kit_plan *plan)
{
  free (plan->places);
  free (plan->copies);
  free (plan->constants);
  memset (plan, 0, sizeof *plan);
}

void
kit_plan_finish (const kit_plan *plan, void *slab, void *const *in, void *const *out)
{
  for (uint32_t c = 0; c < plan->n_copies; c++) {
    const kit_copy *copy = &plan->copies[c];
    uint64_t bytes = plan->places[copy->value].bytes;
    if (copy->staged != KIT_NOWHERE && bytes != 0)
      memcpy ((char *)slab + copy->staged, kit_plan_address (plan, copy->value, slab, in, out),
              (size_t)bytes);
  }
  for (uint32_t c = 0; c < plan->n_copies; c++) {
    const kit_copy *copy = &plan->copies[c];
    uint64_t bytes = plan->places[copy->value].bytes;
    const void *from = copy->staged != KIT_NOWHERE
                           ? (char *)slab + copy->staged
                           : kit_plan_address (plan, copy->value, slab, in, out);
    if (bytes != 0)
      memcpy (out[copy->output], from, (size_t)bytes);
  }
}

uint64_t
kit_plan_each (const kit_plan *plan, void (*each) (void *ctx, const lam_plan_buffer *buffer),
               void *ctx)
{
  for (uint32_t v = 0; v < plan->n_values; v++) {
    const kit_place *p = &plan->places[v];
    lam_plan_buffer b = {(uint32_t)sizeof b, v,        p->first,  p->last,
                         KIT_NOWHERE,        p->bytes, p->shares, LAM_PLAN_TEMPORARY};
    if (p->where == KIT_IN_NOTHING)
      continue;
    if (p->where == KIT_IN_SLAB)
      b.offset = p->offset;
    else if (p->where == KIT_IN_INPUT)
      b.kind = LAM_PLAN_INPUT;
    else if (p->where == KIT_IN_OUTPUT)
      b.kind = LAM_PLAN_OUTPUT;
    else
      b.kind = LAM_PLAN_CONSTANT;
    each (ctx, &b);
  }
  return plan->slab_bytes;
}
