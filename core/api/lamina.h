/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file lamina.h
 * The application API: open a model archive, run it, train it, look into it. Link with
 * `pkg-config --cflags --libs lamina`.
 *
 * Conventions are GLib's: GError last, NULL or FALSE on failure; objects are opaque and owned by who
 * created them unless a function says (transfer none). One object is used by one thread at a time;
 * different objects by different threads. Nothing here prints, exits or aborts.
 */
#ifndef LAMINA_H
#define LAMINA_H

#include <glib.h>

G_BEGIN_DECLS

#if defined __GNUC__
#define LAMINA_API __attribute__ ((visibility ("default")))
#else
#define LAMINA_API
#endif

/** Error domain of this library. */
#define LAMINA_ERROR (lamina_error_quark ())
LAMINA_API GQuark lamina_error_quark (void);

/** What kind of failure; numbers are stable; the tool's exit status is the number + 1. */
typedef enum {
  LAMINA_ERROR_INVALID = 1,     /**< a value, shape, dtype or config key is wrong */
  LAMINA_ERROR_NOT_FOUND = 2,   /**< file, key, plugin, layer or device */
  LAMINA_ERROR_CORRUPT = 3,     /**< data do not follow their format */
  LAMINA_ERROR_IO = 4,          /**< the operating system refused */
  LAMINA_ERROR_UNSUPPORTED = 5, /**< valid, but not possible here */
  LAMINA_ERROR_DENIED = 6,      /**< code that is not trusted, or no permission */
  LAMINA_ERROR_PLUGIN = 7,      /**< a plugin was refused or misbehaved */
  LAMINA_ERROR_NO_MEMORY = 8,
  LAMINA_ERROR_CANCELLED = 9,
  LAMINA_ERROR_INTERNAL = 10,
  LAMINA_ERROR_PEER = 11, /**< another process of the group failed, and says why */
} LaminaError;

/** "0.1.0" */
LAMINA_API const char *lamina_version (void);

/* --- tensors --------------------------------------------------------------------------------------- */

/** A dense row-major array in host memory. */
typedef struct LaminaTensor LaminaTensor;

/** dtype: "f32", "i32", "u8", "bool" ...; data are copied (NULL: zeros). */
LAMINA_API LaminaTensor *lamina_tensor_new (const char *dtype, int rank, const gint64 *dims,
                                            const void *data, GError **error);
LAMINA_API void lamina_tensor_free (LaminaTensor *tensor);
LAMINA_API const char *lamina_tensor_dtype (const LaminaTensor *tensor);
LAMINA_API int lamina_tensor_rank (const LaminaTensor *tensor);
LAMINA_API gint64 lamina_tensor_dim (const LaminaTensor *tensor, int axis);
LAMINA_API gint64 lamina_tensor_elements (const LaminaTensor *tensor);
LAMINA_API const void *lamina_tensor_data (const LaminaTensor *tensor, gsize *out_bytes);
/** Element i as a double, whatever the dtype. */
LAMINA_API double lamina_tensor_get (const LaminaTensor *tensor, gint64 i);
/** "f32[2,3]" */
LAMINA_API char *lamina_tensor_type (const LaminaTensor *tensor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LaminaTensor, lamina_tensor_free)

/** Tensors by name from an .npz, .npy (name "array") or .safetensors file; values LaminaTensor*. */
LAMINA_API GHashTable *lamina_tensors_load (const char *path, GError **error);
/** Writes .npz or .safetensors by the suffix, aside and renamed. */
LAMINA_API gboolean lamina_tensors_save (GHashTable *tensors, const char *path, GError **error);
/** New empty table of (name -> LaminaTensor*), owning both. */
LAMINA_API GHashTable *lamina_tensors_new (void);

/* --- context: which plugins there are --------------------------------------------------------------- */

typedef struct LaminaContext LaminaContext;

/** Plugins from $LAM_PLUGIN_PATH, the user's and the system's directory. */
LAMINA_API LaminaContext *lamina_context_new (void);
/** All models, trainers and functions of it must be gone. */
LAMINA_API void lamina_context_free (LaminaContext *context);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LaminaContext, lamina_context_free)

/** Searched before the others; a folder that cannot be read is an error. */
LAMINA_API gboolean lamina_context_add_plugin_dir (LaminaContext *context, const char *dir,
                                                   GError **error);
LAMINA_API gboolean lamina_context_add_plugin (LaminaContext *context, const char *path,
                                               GError **error);
/** Elements of $LAM_PLUGIN_PATH that are never searched, as they are relative: they would mean the
 * working folder of the moment. Transfer full. */
LAMINA_API char **lamina_context_ignored_dirs (const LaminaContext *context);
/** Known plugins as a table for people (refused ones with the reason when all), or as JSON. */
LAMINA_API char *lamina_context_list_plugins (LaminaContext *context, gboolean all, gboolean json);
/** Backends with their device and score; as a table or JSON. */
LAMINA_API char *lamina_context_list_backends (LaminaContext *context, gboolean json);
/** Config keys of a type ("lamina.linear", any kind): name, type, default, range, doc. */
LAMINA_API char *lamina_context_describe_type (LaminaContext *context, const char *type,
                                               gboolean json, GError **error);

/* --- archives ----------------------------------------------------------------------------------------- */

/** What an archive or project directory holds: model, variables, plugins, inputs; text or JSON. */
LAMINA_API char *lamina_archive_inspect (LaminaContext *context, const char *path, gboolean json,
                                         GError **error);
/** Directory -> .lam file and back; lossless. pack also takes a project directory without a manifest and
 * describes the plugins in its plugins/<platform>/ folder. Refuses to overwrite unless force. */
LAMINA_API gboolean lamina_archive_pack (const char *directory, const char *archive, gboolean force,
                                         GError **error);
LAMINA_API gboolean lamina_archive_unpack (const char *archive, const char *directory,
                                           GError **error);
/** Plugin files of an archive for this platform, one "sha256  id  file  (trusted)" line each. */
LAMINA_API char *lamina_archive_list_code (const char *path, GError **error);
/** Trusts exactly those files (by sha256) from now on. */
LAMINA_API gboolean lamina_archive_trust (const char *path, GError **error);
/** All trusted files, one "sha256  note" line each; and taking one back by its sha256. */
LAMINA_API char *lamina_trust_list (GError **error);
LAMINA_API gboolean lamina_trust_remove (const char *sha256, GError **error);

/* --- models --------------------------------------------------------------------------------------------- */

typedef struct LaminaModel LaminaModel;

/** Options of opening; NULL members take their default. */
typedef struct LaminaModelOptions {
  gsize struct_size;           /**< sizeof (LaminaModelOptions) */
  const char *backend;         /**< id or last part; default: the archive's, else the best here */
  const char *backend_options; /**< JSON object for the backend, such as {"threads": 1} */
  const char *dtype;           /**< "f32" or "f64" instead of the config's */
  gint64 seed;                 /**< instead of the config's; -1: the config's */
  const char *weights;         /**< a .safetensors file to start from instead of the archive's */
  guint replicas;         /**< data-parallel replicas, which share the config's batch; 0: none */
  const char *collective; /**< how they exchange tensors: "local", the default, all of them in this
                           * process; "mpi" one in each process that mpirun started */
} LaminaModelOptions;
/** As many replicas as the config's train.replicas says; with "mpi" as there are processes. */
#define LAMINA_REPLICAS_CONFIG G_MAXUINT
/** All defaults, seed -1. */
#define LAMINA_MODEL_OPTIONS_INIT                                                                  \
  {                                                                                                \
    sizeof (LaminaModelOptions), NULL, NULL, NULL, -1, NULL, 0, NULL                               \
  }

/** Opens an archive or project directory: checks it, resolves its plugins by trust, builds the layers,
 * opens the backend and loads (or draws) the variables. options may be NULL. */
LAMINA_API LaminaModel *lamina_model_open (LaminaContext *context, const char *path,
                                           const LaminaModelOptions *options, GError **error);
LAMINA_API void lamina_model_free (LaminaModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LaminaModel, lamina_model_free)

LAMINA_API const char *lamina_model_name (const LaminaModel *model);
LAMINA_API const char *lamina_model_backend (const LaminaModel *model); /**< "lamina.cpu" */
LAMINA_API const char *lamina_model_device (const LaminaModel *model);  /**< device, for people */
/** The step its variables are at: 0 for a fresh model. */
LAMINA_API guint64 lamina_model_step (const LaminaModel *model);
/** Replicas in all, of all processes; 0: none. */
LAMINA_API guint lamina_model_replicas (const LaminaModel *model);
/** Rank of the first replica of this process; in one process always 0. With replicas in several processes
 * every process makes the same calls of training and evaluation in the same order, and the one of rank
 * 0 is to print; a failure of one ends all, with LAMINA_ERROR_PEER in the others. */
LAMINA_API guint lamina_model_rank (const LaminaModel *model);
/** Copies of all variables by path. */
LAMINA_API GHashTable *lamina_model_variables (LaminaModel *model, GError **error);

/** Runs the root's method predict over a batch of any size: tensors by name as the task wants them
 * ("inputs"). Floats of another width than the model's are converted; integers stay what they are.
 * Result: outputs by name. Compiles once for each set of shapes. */
LAMINA_API GHashTable *lamina_model_predict (LaminaModel *model, GHashTable *batch, GError **error);

/** Metrics of one evaluation. */
typedef struct LaminaMetrics {
  guint n;
  char **names;    /**< "loss" first, then sorted */
  double *values;  /**< sum (v * w) / sum (w) over all batches */
  double *weights; /**< sum (w) */
  gint64 batches;
} LaminaMetrics;
LAMINA_API void lamina_metrics_free (LaminaMetrics *metrics);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LaminaMetrics, lamina_metrics_free)

/** True if the config has an input of this name. */
LAMINA_API gboolean lamina_model_has_input (const LaminaModel *model, const char *input);
/** The next batch of the named input from its start, number `index` from 0: what predict may be given.
 * NULL and NOT_FOUND past its end. */
LAMINA_API GHashTable *lamina_model_batch (LaminaModel *model, const char *input, guint64 index,
                                           GError **error);

/** One pass over the named input ("eval"). */
LAMINA_API LaminaMetrics *lamina_model_evaluate (LaminaModel *model, const char *input,
                                                 GError **error);

/** The traced functions as text. which: "init", "train", "eval", "predict"; stage: "trace",
 * "simplify", "cse", "dce", "legalize", "final", "plan". batch shapes come from the input. */
LAMINA_API char *lamina_model_ir (LaminaModel *model, const char *which, const char *stage,
                                  GError **error);

/** What legalisation decided for the functions compiled so far, one line a decision. */
LAMINA_API char *lamina_model_explain (const LaminaModel *model);

/* --- training ------------------------------------------------------------------------------------------- */

typedef struct LaminaTrainer LaminaTrainer;

/** One finished step, valid during the callback. */
typedef struct LaminaStepInfo {
  guint64 step;   /**< number of the step just made, from 0 */
  guint64 total;  /**< steps that the run will reach */
  double seconds; /**< since the run began */
  double loss;
  guint n_metrics;
  const char *const *metric_names;
  const double *metric_values;
  const double *metric_weights;
  guint n_scalars; /**< scalar summaries: "backward@learner.update_states/grad_norm_scalar" ... */
  const char *const *scalar_names;
  const double *scalar_values;
  guint n_prints; /**< of lam_debug_print: "<layer path>: <name>" and the value */
  const char *const *print_names;
  const LaminaTensor *const *print_values;
} LaminaStepInfo;
/** Return FALSE to end the run after this step (all is kept). */
typedef gboolean (*LaminaStepFunc) (const LaminaStepInfo *info, gpointer user);

/** Trains `model` on its input "train". Continues where the archive's state stopped. */
LAMINA_API LaminaTrainer *lamina_trainer_new (LaminaModel *model, GError **error);
LAMINA_API void lamina_trainer_free (LaminaTrainer *trainer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LaminaTrainer, lamina_trainer_free)
/** Before the first run: whether every step reports its scalar summaries (the start), which computes
 * them; without it they go to event files only. */
LAMINA_API void lamina_trainer_set_scalars (LaminaTrainer *trainer, gboolean each_step);
/** Before the first run: TensorBoard's event files go into `folder` (made if need be), every
 * train.summary_interval_steps of the config. */
LAMINA_API void lamina_trainer_set_events (LaminaTrainer *trainer, const char *folder);
/** Before the first run: stop with an error at the first NaN or infinity that a layer's
 * lam_check_numerics or a gradient meets; at the first lam_check of a layer that fails. The config's
 * train.check_numerics and train.enable_asserts switch them on as well. */
LAMINA_API void lamina_trainer_set_checks (LaminaTrainer *trainer, gboolean numerics,
                                           gboolean asserts);
/** Keeps other trainers, of this process or another, from the file that the model will be saved as,
 * until this one is freed; an error (IO) if one has it. Of several processes that train together only
 * that of rank 0 does. Nothing else looks at the lock, which goes with the process. */
LAMINA_API gboolean lamina_trainer_lock (LaminaTrainer *trainer, const char *path, GError **error);
/** Up to step `until` (0: the config's train.steps), or to the end of its input. After it the model's
 * variables are the trained ones. */
LAMINA_API gboolean lamina_trainer_run (LaminaTrainer *trainer, guint64 until, LaminaStepFunc each,
                                        gpointer user, GError **error);
/** Writes a complete archive, aside and renamed: config, variables, optimizer and input state, plugins
 * of the source, and data files of the inputs up to 8 MiB each, so that it evaluates anywhere. Of several
 * processes only that of rank 0 writes, after all have found that their states are of the same bits. */
LAMINA_API gboolean lamina_trainer_save (LaminaTrainer *trainer, const char *path, GError **error);
/** Whether the last run ended because a callback, in any process, returned FALSE. */
LAMINA_API gboolean lamina_trainer_stopped (const LaminaTrainer *trainer);
LAMINA_API guint64 lamina_trainer_step (const LaminaTrainer *trainer);
LAMINA_API guint64 lamina_trainer_total (const LaminaTrainer *trainer); /**< config's train.steps */

/* --- hyper-parameters built in code ------------------------------------------------------------------ */

/** A value: what Python's Params hold, dtypes and enums as strings. */
typedef struct LaminaValue LaminaValue;
/** Named values with descriptions, nested by values that are such objects: a config in the making. */
typedef struct LaminaParams LaminaParams;

typedef enum {
  LAMINA_VALUE_NONE = 0,
  LAMINA_VALUE_BOOL = 1,
  LAMINA_VALUE_INT = 2,
  LAMINA_VALUE_FLOAT = 3,
  LAMINA_VALUE_STRING = 4,
  LAMINA_VALUE_LIST = 5,
  LAMINA_VALUE_TUPLE = 6, /**< a list that is not changed in place */
  LAMINA_VALUE_DICT = 7,
  LAMINA_VALUE_PARAMS = 8,
} LaminaValueKind;

/** New values. What a function here takes as an item, a value or nested params, it owns from then on,
 * also when it fails. */
LAMINA_API LaminaValue *lamina_value_none (void);
LAMINA_API LaminaValue *lamina_value_bool (gboolean b);
LAMINA_API LaminaValue *lamina_value_int (gint64 i);
LAMINA_API LaminaValue *lamina_value_float (double d);
LAMINA_API LaminaValue *lamina_value_string (const char *text);
LAMINA_API LaminaValue *lamina_value_list (void);  /**< empty */
LAMINA_API LaminaValue *lamina_value_tuple (void); /**< empty */
LAMINA_API LaminaValue *lamina_value_dict (void);  /**< empty */
LAMINA_API LaminaValue *lamina_value_params (LaminaParams *params);
/** From a Python literal: "[1, 2]", "{'a': (0.5, None)}", "True". */
LAMINA_API LaminaValue *lamina_value_parse (const char *text, GError **error);
LAMINA_API LaminaValue *lamina_value_copy (const LaminaValue *value);
LAMINA_API void lamina_value_free (LaminaValue *value);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LaminaValue, lamina_value_free)
/** To the end of a list or tuple; under a key of a dict. */
LAMINA_API void lamina_value_append (LaminaValue *sequence, LaminaValue *item);
LAMINA_API void lamina_value_put (LaminaValue *dict, const char *key, LaminaValue *item);

/** Reading; what a value of another kind is asked for is FALSE, 0 or NULL. Results belong to value. */
LAMINA_API LaminaValueKind lamina_value_kind (const LaminaValue *value);
LAMINA_API gboolean lamina_value_get_bool (const LaminaValue *value);
LAMINA_API gint64 lamina_value_get_int (const LaminaValue *value);
LAMINA_API double lamina_value_get_float (const LaminaValue *value); /**< of integers too */
LAMINA_API const char *lamina_value_get_string (const LaminaValue *value);
LAMINA_API LaminaParams *lamina_value_get_params (const LaminaValue *value);
LAMINA_API guint lamina_value_size (const LaminaValue *value); /**< of a list, tuple or dict */
LAMINA_API const LaminaValue *lamina_value_item (const LaminaValue *value, guint i);
LAMINA_API const char *lamina_value_key (const LaminaValue *dict, guint i);
/** As Python writes it; lamina_value_parse reads it back (nested params as dicts). */
LAMINA_API char *lamina_value_to_text (const LaminaValue *value);
/** As Python's ==. */
LAMINA_API gboolean lamina_value_equal (const LaminaValue *a, const LaminaValue *b);

/** Empty but for the parameter "cls", which names a type ("lamina.linear"); cls NULL: without it. */
LAMINA_API LaminaParams *lamina_params_new (const char *cls);
/** Params of a known type: cls and every key that lamina_context_describe_type lists, those of every
 * layer or optimizer included, with its default (None where it must be given) and description. kind ("layer", "optimizer" ...) may be NULL while
 * only one kind has the type. The types "config" and "train" are the parts of a config around its
 * layers; they have no cls. */
LAMINA_API LaminaParams *lamina_params_new_for_type (LaminaContext *context, const char *kind,
                                                     const char *type, GError **error);
/** From the text of a config: its objects become params, "type" their cls. Comments are allowed. */
LAMINA_API LaminaParams *lamina_params_new_from_json (const char *text, GError **error);
/** Deep; frozen flags are kept. */
LAMINA_API LaminaParams *lamina_params_copy (const LaminaParams *params);
LAMINA_API void lamina_params_free (LaminaParams *params);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LaminaParams, lamina_params_free)

/** Adds a parameter: a name ^[a-z_][a-z0-9_]*$ that is not defined yet (else INVALID). */
LAMINA_API gboolean lamina_params_define (LaminaParams *params, const char *name,
                                          LaminaValue *value, const char *description,
                                          GError **error);
/** Paths read "network.layers[1].dim" or "table['key']". Unknown names are NOT_FOUND, with those that
 * there are; writing what is frozen is DENIED. */
LAMINA_API gboolean lamina_params_set (LaminaParams *params, const char *path, LaminaValue *value,
                                       GError **error);
LAMINA_API const LaminaValue *lamina_params_get (const LaminaParams *params, const char *path,
                                                 GError **error);
/** A nested object, to be changed in place (transfer none). */
LAMINA_API LaminaParams *lamina_params_get_params (LaminaParams *params, const char *path,
                                                   GError **error);
LAMINA_API gboolean lamina_params_delete (LaminaParams *params, const char *path, GError **error);
/** True if it is there and not None; FALSE with an error if it is not there. */
LAMINA_API gboolean lamina_params_is_set (const LaminaParams *params, const char *path,
                                          GError **error);
/** The object's own parameters, in order of definition. */
LAMINA_API guint lamina_params_size (const LaminaParams *params);
LAMINA_API gboolean lamina_params_has (const LaminaParams *params, const char *name);
LAMINA_API const char *lamina_params_name (const LaminaParams *params, guint i);
LAMINA_API const char *lamina_params_description (const LaminaParams *params, guint i);

/** From now on this object is only read. Nested objects are frozen one by one. */
LAMINA_API void lamina_params_freeze (LaminaParams *params);
LAMINA_API gboolean lamina_params_is_frozen (const LaminaParams *params);
/** Same names with equal values; descriptions, order and frozen flags do not matter. */
LAMINA_API gboolean lamina_params_equal (const LaminaParams *a, const LaminaParams *b);
/** Copies all values but cls and those named in skip (NULL-terminated, may be NULL) to `to`, which must
 * define every one. merge_common copies only what `to` defines. */
LAMINA_API gboolean lamina_params_copy_fields (const LaminaParams *from, LaminaParams *to,
                                               const char *const *skip, GError **error);
LAMINA_API gboolean lamina_params_merge_common (LaminaParams *to, const LaminaParams *from,
                                                GError **error);

/** Called for a value at a path. */
typedef gboolean (*LaminaParamsEnterFunc) (const char *path, const LaminaValue *value,
                                           gpointer user);
typedef void (*LaminaParamsVisitFunc) (const char *path, const LaminaValue *value, gpointer user);
/** Walks all values. enter (NULL: always TRUE) is asked before params, lists, tuples and dicts; what it
 * declines and all else goes to visit. */
LAMINA_API void lamina_params_visit (const LaminaParams *params, LaminaParamsEnterFunc enter,
                                     LaminaParamsVisitFunc visit, gpointer user);

/** A line "path : value" for each value, sorted; with types behind a blank line "path : type". */
LAMINA_API char *lamina_params_to_text (const LaminaParams *params, gboolean types);
/** Sets what such lines say; what is not named stays. All problems in one error, then none is set. */
LAMINA_API gboolean lamina_params_from_text (LaminaParams *params, const char *text, gboolean types,
                                             GError **error);
/** For people: nested, indented. */
LAMINA_API char *lamina_params_to_string (const LaminaParams *params);
/** "> name: value of a", "< name: value of b", nested; "" when equal. */
LAMINA_API char *lamina_params_diff (const LaminaParams *a, const LaminaParams *b);
/** The config: cls is "type", None is left out. */
LAMINA_API char *lamina_params_to_json (const LaminaParams *params);

/** Builds the model that params describe, as lamina_model_open does of a file: a whole config (it has
 * "model"), or one layer (its cls), which becomes the root. Files that inputs name are found from
 * folder (NULL: "."). options may be NULL. params are not kept. */
LAMINA_API LaminaModel *lamina_params_instantiate (const LaminaParams *params,
                                                   LaminaContext *context, const char *folder,
                                                   const LaminaModelOptions *options,
                                                   GError **error);

/* --- functions in text form ---------------------------------------------------------------------------- */

/** Parses a .lir file and runs it on a backend (NULL: the best). Inputs are named "0", "1" ... by
 * position, or anything else: then the parameters take them in the order of their sorted names.
 * Results are "0", "1" ... explain (may be NULL): legalisation decisions, free with g_free. */
LAMINA_API GHashTable *lamina_call_file (LaminaContext *context, const char *path,
                                         const char *backend, GHashTable *inputs, char **explain,
                                         GError **error);
/** Reads, runs the pipeline up to a stage for a backend, prints. */
LAMINA_API char *lamina_ir_file (LaminaContext *context, const char *path, const char *backend,
                                 const char *stage, GError **error);

/* --- conformance of a backend --------------------------------------------------------------------------- */

/** What to check; NULL members take their default. */
typedef struct LaminaConformanceOptions {
  gsize struct_size;   /**< sizeof (LaminaConformanceOptions) */
  const char *backend; /**< id or last part, or the file of a plugin that has one; required */
  const char *backend_options; /**< JSON object for the backend */
  const char *check; /**< one of lamina_conformance_checks (); NULL: only opens the backend */
  const char *dtype; /**< only this element type, such as "f16" */
  guint64 seed;      /**< of the numbers that cases run on */
  gint64 only;       /**< only the case of this number; -1: all */
  /** Existing folder for the first failing case of each dtype, as CHECK-DTYPE.lir with its inputs in
   * .npz (.safetensors when one is bf16): what lamina_call_file runs again. With `only` that case is
   * written before it runs, in case it never ends. */
  const char *keep;
} LaminaConformanceOptions;
/** Seed 1, all cases. */
#define LAMINA_CONFORMANCE_OPTIONS_INIT                                                            \
  {                                                                                                \
    sizeof (LaminaConformanceOptions), NULL, NULL, NULL, NULL, 1, -1, NULL                         \
  }

/** One check in one dtype, valid during the callback. */
typedef struct LaminaConformanceResult {
  const char *check, *dtype;
  guint cases, failed;
  guint refused;        /**< the backend said that it does not run them, and need not */
  const char *refusal;  /**< the first one's words; NULL: none */
  double worst_ulps;    /**< largest difference where ulps are allowed */
  double worst_part;    /**< where a bound is: largest difference as a part of it, 1 is the limit */
  guint first_failed;   /**< number of the first case that failed */
  const char *message;  /**< what is wrong with it; NULL: nothing */
  const char *function; /**< it in text form (a training run: its config) */
  const char *kept;     /**< its file; NULL: not kept */
} LaminaConformanceResult;

/** Callbacks of a conformance run; each may be NULL. */
typedef struct LaminaConformanceWatch {
  /** Before each case: its check's dtype, number and text form ("" for a training run). */
  void (*begin) (const char *dtype, guint number, const char *function, gpointer user);
  void (*result) (const LaminaConformanceResult *result, gpointer user);
  gpointer user;
} LaminaConformanceWatch;

/** Names of the checks, NULL-terminated: every op, then "chains", "donation", "steps_mlp",
 * "steps_conv". Free with g_free. */
LAMINA_API const char **lamina_conformance_checks (void);
/** What a check lets a result differ by, in a few words, and why. */
LAMINA_API const char *lamina_conformance_allows (const char *check, const char **out_why);
/** Runs one check on a backend and on lamina.reference and compares. FALSE only when that was not
 * possible; what the backend does wrong is a result. A backend that crashes or hangs takes its process
 * along: `lamina conformance` gives each check one of its own. */
LAMINA_API gboolean lamina_conformance_run (LaminaContext *context,
                                            const LaminaConformanceOptions *options,
                                            const LaminaConformanceWatch *watch, char **out_device,
                                            GError **error);

/* --- templates ------------------------------------------------------------------------------------------- */

/** Names of the model templates, NULL-terminated. */
LAMINA_API char **lamina_templates (void);
/** Copies template `name` into the new directory `path` (which must not exist). */
LAMINA_API gboolean lamina_template_create (const char *name, const char *path, GError **error);

G_END_DECLS

#endif
