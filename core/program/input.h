/* SPDX-License-Identifier: Apache-2.0 */
/* A named input of a model's config, opened: an input plugin with its batch of host arrays. */
#ifndef LM_PROGRAM_INPUT_H
#define LM_PROGRAM_INPUT_H

#include "core/step/step.h"
#include <lamina/input.h>

typedef struct LmInput LmInput;

/* Checks the config, opens the plugin, allocates one batch. files must outlive the input. NOT_FOUND
 * when the config has no input of that name. */
LmInput *lm_input_open (LmModel *model, const char *name, const lam_files *files, GError **error);

/* Replica `index` of `count`: the input gives its equal part of each batch of the config. */
typedef struct LmInputReplica {
  uint32_t index, count;
} LmInputReplica;

/* As lm_input_open, for one replica; INVALID where the batch cannot be split so. */
LmInput *lm_input_open_replica (LmModel *model, const char *name, const lam_files *files,
                                const LmInputReplica *replica, GError **error);
void lm_input_free (LmInput *input); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmInput, lm_input_free)

const char *lm_input_name (const LmInput *input);
const LmProvided *lm_input_provided (const LmInput *input);
const LmBatchSpec *lm_input_spec (const LmInput *input);
int64_t lm_input_batches (const LmInput *input); /* in an epoch; -1: unknown */

/* Fills the arrays with the next batch; *out_end and true when there is none. */
bool lm_input_next (LmInput *input, bool *out_end, GError **error);
LmArray *const *lm_input_arrays (const LmInput *input);

void lm_input_reset (LmInput *input);

/* Position: as a u8 array and back. */
LmArray *lm_input_save (const LmInput *input, GError **error);
bool lm_input_restore (LmInput *input, const LmArray *state, GError **error);

#endif
