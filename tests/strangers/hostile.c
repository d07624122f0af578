/* SPDX-License-Identifier: Apache-2.0 */
/* An optimizer, a schedule, a learner and a metric that break what their headers ask, one deed at a time. */
#include <lamina/learner.h>
#include <lamina/metric.h>
#include <lamina/optimizer.h>
#include <lamina/schedule.h>
#include <string.h>

static bool
is (const char *deed, const char *name)
{
  return strcmp (deed, name) == 0;
}

/* Keys that no tree of the host's has: "x_0" ... */
static void
add_keys (lam_trace *t, lam_nest nest, int n)
{
  char key[] = "x_00";
  for (int i = 0; i < n; i++) {
    key[2] = (char)('a' + i / 26 % 26);
    key[3] = (char)('a' + i % 26);
    lam_nest_set_tensor (t, nest, key, lam_real (t, 1));
  }
}

static lam_nest
deep_nest (lam_trace *t, int levels)
{
  lam_nest nest = lam_nest_of (t, lam_real (t, 1));
  for (int i = 0; i < levels; i++) {
    lam_nest outer = lam_nest_map (t);
    lam_nest_set (t, outer, "a", nest);
    nest = outer;
  }
  return nest;
}

/* --- optimizer ---------------------------------------------------------------------------------- */

typedef struct {
  const char *deed;
} bad_optimizer;

LAM_FIELDS (bad_optimizer, LAM_STRING (deed, "none", "What to do wrong."))

static void
bad_optimizer_setup (bad_optimizer *p, lam_setup *s)
{
  if (is (p->deed, "variable"))
    lam_create_variable (s, "w", LAM_SHAPE (3), LAM_CONSTANT (1));
  if (is (p->deed, "no_spec"))
    lam_create_variable_spec (s, "w", NULL);
}

static void
bad_optimizer_declare_slots (const bad_optimizer *p, lam_slots *s, const lam_type *var)
{
  lam_type type = *var;
  char local[] = "local"; /* gone when this function returns */
  if (is (p->deed, "slot_twice"))
    s->add (s, "a", LAM_DTYPE_NONE, 0);
  if (is (p->deed, "slot_name"))
    s->add (s, "../x", LAM_DTYPE_NONE, 0);
  if (is (p->deed, "slot_dtype"))
    s->add (s, "b", 99, 0);
  if (is (p->deed, "slot_shape")) {
    type.rank = 2;
    type.dims[0] = type.dims[1] = INT64_MAX;
    s->add_spec (s, "b", &type, 0);
  }
  for (char name[] = "n0"; is (p->deed, "slots") && name[1] <= '9'; name[1]++)
    s->add (s, name, LAM_DTYPE_NONE, 0);
  s->add (s, is (p->deed, "slot_local") ? local : "a", LAM_DTYPE_NONE, 0);
  memset (local, '/', sizeof local - 1);
}

static lam_tensor
bad_optimizer_update (const bad_optimizer *p, lam_trace *t, const lam_update *u)
{
  lam_tensor rate = lam_cast (t, u->learning_rate, lam_dtype_of (t, u->var));
  for (uint32_t i = 0; i < u->n_slots; i++)
    u->new_slots[i] = u->slots[i];
  if (is (p->deed, "slot_left"))
    u->new_slots[0] = lam_nil ();
  if (is (p->deed, "nothing"))
    return lam_nil ();
  if (is (p->deed, "push_null"))
    t->api->context_push (t, NULL);
  if (is (p->deed, "pack_null"))
    lam_nest_pack (t, lam_nest_of (t, u->grad), NULL, 1);
  if (is (p->deed, "path_null"))
    lam_nest_set (t, lam_nest_map (t), NULL, lam_nest_map (t));
  return lam_neg (t, lam_mul (t, u->grad, rate));
}

LAM_OPTIMIZER (bad_optimizer, "test.bad_optimizer", 1, "Breaks rules.")

/* --- schedule ----------------------------------------------------------------------------------- */

typedef struct {
  const char *deed;
} bad_schedule;

LAM_FIELDS (bad_schedule, LAM_STRING (deed, "none", "What to do wrong."))

static void
bad_schedule_setup (bad_schedule *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

static lam_tensor
bad_schedule_value (const bad_schedule *p, lam_trace *t, lam_tensor count)
{
  return is (p->deed, "nothing") ? lam_nil () : is (p->deed, "count") ? count : lam_real (t, 1);
}

LAM_SCHEDULE (bad_schedule, "test.bad_schedule", 1, "Breaks rules.")

/* --- learner ------------------------------------------------------------------------------------ */

typedef struct {
  const char *deed;
  lam_child_config optimizer;
  lam_child chain;
} bad_learner;

LAM_FIELDS (bad_learner, LAM_STRING (deed, "none", "What to do wrong."),
            LAM_LAYER_CONFIG (optimizer, NULL, "As of a learner."), LAM_REQUIRED)

static void
bad_learner_setup (bad_learner *p, lam_setup *s)
{
  p->chain = lam_create_optimizer (s, "optimizer", p->optimizer);
}

static const char *
bad_learner_loss_name (const bad_learner *p)
{
  return is (p->deed, "no_loss_name") ? NULL : "loss";
}

static lam_tensor
bad_learner_learning_rate (const bad_learner *p, lam_trace *t, lam_tensor step)
{
  if (is (p->deed, "no_rate"))
    return lam_nil ();
  if (is (p->deed, "rate_dtype"))
    return step;
  return t->api->optimizer_learning_rate (t, p->chain, step);
}

static lam_nest
bad_learner_init_states (const bad_learner *p, lam_trace *t, const lam_learn *learn)
{
  if (is (p->deed, "deep"))
    return deep_nest (t, 100000);
  if (is (p->deed, "no_states"))
    return (lam_nest) {0, 0};
  return t->api->optimizer_init (t, p->chain, learn->vars);
}

static lam_nest
bad_learner_update_states (const bad_learner *p, lam_trace *t, const lam_learn *learn,
                           lam_nest *new_states)
{
  lam_nest out = t->api->optimizer_update (t, p->chain, learn->grads, learn->states, learn->vars);
  *new_states = lam_nest_get (t, out, "states");
  if (is (p->deed, "more_vars")) { /* in the host's tree and in the result alike */
    add_keys (t, learn->vars, 600);
    return learn->vars;
  }
  if (is (p->deed, "more_states")) {
    add_keys (t, learn->states, 600);
    *new_states = learn->states;
  }
  return lam_nest_get (t, out, "updates");
}

static lam_nest
bad_learner_apply_gradient (const bad_learner *p, lam_trace *t, const lam_learn *learn)
{
  lam_tensor none[1] = {lam_nil ()};
  return is (p->deed, "nil_var") ? lam_nest_pack (t, learn->vars, none, 1) : learn->vars;
}

/* Bytes that are no bool, which the host takes for true. */
static void
bad_learner_select (const bad_learner *p, lam_trace *t, const lam_var_info *const *infos,
                    uint32_t n, bool *learnable)
{
  (void)t;
  (void)infos;
  if (is (p->deed, "bools"))
    memset (learnable, 0xff, n);
}

LAM_LEARNER_WITH_SELECT (bad_learner, "test.bad_learner", 1, "Breaks rules.")

/* --- metric ------------------------------------------------------------------------------------- */

typedef struct {
  const char *deed;
} bad_metric;

LAM_FIELDS (bad_metric, LAM_STRING (deed, "none", "What to do wrong."))

static void
bad_metric_setup (bad_metric *p, lam_setup *s)
{
  if (is (p->deed, "variable"))
    lam_create_variable (s, "w", LAM_SHAPE (3), LAM_CONSTANT (1));
}

static lam_nest
bad_metric_value (const bad_metric *p, lam_trace *t, lam_nest in)
{
  lam_tensor one = lam_real (t, 1);
  if (is (p->deed, "integer"))
    return lam_metric_of (t, lam_scalar (t, LAM_I32, 1), one);
  if (is (p->deed, "shape"))
    return lam_metric_of (t, one, lam_full (t, LAM_F32, LAM_SHAPE (2), 1));
  if (is (p->deed, "empty_tree"))
    lam_nest_set_tensor (t, in, "inputs", lam_nil ());
  if (is (p->deed, "want_tree")
      && lam_nest_kind (t, lam_nest_get (t, in, "inputs")) != LAM_NEST_MAP)
    lam_fail (t, "the batch is gone");
  return lam_metric_of (t, one, one);
}

LAM_METRIC (bad_metric, "test.bad_metric", 1, "Breaks rules.")

LAM_PLUGIN ("test.hostile", "1.0.0", "Apache-2.0",
            LAM_PROVIDES (bad_optimizer, bad_schedule, bad_learner, bad_metric))
