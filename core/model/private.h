/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of a model, shared by the files of core/model only. */
#ifndef LM_MODEL_PRIVATE_H
#define LM_MODEL_PRIVATE_H

#include "core/model/model.h"
#include <lamina/layer.h>
#include <lamina/metric.h>
#include <lamina/schedule.h>
#include <lamina/optimizer.h>

/* A declared variable. */
typedef struct Var {
  lam_var_info info; /* info.path is `path` */
  lam_var_spec spec; /* dtype and init resolved; without the repeat prefix */
  lam_shape prefix;
  LmPartition partition;
  char *path, *name;
  LmLayer *layer;
} Var;

struct LmModel {
  LmRegistry *registry;
  const LmHostTables *tables;
  JsonObject *config;
  char *name;
  lam_dtype real, fprop;
  uint64_t seed;
  uint32_t epoch;    /* of lam_var and lam_child handles */
  GPtrArray *layers; /* of LmLayer*, all kinds, in the order of creation */
  LmLayer *root;
  GPtrArray *learners; /* of LmLayer* */
  GPtrArray *metrics;  /* of LmLayer*, by name */
  GPtrArray *vars;     /* of Var* */
  LmNest *tree;
  uint32_t *order;                 /* flatten order -> id */
  const lam_var_info **infos;      /* by id - 1 */
  const lam_var_info **flat_infos; /* in flatten order */
  uint32_t *owners;
  uint32_t *groups;   /* by layer id - 1: the layer whose variables it uses */
  GHashTable *shared; /* shared_weight_layer_id -> the first LmLayer* with it */
  LmMesh *mesh;       /* or NULL */
  LmTraceVars trace_vars;
};

/* The object that setup functions get. */
typedef struct LmSetup {
  lam_setup pub; /* first */
  LmModel *model;
  LmLayer *layer;
  GError *error;    /* the layer's own */
  GError *children; /* of its children, all of them */
  bool open;        /* false: setup has returned, what is asked now is a programming error */
} LmSetup;

LmLayer *lm_layer_build (LmModel *model, LmLayer *parent, const char *kind, const char *name,
                         JsonObject *config, GError **error);
void lm_layer_free (gpointer layer);
void lm_var_free (gpointer var);

/* A new object with the same members: its own keys can be changed, nested values are shared. */
JsonObject *lm_json_object_copy (JsonObject *object);

/* Reads the keys that every layer understands, after those of the parent were inherited. */
bool lm_common_read (LmLayer *layer, JsonObject *config, GError **error);
void lm_common_inherit (LmLayer *layer);

/* Finds the layer that this one shares variables with: by its id, or as the counterpart below a layer
 * that shares; then, after setup, checks that both have the same variables and children. */
bool lm_share_find (LmLayer *layer, const char *id, GError **error);
bool lm_share_check (const LmLayer *layer, GError **error);
const Var *lm_share_var (const LmLayer *layer, const char *name, guint *out_id);

/* Reads {"axis_names": [...], "shape": [...]}. */
LmMesh *lm_mesh_read (JsonObject *config, GError **error);
void lm_mesh_free (LmMesh *mesh);
/* Fills var->partition from spec.sharding, or from the layer's weight_split_dims_mapping, which goes
 * first; appends every problem as a line to report. */
void lm_var_partition (Var *var, GString *report);
/* Names in weight_split_dims_mapping that are no variables of the layer. */
bool lm_split_check (const LmLayer *layer, GError **error);

/* Keys of `config` that `table` names move to a new object; the others stay. */
JsonObject *lm_json_object_split (JsonObject *config, const LmFieldTable *table);

/* Takes the host's keys out of an optimizer's config and reads them; builds its schedule. */
bool lm_chain_read (LmLayer *layer, JsonObject *config, GError **error);

/* Fans of a spec by semantics 1.3. */
void lm_var_fans (const lam_var_spec *spec, double *fan_in, double *fan_out);

/* md5 (path) mod (2^31 - 1), the digest read as one big-endian number (GenerateSeedFromName). */
uint32_t lm_path_seed (const char *path);

/* The start value by spec.init, of shape prefix + spec.shape: statistics without the prefix, one draw
 * for all of it, in the variable's dtype. */
lam_tensor lm_var_init_value (lam_trace *t, lam_key key, const lam_var_spec *spec,
                              const lam_shape *prefix, const char *path);

/* The same for LAM_INIT_DELTA_ORTHOGONAL from rank 2 on. */
lam_tensor lm_delta_orthogonal (lam_trace *t, lam_key key, const lam_var_spec *spec,
                                const lam_shape *prefix);

#endif
