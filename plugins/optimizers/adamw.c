/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.adamw: Adam (Kingma, Ba 2014) with the decoupled decay of Loshchilov, Hutter (2017), which is
 * the key decoupled_weight_decay of every optimizer. Semantics: optax.adamw. */
#include <lamina/optimizer.h>
#include <math.h>

typedef struct {
  double beta1, beta2, epsilon, epsilon_root;
} adamw;

LAM_FIELDS (adamw, LAM_FLOAT (beta1, 0.9, "Decay of the mean of gradients."), LAM_MIN (0),
            LAM_MAX (1), LAM_FLOAT (beta2, 0.999, "Decay of the mean of squared gradients."),
            LAM_MIN (0), LAM_MAX (1),
            LAM_FLOAT (epsilon, 1e-8, "Added to the root of the second moment."), LAM_MIN (0),
            LAM_FLOAT (epsilon_root, 0, "Added to the second moment under the root."), LAM_MIN (0))

static void
adamw_setup (adamw *p, lam_setup *s)
{
  if (!(p->beta1 < 1 && p->beta2 < 1))
    lam_setup_fail (s, "beta1 and beta2 want numbers in [0, 1)");
}

static void
adamw_declare_slots (const adamw *p, lam_slots *s, const lam_type *var)
{
  (void)p;
  (void)var;
  s->add (s, "mu", LAM_DTYPE_NONE, 0);
  s->add (s, "nu", LAM_DTYPE_NONE, 0);
}

/* beta * moment + (1 - beta) * value */
static lam_tensor
average (lam_trace *t, double beta, lam_tensor moment, lam_tensor value)
{
  moment = lam_mul_scalar (t, moment, beta);
  return lam_add (t, moment, lam_mul_scalar (t, value, 1 - beta));
}

/* moment / (1 - beta^(count + 1)), the power as e^(n log beta): beta near 1 loses no digits. */
static lam_tensor
unbias (lam_trace *t, double beta, lam_tensor moment, lam_tensor count)
{
  lam_tensor n = lam_add_scalar (t, lam_cast (t, count, lam_real_dtype (t)), 1);
  lam_tensor rest = lam_neg (t, lam_expm1 (t, lam_mul_scalar (t, n, log (beta))));
  return lam_div (t, moment, lam_cast (t, rest, lam_dtype_of (t, moment)));
}

/* u = -lr * mu^ / (sqrt (nu^ + epsilon_root) + epsilon) */
static lam_tensor
adamw_update (const adamw *p, lam_trace *t, const lam_update *u)
{
  lam_tensor rate = lam_neg (t, lam_cast (t, u->learning_rate, lam_dtype_of (t, u->var)));
  lam_tensor mu = average (t, p->beta1, u->slots[0], u->grad);                 /* as var */
  lam_tensor nu = average (t, p->beta2, u->slots[1], lam_square (t, u->grad)); /* as var */
  u->new_slots[0] = mu;
  u->new_slots[1] = nu;
  nu = lam_add_scalar (t, unbias (t, p->beta2, nu, u->count), p->epsilon_root);
  nu = lam_add_scalar (t, lam_sqrt (t, nu), p->epsilon);
  return lam_mul (t, lam_div (t, unbias (t, p->beta1, mu, u->count), nu), rate);
}

LAM_OPTIMIZER (adamw, "lamina.adamw", 1, "Adam with decoupled weight decay.")
