/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of ops over replicas, for the one replica that an executable has without a collective: operands
 * come through as they are, the rank is 0. */
#include "core/conformance/cases.h"

#include <string.h>

static void
all_reduce (LmCases *c)
{
  static const char *const params[] = {"$[]",       "$[0]",         "$[7,3]",
                                       "$[1031]",   "$[5,3] $[]",   "$[0] $[7] f32[4] i32[3]",
                                       "$[7] $[7]", "$[4099] $[31]"};
  static const char *const computations[] = {"add", "maximum", "minimum"};
  for (guint i = 0; i < G_N_ELEMENTS (params); i++)
    for (guint k = 0; k < G_N_ELEMENTS (computations); k++) {
      g_autofree char *attrs = g_strdup_printf ("computation = \"%s\"", computations[k]);
      lm_case (c, LM_DRAW_SPECIAL, params[i], attrs, NULL);
    }
  /* One value twice, a view, work before the sums are needed, a result that is an operand again. */
  lm_case_text (c, LM_DRAW_SPECIAL, "$[13,7] $[13,7]",
                "%2 = maximum(%0, %1)\n%3 = transpose(%2) {permutation = [1, 0]}\n"
                "%4, %5, %6 = all_reduce(%2, %3, %2) {computation = \"add\"}\n"
                "%7 = minimum(%0, %1)\n%8 = maximum(%4, %7)\n%9 = maximum(%8, %6)\n"
                "%10 = all_reduce(%9) {computation = \"add\"}\n%11 = maximum(%10, %2)\n");
  lm_case_text (c, LM_DRAW_SPECIAL,
                "$[397,211] $[397,211]", /* enough to be sent beside other work */
                "%2 = maximum(%0, %1)\n%3 = minimum(%0, %1)\n"
                "%4, %5 = all_reduce(%2, %3) {computation = \"add\"}\n"
                "%6 = reverse(%1) {dimensions = [0]}\n%7 = minimum(%6, %2)\n"
                "%8 = maximum(%5, %7)\n%9 = all_reduce(%7) {computation = \"add\"}\n"
                "%10 = reverse(%8) {dimensions = [1]}\n%11 = maximum(%9, %10)\n");
}

static void
all_gather (LmCases *c)
{
  static const struct {
    const char *params;
    int dimension;
  } rows[] = {{"$[1]", 0},   {"$[0]", 0},     {"$[1031]", 0}, {"$[5,3]", 0},
              {"$[5,3]", 1}, {"$[2,0,3]", 2}, {"$[3,4,5]", 1}};
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *attrs =
        g_strdup_printf ("all_gather_dimension = %d, replica_count = 1", rows[i].dimension);
    lm_case (c, LM_DRAW_SPECIAL, rows[i].params, attrs, NULL);
  }
}

static void
axis_index (LmCases *c)
{
  lm_case (c, LM_DRAW_PLAIN, "", NULL, NULL);
  lm_case_text (c, LM_DRAW_SPECIAL, "$[1031] $[0]", "%2 = axis_index()\n%3 = convert(%2) : $[]\n");
}

bool
lm_cases_replica (const char *check, LmCaseGenerator *out)
{
  static const struct {
    const char *name;
    LmCaseGenerator generator;
  } own[] = {{"all_reduce", all_reduce}, {"all_gather", all_gather}, {"axis_index", axis_index}};
  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    if (strcmp (check, own[i].name) == 0) {
      *out = own[i].generator;
      return true;
    }
  return false;
}
