/* SPDX-License-Identifier: Apache-2.0 */
/* Gather and scatter as linear maps. */
#include <kit/ops.h>

#include <string.h>

/* The attribute names in which gather and scatter say the same things. */
typedef struct names {
  const char *window;  /* axes of result / updates that run inside a slice */
  const char *dropped; /* operand axes of slice size 1 that do not show */
  const char *operand_batch, *index_batch;
  const char *start_map;
} names;

static bool
has (const int64_t *list, uint64_t n, int64_t value)
{
  for (uint64_t i = 0; i < n; i++)
    if (list[i] == value)
      return true;
  return false;
}

/* Strides of the index array without its vector axis, in order: one for each batch axis of the
 * result. Returns how many. */
static int32_t
batch_strides (const lam_type *indices, int64_t vector_axis, int64_t *out, int32_t *out_axes)
{
  int64_t strides[LAM_MAX_RANK];
  int32_t n = 0;

  kit_strides (indices->rank, indices->dims, strides);
  for (int32_t k = 0; k < indices->rank; k++)
    if (k != vector_axis) {
      out_axes[n] = k;
      out[n++] = strides[k];
    }
  return n;
}

/* Operand strides of the axes that show in a slice, ascending. */
static int32_t
slice_strides (const lam_function *f, const lam_equation *e, const names *key,
               const lam_type *operand, int64_t *out, int32_t *out_axes)
{
  int64_t strides[LAM_MAX_RANK];
  uint64_t n_dropped, n_batch;
  const int64_t *dropped = lam_attr_ints (f, e, key->dropped, &n_dropped);
  const int64_t *batch = lam_attr_ints (f, e, key->operand_batch, &n_batch);
  int32_t n = 0;

  kit_strides (operand->rank, operand->dims, strides);
  for (int32_t k = 0; k < operand->rank; k++)
    if (!has (dropped, n_dropped, k) && !has (batch, n_batch, k)) {
      out_axes[n] = k;
      out[n++] = strides[k];
    }
  return n;
}

/* Operand stride of a batch axis of the indices, if the operand has the same batch axis. */
static int64_t
batching_stride (const lam_function *f, const lam_equation *e, const names *key,
                 const lam_type *operand, int32_t index_axis)
{
  int64_t strides[LAM_MAX_RANK];
  uint64_t n;
  const int64_t *operand_axes = lam_attr_ints (f, e, key->operand_batch, &n);
  const int64_t *index_axes = lam_attr_ints (f, e, key->index_batch, &n);

  kit_strides (operand->rank, operand->dims, strides);
  for (uint64_t i = 0; i < n; i++)
    if (index_axes[i] == index_axis)
      return strides[operand_axes[i]];
  return 0;
}

static void
read_starts (const lam_function *f, const lam_equation *e, const names *key,
             const int64_t *slice_sizes, kit_index *out)
{
  const lam_type *operand = lam_value_type (f, lam_operand (f, e, 0));
  const lam_type *indices = lam_value_type (f, lam_operand (f, e, 1));
  int64_t strides[LAM_MAX_RANK], vector_axis = lam_attr_int (f, e, "index_vector_dim", 0);
  uint64_t n;
  const int64_t *map = lam_attr_ints (f, e, key->start_map, &n);

  out->index_dtype = indices->dtype;
  out->n_starts = (uint32_t)n;
  kit_strides (indices->rank, indices->dims, strides);
  out->start_stride = vector_axis < indices->rank ? strides[vector_axis] : 0;
  kit_strides (operand->rank, operand->dims, strides);
  for (uint64_t c = 0; c < n; c++) {
    out->start_strides[c] = strides[map[c]];
    out->limits[c] = operand->dims[map[c]] - slice_sizes[map[c]];
  }
}

/* shape: of the result (gather) or the updates (scatter). */
static void
read_maps (const lam_function *f, const lam_equation *e, const names *key, const lam_type *shape,
           kit_index *out)
{
  const lam_type *operand = lam_value_type (f, lam_operand (f, e, 0));
  const lam_type *indices = lam_value_type (f, lam_operand (f, e, 1));
  int64_t of_batch[LAM_MAX_RANK], of_slice[LAM_MAX_RANK];
  int32_t batch_axes[LAM_MAX_RANK], slice_axes[LAM_MAX_RANK], batch = 0, slice = 0;
  uint64_t n_window;
  const int64_t *window = lam_attr_ints (f, e, key->window, &n_window);

  batch_strides (indices, lam_attr_int (f, e, "index_vector_dim", 0), of_batch, batch_axes);
  slice_strides (f, e, key, operand, of_slice, slice_axes);
  out->rank = shape->rank;
  memcpy (out->dims, shape->dims, sizeof out->dims);
  for (int32_t k = 0; k < shape->rank; k++) {
    if (has (window, n_window, k)) {
      out->operand_strides[k] = of_slice[slice++];
    } else {
      out->index_strides[k] = of_batch[batch];
      out->operand_strides[k] = batching_stride (f, e, key, operand, batch_axes[batch]);
      batch++;
    }
  }
}

void
kit_read_gather (const lam_function *f, const lam_equation *e, kit_index *out)
{
  static const names key = {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                            "start_indices_batching_dims", "start_index_map"};
  uint64_t n;

  memset (out, 0, sizeof *out);
  read_maps (f, e, &key, lam_value_type (f, e->first_result), out);
  read_starts (f, e, &key, lam_attr_ints (f, e, "slice_sizes", &n), out);
  out->fill = strcmp (lam_attr_str (f, e, "mode", "clip"), "fill") == 0;
  out->unique = lam_attr_int (f, e, "unique", 0) != 0;
}

void
kit_read_scatter (const lam_function *f, const lam_equation *e, kit_index *out)
{
  static const names key = {"update_window_dims", "inserted_window_dims", "input_batching_dims",
                            "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};
  const lam_type *operand = lam_value_type (f, lam_operand (f, e, 0));
  const lam_type *updates = lam_value_type (f, lam_operand (f, e, 2));
  int64_t strides[LAM_MAX_RANK], sizes[LAM_MAX_RANK];
  int32_t axes[LAM_MAX_RANK], n_axes;
  uint64_t n;
  const int64_t *window = lam_attr_ints (f, e, key.window, &n);

  memset (out, 0, sizeof *out);
  for (int32_t k = 0; k < LAM_MAX_RANK; k++)
    sizes[k] = 1;
  n_axes = slice_strides (f, e, &key, operand, strides, axes);
  for (int32_t k = 0; k < n_axes; k++)
    sizes[axes[k]] = updates->dims[window[k]];
  read_maps (f, e, &key, updates, out);
  read_starts (f, e, &key, sizes, out);
  out->fill = strcmp (lam_attr_str (f, e, "mode", "clip"), "fill") == 0;
  out->unique = lam_attr_int (f, e, "unique", 0) != 0;
  out->combine = kit_combine (f, e);
}
