/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file regex.h
 * Host extension "lamina.host.regex/1": regular expressions (PCRE2's syntax) over names and paths,
 * limited so that a hostile pattern cannot hang. Plugins that are built from a config get it in setup:
 *
 *   static void
 *   acme_setup (acme *p, lam_setup *s)
 *   {
 *     p->skip = lam_setup_patterns (s, p->skip_names, LAM_REGEX_START);
 *   }
 *   ... if (lam_patterns_find (t, p->skip, info->path) >= 0) ...
 */
#ifndef LAMINA_EXT_REGEX_H
#define LAMINA_EXT_REGEX_H

#include <lamina/ops_base.h>
#include <lamina/setup.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Id for get_extension; the table is a lam_ext_regex. */
#define LAM_EXT_REGEX "lamina.host.regex/1"

/** @name How a text is to match */
/**@{*/
#define LAM_REGEX_START     0 /**< at its start, as Python's re.match; end with $ for the whole */
#define LAM_REGEX_SEARCH    1 /**< anywhere, as re.search */
#define LAM_REGEX_SUBSTRING 2 /**< the pattern is plain text, found anywhere */
/**@}*/

/** A compiled list of patterns; {NULL, 0}: an empty one. */
typedef struct lam_patterns {
  /** owned by the host; begins with a pointer to the table */
  const struct lam_pattern_list *list;
  uint64_t n; /**< patterns in it */
} lam_patterns;

/** The table of the extension. */
typedef struct lam_ext_regex {
  uint32_t struct_size;
  uint32_t reserved;
  /** [instance] Compiles all; owned by what is being set up. A bad pattern fails the setup: the error
   * names the pattern and the position in it. mode: LAM_REGEX_*. */
  lam_patterns (*compile) (lam_setup *s, const char *const *patterns, uint64_t n, int32_t mode);
  /** [any] True if pattern i matches text; *gave_up becomes true if it ran into the limits. */
  bool (*match) (lam_patterns patterns, uint64_t i, const char *text, bool *gave_up);
} lam_ext_regex;

/** Compiles a list field; an empty list needs nothing of the host. */
static inline lam_patterns
lam_setup_patterns (lam_setup *s, lam_strings texts, int32_t mode)
{
  lam_patterns none = {NULL, 0};
  const lam_ext_regex *regex = NULL;
  if (texts.n == 0)
    return none;
  if (LAM_HAS (s->api, lam_setup_api, get_extension))
    regex = (const lam_ext_regex *)s->api->get_extension (s, LAM_EXT_REGEX);
  if (regex == NULL) {
    s->api->fail (s, LAM_E_UNSUPPORTED, "patterns need a host with " LAM_EXT_REGEX);
    return none;
  }
  return regex->compile (s, texts.p, texts.n, mode);
}

/* The table that made a list: its first member. */
static inline const lam_ext_regex *
lam_patterns_table_ (lam_patterns patterns)
{
  return *(const lam_ext_regex *const *)(const void *)patterns.list;
}

/** [trace] Index of the first pattern from `from` on that matches, or -1; giving up is an error of
 * the trace. */
static inline int64_t
lam_patterns_find_from (lam_trace *t, lam_patterns patterns, const char *text, uint64_t from)
{
  bool gave_up = false;
  for (uint64_t i = from; i < patterns.n && !gave_up; i++)
    if (lam_patterns_table_ (patterns)->match (patterns, i, text, &gave_up))
      return (int64_t)i;
  if (gave_up) {
    char message[400];
    __builtin_snprintf (message, sizeof message,
                        "a pattern needs too many steps on %.300s; write a simpler one", text);
    lam_fail (t, message);
  }
  return -1;
}

/** [trace] Index of the first pattern that matches, or -1. */
static inline int64_t
lam_patterns_find (lam_trace *t, lam_patterns patterns, const char *text)
{
  return lam_patterns_find_from (t, patterns, text, 0);
}

#ifdef __cplusplus
}
#endif
#endif
