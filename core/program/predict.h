/* SPDX-License-Identifier: Apache-2.0 */
/* Prediction over batches of any shape: the predict step compiled once for each set of shapes, the
 * last few kept. */
#ifndef LM_PROGRAM_PREDICT_H
#define LM_PROGRAM_PREDICT_H

#include "core/program/state.h"

typedef struct LmPredictor LmPredictor;

LmPredictor *lm_predictor_new (LmState *state);  /* state must outlive it */
void lm_predictor_free (LmPredictor *predictor); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmPredictor, lm_predictor_free)

/* batch: name -> LmArray*; floats of another width than the model's are converted. Returns outputs by
 * name, new arrays. */
GHashTable *lm_predictor_run (LmPredictor *predictor, GHashTable *batch, GString *explain,
                              GError **error);

#endif
