/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file setup.h
 * What a layer, optimizer or learner may do once, when the host builds it from a config: declare
 * variables and create children. All functions: [instance]. Errors are sticky, as in a trace.
 */
#ifndef LAMINA_SETUP_H
#define LAMINA_SETUP_H

#include <lamina/fields.h>
#include <lamina/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name Collections of a variable */
/**@{*/
#define LAM_NON_TRAINABLE                (1u << 0) /**< no gradient; changed by lam_update_var */
#define LAM_REQUIRES_MEAN_SYNC           (1u << 1) /**< over replicas: old + mean (new - old) */
#define LAM_REQUIRES_SUM_SYNC            (1u << 2)
#define LAM_SKIP_LP_REGULARIZATION       (1u << 3) /**< no L1, L2 or decoupled decay */
#define LAM_DISALLOW_BFLOAT16_CONVERSION (1u << 4)
#define LAM_OVERWRITE_WITH_GRADIENT      (1u << 5)
/**@}*/

/** A variable to be declared. Fill with lam_var_spec_make, then change what differs. */
typedef struct lam_var_spec {
  uint32_t struct_size;
  uint32_t collections; /**< LAM_NON_TRAINABLE ... */
  lam_shape shape;      /**< dims >= 1 */
  lam_init init;        /**< method 0: the layer's params_init if its config has one, else xavier */
  lam_dtype dtype;      /**< LAM_DTYPE_NONE: the layer's, which inherits the parent's */
  int32_t n_in_axes;    /**< fan axes; 0: the last but one is in, the last out, others receptive */
  int32_t n_out_axes;
  int32_t n_sharding; /**< 0: unsharded */
  int32_t in_axes[LAM_MAX_RANK];
  int32_t out_axes[LAM_MAX_RANK];
  int32_t sharding[LAM_MAX_RANK]; /**< mesh axis of each dim, -1 none */
} lam_var_spec;

/** The object handed to setup; its one public member is the table of what it can do. */
typedef struct lam_setup {
  const struct lam_setup_api *api;
} lam_setup;

typedef struct lam_setup_api {
  uint32_t struct_size;
  uint32_t reserved;
  /** Declares a variable; name: a valid key, unique in the layer. */
  lam_var (*create_variable) (lam_setup *s, const char *name, const lam_var_spec *spec);
  /** Creates child `name` of a kind (LAM_KIND_*) from a config; index: which of a list (else 0). */
  lam_child (*create_child) (lam_setup *s, const char *kind, const char *name,
                             lam_child_config config, uint32_t index);
  /** A new config {"type": type}, to be changed and given to create_child. */
  lam_child_config (*config_new) (lam_setup *s, const char *type);
  /** A private copy of element `index` of a given config, to be changed. */
  lam_child_config (*config_copy) (lam_setup *s, lam_child_config config, uint32_t index);
  /** Sets one key from JSON text ("3", "\"relu\"", "[1, 2]"); error if the text is not JSON. */
  void (*config_set) (lam_setup *s, lam_child_config config, const char *key, const char *json);
  /** Puts a config as a child config below a key of another. */
  void (*config_set_config) (lam_setup *s, lam_child_config config, const char *key,
                             lam_child_config value);
  /** Like config_set, only where the config does not have the key yet. */
  void (*config_default) (lam_setup *s, lam_child_config config, const char *key, const char *json);
  bool (*config_has) (lam_setup *s, lam_child_config config, const char *key);
  /** Sets the sticky error: a value that the field table could not refuse. */
  void (*fail) (lam_setup *s, lam_status status, const char *message);
  /** The dtype of the layer's variables (config key "dtype", else the parent's). */
  lam_dtype (*dtype) (lam_setup *s);
  /** The layer's name; valid as long as the layer. */
  const char *(*name) (lam_setup *s);
} lam_setup_api;

static inline lam_init
lam_init_make (int32_t method, double scale)
{
  lam_init init;
  init.method = method;
  init.reserved = 0;
  init.scale = scale;
  return init;
}

/** Initialisers for lam_create_variable. */
#define LAM_XAVIER          lam_init_make (LAM_INIT_XAVIER, 1.0)
#define LAM_CONSTANT(value) lam_init_make (LAM_INIT_CONSTANT, (double)(value))
#define LAM_GAUSSIAN(scale) lam_init_make (LAM_INIT_GAUSSIAN, (double)(scale))
#define LAM_UNIFORM(scale)  lam_init_make (LAM_INIT_UNIFORM, (double)(scale))
#define LAM_DEFAULT_INIT    lam_init_make (LAM_INIT_DEFAULT, 1.0)

/** A spec with everything else at its default. */
static inline lam_var_spec
lam_var_spec_make (lam_shape shape, lam_init init)
{
  lam_var_spec spec;
  spec.struct_size = (uint32_t)sizeof spec;
  spec.collections = 0;
  spec.shape = shape;
  spec.init = init;
  spec.dtype = LAM_DTYPE_NONE;
  spec.n_in_axes = spec.n_out_axes = spec.n_sharding = 0;
  for (int i = 0; i < LAM_MAX_RANK; i++)
    spec.in_axes[i] = spec.out_axes[i] = spec.sharding[i] = -1;
  return spec;
}

/** Declares a trainable variable. */
static inline lam_var
lam_create_variable (lam_setup *s, const char *name, lam_shape shape, lam_init init)
{
  lam_var_spec spec = lam_var_spec_make (shape, init);
  return s->api->create_variable (s, name, &spec);
}

/** Declares a variable by its full spec. */
static inline lam_var
lam_create_variable_spec (lam_setup *s, const char *name, const lam_var_spec *spec)
{
  return s->api->create_variable (s, name, spec);
}

/** Creates a child layer. */
static inline lam_child
lam_create_child (lam_setup *s, const char *name, lam_child_config config)
{
  return s->api->create_child (s, LAM_KIND_LAYER, name, config, 0);
}

/** Creates element index of a list of child configs as "<name>_<index>": give that name yourself. */
static inline lam_child
lam_create_child_at (lam_setup *s, const char *name, lam_child_config config, uint32_t index)
{
  return s->api->create_child (s, LAM_KIND_LAYER, name, config, index);
}

static inline lam_child
lam_create_optimizer (lam_setup *s, const char *name, lam_child_config config)
{
  return s->api->create_child (s, LAM_KIND_OPTIMIZER, name, config, 0);
}

static inline lam_child
lam_create_schedule (lam_setup *s, const char *name, lam_child_config config)
{
  return s->api->create_child (s, LAM_KIND_SCHEDULE, name, config, 0);
}

static inline lam_child_config
lam_config_new (lam_setup *s, const char *type)
{
  return s->api->config_new (s, type);
}

/* Decimal text of an integer, so that plugins need no libc formatting; buffer of 24 bytes. */
static inline const char *
lam_format_int (char buffer[24], int64_t value)
{
  uint64_t u = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  char *p = buffer + 23;
  *p = '\0';
  do {
    *--p = (char)('0' + u % 10);
    u /= 10;
  } while (u != 0);
  if (value < 0)
    *--p = '-';
  return p;
}

static inline void
lam_config_set_int (lam_setup *s, lam_child_config config, const char *key, int64_t value)
{
  char buffer[24];
  s->api->config_set (s, config, key, lam_format_int (buffer, value));
}

static inline void
lam_config_set_bool (lam_setup *s, lam_child_config config, const char *key, bool value)
{
  s->api->config_set (s, config, key, value ? "true" : "false");
}

static inline void
lam_config_default_int (lam_setup *s, lam_child_config config, const char *key, int64_t value)
{
  char buffer[24];
  s->api->config_default (s, config, key, lam_format_int (buffer, value));
}

static inline void
lam_setup_fail (lam_setup *s, const char *message)
{
  s->api->fail (s, LAM_E_INVALID, message);
}

#ifdef __cplusplus
}
#endif
#endif
