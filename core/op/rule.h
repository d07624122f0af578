/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules of core/op share: checks of type rules with their messages, attribute lists with
 * defaults, constants of fold rules. */
#ifndef LM_OP_RULE_H
#define LM_OP_RULE_H

#include "core/ir/rules.h"
#include "core/op/emit.h"

/* --- type rules: each check sets the error and returns false on a fault ---------------------- */

/* Kinds of dtype, or-ed. */
#define LM_FLOATS   1u
#define LM_SIGNED   2u
#define LM_UNSIGNED 4u
#define LM_BOOLS    8u
#define LM_INTS     (LM_SIGNED | LM_UNSIGNED)
#define LM_NUMBERS  (LM_FLOATS | LM_INTS)
#define LM_ANY      (LM_NUMBERS | LM_BOOLS)

/* "operand k is f32[3], wanted <format>". */
bool lm_rule_refuse (LmTypeCtx *c, uint32_t k, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Operand k's dtype is of one of the kinds. */
bool lm_rule_kind (LmTypeCtx *c, uint32_t k, uint32_t kinds);

/* Operand k's type (or only its dtype) is that of operand j. */
bool lm_rule_same_type (LmTypeCtx *c, uint32_t k, uint32_t j);
bool lm_rule_same_dtype (LmTypeCtx *c, uint32_t k, uint32_t j);

/* Attribute `key` lists distinct axes in [0, rank); sorted: increasing. */
bool lm_rule_axes (LmTypeCtx *c, const char *key, int64_t rank, bool sorted);

/* Attribute `key` (n numbers, each >= min) into out; n copies of `absent` when absent. */
bool lm_rule_list (LmTypeCtx *c, const char *key, int64_t n, int64_t absent, int64_t min,
                   int64_t *out);

/* String attribute `key` is one of the NULL-terminated words. */
bool lm_rule_word (LmTypeCtx *c, const char *key, const char *absent, const char *const *words);

/* The reduction `computation` is known and fits operand 0's dtype. */
bool lm_rule_computation (LmTypeCtx *c);

/* Result 0, after checking the rank (sizes are checked by lm_infer_types). */
bool lm_rule_result (LmTypeCtx *c, lam_dtype dtype, int64_t rank, const int64_t *dims);
bool lm_rule_result_like (LmTypeCtx *c, uint32_t k);

/* Result 0 is the stated type (flag T), which must have this dtype and shape. */
bool lm_rule_stated (LmTypeCtx *c, lam_dtype dtype, int64_t rank, const int64_t *dims);

/* --- windows: reduce_window and convolution share their arithmetic --------------------------- */

/* Of each windowed axis. */
typedef struct LmWindow {
  int64_t rank;
  int64_t size[LAM_MAX_RANK];
  int64_t stride[LAM_MAX_RANK];
  int64_t padding[2 * LAM_MAX_RANK]; /* low0 high0 low1 high1 ...; may be negative */
  int64_t base_dilation[LAM_MAX_RANK];
  int64_t dilation[LAM_MAX_RANK];
} LmWindow;

/* Extent of n elements with dilation - 1 holes between neighbours; no overflow check. */
int64_t lm_dilated (int64_t n, int64_t dilation);

/* out[i]: window positions along axis i of size in[i]. Fails on overflow, on a padding that cuts
 * more than there is, on an empty window. */
bool lm_rule_window (LmTypeCtx *c, const LmWindow *w, const int64_t *in, int64_t *out);

/* --- equations ------------------------------------------------------------------------------- */

/* Attribute `key` of an equation that passed its type rule; n copies of `absent` when absent. */
void lm_eq_list (const lam_function *f, const lam_equation *e, const char *key, int64_t n,
                 int64_t absent, int64_t *out);

/* The decomposition of a derived op's equation as a function of its operands; the caller's. */
LmFunction *lm_decomposed (const LmFunction *f, const lam_equation *e, GError **error);

static inline const lam_type *
lm_vjp_in_type (const LmVjpCtx *c, uint32_t k)
{
  return lam_value_type (&c->f->ir, lam_operand (&c->f->ir, c->e, k));
}

static inline const lam_type *
lm_vjp_out_type (const LmVjpCtx *c, uint32_t k)
{
  return lam_value_type (&c->f->ir, c->e->first_result + k);
}

/* The n axes as a set of bits. */
uint32_t lm_axis_set (const int64_t *axes, uint64_t n);

/* x (type without the axes of the set) repeated along them: has type `type` but x's dtype. */
LmValue lm_expand (LmBuilder *b, LmValue x, const lam_type *type, uint32_t axes);

/* --- batching rules (batch.c) ------------------------------------------------------------------ */

/* x with axis `from` moved to `to`. */
LmValue lm_move_axis (LmBuilder *b, LmValue x, int32_t from, int32_t to);

/* x repeated `size` times along a new axis. */
LmValue lm_add_axis (LmBuilder *b, LmValue x, int64_t size, int32_t axis);

/* Operand k with its batch axis in front; as it is when not batched. */
LmValue lm_batch_front (const LmBatchCtx *c, uint32_t k);

/* Operand k with a batch axis at `axis`: moved there, or new. */
LmValue lm_batch_full (const LmBatchCtx *c, uint32_t k, int32_t axis);

/* Type of operand k / result k in one row. */
const lam_type *lm_batch_in_type (const LmBatchCtx *c, uint32_t k);
const lam_type *lm_batch_out_type (const LmBatchCtx *c, uint32_t k);

/* Attribute `key`, a list of axes, behind a batch axis in front: each + 1, absent: none. own: kept
 * for an axis 0 before the list. Returns the length. */
uint64_t lm_batch_axes (const LmBatchCtx *c, const char *key, bool own, int64_t *out);

/* Attribute `key`, a list of `each` numbers for each axis of operand 0 (copies of `absent` when
 * absent), with `each` copies of `first` for the batch axis in front. */
lam_attr lm_batch_list (const LmBatchCtx *c, const char *key, int64_t each, int64_t absent,
                        int64_t first, int64_t *out);

/* The equation over other operands, with its attributes but for those given here; every result is
 * batched at `axis`. */
void lm_batch_emit (LmBatchCtx *c, const LmValue *in, const lam_attr *attrs, uint32_t n_attrs,
                    int32_t axis);

/* Rule of elementwise ops: the batch axes are brought together. An operand of rank 0 beside a result
 * with axes (a bound of clamp, the choice of select) stays a scalar unless it is batched. */
void lm_batch_elementwise (LmBatchCtx *c);

/* Rule of ops of one operand that pass it through. */
void lm_batch_in_place (LmBatchCtx *c);

/* Rule of derived ops: the decomposition is batched instead. */
void lm_batch_decomposed (LmBatchCtx *c);

/* The equation as it is for each row, one after the other. For what has no form of its own. */
void lm_batch_unroll (LmBatchCtx *c);

/* --- fold rules ------------------------------------------------------------------------------ */

/* A constant operand. */
typedef struct LmConst {
  lam_type type;
  const uint8_t *data;
  int64_t n;  /* elements of the type */
  bool splat; /* one stored element fills the shape */
} LmConst;

/* Folding whole constants stops at this many elements: beyond it code would only grow. */
#define LM_FOLD_MAX 64

bool lm_fold_const (const LmFoldCtx *c, uint32_t k, LmConst *out);

/* Element i of an integer or bool constant. */
int64_t lm_const_int (const LmConst *k, int64_t i);

/* True if operand k is a constant whose every stored element is `value`, the sign of zero counted. */
bool lm_fold_is (const LmFoldCtx *c, uint32_t k, double value);

/* Operands j and k are the same value. */
bool lm_fold_same (const LmFoldCtx *c, uint32_t j, uint32_t k);

/* Type of the equation's first result, of operand k. */
const lam_type *lm_fold_type (const LmFoldCtx *c);
const lam_type *lm_fold_in_type (const LmFoldCtx *c, uint32_t k);

/* Replace the result: by a value; by a constant of n integers (1: splat). Return true. */
bool lm_fold_to (LmFoldCtx *c, LmValue v);
bool lm_fold_to_ints (LmFoldCtx *c, const int64_t *values, int64_t n);

/* The operands are constants that may be folded element by element: *out_n elements to compute (1
 * when all are splats). */
bool lm_fold_elements (const LmFoldCtx *c, LmConst *consts, int64_t *out_n);

/* If operand 0 is a splat constant, the same element under the result's type. */
bool lm_fold_splat (LmFoldCtx *c);

/* Operand 0 was made by the same op: its defining equation. */
bool lm_fold_inner (const LmFoldCtx *c, LmOp *out);

/* Attribute `key` of an LmOp; NULL if absent. */
const lam_attr *lm_op_attr (const LmOp *op, const char *key);

#endif
