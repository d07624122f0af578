/* SPDX-License-Identifier: Apache-2.0 */
/* TensorBoard event files: records of the protocol buffer message tensorflow.Event, each with its
 * length and masked CRC-32C (tensorflow/core/lib/io/record_writer.h, tensorflow/core/util/event.proto).
 * The few messages needed are encoded here: a protocol buffer library would bring a C++ compiler and
 * generated code for some twenty fields. */
#ifndef LM_PROGRAM_EVENTS_H
#define LM_PROGRAM_EVENTS_H

#include "core/base/error.h"

typedef struct LmEvents LmEvents;

/* A new file events.out.tfevents.SECONDS.HOST.PID.N in the folder, which is made if need be. */
LmEvents *lm_events_new (const char *folder, GError **error);
void lm_events_free (LmEvents *events); /* accepts NULL; what was not flushed may be lost */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmEvents, lm_events_free)
const char *lm_events_path (const LmEvents *events);

/* One event each, of a step and a tag. The first failure is kept for flush; later calls do nothing. */
void lm_events_scalar (LmEvents *events, uint64_t step, const char *tag, double value);
void lm_events_text (LmEvents *events, uint64_t step, const char *tag, const char *text,
                     gsize bytes);
/* rows (n, 3): left edge, right edge, count of each bucket. */
void lm_events_histogram (LmEvents *events, uint64_t step, const char *tag, const double *rows,
                          guint n);
/* pixels (height, width, channels) of bytes; channels 1 (grey), 2 (grey, alpha), 3 or 4. Kept as PNG. */
void lm_events_image (LmEvents *events, uint64_t step, const char *tag, const guint8 *pixels,
                      const int64_t size[3]);

/* Hands all of it to the system; false and the first failure, naming the file. */
bool lm_events_flush (LmEvents *events, GError **error);

/* CRC-32C (Castagnoli), reflected, as RFC 3720 has it: of "123456789" it is 0xe3069283. */
guint32 lm_crc32c (const void *data, gsize bytes);

#endif
