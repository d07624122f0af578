/* SPDX-License-Identifier: Apache-2.0 */
/* The same layer as dense.c, as C++17. */
#include "dense.c"
