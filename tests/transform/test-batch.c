/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/transform/batch.c: what vmap records, refuses and keeps; functions of many ops against
 * the loop. (Each op's rule is checked by the gradient tables and test-batch_golden of tests/op.) */
#include "core/transform/transform.h"
#include "tests/lib/batchcheck.h"
#include "tests/lib/fixture.h"
#include "tests/transform/lir.h"

/* vmap of `text` prints as `wanted`. */
static void
assert_vmap (const char *text, const int32_t *in_axes, const int32_t *out_axes, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f = lir_parse (text);
  g_autoptr (LmFunction) g = lir_sound (lm_vmap (f, in_axes, out_axes, 3, &error), &error);
  lir_assert (g, wanted);
}

/* --- what is recorded -------------------------------------------------------------------------- */

/* Elementwise ops leave a batch axis that all have where it is; what no row reaches is done once. */
static void
test_elementwise_in_place (void)
{
  assert_vmap ("func @f(%0: f32[2], %1: f32[2], %2: f32[2]) -> (f32[2], f32[2]) {\n"
               "  %3 = sine(%2) : f32[2]\n"
               "  %4 = add(%0, %1) : f32[2]\n"
               "  %5 = multiply(%4, %3) : f32[2]\n"
               "  return %5, %3\n}",
               (int32_t[]) {1, 1, -1}, (int32_t[]) {1, -1},
               "func @f.vmap(%0: f32[2,3], %1: f32[2,3], %2: f32[2]) -> (f32[2,3], f32[2]) {\n"
               "  %3 = sine(%2) : f32[2]\n"
               "  %4 = add(%0, %1) : f32[2,3]\n"
               "  %5 = broadcast_in_dim(%3) {broadcast_dimensions = [0]} : f32[2,3]\n"
               "  %6 = multiply(%4, %5) : f32[2,3]\n"
               "  return %6, %3\n}");
}

/* A batched weight is a batching axis, a batched input alone only a longer product. */
static void
test_dot (void)
{
  static const char text[] = "func @f(%0: f32[2,5], %1: f32[5,4]) -> (f32[2,4]) {\n"
                             "  %2 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], "
                             "rhs_contracting_dimensions = [0]} : f32[2,4]\n"
                             "  return %2\n}";
  assert_vmap (text, (int32_t[]) {0, -1}, (int32_t[]) {0},
               "func @f.vmap(%0: f32[3,2,5], %1: f32[5,4]) -> (f32[3,2,4]) {\n"
               "  %2 = dot_general(%0, %1) {lhs_batching_dimensions = [], "
               "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]} : f32[3,2,4]\n"
               "  return %2\n}");
  assert_vmap (text, (int32_t[]) {-1, 0}, (int32_t[]) {1},
               "func @f.vmap(%0: f32[2,5], %1: f32[3,5,4]) -> (f32[2,3,4]) {\n"
               "  %2 = dot_general(%0, %1) {rhs_batching_dimensions = [], "
               "rhs_contracting_dimensions = [1], lhs_contracting_dimensions = [1]} : f32[2,3,4]\n"
               "  return %2\n}");
  assert_vmap (text, (int32_t[]) {0, 0}, (int32_t[]) {0},
               "func @f.vmap(%0: f32[3,2,5], %1: f32[3,5,4]) -> (f32[3,2,4]) {\n"
               "  %2 = dot_general(%0, %1) {lhs_batching_dimensions = [0], "
               "lhs_contracting_dimensions = [2], rhs_batching_dimensions = [0], "
               "rhs_contracting_dimensions = [1]} : f32[3,2,4]\n"
               "  return %2\n}");
}

/* A composite that sees a row is inlined, with its layer path; another one stays whole. */
static void
test_composite (void)
{
  assert_vmap ("func @f(%0: f32[2], %1: f32[2]) -> (f32[2], f32[2]) {\n"
               "  %2 = composite(%0) {name = \"twice\"} (func @b(%0: f32[2]) -> (f32[2]) {\n"
               "    %1 = add(%0, %0) : f32[2]\n    return %1\n  }) : f32[2]  # lm.ffn\n"
               "  %3 = composite(%1) {name = \"twice\"} (func @b(%0: f32[2]) -> (f32[2]) {\n"
               "    %1 = add(%0, %0) : f32[2]\n    return %1\n  }) : f32[2]  # lm.out\n"
               "  return %2, %3\n}",
               (int32_t[]) {0, -1}, (int32_t[]) {0, -1},
               "func @f.vmap(%0: f32[3,2], %1: f32[2]) -> (f32[3,2], f32[2]) {\n"
               "  %2 = add(%0, %0) : f32[3,2]  # lm.ffn\n"
               "  %3 = composite(%1) {name = \"twice\"} (func @b(%0: f32[2]) -> (f32[2]) {\n"
               "    %1 = add(%0, %0) : f32[2]\n    return %1\n  }) : f32[2]  # lm.out\n"
               "  return %2, %3\n}");
}

/* A barrier holds the same values together, each with its own axis. */
static void
test_barrier (void)
{
  assert_vmap ("func @f(%0: f32[2], %1: i8[]) -> (f32[2], i8[]) {\n"
               "  %2, %3 = optimization_barrier(%0, %1) : f32[2], i8[]\n"
               "  return %2, %3\n}",
               (int32_t[]) {1, -1}, (int32_t[]) {1, 0},
               "func @f.vmap(%0: f32[2,3], %1: i8[]) -> (f32[2,3], i8[3]) {\n"
               "  %2, %3 = optimization_barrier(%0, %1) : f32[2,3], i8[]\n"
               "  %4 = broadcast_in_dim(%3) {broadcast_dimensions = []} : i8[3]\n"
               "  return %2, %4\n}");
}

/* The indices of different rows may meet in one operand: unique is no longer true. */
static void
test_gather_unique (void)
{
  assert_vmap ("func @f(%0: f32[5], %1: i32[2]) -> (f32[2]) {\n"
               "  %2 = gather(%0, %1) {collapsed_slice_dims = [0], start_index_map = [0], "
               "index_vector_dim = 1, slice_sizes = [1], unique = 1} : f32[2]\n"
               "  return %2\n}",
               (int32_t[]) {-1, 0}, (int32_t[]) {0},
               "func @f.vmap(%0: f32[5], %1: i32[3,2]) -> (f32[3,2]) {\n"
               "  %2 = gather(%0, %1) {offset_dims = [], start_indices_batching_dims = [], "
               "index_vector_dim = 2, unique = 0, collapsed_slice_dims = [0], "
               "start_index_map = [0], slice_sizes = [1]} : f32[3,2]\n"
               "  return %2\n}");
}

/* --- what is refused --------------------------------------------------------------------------- */

static void
assert_refused (const char *text, const int32_t *in_axes, const int32_t *out_axes, int64_t size,
                const char *piece, const char *more)
{
  GError *error = NULL;
  g_autoptr (LmFunction) f = lir_parse (text);
  g_assert_null (lm_vmap (f, in_axes, out_axes, size, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, piece, more, NULL);
}

#define IDENTITY "func @f(%0: f32[2]) -> (f32[2]) {\n return %0\n}"
#define EIGHT    "f32[1,1,1,1,1,1,1,1]"

static void
test_errors (void)
{
  const int32_t zero = 0, none = -1, two = 2, low = -2;
  assert_refused (IDENTITY, &two, &zero, 3, "@f", "axis 2 for parameter 0, f32[2]");
  assert_refused (IDENTITY, &low, &two, 3, "axis -2 for parameter 0", "axis 2 for result 0");
  assert_refused (IDENTITY, &zero, &zero, -1, "a size of -1", "@f");
  assert_refused (IDENTITY, &zero, &none, 3, "result 0 depends on the row", "@f");
  assert_refused ("func @f(%0: " EIGHT ") -> (" EIGHT ") {\n return %0\n}", &zero, &zero, 3,
                  "parameter 0, " EIGHT, "at most 8 axes");
  assert_refused ("func @f(%0: f32[]) -> (" EIGHT ") {\n"
                  " %1 = broadcast_in_dim(%0) {broadcast_dimensions = []} : " EIGHT " # lm.wide\n"
                  " return %1\n}",
                  &zero, &none, 3, "the result of broadcast_in_dim in layer lm.wide is " EIGHT,
                  "no room");
}

/* Grouped convolutions of seven axes go row by row; not for any number of rows. */
static char *
conv7 (bool feature)
{
  static const char spec[] = "lhs_spec = [0, 1, 2, 3, 4, 5, 6], rhs_spec = [0, 1, 2, 3, 4, 5, 6], "
                             "out_spec = [0, 1, 2, 3, 4, 5, 6]";
  int inputs = feature ? 2 : 4, batch = feature ? 4 : 2;
  return g_strdup_printf ("func @f(%%0: f64[4,4,2,1,1,1,1], %%1: f64[4,%d,2,1,1,1,1]) -> "
                          "(f64[%d,4,1,1,1,1,1]) {\n %%2 = convolution(%%0, %%1) {%s, "
                          "%s_group_count = 2} : f64[%d,4,1,1,1,1,1]\n return %%2\n}",
                          inputs, batch, spec, feature ? "feature" : "batch", batch);
}

static void
test_too_many_rows (void)
{
  const int32_t in_axes[] = {-1, 0}, zero = 0;
  g_autofree char *text = conv7 (true);
  assert_refused (text, in_axes, &zero, 5000, "row by row", "at most 4096");
}

/* --- against the loop --------------------------------------------------------------------------- */

/* Inputs spread over (-2, 2), no two alike. */
static void
fill (const LmFunction *f, LmArray **in)
{
  int at = 0;
  for (uint32_t i = 0; i < f->ir.n_params; i++) {
    const lam_type *type = lm_param_type (f, i);
    int64_t n = lam_type_elements (type);
    g_autofree double *values = g_new (double, (gsize)n + 1);
    for (int64_t k = 0; k < n; k++, at++)
      values[k] = lam_dtype_is_float (type->dtype) ? (at * 37 % 101 + 0.5) / 25.5 - 2 : at % 3;
    in[i] = lm_test_array (type, values);
  }
}

static void
check (const LmTestFixture *x, const char *text, bool grad)
{
  LmArray *in[8];
  g_autoptr (LmFunction) f = lir_parse (text);
  fill (f, in);
  /* 1e-12: a gradient's sums run in another order */
  LmBatchCheck c = {text, x->backend, f, in, grad ? 1e-12 : 0};
  lm_check_batch (&c);
  if (grad)
    lm_check_batch_grad (&c);
  for (uint32_t i = 0; i < f->ir.n_params; i++)
    lm_array_unref (in[i]);
}

static void
test_conv_seven_axes (LmTestFixture *x, gconstpointer unused)
{
  for (int feature = 0; feature < 2; feature++) {
    g_autofree char *text = conv7 (feature);
    check (x, text, false);
  }
}

/* softmax (q k') v as two composites, one inside the other. */
static void
test_attention (LmTestFixture *x, gconstpointer unused)
{
  check (x,
         "func @f(%0: f64[3,4], %1: f64[5,4], %2: f64[5,2]) -> (f64[3,2]) {\n"
         " %3 = composite(%0, %1, %2) {name = \"attention\"}"
         " (func @a(%0: f64[3,4], %1: f64[5,4], %2: f64[5,2]) -> (f64[3,2]) {\n"
         "  %3 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], "
         "rhs_contracting_dimensions = [1]} : f64[3,5]\n"
         "  %4 = composite(%3) {name = \"softmax\"} (func @s(%0: f64[3,5]) -> (f64[3,5]) {\n"
         "   %1 = reduce(%0) {computation = \"maximum\", dimensions = [1]} : f64[3]\n"
         "   %2 = stop_gradient(%1) : f64[3]\n"
         "   %3 = broadcast_in_dim(%2) {broadcast_dimensions = [0]} : f64[3,5]\n"
         "   %4 = subtract(%0, %3) : f64[3,5]\n"
         "   %5 = exponential(%4) : f64[3,5]\n"
         "   %6 = reduce(%5) {computation = \"add\", dimensions = [1]} : f64[3]\n"
         "   %7 = broadcast_in_dim(%6) {broadcast_dimensions = [0]} : f64[3,5]\n"
         "   %8 = divide(%5, %7) : f64[3,5]\n   return %8\n  }) : f64[3,5]\n"
         "  %5 = dot_general(%4, %2) {lhs_contracting_dimensions = [1], "
         "rhs_contracting_dimensions = [0]} : f64[3,2]\n  return %5\n }) : f64[3,2]\n return %3\n}",
         true);
}

/* Convolution, dilated max pool, and a sum over it. */
static void
test_conv_pool (LmTestFixture *x, gconstpointer unused)
{
  check (x,
         "func @f(%0: f64[2,6,6,2], %1: f64[4,1,3,3], %2: f64[4]) -> (f64[2,4]) {\n"
         " %3 = convolution(%0, %1) {lhs_spec = [0, 3, 1, 2], rhs_spec = [0, 1, 2, 3], "
         "out_spec = [0, 3, 1, 2], feature_group_count = 2, padding = [1, 0, -1, 1], "
         "window_strides = [1, 2], rhs_dilation = [1, 1], lhs_dilation = [1, 2]} : f64[2,5,5,4]\n"
         " %4 = broadcast_in_dim(%2) {broadcast_dimensions = [3]} : f64[2,5,5,4]\n"
         " %5 = add(%3, %4) : f64[2,5,5,4]\n"
         " %6 = reduce_window(%5) {computation = \"maximum\", window_dimensions = [1, 2, 2, 1], "
         "window_strides = [1, 2, 1, 1], window_dilations = [1, 2, 1, 1]} : f64[2,2,4,4]\n"
         " %7 = tanh(%6) : f64[2,2,4,4]\n"
         " %8 = reduce(%7) {computation = \"add\", dimensions = [1, 2]} : f64[2,4]\n"
         " return %8\n}",
         true);
}

/* An embedding: indices and table batched or not, and written back with meeting indices. */
static void
test_embedding (LmTestFixture *x, gconstpointer unused)
{
  static const char *const how[] = {"add", "update", "maximum"};
  for (guint i = 0; i < G_N_ELEMENTS (how); i++) {
    g_autofree char *text = g_strdup_printf (
        "func @f(%%0: f64[5,3], %%1: i32[4], %%2: f64[4,3]) -> (f64[4,3], f64[5,3]) {\n"
        " %%3 = gather(%%0, %%1) {offset_dims = [1], collapsed_slice_dims = [0], "
        "start_index_map = [0], index_vector_dim = 1, slice_sizes = [1, 3], mode = \"fill\"} "
        ": f64[4,3]\n"
        " %%4 = scatter(%%0, %%1, %%2) {update_window_dims = [1], inserted_window_dims = [0], "
        "scatter_dims_to_operand_dims = [0], index_vector_dim = 1, computation = \"%s\"} "
        ": f64[5,3]\n return %%3, %%4\n}",
        how[i]);
    check (x, text, false);
  }
}

/* A choice and bounds for each row, over scalars and arrays. */
static void
test_scalar_operands (LmTestFixture *x, gconstpointer unused)
{
  check (x,
         "func @f(%0: bool[], %1: f64[2,3], %2: f64[2,3]) -> (f64[2,3]) {\n"
         " %3 = select(%0, %1, %2) : f64[2,3]\n return %3\n}",
         false);
  check (x,
         "func @f(%0: bool[], %1: f64[], %2: f64[]) -> (f64[]) {\n"
         " %3 = select(%0, %1, %2) : f64[]\n return %3\n}",
         false);
  check (x,
         "func @f(%0: f64[], %1: f64[2,3], %2: f64[]) -> (f64[2,3]) {\n"
         " %3 = clamp(%0, %1, %2) : f64[2,3]\n return %3\n}",
         true);
  check (x,
         "func @f(%0: f64[2,3], %1: f64[]) -> (f64[3,4]) {\n"
         " %2 = pad(%0, %1) {edge_padding_low = [1, -1], edge_padding_high = [-1, 1], "
         "interior_padding = [1, 0]} : f64[3,3]\n"
         " %3 = pad(%2, %1) {edge_padding_low = [0, 0], edge_padding_high = [0, 1]} : f64[3,4]\n"
         " return %3\n}",
         true);
}

/* Nothing to add up: the gradient of what all rows share is zero. */
static void
test_no_rows_grad (LmTestFixture *x, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  const int32_t in_axes[] = {0, -1}, zero = 0;
  const bool yes[] = {true, true};
  g_autoptr (LmFunction) f = lir_parse ("func @f(%0: f64[2], %1: f64[2]) -> (f64[2]) {\n"
                                        " %2 = multiply(%0, %1) : f64[2]\n return %2\n}");
  g_autoptr (LmFunction) g = lir_sound (lm_vmap (f, in_axes, &zero, 0, &error), &error);
  g_autoptr (LmFunction) vjp = lir_sound (lm_vjp (g, yes, yes, &error), &error);
  LmArray *in[] = {lm_test_array (lm_param_type (vjp, 0), NULL),
                   lm_test_array (lm_param_type (vjp, 1), (double[]) {3, 4}),
                   lm_test_array (lm_param_type (vjp, 2), NULL)};
  LmArray *out[3];
  lm_test_run (x->backend, vjp, in, out);
  g_assert_cmpfloat (lm_array_get_double (out[2], 0), ==, 0);
  g_assert_cmpfloat (lm_array_get_double (out[2], 1), ==, 0);
  for (int i = 0; i < 3; i++) {
    lm_array_unref (in[i]);
    lm_array_unref (out[i]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transform/batch/elementwise-in-place", test_elementwise_in_place);
  g_test_add_func ("/transform/batch/dot", test_dot);
  g_test_add_func ("/transform/batch/composite", test_composite);
  g_test_add_func ("/transform/batch/barrier", test_barrier);
  g_test_add_func ("/transform/batch/gather-unique", test_gather_unique);
  g_test_add_func ("/transform/batch/errors", test_errors);
  g_test_add_func ("/transform/batch/too-many-rows", test_too_many_rows);
#define ADD(name, fn)                                                                              \
  g_test_add ("/transform/batch/" name, LmTestFixture, NULL, lm_test_set_up, fn, lm_test_tear_down)
  ADD ("conv-seven-axes", test_conv_seven_axes);
  ADD ("attention", test_attention);
  ADD ("conv-pool", test_conv_pool);
  ADD ("embedding", test_embedding);
  ADD ("scalar-operands", test_scalar_operands);
  ADD ("no-rows-grad", test_no_rows_grad);
#undef ADD
  return g_test_run ();
}
