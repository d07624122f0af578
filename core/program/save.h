/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a run as a complete archive, from which it goes on bit for bit. Members:
 *
 *   config/model.json             the config in effect (seed and dtype as the run had them)
 *   weights/model.safetensors     all variables by path
 *   state/learners.safetensors    learner states by path
 *   state/loop.safetensors        step (u32 scalar), input (u8: the train input's position)
 *   assets/<path>                 data files that the inputs opened, up to LM_SAVE_ASSET_BYTES each
 *   everything else               carried over from the archive that the run started from
 *
 * Manifest keys: model {name, step, variables, numbers}, requires {plugins: what the layers and
 * learners came from}, backend (of the source). */
#ifndef LM_PROGRAM_SAVE_H
#define LM_PROGRAM_SAVE_H

#include "core/archive/archive.h"
#include "core/program/input.h"
#include "core/program/state.h"

/* Larger data files stay where they are: an archive then finds them beside itself. */
#define LM_SAVE_ASSET_BYTES (8u << 20)

typedef struct LmSave {
  LmState *state;
  const LmInput *input; /* the train input; NULL: no position is kept */
  LmArchive *source;    /* may be NULL */
  GHashTable *assets;   /* member name -> GBytes*; may be NULL */
} LmSave;

bool lm_save_archive (const LmSave *save, const char *path, GError **error);

/* What an archive holds of a run's state. */
typedef struct LmSaved {
  GHashTable *learners; /* path -> LmArray*; NULL when the archive holds none */
  uint64_t step;
  LmArray *input; /* NULL when the archive holds none */
} LmSaved;

bool lm_saved_read (LmArchive *archive, LmSaved *out, GError **error);
void lm_saved_clear (LmSaved *saved);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LmSaved, lm_saved_clear)

#endif
