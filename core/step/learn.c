/* SPDX-License-Identifier: Apache-2.0 */
/* The second half of the train step: learners turn gradients into new variables and new states
 * (semantics 1.5, 6 and 9, and 1.11). */
#include "core/step/private.h"

/* The state tree of learner k with this step's leaves. */
static lam_nest
state_nest (const Second *s, guint k)
{
  const LmNest *structure = lm_nest_child (s->init->structure, k);
  g_autoptr (GArray) leaves = lm_nest_flatten (structure);
  for (guint i = 0; i < leaves->len; i++) {
    uint64_t number = g_array_index (leaves, uint64_t, i);
    g_array_index (leaves, uint64_t, i) = number != 0 ? s->states[number - 1].id : 0;
  }
  return lm_trace_nest (
      s->t, lm_nest_pack (structure, (const uint64_t *)(void *)leaves->data, leaves->len, NULL));
}

/* Where learner k's states begin among all. */
static guint
first_state (const Second *s, guint k)
{
  guint n = 0;
  for (guint j = 0; j < k; j++) {
    g_autoptr (GArray) leaves = lm_nest_flatten (lm_nest_child (s->init->structure, j));
    for (guint i = 0; i < leaves->len; i++)
      n += g_array_index (leaves, uint64_t, i) != 0;
  }
  return n;
}

static void
fail (const Second *s, const Learning *one, const char *what, const char *why)
{
  lm_trace_failf (s->t, LM_ERROR_PLUGIN, "learner %s (%s): %s: %s", one->layer->path,
                  one->layer->provided->id, what, why);
}

/* 6: a returned tree must have the structure and types of what it replaces; its leaves to out. */
static bool
take_tree (const Second *s, const Learning *one, const char *what, const lam_nest pair[2],
           lam_tensor *out)
{
  lam_trace *t = lm_trace_pub (s->t);
  const LmNest *g = lm_trace_nest_peek (s->t, pair[0]), *w = lm_trace_nest_peek (s->t, pair[1]);
  g_autoptr (GError) error = NULL;
  if (!lam_is_ok (t))
    return false;
  if (g == NULL || !lm_nest_assert_same_structure (w, g, &error)) {
    fail (s, one, what, error != NULL ? error->message : "returned nothing");
    return false;
  }
  g_autoptr (GArray) old = lm_nest_flatten (w), new = lm_nest_flatten (g);
  g_auto (GStrv) paths = lm_nest_paths (w);
  for (guint i = 0, k = 0; i < old->len; i++) {
    lam_type a, b;
    lam_tensor x = lm_trace_leaf (s->t, g_array_index (new, uint64_t, i));
    if (g_array_index (old, uint64_t, i) == 0)
      continue;
    t->api->type_of (t, lm_trace_leaf (s->t, g_array_index (old, uint64_t, i)), &a);
    bool found = t->api->type_of (t, x, &b);
    if (!found || !lm_type_equal (&a, &b)) {
      g_autofree char *want = lm_type_to_string (&a);
      g_autofree char *have = found ? lm_type_to_string (&b) : g_strdup ("nothing");
      g_autofree char *why = g_strdup_printf ("%s: wanted %s, got %s", paths[i], want, have);
      fail (s, one, what, why);
      return false;
    }
    out[k++] = x;
  }
  return true;
}

static bool
check_rate (const Second *s, const Learning *one, lam_tensor rate)
{
  lam_trace *t = lm_trace_pub (s->t);
  lam_type wanted = {.dtype = lam_real_dtype (t)}, type;
  if (!lam_is_ok (t))
    return false;
  bool found = t->api->type_of (t, rate, &type);
  if (found && lm_type_equal (&wanted, &type))
    return true;
  g_autofree char *want = lm_type_to_string (&wanted);
  g_autofree char *have = found ? lm_type_to_string (&type) : g_strdup ("nothing");
  g_autofree char *why = g_strdup_printf ("wanted %s, got %s", want, have);
  fail (s, one, "learning_rate", why);
  return false;
}

/* 9a: the rate by the step, before its increment. Several learners: below their names. */
static void
summarise_rate (const Second *s, const Learning *one)
{
  lam_trace *t = lm_trace_pub (s->t);
  lm_learning_enter (s->t, one, "learning_rate");
  lam_tensor rate = one->vt->learning_rate (one->layer->instance, t, s->p->step);
  lm_trace_leave (s->t);
  if (!check_rate (s, one, rate))
    return;
  if (s->learners->n > 1)
    lam_namespace_push (t, one->layer->name);
  lam_add_summary_scalar (t, "learning_rate", rate);
  if (s->learners->n > 1)
    lam_namespace_pop (t);
}

static void
learn_one (const Second *s, guint k)
{
  lam_trace *t = lm_trace_pub (s->t);
  const Learning *one = &s->learners->all[k];
  void *self = one->layer->instance;
  guint n = s->learners->n_vars;
  lam_learn learn = {.struct_size = sizeof learn,
                     .n_vars = n,
                     .infos = one->infos,
                     .vars = lm_vars_nest (s->t, s->model, s->p->vars),
                     .grads = lm_vars_nest (s->t, s->model, s->grads),
                     .states = state_nest (s, k),
                     .step = s->p->step};
  lam_nest new_states = {0, 0};
  /* Trees of our own to compare with: the learner may change those that it was given. */
  lam_nest vars = lm_vars_nest (s->t, s->model, s->p->vars), states = state_nest (s, k);
  summarise_rate (s, one);
  lm_learning_enter (s->t, one, "update_states");
  learn.updates = one->vt->update_states (self, t, &learn, &new_states); /* 9b */
  lm_trace_leave (s->t);
  g_autofree lam_tensor *leaves = g_new0 (lam_tensor, n + 1);
  take_tree (s, one, "updates", (lam_nest[]) {learn.updates, vars}, leaves);
  take_tree (s, one, "new states", (lam_nest[]) {new_states, states},
             s->new_states + first_state (s, k));
  lm_learning_enter (s->t, one, "apply_gradient");
  lam_nest new_vars = one->vt->apply_gradient (self, t, &learn); /* 9c */
  lm_trace_leave (s->t);
  take_tree (s, one, "new variables", (lam_nest[]) {new_vars, vars}, leaves);
  for (guint i = 0; i < n; i++)
    if (one->infos[i]->learnable)
      s->new_vars[i] = leaves[i];
}

void
lm_learn (const Second *s)
{
  for (guint i = 0; i < s->learners->n_vars; i++)
    s->new_vars[i] = s->p->vars[i];
  for (guint k = 0; k < s->learners->n && lm_trace_error (s->t) == NULL; k++)
    learn_one (s, k);
}
