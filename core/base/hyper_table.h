/* SPDX-License-Identifier: Apache-2.0 */
/* Params at run time for what a field table declares: lingvo's SomeLayer.Params (). */
#ifndef LM_BASE_HYPER_TABLE_H
#define LM_BASE_HYPER_TABLE_H

#include "core/base/hyper.h"
#include "core/base/params.h"

/* Defines every field of the table that params do not define yet, with its default (None for one that
 * must be given, or that is a child or an initialiser) and its doc as the description. */
bool lm_hyper_define_table (LmHyper *params, const LmFieldTable *table, GError **error);

#endif
