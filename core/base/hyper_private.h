/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of Params at run time, shared by the hyper*.c files only. */
#ifndef LM_BASE_HYPER_PRIVATE_H
#define LM_BASE_HYPER_PRIVATE_H

#include "core/base/hyper.h"

typedef struct Param {
  char *name, *description;
  LmHyperValue *value;
} Param;

struct LmHyper {
  GPtrArray *all; /* of Param*, in order of definition */
  bool frozen;
};

/* The own parameter of this name, or NULL. */
Param *lm_hyper_find (const LmHyper *params, const char *name);

bool lm_hyper_check_name (const char *name);

/* True, and the error, when params are frozen. */
bool lm_hyper_refuse_frozen (const LmHyper *params, const char *name, GError **error);

#endif
