/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.mlp_block: feed-forward layers one after the other. Semantics and names (mlp_layers_0 ...):
 * praxis.layers.MLPBlock. */
#include <lamina/layer.h>
#include <string.h>

#define MAX_LAYERS 256

typedef struct {
  int64_t num_layers, hidden_dims;
  bool activate_final;
  lam_child_config ff_tpl;
  lam_child layers[MAX_LAYERS];
} mlp_block;

LAM_FIELDS (
    mlp_block, LAM_INT (num_layers, 3, "How many layers."), LAM_MIN (1), LAM_MAX (MAX_LAYERS),
    LAM_INT (hidden_dims, 128, "Depth between layers."), LAM_MIN (1),
    LAM_BOOL (activate_final, true, "Whether the last layer has an activation."),
    LAM_LAYER_CONFIG (ff_tpl, NULL,
                      "A layer such as lamina.feed_forward: its input_dims are those of the "
                      "first, its output_dims those of the last."),
    LAM_REQUIRED)

static void
mlp_block_setup (mlp_block *p, lam_setup *s)
{
  char name[40] = "mlp_layers_", number[24];
  if (!s->api->config_has (s, p->ff_tpl, "input_dims")
      || !s->api->config_has (s, p->ff_tpl, "output_dims"))
    lam_setup_fail (s,
                    "ff_tpl wants input_dims (of the first layer) and output_dims (of the last)");
  for (int64_t i = 0; i < p->num_layers; i++) {
    lam_child_config ff = s->api->config_copy (s, p->ff_tpl, 0);
    bool last = i == p->num_layers - 1;
    if (i > 0)
      lam_config_set_int (s, ff, "input_dims", p->hidden_dims);
    if (!last)
      lam_config_set_int (s, ff, "output_dims", p->hidden_dims);
    if (last && !p->activate_final)
      s->api->config_set (s, ff, "activation", "\"identity\"");
    if (last && !p->activate_final && s->api->config_has (s, ff, "activation_tpl"))
      s->api->config_set (s, ff, "activation_tpl", "null");
    strcpy (name + 11, lam_format_int (number, i));
    p->layers[i] = lam_create_child (s, name, ff);
  }
}

/* x: (..., input_dims) -> (..., output_dims) */
static lam_tensor
mlp_block_fprop (const mlp_block *p, lam_trace *t, lam_tensor x)
{
  for (int64_t i = 0; i < p->num_layers; i++)
    x = lam_call_tensor (t, p->layers[i], x);
  return x;
}

LAM_LAYER (mlp_block, "lamina.mlp_block", 1, "Feed-forward layers one after the other.")
