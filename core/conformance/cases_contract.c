/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of contractions: products of all orders of axes, convolutions with every attribute, and the
 * results in another dtype. */
#include "core/conformance/cases.h"

#include <string.h>

/* --- dot_general ----------------------------------------------------------------------------------------- */

#define CONTRACT(l, r) "lhs_contracting_dimensions = " l ", rhs_contracting_dimensions = " r
#define BATCH(l, r)    "lhs_batching_dimensions = " l ", rhs_batching_dimensions = " r ", "

static const struct {
  const char *params, *attrs;
} dots[] = {
    {"$[] $[]", CONTRACT ("[]", "[]")},
    {"$[7] $[7]", CONTRACT ("[0]", "[0]")},
    {"$[7] $[5]", CONTRACT ("[]", "[]")},
    {"$[0] $[0]", CONTRACT ("[0]", "[0]")},
    {"$[1,1] $[1,1]", CONTRACT ("[1]", "[0]")},
    {"$[3,7] $[7,5]", CONTRACT ("[1]", "[0]")},
    {"$[5,5] $[5,5]", CONTRACT ("[1]", "[0]")},
    {"$[5,5] $[5,5]", CONTRACT ("[0]", "[0]")},
    {"$[5,5] $[5,5]", CONTRACT ("[1]", "[1]")},
    {"$[5,5] $[5,5]", CONTRACT ("[0]", "[1]")},
    {"$[13,17] $[17,31]", CONTRACT ("[1]", "[0]")},
    {"$[17,13] $[17,31]", CONTRACT ("[0]", "[0]")},
    {"$[13,17] $[31,17]", CONTRACT ("[1]", "[1]")},
    {"$[17,13] $[31,17]", CONTRACT ("[0]", "[1]")},
    {"$[5,0] $[0,3]", CONTRACT ("[1]", "[0]")},
    {"$[0,5] $[5,3]", CONTRACT ("[1]", "[0]")},
    {"$[5,3] $[3,0]", CONTRACT ("[1]", "[0]")},
    {"$[1,131] $[131,67]", CONTRACT ("[1]", "[0]")},
    {"$[67,64] $[64,1]", CONTRACT ("[1]", "[0]")},
    {"$[24,256] $[256,64]", CONTRACT ("[1]", "[0]")},
    {"$[101,103] $[103,37]", CONTRACT ("[1]", "[0]")},
    {"$[131,307] $[307,257]", CONTRACT ("[1]", "[0]")},
    {"$[307,131] $[257,307]", CONTRACT ("[0]", "[1]")},
    {"$[4,6,5] $[4,5,7]", BATCH ("[0]", "[0]") CONTRACT ("[2]", "[1]")},
    {"$[6,4,5] $[5,7,4]", BATCH ("[1]", "[2]") CONTRACT ("[2]", "[0]")},
    {"$[0,6,5] $[0,5,7]", BATCH ("[0]", "[0]") CONTRACT ("[2]", "[1]")},
    {"$[2,3,4,5] $[5,3,6,2]", BATCH ("[0]", "[3]") CONTRACT ("[1, 3]", "[1, 0]")},
    {"$[2,3,4,5] $[3,2,6,5]", BATCH ("[1, 0]", "[0, 1]") CONTRACT ("[3]", "[3]")},
    {"$[6,2,5] $[5,6,4]", CONTRACT ("[2, 0]", "[0, 1]")},
    {"$[3,4] $[3,4]", BATCH ("[0, 1]", "[0, 1]") CONTRACT ("[]", "[]")},
    {"$[3,37,41] $[3,41,43]", BATCH ("[0]", "[0]") CONTRACT ("[2]", "[1]")},
};

static void
dot (LmCases *c)
{
  static const char *const others[] = {"f64", "f32", "f16", "bf16", "i64", "i32", "i8", "u32"};
  for (guint i = 0; i < G_N_ELEMENTS (dots); i++)
    lm_case (c, LM_DRAW_PLAIN, dots[i].params, dots[i].attrs, NULL);
  lm_case (c, LM_DRAW_SPARSE, "$[13,11] $[11,9]", CONTRACT ("[1]", "[0]"), NULL);
  lm_case (c, LM_DRAW_POSITIVE, "$[3,2053] $[2053,2]", CONTRACT ("[1]", "[0]"), NULL);
  lm_case (c, LM_DRAW_POSITIVE, "$[2053] $[2053]", CONTRACT ("[0]", "[0]"), NULL);
  for (guint k = 0; k < G_N_ELEMENTS (others); k++)
    lm_case_other (c, LM_DRAW_POSITIVE, others[k], "$[5,301] $[301,3]",
                   CONTRACT ("[1]", "[0]") ", out_dtype = ?", NULL);
}

/* --- convolution ----------------------------------------------------------------------------------------- */

#define NHWC "lhs_spec = [0, 3, 1, 2], rhs_spec = [3, 2, 0, 1], out_spec = [0, 3, 1, 2]"
#define NCHW "lhs_spec = [0, 1, 2, 3], rhs_spec = [0, 1, 2, 3], out_spec = [0, 1, 2, 3]"
#define NWC  "lhs_spec = [0, 2, 1], rhs_spec = [2, 1, 0], out_spec = [0, 2, 1]"
/* The gradient of the filter, as core/op writes it. */
#define FILTER "lhs_spec = [3, 0, 1, 2], rhs_spec = [3, 0, 1, 2], out_spec = [2, 3, 0, 1]"

static const struct {
  const char *params, *attrs;
} convolutions[] = {
    {"$[5,7] $[7,3]", "lhs_spec = [0, 1], rhs_spec = [1, 0], out_spec = [0, 1]"},
    {"$[1,1,1] $[1,1,1]", NWC},
    {"$[3,9,8] $[3,8,4]", NWC},
    {"$[0,9,8] $[3,8,4]", NWC},
    {"$[2,9,0] $[3,0,4]", NWC},
    {"$[2,0,3] $[0,1,4]", "lhs_spec = [0, 1, 2], rhs_spec = [2, 0, 1], out_spec = [0, 1, 2]"},
    {"$[3,8,8,5] $[3,3,5,7]", "padding = [1, 1, 1, 1], " NHWC},
    {"$[2,9,7,16] $[3,3,16,20]", "window_strides = [2, 1], padding = [1, 0, 0, 2], " NHWC},
    {"$[3,5,8,9] $[7,5,3,2]", "window_strides = [2, 2], padding = [1, 1, 0, 1], " NCHW},
    {"$[2,9,9,3] $[3,3,3,4]", "padding = [-1, -2, 2, -1], " NHWC},
    {"$[2,4,4,6] $[3,3,3,8]", "feature_group_count = 2, padding = [1, 1, 1, 1], " NHWC},
    {"$[2,6,6,4] $[3,3,1,8]", "feature_group_count = 4, " NHWC},
    {"$[6,5,5,3] $[2,2,3,4]", "batch_group_count = 2, " NHWC},
    {"$[2,5,5,3] $[3,3,3,4]", "lhs_dilation = [2, 3], padding = [1, 2, -1, 1], " NHWC},
    {"$[2,9,9,3] $[3,2,3,4]", "rhs_dilation = [2, 3], padding = [2, -1, 0, 0], " NHWC},
    {"$[2,5,6,4] $[3,2,2,6]", "lhs_dilation = [2, 1], rhs_dilation = [1, 2], window_strides = [2, "
                              "1], padding = [2, 1, 0, 3], feature_group_count = 2, " NHWC},
    {"$[2,5,6,4,3] $[2,3,2,3,4]", "lhs_spec = [0, 4, 1, 2, 3], rhs_spec = [4, 3, 0, 1, 2], "
                                  "out_spec = [0, 4, 1, 2, 3], window_strides = [1, 2, 1]"},
    {"$[4,8,8,7] $[3,3,5,7]", "padding = [1, 1, 1, 1], lhs_spec = [0, 3, 1, 2], rhs_spec = [2, 3, "
                              "0, 1], out_spec = [0, 3, 1, 2]"},
    {"$[4,8,8,5] $[4,8,8,7]", "padding = [1, 1, 1, 1], " FILTER},
    {"$[5,13,11,16] $[3,3,16,33]", "padding = [1, 1, 1, 1], " NHWC},
    {"$[4,9,9,5] $[4,5,5,7]", "padding = [1, 1, 1, 1], rhs_dilation = [2, 2], " FILTER},
};

static void
convolution (LmCases *c)
{
  static const char *const others[] = {"f64", "f32", "f16", "bf16", "i64", "i32"};
  for (guint i = 0; i < G_N_ELEMENTS (convolutions); i++)
    lm_case (c, LM_DRAW_PLAIN, convolutions[i].params, convolutions[i].attrs, NULL);
  lm_case (c, LM_DRAW_SPARSE, "$[2,6,6,5] $[3,3,5,4]", NHWC, NULL);
  lm_case (c, LM_DRAW_POSITIVE, "$[1,5,5,257] $[3,3,257,2]", NHWC, NULL);
  for (guint k = 0; k < G_N_ELEMENTS (others); k++)
    lm_case_other (c, LM_DRAW_POSITIVE, others[k], "$[2,7,37] $[3,37,4]", NWC ", out_dtype = ?",
                   NULL);
}

/* One axis in every combination of its attributes. */
static void
convolution_grid (LmCases *c)
{
  static const int pads[][2] = {{0, 0}, {1, 2}, {-1, 1}, {3, -2}};
  convolution (c);
  for (int stride = 1; stride <= 3; stride++)
    for (int left = 1; left <= 2; left++)
      for (int right = 1; right <= 2; right++)
        for (guint p = 0; p < G_N_ELEMENTS (pads); p++) {
          g_autofree char *attrs =
              g_strdup_printf ("window_strides = [%d], lhs_dilation = [%d], rhs_dilation = [%d], "
                               "padding = [%d, %d], " NWC,
                               stride, left, right, pads[p][0], pads[p][1]);
          lm_case (c, LM_DRAW_PLAIN, "$[2,11,3] $[3,3,2]", attrs, NULL);
        }
}

bool
lm_cases_contract (const char *check, LmCaseGenerator *out)
{
  *out = strcmp (check, "dot_general") == 0 ? dot : convolution_grid;
  return strcmp (check, "dot_general") == 0 || strcmp (check, "convolution") == 0;
}
