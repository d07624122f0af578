/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions from configs, which may come from strangers: matching is limited in steps and
 * memory, so that a hostile pattern fails instead of hanging. */
#ifndef LM_BASE_REGEX_H
#define LM_BASE_REGEX_H

#include "core/base/error.h"

typedef struct LmRegex LmRegex;

/* How a text is to match. */
typedef enum {
  LM_REGEX_START,    /* at its start, as Python's re.match */
  LM_REGEX_SEARCH,   /* anywhere, as re.search */
  LM_REGEX_SUBSTRING /* the pattern is plain text, found anywhere */
} LmRegexMode;

typedef enum { LM_REGEX_NO, LM_REGEX_YES, LM_REGEX_GAVE_UP } LmRegexResult;

/* NULL and an error that names the pattern, the reason and the position in it. */
LmRegex *lm_regex_new (const char *pattern, LmRegexMode mode, GError **error);
void lm_regex_free (LmRegex *regex); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmRegex, lm_regex_free)

/* GAVE_UP: the limits of steps or memory were reached. Any thread. */
LmRegexResult lm_regex_match (const LmRegex *regex, const char *text);

#endif
