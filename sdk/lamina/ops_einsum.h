/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ops_einsum.h
 * Sums of products by axis letters, as numpy.einsum writes them, over dot_general. Included by ops.h.
 */
#ifndef LAMINA_OPS_EINSUM_H
#define LAMINA_OPS_EINSUM_H

#include <lamina/ops_reduce.h>
#include <lamina/ops_shape.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Letters of one operand or of the result. */
typedef struct lam_einsum_letters {
  int32_t n;             /**< how many, one for each axis */
  char at[LAM_MAX_RANK]; /**< a-z and A-Z, not terminated */
} lam_einsum_letters;

static inline int32_t
lam_einsum_find_ (const lam_einsum_letters *l, char c)
{
  for (int32_t i = 0; i < l->n; i++)
    if (l->at[i] == c)
      return i;
  return -1;
}

/* Reads letters up to one that is none, each at most once; NULL if there are too many or one twice. */
static inline const char *
lam_einsum_read_ (const char *p, lam_einsum_letters *out)
{
  for (out->n = 0; (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z'); p++) {
    if (out->n == LAM_MAX_RANK || lam_einsum_find_ (out, *p) >= 0)
      return NULL;
    out->at[out->n++] = *p;
  }
  return p;
}

/* "ab,bc->ac" or "ab->b"; false when it is not of that form or the result names an unknown letter. */
static inline bool
lam_einsum_parse_ (const char *p, bool two, lam_einsum_letters in[2], lam_einsum_letters *out)
{
  in[1].n = 0;
  p = lam_einsum_read_ (p, &in[0]);
  if (two)
    p = p != NULL && *p == ',' ? lam_einsum_read_ (p + 1, &in[1]) : NULL;
  p = p != NULL && p[0] == '-' && p[1] == '>' ? lam_einsum_read_ (p + 2, out) : NULL;
  for (int32_t i = 0; p != NULL && i < out->n; i++)
    if (lam_einsum_find_ (&in[0], out->at[i]) < 0 && lam_einsum_find_ (&in[1], out->at[i]) < 0)
      return false;
  return p != NULL && *p == '\0';
}

/* Sums the axes of x away that neither the result nor the other operand has. */
static inline lam_tensor
lam_einsum_sum_ (lam_trace *t, lam_tensor x, lam_einsum_letters *own,
                 const lam_einsum_letters *other, const lam_einsum_letters *out)
{
  lam_axes gone = LAM_NO_AXES;
  lam_einsum_letters left;
  left.n = 0;
  for (int32_t i = 0; i < own->n; i++)
    if (lam_einsum_find_ (other, own->at[i]) < 0 && lam_einsum_find_ (out, own->at[i]) < 0)
      gone.dims[gone.rank++] = i;
    else
      left.at[left.n++] = own->at[i];
  *own = left;
  return gone.rank > 0 ? lam_sum (t, x, gone, false) : x;
}

/* Axes in the order of `have` moved to the order of `want`; both hold the same letters. */
static inline lam_tensor
lam_einsum_order_ (lam_trace *t, lam_tensor x, const lam_einsum_letters *have,
                   const lam_einsum_letters *want)
{
  lam_axes permutation = LAM_NO_AXES;
  bool moves = false;
  for (int32_t i = 0; i < want->n; i++) {
    int32_t from = lam_einsum_find_ (have, want->at[i]);
    permutation.dims[permutation.rank++] = from;
    moves = moves || from != i;
  }
  return moves ? lam_transpose (t, x, permutation) : x;
}

/* Product of both sides; made gets the letters of its axes. */
static inline lam_tensor
lam_einsum_dot_ (lam_trace *t, lam_tensor a, lam_tensor b, const lam_einsum_letters in[2],
                 const lam_einsum_letters *out, lam_einsum_letters *made)
{
  lam_dot_dims d;
  d.lhs_batch = d.rhs_batch = d.lhs_contract = d.rhs_contract = LAM_NO_AXES;
  d.out_dtype = LAM_DTYPE_NONE;
  made->n = 0;
  for (int32_t i = 0; i < in[0].n; i++) {
    int32_t k = lam_einsum_find_ (&in[1], in[0].at[i]);
    bool kept = lam_einsum_find_ (out, in[0].at[i]) >= 0;
    lam_axes *lhs = kept ? &d.lhs_batch : &d.lhs_contract;
    lam_axes *rhs = kept ? &d.rhs_batch : &d.rhs_contract;
    if (k < 0)
      continue;
    lhs->dims[lhs->rank++] = i;
    rhs->dims[rhs->rank++] = k;
    if (kept)
      made->at[made->n++] = in[0].at[i];
  }
  for (int side = 0; side < 2; side++)
    for (int32_t i = 0; i < in[side].n; i++)
      if (lam_einsum_find_ (&in[1 - side], in[side].at[i]) < 0)
        made->at[made->n++] = in[side].at[i];
  return lam_dot_general (t, a, b, &d);
}

/**
 * numpy.einsum of one operand (b nil: "bij->bji", "ij->") or two ("btd,dnh->btnh"). Letters name axes;
 * a letter on both sides and in the result is a batch axis, one that the result lacks is summed. Not
 * taken: "...", a letter twice in one operand (diagonals), a missing "->".
 */
static inline lam_tensor
lam_einsum (lam_trace *t, const char *spec, lam_tensor a, lam_tensor b)
{
  lam_einsum_letters in[2], out, made;
  bool two = !lam_is_nil (b);
  if (!lam_is_ok (t))
    return lam_nil ();
  if (!lam_einsum_parse_ (spec, two, in, &out)) {
    lam_fail (
        t, "lam_einsum: wants \"ab,bc->ac\" (one operand: \"ab->b\"), each letter at most once in "
           "an operand, and only known ones behind the arrow");
    return lam_nil ();
  }
  if (lam_rank_of (t, a) != in[0].n || (two && lam_rank_of (t, b) != in[1].n)) {
    lam_fail (t, "lam_einsum: an operand has another number of axes than letters");
    return lam_nil ();
  }
  a = lam_einsum_sum_ (t, a, &in[0], &in[1], &out);
  if (!two)
    return lam_einsum_order_ (t, a, &in[0], &out);
  b = lam_einsum_sum_ (t, b, &in[1], &in[0], &out);
  a = lam_einsum_dot_ (t, a, b, in, &out, &made);
  return lam_einsum_order_ (t, a, &made, &out);
}

#ifdef __cplusplus
}
#endif
#endif
