/* SPDX-License-Identifier: Apache-2.0 */
/* A learner to copy: limits each element of the gradients, then lets an optimizer of the config make the
 * updates. The host differentiates the loss, sums gradients over replicas and calls the functions below. */
#include <lamina/learner.h>
#include <stdlib.h>

typedef struct {
  const char *loss_name;
  double limit;
  lam_child_config optimizer;
  lam_child chain; /* the optimizer, with everything that the host does around one */
} limiter;

LAM_FIELDS (limiter, LAM_STRING (loss_name, "loss", "The metric to make small."),
            LAM_FLOAT (limit, 1, "Most absolute value of an element of a gradient."), LAM_MIN (0),
            LAM_LAYER_CONFIG (optimizer, NULL, "The optimizer, such as lamina.sgd."), LAM_REQUIRED)

static void
limiter_setup (limiter *p, lam_setup *s)
{
  p->chain = lam_create_optimizer (s, "optimizer", p->optimizer);
}

static const char *
limiter_loss_name (const limiter *p)
{
  return p->loss_name;
}

/* For the summary learning_rate. */
static lam_tensor
limiter_learning_rate (const limiter *p, lam_trace *t, lam_tensor step)
{
  return t->api->optimizer_learning_rate (t, p->chain, step);
}

/* The n leaves of a tree that has the structure of the variables, to be freed; NULL after an error. */
static lam_tensor *
leaves_of (lam_trace *t, lam_nest tree, uint32_t n)
{
  lam_tensor *leaves = (lam_tensor *)calloc ((size_t)n + 1, sizeof *leaves);
  if (leaves == NULL)
    t->api->fail (t, LAM_E_NO_MEMORY, "limiter: no memory for the list of variables");
  else if (lam_nest_flatten (t, tree, leaves, n) != n)
    lam_fail (t, "limiter: a tree has another number of leaves than there are variables");
  if (lam_is_ok (t))
    return leaves;
  free (leaves);
  return NULL;
}

/* The start of what the learner keeps: any tree of tensors, saved with the model under the names that it
 * has here. A variable that is not learned is nil in `own`, so the optimizer keeps nothing for it. */
static lam_nest
limiter_init_states (const limiter *p, lam_trace *t, const lam_learn *learn)
{
  lam_nest states = lam_nest_map (t), own;
  lam_tensor *x = leaves_of (t, learn->vars, learn->n_vars);
  if (x == NULL)
    return states;
  for (uint32_t i = 0; i < learn->n_vars; i++)
    if (!learn->infos[i]->learnable)
      x[i] = lam_nil ();
  own = lam_nest_pack (t, learn->vars, x, learn->n_vars);
  lam_nest_set (t, states, "optimizer", t->api->optimizer_init_for (t, p->chain, learn->vars, own));
  free (x);
  return states;
}

/* What is to be added to the variables, as a tree like theirs; *new_states: the states after the step. */
static lam_nest
limiter_update_states (const limiter *p, lam_trace *t, const lam_learn *learn, lam_nest *new_states)
{
  lam_nest both, updates = {0, 0};
  lam_tensor *x = leaves_of (t, learn->grads, learn->n_vars), *u;
  *new_states = lam_nest_map (t);
  if (x == NULL)
    return updates;
  for (uint32_t i = 0; i < learn->n_vars; i++)
    x[i] = learn->infos[i]->learnable ? lam_clip (t, x[i], -p->limit, p->limit) : lam_nil ();
  both = t->api->optimizer_update (t, p->chain, lam_nest_pack (t, learn->vars, x, learn->n_vars),
                                   lam_nest_get (t, learn->states, "optimizer"), learn->vars);
  free (x);
  lam_nest_set (t, *new_states, "optimizer", lam_nest_get (t, both, "states"));

  x = leaves_of (t, learn->grads, learn->n_vars); /* zero where nothing is learned */
  u = leaves_of (t, lam_nest_get (t, both, "updates"), learn->n_vars);
  for (uint32_t i = 0; x != NULL && u != NULL && i < learn->n_vars; i++)
    u[i] = learn->infos[i]->learnable ? u[i] : x[i];
  if (x != NULL && u != NULL)
    updates = lam_nest_pack (t, learn->vars, u, learn->n_vars);
  free (x);
  free (u);
  return updates;
}

/* The variables after the step. */
static lam_nest
limiter_apply_gradient (const limiter *p, lam_trace *t, const lam_learn *learn)
{
  lam_nest out = {0, 0};
  lam_tensor *x = leaves_of (t, learn->vars, learn->n_vars);
  lam_tensor *u = leaves_of (t, learn->updates, learn->n_vars);
  (void)p;
  for (uint32_t i = 0; x != NULL && u != NULL && i < learn->n_vars; i++)
    x[i] = learn->infos[i]->learnable ? lam_add (t, x[i], u[i]) : x[i];
  if (x != NULL && u != NULL)
    out = lam_nest_pack (t, learn->vars, x, learn->n_vars);
  free (x);
  free (u);
  return out;
}

LAM_LEARNER (limiter, "example.limiter", 1, "Limits each element of the gradients.")
LAM_PLUGIN ("example.learners", "0.1.0", "Apache-2.0", LAM_PROVIDES (limiter))
