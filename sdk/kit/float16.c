/* SPDX-License-Identifier: Apache-2.0 */
/* One rounding from double to the 16-bit floats. */
#include <kit/float16.h>

/* x as a float that rounds to 16 bits as x itself does: rounded to odd, so that what was cut off still
 * decides a tie. Right because a float has at least two more bits than either target. */
static float
round_to_odd (double x)
{
  float y = (float)x;
  uint32_t u = kit_bits_of_f32 (y);

  if (x != x || (double)y == x)
    return y;
  if ((double)y > x ? x >= 0 : x < 0) /* rounded away from zero: step back (from infinity too) */
    u--;
  return kit_f32_of_bits (u | 1u);
}

uint16_t
kit_f64_to_f16 (double x)
{
  return kit_f32_to_f16 (round_to_odd (x));
}

uint16_t
kit_f64_to_bf16 (double x)
{
  return kit_f32_to_bf16 (round_to_odd (x));
}
