/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.activation: an elementwise non-linearity by name. Semantics: praxis.layers.activations. */
#include <lamina/layer.h>
#include <string.h>

typedef struct {
  const char *function;
  double negative_slope, alpha;
} activation;

#define FUNCTIONS                                                                                  \
  "relu relu6 leaky_relu elu sigmoid tanh gelu gelu_approximate silu swish softplus squared_relu " \
  "cubed_relu sine_relu exp identity"

LAM_FIELDS (activation, LAM_STRING (function, "relu", "Which function."), LAM_CHOICES (FUNCTIONS),
            LAM_FLOAT (negative_slope, 0.01, "Slope of leaky_relu below 0."),
            LAM_FLOAT (alpha, 1.0, "Limit of elu towards minus infinity, negated."))

static void
activation_setup (activation *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

static lam_tensor
relu6 (lam_trace *t, lam_tensor x)
{
  return lam_clip (t, x, 0, 6);
}

static lam_tensor
squared_relu (lam_trace *t, lam_tensor x)
{
  return lam_square (t, lam_relu (t, x));
}

static lam_tensor
cubed_relu (lam_trace *t, lam_tensor x)
{
  lam_tensor y = lam_relu (t, x);
  return lam_mul (t, y, lam_square (t, y));
}

static lam_tensor
sine_relu (lam_trace *t, lam_tensor x)
{
  return lam_sin (t, lam_relu (t, x));
}

static lam_tensor
gelu (lam_trace *t, lam_tensor x)
{
  return lam_gelu (t, x, false);
}

static lam_tensor
gelu_approximate (lam_trace *t, lam_tensor x)
{
  return lam_gelu (t, x, true);
}

static lam_tensor
identity (lam_trace *t, lam_tensor x)
{
  (void)t;
  return x;
}

static lam_tensor
leaky_relu (lam_trace *t, lam_tensor x, double slope)
{
  lam_tensor positive = lam_ge (t, x, lam_zeros_like (t, x));
  return lam_where (t, positive, x, lam_mul_scalar (t, x, slope));
}

/* expm1 sees 0 where x > 0, so that a large x gives no infinite gradient times 0. */
static lam_tensor
elu (lam_trace *t, lam_tensor x, double alpha)
{
  lam_tensor zero = lam_zeros_like (t, x), positive = lam_gt (t, x, zero);
  lam_tensor below = lam_expm1 (t, lam_where (t, positive, zero, x));
  return lam_where (t, positive, x, lam_mul_scalar (t, below, alpha));
}

/* x: any shape -> the same shape */
static lam_tensor
activation_fprop (const activation *p, lam_trace *t, lam_tensor x)
{
  static const struct {
    const char *name;
    lam_tensor (*apply) (lam_trace *t, lam_tensor x);
  } plain[] = {{"relu", lam_relu},
               {"relu6", relu6},
               {"sigmoid", lam_sigmoid},
               {"tanh", lam_tanh},
               {"gelu", gelu},
               {"gelu_approximate", gelu_approximate},
               {"silu", lam_silu},
               {"swish", lam_silu},
               {"softplus", lam_softplus},
               {"squared_relu", squared_relu},
               {"cubed_relu", cubed_relu},
               {"sine_relu", sine_relu},
               {"exp", lam_exp},
               {"identity", identity}};
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
    if (strcmp (p->function, plain[i].name) == 0)
      return plain[i].apply (t, x);
  return strcmp (p->function, "elu") == 0 ? elu (t, x, p->alpha)
                                          : leaky_relu (t, x, p->negative_slope);
}

LAM_LAYER (activation, "lamina.activation", 1, "An elementwise non-linearity by name.")
