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
    "func @f(%0: $[3]) -> ($[3], $[0]) {\n" /* a list without elements */
    "  %1 = constant() {value = []} : $[0]\n"
    "  %2 = concatenate(%1, %0) {dimension = 0}\n"
    "  return %2, %1\n"
    "}\n",
    "func @f(%0: $[37,53], %1: $[53,37]) -> ($[37,53], $[53,37]) {\n"
    "  %2 = transpose(%1) {permutation = [1, 0]} : $[37,53]\n"
    "  %3 = maximum(%0, %2)\n"
    "  %4 = transpose(%3) {permutation = [1, 0]} : $[53,37]\n"
    "  %5 = maximum(%4, %1)\n"
    "  return %3, %5\n"
    "}\n",
    /* large enough for a copy of its own, of which both readers and the result have a part */
    "func @f(%0: $[67,71], %1: $[71,67]) -> ($[67,71], $[67,71], $[67,71]) {\n"
    "  %2 = transpose(%1) {permutation = [1, 0]} : $[67,71]\n"
    "  %3 = maximum(%0, %2)\n"
    "  %4 = minimum(%2, %2)\n"
    "  return %3, %4, %2\n"
    "}\n",
    "func @f(%0: $[17,31,11], %1: $[11,17,31], %2: $[17,11,31]) -> ($[11,17,31], $[17,11,31]) {\n"
    "  %3 = transpose(%0) {permutation = [2, 0, 1]}\n"
    "  %4 = maximum(%3, %1)\n"
    "  %5 = reverse(%0) {dimensions = [1]}\n"
    "  %6 = transpose(%5) {permutation = [0, 2, 1]}\n"
    "  %7 = minimum(%2, %6)\n"
    "  return %4, %7\n"
    "}\n",
    "func @f(%0: $[90,80], %1: $[77,61], %2: $[70]) -> ($[77,61], $[66,70,3]) {\n"
    "  %3 = slice(%0) {start_indices = [5, 2], limit_indices = [66, 79], strides = [1, 1]}\n"
    "  %4 = transpose(%3) {permutation = [1, 0]}\n"
    "  %5 = maximum(%1, %4)\n"
    "  %6 = slice(%0) {start_indices = [20, 7], limit_indices = [90, 73], strides = [1, 1]}\n"
    "  %7 = transpose(%6) {permutation = [1, 0]}\n"
    "  %8 = broadcast_in_dim(%7) {broadcast_dimensions = [0, 1]} : $[66,70,3]\n"
    "  %9 = broadcast_in_dim(%2) {broadcast_dimensions = [1]} : $[66,70,3]\n"
    "  %10 = minimum(%8, %9)\n"
    "  return %5, %10\n"
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
