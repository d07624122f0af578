/* SPDX-License-Identifier: Apache-2.0 */
/* A memory plan as text: one line a buffer, then totals and the lower bound. */
#include "core/run/private.h"

typedef struct Plan {
  const LmExecutable *exe;
  GString *text;
  uint64_t sum;
  int64_t *steps; /* change of live slab bytes at each equation; n_equations + 2 */
  uint32_t n;
} Plan;

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
  if (b->kind != LAM_PLAN_TEMPORARY || b->offset == UINT64_MAX || b->shares >= 0)
    return;
  plan->sum += b->bytes;
  plan->steps[MIN (b->first, plan->n)] += (int64_t)b->bytes;
  plan->steps[MIN (b->last, plan->n) + 1] -= (int64_t)b->bytes;
}

/* Most bytes alive at once: no plan can do with less. */
static int64_t
peak (const Plan *plan)
{
  int64_t live = 0, most = 0;
  for (uint32_t i = 0; i <= plan->n; i++) {
    live += plan->steps[i];
    most = MAX (most, live);
  }
  return most;
}

char *
lm_executable_plan_text (const LmExecutable *exe)
{
  uint32_t n = exe->function->ir.n_equations;
  Plan plan = {
      exe,
      g_string_new ("value   type                        bytes       offset  lifetime     kind\n"),
      0, g_new0 (int64_t, n + 2), n};
  uint64_t slab = exe->backend->vt->exec_plan (exe->self, each_buffer, &plan);
  g_string_append_printf (plan.text,
                          "slab %" G_GUINT64_FORMAT " bytes, sum of temporaries %" G_GUINT64_FORMAT
                          ", peak of live bytes %" G_GINT64_FORMAT "\n",
                          slab, plan.sum, peak (&plan));
  g_free (plan.steps);
  return g_string_free (plan.text, FALSE);
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
