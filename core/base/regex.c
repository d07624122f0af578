/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions with limits, over GRegex. */
#include "core/base/regex.h"

#include <string.h>

/* PCRE2 takes the lowest of several limits, so a pattern cannot lift them. Its compiled code
 * (JIT) would count other steps; paths are short, so it is not missed. */
#define LIMITS      "(*LIMIT_MATCH=100000)(*LIMIT_DEPTH=1000)(*LIMIT_HEAP=4096)(*NO_JIT)"
#define MAX_PATTERN 1000

struct LmRegex {
  GRegex *regex; /* NULL: substring */
  char *text;
};

static GRegex *
compile (const char *pattern, LmRegexMode mode, GError **error)
{
  g_autofree char *limited = g_strconcat (LIMITS, pattern, NULL);
  g_autoptr (GError) why = NULL;
  GRegexCompileFlags flags = mode == LM_REGEX_START ? G_REGEX_ANCHORED : 0;
  GRegex *regex = g_regex_new (limited, flags, 0, &why);
  if (regex != NULL)
    return regex;
  /* "Error while compiling regular expression ... at char 61: missing )" */
  const char *at = strstr (why->message, " at char "),
             *reason = at != NULL ? strchr (at, ':') : NULL;
  while (reason != NULL && strstr (reason + 1, " at char ") != NULL) { /* the pattern's own text */
    at = strstr (reason + 1, " at char ");
    reason = strchr (at, ':');
  }
  gint64 place = at != NULL ? g_ascii_strtoll (at + strlen (" at char "), NULL, 10) : 0;
  place = MAX (0, place - (gint64)strlen (LIMITS));
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
               "the pattern \"%s\" is no regular expression: at character %" G_GINT64_FORMAT ":%s",
               pattern, place, reason != NULL ? reason + 1 : why->message);
  return NULL;
}

LmRegex *
lm_regex_new (const char *pattern, LmRegexMode mode, GError **error)
{
  GRegex *regex = NULL;
  if (strlen (pattern) > MAX_PATTERN || !g_utf8_validate (pattern, -1, NULL)) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "a pattern wants UTF-8 of at most %d bytes, got %" G_GSIZE_FORMAT " bytes",
                 MAX_PATTERN, strlen (pattern));
    return NULL;
  }
  if (mode != LM_REGEX_SUBSTRING && (regex = compile (pattern, mode, error)) == NULL)
    return NULL;
  LmRegex *r = g_new0 (LmRegex, 1);
  r->regex = regex;
  r->text = g_strdup (pattern);
  return r;
}

void
lm_regex_free (LmRegex *regex)
{
  if (regex == NULL)
    return;
  g_clear_pointer (&regex->regex, g_regex_unref);
  g_free (regex->text);
  g_free (regex);
}

LmRegexResult
lm_regex_match (const LmRegex *regex, const char *text)
{
  g_autoptr (GError) error = NULL;
  if (regex->regex == NULL)
    return strstr (text, regex->text) != NULL ? LM_REGEX_YES : LM_REGEX_NO;
  if (g_regex_match_full (regex->regex, text, -1, 0, 0, NULL, &error))
    return LM_REGEX_YES;
  return error != NULL ? LM_REGEX_GAVE_UP : LM_REGEX_NO;
}
