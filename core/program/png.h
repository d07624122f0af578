/* SPDX-License-Identifier: Apache-2.0 */
/* Small PNG images (RFC 2083) by zlib. Private to core/program. */
#ifndef LM_PROGRAM_PNG_H
#define LM_PROGRAM_PNG_H

#include "core/base/error.h"

/* pixels (height, width, channels), channels 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA; 8 bits each.
 * NULL for other channels, for an empty image, and when memory is short. */
GByteArray *lm_png_encode (const guint8 *pixels, const int64_t size[3]);

#endif
