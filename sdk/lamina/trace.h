/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file trace.h
 * The trace: where a layer, optimizer, learner or schedule records operations, and the context it
 * runs in (keys, summaries, variables). Included by layer.h and its kin; ops are in ops.h.
 *
 * Errors are sticky: a trace keeps its first error with the layer path, op and shapes; afterwards
 * every call returns nil and does nothing; the host checks once when the plugin returns. So no call
 * here needs a check. All functions: [trace].
 *
 * Exact rules of contexts, keys and summaries: each function below states them; they follow
 * Lingvo-JAX (see sdk/doc/architecture).
 */
#ifndef LAMINA_TRACE_H
#define LAMINA_TRACE_H

#include <lamina/ir.h>
#include <lamina/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A trace; its one public member is the table of what it can do. */
typedef struct lam_trace {
  const struct lam_trace_api *api; /**< never NULL */
} lam_trace;

/** One operation to record. */
typedef struct lam_op_call {
  uint32_t struct_size;
  int32_t op;          /**< LAM_OP_* */
  uint32_t n_operands; /**< length of operands */
  uint32_t n_attrs;    /**< length of attrs */
  uint32_t n_results;  /**< capacity of results; must equal what the op has */
  uint32_t reserved;
  const lam_tensor *operands; /**< of this trace; a nil one makes all results nil */
  const lam_attr *attrs;      /**< copied */
  const lam_type *type;       /**< wanted result type, for ops with flag T; else NULL */
  lam_tensor *results;        /**< filled; nil after an error */
} lam_op_call;

/** @name Summary types */
/**@{*/
#define LAM_SUMMARY_SCALAR           1 /**< key suffix "_scalar" */
#define LAM_SUMMARY_IMAGE            2 /**< key suffix "_image"; (B, H, W, C), rank 3 gets a batch axis */
#define LAM_SUMMARY_AGGREGATE_SCALAR 3 /**< "_aggregate_scalar"; value and weight, add_aggregate */
#define LAM_SUMMARY_AGGREGATE_IMAGE  4 /**< "_aggregate_image"; value and weight, add_aggregate */
#define LAM_SUMMARY_TEXT             5 /**< "_text"; (N) u8, UTF-8 */
#define LAM_SUMMARY_HISTOGRAM        6 /**< "_histogram"; floats of any shape, bucketed in the graph */
/**@}*/

/** @name Writable collections of a bound context */
/**@{*/
#define LAM_MUTABLE_VARS     1u /**< update_var is allowed */
#define LAM_MUTABLE_AUX_LOSS 2u /**< add_aux_loss is allowed */
/**@}*/

/** Arguments of context_push; zero members mean "inherit" or "none". */
typedef struct lam_context_args {
  uint32_t struct_size;
  int32_t do_eval;       /**< -1 inherit, 0, 1 */
  int32_t original_keys; /**< -1 inherit; 1: JAX's original Threefry layout; 0: partitionable */
  int32_t reserved;
  lam_key key;            /**< nil bits: no key; next_key is then an error */
  lam_tensor global_step; /**< u32 scalar; required with a key */
  int32_t check_numerics; /**< -1 inherit; 1: check_numerics records its checks */
  int32_t enable_asserts; /**< -1 inherit; 1: check records its checks */
  int32_t verbosity;      /**< 0 or -1 inherit; summaries above it are not recorded */
  int32_t reserved1;
} lam_context_args;

/** Work on one row, for lam_vmap: takes and gives nests as a method does. Called once, in the trace. */
typedef lam_nest (*lam_row_fn) (void *user, lam_trace *t, lam_nest in);

/** What a trace can do. The host fills it; test members newer than ABI 1.0 with LAM_HAS. */
typedef struct lam_trace_api {
  uint32_t struct_size;
  uint32_t reserved;

  /* recording */
  /** Records call->op; the results are also returned in call->results. */
  void (*op) (lam_trace *t, const lam_op_call *call);
  /** Type of x into *out (struct copied); false, and *out zeroed, for nil or after an error. */
  bool (*type_of) (lam_trace *t, lam_tensor x, lam_type *out);
  /** False once an error is set. */
  bool (*ok) (lam_trace *t);
  /** Sets the sticky error unless one is set; message is copied and gets the layer path. */
  void (*fail) (lam_trace *t, lam_status status, const char *message);
  /** Opens a composite: ops recorded until composite_end form its region; outer tensors used in it
   * become operands. attributes: JSON text or NULL. Must nest. */
  void (*composite_begin) (lam_trace *t, const char *name, int64_t version, const char *attributes);
  /** Closes it with n results; inner tensors are dead afterwards, outs are their outer versions. */
  void (*composite_end) (lam_trace *t, const lam_tensor *results, uint32_t n, lam_tensor *outs);

  /* variables and layers */
  /** Current value of a variable of the running layer in the bound context: re-read each time, so a
   * read after update_var sees the new value. */
  lam_tensor (*theta) (lam_trace *t, lam_var var);
  /** Calls a method ("fprop") of a child layer; pushes the namespace "<layer>.<method>". */
  lam_nest (*call) (lam_trace *t, lam_child child, const char *method, lam_nest in);
  /** New value for a non-trainable variable; error where LAM_MUTABLE_VARS is not given, when var is
   * trainable, or when shape or dtype differ. */
  void (*update_var) (lam_trace *t, lam_var var, lam_tensor value);
  /** Tree of all variables of the bound root: the current value of non-trainable ones, nil leaves for
   * trainable ones. */
  lam_nest (*updated_vars) (lam_trace *t);

  /* context */
  /** Pushes a context. Only do_eval and the key layout are inherited: key, step, summaries,
   * namespace and binding are the new context's own. */
  void (*context_push) (lam_trace *t, const lam_context_args *args);
  /** Pops it; error when the stack has no context that this layer pushed. */
  void (*context_pop) (lam_trace *t);
  /** Binds the root layer (a child of the running layer) to values for its variables (tree as
   * updated_vars gives); once a context; consumes one next_key. mutables: LAM_MUTABLE_*. */
  void (*bind) (lam_trace *t, lam_child root, lam_nest vars, uint32_t mutables);
  /** (k, out) = split (key); keeps k, returns out. Error without a key. */
  lam_key (*next_key) (lam_trace *t);
  /** Overwrites key and step of the top context. */
  void (*reset_key) (lam_trace *t, lam_key key, lam_tensor global_step);
  /** True in evaluation and decoding, false in training; static in a trace. */
  bool (*do_eval) (lam_trace *t);
  /** u32 scalar: the step before its increment. Error without one. */
  lam_tensor (*global_step) (lam_trace *t);
  /** Name must be a valid key ([A-Za-z_][A-Za-z0-9_.]*). */
  void (*namespace_push) (lam_trace *t, const char *name);
  /** Takes the last name off; error when this layer pushed none. */
  void (*namespace_pop) (lam_trace *t);
  /** Key: join ("/", namespace) + "/" + name + suffix; a taken key gets 1, 2 ... before the suffix.
   * Recorded when verbosity <= the context's (default 3). */
  void (*add_summary) (lam_trace *t, const char *name, int32_t type, lam_tensor value,
                       int32_t verbosity);
  /** Map from full key to value of the top context (keys hold "/": read them with nest_key). */
  lam_nest (*all_summaries) (lam_trace *t);
  /** Adds value * weight (scalars) to the loss of the step. */
  void (*add_aux_loss) (lam_trace *t, const char *name, lam_tensor value, lam_tensor weight);
  /** LAM_F64 in f64 models, else LAM_F32: the type of hyper-parameters, schedules and losses. */
  lam_dtype (*real_dtype) (lam_trace *t);

  /* random bits; layout by the context */
  /** n new keys, as jax.random.split. */
  void (*split) (lam_trace *t, lam_key key, uint32_t n, lam_key *out);
  /** As jax.random.fold_in; data: u32 scalar. */
  lam_key (*fold_in) (lam_trace *t, lam_key key, lam_tensor data);
  /** u8, u16, u32 or u64 tensor of uniform bits, as jax.random.bits. */
  lam_tensor (*random_bits) (lam_trace *t, lam_key key, uint32_t width, const lam_shape *shape);

  /* nests: see nest.h */
  /** A new empty node; kind: LAM_NEST_MAP or LAM_NEST_LIST. */
  lam_nest (*nest_new) (lam_trace *t, int32_t kind);
  /** A leaf of x; the nil leaf for nil. */
  lam_nest (*nest_leaf) (lam_trace *t, lam_tensor x);
  /** The tensor of a leaf; error for a map or a list. */
  lam_tensor (*nest_tensor) (lam_trace *t, lam_nest nest);
  /** LAM_NEST_LEAF, LAM_NEST_MAP or LAM_NEST_LIST. */
  int32_t (*nest_kind) (lam_trace *t, lam_nest nest);
  /** Number of children; 0 for a leaf. */
  uint32_t (*nest_size) (lam_trace *t, lam_nest nest);
  /** Key of child i of a map, in bytewise order; valid as long as the trace. NULL past the end. */
  const char *(*nest_key) (lam_trace *t, lam_nest map, uint32_t i);
  /** Child i of a map (in order of keys) or a list; error past the end. */
  lam_nest (*nest_child) (lam_trace *t, lam_nest nest, uint32_t i);
  /** The node at a path ("a.b[2]"); error, with the keys there are, if there is none. */
  lam_nest (*nest_get) (lam_trace *t, lam_nest nest, const char *path);
  /** True if there is a tensor, map or list at the path (a nil leaf is none); never an error. */
  bool (*nest_has) (lam_trace *t, lam_nest nest, const char *path);
  /** Puts child at a path, making what is missing on it; changes nest itself. */
  void (*nest_set) (lam_trace *t, lam_nest nest, const char *path, lam_nest child);
  /** Adds child to the end of a list; changes list itself. */
  void (*nest_append) (lam_trace *t, lam_nest list, lam_nest child);
  /** Number of leaves; the first `capacity` of them into out, in flatten order. */
  uint32_t (*nest_flatten) (lam_trace *t, lam_nest nest, lam_tensor *out, uint32_t capacity);
  /** The structure with other leaves; error unless n is its number of leaves. */
  lam_nest (*nest_pack) (lam_trace *t, lam_nest structure, const lam_tensor *leaves, uint32_t n);
  /** True if kinds, keys and lengths agree everywhere; leaves may differ. */
  bool (*nest_same_structure) (lam_trace *t, lam_nest a, lam_nest b);

  /* optimizers and schedules created by lam_create_optimizer and lam_create_schedule */
  /** Learning rate at a count: schedule.value (count) * learning_rate; real_dtype scalar. */
  lam_tensor (*optimizer_learning_rate) (lam_trace *t, lam_child optimizer, lam_tensor count);
  /** States for all variables that are not nil: map {"count": u32, "slots": {...}, ...}. */
  lam_nest (*optimizer_init) (lam_trace *t, lam_child optimizer, lam_nest vars);
  /** The whole chain: L1, L2, the optimizer's update (with -lr), decoupled decay, EWC, the average of
   * the variables (as they are before the update). A variable whose gradient is nil is only averaged.
   * Returns a map {"updates": tree as vars, nil where the gradient is; "states": tree as states}. */
  lam_nest (*optimizer_update) (lam_trace *t, lam_child optimizer, lam_nest grads, lam_nest states,
                                lam_nest vars);
  /** A schedule's multiplier at a count (u32 scalar); real_dtype scalar. */
  lam_tensor (*schedule_value) (lam_trace *t, lam_child schedule, lam_tensor count);

  /** Sets the sticky error "<what>: wanted shape (?, ?, ?, 17), got f32[64,8,8,16]"; -1: any size. */
  void (*fail_shape) (lam_trace *t, const char *what, const lam_shape *wanted, lam_tensor got);

  /** fn over rows: see lam_vmap in context.h. */
  lam_nest (*vmap) (lam_trace *t, lam_row_fn fn, void *user, lam_nest in, int32_t in_axis,
                    int32_t out_axis);

  /** Number of replicas of the step's data-parallel axis; 0: none is named, as in a step of one
   * process without replicas (see ops_replica.h). */
  uint32_t (*axis_size) (lam_trace *t);
  /** A summary that is averaged by weight: over elements, steps and replicas, sum (v w) / sum (w).
   * type: LAM_SUMMARY_AGGREGATE_*. */
  void (*add_aggregate) (lam_trace *t, const char *name, int32_t type, lam_tensor value,
                         lam_tensor weight, int32_t verbosity);
  /** Where the context's check_numerics is on: x is watched under `name`; the step reports the first
   * watched tensor that holds a NaN or an infinity, with its layer path. */
  void (*check_numerics) (lam_trace *t, const char *name, lam_tensor x);
  /** Where the context's enable_asserts is on: `condition` (a bool scalar) is watched; the step reports
   * the first that is false, with its layer path. */
  void (*check) (lam_trace *t, const char *message, lam_tensor condition);
  /** x is a result of the step, shown under `name` with its layer path after each step. */
  void (*debug_print) (lam_trace *t, const char *name, lam_tensor x);
  /** As optimizer_init, where only the variables that are not nil in `learned` (tree as vars) will
   * have gradients; the others are averaged if the optimizer does that. */
  lam_nest (*optimizer_init_for) (lam_trace *t, lam_child optimizer, lam_nest vars,
                                  lam_nest learned);
} lam_trace_api;

#ifdef __cplusplus
}
#endif
#endif
