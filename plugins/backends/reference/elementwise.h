/* SPDX-License-Identifier: Apache-2.0 */
/* The elementwise ops over blocks of wide elements; the switch over ops stands outside the loops. */
#ifndef REFERENCE_ELEMENTWISE_H
#define REFERENCE_ELEMENTWISE_H

#include "reference.h"

#define REF_BLOCK 256

/* dtype: that of the op; only erf_inv, whose f32 form is a fixed polynomial, looks at it. */
void ref_unary_float (int32_t op, lam_dtype dtype, int64_t n, const double *x, double *y);
void ref_binary_float (int32_t op, int64_t n, const double *a, const double *b, double *y);
void ref_clamp_float (int64_t n, const double *low, const double *x, const double *high, double *y);
void ref_compare_float (int32_t direction, int64_t n, const double *a, const double *b, int64_t *y);
void ref_is_finite (int64_t n, const double *x, int64_t *y);

void ref_unary_int (int32_t op, lam_dtype dtype, int64_t n, const int64_t *x, int64_t *y);
void ref_binary_int (int32_t op, lam_dtype dtype, int64_t n, const int64_t *a, const int64_t *b,
                     int64_t *y);
void ref_clamp_int (lam_dtype dtype, int64_t n, const int64_t *low, const int64_t *x,
                    const int64_t *high, int64_t *y);
void ref_compare_int (int32_t direction, lam_dtype dtype, int64_t n, const int64_t *a,
                      const int64_t *b, int64_t *y);

#endif
