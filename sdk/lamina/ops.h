/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ops.h
 * The op table as inline functions with the field's names, and what is built from it.
 *
 *   ops_base.h    recording, constants, broadcasting: what the others share
 *   ops_math.h    elementwise: lam_add, lam_exp, lam_where, lam_cast ...
 *   ops_shape.h   lam_reshape, lam_transpose, lam_slice, lam_concat, lam_take, lam_gather ...
 *   ops_reduce.h  lam_sum, lam_mean, lam_argmax, lam_dot, lam_conv, lam_reduce_window ...
 *   ops_einsum.h  lam_einsum
 *   ops_order.h   lam_sort, lam_argsort, lam_top_k, lam_cumsum, lam_dynamic_slice ...
 *   ops_replica.h lam_psum, lam_pmean, lam_all_reduce: over the replicas of a step
 *   ops_nn.h      composites: lam_softmax, lam_gelu, lam_layer_norm ...
 */
#ifndef LAMINA_OPS_H
#define LAMINA_OPS_H

#include <lamina/ops_math.h>
#include <lamina/ops_shape.h>
#include <lamina/ops_reduce.h>
#include <lamina/ops_einsum.h>
#include <lamina/ops_order.h>
#include <lamina/ops_nn.h>
#include <lamina/ops_replica.h>

#endif
