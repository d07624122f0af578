/* SPDX-License-Identifier: Apache-2.0 */
/* What transforms share: a walk over a function's equations that rebuilds them in a builder while
 * a map says which new value stands for each old one. */
#ifndef LM_TRANSFORM_REWRITE_H
#define LM_TRANSFORM_REWRITE_H

#include "core/ir/ir.h"

typedef struct LmRewrite {
  const LmFunction *f;
  LmBuilder *b;
  LmValue *map;      /* [f->ir.n_values] old value -> new; LM_NIL: none yet */
  LmValue *operands; /* of the equation at hand, as new values */
} LmRewrite;

/* A new function named `name` with f's parameters, mapped. */
void lm_rewrite_init (LmRewrite *r, const LmFunction *f, const char *name);

/* Likewise into a builder that is there, with args for f's parameters. */
void lm_rewrite_init_into (LmRewrite *r, const LmFunction *f, LmBuilder *b, const LmValue *args);

/* Frees the maps. The builder is its owner's: lm_rewrite_finish ends the one of lm_rewrite_init. */
void lm_rewrite_clear (LmRewrite *r);

/* Operands of e as new values, valid until the next call. */
const LmValue *lm_rewrite_operands (LmRewrite *r, const lam_equation *e);

/* Copies e and maps its results. Returns the first new one. */
LmValue lm_rewrite_copy (LmRewrite *r, const lam_equation *e);

/* The results of e are the values first, first + 1 ... */
void lm_rewrite_map (LmRewrite *r, const lam_equation *e, LmValue first);

/* Ends with f's results, mapped. Clears r. With LM_DEBUG_VERIFY the function is verified; `pass`
 * names the transform in the error. */
LmFunction *lm_rewrite_finish (LmRewrite *r, const char *pass, GError **error);

/* Verifies f under LM_DEBUG_VERIFY: f itself, or NULL (f unreferenced). f may be NULL. */
LmFunction *lm_transform_checked (LmFunction *f, const char *pass, GError **error);

#endif
