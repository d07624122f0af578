/* SPDX-License-Identifier: Apache-2.0 */
/* Small tasks and a learner that show the train step's rules, and break them on demand. */
#include <lamina/layer.h>
#include <lamina/learner.h>

/* A task with one trainable scalar w, one non-trainable counter n, and a choice of faults. The loss is
 * w * w with weight 1. */
typedef struct {
  const char *fault;
  double aux;
  lam_var w, n;
} task;

LAM_FIELDS (task, LAM_STRING (fault, "none", "What to do wrong."),
            LAM_CHOICES ("none rank weight_rank integer_loss no_metrics no_weight update_in_eval "
                         "update_trainable update_dtype"),
            LAM_FLOAT (aux, 0, "Weight of an auxiliary loss w."))

static void
task_setup (task *p, lam_setup *s)
{
  lam_var_spec n = lam_var_spec_make (LAM_SCALAR, LAM_CONSTANT (0));
  n.collections = LAM_NON_TRAINABLE | LAM_REQUIRES_MEAN_SYNC;
  p->w = lam_create_variable (s, "w", LAM_SCALAR, LAM_CONSTANT (3));
  p->n = lam_create_variable_spec (s, "n", &n);
}

static bool
is (const char *a, const char *b)
{
  while (*a != '\0' && *a == *b) {
    a++;
    b++;
  }
  return *a == *b;
}

static void
update (const task *p, lam_trace *t)
{
  lam_tensor n = lam_theta (t, p->n);
  lam_tensor next = lam_add (t, n, lam_scalar_like (t, n, 1));
  if (is (p->fault, "update_trainable"))
    lam_update_var (t, p->w, next);
  else if (is (p->fault, "update_dtype"))
    lam_update_var (t, p->n, lam_cast (t, next, LAM_I32));
  else if (!lam_do_eval (t) || is (p->fault, "update_in_eval"))
    lam_update_var (t, p->n, next);
}

static lam_nest
task_fprop (const task *p, lam_trace *t, lam_nest batch)
{
  lam_nest out = lam_nest_map (t);
  lam_tensor w = lam_theta (t, p->w);
  lam_tensor loss = lam_mul (t, w, w), weight = lam_scalar_like (t, w, 1);
  (void)batch;
  update (p, t);
  if (p->aux != 0)
    lam_add_aux_loss (t, "aux", w, lam_scalar_like (t, w, p->aux));
  if (is (p->fault, "rank"))
    loss = lam_reshape (t, loss, LAM_SHAPE (1));
  if (is (p->fault, "weight_rank"))
    weight = lam_reshape (t, weight, LAM_SHAPE (1));
  if (is (p->fault, "integer_loss"))
    loss = lam_cast (t, loss, LAM_I32);
  if (is (p->fault, "no_metrics"))
    return out;
  lam_nest_set_tensor (t, out, "metrics.loss.value", loss);
  if (!is (p->fault, "no_weight"))
    lam_nest_set_tensor (t, out, "metrics.loss.weight", weight);
  return out;
}

LAM_METHODS (task, LAM_METHOD (task, fprop), LAM_USE (task, fprop))
LAM_LAYER_METHODS (task, "test.task", 1, "A task with one weight, and faults to choose from.")

/* A learner that returns what it likes. Plain descent: u = -g. */
typedef struct {
  const char *loss_name, *fault;
} learner;

LAM_FIELDS (learner, LAM_STRING (loss_name, "loss", "Metric that is the loss."),
            LAM_STRING (fault, "none", "What to do wrong."),
            LAM_CHOICES ("none structure dtype state_structure nothing"))

static void
learner_setup (learner *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

static const char *
learner_loss_name (const learner *p)
{
  return p->loss_name;
}

static lam_tensor
learner_learning_rate (const learner *p, lam_trace *t, lam_tensor step)
{
  (void)p;
  (void)step;
  return lam_scalar (t, lam_real_dtype (t), 1);
}

static lam_nest
learner_init_states (const learner *p, lam_trace *t, const lam_learn *learn)
{
  lam_nest states = lam_nest_map (t);
  (void)p;
  (void)learn;
  lam_nest_set_tensor (t, states, "count", lam_scalar (t, LAM_F32, 0));
  return states;
}

static lam_nest
learner_update_states (const learner *p, lam_trace *t, const lam_learn *learn, lam_nest *new_states)
{
  lam_tensor leaves[4];
  uint32_t n = lam_nest_flatten (t, learn->grads, leaves, 4);
  *new_states = is (p->fault, "state_structure") ? lam_nest_list (t) : learn->states;
  for (uint32_t i = 0; i < n && i < 4; i++)
    leaves[i] = is (p->fault, "dtype") ? lam_cast (t, leaves[i], LAM_F16) : lam_neg (t, leaves[i]);
  if (is (p->fault, "nothing")) {
    lam_nest nil = {0, 0};
    return nil;
  }
  return is (p->fault, "structure") ? lam_nest_map (t) : lam_nest_pack (t, learn->grads, leaves, n);
}

static lam_nest
learner_apply_gradient (const learner *p, lam_trace *t, const lam_learn *learn)
{
  lam_tensor vars[4], updates[4];
  uint32_t n = lam_nest_flatten (t, learn->vars, vars, 4);
  (void)p;
  lam_nest_flatten (t, learn->updates, updates, 4);
  for (uint32_t i = 0; i < n && i < 4; i++)
    vars[i] = learn->infos[i]->learnable ? lam_add (t, vars[i], updates[i]) : vars[i];
  return lam_nest_pack (t, learn->vars, vars, n);
}

LAM_LEARNER (learner, "test.learner", 1, "Plain descent, and faults to choose from.")

LAM_PLUGIN ("test.tasks", "1.0.0", "Apache-2.0", LAM_PROVIDES (task, learner))
