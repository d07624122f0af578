/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.identity_norm: the input as it is, where a config wants a norm. Semantics: praxis IdentityNorm. */
#include "norm.h"

typedef struct {
  int64_t dim;
} identity_norm;

LAM_FIELDS (identity_norm, LAM_INT (dim, 0, "Not used."), LAM_MIN (0))

static void
identity_norm_setup (identity_norm *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

/* in: x, or {inputs: x} -> x */
static lam_nest
identity_norm_fprop (const identity_norm *p, lam_trace *t, lam_nest in)
{
  (void)p;
  return lam_nest_of (t, norm_inputs (t, in, NULL));
}

LAM_METHODS (identity_norm, LAM_METHOD (identity_norm, fprop), LAM_USE (identity_norm, fprop))
LAM_LAYER_METHODS (identity_norm, "lamina.identity_norm", 1, "The input, in place of a norm.")
