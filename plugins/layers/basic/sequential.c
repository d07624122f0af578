/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.sequential: one layer after the other; what a layer gives, tensor or nest, the next takes.
 * Semantics and names (layers_0 ...): praxis.layers.Sequential. */
#include <lamina/layer.h>
#include <string.h>

#define MAX_LAYERS 256

typedef struct {
  lam_child_config layers;
  lam_child children[MAX_LAYERS];
} sequential;

LAM_FIELDS (sequential, LAM_LAYERS (layers, NULL, "The layers, in order (at most 256)."),
            LAM_REQUIRED)

static void
sequential_setup (sequential *p, lam_setup *s)
{
  char name[40] = "layers_", number[24];
  if (p->layers.count > MAX_LAYERS)
    lam_setup_fail (s, "more than 256 layers: nest sequentials");
  for (uint32_t i = 0; i < p->layers.count && i < MAX_LAYERS; i++) {
    strcpy (name + 7, lam_format_int (number, i));
    p->children[i] = lam_create_child_at (s, name, p->layers, i);
  }
}

static lam_nest
sequential_fprop (const sequential *p, lam_trace *t, lam_nest x)
{
  for (uint32_t i = 0; i < p->layers.count; i++)
    x = lam_call (t, p->children[i], "fprop", x);
  return x;
}

LAM_METHODS (sequential, LAM_METHOD (sequential, fprop), LAM_USE (sequential, fprop))
LAM_LAYER_METHODS (sequential, "lamina.sequential", 1, "Layers one after the other.")
