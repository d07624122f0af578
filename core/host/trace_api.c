/* SPDX-License-Identifier: Apache-2.0 */
/* sdk/lamina/trace.h: the table of what a trace can do, each by the core folder that owns it. */
#include "core/host/private.h"

#include "core/step/step.h"

const lam_trace_api lm_host_trace_api = {
    .struct_size = sizeof (lam_trace_api),

    .op = lm_trace_op,
    .type_of = lm_trace_type_of,
    .ok = lm_trace_ok,
    .fail = lm_trace_fail,
    .composite_begin = lm_trace_composite_begin,
    .composite_end = lm_trace_composite_end,
    .vmap = lm_trace_vmap,

    .theta = lm_trace_theta,
    .call = lm_model_call,
    .update_var = lm_trace_update_var,
    .updated_vars = lm_trace_updated_vars,

    .context_push = lm_trace_context_push,
    .context_pop = lm_trace_context_pop,
    .bind = lm_model_bind,
    .next_key = lm_trace_next_key,
    .reset_key = lm_trace_reset_key,
    .do_eval = lm_trace_do_eval,
    .global_step = lm_trace_global_step,
    .namespace_push = lm_trace_namespace_push,
    .namespace_pop = lm_trace_namespace_pop,
    .add_summary = lm_trace_add_summary,
    .all_summaries = lm_trace_all_summaries,
    .add_aux_loss = lm_trace_add_aux_loss,
    .real_dtype = lm_trace_real_dtype,
    .axis_size = lm_trace_axis_size,
    .add_aggregate = lm_trace_add_aggregate,
    .check_numerics = lm_trace_check_numerics,
    .check = lm_trace_check,
    .debug_print = lm_trace_debug_print,

    .split = lm_trace_split,
    .fold_in = lm_trace_fold_in,
    .random_bits = lm_trace_random_bits,

    .nest_new = lm_trace_nest_new,
    .nest_leaf = lm_trace_nest_leaf,
    .nest_tensor = lm_trace_nest_tensor,
    .nest_kind = lm_trace_nest_kind,
    .nest_size = lm_trace_nest_size,
    .nest_key = lm_trace_nest_key,
    .nest_child = lm_trace_nest_child,
    .nest_get = lm_trace_nest_get,
    .nest_has = lm_trace_nest_has,
    .nest_set = lm_trace_nest_set,
    .nest_append = lm_trace_nest_append,
    .nest_flatten = lm_trace_nest_flatten,
    .nest_pack = lm_trace_nest_pack,
    .nest_same_structure = lm_trace_nest_same_structure,

    .optimizer_learning_rate = lm_optimizer_learning_rate,
    .optimizer_init = lm_optimizer_init,
    .optimizer_init_for = lm_optimizer_init_for,
    .optimizer_update = lm_optimizer_update,
    .schedule_value = lm_schedule_value,

    .fail_shape = lm_trace_fail_shape,
};
