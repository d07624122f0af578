/* SPDX-License-Identifier: Apache-2.0 */
/* Contractions in text form for test-cpu.c; "$" stands for a dtype. */

/* Products of all orders of axes and tile edges; convolutions with every attribute, and the two
 * gradients of one as core/op writes them. */
static const char *const contract_cases[] = {
    "func @f(%0: $[1,1], %1: $[1,1]) -> ($[1,1]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
    "[0]} : $[1,1]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[3,7], %1: $[7,5]) -> ($[3,5]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
    "[0]} : $[3,5]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[13,17], %1: $[17,31]) -> ($[13,31]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
    "[0]} : $[13,31]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[64,80], %1: $[80,96]) -> ($[64,96]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
    "[0]} : $[64,96]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[150,300], %1: $[300,37]) -> ($[150,37]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
    "[0]} : $[150,37]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[1,300], %1: $[300,70]) -> ($[1,70]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
    "[0]} : $[1,70]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[70,64], %1: $[64,1]) -> ($[70,1]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
    "[0]} : $[70,1]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[5,0], %1: $[0,3]) -> ($[5,3]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
    "[0]} : $[5,3]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[0,5], %1: $[5,3]) -> ($[0,3]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
    "[0]} : $[0,3]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[24,256], %1: $[256,64]) -> ($[24,64]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
    "[0]} : $[24,64]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[17,13], %1: $[17,31]) -> ($[13,31]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [0], rhs_contracting_dimensions = "
    "[0]} : $[13,31]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[13,17], %1: $[31,17]) -> ($[13,31]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
    "[1]} : $[13,31]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[60,50], %1: $[60,70]) -> ($[50,70]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [0], rhs_contracting_dimensions = "
    "[0]} : $[50,70]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[60,50], %1: $[70,50]) -> ($[60,70]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
    "[1]} : $[60,70]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[4,6,5], %1: $[4,5,7]) -> ($[4,6,7]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], "
    "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]} : $[4,6,7]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[6,4,5], %1: $[5,7,4]) -> ($[4,6,7]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_batching_dimensions = [1], rhs_batching_dimensions = [2], "
    "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]} : $[4,6,7]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[2,3,4,5], %1: $[5,3,6,2]) -> ($[2,4,6]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_batching_dimensions = [0], rhs_batching_dimensions = [3], "
    "lhs_contracting_dimensions = [1, 3], rhs_contracting_dimensions = [1, 0]} : $[2,4,6]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[3,40,50], %1: $[3,50,60]) -> ($[3,40,60]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], "
    "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]} : $[3,40,60]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[7], %1: $[7]) -> ($[]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [0], rhs_contracting_dimensions = "
    "[0]} : $[]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[7], %1: $[5]) -> ($[7,5]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [], rhs_contracting_dimensions = []} "
    ": $[7,5]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[6,2,5], %1: $[5,6,4]) -> ($[2,4]) {\n"
    "  %9 = dot_general(%0, %1) {lhs_contracting_dimensions = [2, 0], rhs_contracting_dimensions = "
    "[0, 1]} : $[2,4]\n"
    "  return %9\n"
    "}\n",
    "func @f(%0: $[12,20], %1: $[20,9]) -> ($[12,4]) {\n"
    "  %2 = reverse(%0) {dimensions = [1]}\n"
    "  %3 = reverse(%2) {dimensions = [1]}\n"
    "  %4 = transpose(%3) {permutation = [1, 0]}\n"
    "  %5 = slice(%1) {start_indices = [0, 1], limit_indices = [20, 9], strides = [1, 2]}\n"
    "  %6 = dot_general(%4, %5) {lhs_contracting_dimensions = [0], rhs_contracting_dimensions = "
    "[0]} : $[12,4]\n"
    "  %7 = reverse(%6) {dimensions = [0]}\n"
    "  return %7\n"
    "}\n",
    "func @f(%0: $[3,8,8,5], %1: $[3,3,5,7]) -> ($[3,8,8,7]) {\n"
    "  %2 = convolution(%0, %1) {padding = [1, 1, 1, 1], lhs_spec = [0, 3, 1, 2], rhs_spec = [3, "
    "2, 0, 1], out_spec = [0, 3, 1, 2]} : $[3,8,8,7]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[2,9,7,16], %1: $[3,3,16,20]) -> ($[2,4,7,20]) {\n"
    "  %2 = convolution(%0, %1) {window_strides = [2, 1], padding = [1, 0, 0, 2], lhs_spec = [0, "
    "3, 1, 2], rhs_spec = [3, 2, 0, 1], out_spec = [0, 3, 1, 2]} : $[2,4,7,20]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[3,5,8,9], %1: $[7,5,3,2]) -> ($[3,7,4,5]) {\n"
    "  %2 = convolution(%0, %1) {window_strides = [2, 2], padding = [1, 1, 0, 1], lhs_spec = [0, "
    "1, 2, 3], rhs_spec = [0, 1, 2, 3], out_spec = [0, 1, 2, 3]} : $[3,7,4,5]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[2,4,4,6], %1: $[3,3,3,8]) -> ($[2,4,4,8]) {\n"
    "  %2 = convolution(%0, %1) {feature_group_count = 2, padding = [1, 1, 1, 1], lhs_spec = [0, "
    "3, 1, 2], rhs_spec = [3, 2, 0, 1], out_spec = [0, 3, 1, 2]} : $[2,4,4,8]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[2,6,6,4], %1: $[3,3,1,8]) -> ($[2,4,4,8]) {\n"
    "  %2 = convolution(%0, %1) {feature_group_count = 4, lhs_spec = [0, 3, 1, 2], rhs_spec = [3, "
    "2, 0, 1], out_spec = [0, 3, 1, 2]} : $[2,4,4,8]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[6,5,5,3], %1: $[2,2,3,4]) -> ($[3,4,4,4]) {\n"
    "  %2 = convolution(%0, %1) {batch_group_count = 2, lhs_spec = [0, 3, 1, 2], rhs_spec = [3, 2, "
    "0, 1], out_spec = [0, 3, 1, 2]} : $[3,4,4,4]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[2,5,5,3], %1: $[3,3,3,4]) -> ($[2,10,11,4]) {\n"
    "  %2 = convolution(%0, %1) {lhs_dilation = [2, 3], padding = [1, 2, -1, 1], lhs_spec = [0, 3, "
    "1, 2], rhs_spec = [3, 2, 0, 1], out_spec = [0, 3, 1, 2]} : $[2,10,11,4]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[2,9,9,3], %1: $[3,2,3,4]) -> ($[2,6,6,4]) {\n"
    "  %2 = convolution(%0, %1) {rhs_dilation = [2, 3], padding = [2, -1, 0, 0], lhs_spec = [0, 3, "
    "1, 2], rhs_spec = [3, 2, 0, 1], out_spec = [0, 3, 1, 2]} : $[2,6,6,4]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[3,9,8], %1: $[3,8,4]) -> ($[3,7,4]) {\n"
    "  %2 = convolution(%0, %1) {lhs_spec = [0, 2, 1], rhs_spec = [2, 1, 0], out_spec = [0, 2, 1]} "
    ": $[3,7,4]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[2,5,6,4,3], %1: $[2,3,2,3,4]) -> ($[2,4,2,3,4]) {\n"
    "  %2 = convolution(%0, %1) {lhs_spec = [0, 4, 1, 2, 3], rhs_spec = [4, 3, 0, 1, 2], out_spec "
    "= [0, 4, 1, 2, 3], window_strides = [1, 2, 1]} : $[2,4,2,3,4]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[5,7], %1: $[7,3]) -> ($[5,3]) {\n"
    "  %2 = convolution(%0, %1) {lhs_spec = [0, 1], rhs_spec = [1, 0], out_spec = [0, 1]} : "
    "$[5,3]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[2,0,3], %1: $[0,1,4]) -> ($[2,4,3]) {\n"
    "  %2 = convolution(%0, %1) {lhs_spec = [0, 1, 2], rhs_spec = [2, 0, 1], out_spec = [0, 1, 2]} "
    ": $[2,4,3]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[4,8,8,7], %1: $[3,3,5,7]) -> ($[4,8,8,5]) {\n"
    "  %2 = reverse(%1) {dimensions = [0, 1]}\n"
    "  %3 = convolution(%0, %2) {padding = [1, 1, 1, 1], lhs_spec = [0, 3, 1, 2], rhs_spec = [2, "
    "3, 0, 1], out_spec = [0, 3, 1, 2]} : $[4,8,8,5]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: $[4,8,8,5], %1: $[4,8,8,7]) -> ($[3,3,5,7]) {\n"
    "  %2 = convolution(%0, %1) {padding = [1, 1, 1, 1], lhs_spec = [3, 0, 1, 2], rhs_spec = [3, "
    "0, 1, 2], out_spec = [2, 3, 0, 1]} : $[3,3,5,7]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[16,8,8,16], %1: $[16,8,8,32]) -> ($[3,3,16,32]) {\n"
    "  %2 = convolution(%0, %1) {padding = [1, 1, 1, 1], lhs_spec = [3, 0, 1, 2], rhs_spec = [3, "
    "0, 1, 2], out_spec = [2, 3, 0, 1]} : $[3,3,16,32]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[4,9,9,5], %1: $[4,5,5,7]) -> ($[3,3,5,7]) {\n"
    "  %2 = convolution(%0, %1) {padding = [1, 1, 1, 1], rhs_dilation = [2, 2], lhs_spec = [3, 0, "
    "1, 2], rhs_spec = [3, 0, 1, 2], out_spec = [2, 3, 0, 1]} : $[3,3,5,7]\n"
    "  return %2\n"
    "}\n",
};
