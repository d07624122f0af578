/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.sm3: Anil et al. (2019), Adagrad whose sums are kept for each index of each dim.
 * Semantics: optax.sm3. */
#include "factor.h"

typedef struct {
  double momentum, b2, eps;
} sm3;

LAM_FIELDS (sm3, LAM_FLOAT (momentum, 0.9, "Decay of the mean of steps."), LAM_MIN (0), LAM_MAX (1),
            LAM_FLOAT (b2, 1, "Decay of the sums; 1: sums, else means."), LAM_MIN (0), LAM_MAX (1),
            LAM_FLOAT (eps, 1e-8, "Added to the sum under the root."), LAM_MIN (0))

static void
sm3_setup (sm3 *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

/* Slots: nu as var; mu_<i> of the size of dim i (one scalar for a scalar). */
static void
sm3_declare_slots (const sm3 *p, lam_slots *s, const lam_type *var)
{
  static const char *const names[] = {"mu_0", "mu_1", "mu_2", "mu_3",
                                      "mu_4", "mu_5", "mu_6", "mu_7"};
  (void)p;
  s->add (s, "nu", LAM_DTYPE_NONE, 0);
  for (int32_t i = 0; i < var->rank || i == 0; i++) {
    lam_type sums = {var->dtype, var->rank > 0, {var->rank > 0 ? var->dims[i] : 0}};
    add_slot (s, names[i], &sums, 0);
  }
}

/* The least of the sums that an element belongs to, as var */
static lam_tensor
least (lam_trace *t, const lam_update *u, lam_shape shape)
{
  lam_tensor out = u->slots[1];
  for (int32_t i = 0; i < shape.rank; i++) {
    lam_tensor sums = lam_broadcast_in_dim (t, u->slots[1 + i], shape, LAM_AXES (i));
    out = i == 0 ? sums : lam_min (t, out, sums);
  }
  return out;
}

/* The largest element over all dims but one. */
static lam_tensor
largest (lam_trace *t, lam_tensor x, int32_t rank, int32_t kept)
{
  lam_axes others = {0};
  for (int32_t i = 0; i < rank; i++)
    if (i != kept)
      others.dims[others.rank++] = i;
  return others.rank > 0 ? lam_max_over (t, x, others, false) : x;
}

/* sum = least + g^2; nu <- mean of g / sqrt (sum + eps), 0 where the sum is 0; u = -lr * nu */
static lam_tensor
sm3_update (const sm3 *p, lam_trace *t, const lam_update *u)
{
  lam_shape shape = lam_shape_of (t, u->grad);
  lam_tensor sum = lam_mul_scalar (t, least (t, u, shape), p->b2);
  lam_tensor square = lam_mul_scalar (t, lam_square (t, u->grad), p->b2 != 1 ? 1 - p->b2 : 1);
  sum = lam_add (t, sum, square); /* as var */
  lam_tensor zero = lam_scalar_like (t, sum, 0);
  lam_tensor factor = lam_rsqrt (t, lam_add_scalar (t, sum, p->eps));
  factor = lam_where (t, lam_gt (t, sum, zero), factor, zero);
  u->new_slots[0] = average (t, p->momentum, u->slots[0], lam_mul (t, u->grad, factor));
  for (int32_t i = 0; i < shape.rank || i == 0; i++)
    u->new_slots[1 + i] = largest (t, sum, shape.rank, i);
  return descend (t, u, u->new_slots[0]);
}

LAM_OPTIMIZER (sm3, "lamina.sm3", 1, "Adagrad with one sum for each index of each dim.")
