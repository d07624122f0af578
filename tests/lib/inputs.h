/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs over files that a test writes: opened through the host, as programs open them. */
#ifndef LM_TEST_INPUTS_H
#define LM_TEST_INPUTS_H

#include "core/program/input.h"
#include "tests/lib/fixture.h"

typedef struct LmTestInputs {
  LmRegistry *registry;
  struct lam_files *files;
  char *folder;      /* new; goes with the object */
  const char *dtype; /* of the models, "f32"; change it between calls */
  GPtrArray *models;
} LmTestInputs;

LmTestInputs *lm_test_inputs_new (void);
void lm_test_inputs_free (LmTestInputs *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmTestInputs, lm_test_inputs_free)

/* Writes a file of the folder; n -1: data is a text. */
void lm_test_inputs_write (LmTestInputs *t, const char *name, const void *data, gssize n);

/* Opens an input from its config, JSON with ' in place of ", as replica `index` of `count`. NULL and the
 * error where it is refused. */
LmInput *lm_test_inputs_open (LmTestInputs *t, const char *config, uint32_t index, uint32_t count,
                              GError **error);

/* As above, alone, and it must open. */
LmInput *lm_test_inputs_good (LmTestInputs *t, const char *config);

/* Fails unless the config is refused with that code and a message that holds `says`. */
void lm_test_inputs_refused (LmTestInputs *t, const char *config, LmErrorCode code,
                             const char *says);

/* The next batch, which must be there. */
void lm_test_inputs_next (LmInput *input);

/* Tensor of the last batch by name, must be there. */
const LmArray *lm_test_inputs_array (const LmInput *input, const char *name);

/* Fails unless the tensor has this type ("f32[2,3]") and, in order, these numbers; any NaN is NaN. */
void lm_test_inputs_expect (const LmInput *input, const char *name, const char *type,
                            const double *values);

#endif
