/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the generator of random functions, shared by its files only. */
#ifndef LM_TESTS_LIB_RANDOM_GEN_H
#define LM_TESTS_LIB_RANDOM_GEN_H

#include "tests/lib/random_fn.h"

/* Sets of dtypes: bits by code. */
#define LM_GEN_OF(dtype) (1u << (dtype))
#define LM_GEN_FLOATS                                                                              \
  (LM_GEN_OF (LAM_F64) | LM_GEN_OF (LAM_F32) | LM_GEN_OF (LAM_F16) | LM_GEN_OF (LAM_BF16))
#define LM_GEN_ALL  (((1u << 14) - 1) & ~1u)
#define LM_GEN_BOOL LM_GEN_OF (LAM_PRED)
#define LM_GEN_INTS (LM_GEN_ALL & ~LM_GEN_FLOATS & ~LM_GEN_BOOL)

/* A value with its elements on reference. */
typedef struct LmGenValue {
  LmValue v;
  LmArray *a;
} LmGenValue;

typedef struct LmGen {
  const LmRandomOptions *o;
  GRand *rand;
  LmBuilder *b;
  GPtrArray *pool; /* LmGenValue; operands are named by their place in it */
  GPtrArray *in;
  guint equations;
  GPtrArray *taken; /* LmGenOp that were taken, with their texts */
} LmGen;

/* One equation to try. */
typedef struct LmGenOp {
  const char *op;
  guint operands[8], n;
  const char *attrs;  /* between the braces; NULL: none */
  const char *region; /* in parentheses behind them; NULL */
  const char *wanted; /* type of the result; NULL: inferred */
} LmGenOp;

guint lm_gen_below (LmGen *g, guint n); /* 0 to n - 1; 0 for 0 */
bool lm_gen_chance (LmGen *g, guint percent);
const char *lm_gen_word (LmGen *g, const char *const *words); /* of a NULL-terminated list */

const LmArray *lm_gen_array (const LmGen *g, guint k);
const lam_type *lm_gen_type (const LmGen *g, guint k);

lam_dtype lm_gen_dtype (LmGen *g, guint set);
int64_t lm_gen_dim (LmGen *g);

#define LM_GEN_NONE G_MAXUINT
/* A new parameter, LM_GEN_NONE if it were too large (no equation takes that); bound > 0: indices around 0 to bound. */
guint lm_gen_param (LmGen *g, const lam_type *type, int64_t bound);
/* A value of one of the dtypes, of a rank in that range: one that there is, or a new parameter. */
guint lm_gen_any (LmGen *g, guint set, int32_t least, int32_t most);
/* One of exactly that type, not `other` if there is a choice. */
guint lm_gen_same (LmGen *g, const lam_type *type, guint other);
guint lm_gen_scalar (LmGen *g, lam_dtype dtype);

/* "[1, 2]" */
char *lm_gen_list (const int64_t *values, guint n);

/* Adds the equation unless its types, size or numbers do not fit: false. Results follow in the pool. */
bool lm_gen_try (LmGen *g, const LmGenOp *op);
/* The same for an op without attributes. */
bool lm_gen_simple (LmGen *g, const char *op, const guint *operands, guint n);

/* Whether a smooth function may have this equation over the operands' numbers. */
bool lm_gen_is_smooth (LmGen *g, const LmGenOp *op);

/* One of each family; they pick the op. */
bool lm_gen_elementwise (LmGen *g);
bool lm_gen_shape (LmGen *g);
bool lm_gen_index (LmGen *g);
bool lm_gen_reduce (LmGen *g);
bool lm_gen_contract (LmGen *g);
bool lm_gen_pass (LmGen *g);
bool lm_gen_fold (LmGen *g); /* what simplify and cse should find */

#endif
