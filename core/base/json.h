/* SPDX-License-Identifier: Apache-2.0 */
/* JSON from outside, read safely by one strict parser that builds json-glib's tree. Comments are
 * allowed when asked for (configs), never in manifests. */
#ifndef LM_BASE_JSON_H
#define LM_BASE_JSON_H

#include "core/base/error.h"
#include <json-glib/json-glib.h>

#define LM_JSON_MAX_DEPTH 32

typedef enum { LM_JSON_STRICT = 0, LM_JSON_COMMENTS = 1 } LmJsonFlags;

/* `where` names the source in errors ("config/model.json"); errors carry line and column.
 * Integers beyond 2^53, floats beyond f64, duplicate keys, depth > 32, more than 100 MiB, invalid
 * UTF-8, NUL in a string, trailing text: CORRUPT. */
JsonNode *lm_json_parse (const char *text, gsize n, LmJsonFlags flags, const char *where,
                         GError **error);

/* Sorted keys, two-space indent, "\n" at the end, no locale: equal trees give equal bytes. */
char *lm_json_print (JsonNode *node);

#endif
