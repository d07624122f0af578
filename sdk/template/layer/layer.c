/* SPDX-License-Identifier: Apache-2.0 */
/* A layer to copy: scales and shifts each channel. Change the struct, its fields, setup and fprop, then the
 * two lines at the end. Gradients are made by the host; nothing needs a check. */
#include <lamina/layer.h>

/* Config fields (named again in LAM_FIELDS) and what setup makes. Plain data. */
typedef struct {
  int64_t dims;
  bool has_shift;
  lam_var scale, shift; /* (dims) each */
} channel_scale;

/* Type, default, range and doc of each config key: the host checks them, `lamina params` shows them. */
LAM_FIELDS (channel_scale, LAM_INT (dims, 0, "Depth of the input."), LAM_REQUIRED, LAM_MIN (1),
            LAM_BOOL (has_shift, true, "Whether to add a learned shift."))

/* Runs once, when a model is built: variables and children are declared here. */
static void
channel_scale_setup (channel_scale *p, lam_setup *s)
{
  p->scale = lam_create_variable (s, "scale", LAM_SHAPE (p->dims), LAM_CONSTANT (1));
  if (p->has_shift)
    p->shift = lam_create_variable (s, "shift", LAM_SHAPE (p->dims), LAM_CONSTANT (0));
}

/* Runs once a trace and records operations; x: (..., dims) -> (..., dims) */
static lam_tensor
channel_scale_fprop (const channel_scale *p, lam_trace *t, lam_tensor x)
{
  lam_tensor y = lam_mul (t, x, lam_theta (t, p->scale));
  return p->has_shift ? lam_add (t, y, lam_theta (t, p->shift)) : y;
}

/* The id is what configs name ("type": "example.channel_scale"); raise the revision when the meaning of
 * stored weights changes. */
LAM_LAYER (channel_scale, "example.channel_scale", 1, "Scales and shifts each channel.")
LAM_PLUGIN ("example.layers", "0.1.0", "Apache-2.0", LAM_PROVIDES (channel_scale))
