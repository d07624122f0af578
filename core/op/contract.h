/* SPDX-License-Identifier: Apache-2.0 */
/* What dot_general and convolution share: the dtypes of a contraction and of its gradient. */
#ifndef LM_OP_CONTRACT_H
#define LM_OP_CONTRACT_H

#include "core/op/rule.h"

/* Operands are numbers of one dtype; *out is out_dtype or that dtype. */
bool lm_rule_contract_dtype (LmTypeCtx *c, lam_dtype *out);

/* The dtype in which the gradient is contracted: the wider of operands and result, so that nothing
 * is lost before the one rounding at the end. */
lam_dtype lm_contract_ct_dtype (const LmVjpCtx *c);

#endif
