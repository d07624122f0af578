/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of gather and scatter: all their axes, both modes, indices of every width inside, just outside
 * and far outside, duplicates. */
#include "core/conformance/cases.h"

#include <string.h>

typedef struct Row {
  const char *params, *attrs;
} Row;

static const char *const modes[] = {"clip", "fill"};
static const char *const index_dtypes[] = {"i8", "i32", "i64", "u8", "u32", "u64"};

/* --- gather -------------------------------------------------------------------------------------------- */

static const Row gathers[] = {
    {"$[13] ?[]@13", "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0, "
                     "slice_sizes = [1]"},
    {"$[13] ?[40]@13", "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1, "
                       "slice_sizes = [1]"},
    {"$[1] ?[5]@1", "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1, "
                    "slice_sizes = [1]"},
    {"$[13] ?[0]@13", "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1, "
                      "slice_sizes = [1]"},
    {"$[6,3] ?[9]@6", "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
                      "index_vector_dim = 1, slice_sizes = [1, 3]"},
    {"$[3,6] ?[9]@6", "offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], "
                      "index_vector_dim = 1, slice_sizes = [3, 1]"},
    {"$[5,4] ?[7,2]@4", "offset_dims = [1, 2], start_index_map = [1, 0], index_vector_dim = 1, "
                        "slice_sizes = [2, 3]"},
    {"$[5,4] ?[2,7]@4", "offset_dims = [0, 2], start_index_map = [0, 1], index_vector_dim = 0, "
                        "slice_sizes = [2, 3]"},
    {"$[11] ?[3,1]@11", "offset_dims = [1], start_index_map = [0], index_vector_dim = 1, "
                        "slice_sizes = [4]"},
    {"$[11] ?[3,1]@11", "offset_dims = [1], start_index_map = [0], index_vector_dim = 1, "
                        "slice_sizes = [0]"},
    {"$[4,9] ?[4,5,1]@9",
     "collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], "
     "start_index_map = [1], index_vector_dim = 2, slice_sizes = [1, 1]"},
    {"$[9,2,4] ?[5,4]@9",
     "offset_dims = [2], collapsed_slice_dims = [0], operand_batching_dims = [2], "
     "start_indices_batching_dims = [1], start_index_map = [0], index_vector_dim = 2, "
     "slice_sizes = [1, 2, 1]"},
    {"$[257,31] ?[101]@257", "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = "
                             "[0], index_vector_dim = 1, slice_sizes = [1, 31]"},
};

static void
gather (LmCases *c)
{
  for (guint i = 0; i < G_N_ELEMENTS (gathers); i++)
    for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
      for (guint k = 0; k < G_N_ELEMENTS (index_dtypes); k++) {
        g_autofree char *attrs = g_strdup_printf ("%s, mode = \"%s\"", gathers[i].attrs, modes[m]);
        lm_case_other (c, LM_DRAW_SPECIAL, index_dtypes[k], gathers[i].params, attrs, NULL);
      }
  lm_case_text (c, LM_DRAW_SPECIAL, "$[13,3]", /* unique: every index once */
                "%1 = iota() {iota_dimension = 0} : i32[13]\n"
                "%2 = reverse(%1) {dimensions = [0]}\n"
                "%3 = gather(%0, %2) {offset_dims = [1], collapsed_slice_dims = [0], "
                "start_index_map = [0], index_vector_dim = 1, slice_sizes = [1, 3], unique = 1}\n");
}

/* --- scatter ------------------------------------------------------------------------------------------- */

static const Row scatters[] = {
    {"$[13] ?[]@13 $[]", "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                         "index_vector_dim = 0"},
    {"$[13] ?[60]@13 $[60]", "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                             "index_vector_dim = 1"},
    {"$[1] ?[7]@1 $[7]", "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                         "index_vector_dim = 1"},
    {"$[13] ?[0]@13 $[0]", "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                           "index_vector_dim = 1"},
    {"$[6,3] ?[9]@6 $[9,3]", "update_window_dims = [1], inserted_window_dims = [0], "
                             "scatter_dims_to_operand_dims = [0], index_vector_dim = 1"},
    {"$[3,6] ?[9]@6 $[3,9]", "update_window_dims = [0], inserted_window_dims = [1], "
                             "scatter_dims_to_operand_dims = [1], index_vector_dim = 1"},
    {"$[5,4] ?[7,2]@4 $[7,2,3]", "update_window_dims = [1, 2], scatter_dims_to_operand_dims = "
                                 "[1, 0], index_vector_dim = 1"},
    {"$[11] ?[3,1]@11 $[3,4]", "update_window_dims = [1], scatter_dims_to_operand_dims = [0], "
                               "index_vector_dim = 1"},
    {"$[4,9] ?[4,5,1]@9 $[4,5]",
     "inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], "
     "scatter_dims_to_operand_dims = [1], index_vector_dim = 2"},
    {"$[1031] ?[2003]@1031 $[2003]", "inserted_window_dims = [0], scatter_dims_to_operand_dims = "
                                     "[0], index_vector_dim = 1"},
    {"$[61,7] ?[131]@61 $[131,7]", "update_window_dims = [1], inserted_window_dims = [0], "
                                   "scatter_dims_to_operand_dims = [0], index_vector_dim = 1"},
};

static LmDraw
draw_for (const char *computation)
{
  return strcmp (computation, "add") == 0        ? LM_DRAW_SPARSE
         : strcmp (computation, "multiply") == 0 ? LM_DRAW_FACTORS
         : strcmp (computation, "update") == 0   ? LM_DRAW_PLAIN
                                                 : LM_DRAW_TIES;
}

static void
scatter (LmCases *c)
{
  static const char *const computations[] = {"add", "multiply", "minimum", "maximum", "update"};
  for (guint i = 0; i < G_N_ELEMENTS (scatters); i++)
    for (guint o = 0; o < G_N_ELEMENTS (computations); o++)
      for (guint m = 0; m < G_N_ELEMENTS (modes); m++) {
        const char *other = index_dtypes[(i + 2 * o + 3 * m) % G_N_ELEMENTS (index_dtypes)];
        g_autofree char *attrs = g_strdup_printf ("%s, computation = \"%s\", mode = \"%s\"",
                                                  scatters[i].attrs, computations[o], modes[m]);
        lm_case_other (c, draw_for (computations[o]), other, scatters[i].params, attrs, NULL);
      }
  lm_case_text (c, LM_DRAW_PLAIN, "$[13,3] $[13,3]",
                "%2 = iota() {iota_dimension = 0} : i32[13]\n"
                "%3 = reverse(%2) {dimensions = [0]}\n"
                "%4 = scatter(%0, %3, %1) {update_window_dims = [1], inserted_window_dims = [0], "
                "scatter_dims_to_operand_dims = [0], index_vector_dim = 1, unique = 1}\n");
}

bool
lm_cases_index (const char *check, LmCaseGenerator *out)
{
  *out = strcmp (check, "gather") == 0 ? gather : scatter;
  return strcmp (check, "gather") == 0 || strcmp (check, "scatter") == 0;
}
