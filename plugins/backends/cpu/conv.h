/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution by roles: strides of each operand's batch, feature and spatial axes, and the order in
 * which result positions and kernel elements are walked. */
#ifndef CPU_CONV_H
#define CPU_CONV_H

#include "cpu.h"

#define CPU_BATCH   -1 /* axis numbers of a walk: a spatial axis, or one of these */
#define CPU_FEATURE -2

/* Axes walked one inside the other; the last runs fastest. */
typedef struct cpu_walk {
  int32_t rank;
  int32_t axis[LAM_MAX_RANK];
  int64_t dims[LAM_MAX_RANK];
} cpu_walk;

typedef struct cpu_conv {
  kit_conv c;      /* with the strides of the views at hand, which may be negative */
  cpu_walk points; /* of the result: batch and spatial axes */
  cpu_walk taps;   /* of the kernel: spatial axes and input feature */
  bool taps_last;  /* patches are rows (point, tap); else (tap, point) */
} cpu_conv;

/* Patches of the points from .. from + n - 1 of one group: a dense matrix of n points by all taps (its
 * elements of `size` bytes), zero where the window sees padding. image: the group's first element. */
void cpu_conv_patches (const cpu_conv *v, int64_t size, const char *image, char *out, int64_t from,
                       int64_t n);

/* Plain loops over i64, for integers. */
void cpu_conv_integers (const cpu_conv *v, const uint64_t *lhs, const uint64_t *rhs, uint64_t *out);

#endif
