/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/index.c: gather scatter. */
#include "core/transform/transform.h"
#include "tests/lib/fixture.h"
#include "tests/lib/opcheck.h"

#define ROWS          "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0]"
#define GATHER(attrs) "gather(%0, %1) {" attrs "}"
#define INTO                                                                                       \
  "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]"
#define SCATTER(attrs) "scatter(%0, %1, %2) {" attrs "}"

static void
test_gather_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F2 ("f32[5,3]", "i32[4,1]", GATHER (ROWS ", index_vector_dim = 1, slice_sizes = [1, 3]"),
              "f32[4,3]"),
       NULL},
      /* no vector axis: each index is one component */
      {LM_F2 ("f32[5,3]", "u8[4]", GATHER (ROWS ", index_vector_dim = 1, slice_sizes = [1, 2]"),
              "f32[4,2]"),
       NULL},
      {LM_F2 ("f32[2,5,3]", "i64[2,4,1]",
              GATHER (
                  "offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], "
                  "start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2, "
                  "slice_sizes = [1, 1, 3], mode = \"fill\", unique = 1"),
              "f32[2,4,3]"),
       NULL},
      {LM_F2 ("f32[5,3]", "f32[4,1]", GATHER (ROWS ", index_vector_dim = 1, slice_sizes = [1, 3]"),
              "f32[4,3]"),
       "operand 1 is f32[4,1], wanted integers"},
      {LM_F2 ("f32[5,3]", "i32[4,2]", GATHER (ROWS ", index_vector_dim = 1, slice_sizes = [1, 3]"),
              "f32[4,3]"),
       "wanted 1 index components (the length of start_index_map), it has 2"},
      {LM_F2 ("f32[5,3]", "i32[4,1]", GATHER (ROWS ", index_vector_dim = 3, slice_sizes = [1, 3]"),
              "f32[4,3]"),
       "index_vector_dim is 3, wanted 0 to 2"},
      {LM_F2 ("f32[5,3]", "i32[4,1]", GATHER (ROWS ", index_vector_dim = 1, slice_sizes = [1, 4]"),
              "f32[4,4]"),
       "slice_sizes[1] is 4, wanted at most 3"},
      {LM_F2 ("f32[5,3]", "i32[4,1]", GATHER (ROWS ", index_vector_dim = 1, slice_sizes = [2, 3]"),
              "f32[4,3]"),
       "slice_sizes[0] is 2, wanted 1 on a collapsed or batching axis"},
      {LM_F2 ("f32[5,3]", "i32[4,1]", GATHER (ROWS ", index_vector_dim = 1, slice_sizes = [1]"),
              "f32[4,3]"),
       "slice_sizes has 1 numbers, wanted 2"}};
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

static void
test_gather_axes (void)
{
  const LmTypeCase cases[] = {
      {LM_F2 ("f32[5,3]", "i32[4,1]",
              GATHER ("offset_dims = [0, 1], collapsed_slice_dims = [0], start_index_map = [0], "
                      "index_vector_dim = 1, slice_sizes = [1, 3]"),
              "f32[4,3]"),
       "offset_dims has 2 axes, wanted 1"},
      {LM_F2 ("f32[5,3]", "i32[4,1]",
              GATHER ("offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], "
                      "index_vector_dim = 1, slice_sizes = [1, 3]"),
              "f32[4,3]"),
       "offset_dims[0] is 2"},
      {LM_F2 ("f32[5,3]", "i32[4,1]",
              GATHER (ROWS ", index_vector_dim = 1, slice_sizes = [1, 3], mode = \"wrap\""),
              "f32[4,3]"),
       "mode is \"wrap\", wanted one of: clip, fill"},
      {LM_F2 ("f32[5,3]", "i32[4,1]",
              GATHER (ROWS ", index_vector_dim = 1, slice_sizes = [1, 3], unique = 2"), "f32[4,3]"),
       "unique is 2"},
      {LM_F2 ("f32[2,3]", "i32[4,1]",
              GATHER (
                  "offset_dims = [], collapsed_slice_dims = [1], operand_batching_dims = [0], "
                  "start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1, "
                  "slice_sizes = [1, 1]"),
              "f32[4]"),
       "operand 1 is i32[4,1], wanted size 2 at axis 0 (axis 0 of operand 0)"},
      {LM_F2 ("f32[2,3]", "i32[2,1]",
              GATHER (
                  "offset_dims = [], collapsed_slice_dims = [0], operand_batching_dims = [0], "
                  "start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1, "
                  "slice_sizes = [1, 1]"),
              "f32[2]"),
       "collapsed_slice_dims and operand_batching_dims name the same axis"},
      {LM_F2 ("f32[2,3]", "i32[2,1]",
              GATHER (
                  "offset_dims = [1], operand_batching_dims = [0], "
                  "start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 1, "
                  "slice_sizes = [1, 3]"),
              "f32[2,3]"),
       "start_indices_batching_dims names index_vector_dim 1"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

static void
test_scatter_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F3 ("f32[5,3]", "i32[4,1]", "f32[4,3]", SCATTER (INTO ", index_vector_dim = 1"),
              "f32[5,3]"),
       NULL},
      {LM_F3 ("f32[5,3]", "i32[4]", "f32[4,2]",
              SCATTER (INTO ", index_vector_dim = 1, computation = \"update\", mode = \"fill\""),
              "f32[5,3]"),
       NULL},
      {LM_F3 ("f32[2,5]", "i32[2,4,1]", "f32[2,4]",
              SCATTER ("inserted_window_dims = [1], input_batching_dims = [0], "
                       "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], "
                       "index_vector_dim = 2"),
              "f32[2,5]"),
       NULL},
      {LM_F3 ("f32[5,3]", "i32[4,1]", "f64[4,3]", SCATTER (INTO ", index_vector_dim = 1"),
              "f32[5,3]"),
       "operand 2 is f64[4,3], wanted dtype f32"},
      {LM_F3 ("f32[5,3]", "i32[4,1]", "f32[4]", SCATTER (INTO ", index_vector_dim = 1"),
              "f32[5,3]"),
       "operand 2 is f32[4], wanted rank 2"},
      {LM_F3 ("f32[5,3]", "i32[4,1]", "f32[3,3]", SCATTER (INTO ", index_vector_dim = 1"),
              "f32[5,3]"),
       "operand 2 is f32[3,3], wanted size 4 at axis 0 (that of the indices)"},
      {LM_F3 ("f32[5,3]", "i32[4,1]", "f32[4,4]", SCATTER (INTO ", index_vector_dim = 1"),
              "f32[5,3]"),
       "operand 2 is f32[4,4], wanted at most 3 at axis 1 (axis 1 of operand 0)"},
      {LM_F3 ("f32[5,3]", "i32[4,1]", "f32[4,3]",
              SCATTER (INTO ", index_vector_dim = 1, computation = \"mean\""), "f32[5,3]"),
       "computation is \"mean\", wanted one of: add, multiply, minimum, maximum, update"},
      {LM_F3 ("f32[0,3]", "i32[4,1]", "f32[4,3]", SCATTER (INTO ", index_vector_dim = 1"),
              "f32[0,3]"),
       "wanted at least 1 element at axis 0"},
      {LM_F3 ("f32[5,3]", "bool[4,1]", "f32[4,3]", SCATTER (INTO ", index_vector_dim = 1"),
              "f32[5,3]"),
       "operand 1 is bool[4,1], wanted integers"},
      {LM_F3 ("f32[5,3]", "i32[4,1]", "f32[4,3]",
              SCATTER ("update_window_dims = [1], inserted_window_dims = [0], "
                       "scatter_dims_to_operand_dims = [2], index_vector_dim = 1"),
              "f32[5,3]"),
       "scatter_dims_to_operand_dims[0] is 2"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

#define READS(indices, index_type, attrs, y)                                                       \
  "func @f(%0: f64[4,3]) -> (" y ") {\n %1 = constant() {value = [" indices "]} : " index_type     \
  "\n %2 = " GATHER (attrs) " : " y "\n return %2\n}"
#define WRITES(indices, index_type, u, attrs)                                                      \
  "func @f(%0: f64[4,3], %1: " u ") -> (f64[4,3]) {\n %2 = constant() {value = [" indices          \
  "]} : " index_type "\n %3 = scatter(%0, %2, %1) {" attrs "} : f64[4,3]\n return %3\n}"

static void
test_gather_grads (void)
{
  const LmGradCase cases[] = {
      /* repeated rows add up; 7 and -1 are clamped or read as 0 */
      {READS ("0, 2, 2, 7, -1", "i32[5,1]", ROWS ", index_vector_dim = 1, slice_sizes = [1, 3]",
              "f64[5,3]"),
       0, 0, true},
      {READS ("0, 2, 2, 7, -1", "i32[5]",
              ROWS ", index_vector_dim = 1, slice_sizes = [1, 2], mode = \"fill\"", "f64[5,2]"),
       0, 0, true},
      {READS ("0, 1, 2, 2, 3, 2", "i32[3,2]",
              "offset_dims = [0, 2], start_index_map = [0, 1], index_vector_dim = 1, "
              "slice_sizes = [2, 2]",
              "f64[2,3,2]"),
       0, 0, true},
      {READS ("2, 0, 1, 1", "i32[4,1]",
              "collapsed_slice_dims = [1], operand_batching_dims = [0], "
              "start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1, "
              "slice_sizes = [1, 1]",
              "f64[4]"),
       0, 0, true},
  };
  lm_check_grads (cases, G_N_ELEMENTS (cases));
}

static void
test_scatter_grads (void)
{
  static const char *const modes[] = {"clip", "fill"};
  /* Indices 2, 2 meet (and 7 is clamped onto 3, or dropped): allowed for all but multiply. */
  static const struct {
    const char *how, *indices, *unique;
  } ways[] = {{"add", "2, 0, 2, 7", "0"},     {"update", "2, 0, 2, 7", "0"},
              {"maximum", "2, 0, 2, 7", "0"}, {"minimum", "2, 0, 2, 7", "0"},
              {"update", "2, 0, 1, 7", "1"},  {"multiply", "2, 0, 1, 7", "1"}};
  for (guint m = 0; m < 2; m++)
    for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
      g_autofree char *text = g_strdup_printf (
          "func @f(%%0: f64[4,3], %%1: f64[4,3]) -> (f64[4,3]) {\n"
          " %%2 = constant() {value = [%s]} : i32[4,1]\n"
          " %%3 = scatter(%%0, %%2, %%1) {" INTO ", index_vector_dim = 1, computation = \"%s\", "
          "mode = \"%s\", unique = %s} : f64[4,3]\n return %%3\n}",
          ways[i].indices, ways[i].how, modes[m], ways[i].unique);
      const LmGradCase c = {text, 0, 0, true};
      lm_check_grads (&c, 1);
    }
  const LmGradCase cases[] = {
      {WRITES ("2, 0, 1, 1", "i32[4,1]", "f64[4]",
               "inserted_window_dims = [1], input_batching_dims = [0], "
               "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], "
               "index_vector_dim = 1"),
       0, 0, true},
      {WRITES ("0, 1, 2, 1", "i32[2,2]", "f64[2,2,2]",
               "update_window_dims = [0, 2], scatter_dims_to_operand_dims = [0, 1], "
               "index_vector_dim = 1, computation = \"update\""),
       0, 0, true},
      {WRITES ("", "i32[0,1]", "f64[0,3]", INTO ", index_vector_dim = 1"), 0, 0, false},
  };
  lm_check_grads (cases, G_N_ELEMENTS (cases));
}

static void
test_multiply_wants_unique (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f = lm_test_parse (WRITES (
      "0, 0", "i32[2]", "f64[2,3]", INTO ", index_vector_dim = 1, computation = \"multiply\""));
  bool both[] = {true, true};
  g_assert_null (lm_vjp (f, both, both, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "only with unique = 1"));
}

/* Ties of an operand element and two updates: a third each. */
static void
test_ties (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f =
      lm_test_parse ("func @f(%0: f64[2], %1: f64[3]) -> (f64[2]) {\n"
                     " %2 = constant() {value = [0, 0, 1]} : i32[3]\n"
                     " %3 = scatter(%0, %2, %1) {inserted_window_dims = [0], "
                     "scatter_dims_to_operand_dims = [0], index_vector_dim = 1, "
                     "computation = \"maximum\"} : f64[2]\n return %3\n}");
  bool both[] = {true, true};
  g_autoptr (LmFunction) vjp = lm_vjp (f, both, both, &error);
  g_assert_no_error (error);
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_check_backend (registry);
  g_autoptr (LmArray) x = lm_test_array (lm_param_type (f, 0), (double[]) {5, 9});
  g_autoptr (LmArray) u = lm_test_array (lm_param_type (f, 1), (double[]) {5, 5, 1});
  g_autoptr (LmArray) ct = lm_test_array (lm_result_type (f, 0), (double[]) {3, 7});
  LmArray *in[] = {x, u, ct}, *out[3];
  lm_test_run (backend, vjp, in, out);
  const double d_x[] = {1, 7}, d_u[] = {1, 1, 0};
  for (int i = 0; i < 2; i++)
    g_assert_cmpfloat (((double *)out[1]->data)[i], ==, d_x[i]);
  for (int i = 0; i < 3; i++)
    g_assert_cmpfloat (((double *)out[2]->data)[i], ==, d_u[i]);
  for (int i = 0; i < 3; i++)
    lm_array_unref (out[i]);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/index/gather-types", test_gather_types);
  g_test_add_func ("/op/index/gather-axes", test_gather_axes);
  g_test_add_func ("/op/index/scatter-types", test_scatter_types);
  g_test_add_func ("/op/index/gather-grads", test_gather_grads);
  g_test_add_func ("/op/index/scatter-grads", test_scatter_grads);
  g_test_add_func ("/op/index/multiply-wants-unique", test_multiply_wants_unique);
  g_test_add_func ("/op/index/ties", test_ties);
  return g_test_run ();
}
