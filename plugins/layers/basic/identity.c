/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.identity: what comes in, tensor or nest, goes out. */
#include <lamina/layer.h>

typedef struct {
  uint32_t unused;
} identity;

LAM_NO_FIELDS (identity)

static void
identity_setup (identity *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

static lam_nest
identity_fprop (const identity *p, lam_trace *t, lam_nest in)
{
  (void)p;
  (void)t;
  return in;
}

LAM_METHODS (identity, LAM_METHOD (identity, fprop), LAM_USE (identity, fprop))
LAM_LAYER_METHODS (identity, "lamina.identity", 1, "Gives what it takes.")
