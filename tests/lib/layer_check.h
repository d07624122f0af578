/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a layer that need no expected values: gradients against finite differences in f64, a bf16 call
 * against the f32 one, messages of bad configs and shapes.
 *
 * Texts: a config is JSON with ' for " ("{'type': 'lamina.linear', 'input_dims': 3}"); inputs are named with
 * their dims and, where they are no real numbers, what they hold: "inputs 2,5,4; paddings 2,5 mask" (0 or 1),
 * "labels 2,5 id 7" (i32 from 0 to 6). A single input is the layer's argument itself. */
#ifndef LM_TEST_LAYER_CHECK_H
#define LM_TEST_LAYER_CHECK_H

#include "tests/lib/layer_fn.h"

/* One call: variables as they start plus random numbers (non-trainable ones: positive), random inputs. */
typedef struct LmLayerCheck {
  const char *config, *inputs;
  bool do_eval;
  bool wide;   /* a loss: a bf16 call may give f32 */
  bool random; /* a bf16 call draws other numbers: only its dtype is checked */
} LmLayerCheck;

#define LM_CHECK_TRAIN(text, in)                                                                   \
  {                                                                                                \
    .config = text, .inputs = in                                                                   \
  }
#define LM_CHECK_EVAL(text, in)                                                                    \
  {                                                                                                \
    .config = text, .inputs = in, .do_eval = true                                                  \
  }
#define LM_CHECK_LOSS(text, in)                                                                    \
  {                                                                                                \
    .config = text, .inputs = in, .wide = true                                                     \
  }
#define LM_CHECK_RANDOM(text, in)                                                                  \
  {                                                                                                \
    .config = text, .inputs = in, .random = true                                                   \
  }

/* Adds, for each type among the n checks, /plugins/layers/<type>/gradients (every variable that is trainable,
 * every real input) and /plugins/layers/<type>/bf16. */
void lm_layer_check_add (const LmLayerCheck *checks, guint n);

/* The call of a check, traced, with its values; dtype: "f32" or "f64" of the model. */
LmLayerFn *lm_layer_check_fn (LmRegistry *registry, LmBackend *backend, const LmLayerCheck *check,
                              const char *dtype);

/* A bad config or bad inputs, and pieces that the message must have. */
typedef struct LmLayerRefusal {
  const char *config, *inputs; /* inputs NULL: the config is refused */
  const char *pieces[4];       /* the rest NULL */
} LmLayerRefusal;

void lm_layer_check_refusals (const LmLayerRefusal *refusals, guint n);

/* JSON text with ' for ". */
JsonObject *lm_layer_check_config (const char *text);

#endif
