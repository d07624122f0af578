/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of a trace, shared by the files of core/trace only. */
#ifndef LM_TRACE_PRIVATE_H
#define LM_TRACE_PRIVATE_H

#include "core/trace/trace.h"

/* A symbolic tensor: the region it was made in and its value there. */
typedef struct Handle {
  uint32_t frame; /* serial of the frame */
  LmValue value;
} Handle;

/* A region being recorded: frame 0 is the function itself. */
typedef struct Frame {
  uint32_t serial;
  LmBuilder *builder;
  GHashTable *captures; /* handle id -> 1 + parameter value in this region */
  GArray *captured;     /* of uint32_t handle ids, in parameter order */
  char *name, *attributes;
  int64_t version;
  guint layer_depth; /* layers entered when it began */
  bool rows;         /* of lam_vmap */
  guint n_contexts;  /* for rows: contexts pushed when it began */
} Frame;

typedef struct AuxLoss {
  lam_tensor value, weight;
} AuxLoss;

typedef struct Context {
  bool do_eval, original_keys, bound, has_key, check_numerics, enable_asserts;
  uint32_t mutables;
  uint32_t layer_depth; /* layers entered when it was pushed */
  int32_t verbosity;
  lam_key key;
  lam_tensor step;
  lam_tensor *values; /* current value of each variable, by id - 1; nil outside the bound root */
  GArray *summaries;  /* of LmSummary */
  GHashTable *keys;   /* set of summary keys */
  GPtrArray *names;   /* namespace stack */
  GArray *aux;        /* of AuxLoss */
  GArray *watches;    /* of LmWatch */
} Context;

struct LmTrace {
  lam_trace pub; /* first: a lam_trace * is an LmTrace * */
  uint32_t epoch;
  lam_dtype real;
  uint32_t axis_size; /* replicas; 0: no axis is named */
  const LmTraceVars *vars;
  GError *error;
  GArray *handles;   /* of Handle; id = index + 1 */
  GPtrArray *nests;  /* of LmNest*; id = index + 1 */
  GPtrArray *frames; /* of Frame*; the last is the innermost */
  uint32_t next_frame;
  GPtrArray *contexts; /* of Context*; the last is the top; the first is never popped */
  GArray *layers;      /* of LmTraceLayer, strings owned by `strings` */
  GStringChunk *strings;
};

static inline LmTrace *
self (lam_trace *t)
{
  return (LmTrace *)t;
}

static inline Context *
top (LmTrace *t)
{
  return g_ptr_array_index (t->contexts, t->contexts->len - 1);
}

static inline Frame *
inner (LmTrace *t)
{
  return g_ptr_array_index (t->frames, t->frames->len - 1);
}

Context *lm_context_new (const LmTraceVars *vars);
void lm_context_free (Context *c);

/* Opens a region; NULL and the error when they nest too deeply. */
Frame *lm_region_begin (LmTrace *t, const char *name);
/* Takes the innermost region off the stack as a closed function, NULL after an error; *out_frame (to
 * be freed) has its outer handles, which are its last parameters. */
LmFunction *lm_region_end (LmTrace *t, const lam_tensor *results, uint32_t n, Frame **out_frame);
void lm_frame_free (gpointer frame);

/* True, and the error "<what>: <why>", if a context from outside of the lam_vmap at hand is on top. */
bool lm_trace_refuse_in_rows (LmTrace *t, const char *what, const char *why);

/* (30, 3): left edges, right edges and counts of the finite elements; nil and an error for no float. */
lam_tensor lm_histogram (LmTrace *t, const char *name, lam_tensor value);

/* Moves a builder's error into the trace, with the layer path. True if fine. */
bool lm_trace_sync (LmTrace *t);
/* Types of a handle; NULL (and the sticky error) when dead or foreign. */
const lam_type *lm_trace_peek_type (LmTrace *t, lam_tensor x);

#endif
