/* SPDX-License-Identifier: Apache-2.0 */
/* A model: the tree of layers that a config describes, built through the plugin registry, with its
 * variables, learners and named inputs' configs. Config, top level (comments allowed):
 *
 *   { "name": "digits-mlp", "dtype": "f32", "seed": 1234, "backend": "cpu",
 *     "model":    { "type": "lamina.classification", ... },       the root layer, named "model"
 *     "learners": [ { "type": "lamina.learner", ... } ],
 *     "inputs":   { "train": { "type": "lamina.npz", ... }, "eval": { ... } },
 *     "metrics":  { "top5": { "type": "lamina.top_k_accuracy", "k": 5 } },
 *     "mesh":     { "axis_names": ["data", "model"], "shape": [2, 4] },
 *     "train":    { "steps": 1000, ... } }                        read by core/program
 *
 * Paths: a layer's path is its names joined by dots from the root ("model.network.layers_0"); a
 * variable is called by its path without the root's name ("network.layers_0.w"). */
#ifndef LM_MODEL_MODEL_H
#define LM_MODEL_MODEL_H

#include "core/base/array.h"
#include "core/base/params.h"
#include "core/plugin/registry.h"
#include "core/trace/trace.h"
#include <lamina/setup.h>

/* The plugins' tables, filled by core/host. */
typedef struct LmHostTables {
  const lam_host *host;
  const lam_trace_api *trace;
  const lam_setup_api *setup;
} LmHostTables;

typedef struct LmModel LmModel;
typedef struct LmLayer LmLayer;

/* Builds everything that the config names. All config problems of one layer come in one error; a bad
 * child names its path. `config` is kept (a reference). */
LmModel *lm_model_new (LmRegistry *registry, const LmHostTables *tables, JsonObject *config,
                       GError **error);
void lm_model_free (LmModel *model); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmModel, lm_model_free)

const char *lm_model_name (const LmModel *model);
JsonObject *lm_model_config (const LmModel *model);
lam_dtype lm_model_real_dtype (const LmModel *model);  /* LAM_F64 or LAM_F32 */
lam_dtype lm_model_fprop_dtype (const LmModel *model); /* LAM_BF16, or LAM_F32: casts nothing */
uint64_t lm_model_seed (const LmModel *model);
LmRegistry *lm_model_registry (const LmModel *model);
const LmHostTables *lm_model_tables (const LmModel *model);

/* What the host reads of every optimizer's config (sdk/lamina/optimizer.h). */
typedef struct LmOptimizerChain {
  double learning_rate;
  lam_child_config lr_schedule;
  double l1_regularizer_weight, l2_regularizer_weight, decoupled_weight_decay;
  bool skip_lp_1d_vectors;
  double ema_decay;
  double ewc_regularizer_weight;
  lam_strings ewc_var_patterns;
  lam_floats ewc_weight_per_var;
  int64_t num_sub_batches;
  bool vectorize_on_repeat_prefix;
} LmOptimizerChain;
void lm_chain_declare (lam_fields *f); /* its field table, for `lamina params` */

/* The keys of the config's top level beside its sections, for `lamina params config`. */
LmFieldTable *lm_model_config_table (GError **error);
/* Keys that every layer understands. */
LmFieldTable *lm_layer_config_table (GError **error);

/* --- partition specs (semantics 1.7): computed, checked and shown; no op reads them yet ----------- */
#define LM_MESH_AXES 8

typedef struct LmMesh {
  guint n;
  char *names[LM_MESH_AXES];
  int64_t sizes[LM_MESH_AXES];
} LmMesh;

/* The mesh axes that one dim is cut over, jointly and in this order; n 0: unsharded. */
typedef struct LmDimSpec {
  guint n;
  guint8 axes[LM_MESH_AXES];
} LmDimSpec;

typedef struct LmPartition {
  bool given; /* false: nobody said how; all unsharded */
  int32_t rank;
  LmDimSpec dims[LAM_MAX_RANK]; /* of the stored shape: repeat prefix first */
} LmPartition;

const LmMesh *lm_model_mesh (const LmModel *model); /* NULL: the config has none */
/* Of variable i in the order of creation; all unsharded without a mesh. */
const LmPartition *lm_model_var_partition (const LmModel *model, guint i);
/* How inputs arrive: dim 0 over all mesh axes jointly, the others replicated. */
LmPartition lm_mesh_batch_partition (const LmMesh *mesh, int32_t rank);
/* "[\"data\", null, [\"data\", \"model\"]]" */
char *lm_partition_to_text (const LmPartition *partition, const LmMesh *mesh);

/* --- the tree --------------------------------------------------------------------------------- */

/* What setup asked to be called when the layer goes. */
typedef struct LmOnFree {
  void (*fn) (void *data);
  void *data;
} LmOnFree;

struct LmLayer {
  uint32_t id; /* of lam_child handles; index + 1 in the model's list */
  char *name, *path;
  LmModel *model;
  LmLayer *parent; /* NULL for the root and for learners */
  const LmProvided *provided;
  LmFieldTable *fields;
  LmParams *params;
  void *instance;
  GPtrArray *children; /* of LmLayer*, owned by the model */
  GPtrArray
      *var_ids; /* GUINT ids of variables, in creation order; with `share`, those of that layer */
  GPtrArray *configs;    /* of JsonObject*: what config_new and config_copy made */
  GArray *on_free;       /* of LmOnFree */
  struct LmSetup *setup; /* open while the plugin's setup runs */
  /* what children inherit */
  lam_dtype dtype;
  lam_init params_init;
  bool skip_lp_regularization;
  lam_shape repeat_prefix;               /* rank 0: none */
  int32_t repeat_sharding[LAM_MAX_RANK]; /* mesh axis of each prefix dim, -1: none */
  JsonObject *weight_split_dims_mapping; /* of own variables by name, or NULL */
  LmLayer *share; /* whose variables this layer uses (shared_weight_layer_id); NULL: its own */
  /* optimizers: the host's part of the config */
  LmFieldTable *chain_fields;
  LmParams *chain_params;
  LmLayer *chain_schedule; /* NULL: constant 1 */
  LmOptimizerChain *chain;
  GPtrArray *chain_patterns; /* of LmRegex*: chain->ewc_var_patterns */
};

LmLayer *lm_model_root (const LmModel *model);
guint lm_model_n_layers (const LmModel *model); /* of all kinds */
LmLayer *lm_model_layer (const LmModel *model, guint i);
guint lm_model_n_learners (const LmModel *model);
LmLayer *lm_model_learner (const LmModel *model, guint i);

guint lm_model_n_metrics (const LmModel *model); /* of the config's "metrics", in order of name */
LmLayer *lm_model_metric (const LmModel *model, guint i);

/* Layer of a handle that `caller` (a layer id, 0: the core) created; NULL for a foreign one. */
LmLayer *lm_model_resolve_child (const LmModel *model, uint32_t caller, lam_child child);

/* --- variables -------------------------------------------------------------------------------- */
/* In the order of creation: ids are index + 1. A variable that several layers share is listed once, by the
 * path of the first. */
guint lm_model_n_vars (const LmModel *model);
const lam_var_info *lm_model_var (const LmModel *model, guint i);
const lam_var_spec *lm_model_var_spec (const LmModel *model, guint i); /* without repeat prefix */
const LmNest *lm_model_var_tree (const LmModel *model);                /* leaf = id */
/* Ids in flatten order of the tree: how variables are listed everywhere outside a trace. */
const uint32_t *lm_model_var_order (const LmModel *model);
/* The same variables' infos in flatten order, n_vars pointers. */
const lam_var_info *const *lm_model_var_infos (const LmModel *model);
const LmTraceVars *lm_model_trace_vars (const LmModel *model);

/* (key u32[2]) -> every variable in flatten order; keys by semantics 1.3: split over children in
 * flatten order and own variables in creation order, then fold_in of the path's md5. */
LmFunction *lm_model_init_function (LmModel *model, GError **error);

/* name -> LmArray*: all missing, unexpected (with did-you-mean) and mismatched tensors in one error;
 * out[i] in flatten order (new references). where: what was read. */
bool lm_model_take_weights (const LmModel *model, GHashTable *weights, const char *where,
                            LmArray **out, GError **error);

/* "network.layers_0.w  f32[64,128]  8192" lines with a total, for inspect; indented layer tree. */
char *lm_model_to_text (const LmModel *model);

/* --- calling ---------------------------------------------------------------------------------- */
/* A trace whose contexts can bind this model's variables. */
LmTrace *lm_model_trace (LmModel *model, const char *name);

/* Calls a method of a layer (kind layer) inside a trace: namespace, layer path. */
lam_nest lm_layer_call (LmTrace *t, LmLayer *layer, const char *method, lam_nest in);
bool lm_layer_has_method (const LmLayer *layer, const char *method);

/* --- table functions for core/host -------------------------------------------------------------- */
lam_nest lm_model_call (lam_trace *t, lam_child child, const char *method, lam_nest in);
void lm_model_bind (lam_trace *t, lam_child root, lam_nest vars, uint32_t mutables);
extern const lam_setup_api lm_setup_api;

/* The model of a trace made by lm_model_trace. */
LmModel *lm_trace_model (lam_trace *t);

/* --- inputs ------------------------------------------------------------------------------------ */
/* Config object of a named input; NULL when absent. */
JsonObject *lm_model_input_config (const LmModel *model, const char *name);

#endif
