/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of composites: of those that the SDK makes, which a backend may claim whole, with their gradients;
 * and of some that nobody knows. */
#include "core/conformance/cases.h"

#include "core/ir/text.h"
#include "core/transform/transform.h"
#include <lamina/ops.h>

/* --- the SDK's ----------------------------------------------------------------------------------------- */

static lam_tensor
softmax (lam_trace *t, const lam_tensor *in)
{
  return lam_softmax (t, in[0], -1);
}

static lam_tensor
softmax_outer (lam_trace *t, const lam_tensor *in)
{
  return lam_softmax (t, in[0], 0);
}

static lam_tensor
log_softmax (lam_trace *t, const lam_tensor *in)
{
  return lam_log_softmax (t, in[0], -1);
}

static lam_tensor
logsumexp (lam_trace *t, const lam_tensor *in)
{
  return lam_logsumexp (t, in[0], -1);
}

static lam_tensor
gelu (lam_trace *t, const lam_tensor *in)
{
  return lam_gelu (t, in[0], false);
}

static lam_tensor
gelu_approximate (lam_trace *t, const lam_tensor *in)
{
  return lam_gelu (t, in[0], true);
}

static lam_tensor
silu (lam_trace *t, const lam_tensor *in)
{
  return lam_silu (t, in[0]);
}

static lam_tensor
softplus (lam_trace *t, const lam_tensor *in)
{
  return lam_softplus (t, in[0]);
}

static lam_tensor
layer_norm (lam_trace *t, const lam_tensor *in)
{
  return lam_layer_norm (t, in[0], in[1], in[2], 0.001);
}

static lam_tensor
layer_norm_plain (lam_trace *t, const lam_tensor *in)
{
  return lam_layer_norm (t, in[0], lam_nil (), lam_nil (), 0.001);
}

static lam_tensor
cross_entropy (lam_trace *t, const lam_tensor *in)
{
  return lam_softmax_cross_entropy (t, in[0], in[1]);
}

/* Operands: x (B, D); then `rows` of its shape and `channels` of shape (D). */
typedef struct Known {
  const char *name;
  lam_tensor (*make) (lam_trace *t, const lam_tensor *in);
  guint rows, channels;
} Known;

static const Known known[] = {
    {"softmax", softmax, 0, 0},
    {"softmax_outer", softmax_outer, 0, 0},
    {"log_softmax", log_softmax, 0, 0},
    {"logsumexp", logsumexp, 0, 0},
    {"gelu", gelu, 0, 0},
    {"gelu_approximate", gelu_approximate, 0, 0},
    {"silu", silu, 0, 0},
    {"softplus", softplus, 0, 0},
    {"layer_norm", layer_norm, 0, 2},
    {"layer_norm_plain", layer_norm_plain, 0, 0},
    {"cross_entropy", cross_entropy, 1, 0},
};

static LmFunction *
trace_known (const LmCases *c, const Known *k, const int64_t *dims)
{
  g_autoptr (LmTrace) t =
      lm_trace_new (k->name, c->tables->trace, NULL, c->code == LAM_F64 ? LAM_F64 : LAM_F32);
  lam_type wide = lm_type (c->code, 2, dims), narrow = lm_type (c->code, 1, dims + 1);
  lam_tensor in[LM_CASE_PARAMS];
  for (guint i = 0; i < 1 + k->rows + k->channels; i++)
    in[i] = lm_trace_param (t, i < 1 + k->rows ? &wide : &narrow);
  lam_tensor y = k->make (lm_trace_pub (t), in);
  return lm_trace_finish (t, &y, 1, NULL);
}

/* The function, and its result with the gradient of every operand. */
static void
known_case (LmCases *c, const Known *k, const int64_t *dims)
{
  const bool all[LM_CASE_PARAMS] = {true, true, true, true, true, true, true, true};
  g_autoptr (LmFunction) f = trace_known (c, k, dims);
  g_autoptr (LmFunction) vjp = f != NULL ? lm_vjp (f, all, all, NULL) : NULL;
  g_autofree char *text = f != NULL ? lm_text_print (f) : g_strdup ("");
  g_autofree char *gradient = vjp != NULL ? lm_text_print (vjp) : g_strdup ("");
  lm_case_text (c, LM_DRAW_PLAIN, NULL, text);
  lm_case_text (c, LM_DRAW_PLAIN, NULL, gradient);
}

/* --- nobody's ------------------------------------------------------------------------------------------ */

static void
unknown_cases (LmCases *c, const char *s)
{
  g_autofree char *two = g_strdup_printf ("$[%s] $[%s]", s, s);
  g_autofree char *three = g_strdup_printf ("%s $[%s]", two, s);
  g_autofree char *pair = g_strdup_printf (
      "%%2, %%3 = composite(%%0, %%1) {name = \"conformance.pair\", version = 1, attributes = "
      "\"{}\"} (func @pair(%%0: $[%s], %%1: $[%s]) -> ($[%s], $[%s]) {\n"
      "%%2 = maximum(%%0, %%1)\n%%3 = minimum(%%2, %%1)\nreturn %%3, %%2\n})\n",
      s, s, s, s);
  g_autofree char *vjp = g_strdup_printf (
      "%%3 = composite(%%0, %%1, %%2) {name = \"conformance.pair.vjp\", version = 1, wanted = [1], "
      "cotangents = [0]} (func @vjp(%%0: $[%s], %%1: $[%s], %%2: $[%s]) -> ($[%s]) {\n"
      "%%3 = compare(%%0, %%1) {comparison_direction = \"LT\"}\n"
      "%%4 = select(%%3, %%2, %%0)\nreturn %%4\n})\n",
      s, s, s, s);
  lm_case_text (c, LM_DRAW_TIES, two, pair);
  lm_case_text (c, LM_DRAW_TIES, three, vjp);
}

void
lm_cases_composite (LmCases *c)
{
  static const char *const shapes[] = {"", "0", "7", "31,3"};
  static const int64_t dims[][2] = {{1, 1}, {5, 7}, {0, 3}, {67, 131}};
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    unknown_cases (c, shapes[i]);
  for (guint i = 0; i < G_N_ELEMENTS (known) && lam_dtype_is_float (c->code); i++)
    for (guint d = 0; d < G_N_ELEMENTS (dims); d++)
      known_case (c, &known[i], dims[d]);
}
