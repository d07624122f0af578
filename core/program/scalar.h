/* SPDX-License-Identifier: Apache-2.0 */
/* Small results of a step, read into host memory that is allocated once. Private to core/program. */
#ifndef LM_PROGRAM_SCALAR_H
#define LM_PROGRAM_SCALAR_H

#include "core/run/run.h"

/* A result on the device and its host copy. */
typedef struct LmReadout {
  LmBuffer *buffer; /* borrowed */
  LmArray *host;
} LmReadout;

bool lm_readout_init (LmReadout *readout, LmBuffer *buffer, GError **error);
void lm_readout_clear (LmReadout *readout);

/* Copies to the host. */
bool lm_readout_update (LmReadout *readout, GError **error);

/* Mean of the elements: the value itself for a scalar. 0 for an empty tensor. */
double lm_readout_mean (const LmReadout *readout);

/* Buffers for results [first, n_results) of an executable, in the layouts it reports; free each with
 * lm_buffer_free. */
bool lm_result_buffers (LmBackend *backend, LmExecutable *exe, guint first, LmBuffer **out,
                        GError **error);
/* The same for its inputs [first, first + n). */
bool lm_input_buffers (LmBackend *backend, LmExecutable *exe, guint first, guint n, LmBuffer **out,
                       GError **error);

#endif
