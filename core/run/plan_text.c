/* SPDX-License-Identifier: Apache-2.0 */
/* A memory plan as text: one line a buffer, then totals and the lower bound. */
#include "core/run/private.h"

/* Slab memory of one value and of all that share it. */
typedef struct Piece {
  uint64_t bytes; /* 0: none of its own */
  uint32_t first, last;
} Piece;

typedef struct Plan {
  const LmExecutable *exe;
  GString *text;
  uint64_t sum;
  Piece *pieces;   /* by value */
  uint32_t *base;  /* by value: whose memory it uses */
  GArray *scratch; /* of Piece: further buffers reported under a value that has one */
} Plan;

/* A sharer lengthens the life of the memory that it takes over or looks into. */
static void
add_piece (Plan *plan, const lam_plan_buffer *b)
{
  bool shares = b->shares >= 0 && (uint32_t)b->shares < b->value;
  uint32_t base = shares ? plan->base[b->shares] : b->value;
  Piece *piece = &plan->pieces[base];
  if (!shares && piece->bytes != 0) {
    Piece scratch = {b->bytes, b->first, b->last};
    g_array_append_val (plan->scratch, scratch);
    plan->sum += b->bytes;
    return;
  }
  plan->base[b->value] = base;
  if (piece->bytes == 0)
    *piece = (Piece) {b->bytes, b->first, b->last};
  plan->sum += MAX (piece->bytes, b->bytes) - (shares ? piece->bytes : 0);
  piece->bytes = MAX (piece->bytes, b->bytes);
  piece->first = MIN (piece->first, b->first);
  piece->last = MAX (piece->last, b->last);
}

static void
each_buffer (void *ctx, const lam_plan_buffer *b)
{
  static const char *const kinds[] = {"temporary", "input", "output", "constant"};
  Plan *plan = ctx;
  const lam_function *f = &plan->exe->function->ir;
  if (b->value >= f->n_values)
    return;
  g_autofree char *type = lm_type_to_string (lam_value_type (f, b->value));
  g_autofree char *offset =
      b->offset == UINT64_MAX ? g_strdup ("-") : g_strdup_printf ("%" G_GUINT64_FORMAT, b->offset);
  g_string_append_printf (plan->text, "%%%-6u %-20s %12" G_GUINT64_FORMAT " %12s  %5u..%-5u %s",
                          b->value, type, b->bytes, offset, b->first, b->last,
                          kinds[MIN (b->kind, 3)]);
  if (b->shares >= 0)
    g_string_append_printf (plan->text, ", shares %%%d", b->shares);
  g_string_append_c (plan->text, '\n');
  if (b->kind == LAM_PLAN_TEMPORARY && b->offset != UINT64_MAX && b->bytes != 0)
    add_piece (plan, b);
}

static void
count_life (int64_t *steps, uint32_t n_equations, const Piece *p)
{
  steps[MIN (p->first, n_equations)] += (int64_t)p->bytes;
  steps[MIN (p->last, n_equations) + 1] -= (int64_t)p->bytes;
}

/* Most bytes alive at once: no plan can do with less. */
static uint64_t
peak (const Plan *plan)
{
  const lam_function *f = &plan->exe->function->ir;
  g_autofree int64_t *steps = g_new0 (int64_t, f->n_equations + 2); /* change at each equation */
  int64_t live = 0, most = 0;
  for (uint32_t v = 0; v < f->n_values; v++)
    count_life (steps, f->n_equations, &plan->pieces[v]);
  for (guint i = 0; i < plan->scratch->len; i++)
    count_life (steps, f->n_equations, &g_array_index (plan->scratch, Piece, i));
  for (uint32_t i = 0; i <= f->n_equations; i++) {
    live += steps[i];
    most = MAX (most, live);
  }
  return (uint64_t)most;
}

char *
lm_executable_plan_text (const LmExecutable *exe)
{
  const lam_function *f = &exe->function->ir;
  g_autofree Piece *pieces = g_new0 (Piece, f->n_values + 1);
  g_autofree uint32_t *base = g_new0 (uint32_t, f->n_values + 1);
  GString *text =
      g_string_new ("value   type                        bytes       offset  lifetime     kind\n");
  g_autoptr (GArray) scratch = g_array_new (FALSE, FALSE, sizeof (Piece));
  Plan plan = {.exe = exe, .text = text, .pieces = pieces, .base = base, .scratch = scratch};
  for (uint32_t v = 0; v < f->n_values; v++)
    base[v] = v;
  uint64_t slab = exe->backend->vt->exec_plan (exe->self, each_buffer, &plan);
  g_string_append_printf (text,
                          "slab %" G_GUINT64_FORMAT " bytes, sum of temporaries %" G_GUINT64_FORMAT
                          ", peak of live bytes %" G_GUINT64_FORMAT "\n",
                          slab, plan.sum, peak (&plan));
  return g_string_free (text, FALSE);
}

static void
ignore_buffer (void *ctx, const lam_plan_buffer *buffer)
{
  (void)ctx;
  (void)buffer;
}

uint64_t
lm_executable_slab_bytes (const LmExecutable *exe)
{
  return exe->backend->vt->exec_plan (exe->self, ignore_buffer, NULL);
}
