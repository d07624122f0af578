/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of several replicas for tests. */
#include "tests/lib/replicas.h"

LmTestReplicas *
lm_test_replicas_new (JsonObject *config, GHashTable *weights, const LmBatchSpec *batch,
                      LmStepKind kind, const char *backend, guint replicas)
{
  g_autoptr (GError) error = NULL;
  LmTestReplicas *r = g_new0 (LmTestReplicas, 1);
  const LmStepOptions options = {.with_summaries = true, .replicas = replicas};
  r->n = MAX (replicas, 1);
  r->registry = lm_test_registry ();
  if (replicas > 0)
    r->group = lm_group_open (r->registry, "local", NULL, replicas, &error);
  g_assert_no_error (error);
  r->runs = g_new0 (LmTestRun *, r->n);
  for (guint i = 0; i < r->n; i++) {
    r->runs[i] =
        lm_test_run_new_with (json_object_ref (config), weights, batch, kind, backend, &options);
    if (r->group != NULL)
      lm_executable_set_collective (r->runs[i]->executable, lm_group_member (r->group, i));
  }
  return r;
}

void
lm_test_replicas_free (LmTestReplicas *r)
{
  for (guint i = 0; i < r->n; i++)
    lm_test_run_free (r->runs[i]);
  g_free (r->runs);
  lm_group_free (r->group);
  lm_registry_free (r->registry);
  g_free (r);
}

typedef struct Work {
  LmTestRun *run;
  LmArray *key;
  LmArray *const *batch;
} Work;

static gpointer
work (gpointer data)
{
  Work *w = data;
  lm_test_run_step (w->run, w->key, w->batch);
  return NULL;
}

void
lm_test_replicas_step (LmTestReplicas *r, LmArray *key, LmArray **const *batches)
{
  g_autofree Work *all = g_new0 (Work, r->n);
  g_autofree GThread **threads = g_new0 (GThread *, r->n);
  for (guint i = 0; i < r->n; i++) {
    all[i] = (Work) {r->runs[i], key, batches[i]};
    threads[i] = g_thread_new ("replica", work, &all[i]);
  }
  for (guint i = 0; i < r->n; i++)
    g_thread_join (threads[i]);
}

void
lm_test_replicas_assert_equal (const LmTestReplicas *r)
{
  for (guint i = 1; i < r->n; i++)
    for (guint k = 0; k < r->runs[0]->n_state; k++) {
      const LmArray *a = r->runs[0]->state[k], *b = r->runs[i]->state[k];
      g_assert_cmpmem (a->data, (gsize)a->bytes, b->data, (gsize)b->bytes);
    }
}

LmArray **
lm_test_replica_batch (LmArray *const *batch, guint n_arrays, guint i, guint n)
{
  LmArray **part = g_new0 (LmArray *, n_arrays + 1);
  for (guint k = 0; k < n_arrays; k++) {
    g_autoptr (GError) error = NULL;
    lam_type type = batch[k]->type;
    g_assert_cmpint (type.dims[0] % n, ==, 0);
    type.dims[0] /= n;
    gsize bytes = (gsize)batch[k]->bytes / n;
    part[k] = lm_array_new_copy (&type, (const guint8 *)batch[k]->data + i * bytes, &error);
    g_assert_no_error (error);
  }
  return part;
}
