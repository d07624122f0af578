/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry keys and bits, equal bit for bit to JAX's: the partitionable layout (JAX's default today)
 * and the original one. Sources: jax/_src/prng.py (rules), Salmon et al. 2011 (the cipher). */
#include "core/op/emit.h"
#include "core/trace/private.h"

#define MAX_KEYS (1u << 20)

/* Builder and both words of a key, or false after an error. */
static bool
key_words (LmTrace *t, lam_key key, LmValue words[2])
{
  const lam_type *type = lm_trace_peek_type (t, key.bits);
  if (type == NULL || type->dtype != LAM_U32 || type->rank != 1 || type->dims[0] != 2) {
    lm_trace_failf (t, LM_ERROR_INVALID, "a key is a u32[2] tensor; this one is %s",
                    type == NULL ? "nil" : "of another type");
    return false;
  }
  LmBuilder *b = lm_trace_builder (t);
  LmValue k = lm_trace_resolve (t, key.bits);
  for (int64_t i = 0; i < 2; i++) {
    int64_t limit = i + 1;
    words[i] = lm_reshape (b, lm_slice (b, k, &i, &limit, NULL), 0, NULL);
  }
  return t->error == NULL;
}

/* y = threefry (key, x0, x1) over arrays of counters. */
static void
cipher (LmBuilder *b, const LmValue key[2], LmValue x0, LmValue x1, LmValue y[2])
{
  const lam_type *type = lm_builder_type (b, x0);
  LmValue k0 = lm_broadcast_scalar (b, key[0], type), k1 = lm_broadcast_scalar (b, key[1], type);
  lm_threefry (b, k0, k1, x0, x1, y);
}

static lam_type
u32_type (int32_t rank, int64_t d0, int64_t d1)
{
  return lm_type (LAM_U32, rank, (int64_t[]) {d0, d1});
}

/* Low and high words of 0, 1, ... n-1 (row-major over any shape). */
static void
counters (LmBuilder *b, int64_t n, LmValue *high, LmValue *low)
{
  lam_type wide = lm_type (LAM_U64, 1, &n), narrow = u32_type (1, n, 0);
  if (n <= (int64_t)1 << 32) {
    *low = lm_iota (b, &narrow, 0);
    *high = lm_splat_int (b, &narrow, 0);
    return;
  }
  LmValue i = lm_iota (b, &wide, 0);
  LmValue shift = lm_splat_int (b, &wide, 32);
  *low = lm_convert (b, i, LAM_U32);
  *high = lm_convert (b, lm_emit_binary (b, LAM_OP_shift_right_logical, i, shift), LAM_U32);
}

/* The original layout: n words from counters 0 .. n-1 cut into halves; odd n is padded by a zero. */
static LmValue
original_words (LmBuilder *b, const LmValue key[2], int64_t n)
{
  int64_t half = (n + 1) / 2, zero = 0, odd = n % 2;
  lam_type type = u32_type (1, n, 0);
  LmValue count = lm_iota (b, &type, 0);
  lam_type scalar = lm_scalar_type (LAM_U32);
  if (odd != 0)
    count = lm_pad (b, count, lm_splat_int (b, &scalar, 0), &zero, &odd, NULL);
  int64_t end = 2 * half;
  LmValue y[2];
  cipher (b, key, lm_slice (b, count, &zero, &half, NULL), lm_slice (b, count, &half, &end, NULL),
          y);
  LmValue all = lm_concatenate (b, y, 2, 0);
  return odd != 0 ? lm_slice (b, all, &zero, &n, NULL) : all;
}

/* n keys as u32[n,2]. */
static LmValue
split_keys (LmBuilder *b, const LmValue key[2], int64_t n, bool original)
{
  int64_t pair[2] = {n, 2};
  if (original)
    return lm_reshape (b, original_words (b, key, 2 * n), 2, pair);
  LmValue high, low, y[2];
  counters (b, n, &high, &low);
  cipher (b, key, high, low, y);
  int64_t column[2] = {n, 1};
  y[0] = lm_reshape (b, y[0], 2, column);
  y[1] = lm_reshape (b, y[1], 2, column);
  return lm_concatenate (b, y, 2, 1);
}

void
lm_trace_split (lam_trace *pub, lam_key key, uint32_t n, lam_key *out)
{
  LmTrace *t = self (pub);
  LmValue words[2];
  for (uint32_t i = 0; i < n; i++)
    out[i].bits = lam_nil ();
  if (n == 0 || n > MAX_KEYS)
    lm_trace_failf (t, LM_ERROR_INVALID, "split: wanted 1 to %u keys, got %u", MAX_KEYS, n);
  if (t->error != NULL || !key_words (t, key, words))
    return;
  LmBuilder *b = lm_trace_builder (t);
  LmValue keys = split_keys (b, words, n, top (t)->original_keys);
  int64_t two = 2;
  for (int64_t i = 0; i < n; i++) {
    int64_t start[2] = {i, 0}, limit[2] = {i + 1, 2};
    out[i].bits =
        lm_trace_handle (t, lm_reshape (b, lm_slice (b, keys, start, limit, NULL), 1, &two));
  }
}

lam_key
lm_trace_fold_in (lam_trace *pub, lam_key key, lam_tensor data)
{
  LmTrace *t = self (pub);
  lam_key out = {lam_nil ()};
  LmValue words[2], y[2];
  const lam_type *type = lm_trace_peek_type (t, data);
  if (type == NULL || type->dtype != LAM_U32 || type->rank != 0)
    lm_trace_failf (t, LM_ERROR_INVALID, "fold_in: data must be a u32 scalar");
  if (t->error != NULL || !key_words (t, key, words))
    return out;
  LmBuilder *b = lm_trace_builder (t);
  LmValue d = lm_trace_resolve (t, data);
  lm_threefry (b, words[0], words[1], lm_splat_like (b, d, 0), d, y);
  int64_t one = 1;
  y[0] = lm_reshape (b, y[0], 1, &one);
  y[1] = lm_reshape (b, y[1], 1, &one);
  out.bits = lm_trace_handle (t, lm_concatenate (b, y, 2, 0));
  return out;
}

/* hi << 32 | lo as u64. */
static LmValue
join_words (LmBuilder *b, LmValue high, LmValue low)
{
  LmValue h = lm_convert (b, high, LAM_U64), l = lm_convert (b, low, LAM_U64);
  return lm_emit_binary (b, LAM_OP_or,
                         lm_emit_binary (b, LAM_OP_shift_left, h, lm_splat_like (b, h, 32)), l);
}

static lam_dtype
unsigned_of (uint32_t width)
{
  return width == 64 ? LAM_U64 : width == 32 ? LAM_U32 : width == 16 ? LAM_U16 : LAM_U8;
}

static LmValue
partitionable_bits (LmBuilder *b, const LmValue key[2], int64_t n, uint32_t width)
{
  LmValue high, low, y[2];
  counters (b, n, &high, &low);
  cipher (b, key, high, low, y);
  if (width == 64)
    return join_words (b, y[0], y[1]);
  return lm_convert (b, lm_emit_binary (b, LAM_OP_xor, y[0], y[1]), unsigned_of (width));
}

/* Words cut into 32 / width pieces, the lowest bits first. */
static LmValue
cut_words (LmBuilder *b, LmValue words, int64_t n_words, int64_t n, uint32_t width)
{
  int64_t per = 32 / width, axis = 0, zero = 0;
  lam_type type = u32_type (2, n_words, per);
  LmValue wide = lm_broadcast (b, words, &type, &axis, 1);
  LmValue shift =
      lm_emit_binary (b, LAM_OP_multiply, lm_iota (b, &type, 1), lm_splat_int (b, &type, width));
  int64_t all = n_words * per;
  LmValue cut =
      lm_reshape (b, lm_emit_binary (b, LAM_OP_shift_right_logical, wide, shift), 1, &all);
  return lm_convert (b, lm_slice (b, cut, &zero, &n, NULL), unsigned_of (width));
}

static LmValue
original_bits (LmBuilder *b, const LmValue key[2], int64_t n, uint32_t width)
{
  if (width == 64) {
    LmValue words = original_words (b, key, 2 * n);
    int64_t zero = 0, end = 2 * n;
    return join_words (b, lm_slice (b, words, &zero, &n, NULL),
                       lm_slice (b, words, &n, &end, NULL));
  }
  int64_t n_words = (n * width + 31) / 32;
  LmValue words = original_words (b, key, n_words);
  return width == 32 ? words : cut_words (b, words, n_words, n, width);
}

lam_tensor
lm_trace_random_bits (lam_trace *pub, lam_key key, uint32_t width, const lam_shape *shape)
{
  LmTrace *t = self (pub);
  LmValue words[2];
  if (width != 8 && width != 16 && width != 32 && width != 64)
    lm_trace_failf (t, LM_ERROR_INVALID, "random_bits: width is 8, 16, 32 or 64, got %u", width);
  lam_type type = lm_type (unsigned_of (width), shape->rank, shape->dims);
  int64_t n, bytes;
  if (!lm_type_checked_bytes (&type, &n, &bytes))
    lm_trace_failf (t, LM_ERROR_INVALID, "random_bits: bad shape");
  if (t->error != NULL || !key_words (t, key, words))
    return lam_nil ();
  LmBuilder *b = lm_trace_builder (t);
  LmValue flat = n == 0                   ? lm_splat_int (b, &type, 0)
                 : top (t)->original_keys ? original_bits (b, words, n, width)
                                          : partitionable_bits (b, words, n, width);
  return lm_trace_handle (t, lm_reshape (b, flat, type.rank, type.dims));
}
