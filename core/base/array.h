/* SPDX-License-Identifier: Apache-2.0 */
/* A host tensor: dtype, shape and dense row-major little-endian bytes, reference counted. */
#ifndef LM_BASE_ARRAY_H
#define LM_BASE_ARRAY_H

#include "core/base/error.h"

typedef struct LmArray {
  lam_type type;
  void *data;    /* 64-byte aligned when allocated here; read-only when it maps a file */
  int64_t bytes; /* lam_type_bytes (&type) */
  bool read_only;
} LmArray;

/* Zeroed array; NULL and an error if the size overflows or memory is short. */
LmArray *lm_array_new (const lam_type *type, GError **error);
LmArray *lm_array_new_copy (const lam_type *type, const void *data, GError **error);

/* Wraps memory kept alive by `owner` (destroy (owner) runs with the last unref); read-only. */
LmArray *lm_array_new_view (const lam_type *type, const void *data, void *owner,
                            GDestroyNotify destroy);

LmArray *lm_array_ref (LmArray *array);
void lm_array_unref (LmArray *array); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmArray, lm_array_unref)

/* Element i as a double / int64 whatever the dtype (f16 and bf16 too). */
double lm_array_get_double (const LmArray *array, int64_t i);
int64_t lm_array_get_int (const LmArray *array, int64_t i);

/* Stores x as element i of a float array, rounded once to the nearest, ties to even. */
void lm_array_set_double (LmArray *array, int64_t i, double x);

/* New array of another dtype, by the rules of the op `convert`. */
LmArray *lm_array_convert (const LmArray *array, lam_dtype dtype, GError **error);

/* 16-bit floats: exact widening; narrowing rounds to nearest even. */
float lm_f16_to_f32 (uint16_t h);
uint16_t lm_f32_to_f16 (float f);
float lm_bf16_to_f32 (uint16_t h);
uint16_t lm_f32_to_bf16 (float f);

#endif
