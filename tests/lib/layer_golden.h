/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of plugins/layers against praxis (golden group layers): values, gradients along the given
 * cotangents, updated variables; f32 on the reference backend.
 *
 * A program of one family names the cases that nothing runs yet:
 *
 *   static const char *const later[] = {"layer.case", NULL};
 *   static const LmLayerSuite suite = {.family = "basic", .later = later};
 *   lm_layer_golden_add (&suite);
 */
#ifndef LM_TEST_LAYER_GOLDEN_H
#define LM_TEST_LAYER_GOLDEN_H

#include "tests/lib/golden.h"
#include "tests/lib/layer_fn.h"

/* The family (folder of plugins/layers), a class of praxis, our id, and a member of our config that the class
 * stands for as JSON text ("\"function\": \"relu\"") or NULL. */
typedef struct LmLayerRow {
  const char *family, *praxis, *ours, *member;
} LmLayerRow;

/* All rows (layer_rows.c); the last has family NULL. */
extern const LmLayerRow lm_layer_rows[];

typedef struct LmLayerSuite {
  const char *family;
  const char *const *later; /* ids of cases, say the reason beside each */
  /* Puts a field of upstream's into our config where names or forms differ; true if it did. May be NULL. */
  bool (*field) (JsonObject *ours, const char *key, JsonNode *value);
  /* Ids of cases whose upstream gradients have NaN elements that no mathematics wants (a division by 0 in the
   * branch that a selection drops): ours must be finite there. May be NULL. */
  const char *const *nan_grads;
  bool keep_inputs; /* upstream's fprop_dtype casts the variables of these classes only */
} LmLayerSuite;

/* Adds the tests /plugins/layers/<our name>/golden (the cases of every class that is that layer) and
 * /plugins/layers/<family>/complete: every case of the group has a row, every row of the family a case, and every
 * id listed as later is a case. */
void lm_layer_golden_add (const LmLayerSuite *suite);

/* Runs a case of the group layer_cases: attrs hold our config and the model's dtype. */
void lm_layer_golden_run_own (LmRegistry *registry, LmBackend *backend, const LmGolden *g,
                              const LmGoldenCase *c);

/* Our config of a case. */
JsonObject *lm_layer_golden_config (const LmLayerSuite *suite, const LmGoldenCase *c);

#endif
