/* SPDX-License-Identifier: Apache-2.0 */
/* Host extension "lamina.host.regex/1" (sdk/lamina/ext/regex.h) over core/base/regex. */
#include "core/host/private.h"

#include "core/base/regex.h"

/* What a handle points to; sdk/lamina/ext/regex.h reads its first member. */
struct lam_pattern_list {
  const lam_ext_regex *table;
  GPtrArray *all; /* of LmRegex* */
};

static void
list_free (void *data)
{
  struct lam_pattern_list *list = data;
  g_ptr_array_unref (list->all);
  g_free (list);
}

static lam_patterns
regex_compile (lam_setup *s, const char *const *patterns, uint64_t n, int32_t mode)
{
  static const LmRegexMode modes[] = {LM_REGEX_START, LM_REGEX_SEARCH, LM_REGEX_SUBSTRING};
  lam_patterns none = {NULL, 0};
  if (mode < 0 || mode >= (int32_t)G_N_ELEMENTS (modes)) {
    lam_setup_fail (s, "unknown mode of matching patterns");
    return none;
  }
  struct lam_pattern_list *list = g_new0 (struct lam_pattern_list, 1);
  list->table = &lm_host_regex;
  list->all = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_regex_free);
  s->api->on_free (s, list_free, list);
  for (uint64_t i = 0; i < n; i++) {
    g_autoptr (GError) error = NULL;
    LmRegex *regex = lm_regex_new (patterns[i], modes[mode], &error);
    if (regex == NULL) {
      lam_setup_fail (s, error->message);
      return none;
    }
    g_ptr_array_add (list->all, regex);
  }
  return (lam_patterns) {list, n};
}

static bool
regex_match (lam_patterns patterns, uint64_t i, const char *text, bool *gave_up)
{
  LmRegexResult found = lm_regex_match (patterns.list->all->pdata[i], text);
  if (found == LM_REGEX_GAVE_UP)
    *gave_up = true;
  return found == LM_REGEX_YES;
}

const lam_ext_regex lm_host_regex = {
    .struct_size = sizeof (lam_ext_regex),
    .compile = regex_compile,
    .match = regex_match,
};
