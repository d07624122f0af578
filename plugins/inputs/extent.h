/* SPDX-License-Identifier: Apache-2.0 */
/* How many elements a shape out of a file has, against the bytes that there are. */
#ifndef LAMINA_INPUTS_EXTENT_H
#define LAMINA_INPUTS_EXTENT_H

#include <lamina/types.h>

/* Number of elements; false where they are more than the bytes there are or, of an empty array, where
 * the other sizes alone are more than an int64 holds. */
static inline bool
extent_count (const lam_type *type, uint64_t bytes, int64_t *out)
{
  uint64_t room = bytes / (lam_dtype_bits (type->dtype) / 8), n = 1;
  bool empty = false;
  for (int32_t i = 0; i < type->rank; i++)
    empty = empty || type->dims[i] == 0;
  if (empty)
    room = INT64_MAX;
  for (int32_t i = 0; i < type->rank; i++) {
    if ((uint64_t)type->dims[i] > room / n)
      return false;
    n *= type->dims[i] != 0 ? (uint64_t)type->dims[i] : 1;
  }
  *out = empty ? 0 : (int64_t)n;
  return n <= room;
}

#endif
