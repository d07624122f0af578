/* SPDX-License-Identifier: Apache-2.0 */
/* Params at run time as text, as differences, and as JSON configs. */
#ifndef LM_BASE_HYPER_TEXT_H
#define LM_BASE_HYPER_TEXT_H

#include "core/base/hyper.h"
#include "core/base/json.h"

/* A value as Python writes it: 0.5, True, None, 'it\'s', [1, (2,)], {'a': 2.5} (keys sorted), Params as
 * such a dict. */
char *lm_hyper_repr (const LmHyperValue *value);

/* And back: a literal of these (no names, no arithmetic), also inf and nan; dicts want string keys.
 * `where` names it in errors. */
LmHyperValue *lm_hyper_parse (const char *text, const char *where, GError **error);

/* Several lines for people: "{", "  name: value" sorted, nested objects indented, "}" (lingvo's
 * str ()). */
char *lm_hyper_to_string (const LmHyper *params);

/* lingvo's ToText: a line "path : value" for each value, sorted by path; a string is quoted, and may
 * go over several lines. With types a blank line and "path : type" lines follow (ToTextWithTypes). */
char *lm_hyper_to_text (const LmHyper *params, bool types);

/* lingvo's FromText: sets what the lines say, each as the type that the value has now; with types, as
 * the type that the text says. Blank lines and lines that begin with # count for nothing. All problems
 * in one error, and then nothing was set. */
bool lm_hyper_from_text (LmHyper *params, const char *text, bool types, GError **error);

/* lingvo's TextDiff: "> name: a's value", "< name: b's value", "? name:" before the differences within
 * a nested object or dict. Empty when they are equal. */
char *lm_hyper_diff (const LmHyper *a, const LmHyper *b);

/* A config: cls is the key "type", None is left out of objects, tuples are arrays, nested objects and
 * dicts objects. */
JsonNode *lm_hyper_to_json (const LmHyper *params);

/* The way back: objects become Params ("type" their cls), or a dict where a key is no name of a
 * parameter; descriptions are empty. */
LmHyper *lm_hyper_from_json (JsonObject *config, GError **error);
LmHyperValue *lm_hyper_value_from_json (JsonNode *node, GError **error);

#endif
