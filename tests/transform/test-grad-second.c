/* SPDX-License-Identifier: Apache-2.0 */
/* Second derivatives of smooth functions around ops whose gradient is another op at places found at run
 * time or under other strides: the gradient of the gradient against finite differences of the gradient. */
#include "tests/lib/opcheck.h"

#define CHECK(...)                                                                                 \
  do {                                                                                             \
    static const LmGradCase cases[] = {__VA_ARGS__};                                               \
    lm_check_grads (cases, G_N_ELEMENTS (cases));                                                  \
  } while (0)

/* Dilated, strided and padded windows: the exponential keeps distinct elements distinct. */
#define POOL(computation, attrs, type)                                                             \
  "func @pool(%0: f64[5,6]) -> (" type ") {\n"                                                     \
  "  %1 = exponential(%0)\n"                                                                       \
  "  %2 = reduce_window(%1) {computation = \"" computation "\", " attrs "} : " type "\n"           \
  "  %3 = sine(%2)\n"                                                                              \
  "  %4 = multiply(%3, %2)\n"                                                                      \
  "  return %4\n}\n"
#define DILATED                                                                                    \
  "window_dimensions = [2, 3], window_strides = [2, 1], padding = [0, 1, 1, 1], "                  \
  "base_dilations = [1, 1], window_dilations = [2, 2]"
#define HOLES                                                                                      \
  "window_dimensions = [3, 3], window_strides = [2, 3], padding = [1, 0, 0, 1], "                  \
  "base_dilations = [2, 2], window_dilations = [1, 1]"

static void
test_pool (void)
{
  CHECK ({POOL ("maximum", DILATED, "f64[2,4]"), -1, 1, true},
         {POOL ("minimum", DILATED, "f64[2,4]"), -1, 1, true},
         {POOL ("add", DILATED, "f64[2,4]"), -1, 1, true},
         {POOL ("multiply", DILATED, "f64[2,4]"), -1, 1, true},
         {POOL ("maximum", HOLES, "f64[4,4]"), -1, 1, true},
         {POOL ("add", HOLES, "f64[4,4]"), -1, 1, true});
}

/* --- places that are values --------------------------------------------------------------------------- */

/* Rows 3, 0, 3 and 9 (outside) of tanh x. */
#define GATHER(mode)                                                                               \
  "func @gather(%0: f64[4,3]) -> (f64[4,3]) {\n"                                                   \
  "  %1 = tanh(%0)\n"                                                                              \
  "  %2 = constant() {value = [3, 0, 3, 9]} : i32[4]\n"                                            \
  "  %3 = gather(%1, %2) {offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "  \
  "index_vector_dim = 1, slice_sizes = [1, 3], mode = \"" mode "\"}\n"                             \
  "  %4 = multiply(%3, %0)\n"                                                                      \
  "  %5 = exponential(%4)\n"                                                                       \
  "  return %5\n}\n"

/* Updates meet in row 1; the last lies outside. */
#define SCATTER(computation, mode, rest)                                                           \
  "func @scatter(%0: f64[4,2], %1: f64[3,2]) -> (f64[4,2]) {\n"                                    \
  "  %2 = exponential(%0)\n"                                                                       \
  "  %3 = exponential(%1)\n"                                                                       \
  "  %4 = constant() {value = [" rest "]} : i32[3]\n"                                              \
  "  %5 = scatter(%2, %4, %3) {update_window_dims = [1], inserted_window_dims = [0], "             \
  "scatter_dims_to_operand_dims = [0], index_vector_dim = 1, computation = \"" computation         \
  "\", " mode "}\n"                                                                                \
  "  %6 = multiply(%5, %5)\n"                                                                      \
  "  %7 = sine(%6)\n"                                                                              \
  "  return %7\n}\n"
#define CLIP "mode = \"clip\""
#define FILL "mode = \"fill\""

static void
test_index (void)
{
  CHECK ({GATHER ("clip"), -1, 1, true}, {GATHER ("fill"), -1, 1, true},
         {SCATTER ("add", CLIP, "1, 1, 7"), -1, 1, true},
         {SCATTER ("add", FILL, "1, 1, 7"), -1, 1, true},
         {SCATTER ("update", FILL, "1, 1, 7"), -1, 1, true},
         {SCATTER ("maximum", CLIP, "1, 1, 7"), -1, 1, true},
         {SCATTER ("minimum", FILL, "1, 1, 7"), -1, 1, true},
         {SCATTER ("multiply", CLIP ", unique = 1", "2, 0, 3"), -1, 1, true});
}

static void
test_dynamic (void)
{
  CHECK ({"func @slices(%0: f64[5,4], %1: f64[2,3]) -> (f64[3,2]) {\n"
          "  %2 = constant() {value = [1]} : i32[]\n"
          "  %3 = constant() {value = [7]} : i32[]\n"
          "  %4 = sine(%0)\n"
          "  %5 = tanh(%1)\n"
          "  %6 = dynamic_update_slice(%4, %5, %2, %3)\n"
          "  %7 = multiply(%6, %0)\n"
          "  %8 = dynamic_slice(%7, %3, %2) {slice_sizes = [3, 2]}\n"
          "  %9 = exponential(%8)\n"
          "  return %9\n}\n",
          -1, 1, true});
}

/* --- orders and running sums --------------------------------------------------------------------------- */

static void
test_order (void)
{
  CHECK ({"func @sort(%0: f64[3,5], %1: f64[3,5]) -> (f64[3,5]) {\n"
          "  %2 = exponential(%0)\n"
          "  %3 = sine(%1)\n"
          "  %4, %5 = sort(%2, %3) {dimension = 1, is_stable = 1}\n"
          "  %6 = multiply(%4, %5)\n"
          "  %7 = iota() {iota_dimension = 1} : f64[3,5]\n"
          "  %8 = multiply(%6, %7)\n"
          "  %9 = logistic(%8)\n"
          "  return %9\n}\n",
          -1, 1, true},
         {"func @top(%0: f64[3,6]) -> (f64[3,2]) {\n"
          "  %1 = exponential(%0)\n"
          "  %2, %3 = top_k(%1) {k = 2}\n"
          "  %4 = sine(%2)\n"
          "  %5 = multiply(%4, %2)\n"
          "  return %5\n}\n",
          -1, 1, true});
}

#define CUMSUM(reverse, exclusive)                                                                 \
  "func @cumsum(%0: f64[3,4]) -> (f64[3,4]) {\n"                                                   \
  "  %1 = sine(%0)\n"                                                                              \
  "  %2 = cumsum(%1) {dimension = 1, reverse = " reverse ", exclusive = " exclusive "}\n"          \
  "  %3 = multiply(%2, %0)\n"                                                                      \
  "  %4 = exponential(%3)\n"                                                                       \
  "  return %4\n}\n"

static void
test_cumsum (void)
{
  CHECK ({CUMSUM ("0", "0"), -1, 1, true}, {CUMSUM ("1", "0"), -1, 1, true},
         {CUMSUM ("0", "1"), -1, 1, true}, {CUMSUM ("1", "1"), -1, 1, true});
}

/* --- convolutions ------------------------------------------------------------------------------------------ */

#define CONV(x, k, attrs, y)                                                                       \
  "func @conv(%0: " x ", %1: " k ") -> (" y ") {\n"                                                \
  "  %2 = tanh(%0)\n"                                                                              \
  "  %3 = sine(%1)\n"                                                                              \
  "  %4 = convolution(%2, %3) {lhs_spec = [0, 3, 1, 2], rhs_spec = [3, 2, 0, 1], "                 \
  "out_spec = [0, 3, 1, 2], " attrs "} : " y "\n"                                                  \
  "  %5 = multiply(%4, %4)\n"                                                                      \
  "  %6 = logistic(%5)\n"                                                                          \
  "  return %6\n}\n"

static void
test_conv (void)
{
  CHECK ({CONV ("f64[1,5,4,2]", "f64[2,3,2,2]", "window_strides = [2, 1], padding = [1, 0, 1, -1]",
                "f64[1,3,2,2]"),
          -1, 1, true},
         {CONV ("f64[1,5,5,1]", "f64[2,3,1,2]", "rhs_dilation = [3, 2], padding = [0, 1, 1, 0]",
                "f64[1,3,2,2]"),
          -1, 1, true},
         {CONV ("f64[1,3,2,1]", "f64[2,2,1,2]", "lhs_dilation = [2, 3], padding = [1, 1, 0, 1]",
                "f64[1,6,4,2]"),
          -1, 1, true},
         {CONV ("f64[1,4,3,2]", "f64[2,2,1,4]",
                "window_strides = [2, 3], lhs_dilation = [2, 1], rhs_dilation = [1, 2], "
                "padding = [1, 0, 2, 1], feature_group_count = 2",
                "f64[1,4,2,4]"),
          -1, 1, true},
         {CONV ("f64[2,3,3,1]", "f64[2,2,1,2]",
                "window_strides = [1, 2], rhs_dilation = [2, 1], padding = [0, 1, 1, 1], "
                "batch_group_count = 2",
                "f64[1,2,2,2]"),
          -1, 1, true});
}

/* --- what models are made of ------------------------------------------------------------------------------ */

static void
test_attention (void)
{
  CHECK ({"func @attention(%0: f64[2,3], %1: f64[4,3], %2: f64[4,2]) -> (f64[2,2]) {\n"
          "  %3 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], "
          "rhs_contracting_dimensions = [1]}\n"
          "  %4 = reduce(%3) {computation = \"maximum\", dimensions = [1]}\n"
          "  %5 = broadcast_in_dim(%4) {broadcast_dimensions = [0]} : f64[2,4]\n"
          "  %6 = subtract(%3, %5)\n"
          "  %7 = exponential(%6)\n"
          "  %8 = reduce(%7) {computation = \"add\", dimensions = [1]}\n"
          "  %9 = broadcast_in_dim(%8) {broadcast_dimensions = [0]} : f64[2,4]\n"
          "  %10 = divide(%7, %9)\n"
          "  %11 = dot_general(%10, %2) {lhs_contracting_dimensions = [1], "
          "rhs_contracting_dimensions = [0]}\n"
          "  %12 = erf(%11)\n"
          "  return %12\n}\n",
          -1, 1, true},
         {"func @norm(%0: f64[2,4]) -> (f64[2,4]) {\n"
          "  %1 = multiply(%0, %0)\n"
          "  %2 = reduce(%1) {computation = \"add\", dimensions = [1]}\n"
          "  %3 = log_plus_one(%2)\n"
          "  %4 = rsqrt(%3)\n"
          "  %5 = broadcast_in_dim(%4) {broadcast_dimensions = [0]} : f64[2,4]\n"
          "  %6 = multiply(%0, %5)\n"
          "  %7 = reduce(%6) {computation = \"multiply\", dimensions = [0]}\n"
          "  %8 = broadcast_in_dim(%7) {broadcast_dimensions = [1]} : f64[2,4]\n"
          "  %9 = atan2(%8, %5)\n"
          "  return %9\n}\n",
          -1, 1, true});
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transform/grad-second/pool", test_pool);
  g_test_add_func ("/transform/grad-second/index", test_index);
  g_test_add_func ("/transform/grad-second/dynamic", test_dynamic);
  g_test_add_func ("/transform/grad-second/order", test_order);
  g_test_add_func ("/transform/grad-second/cumsum", test_cumsum);
  g_test_add_func ("/transform/grad-second/conv", test_conv);
  g_test_add_func ("/transform/grad-second/attention", test_attention);
  return g_test_run ();
}
