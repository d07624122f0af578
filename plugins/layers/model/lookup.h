/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table by integer ids, in the two styles that embeddings share. Semantics:
 * praxis.layers.embedding_softmax. */
#ifndef LAMINA_PLUGINS_MODEL_LOOKUP_H
#define LAMINA_PLUGINS_MODEL_LOOKUP_H

#include <lamina/layer.h>
#include <string.h>

#define LOOKUP_STYLES "index matmul"

/* Ids as a signed integer type of at least 32 bits that holds `rows` too; nil and an error for floats. */
static inline lam_tensor
lookup_ids (lam_trace *t, lam_tensor ids)
{
  lam_dtype dtype = lam_dtype_of (t, ids);
  if (dtype == LAM_DTYPE_NONE)
    return lam_nil ();
  if (lam_dtype_is_float (dtype) || dtype == LAM_PRED) {
    lam_fail (t,
              "embedding: ids want integers (i32, u8 ...), got floats or bools: give the input an "
              "integer dtype");
    return lam_nil ();
  }
  return lam_cast (t, ids, lam_dtype_bits (dtype) < 32 || dtype == LAM_I32 ? LAM_I32 : LAM_I64);
}

/*
 * table: (N, D), ids: (...) from lookup_ids -> (..., D). Negative ids count from the end; ids beyond the
 * table read its nearest row and give it no gradient, as JAX's indexing does.
 */
static inline lam_tensor
lookup_index (lam_trace *t, lam_tensor table, lam_tensor ids)
{
  lam_tensor n = lam_scalar_like (t, ids, (double)lam_shape_of (t, table).dims[0]);
  lam_tensor zero = lam_zeros_like (t, ids), inside, rows;
  ids = lam_where (t, lam_lt (t, ids, zero), lam_add (t, ids, n), ids);
  inside = lam_and (t, lam_ge (t, ids, zero), lam_lt (t, ids, n)); /* (...) */
  rows = lam_take (t, table, ids, 0);
  return lam_where (t, lam_expand_dims (t, inside, -1), rows, lam_stop_gradient (t, rows));
}

/* The same by a matrix product with one-hot rows; an id outside 0 .. N-1 gives zeros. */
static inline lam_tensor
lookup_matmul (lam_trace *t, lam_tensor table, lam_tensor ids)
{
  lam_dtype dtype = lam_dtype_of (t, table);
  return lam_dot (t, lam_one_hot (t, ids, lam_shape_of (t, table).dims[0], dtype), table);
}

/* style: one of LOOKUP_STYLES. */
static inline lam_tensor
lookup (lam_trace *t, const char *style, lam_tensor table, lam_tensor ids)
{
  ids = lookup_ids (t, ids);
  if (lam_is_nil (ids))
    return ids;
  return strcmp (style, "matmul") == 0 ? lookup_matmul (t, table, ids)
                                       : lookup_index (t, table, ids);
}

#endif
