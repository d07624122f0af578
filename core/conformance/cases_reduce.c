/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of reductions along axes and over windows. */
#include "core/conformance/cases.h"

#include <string.h>

static const char *const computations[] = {"add", "multiply", "maximum", "minimum", "and", "or"};

static bool
is_order (const char *computation)
{
  return strcmp (computation, "maximum") == 0 || strcmp (computation, "minimum") == 0;
}

/* Numbers that tell right from wrong for a computation. */
static LmDraw
draw_for (const char *computation)
{
  return strcmp (computation, "add") == 0        ? LM_DRAW_SPARSE
         : strcmp (computation, "multiply") == 0 ? LM_DRAW_FACTORS
         : is_order (computation)                ? LM_DRAW_TIES
                                                 : LM_DRAW_SPECIAL;
}

/* --- reduce -------------------------------------------------------------------------------------------- */

/* Kept and reduced axes inside and outside, none, all, long ones; nothing to reduce. */
static const struct {
  const char *params, *axes;
} reductions[] = {
    {"$[]", "[]"},
    {"$[7]", "[0]"},
    {"$[1]", "[0]"},
    {"$[0]", "[0]"},
    {"$[0,3]", "[0]"},
    {"$[3,0]", "[1]"},
    {"$[3,0]", "[0]"},
    {"$[0,0]", "[0, 1]"},
    {"$[5,3]", "[]"},
    {"$[5,33]", "[0]"},
    {"$[5,33]", "[1]"},
    {"$[5,33]", "[0, 1]"},
    {"$[5,33]", "[1, 0]"},
    {"$[4,5,6,7]", "[0, 2]"},
    {"$[4,5,6,7]", "[1, 3]"},
    {"$[4,5,6,7]", "[3]"},
    {"$[4,1,6,1]", "[0, 3]"},
    {"$[3,2053]", "[0]"},
    {"$[2053,3]", "[0]"},
    {"$[1031]", "[0]"},
    {"$[1,1,1]", "[0, 2]"},
    {"$[67,131]", "[0]"},
    {"$[301,503]", "[0]"},
    {"$[301,503]", "[1]"},
    {"$[67,131]", "[1]"},
    {"$[2,3,2,3,2]", "[1, 2, 4]"},
};

static void
reduce (LmCases *c)
{
  for (guint o = 0; o < G_N_ELEMENTS (computations); o++) {
    LmDraw draw = draw_for (computations[o]);
    for (guint i = 0; i < G_N_ELEMENTS (reductions); i++) {
      g_autofree char *attrs = g_strdup_printf ("computation = \"%s\", dimensions = %s",
                                                computations[o], reductions[i].axes);
      lm_case (c, draw, reductions[i].params, attrs, NULL);
      if (is_order (computations[o]))
        lm_case (c, LM_DRAW_SPECIAL, reductions[i].params, attrs, NULL);
    }
  }
  /* Sums that 16 bits cannot hold on the way, and one beyond every block and thread. */
  lm_case (c, LM_DRAW_POSITIVE, "$[4099]", "computation = \"add\", dimensions = [0]", NULL);
  lm_case (c, LM_DRAW_POSITIVE, "$[2053,5]", "computation = \"add\", dimensions = [0]", NULL);
  lm_case (c, LM_DRAW_POSITIVE, "$[5,2053]", "computation = \"add\", dimensions = [1]", NULL);
  lm_case (c, LM_DRAW_PLAIN, "$[150011]", "computation = \"add\", dimensions = [0]", NULL);
}

static void
arg (LmCases *c)
{
  static const struct {
    const char *params, *axis, *wanted;
  } rows[] = {{"$[1]", "0", "?[]"},        {"$[7]", "0", "?[]"},       {"$[101]", "0", "?[]"},
              {"$[0,3]", "1", "?[0]"},     {"$[13,5]", "0", "?[5]"},   {"$[13,5]", "1", "?[13]"},
              {"$[3,7,5]", "1", "?[3,5]"}, {"$[67,97]", "1", "?[67]"}, {"$[97,67]", "0", "?[67]"}};
  static const char *const others[] = {"i32", "i64", "u8"};
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint k = 0; k < G_N_ELEMENTS (others); k++)
      for (guint d = 0; d < 2; d++) {
        g_autofree char *attrs = g_strdup_printf ("dimension = %s", rows[i].axis);
        lm_case_other (c, d == 0 ? LM_DRAW_TIES : LM_DRAW_SPECIAL, others[k], rows[i].params, attrs,
                       rows[i].wanted);
      }
}

static void
cumsum (LmCases *c)
{
  static const struct {
    const char *params, *axis;
  } rows[] = {{"$[1]", "0"},       {"$[0]", "0"},      {"$[0,3]", "0"},    {"$[3,0]", "0"},
              {"$[1031]", "0"},    {"$[7,5]", "0"},    {"$[7,5]", "1"},    {"$[3,1,101]", "1"},
              {"$[2,31,67]", "1"}, {"$[31,3,7]", "0"}, {"$[11,2,67]", "2"}};
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (int flags = 0; flags < 4; flags++) {
      g_autofree char *attrs = g_strdup_printf ("dimension = %s, reverse = %d, exclusive = %d",
                                                rows[i].axis, flags & 1, flags >> 1);
      lm_case (c, LM_DRAW_PLAIN, rows[i].params, attrs, NULL);
    }
  lm_case (c, LM_DRAW_PLAIN, "$[7,5]", "dimension = 1", NULL);
  lm_case (c, LM_DRAW_SPARSE, "$[67,7]", "dimension = 0", NULL);
  lm_case (c, LM_DRAW_POSITIVE, "$[4099]", "dimension = 0", NULL);
}

bool
lm_cases_reduce (const char *check, LmCaseGenerator *out)
{
  bool args = strcmp (check, "argmax") == 0 || strcmp (check, "argmin") == 0;
  *out = args ? arg : strcmp (check, "reduce") == 0 ? reduce : cumsum;
  return args || strcmp (check, "reduce") == 0 || strcmp (check, "cumsum") == 0;
}

/* --- windows ------------------------------------------------------------------------------------------ */

static void
window_case (LmCases *c, const char *computation, const char *params, const char *attrs)
{
  g_autofree char *all = g_strdup_printf ("computation = \"%s\", %s", computation, attrs);
  lm_case (c, draw_for (computation), params, all, NULL);
}

/* Every combination over one axis: those whose window does not fit are no functions. */
static void
window_grid (LmCases *c, const char *computation)
{
  static const int pads[][2] = {{0, 0}, {1, 2}, {-1, 1}, {2, -2}};
  for (int size = 1; size <= 3; size++)
    for (int stride = 1; stride <= 2; stride++)
      for (int base = 1; base <= 2; base++)
        for (int dilation = 1; dilation <= 2; dilation++)
          for (guint p = 0; p < G_N_ELEMENTS (pads); p++) {
            g_autofree char *attrs = g_strdup_printf (
                "window_dimensions = [%d], window_strides = [%d], padding = [%d, %d], "
                "base_dilations = [%d], window_dilations = [%d]",
                size, stride, pads[p][0], pads[p][1], base, dilation);
            window_case (c, computation, "$[11]", attrs);
          }
}

static const struct {
  const char *params, *attrs;
} windows[] = {
    {"$[]", "window_dimensions = []"},
    {"$[1]", "window_dimensions = [1]"},
    {"$[7]", "window_dimensions = [7]"},
    {"$[0]", "window_dimensions = [1]"},
    {"$[0]", "window_dimensions = [2], padding = [3, 2]"},
    {"$[2,8,8,3]", "window_dimensions = [1, 2, 2, 1], window_strides = [1, 2, 2, 1]"},
    {"$[2,3,8,8]", "window_dimensions = [1, 1, 2, 2], window_strides = [1, 1, 2, 2]"},
    {"$[2,9,7,5]", "window_dimensions = [1, 3, 3, 1], window_strides = [1, 2, 2, 1], padding = "
                   "[0, 0, 1, 1, 0, 1, 0, 0]"},
    {"$[2,3,9,7]", "window_dimensions = [1, 1, 3, 2], window_strides = [1, 1, 2, 1], padding = "
                   "[0, 0, 0, 0, 1, 1, 0, 1]"},
    {"$[6,5]", "window_dimensions = [2, 3], base_dilations = [2, 1], window_dilations = [1, 2], "
               "padding = [1, 0, 2, 2]"},
    {"$[9,8]", "window_dimensions = [2, 3], padding = [-1, -2, 2, -1]"},
    {"$[3,4,67]", "window_dimensions = [2, 2, 1], window_strides = [1, 2, 1], padding = [1, 1, 0, "
                  "0, 0, 0]"},
    {"$[2,2]", "window_dimensions = [1, 1], padding = [2, 2, 0, 0]"},
    {"$[257]", "window_dimensions = [31], padding = [30, 0]"},
    {"$[3,67,37,2]", "window_dimensions = [1, 3, 2, 1], window_strides = [1, 2, 2, 1], padding = "
                     "[0, 0, 1, 1, 0, 1, 0, 0]"},
};

static void
window (LmCases *c)
{
  bool args = strcmp (c->check, "reduce_window_arg") == 0;
  for (guint o = 0; o < G_N_ELEMENTS (computations); o++) {
    if (args && !is_order (computations[o]))
      continue;
    window_grid (c, computations[o]);
    for (guint i = 0; i < G_N_ELEMENTS (windows); i++)
      window_case (c, computations[o], windows[i].params, windows[i].attrs);
  }
  if (!args)
    lm_case (c, LM_DRAW_POSITIVE, "$[3000]",
             "computation = \"add\", window_dimensions = [2999], window_strides = [1]", NULL);
}

bool
lm_cases_window (const char *check, LmCaseGenerator *out)
{
  *out = window;
  return strcmp (check, "reduce_window") == 0 || strcmp (check, "reduce_window_arg") == 0;
}
