/* SPDX-License-Identifier: Apache-2.0 */
/* A trace: symbolic tensors over builders, one a region, and the stack of contexts (keys, summaries,
 * variables) that layers see. The functions with a lam_trace first are what core/host puts into the
 * plugins' table; each is documented in sdk/lamina/trace.h. */
#ifndef LM_TRACE_TRACE_H
#define LM_TRACE_TRACE_H

#include "core/base/nest.h"
#include "core/ir/ir.h"
#include <lamina/learner.h>
#include <lamina/trace.h>

/* The variables that contexts of this trace can bind. */
typedef struct LmTraceVars {
  uint32_t epoch; /* of the lam_var handles */
  uint32_t n;
  const lam_var_info *const *infos; /* by id - 1 */
  const uint32_t *owners;           /* layer id of each, by id - 1 */
  const LmNest *tree;               /* leaf = id */
  const uint32_t *groups; /* by layer id - 1: the layer whose variables it uses; NULL: its own */
} LmTraceVars;

typedef struct LmTrace LmTrace;

/* api is the table for plugins; vars may be NULL (no bind then). real_dtype: LAM_F32 or LAM_F64. */
LmTrace *lm_trace_new (const char *name, const lam_trace_api *api, const LmTraceVars *vars,
                       lam_dtype real_dtype);
void lm_trace_free (LmTrace *t); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmTrace, lm_trace_free)

/* What lm_trace_new was given. */
const LmTraceVars *lm_trace_vars (const LmTrace *t);

/* Names the step's data-parallel axis, of n replicas; 0 (the start): none. */
void lm_trace_set_axis_size (LmTrace *t, uint32_t n);

/* The plugins' view. */
lam_trace *lm_trace_pub (LmTrace *t);

/* A parameter of the traced function. */
lam_tensor lm_trace_param (LmTrace *t, const lam_type *type);

/* Ends the function; all handles die. Fails with the sticky error if there is one. */
LmFunction *lm_trace_finish (LmTrace *t, const lam_tensor *results, uint32_t n, GError **error);

/* Sticky error so far, NULL while fine. */
const GError *lm_trace_error (const LmTrace *t);
void lm_trace_failf (LmTrace *t, LmErrorCode code, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Handle <-> value in the innermost region's builder, for core code that emits with core/op/emit.h.
 * resolve gives LM_NIL for nil, dead or foreign handles (the latter two set the error). */
LmBuilder *lm_trace_builder (LmTrace *t);
LmValue lm_trace_resolve (LmTrace *t, lam_tensor x);
lam_tensor lm_trace_handle (LmTrace *t, LmValue v);

/* Inlines f with args; outs gets its results. */
void lm_trace_inline (LmTrace *t, const LmFunction *f, const lam_tensor *args, lam_tensor *outs);

/* Nests: leaf = handle id. lm_trace_nest takes ownership of a tree. */
lam_nest lm_trace_nest (LmTrace *t, LmNest *nest);
const LmNest *lm_trace_nest_peek (LmTrace *t, lam_nest nest); /* NULL for nil or foreign */
lam_tensor lm_trace_leaf (LmTrace *t, uint64_t leaf);

/* --- layers: model enters and leaves them around a method call ------------------------------- */
typedef struct LmTraceLayer {
  uint32_t id;            /* owner of its variables */
  const char *path;       /* recorded in equations */
  const char *name_space; /* "<layer>.<method>" */
} LmTraceLayer;
void lm_trace_enter (LmTrace *t, const LmTraceLayer *layer);
void lm_trace_leave (LmTrace *t);
uint32_t lm_trace_layer_id (const LmTrace *t); /* innermost; 0 outside */
guint lm_trace_depth (const LmTrace *t);       /* how many are entered */

/* --- contexts, from the core ------------------------------------------------------------------ */
/* values: one a variable, by id - 1; root_path: "" for the model. Consumes a key as bind does. */
void lm_trace_bind_all (LmTrace *t, const lam_tensor *values, uint32_t mutables);
/* Binds the subtree below `prefix` ("" or a path without the root's name) to a tree of values. */
void lm_trace_bind_tree (LmTrace *t, const char *prefix, lam_nest vars, uint32_t mutables);

/* Value of each non-trainable variable of the top context by id - 1; nil for trainable ones. */
void lm_trace_updated (LmTrace *t, lam_tensor *values);

typedef struct LmSummary {
  const char *key; /* full, with suffix */
  int32_t type;
  lam_tensor value;
  lam_tensor weight; /* of LAM_SUMMARY_AGGREGATE_*; else nil */
} LmSummary;
guint lm_trace_summaries (LmTrace *t, const LmSummary **out); /* of the top context, in order */

/* What the step reports after it ran, in the order of recording. */
typedef enum {
  LM_WATCH_NUMERICS, /* value: bool scalar, false: x holds a NaN or an infinity */
  LM_WATCH_ASSERT,   /* value: bool scalar, false: the assert failed */
  LM_WATCH_PRINT     /* value: to be shown */
} LmWatchKind;

typedef struct LmWatch {
  LmWatchKind kind;
  const char *name; /* "<layer path>: <name>", the trace's */
  lam_tensor value;
} LmWatch;
guint lm_trace_watches (LmTrace *t, const LmWatch **out); /* of the top context */

/* Sum of value * weight of the aux losses of the top context; nil when there are none. */
lam_tensor lm_trace_aux_loss (LmTrace *t);

/* --- table functions --------------------------------------------------------------------------- */
void lm_trace_op (lam_trace *t, const lam_op_call *call);
bool lm_trace_type_of (lam_trace *t, lam_tensor x, lam_type *out);
bool lm_trace_ok (lam_trace *t);
void lm_trace_fail (lam_trace *t, lam_status status, const char *message);
void lm_trace_fail_shape (lam_trace *t, const char *what, const lam_shape *wanted, lam_tensor got);
void lm_trace_composite_begin (lam_trace *t, const char *name, int64_t version,
                               const char *attributes);
void lm_trace_composite_end (lam_trace *t, const lam_tensor *results, uint32_t n, lam_tensor *outs);
lam_nest lm_trace_vmap (lam_trace *t, lam_row_fn fn, void *user, lam_nest in, int32_t in_axis,
                        int32_t out_axis);
lam_tensor lm_trace_theta (lam_trace *t, lam_var var);
void lm_trace_update_var (lam_trace *t, lam_var var, lam_tensor value);
lam_nest lm_trace_updated_vars (lam_trace *t);
void lm_trace_context_push (lam_trace *t, const lam_context_args *args);
void lm_trace_context_pop (lam_trace *t);
lam_key lm_trace_next_key (lam_trace *t);
void lm_trace_reset_key (lam_trace *t, lam_key key, lam_tensor global_step);
bool lm_trace_do_eval (lam_trace *t);
lam_tensor lm_trace_global_step (lam_trace *t);
void lm_trace_namespace_push (lam_trace *t, const char *name);
void lm_trace_namespace_pop (lam_trace *t);
void lm_trace_add_summary (lam_trace *t, const char *name, int32_t type, lam_tensor value,
                           int32_t verbosity);
void lm_trace_add_aggregate (lam_trace *t, const char *name, int32_t type, lam_tensor value,
                             lam_tensor weight, int32_t verbosity);
lam_nest lm_trace_all_summaries (lam_trace *t);
void lm_trace_add_aux_loss (lam_trace *t, const char *name, lam_tensor value, lam_tensor weight);
void lm_trace_check_numerics (lam_trace *t, const char *name, lam_tensor x);
void lm_trace_check (lam_trace *t, const char *message, lam_tensor condition);
void lm_trace_debug_print (lam_trace *t, const char *name, lam_tensor x);
lam_dtype lm_trace_real_dtype (lam_trace *t);
uint32_t lm_trace_axis_size (lam_trace *t);
void lm_trace_split (lam_trace *t, lam_key key, uint32_t n, lam_key *out);
lam_key lm_trace_fold_in (lam_trace *t, lam_key key, lam_tensor data);
lam_tensor lm_trace_random_bits (lam_trace *t, lam_key key, uint32_t width, const lam_shape *shape);
lam_nest lm_trace_nest_new (lam_trace *t, int32_t kind);
lam_nest lm_trace_nest_leaf (lam_trace *t, lam_tensor x);
lam_tensor lm_trace_nest_tensor (lam_trace *t, lam_nest nest);
int32_t lm_trace_nest_kind (lam_trace *t, lam_nest nest);
uint32_t lm_trace_nest_size (lam_trace *t, lam_nest nest);
const char *lm_trace_nest_key (lam_trace *t, lam_nest map, uint32_t i);
lam_nest lm_trace_nest_child (lam_trace *t, lam_nest nest, uint32_t i);
lam_nest lm_trace_nest_get (lam_trace *t, lam_nest nest, const char *path);
bool lm_trace_nest_has (lam_trace *t, lam_nest nest, const char *path);
void lm_trace_nest_set (lam_trace *t, lam_nest nest, const char *path, lam_nest child);
void lm_trace_nest_append (lam_trace *t, lam_nest list, lam_nest child);
uint32_t lm_trace_nest_flatten (lam_trace *t, lam_nest nest, lam_tensor *out, uint32_t capacity);
lam_nest lm_trace_nest_pack (lam_trace *t, lam_nest structure, const lam_tensor *leaves,
                             uint32_t n);
bool lm_trace_nest_same_structure (lam_trace *t, lam_nest a, lam_nest b);

#endif
