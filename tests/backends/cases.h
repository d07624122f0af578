/* SPDX-License-Identifier: Apache-2.0 */
/* Functions in text form for test-cpu.c; "$" stands for a dtype, "@op" for a computation. */

/* Views of views, tiles of every kind, pad, concatenate, iota, arg ops. */
static const char *const view_cases[] = {
    "func @f(%0: $[4,300], %1: $[300], %2: $[]) -> ($[4,300]) {\n"
    "  %3 = broadcast_in_dim(%1) {broadcast_dimensions = [1]} : $[4,300]\n"
    "  %4 = broadcast_in_dim(%2) {broadcast_dimensions = []} : $[4,300]\n"
    "  %5 = maximum(%0, %3)\n"
    "  %6 = minimum(%5, %4)\n"
    "  return %6\n"
    "}\n",
    "func @f(%0: $[700,9], %1: $[700], %2: $[9]) -> ($[700,9]) {\n"
    "  %3 = broadcast_in_dim(%1) {broadcast_dimensions = [0]} : $[700,9]\n"
    "  %4 = broadcast_in_dim(%2) {broadcast_dimensions = [1]} : $[700,9]\n"
    "  %5 = maximum(%3, %0)\n"
    "  %6 = minimum(%4, %5)\n"
    "  return %6\n"
    "}\n",
    "func @f(%0: $[37,53], %1: $[53,37]) -> ($[37,53], $[53,37]) {\n"
    "  %2 = transpose(%1) {permutation = [1, 0]} : $[37,53]\n"
    "  %3 = maximum(%0, %2)\n"
    "  %4 = transpose(%3) {permutation = [1, 0]} : $[53,37]\n"
    "  %5 = maximum(%4, %1)\n"
    "  return %3, %5\n"
    "}\n",
    "func @f(%0: $[6,7,8]) -> ($[9,5], $[5,3,3]) {\n"
    "  %1 = slice(%0) {start_indices = [1, 0, 2], limit_indices = [6, 7, 7], strides = [2, 3, 1]}\n"
    "  %2 = reverse(%1) {dimensions = [0, 2]}\n"
    "  %3 = transpose(%2) {permutation = [2, 0, 1]}\n"
    "  %4 = reshape(%3) : $[45]\n"
    "  %5 = reverse(%4) {dimensions = [0]}\n"
    "  %6 = reshape(%5) : $[9,5]\n"
    "  return %6, %3\n"
    "}\n",
    "func @f(%0: $[5,3], %1: $[]) -> ($[10,9]) {\n"
    "  %2 = pad(%0, %1) {edge_padding_low = [2, -1], edge_padding_high = [-1, 3], interior_padding "
    "= [1, 2]}\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[5,3], %1: $[5,4], %2: $[5,0], %3: $[3,5]) -> ($[5,10]) {\n"
    "  %4 = transpose(%3) {permutation = [1, 0]}\n"
    "  %5 = concatenate(%0, %1, %2, %4) {dimension = 1}\n"
    "  return %5\n"
    "}\n",
    "func @f(%0: $[3,5]) -> ($[3,5], $[3,5]) {\n"
    "  %1 = iota() {iota_dimension = 1} : $[3,5]\n"
    "  %2 = maximum(%0, %1)\n"
    "  %3 = iota() {iota_dimension = 0} : $[3,5]\n"
    "  %4 = minimum(%3, %2)\n"
    "  return %4, %1\n"
    "}\n",
    "func @f(%0: $[2,300,300]) -> ($[300,300,2]) {\n"
    "  %1 = transpose(%0) {permutation = [2, 1, 0]} : $[300,300,2]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[13,5]) -> (i32[5], i64[13], u8[5]) {\n"
    "  %1 = argmax(%0) {dimension = 0} : i32[5]\n"
    "  %2 = argmin(%0) {dimension = 1} : i64[13]\n"
    "  %3 = transpose(%0) {permutation = [1, 0]}\n"
    "  %4 = argmax(%3) {dimension = 1} : u8[5]\n"
    "  return %1, %2, %4\n"
    "}\n",
    "func @f(%0: $[4,5], %1: $[4,5]) -> ($[4,5]) {\n"
    "  %2 = maximum(%0, %1)\n"
    "  %3 = transpose(%2) {permutation = [1, 0]}\n"
    "  %4 = transpose(%3) {permutation = [1, 0]}\n"
    "  %5 = maximum(%2, %4)\n"
    "  %6 = reverse(%5) {dimensions = [1]}\n"
    "  %7 = minimum(%5, %6)\n"
    "  return %7\n"
    "}\n",
};

/* Kept and reduced axes inside and outside, none, long ones; strided operands. */
static const char *const reduce_cases[] = {
    "func @f(%0: $[7]) -> ($[]) {\n"
    "  %1 = reduce(%0) {computation = \"@op\", dimensions = [0]} : $[]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[1]) -> ($[]) {\n"
    "  %1 = reduce(%0) {computation = \"@op\", dimensions = [0]} : $[]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[0]) -> ($[]) {\n"
    "  %1 = reduce(%0) {computation = \"@op\", dimensions = [0]} : $[]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[0,3]) -> ($[3]) {\n"
    "  %1 = reduce(%0) {computation = \"@op\", dimensions = [0]} : $[3]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[3,0]) -> ($[3]) {\n"
    "  %1 = reduce(%0) {computation = \"@op\", dimensions = [1]} : $[3]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[5,3]) -> ($[5,3]) {\n"
    "  %1 = reduce(%0) {computation = \"@op\", dimensions = []} : $[5,3]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[5,33]) -> ($[33]) {\n"
    "  %1 = reduce(%0) {computation = \"@op\", dimensions = [0]} : $[33]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[5,33]) -> ($[5]) {\n"
    "  %1 = reduce(%0) {computation = \"@op\", dimensions = [1]} : $[5]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[5,33]) -> ($[]) {\n"
    "  %1 = reduce(%0) {computation = \"@op\", dimensions = [0, 1]} : $[]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[4,5,6,7]) -> ($[5,7]) {\n"
    "  %1 = reduce(%0) {computation = \"@op\", dimensions = [0, 2]} : $[5,7]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[4,5,6,7]) -> ($[4,6]) {\n"
    "  %1 = reduce(%0) {computation = \"@op\", dimensions = [1, 3]} : $[4,6]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[4,1,6,1]) -> ($[1,6]) {\n"
    "  %1 = reduce(%0) {computation = \"@op\", dimensions = [0, 3]} : $[1,6]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[3,2048]) -> ($[2048]) {\n"
    "  %1 = reduce(%0) {computation = \"@op\", dimensions = [0]} : $[2048]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[300,500]) -> ($[500]) {\n"
    "  %1 = reduce(%0) {computation = \"@op\", dimensions = [0]} : $[500]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[300,500]) -> ($[300]) {\n"
    "  %1 = reduce(%0) {computation = \"@op\", dimensions = [1]} : $[300]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[150000]) -> ($[]) {\n"
    "  %1 = reduce(%0) {computation = \"@op\", dimensions = [0]} : $[]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[5,33]) -> ($[5], $[5]) {\n"
    "  %1 = transpose(%0) {permutation = [1, 0]}\n"
    "  %2 = reduce(%1) {computation = \"@op\", dimensions = [0]} : $[5]\n"
    "  %3 = slice(%0) {start_indices = [0, 1], limit_indices = [5, 33], strides = [1, 2]}\n"
    "  %4 = reduce(%3) {computation = \"@op\", dimensions = [1]} : $[5]\n"
    "  return %2, %4\n"
    "}\n",
};

/* Pooling in both layouts, dilations, padding on either side of zero. */
static const char *const window_cases[] = {
    "func @f(%0: $[2,8,8,3]) -> ($[2,4,4,3], i32[2,4,4,3]) {\n"
    "  %1 = reduce_window(%0) {computation = \"maximum\", window_dimensions = [1, 2, 2, 1], "
    "window_strides = [1, 2, 2, 1]} : $[2,4,4,3]\n"
    "  %2 = reduce_window_arg(%0) {computation = \"maximum\", window_dimensions = [1, 2, 2, 1], "
    "window_strides = [1, 2, 2, 1]} : i32[2,4,4,3]\n"
    "  return %1, %2\n"
    "}\n",
    "func @f(%0: $[2,8,8,3]) -> ($[2,4,4,3], i32[2,4,4,3]) {\n"
    "  %1 = reduce_window(%0) {computation = \"minimum\", window_dimensions = [1, 2, 2, 1], "
    "window_strides = [1, 2, 2, 1]} : $[2,4,4,3]\n"
    "  %2 = reduce_window_arg(%0) {computation = \"minimum\", window_dimensions = [1, 2, 2, 1], "
    "window_strides = [1, 2, 2, 1]} : i32[2,4,4,3]\n"
    "  return %1, %2\n"
    "}\n",
    "func @f(%0: $[2,8,8,3]) -> ($[2,4,4,3]) {\n"
    "  %1 = reduce_window(%0) {computation = \"add\", window_dimensions = [1, 2, 2, 1], "
    "window_strides = [1, 2, 2, 1]} : $[2,4,4,3]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[2,3,9,7]) -> ($[2,3,5,7], i32[2,3,5,7]) {\n"
    "  %1 = reduce_window(%0) {computation = \"maximum\", window_dimensions = [1, 1, 3, 2], "
    "window_strides = [1, 1, 2, 1], padding = [0, 0, 0, 0, 1, 1, 0, 1]} : $[2,3,5,7]\n"
    "  %2 = reduce_window_arg(%0) {computation = \"maximum\", window_dimensions = [1, 1, 3, 2], "
    "window_strides = [1, 1, 2, 1], padding = [0, 0, 0, 0, 1, 1, 0, 1]} : i32[2,3,5,7]\n"
    "  return %1, %2\n"
    "}\n",
    "func @f(%0: $[2,3,9,7]) -> ($[2,3,5,7], i32[2,3,5,7]) {\n"
    "  %1 = reduce_window(%0) {computation = \"minimum\", window_dimensions = [1, 1, 3, 2], "
    "window_strides = [1, 1, 2, 1], padding = [0, 0, 0, 0, 1, 1, 0, 1]} : $[2,3,5,7]\n"
    "  %2 = reduce_window_arg(%0) {computation = \"minimum\", window_dimensions = [1, 1, 3, 2], "
    "window_strides = [1, 1, 2, 1], padding = [0, 0, 0, 0, 1, 1, 0, 1]} : i32[2,3,5,7]\n"
    "  return %1, %2\n"
    "}\n",
    "func @f(%0: $[2,3,9,7]) -> ($[2,3,5,7]) {\n"
    "  %1 = reduce_window(%0) {computation = \"add\", window_dimensions = [1, 1, 3, 2], "
    "window_strides = [1, 1, 2, 1], padding = [0, 0, 0, 0, 1, 1, 0, 1]} : $[2,3,5,7]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[11]) -> ($[8], i32[8]) {\n"
    "  %1 = reduce_window(%0) {computation = \"maximum\", window_dimensions = [3], "
    "window_dilations = [2], padding = [-1, 2]} : $[8]\n"
    "  %2 = reduce_window_arg(%0) {computation = \"maximum\", window_dimensions = [3], "
    "window_dilations = [2], padding = [-1, 2]} : i32[8]\n"
    "  return %1, %2\n"
    "}\n",
    "func @f(%0: $[11]) -> ($[8], i32[8]) {\n"
    "  %1 = reduce_window(%0) {computation = \"minimum\", window_dimensions = [3], "
    "window_dilations = [2], padding = [-1, 2]} : $[8]\n"
    "  %2 = reduce_window_arg(%0) {computation = \"minimum\", window_dimensions = [3], "
    "window_dilations = [2], padding = [-1, 2]} : i32[8]\n"
    "  return %1, %2\n"
    "}\n",
    "func @f(%0: $[11]) -> ($[8]) {\n"
    "  %1 = reduce_window(%0) {computation = \"add\", window_dimensions = [3], window_dilations = "
    "[2], padding = [-1, 2]} : $[8]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[6,5]) -> ($[11,5], i32[11,5]) {\n"
    "  %1 = reduce_window(%0) {computation = \"maximum\", window_dimensions = [2, 3], "
    "base_dilations = [2, 1], window_dilations = [1, 2], padding = [1, 0, 2, 2]} : $[11,5]\n"
    "  %2 = reduce_window_arg(%0) {computation = \"maximum\", window_dimensions = [2, 3], "
    "base_dilations = [2, 1], window_dilations = [1, 2], padding = [1, 0, 2, 2]} : i32[11,5]\n"
    "  return %1, %2\n"
    "}\n",
    "func @f(%0: $[6,5]) -> ($[11,5], i32[11,5]) {\n"
    "  %1 = reduce_window(%0) {computation = \"minimum\", window_dimensions = [2, 3], "
    "base_dilations = [2, 1], window_dilations = [1, 2], padding = [1, 0, 2, 2]} : $[11,5]\n"
    "  %2 = reduce_window_arg(%0) {computation = \"minimum\", window_dimensions = [2, 3], "
    "base_dilations = [2, 1], window_dilations = [1, 2], padding = [1, 0, 2, 2]} : i32[11,5]\n"
    "  return %1, %2\n"
    "}\n",
    "func @f(%0: $[6,5]) -> ($[11,5]) {\n"
    "  %1 = reduce_window(%0) {computation = \"add\", window_dimensions = [2, 3], base_dilations = "
    "[2, 1], window_dilations = [1, 2], padding = [1, 0, 2, 2]} : $[11,5]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[3,4,600]) -> ($[4,2,600], i32[4,2,600]) {\n"
    "  %1 = reduce_window(%0) {computation = \"maximum\", window_dimensions = [2, 2, 1], "
    "window_strides = [1, 2, 1], padding = [1, 1, 0, 0, 0, 0]} : $[4,2,600]\n"
    "  %2 = reduce_window_arg(%0) {computation = \"maximum\", window_dimensions = [2, 2, 1], "
    "window_strides = [1, 2, 1], padding = [1, 1, 0, 0, 0, 0]} : i32[4,2,600]\n"
    "  return %1, %2\n"
    "}\n",
    "func @f(%0: $[3,4,600]) -> ($[4,2,600], i32[4,2,600]) {\n"
    "  %1 = reduce_window(%0) {computation = \"minimum\", window_dimensions = [2, 2, 1], "
    "window_strides = [1, 2, 1], padding = [1, 1, 0, 0, 0, 0]} : $[4,2,600]\n"
    "  %2 = reduce_window_arg(%0) {computation = \"minimum\", window_dimensions = [2, 2, 1], "
    "window_strides = [1, 2, 1], padding = [1, 1, 0, 0, 0, 0]} : i32[4,2,600]\n"
    "  return %1, %2\n"
    "}\n",
    "func @f(%0: $[3,4,600]) -> ($[4,2,600]) {\n"
    "  %1 = reduce_window(%0) {computation = \"add\", window_dimensions = [2, 2, 1], "
    "window_strides = [1, 2, 1], padding = [1, 1, 0, 0, 0, 0]} : $[4,2,600]\n"
    "  return %1\n"
    "}\n",
    "func @f(%0: $[2,2]) -> ($[6,2], i32[6,2]) {\n"
    "  %1 = reduce_window(%0) {computation = \"maximum\", window_dimensions = [1, 1], padding = "
    "[2, 2, 0, 0]} : $[6,2]\n"
    "  %2 = reduce_window_arg(%0) {computation = \"maximum\", window_dimensions = [1, 1], padding "
    "= [2, 2, 0, 0]} : i32[6,2]\n"
    "  return %1, %2\n"
    "}\n",
    "func @f(%0: $[2,2]) -> ($[6,2], i32[6,2]) {\n"
    "  %1 = reduce_window(%0) {computation = \"minimum\", window_dimensions = [1, 1], padding = "
    "[2, 2, 0, 0]} : $[6,2]\n"
    "  %2 = reduce_window_arg(%0) {computation = \"minimum\", window_dimensions = [1, 1], padding "
    "= [2, 2, 0, 0]} : i32[6,2]\n"
    "  return %1, %2\n"
    "}\n",
    "func @f(%0: $[2,2]) -> ($[6,2]) {\n"
    "  %1 = reduce_window(%0) {computation = \"add\", window_dimensions = [1, 1], padding = [2, 2, "
    "0, 0]} : $[6,2]\n"
    "  return %1\n"
    "}\n",
};

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

/* Gather and scatter with starts inside and outside, duplicates; threefry. */
static const char *const index_cases[] = {
    "func @f(%0: $[6,3], %1: i8[9]) -> ($[9,3]) {\n"
    "  %2 = gather(%0, %1) {offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
    "index_vector_dim = 1, slice_sizes = [1, 3], mode = \"clip\"} : $[9,3]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[50], %1: i32[40]) -> ($[40]) {\n"
    "  %2 = gather(%0, %1) {collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = "
    "1, slice_sizes = [1], mode = \"clip\"} : $[40]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[5,4], %1: i64[7,2]) -> ($[7,2,3]) {\n"
    "  %2 = gather(%0, %1) {offset_dims = [1, 2], start_index_map = [1, 0], index_vector_dim = 1, "
    "slice_sizes = [2, 3], mode = \"clip\"} : $[7,2,3]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[30], %1: i32[80], %2: $[80]) -> ($[30]) {\n"
    "  %3 = scatter(%0, %1, %2) {inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
    "index_vector_dim = 1, computation = \"add\", mode = \"clip\"} : $[30]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: $[6,3], %1: i8[9], %2: $[9,3]) -> ($[6,3]) {\n"
    "  %3 = scatter(%0, %1, %2) {update_window_dims = [1], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1, computation = \"add\", mode = "
    "\"clip\"} : $[6,3]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: $[30], %1: i32[80], %2: $[80]) -> ($[30]) {\n"
    "  %3 = scatter(%0, %1, %2) {inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
    "index_vector_dim = 1, computation = \"multiply\", mode = \"clip\"} : $[30]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: $[6,3], %1: i8[9], %2: $[9,3]) -> ($[6,3]) {\n"
    "  %3 = scatter(%0, %1, %2) {update_window_dims = [1], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1, computation = \"multiply\", mode = "
    "\"clip\"} : $[6,3]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: $[30], %1: i32[80], %2: $[80]) -> ($[30]) {\n"
    "  %3 = scatter(%0, %1, %2) {inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
    "index_vector_dim = 1, computation = \"maximum\", mode = \"clip\"} : $[30]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: $[6,3], %1: i8[9], %2: $[9,3]) -> ($[6,3]) {\n"
    "  %3 = scatter(%0, %1, %2) {update_window_dims = [1], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1, computation = \"maximum\", mode = "
    "\"clip\"} : $[6,3]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: $[30], %1: i32[80], %2: $[80]) -> ($[30]) {\n"
    "  %3 = scatter(%0, %1, %2) {inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
    "index_vector_dim = 1, computation = \"minimum\", mode = \"clip\"} : $[30]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: $[6,3], %1: i8[9], %2: $[9,3]) -> ($[6,3]) {\n"
    "  %3 = scatter(%0, %1, %2) {update_window_dims = [1], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1, computation = \"minimum\", mode = "
    "\"clip\"} : $[6,3]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: $[30], %1: i32[80], %2: $[80]) -> ($[30]) {\n"
    "  %3 = scatter(%0, %1, %2) {inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
    "index_vector_dim = 1, computation = \"update\", mode = \"clip\"} : $[30]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: $[6,3], %1: i8[9], %2: $[9,3]) -> ($[6,3]) {\n"
    "  %3 = scatter(%0, %1, %2) {update_window_dims = [1], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1, computation = \"update\", mode = "
    "\"clip\"} : $[6,3]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: $[6,3], %1: i8[9]) -> ($[9,3]) {\n"
    "  %2 = gather(%0, %1) {offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
    "index_vector_dim = 1, slice_sizes = [1, 3], mode = \"fill\"} : $[9,3]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[50], %1: i32[40]) -> ($[40]) {\n"
    "  %2 = gather(%0, %1) {collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = "
    "1, slice_sizes = [1], mode = \"fill\"} : $[40]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[5,4], %1: i64[7,2]) -> ($[7,2,3]) {\n"
    "  %2 = gather(%0, %1) {offset_dims = [1, 2], start_index_map = [1, 0], index_vector_dim = 1, "
    "slice_sizes = [2, 3], mode = \"fill\"} : $[7,2,3]\n"
    "  return %2\n"
    "}\n",
    "func @f(%0: $[30], %1: i32[80], %2: $[80]) -> ($[30]) {\n"
    "  %3 = scatter(%0, %1, %2) {inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
    "index_vector_dim = 1, computation = \"add\", mode = \"fill\"} : $[30]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: $[6,3], %1: i8[9], %2: $[9,3]) -> ($[6,3]) {\n"
    "  %3 = scatter(%0, %1, %2) {update_window_dims = [1], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1, computation = \"add\", mode = "
    "\"fill\"} : $[6,3]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: $[30], %1: i32[80], %2: $[80]) -> ($[30]) {\n"
    "  %3 = scatter(%0, %1, %2) {inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
    "index_vector_dim = 1, computation = \"maximum\", mode = \"fill\"} : $[30]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: $[6,3], %1: i8[9], %2: $[9,3]) -> ($[6,3]) {\n"
    "  %3 = scatter(%0, %1, %2) {update_window_dims = [1], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1, computation = \"maximum\", mode = "
    "\"fill\"} : $[6,3]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: $[30], %1: i32[80], %2: $[80]) -> ($[30]) {\n"
    "  %3 = scatter(%0, %1, %2) {inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
    "index_vector_dim = 1, computation = \"update\", mode = \"fill\"} : $[30]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: $[6,3], %1: i8[9], %2: $[9,3]) -> ($[6,3]) {\n"
    "  %3 = scatter(%0, %1, %2) {update_window_dims = [1], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1, computation = \"update\", mode = "
    "\"fill\"} : $[6,3]\n"
    "  return %3\n"
    "}\n",
    "func @f(%0: u32[], %1: u32[], %2: u32[300], %3: u32[300], %4: $[2]) -> (u32[300], u32[300], "
    "$[2]) {\n"
    "  %5 = broadcast_in_dim(%0) {broadcast_dimensions = []} : u32[300]\n"
    "  %6 = broadcast_in_dim(%1) {broadcast_dimensions = []} : u32[300]\n"
    "  %7, %8 = threefry2x32(%5, %6, %2, %3) : u32[300], u32[300]\n"
    "  return %7, %8, %4\n"
    "}\n",
};
