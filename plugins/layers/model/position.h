/* SPDX-License-Identifier: Apache-2.0 */
/* Where positional embeddings get their positions from. */
#ifndef LAMINA_PLUGINS_MODEL_POSITION_H
#define LAMINA_PLUGINS_MODEL_POSITION_H

#include <lamina/layer.h>

typedef struct positions {
  lam_tensor given;   /* (B, T), or nil: 0 .. seq_length - 1 */
  int64_t seq_length; /* T */
  lam_dtype dtype;    /* of the inputs; LAM_DTYPE_NONE: not known */
} positions;

/*
 * in: position (B, T), or inputs (B, T, ...) whose T counts, or a map with one or both of them; without
 * any, seq_length (0: an error).
 */
static inline positions
positions_of (lam_trace *t, lam_nest in, int64_t seq_length)
{
  positions p = {lam_nil (), seq_length, LAM_DTYPE_NONE};
  bool map = t->api->nest_kind (t, in) == LAM_NEST_MAP;
  lam_tensor x = lam_nil ();
  if (map && lam_nest_has (t, in, "inputs"))
    x = lam_nest_get_tensor (t, in, "inputs");
  else if (!map)
    x = lam_nest_tensor (t, in);
  if (map && lam_nest_has (t, in, "position"))
    p.given = lam_nest_get_tensor (t, in, "position");
  if (!map && lam_rank_of (t, x) == 2) {
    p.given = x;
  } else if (!lam_is_nil (x) && lam_rank_of (t, x) >= 2) {
    p.seq_length = lam_shape_of (t, x).dims[1];
    p.dtype = lam_dtype_of (t, x);
  }
  if (!lam_is_nil (p.given)) {
    lam_check_shape (t, "positional embedding: position (B, T)", p.given, LAM_SHAPE (-1, -1));
    p.seq_length = lam_shape_of (t, p.given).dims[1];
  } else if (p.seq_length < 1 && lam_is_ok (t)) {
    lam_fail (t,
              "a positional embedding wants position (B, T), inputs (B, T, ...) or seq_length in "
              "its config");
  }
  return p;
}

/* The positions as a dtype, (B, T) or (1, T). */
static inline lam_tensor
positions_as (lam_trace *t, const positions *p, lam_dtype dtype)
{
  return lam_is_nil (p->given) ? lam_iota (t, dtype, LAM_SHAPE (1, p->seq_length), 1)
                               : lam_cast (t, p->given, dtype);
}

#endif
