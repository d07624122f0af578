/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of ops that move elements, at places known beforehand and at places given at run time. */
#include "core/conformance/cases.h"

#include <string.h>

typedef struct Row {
  const char *params, *attrs, *wanted;
} Row;

static void
over_rows (LmCases *c, const Row *rows, guint n)
{
  for (guint i = 0; i < n; i++)
    lm_case (c, LM_DRAW_SPECIAL, rows[i].params, rows[i].attrs, rows[i].wanted);
}

static void
constant (LmCases *c)
{
  static const char *const floats[] = {"0.0, -0.0, 1.5, -2.25, inf, -inf, nan", "0.1, 2.0"};
  static const char *const ints[] = {"0, 1, 2, 100, 127, 3, 5", "7, 9"};
  static const char *const bools[] = {"true, false, true, true, false, false, true", "false, true"};
  const char *const *lists = lam_dtype_is_float (c->code) ? floats
                             : c->code == LAM_PRED        ? bools
                                                          : ints;
  const char *one = lam_dtype_is_float (c->code) ? "-3.5" : c->code == LAM_PRED ? "true" : "42";
  static const char *const shapes[] = {"", "1", "0", "7", "1031", "3,0,2", "5,3,2"};
  const char *const wanted[] = {"$[7]", "$[2,1]"};
  for (guint i = 0; i < 2; i++) {
    g_autofree char *attrs = g_strdup_printf ("value = [%s]", lists[i]);
    lm_case (c, LM_DRAW_SPECIAL, "", attrs, wanted[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++) {
    g_autofree char *attrs = g_strdup_printf ("value = [%s]", one);
    g_autofree char *type = g_strdup_printf ("$[%s]", shapes[i]);
    lm_case (c, LM_DRAW_SPECIAL, "", attrs, type);
  }
}

static void
iota (LmCases *c)
{
  static const Row rows[] = {
      {"", "iota_dimension = 0", "$[1]"},       {"", "iota_dimension = 0", "$[0]"},
      {"", "iota_dimension = 0", "$[127]"},     {"", "iota_dimension = 1", "$[3,5]"},
      {"", "iota_dimension = 0", "$[3,5]"},     {"", "iota_dimension = 1", "$[2,7,3]"},
      {"", "iota_dimension = 2", "$[2,7,101]"}, {"", "iota_dimension = 1", "$[2,0,3]"}};
  over_rows (c, rows, G_N_ELEMENTS (rows));
  if (lam_dtype_bits (c->code) > 8) /* f16 and bf16 round on the way */
    lm_case (c, LM_DRAW_SPECIAL, "", "iota_dimension = 0", "$[4099]");
}

static void
broadcast (LmCases *c)
{
  static const Row rows[] = {{"$[]", "broadcast_dimensions = []", "$[]"},
                             {"$[]", "broadcast_dimensions = []", "$[7,3]"},
                             {"$[]", "broadcast_dimensions = []", "$[0,3]"},
                             {"$[5]", "broadcast_dimensions = [0]", "$[5,3]"},
                             {"$[5]", "broadcast_dimensions = [1]", "$[3,5]"},
                             {"$[1]", "broadcast_dimensions = [1]", "$[3,5]"},
                             {"$[1,5]", "broadcast_dimensions = [0, 1]", "$[3,5]"},
                             {"$[3,1]", "broadcast_dimensions = [0, 2]", "$[3,4,5]"},
                             {"$[3,5]", "broadcast_dimensions = [0, 2]", "$[3,4,5]"},
                             {"$[3,5]", "broadcast_dimensions = [1, 2]", "$[2,3,5]"},
                             {"$[0]", "broadcast_dimensions = [1]", "$[3,0]"},
                             {"$[1,1,1]", "broadcast_dimensions = [0, 1, 3]", "$[2,3,1,7]"},
                             {"$[2,1,3]", "broadcast_dimensions = [1, 3, 4]", "$[5,2,2,4,3]"},
                             {"$[301]", "broadcast_dimensions = [1]", "$[67,301]"},
                             {"$[301]", "broadcast_dimensions = [0]", "$[301,67]"}};
  over_rows (c, rows, G_N_ELEMENTS (rows));
}

static void
reshape (LmCases *c)
{
  static const Row rows[] = {{"$[]", NULL, "$[1,1]"},     {"$[1]", NULL, "$[]"},
                             {"$[6]", NULL, "$[2,3]"},    {"$[2,3]", NULL, "$[3,2]"},
                             {"$[0,3]", NULL, "$[7,0]"},  {"$[2,3,5]", NULL, "$[30]"},
                             {"$[4,1,3]", NULL, "$[12]"}, {"$[1031,3]", NULL, "$[3,1031]"}};
  over_rows (c, rows, G_N_ELEMENTS (rows));
}

static void
transpose (LmCases *c)
{
  static const Row rows[] = {{"$[]", "permutation = []", NULL},
                             {"$[7]", "permutation = [0]", NULL},
                             {"$[3,5]", "permutation = [1, 0]", NULL},
                             {"$[0,5]", "permutation = [1, 0]", NULL},
                             {"$[1,5]", "permutation = [1, 0]", NULL},
                             {"$[5,5]", "permutation = [1, 0]", NULL},
                             {"$[2,3,5]", "permutation = [0, 2, 1]", NULL},
                             {"$[2,3,5]", "permutation = [1, 0, 2]", NULL},
                             {"$[2,3,5]", "permutation = [1, 2, 0]", NULL},
                             {"$[2,3,5]", "permutation = [2, 0, 1]", NULL},
                             {"$[2,3,5]", "permutation = [2, 1, 0]", NULL},
                             {"$[2,3,5,4]", "permutation = [0, 2, 3, 1]", NULL},
                             {"$[2,3,5,4]", "permutation = [3, 1, 2, 0]", NULL},
                             {"$[2,1,3,2,5]", "permutation = [4, 0, 2, 1, 3]", NULL},
                             {"$[131,67]", "permutation = [1, 0]", NULL},
                             {"$[307,503]", "permutation = [1, 0]", NULL},
                             {"$[5,67,33]", "permutation = [0, 2, 1]", NULL}};
  over_rows (c, rows, G_N_ELEMENTS (rows));
}

static void
reverse (LmCases *c)
{
  static const Row rows[] = {
      {"$[]", "dimensions = []", NULL},          {"$[1]", "dimensions = [0]", NULL},
      {"$[0]", "dimensions = [0]", NULL},        {"$[1031]", "dimensions = [0]", NULL},
      {"$[3,5]", "dimensions = [0]", NULL},      {"$[3,5]", "dimensions = [1]", NULL},
      {"$[3,5]", "dimensions = [1, 0]", NULL},   {"$[3,5,7]", "dimensions = [1]", NULL},
      {"$[3,5,7]", "dimensions = [0, 2]", NULL}, {"$[3,1,7]", "dimensions = [0, 1, 2]", NULL},
      {"$[67,131]", "dimensions = [1]", NULL}};
  over_rows (c, rows, G_N_ELEMENTS (rows));
}

static void
slice (LmCases *c)
{
  static const Row rows[] = {
      {"$[]", "start_indices = [], limit_indices = []", NULL},
      {"$[7]", "start_indices = [0], limit_indices = [7]", NULL},
      {"$[7]", "start_indices = [3], limit_indices = [3]", NULL},
      {"$[7]", "start_indices = [6], limit_indices = [7]", NULL},
      {"$[1031]", "start_indices = [1], limit_indices = [1030], strides = [3]", NULL},
      {"$[7]", "start_indices = [1], limit_indices = [7], strides = [2]", NULL},
      {"$[7]", "start_indices = [1], limit_indices = [7], strides = [100]", NULL},
      {"$[0]", "start_indices = [0], limit_indices = [0], strides = [2]", NULL},
      {"$[5,7]", "start_indices = [1, 2], limit_indices = [4, 7]", NULL},
      {"$[5,7]", "start_indices = [0, 2], limit_indices = [5, 3]", NULL},
      {"$[5,7]", "start_indices = [1, 0], limit_indices = [5, 7], strides = [3, 2]", NULL},
      {"$[3,5,7]", "start_indices = [0, 1, 2], limit_indices = [3, 2, 7], strides = [2, 1, 5]",
       NULL},
      {"$[67,131]", "start_indices = [3, 5], limit_indices = [66, 130]", NULL}};
  over_rows (c, rows, G_N_ELEMENTS (rows));
}

#define EDGES(low, high)       "edge_padding_low = " low ", edge_padding_high = " high
#define PADS(low, high, inner) EDGES (low, high) ", interior_padding = " inner

static void
pad (LmCases *c)
{
  static const Row rows[] = {{"$[] $[]", EDGES ("[]", "[]"), NULL},
                             {"$[5] $[]", EDGES ("[0]", "[0]"), NULL},
                             {"$[5] $[]", EDGES ("[2]", "[0]"), NULL},
                             {"$[5] $[]", EDGES ("[0]", "[3]"), NULL},
                             {"$[5] $[]", EDGES ("[-2]", "[0]"), NULL},
                             {"$[5] $[]", EDGES ("[0]", "[-2]"), NULL},
                             {"$[5] $[]", EDGES ("[-2]", "[-3]"), NULL},
                             {"$[5] $[]", EDGES ("[-6]", "[4]"), NULL},
                             {"$[5] $[]", EDGES ("[4]", "[-7]"), NULL},
                             {"$[0] $[]", EDGES ("[2]", "[3]"), NULL},
                             {"$[1] $[]", PADS ("[1]", "[1]", "[4]"), NULL},
                             {"$[5] $[]", PADS ("[0]", "[0]", "[2]"), NULL},
                             {"$[5] $[]", PADS ("[1]", "[2]", "[1]"), NULL},
                             {"$[5] $[]", PADS ("[-1]", "[-1]", "[1]"), NULL},
                             {"$[5] $[]", PADS ("[-2]", "[-2]", "[2]"), NULL},
                             {"$[5] $[]", PADS ("[-4]", "[3]", "[2]"), NULL},
                             {"$[5,3] $[]", EDGES ("[1, 0]", "[0, 2]"), NULL},
                             {"$[5,3] $[]", PADS ("[2, -1]", "[-1, 3]", "[1, 2]"), NULL},
                             {"$[2,5,3] $[]", PADS ("[0, -3, 1]", "[1, 2, -2]", "[0, 2, 1]"), NULL},
                             {"$[2,0,3] $[]", EDGES ("[0, 1, 0]", "[0, 0, 0]"), NULL},
                             {"$[67,31] $[]", EDGES ("[3, -2]", "[-5, 7]"), NULL}};
  over_rows (c, rows, G_N_ELEMENTS (rows));
}

static void
concatenate (LmCases *c)
{
  static const Row rows[] = {{"$[3]", "dimension = 0", NULL},
                             {"$[3] $[5]", "dimension = 0", NULL},
                             {"$[3] $[0] $[1]", "dimension = 0", NULL},
                             {"$[0] $[0]", "dimension = 0", NULL},
                             {"$[3,5] $[2,5]", "dimension = 0", NULL},
                             {"$[3,5] $[3,2]", "dimension = 1", NULL},
                             {"$[3,5] $[3,0] $[3,1] $[3,7]", "dimension = 1", NULL},
                             {"$[2,3,5] $[2,4,5]", "dimension = 1", NULL},
                             {"$[2,3,5] $[2,3,2]", "dimension = 2", NULL},
                             {"$[67,31] $[67,101]", "dimension = 1", NULL}};
  over_rows (c, rows, G_N_ELEMENTS (rows));
}

/* --- places given at run time -------------------------------------------------------------------------- */

static const char *const index_dtypes[] = {"i8", "i32", "i64", "u8", "u32", "u64"};

static void
over_indices (LmCases *c, const Row *rows, guint n)
{
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < G_N_ELEMENTS (index_dtypes); k++)
      for (guint draws = 0; draws < 3; draws++)
        lm_case_other (c, LM_DRAW_SPECIAL, index_dtypes[k], rows[i].params, rows[i].attrs, NULL);
}

static void
dynamic_slice (LmCases *c)
{
  static const Row rows[] = {{"$[7] ?[]@7", "slice_sizes = [3]", NULL},
                             {"$[7] ?[]@7", "slice_sizes = [7]", NULL},
                             {"$[7] ?[]@7", "slice_sizes = [0]", NULL},
                             {"$[0,5] ?[]@1 ?[]@5", "slice_sizes = [0, 3]", NULL},
                             {"$[1] ?[]@1", "slice_sizes = [1]", NULL},
                             {"$[7,9] ?[]@7 ?[]@9", "slice_sizes = [3, 4]", NULL},
                             {"$[3,5,4] ?[]@3 ?[]@5 ?[]@4", "slice_sizes = [1, 5, 2]", NULL},
                             {"$[67,131] ?[]@67 ?[]@131", "slice_sizes = [61, 113]", NULL}};
  lm_case (c, LM_DRAW_SPECIAL, "$[]", "slice_sizes = []", NULL);
  over_indices (c, rows, G_N_ELEMENTS (rows));
}

static void
dynamic_update_slice (LmCases *c)
{
  static const Row rows[] = {{"$[7] $[3] ?[]@7", NULL, NULL},
                             {"$[7] $[7] ?[]@7", NULL, NULL},
                             {"$[7] $[0] ?[]@7", NULL, NULL},
                             {"$[0,5] $[0,3] ?[]@1 ?[]@5", NULL, NULL},
                             {"$[1] $[1] ?[]@1", NULL, NULL},
                             {"$[7,9] $[3,4] ?[]@7 ?[]@9", NULL, NULL},
                             {"$[7,9] $[1,9] ?[]@7 ?[]@1", NULL, NULL},
                             {"$[3,5,4] $[1,5,2] ?[]@3 ?[]@5 ?[]@4", NULL, NULL},
                             {"$[67,131] $[61,113] ?[]@67 ?[]@131", NULL, NULL}};
  lm_case (c, LM_DRAW_SPECIAL, "$[] $[]", NULL, NULL);
  over_indices (c, rows, G_N_ELEMENTS (rows));
}

bool
lm_cases_shape (const char *check, LmCaseGenerator *out)
{
  static const struct {
    const char *name;
    LmCaseGenerator generator;
  } own[] = {{"constant", constant},
             {"iota", iota},
             {"broadcast_in_dim", broadcast},
             {"reshape", reshape},
             {"transpose", transpose},
             {"reverse", reverse},
             {"slice", slice},
             {"pad", pad},
             {"concatenate", concatenate},
             {"dynamic_slice", dynamic_slice},
             {"dynamic_update_slice", dynamic_update_slice}};
  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    if (strcmp (check, own[i].name) == 0) {
      *out = own[i].generator;
      return true;
    }
  return false;
}
