/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file context.h
 * Variables, children, keys, summaries and contexts, under short names; the exact rules stand at each
 * member of lam_trace_api (trace.h). All: [trace], errors sticky.
 */
#ifndef LAMINA_CONTEXT_H
#define LAMINA_CONTEXT_H

#include <lamina/nest.h>
#include <lamina/random_draws.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Current value of a variable of the running layer; sees an update made before in this pass. */
static inline lam_tensor
lam_theta (lam_trace *t, lam_var var)
{
  return t->api->theta (t, var);
}

/** Calls a method of a child: lam_call (t, p->ffn, "fprop", in). */
static inline lam_nest
lam_call (lam_trace *t, lam_child child, const char *method, lam_nest in)
{
  return t->api->call (t, child, method, in);
}

/** fprop of a child that takes and gives one tensor. */
static inline lam_tensor
lam_call_tensor (lam_trace *t, lam_child child, lam_tensor x)
{
  lam_nest y = t->api->call (t, child, "fprop", t->api->nest_leaf (t, x));
  return t->api->nest_tensor (t, y);
}

/** True if the handle names a child that setup created. */
static inline bool
lam_has_child (lam_child child)
{
  return child.id != 0;
}

/** True if the handle names a variable that setup created. */
static inline bool
lam_has_var (lam_var var)
{
  return var.id != 0;
}

/** New value of a non-trainable variable; the shape and dtype must stay. */
static inline void
lam_update_var (lam_trace *t, lam_var var, lam_tensor value)
{
  t->api->update_var (t, var, value);
}

/** Tree of the bound root's variables: current values of non-trainable ones, nil for the others. */
static inline lam_nest
lam_updated_vars (lam_trace *t)
{
  return t->api->updated_vars (t);
}

/** True in evaluation and decoding, false in training. */
static inline bool
lam_do_eval (lam_trace *t)
{
  return t->api->do_eval (t);
}

/** The step before its increment, a u32 scalar. */
static inline lam_tensor
lam_global_step (lam_trace *t)
{
  return t->api->global_step (t);
}

/** A fresh key of the top context. */
static inline lam_key
lam_next_key (lam_trace *t)
{
  return t->api->next_key (t);
}

/** Overwrites key and step of the top context. */
static inline void
lam_reset_key (lam_trace *t, lam_key key, lam_tensor global_step)
{
  t->api->reset_key (t, key, global_step);
}

/** Arguments of lam_context_push that inherit everything and bring no key. */
static inline lam_context_args
lam_context_args_make (void)
{
  lam_context_args args;
  args.struct_size = (uint32_t)sizeof args;
  args.do_eval = args.original_keys = -1;
  args.reserved = 0;
  args.key.bits = lam_nil ();
  args.global_step = lam_nil ();
  args.check_numerics = args.enable_asserts = args.verbosity = -1;
  args.reserved1 = 0;
  return args;
}

/** Pushes a context: only do_eval, the key layout and the three flags are inherited; key, step,
 * summaries, namespace and binding are its own. Pop it before returning. */
static inline void
lam_context_push (lam_trace *t, const lam_context_args *args)
{
  t->api->context_push (t, args);
}

/** Pops the context that this layer pushed last; an error if there is none. */
static inline void
lam_context_pop (lam_trace *t)
{
  t->api->context_pop (t);
}

/** Binds a child to variables, once a context; takes one key. mutables: LAM_MUTABLE_*. */
static inline void
lam_bind (lam_trace *t, lam_child root, lam_nest vars, uint32_t mutables)
{
  t->api->bind (t, root, vars, mutables);
}

/** Summaries that follow get name + "/" before theirs; a name as a variable has. */
static inline void
lam_namespace_push (lam_trace *t, const char *name)
{
  t->api->namespace_push (t, name);
}

/** Takes the last name off again. */
static inline void
lam_namespace_pop (lam_trace *t)
{
  t->api->namespace_pop (t);
}

/** Most summaries have this verbosity; a context records those up to 3. */
#define LAM_VERBOSITY 2

/** A summary of the step under namespace and name; type: LAM_SUMMARY_SCALAR, _IMAGE, _TEXT or
 * _HISTOGRAM, which say the shape of value. Left out where the context's verbosity is lower. */
static inline void
lam_add_summary (lam_trace *t, const char *name, int32_t type, lam_tensor value, int32_t verbosity)
{
  t->api->add_summary (t, name, type, value, verbosity);
}

/** A scalar (or what is to be averaged to one) with the usual verbosity. */
static inline void
lam_add_summary_scalar (lam_trace *t, const char *name, lam_tensor value)
{
  t->api->add_summary (t, name, LAM_SUMMARY_SCALAR, value, LAM_VERBOSITY);
}

/** A scalar that counts by weight: sum (value * weight) / sum (weight) over elements, steps and
 * replicas. */
static inline void
lam_add_aggregate_scalar (lam_trace *t, const char *name, lam_tensor value, lam_tensor weight)
{
  t->api->add_aggregate (t, name, LAM_SUMMARY_AGGREGATE_SCALAR, value, weight, LAM_VERBOSITY);
}

/** Floats of any shape, shown as a histogram; bucketed in the graph. */
static inline void
lam_add_summary_histogram (lam_trace *t, const char *name, lam_tensor value)
{
  t->api->add_summary (t, name, LAM_SUMMARY_HISTOGRAM, value, LAM_VERBOSITY);
}

/** A text that is known when the step is traced; copied. */
static inline void
lam_add_summary_text (lam_trace *t, const char *name, const char *text)
{
  int64_t n = 0;
  while (text[n] != '\0')
    n++;
  t->api->add_summary (t, name, LAM_SUMMARY_TEXT, lam_constant (t, LAM_U8, LAM_SHAPE (n), text),
                       LAM_VERBOSITY);
}

/** x itself; where the context's check_numerics is on, the step names the first such tensor that holds
 * a NaN or an infinity, with its layer path. */
static inline lam_tensor
lam_check_numerics (lam_trace *t, const char *name, lam_tensor x)
{
  t->api->check_numerics (t, name, x);
  return x;
}

/** Where the context's enable_asserts is on, the step names the first check whose condition (a bool
 * scalar) is false. */
static inline void
lam_check (lam_trace *t, const char *message, lam_tensor condition)
{
  t->api->check (t, message, condition);
}

/** Shows x after each step, under a name; x is a result of the step, nothing runs on the host in it. */
static inline void
lam_debug_print (lam_trace *t, const char *name, lam_tensor x)
{
  t->api->debug_print (t, name, x);
}

/** Map from key to value of the summaries of the top context. */
static inline lam_nest
lam_all_summaries (lam_trace *t)
{
  return t->api->all_summaries (t);
}

/** Adds value * weight (scalars) to the loss of the step. */
static inline void
lam_add_aux_loss (lam_trace *t, const char *name, lam_tensor value, lam_tensor weight)
{
  t->api->add_aux_loss (t, name, value, weight);
}

/**
 * fn over rows, as jax.vmap: every tensor of `in` loses axis in_axis (negative: from the end; all have
 * the same size there), fn is traced once on one row, and every tensor of its result gets the rows
 * back at out_axis (negative: from the end of what has the rows). Nil leaves stay nil. Tensors and
 * variables from outside that fn uses are the same in every row; a result that depends on no row is
 * repeated.
 *
 * fn may call children, open composites, push contexts of its own and call lam_vmap again. What would
 * change a context from outside is an error, for every row would have its own: summaries, update_var,
 * aux losses, next_key, reset_key. Return such values and use them outside; give keys as an input
 * ((N, 2) u32).
 */
static inline lam_nest
lam_vmap (lam_trace *t, lam_row_fn fn, void *user, lam_nest in, int32_t in_axis, int32_t out_axis)
{
  return t->api->vmap (t, fn, user, in, in_axis, out_axis);
}

/** LAM_F64 in f64 models, else LAM_F32. */
static inline lam_dtype
lam_real_dtype (lam_trace *t)
{
  return t->api->real_dtype (t);
}

/** A scalar of lam_real_dtype. */
static inline lam_tensor
lam_real (lam_trace *t, double v)
{
  return lam_scalar (t, lam_real_dtype (t), v);
}

#ifdef __cplusplus
}
#endif
#endif
