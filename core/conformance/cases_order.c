/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of sort and top_k. */
#include "core/conformance/cases.h"

#include <string.h>

static const struct {
  const char *dims;
  int axis;
} shapes[] = {{"1", 0},      {"0", 0},    {"0,3", 0},   {"3,0", 0},  {"0,3", 1},
              {"2", 0},      {"41", 0},   {"1031", 0},  {"7,13", 0}, {"13,7", 1},
              {"3,31,5", 1}, {"1,17", 0}, {"67,23", 0}, {"23,67", 1}};

/* "$ i8" over "7" is "$[7] i8[7]". */
static char *
operands (const char *dtypes, const char *dims)
{
  g_auto (GStrv) words = g_strsplit (dtypes, " ", -1);
  GString *out = g_string_new (NULL);
  for (guint i = 0; words[i] != NULL; i++)
    g_string_append_printf (out, "%s%s[%s]", i > 0 ? " " : "", words[i], dims);
  return g_string_free (out, FALSE);
}

static void
sort (LmCases *c)
{
  /* Stable: equal keys keep their order, which the other operands show. */
  static const struct {
    const char *dtypes;
    int keys;
  } rows[] = {{"$", 1}, {"$ i32", 1}, {"$ $ u16", 2}, {"bool $ $", 1}, {"i8 $ i64", 3}};
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (guint r = 0; r < G_N_ELEMENTS (rows); r++) {
      g_autofree char *params = operands (rows[r].dtypes, shapes[i].dims);
      g_autofree char *attrs = g_strdup_printf ("dimension = %d, num_keys = %d, is_stable = 1",
                                                shapes[i].axis, rows[r].keys);
      lm_case (c, LM_DRAW_TIES, params, attrs, NULL);
      lm_case (c, LM_DRAW_SPECIAL, params, attrs, NULL);
    }
  /* Without stability only keys that are equal in all bits when they are equal can be compared. */
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++) {
    g_autofree char *attrs = g_strdup_printf ("dimension = %d", shapes[i].axis);
    g_autofree char *both = g_strdup_printf ("%s, num_keys = 2, is_stable = 0", attrs);
    g_autofree char *one = g_strdup_printf ("$[%s]", shapes[i].dims);
    g_autofree char *two = g_strdup_printf ("$[%s] $[%s]", shapes[i].dims, shapes[i].dims);
    lm_case (c, LM_DRAW_DISTINCT, one, attrs, NULL);
    lm_case (c, LM_DRAW_DISTINCT, two, both, NULL);
  }
}

static void
top_k (LmCases *c)
{
  static const struct {
    const char *params;
    int k;
  } rows[] = {{"$[1]", 1},    {"$[5]", 0},     {"$[5]", 5},      {"$[0,5]", 2},   {"$[101]", 1},
              {"$[101]", 64}, {"$[101]", 101}, {"$[5,3,31]", 7}, {"$[31,53]", 3}, {"$[7,301]", 67}};
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *attrs = g_strdup_printf ("k = %d", rows[i].k);
    lm_case (c, LM_DRAW_TIES, rows[i].params, attrs, NULL);
    lm_case (c, LM_DRAW_SPECIAL, rows[i].params, attrs, NULL);
  }
}

bool
lm_cases_order (const char *check, LmCaseGenerator *out)
{
  *out = strcmp (check, "sort") == 0 ? sort : top_k;
  return strcmp (check, "sort") == 0 || strcmp (check, "top_k") == 0;
}
