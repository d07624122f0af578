/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of ops that only pass values on, of chains that a backend may fuse or read through views, and of
 * donated memory. */
#include "core/conformance/cases.h"

#include <string.h>

/* --- passing on --------------------------------------------------------------------------------------------- */

static void
pass (LmCases *c)
{
  const char *attrs = strcmp (c->check, "name") == 0 ? "name = \"hidden\"" : NULL;
  static const char *const params[] = {"$[]", "$[0]", "$[1]", "$[7,3]", "$[1031]"};
  for (guint i = 0; i < G_N_ELEMENTS (params); i++)
    lm_case (c, LM_DRAW_SPECIAL, params[i], attrs, NULL);
}

static void
barrier (LmCases *c)
{
  static const char *const params[] = {"$[]", "$[0] $[7]", "$[5,3] i32[4] bool[1031]", "$[7] $[7]"};
  for (guint i = 0; i < G_N_ELEMENTS (params); i++)
    lm_case (c, LM_DRAW_SPECIAL, params[i], NULL, NULL);
  lm_case_text (c, LM_DRAW_SPECIAL, "$[31]", /* one value twice, and a view */
                "%1 = reverse(%0) {dimensions = [0]}\n"
                "%2, %3, %4 = optimization_barrier(%1, %0, %1)\n");
}

/* --- chains --------------------------------------------------------------------------------------------------- */

/* Only ops that round nothing, so that results are equal however they are grouped. */
static const struct {
  const char *params, *equations;
} chains[] = {
    {"$[4,67] $[67] $[]", "%3 = broadcast_in_dim(%1) {broadcast_dimensions = [1]} : $[4,67]\n"
                          "%4 = broadcast_in_dim(%2) {broadcast_dimensions = []} : $[4,67]\n"
                          "%5 = maximum(%0, %3)\n%6 = minimum(%5, %4)\n"},
    {"$[131,9] $[131] $[9]", "%3 = broadcast_in_dim(%1) {broadcast_dimensions = [0]} : $[131,9]\n"
                             "%4 = broadcast_in_dim(%2) {broadcast_dimensions = [1]} : $[131,9]\n"
                             "%5 = maximum(%3, %0)\n%6 = minimum(%4, %5)\n"},
    {"$[37,53] $[53,37]", "%2 = transpose(%1) {permutation = [1, 0]}\n%3 = maximum(%0, %2)\n"
                          "%4 = transpose(%3) {permutation = [1, 0]}\n%5 = maximum(%4, %1)\n"},
    {"$[6,7,8]", "%1 = slice(%0) {start_indices = [1, 0, 2], limit_indices = [6, 7, 7], strides = "
                 "[2, 3, 1]}\n%2 = reverse(%1) {dimensions = [0, 2]}\n"
                 "%3 = transpose(%2) {permutation = [2, 0, 1]}\n%4 = reshape(%3) : $[45]\n"
                 "%5 = reverse(%4) {dimensions = [0]}\n%6 = reshape(%5) : $[9,5]\n"},
    {"$[5,3] $[5,4] $[5,0] $[3,5]", "%4 = transpose(%3) {permutation = [1, 0]}\n"
                                    "%5 = concatenate(%0, %1, %2, %4) {dimension = 1}\n"
                                    "%6 = slice(%5) {start_indices = [1, 2], limit_indices = [5, "
                                    "9]}\n"},
    {"$[4,5] $[4,5]", "%2 = maximum(%0, %1)\n%3 = transpose(%2) {permutation = [1, 0]}\n"
                      "%4 = transpose(%3) {permutation = [1, 0]}\n%5 = maximum(%2, %4)\n"
                      "%6 = reverse(%5) {dimensions = [1]}\n%7 = minimum(%5, %6)\n"},
    {"$[31,17]", "%1 = reduce(%0) {computation = \"maximum\", dimensions = [1]}\n"
                 "%2 = broadcast_in_dim(%1) {broadcast_dimensions = [0]} : $[31,17]\n"
                 "%3 = compare(%0, %2) {comparison_direction = \"EQ\"}\n"
                 "%4 = select(%3, %0, %2)\n"
                 "%5 = reduce(%4) {computation = \"minimum\", dimensions = [0]}\n"},
    {"$[13,5] i32[7]@13 $[]",
     "%3 = gather(%0, %1) {offset_dims = [1], collapsed_slice_dims = [0], "
     "start_index_map = [0], index_vector_dim = 1, slice_sizes = [1, 5]}\n"
     "%4 = pad(%3, %2) {edge_padding_low = [3, -1], edge_padding_high = [3, "
     "1]}\n"},
    {"$[31]", "%1 = convert(%0) : f32[31]\n%2 = convert(%1) : bf16[31]\n"
              "%3 = convert(%2) : f64[31]\n%4 = convert(%3) : $[31]\n%5 = maximum(%4, %0)\n"},
    {"$[8,9] $[8,9]", "%2 = maximum(%0, %1)\n%3 = optimization_barrier(%2)\n"
                      "%4 = minimum(%3, %1)\n%5 = maximum(%2, %4)\n%6 = reverse(%5) {dimensions = "
                      "[0]}\n%7 = minimum(%6, %3)\n"},
};

static void
chain (LmCases *c)
{
  for (guint i = 0; i < G_N_ELEMENTS (chains); i++) {
    lm_case_text (c, LM_DRAW_SPECIAL, chains[i].params, chains[i].equations);
    lm_case_text (c, LM_DRAW_TIES, chains[i].params, chains[i].equations);
  }
  lm_case_text (c, LM_DRAW_SPECIAL, NULL, /* parameters and constants as results, values twice */
                "func @outputs(%0: $[3,5]) -> ($[3,5], $[5,3], $[2,3], $[5,3]) {\n"
                "%1 = transpose(%0) {permutation = [1, 0]}\n"
                "%2 = iota() {iota_dimension = 1} : $[2,3]\n"
                "return %0, %1, %2, %1\n}\n");
  lm_case_text (c, LM_DRAW_SPECIAL, NULL,
                "func @identity(%0: $[7], %1: $[7]) -> ($[7], $[7]) {\nreturn %1, %0\n}\n");
}

/* --- donated memory: the leading results take over the parameters of their numbers, step by step -------------- */

static const char *const donations[] = {
    "func @accumulate(%0: $[67], %1: $[67]) -> ($[67]) {\n%2 = maximum(%0, %1)\n"
    "%3 = reverse(%2) {dimensions = [0]}\nreturn %3\n}\n",
    "func @swap(%0: $[5,7], %1: $[5,7]) -> ($[5,7], $[5,7]) {\nreturn %1, %0\n}\n",
    "func @rotate(%0: $[31], %1: $[31], %2: $[31]) -> ($[31], $[31], $[31]) {\n"
    "%3 = maximum(%0, %1)\n%4 = minimum(%3, %2)\nreturn %4, %2, %3\n}\n",
    "func @late(%0: $[31], %1: $[31], %2: $[31]) -> ($[31], $[31], $[31]) {\n"
    "%3 = maximum(%0, %1)\n%4 = reverse(%0) {dimensions = [0]}\n%5 = minimum(%4, %1)\n"
    "%6 = maximum(%3, %2)\nreturn %3, %5, %6\n}\n",
    "func @turn(%0: $[13,13], %1: $[13]) -> ($[13,13], $[13]) {\n"
    "%2 = transpose(%0) {permutation = [1, 0]}\n"
    "%3 = broadcast_in_dim(%1) {broadcast_dimensions = [0]} : $[13,13]\n%4 = maximum(%2, %3)\n"
    "%5 = reduce(%0) {computation = \"minimum\", dimensions = [0]}\nreturn %4, %5\n}\n",
    "func @same(%0: $[257]) -> ($[257]) {\nreturn %0\n}\n",
    "func @shift(%0: $[9,4], %1: $[1,4]) -> ($[9,4]) {\n"
    "%2 = slice(%0) {start_indices = [1, 0], limit_indices = [9, 4]}\n"
    "%3 = concatenate(%2, %1) {dimension = 0}\nreturn %3\n}\n",
    "func @write(%0: $[9,4], %1: i32[], %2: $[1,4], %3: i32[]) -> ($[9,4]) {\n"
    "%4 = dynamic_update_slice(%0, %2, %1, %3)\nreturn %4\n}\n",
    "func @empty(%0: $[0,3], %1: $[2]) -> ($[0,3], $[2]) {\n%2 = reverse(%0) {dimensions = [1]}\n"
    "%3 = reverse(%1) {dimensions = [0]}\nreturn %2, %3\n}\n",
};

static void
donation (LmCases *c)
{
  for (guint i = 0; i < G_N_ELEMENTS (donations); i++)
    for (guint draws = 0; draws < 2; draws++)
      lm_case_text (c, draws == 0 ? LM_DRAW_SPECIAL : LM_DRAW_TIES, NULL, donations[i]);
}

bool
lm_cases_control (const char *check, LmCaseGenerator *out)
{
  static const struct {
    const char *name;
    LmCaseGenerator generator;
  } own[] = {{"name", pass},
             {"stop_gradient", pass},
             {"optimization_barrier", barrier},
             {"composite", lm_cases_composite},
             {"chains", chain},
             {"donation", donation}};
  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    if (strcmp (check, own[i].name) == 0) {
      *out = own[i].generator;
      return true;
    }
  return false;
}
