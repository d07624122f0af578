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
  lam_var_spec spec; /* dtype and init resolved */
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
  LmTraceVars trace_vars;
};

/* The object that setup functions get. */
typedef struct LmSetup {
  lam_setup pub; /* first */
  LmModel *model;
  LmLayer *layer;
  GError *error;
} LmSetup;

LmLayer *lm_layer_build (LmModel *model, LmLayer *parent, const char *kind, const char *name,
                         JsonObject *config, GError **error);
void lm_layer_free (gpointer layer);

/* A new object with the same members: its own keys can be changed, nested values are shared. */
JsonObject *lm_json_object_copy (JsonObject *object);

/* Keys of `config` that `table` names move to a new object; the others stay. */
JsonObject *lm_json_object_split (JsonObject *config, const LmFieldTable *table);

/* Takes the host's keys out of an optimizer's config and reads them; builds its schedule. */
bool lm_chain_read (LmLayer *layer, JsonObject *config, GError **error);

/* Fans of a spec by semantics 1.3. */
void lm_var_fans (const lam_var_spec *spec, double *fan_in, double *fan_out);

/* The start value by spec.init; 16-bit floats are drawn in f32 and rounded once. */
lam_tensor lm_var_init_value (lam_trace *t, lam_key key, const lam_var_spec *spec,
                              const char *path);

#endif
