/* SPDX-License-Identifier: Apache-2.0 */
/* One call of a layer as a function over host arrays, for tests of layers: parameters are its variables,
 * inputs and keys, results its outputs and updated variables, all by name. */
#ifndef LM_TEST_LAYER_FN_H
#define LM_TEST_LAYER_FN_H

#include "core/model/model.h"
#include "tests/lib/fixture.h"

typedef struct LmLayerFn {
  LmModel *model;
  GPtrArray *names;     /* "var:<path>", "in:<name>", "key:<n>" of each parameter */
  GPtrArray *arrays;    /* of LmArray*: its value */
  GPtrArray *out_names; /* "y", "y.<map key>", "y[<list index>]", "updated:<path>", "summary:<key>",
                     "aux_loss": the sum, where the call added one */
  LmFunction *f;        /* after lm_layer_fn_trace */
  guint draws;          /* how many keys the call drew */
  bool cast_bf16;     /* variables and inputs of f32 are cast to bf16 first, as a bf16 step does */
  bool keep_inputs;   /* with cast_bf16: inputs stay f32 */
  bool exact_keys;    /* next_key gives the given keys only, also where there are none */
  bool summaries;     /* summaries of one tensor are results too */
  const char *method; /* NULL: fprop */
  uint32_t replicas;  /* of the data-parallel axis; 0: none is named */
} LmLayerFn;

/* A model of that one layer. config: as in a model file, {"type": ...} (taken); dtype: of the model. On a bad
 * config: NULL and error if error is given, else the test fails. */
LmLayerFn *lm_layer_fn_new (LmRegistry *registry, JsonObject *config, const char *dtype,
                            GError **error);
void lm_layer_fn_free (LmLayerFn *fn);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmLayerFn, lm_layer_fn_free)

/* A value (taken). Every variable needs one. A single input becomes the layer's argument, several a map with
 * their names. Keys are what next_key gives, in order; without any, next_key is the usual one. */
void lm_layer_fn_add (LmLayerFn *fn, const char *name, LmArray *value);

/* Adds every variable at the start value that its init gives, and the key of the context. */
void lm_layer_fn_init (LmLayerFn *fn, LmBackend *backend);

/* Replaces the value of a parameter (taken). */
void lm_layer_fn_set (LmLayerFn *fn, const char *name, LmArray *value);

/* Traces fprop; false and error if the layer refuses. */
bool lm_layer_fn_trace (LmLayerFn *fn, bool do_eval, GError **error);

/* Runs it: as many arrays as out_names. */
GPtrArray *lm_layer_fn_run (const LmLayerFn *fn, LmBackend *backend);

/* Place of a name in names or out_names; -1 if it is not there. */
int lm_layer_fn_find (const GPtrArray *names, const char *name);

/* Result by name; the test fails if there is none. */
const LmArray *lm_layer_fn_result (const LmLayerFn *fn, const GPtrArray *results, const char *name);

#endif
