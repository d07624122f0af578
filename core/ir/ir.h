/* SPDX-License-Identifier: Apache-2.0 */
/* The IR on one page: a function is the SDK's lam_function (POD arrays, sdk/lamina/ir.h) owned by an
 * arena and immutable once built; a builder makes one and checks types as it goes. */
#ifndef LM_IR_IR_H
#define LM_IR_IR_H

#include "core/base/arena.h"
#include "core/base/error.h"
#include <lamina/ir.h>

/* A value number of the function at hand. LM_NIL: no value, a zero cotangent. */
typedef uint32_t LmValue;
#define LM_NIL ((LmValue)0xffffffffu)

/* Immutable, reference counted, thread-safe to share. `ir` is what backends and passes read; its
 * regions are the `ir` members of other LmFunctions, kept alive by this one. */
typedef struct LmFunction {
  lam_function ir;
} LmFunction;

LmFunction *lm_function_ref (const LmFunction *f);
void lm_function_unref (LmFunction *f); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmFunction, lm_function_unref)

/* Region k of equation e as a function of its own (not a new reference). */
const LmFunction *lm_function_region (const LmFunction *f, const lam_equation *e, uint32_t k);

/* Types of all parameters / results. */
static inline const lam_type *
lm_param_type (const LmFunction *f, uint32_t i)
{
  return lam_value_type (&f->ir, i);
}

static inline const lam_type *
lm_result_type (const LmFunction *f, uint32_t i)
{
  return lam_value_type (&f->ir, f->ir.results[i]);
}

/* --- building ------------------------------------------------------------------------------- */

/* Keeps the first error and turns inert: then every call returns LM_NIL and does nothing. */
typedef struct LmBuilder LmBuilder;

LmBuilder *lm_builder_new (const char *name);
void lm_builder_free (LmBuilder *b); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmBuilder, lm_builder_free)

/* Parameters may be added at any time before finish, also after equations: the value numbers handed
 * out by a builder are provisional and renumbered (parameters first) by lm_builder_finish. */
LmValue lm_builder_param (LmBuilder *b, const lam_type *type);

/* Layer path recorded in the equations that follow (interned); "" at first. */
void lm_builder_set_path (LmBuilder *b, const char *path);
const char *lm_builder_path (const LmBuilder *b);

/* One equation. Attributes are copied; regions are referenced. The result types come from the op's
 * type rule; `type` is the wanted type of result 0 for ops with flag T, else NULL. Returns the first
 * result; the others follow consecutively. Faults (arity, types, attributes) are the builder's
 * sticky error: op, operand types, what was wanted, layer path. */
typedef struct LmOp {
  int32_t op;
  const LmValue *operands;
  uint32_t n_operands;
  const lam_attr *attrs;
  uint32_t n_attrs;
  const LmFunction *const *regions;
  uint32_t n_regions;
  const lam_type *type;
} LmOp;
LmValue lm_builder_op (LmBuilder *b, const LmOp *op);
uint32_t lm_builder_n_results (const LmBuilder *b, LmValue first); /* of the equation at `first` */

/* Type of a value made by this builder; a zeroed type for LM_NIL. */
const lam_type *lm_builder_type (const LmBuilder *b, LmValue v);

/* If v is the result of a `constant`, its attribute; else NULL. (For fold and simplify.) */
const lam_attr *lm_builder_constant (const LmBuilder *b, LmValue v);

/* How v was made: *out gets the op, operands, attributes and regions of its equation (type NULL),
 * valid until the next call on b. False for parameters and LM_NIL. (For fold rules: a transpose of
 * a transpose.) */
bool lm_builder_def (const LmBuilder *b, LmValue v, LmOp *out);

/* Copies f's equations with args for its parameters; out_results gets f->ir.n_results values. An
 * equation keeps its own path; one without takes the current path. */
void lm_builder_inline (LmBuilder *b, const LmFunction *f, const LmValue *args,
                        LmValue *out_results);

/* Copies one equation of f with mapped operands (same attrs and regions; types anew where operand
 * types differ; the current path if it has none). Returns the first result. */
LmValue lm_builder_copy (LmBuilder *b, const LmFunction *f, const lam_equation *e,
                         const LmValue *operands);

/* Sets the sticky error unless set. */
void lm_builder_fail (LmBuilder *b, GError *error); /* takes ownership */
void lm_builder_failf (LmBuilder *b, const char *format, ...) G_GNUC_PRINTF (2, 3);
const GError *lm_builder_error (const LmBuilder *b); /* NULL while fine */

/* Ends the function (the builder is freed, also on failure). A nil result is an error. */
LmFunction *lm_builder_finish (LmBuilder *b, const LmValue *results, uint32_t n, GError **error);

/* --- attributes ----------------------------------------------------------------------------- */

lam_attr lm_attr_int (const char *key, int64_t value);
lam_attr lm_attr_ints (const char *key, const int64_t *values, uint64_t n);
lam_attr lm_attr_str (const char *key, const char *text);
lam_attr lm_attr_bytes (const char *key, const void *data, uint64_t n);
lam_attr lm_attr_dtype (const char *key, lam_dtype dtype);

/* --- the op table --------------------------------------------------------------------------- */

typedef enum {
  LM_CLASS_ELEMENTWISE,
  LM_CLASS_SHAPE,
  LM_CLASS_REDUCTION,
  LM_CLASS_CONTRACTION,
  LM_CLASS_RANDOM,
  LM_CLASS_CONTROL,
  LM_CLASS_HOST,
  LM_CLASS_COLLECTIVE,
} LmOpClass;

typedef struct LmOpInfo {
  const char *name;
  int32_t number, since, min_operands, max_operands, n_results;
  LmOpClass op_class;
  const char *flags, *attrs, *doc;
} LmOpInfo;

/* Row by number / name; NULL if unknown or reserved. Table in number order, *out_n rows. */
const LmOpInfo *lm_op_info (int32_t number);
const LmOpInfo *lm_op_info_by_name (const char *name);
const LmOpInfo *lm_op_table (guint *out_n);
bool lm_op_has_flag (const LmOpInfo *info, char flag);

#endif
