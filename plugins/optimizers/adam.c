/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.adam: Adam with a cap on the update. Semantics: praxis.optimizers.Adam, that is
 * sharded_adam, and with "sharded_adam": false optax.adam. Two common settings of theirs:
 *   HParamsA: "beta2": 0.997, "epsilon": 1e-9;   HParamsB: "beta2": 0.98, "epsilon": 1e-9 */
#include "optimizers.h"

typedef struct {
  double beta1, beta2, epsilon, epsilon_root, clip_threshold, weight_decay;
  bool sharded_adam, maybe_inf_to_nan, nonfinite_to_zero;
} adam;

LAM_FIELDS (
    adam, LAM_FLOAT (beta1, 0.9, "Decay of the mean of gradients."), LAM_MIN (0), LAM_MAX (1),
    LAM_FLOAT (beta2, 0.999,
               "Decay of the mean of squared gradients; HParamsA: 0.997, HParamsB: 0.98."),
    LAM_MIN (0), LAM_MAX (1),
    LAM_FLOAT (epsilon, 1e-6, "Added to the root of the second moment; HParamsA, HParamsB: 1e-9."),
    LAM_MIN (0), LAM_FLOAT (epsilon_root, 0, "Added to the second moment under the root."),
    LAM_MIN (0),
    LAM_FLOAT (clip_threshold, 1, "Most rms of the update before the learning rate; 0: any."),
    LAM_MIN (0), LAM_FLOAT (weight_decay, 0, "Adds w * p to the update before the learning rate."),
    LAM_MIN (0),
    LAM_BOOL (sharded_adam, true,
              "False: optax.adam, without clip_threshold, weight_decay and the treatment of "
              "infinities."),
    LAM_BOOL (maybe_inf_to_nan, true, "Whether infinite gradients become NaN."),
    LAM_BOOL (nonfinite_to_zero, false,
              "Whether NaN and infinite gradients become 0, as in lingvo-jax; goes before "
              "maybe_inf_to_nan."))

static void
adam_setup (adam *p, lam_setup *s)
{
  if (!(p->beta1 < 1 && p->beta2 < 1))
    lam_setup_fail (s, "beta1 and beta2 want numbers in [0, 1)");
  if (!p->sharded_adam && p->weight_decay != 0)
    lam_setup_fail (s, "weight_decay needs sharded_adam; use decoupled_weight_decay");
}

static void
adam_declare_slots (const adam *p, lam_slots *s, const lam_type *var)
{
  static const char *const names[] = {"m", "v"};
  (void)p;
  (void)var;
  add_slots (s, names, 2);
}

static lam_tensor
clean (const adam *p, lam_trace *t, lam_tensor x)
{
  if (p->nonfinite_to_zero)
    return lam_where (t, lam_is_finite (t, x), x, lam_scalar_like (t, x, 0));
  return p->maybe_inf_to_nan ? inf_to_nan (t, x) : x;
}

/* optax.adam: moments with a bias, corrected when they are used */
static lam_tensor
plain (const adam *p, lam_trace *t, const lam_update *u)
{
  lam_tensor m = average (t, p->beta1, u->slots[0], u->grad);
  lam_tensor v = average (t, p->beta2, u->slots[1], lam_square (t, u->grad));
  u->new_slots[0] = m;
  u->new_slots[1] = v;
  m = unbias (t, p->beta1, m, steps (t, u, 1));
  v = unbias (t, p->beta2, v, steps (t, u, 1));
  return descend (t, u, over_root (t, m, v, p->epsilon_root, p->epsilon));
}

/* Moments without bias by the corrected decays; u = m / (sqrt (v + epsilon_root) + epsilon), its
 * rms capped, + weight_decay * var, * -lr */
static lam_tensor
adam_update (const adam *p, lam_trace *t, const lam_update *u)
{
  if (!p->sharded_adam)
    return plain (p, t, u);
  lam_tensor grad = clean (p, t, u->grad); /* as var */
  lam_tensor m = average_by (t, corrected_decay (t, u, p->beta1), u->slots[0], grad);
  lam_tensor v =
      average_by (t, corrected_decay (t, u, p->beta2), u->slots[1], lam_square (t, grad));
  u->new_slots[0] = m;
  u->new_slots[1] = v;
  lam_tensor x = over_root (t, m, v, p->epsilon_root, p->epsilon);
  if (p->clip_threshold != 0)
    x = cap (t, x, clean (p, t, rms (t, x)), p->clip_threshold);
  return descend (t, u, decay_weights (t, u, x, p->weight_decay));
}

LAM_OPTIMIZER (adam, "lamina.adam", 1, "Adam with a cap on the update.")
