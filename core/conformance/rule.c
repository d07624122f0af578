/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerance table: what a backend's result may differ by, and why. */
#include "core/conformance/cases.h"

#include <string.h>

static const LmTolerance bits = {
    "equal bits", "elements are moved, integers or truth values: there is nothing to round"};
static const LmTolerance equal = {
    "equal", "IEEE 754 or ops.def names the one right result; a NaN may be any NaN"};
static const LmTolerance ulps4 = {
    "4 ulp; 16-bit 1",
    "no standard rounds it correctly: good libraries stay within 3 ulp in f32 and f64, and the "
    "reference's own libm within 1; f16 and bf16 are computed in f32 and rounded once"};
static const LmTolerance ulps16 = {
    "16 ulp; 16-bit 1",
    "an error of the inner logarithm or polynomial is magnified (the bound of OpenCL for pow)"};
static const LmTolerance logistic = {
    "4 ulp or tiny",
    "e^-x may overflow while the quotient is still above 0: below the smallest normal number any "
    "smaller result will do; a decomposition in 16 bits rounds three times"};
static const LmTolerance sum = {
    "by terms",
    "sums may be taken in any order: n terms differ by at most 8 (sqrt n + 1) u sum |term| "
    "(Higham and Mary 2019: fails once in 10^13), u of f64 or, for all others, of f32; then 1 ulp "
    "for the last rounding, 16 bits included. Integers: equal"};
static const LmTolerance products = {
    "by terms",
    "as sums (cumsum): 8 (sqrt n + 1) u sum |term| + 1 ulp; and n times the accumulator's least "
    "number, since each product may underflow there: bf16 has the exponents of f32. Integers: "
    "equal"};
static const LmTolerance reduction = {
    "add: by terms",
    "add as contractions: 8 (sqrt n + 1) u sum |term| + 1 ulp; multiply: 8 (sqrt n + 1) u |result| "
    "+ 1 ulp, u of f64 or f32; maximum, minimum, and, or, update and all integers: equal"};
static const LmTolerance steps = {
    "2^10 u of largest",
    "three training steps multiply the rounding of sums by the size of weights and gradients; what "
    "is right agrees to a few hundred u of each tensor's largest element"};
static const LmTolerance composite = {
    "64 u of largest",
    "a composite may be computed as a whole or equation by equation, each with its own rounding: "
    "differences are measured by the largest element; of f16 and bf16 16 u"};

/* Checks that are not in the lists below are of bits. */
static const struct {
  const LmRule rule;
  const char *const *checks;
} table[] = {
    {{LM_ALLOW_EQUAL, {0, 0}, false, &equal},
     (const char *const[]) {"add",        "subtract",
                            "multiply",   "divide",
                            "remainder",  "maximum",
                            "minimum",    "negate",
                            "abs",        "sign",
                            "floor",      "ceil",
                            "sqrt",       "round_nearest_even",
                            "clamp",      "convert",
                            "iota",       "reduce_precision",
                            "chains",     "donation",
                            "all_reduce", NULL}},
    {{LM_ALLOW_ULPS, {4, 1}, false, &ulps4},
     (const char *const[]) {"atan2", "exponential", "exponential_minus_one", "log", "log_plus_one",
                            "rsqrt", "cbrt", "sine", "cosine", "tan", "tanh", "erf", NULL}},
    {{LM_ALLOW_ULPS, {16, 1}, false, &ulps16}, (const char *const[]) {"power", "erf_inv", NULL}},
    {{LM_ALLOW_ULPS, {4, 4}, true, &logistic}, (const char *const[]) {"logistic", NULL}},
    {{LM_ALLOW_STEP, {64, 16}, false, &composite}, (const char *const[]) {"composite", NULL}},
    {{LM_ALLOW_SUM, {1, 1}, true, &products},
     (const char *const[]) {"dot_general", "convolution", NULL}},
    {{LM_ALLOW_SUM, {1, 1}, false, &sum}, (const char *const[]) {"cumsum", NULL}},
    {{LM_ALLOW_SUM, {1, 1}, false, &reduction},
     (const char *const[]) {"reduce", "reduce_window", "scatter", NULL}},
    {{LM_ALLOW_STEP, {1024, 1024}, false, &steps},
     (const char *const[]) {"steps_mlp", "steps_conv", NULL}},
};

static const LmRule moved = {LM_ALLOW_BITS, {0, 0}, false, &bits};

const LmRule *
lm_rule_of (const char *check)
{
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    if (g_strv_contains (table[i].checks, check))
      return &table[i].rule;
  return &moved;
}

LmAllow
lm_rule_allow (const LmRule *rule, const char *computation)
{
  if (rule->allow != LM_ALLOW_SUM || computation == NULL || strcmp (computation, "add") == 0)
    return rule->allow;
  return strcmp (computation, "multiply") == 0 ? LM_ALLOW_PRODUCT : LM_ALLOW_EQUAL;
}
