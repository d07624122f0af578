/* SPDX-License-Identifier: Apache-2.0 */
/* The rule table, declared here and filled by core/op: one LmRules for each row of ops.def, named
 * lm_rules_<op>, so that a missing rule is a link error. */
#ifndef LM_IR_RULES_H
#define LM_IR_RULES_H

#include "core/ir/ir.h"

/* --- type rule: operand types + attributes -> result types ----------------------------------- */
typedef struct LmTypeCtx {
  const LmOpInfo *info;
  uint32_t n_operands;
  const lam_type *const *operands; /* [n_operands] */
  const lam_attr *attrs;
  uint32_t n_attrs;
  const LmFunction *const *regions;
  uint32_t n_regions;
  const lam_type *wanted; /* flag T: stated type of result 0; else NULL */
  lam_type *results;      /* filled by the rule; capacity max_results */
  uint32_t max_results, n_results;
  GError **error; /* set by lm_type_fail */
} LmTypeCtx;

/* Attribute access for rules; absent -> default. */
const lam_attr *lm_type_attr (const LmTypeCtx *c, const char *key);
int64_t lm_type_attr_int (const LmTypeCtx *c, const char *key, int64_t absent);
const int64_t *lm_type_attr_ints (const LmTypeCtx *c, const char *key, uint64_t *out_n);
const char *lm_type_attr_str (const LmTypeCtx *c, const char *key, const char *absent);

/* Sets the error ("add: operand 1 is f32[3], wanted f32[2,3] (the type of operand 0)"): false. */
bool lm_type_fail (LmTypeCtx *c, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Runs checks common to all ops (arity, attribute schema) and the op's rule. */
bool lm_infer_types (LmTypeCtx *c);

/* --- vjp rule -------------------------------------------------------------------------------- */
typedef struct LmVjpCtx {
  LmBuilder *b;        /* where the gradient is being built */
  const LmFunction *f; /* function being differentiated */
  const lam_equation *e;
  const LmValue *in;  /* operands as values of b */
  const LmValue *out; /* results as values of b */
  const LmValue *ct;  /* cotangent of each result; LM_NIL is zero; at least one is not nil */
  const bool *wanted; /* operands whose cotangent is needed */
  LmValue *d_in;      /* filled by the rule, initially LM_NIL; each of its operand's type */
  /* vjp of a region: function of (params, cotangents of results...) -> cotangents of the wanted
   * params (float ones only, in order), as transform/grad builds it. NULL on error (sticky in b). */
  LmFunction *(*vjp_of) (const LmFunction *region, const bool *wanted, const bool *ct_given,
                         GError **error);
} LmVjpCtx;

/* --- batching rule ---------------------------------------------------------------------------- */

/* The equation once for each of `size` rows. A batched value has one axis more than in f: at
 * axis[k] of operand k, each row along it. At least one operand is batched and size is above 0. */
typedef struct LmBatchCtx {
  LmBuilder *b;        /* where the batched function is being built */
  const LmFunction *f; /* function being batched */
  const lam_equation *e;
  int64_t size;
  const LmValue *in;   /* operands as values of b */
  const int32_t *axis; /* of each operand; -1: not batched, the same in every row */
  LmValue *out;        /* filled by the rule: each result ... */
  int32_t *out_axis;   /* ... and where its batch axis lies; -1: not batched */
  /* Batches a region of the equation in place: its parameters are the operands, its results become
   * out and out_axis. (For composites; control ops build their regions anew.) */
  void (*inline_region) (struct LmBatchCtx *c, const LmFunction *region);
  void *walk; /* of inline_region */
} LmBatchCtx;

/* --- fold rule: exact only (integers, copies, identities) ------------------------------------- */
typedef struct LmFoldCtx {
  LmBuilder *b; /* result function under construction */
  const LmFunction *f;
  const lam_equation *e;
  const LmValue *in; /* operands as values of b; lm_builder_constant (b, in[k]) tells constants */
  LmValue out;       /* result, when the rule returns true (ops with one result) */
} LmFoldCtx;

typedef struct LmRules {
  bool (*type) (LmTypeCtx *c); /* required */
  void (*vjp) (LmVjpCtx *c);   /* NULL: no operand has a gradient (integers, comparisons) */
  bool (*fold) (LmFoldCtx *c); /* NULL: never folds; true: c->out replaces the result */
  /* Derived ops (flag D): the same results from mandatory ops, inlined by legalize. */
  void (*decompose) (LmBuilder *b, const LmFunction *f, const lam_equation *e, const LmValue *in,
                     LmValue *out);
  void (*batch) (LmBatchCtx *c); /* required, but for ops without operands */
} LmRules;

#define LAM_OP(name, number, since, min, max, results, class, flags, attrs, doc)                   \
  extern const LmRules lm_rules_##name;
#include <lamina/ops.def>

/* Rules by op number; NULL if unknown. */
const LmRules *lm_rules (int32_t op);

#endif
