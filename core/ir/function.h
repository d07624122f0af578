/* SPDX-License-Identifier: Apache-2.0 */
/* What a function owns behind its public face, and the blobs that functions share. Private to
 * core/ir. */
#ifndef LM_IR_FUNCTION_H
#define LM_IR_FUNCTION_H

#include "core/ir/ir.h"

/* Deepest nesting of regions, the outermost function counted. */
#define LM_MAX_DEPTH 16

/* Bytes attributes from this size on live in blobs, shared by reference between functions. Every
 * one of a finished function does, so that its blob is found from the data pointer. */
#define LM_BLOB_MIN 4096

typedef struct LmBlob LmBlob;

LmBlob *lm_blob_new (const void *data, gsize n); /* copies; NULL if memory is short */
LmBlob *lm_blob_ref (LmBlob *blob);
void lm_blob_unref (LmBlob *blob);          /* accepts NULL */
void *lm_blob_data (LmBlob *blob);          /* 64-byte aligned */
LmBlob *lm_blob_of_data (const void *data); /* inverse of lm_blob_data */

static inline bool
lm_attr_is_blob (const lam_attr *a)
{
  return a->kind == LAM_ATTR_BYTES && a->n >= LM_BLOB_MIN;
}

/* The whole of an LmFunction. Everything that `base.ir` points at, but blobs and regions, lies in
 * `chunk`. */
typedef struct LmFunctionBox {
  LmFunction base;
  gint refs;
  uint32_t depth; /* 1 without regions */
  void *chunk;
} LmFunctionBox;

static inline LmFunctionBox *
lm_function_box (const LmFunction *f)
{
  return (LmFunctionBox *)(uintptr_t)f;
}

#endif
