/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.rotary_positional_embedding: turns the two halves of each head by angles that grow with the
 * position (Su et al., "RoFormer", 2021). Semantics and names: praxis.layers.RotaryPositionalEmbedding. */
#include "position.h"

#include <math.h>

typedef struct {
  int64_t min_timescale, max_timescale, embedding_dims;
  bool cast_as_fprop_dtype;
} rotary_positional_embedding;

LAM_FIELDS (rotary_positional_embedding,
            LAM_INT (min_timescale, 1, "Positions for one radian, of the fastest pair."),
            LAM_MIN (1), LAM_INT (max_timescale, 10000, "The same where the slowest would follow."),
            LAM_MIN (1), LAM_INT (embedding_dims, 0, "Depth H of a head, an even number."),
            LAM_REQUIRED, LAM_MIN (2),
            LAM_BOOL (cast_as_fprop_dtype, true,
                      "Whether the result has the inputs' dtype, else the "
                      "model's."))

static void
rotary_positional_embedding_setup (rotary_positional_embedding *p, lam_setup *s)
{
  if (p->embedding_dims % 2 != 0)
    lam_setup_fail (s, "embedding_dims wants an even number: it is turned in pairs");
}

/* where: (B, S) or (1, S) -> (B or 1, S, 1, H / 2), radians */
static lam_tensor
angles (const rotary_positional_embedding *p, lam_trace *t, const positions *where)
{
  int64_t n = p->embedding_dims / 2;
  double step = log ((double)p->max_timescale / (double)p->min_timescale) / (double)n;
  lam_tensor scale = lam_iota (t, lam_real_dtype (t), LAM_SHAPE (n), 0), at;
  scale = lam_exp (t, lam_mul_scalar (t, scale, step));
  scale = lam_mul_scalar (t, scale, (double)p->min_timescale);
  at = positions_as (t, where, lam_real_dtype (t));
  at = lam_expand_dims (t, lam_expand_dims (t, at, -1), -1);
  return lam_div (t, at, scale);
}

/* in: inputs (B, S, N, H), or {inputs, position (B, S)} -> (B, S, N, H) */
static lam_nest
rotary_positional_embedding_fprop (const rotary_positional_embedding *p, lam_trace *t, lam_nest in)
{
  positions where = positions_of (t, in, 0);
  bool map = t->api->nest_kind (t, in) == LAM_NEST_MAP;
  lam_tensor x = map ? lam_nest_get_tensor (t, in, "inputs") : lam_nest_tensor (t, in);
  lam_tensor a, b, sine, cosine, parts[2]; /* each (B, S, N, H / 2) */
  lam_dtype dtype = p->cast_as_fprop_dtype ? lam_dtype_of (t, x) : lam_real_dtype (t);
  if (!lam_check_shape (t, "rotary_positional_embedding: inputs (B, S, N, embedding_dims)", x,
                        LAM_SHAPE (-1, -1, -1, p->embedding_dims)))
    return lam_nest_of (t, lam_nil ());
  x = lam_cast (t, x, lam_real_dtype (t));
  a = lam_slice_axis (t, x, 3, 0, p->embedding_dims / 2);
  b = lam_slice_axis (t, x, 3, p->embedding_dims / 2, p->embedding_dims);
  sine = angles (p, t, &where);
  cosine = lam_cos (t, sine);
  sine = lam_sin (t, sine);
  parts[0] = lam_sub (t, lam_mul (t, a, cosine), lam_mul (t, b, sine));
  parts[1] = lam_add (t, lam_mul (t, b, cosine), lam_mul (t, a, sine));
  return lam_nest_of (t, lam_cast (t, lam_concat (t, parts, 2, 3), dtype));
}

LAM_METHODS (rotary_positional_embedding, LAM_METHOD (rotary_positional_embedding, fprop),
             LAM_USE (rotary_positional_embedding, fprop))
LAM_LAYER_METHODS (rotary_positional_embedding, "lamina.rotary_positional_embedding", 1,
                   "Turns the halves of each head by the position.")
