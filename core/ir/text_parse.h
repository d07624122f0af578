/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of the text form: what its files share. Private to core/ir. */
#ifndef LM_IR_TEXT_PARSE_H
#define LM_IR_TEXT_PARSE_H

#include "core/ir/text_scan.h"

/* One equation as read so far, reused from equation to equation. Its lists grow; strings and data
 * lie in the arena of the function. */
typedef struct LmParsedEquation {
  LmArena *arena;
  GArray *names;      /* LmToken: results */
  GArray *operands;   /* LmValue */
  GArray *attrs;      /* lam_attr */
  GArray *types;      /* lam_type, as stated */
  GPtrArray *regions; /* LmFunction, owned */
  /* A list of elements whose dtype comes later: attribute number, and the place of its '['. */
  bool has_list;
  guint list_attr;
  const char *list;
} LmParsedEquation;

bool lm_parse_type (LmScan *s, lam_type *out);

/* {key = literal, ...} behind the operands of info; nothing if no '{' follows. */
bool lm_parse_attrs (LmScan *s, const LmOpInfo *info, LmParsedEquation *e);

/* Reads e's list of elements, now that the dtype is known. */
bool lm_parse_list (LmScan *s, LmParsedEquation *e, lam_dtype dtype);

#endif
