/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs whose rows are the first axis of arrays in memory: `inputs`, and integer `labels` where there
 * are any. Shared by the formats that hold arrays (npz, IDX, safetensors). */
#ifndef LAMINA_INPUTS_EXAMPLES_H
#define LAMINA_INPUTS_EXAMPLES_H

#include "rows.h"

#include <lamina/ext/zip.h>

/* An array in memory: elements row-major, of no alignment. */
typedef struct {
  lam_type type;
  int64_t elements;
  const unsigned char *data;
  bool big_endian;
} examples_array;

/* Such an input. */
typedef struct {
  rows rows; /* first */
  const char *inputs, *labels, *dtype;
  double scale, offset;
  /* opened */
  examples_array x, y; /* x (N, ...), y (N) */
  bool has_labels, keep;
  lam_file *handle, *labels_handle; /* labels_handle: where they have a file of their own */
  const lam_ext_zip *zips;
  lam_zip *zip; /* of .npz */
} examples;

/* The options that all of them have, beside ROWS_FIELDS. */
#define EXAMPLES_FIELDS                                                                            \
  LAM_FLOAT (scale, 1.0, "Inputs are multiplied by it."),                                          \
      LAM_FLOAT (offset, 0.0, "Added to inputs after scaling."),                                   \
      LAM_STRING (dtype, "real",                                                                   \
                  "What inputs come as: the model's float, or what the file has, unscaled."),      \
      LAM_CHOICES ("real keep")

/* Bits of element i, little-endian whatever the file has. */
static inline uint64_t
examples_bits (const examples_array *a, uint64_t i)
{
  uint32_t width = lam_dtype_bits (a->type.dtype) / 8;
  const unsigned char *at = a->data + i * width;
  uint64_t bits = 0;
  for (uint32_t k = 0; k < width; k++)
    bits |= (uint64_t)at[a->big_endian ? width - 1 - k : k] << (8 * k);
  return bits;
}

static inline double
examples_f64 (uint64_t bits)
{
  double v;
  memcpy (&v, &bits, sizeof v);
  return v;
}

static inline double
examples_f32 (uint32_t bits)
{
  float v;
  memcpy (&v, &bits, sizeof v);
  return v;
}

/* The exponent moves from bias 15 to 1023; subnormals are exact multiples of 2^-24. */
static inline double
examples_f16 (uint64_t bits)
{
  uint64_t sign = bits >> 15 << 63, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 0)
    return (sign != 0 ? -1 : 1) * (double)fraction / 16777216.0;
  return examples_f64 (sign | (exponent == 31 ? 2047 : exponent + 1008) << 52 | fraction << 42);
}

/* Element i as a double. */
static inline double
examples_element (const examples_array *a, uint64_t i)
{
  uint32_t width = lam_dtype_bits (a->type.dtype) / 8;
  uint64_t bits = examples_bits (a, i);
  switch (a->type.dtype) {
  case LAM_F64:
    return examples_f64 (bits);
  case LAM_F32:
    return examples_f32 ((uint32_t)bits);
  case LAM_BF16:
    return examples_f32 ((uint32_t)bits << 16);
  case LAM_F16:
    return examples_f16 (bits);
  case LAM_PRED:
    return bits != 0;
  default:
    if (lam_dtype_is_signed (a->type.dtype))
      return (double)((int64_t)(bits << (64 - 8 * width)) >> (64 - 8 * width));
    return (double)bits;
  }
}

/* --- opening --------------------------------------------------------------------------------------------- */

static inline lam_status
examples_check_labels (examples *p, lam_error *error)
{
  lam_dtype dtype = p->y.type.dtype;
  if (lam_dtype_is_float (dtype) || p->y.type.rank != 1)
    return rows_fail (&p->rows, error, LAM_E_INVALID,
                      "array \"%.60s\": labels want integers of shape (N), got %s of rank %d",
                      p->labels, lam_dtype_name (dtype), (int)p->y.type.rank);
  if (p->y.type.dims[0] != p->x.type.dims[0])
    return rows_fail (&p->rows, error, LAM_E_INVALID, "%" PRId64 " inputs but %" PRId64 " labels",
                      p->x.type.dims[0], p->y.type.dims[0]);
  for (int64_t i = 0; i < p->y.elements; i++) {
    double label = examples_element (&p->y, (uint64_t)i);
    if (label < INT32_MIN || label > INT32_MAX)
      return rows_fail (&p->rows, error, LAM_E_INVALID, "label %" PRId64 " does not fit i32", i);
  }
  return LAM_OK;
}

/* The last step of opening, when x, y and has_labels are there. */
static inline lam_status
examples_begin (examples *p, lam_error *error)
{
  lam_type row = {0}, label = {0};
  lam_status status;
  label.dtype = LAM_I32;
  p->keep = strcmp (p->dtype, "keep") == 0;
  if (p->x.type.rank < 1)
    return rows_fail (&p->rows, error, LAM_E_INVALID, "inputs want a first axis of examples");
  if (p->x.elements == 0 && p->x.type.dims[0] != 0)
    return rows_fail (&p->rows, error, LAM_E_INVALID, "the rows of the inputs have no elements");
  if (p->keep && (p->scale != 1 || p->offset != 0))
    return rows_fail (&p->rows, error, LAM_E_INVALID, "dtype keep excludes scale and offset");
  status = p->has_labels ? examples_check_labels (p, error) : LAM_OK;
  if (status != LAM_OK)
    return status;
  row.dtype = p->keep ? p->x.type.dtype : p->rows.real;
  row.rank = p->x.type.rank - 1;
  memcpy (row.dims, p->x.type.dims + 1, (size_t)row.rank * sizeof row.dims[0]);
  status = rows_add_tensor (&p->rows, "inputs", &row, error);
  if (status == LAM_OK && p->has_labels)
    status = rows_add_tensor (&p->rows, "labels", &label, error);
  return status == LAM_OK ? rows_begin_epochs (&p->rows, (uint64_t)p->x.type.dims[0], 0, error)
                          : status;
}

static inline void
examples_close (examples *p)
{
  if (p->zip != NULL)
    p->zips->close (p->zip);
  rows_close_file (&p->rows, p->handle);
  rows_close_file (&p->rows, p->labels_handle);
  rows_end (&p->rows);
}

/* --- batches --------------------------------------------------------------------------------------------- */

/* Element i of x to element k of dst, as it is. */
static inline void
examples_keep (const examples *p, unsigned char *dst, uint64_t k, uint64_t i)
{
  uint32_t width = lam_dtype_bits (p->x.type.dtype) / 8;
  uint64_t bits = examples_bits (&p->x, i);
  if (p->x.type.dtype == LAM_PRED)
    bits = bits != 0;
  for (uint32_t b = 0; b < width; b++)
    dst[k * width + b] = (unsigned char)(bits >> (8 * b));
}

static inline lam_status
examples_put (const void *self, void *const *dst, uint64_t k, uint32_t row, lam_error *error)
{
  const examples *p = (const examples *)self;
  uint64_t size = p->rows.tensors[0].row_size;
  (void)error;
  for (uint64_t i = 0; i < size; i++) {
    if (p->keep)
      examples_keep (p, (unsigned char *)dst[0], k * size + i, row * size + i);
    else
      rows_put_real (p->rows.real, dst[0], k * size + i,
                     examples_element (&p->x, row * size + i) * p->scale + p->offset);
  }
  if (p->has_labels)
    ((int32_t *)dst[1])[k] = (int32_t)examples_element (&p->y, row);
  return LAM_OK;
}

#endif
