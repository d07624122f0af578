/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the application API's objects, shared by the files of core/api only. */
#ifndef LM_API_PRIVATE_H
#define LM_API_PRIVATE_H

#include "core/api/lamina.h"
#include "core/archive/lock.h"
#include "core/host/host.h"
#include "core/program/code.h"
#include "core/program/eval.h"
#include "core/program/predict.h"
#include "core/program/replicas.h"
#include "core/program/save.h"
#include "core/program/train.h"

struct LaminaTensor {
  LmArray *array;
};

struct LaminaContext {
  LmRegistry *registry;    /* what the listings show; made when first needed */
  GPtrArray *files, *dirs; /* char*: given by name, searched before the standard folders */
};

struct LaminaModel {
  LaminaContext *context; /* borrowed */
  LmRegistry *registry;   /* its own: plugins of the archive are known to this model alone */
  LmArchive *archive;
  struct lam_files *files;
  LmModel *model;
  JsonObject *backend_options; /* as it was opened */
  LmBackend *backend;
  LmGroup *group; /* NULL: no replicas */
  LmState *state;
  LmPredictor *predictor;
  LmSaved saved; /* of the archive; empty when the run starts anew */
  GString *explain;
};

struct LaminaTrainer {
  LaminaModel *model;   /* borrowed */
  LmReplicas *replicas; /* with their inputs and loops */
  LmFileLock *lock;     /* may be NULL */
  bool started;         /* by the first run */
  bool stopped;
  LmTrainOptions options;
  char *events;
  uint64_t total;
  /* reused by every step */
  const char **names;
  double *values;
  LaminaTensor **prints;
};

/* Everything of lamina_model_open behind the opening of the file; takes the archive, also on failure. */
LaminaModel *lm_model_open_archive (LaminaContext *context, LmArchive *archive,
                                    const LaminaModelOptions *options, GError **error);

/* Joins the group of replicas that options and config ask for; leaves m->group NULL when none is. */
bool lm_model_join (LaminaModel *m, const LaminaModelOptions *o, GError **error);

/* Before the backend is opened: the part of a replica in m->backend_options. */
bool lm_model_share_threads (LaminaModel *m, const char *backend, GError **error);

/* After a failure: other processes do not wait for this one. false. */
bool lm_model_give_up (LaminaModel *m);

/* Of the model's present state. */
LmReplicas *lm_model_replicas_new (LaminaModel *m, GError **error);

/* The context's own registry. */
LmRegistry *lm_context_registry (LaminaContext *context);

/* A new registry: files and dirs given by name, code of the archive (may be NULL; checked for trust),
 * standard folders. */
LmRegistry *lm_context_new_registry (LaminaContext *context, LmArchive *archive, GError **error);

/* Field tables (LmFieldTable*, owned) of a type: its own, then the one of keys that the host reads of
 * its kind. kind NULL: any, but only one. *out_kind is static; NULL for a part of the config ("config",
 * "train" ...), which no kind has. */
GPtrArray *lm_context_tables (LaminaContext *context, const char *kind, const char *type,
                              const char **out_kind, GError **error);

/* name -> LmArray* from .npz, .npy or .safetensors. */
GHashTable *lm_arrays_load (const char *path, GError **error);

/* Tables between the two faces; the arrays are shared. */
GHashTable *lm_tensors_from_arrays (GHashTable *arrays);
GHashTable *lm_arrays_from_tensors (GHashTable *tensors);
LaminaTensor *lm_tensor_wrap (LmArray *array); /* takes the reference */

/* Config of an archive as an object the caller may change: members are shared. */
JsonObject *lm_config_open (LmArchive *archive, GError **error);

/* Folder that relative paths of an archive's config start from. */
char *lm_archive_folder (const LmArchive *archive);

/* Traces a step of the model: "train", "eval" or "predict", with the batch of its input. */
LmStep *lm_model_new_step (LaminaModel *model, const char *which, GError **error);

/* JSON nodes. */
JsonNode *lm_json_take_object (JsonObject *object);
JsonNode *lm_json_take_array (JsonArray *array);
JsonArray *lm_json_strings (const char *const *texts);

/* Pads: appends text and blanks up to width, at least two. */
void lm_append_column (GString *out, const char *text, guint width);

#endif
