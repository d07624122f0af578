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
#define LAM_REQUIRES_SUM_SYNC            (1u << 2) /**< over replicas: old + sum (new - old) */
#define LAM_SKIP_LP_REGULARIZATION       (1u << 3) /**< no L1, L2 or decoupled decay */
#define LAM_DISALLOW_BFLOAT16_CONVERSION (1u << 4) /**< never cast to fprop_dtype */
#define LAM_OVERWRITE_WITH_GRADIENT      (1u << 5) /**< new value = its gradient */
/**@}*/

/** A variable to be declared. Fill with lam_var_spec_make, then change what differs. */
typedef struct lam_var_spec {
  uint32_t struct_size;
  uint32_t collections; /**< LAM_NON_TRAINABLE ... */
  lam_shape shape;      /**< dims >= 1 */
  lam_init init;        /**< method 0: the layer's params_init if its config has one, else xavier */
  lam_dtype dtype;      /**< LAM_DTYPE_NONE: the layer's, which inherits the parent's */
  int32_t n_in_axes;    /**< fan axes; 0: the last but one is in, the last out, others receptive */
  int32_t n_out_axes;   /**< as n_in_axes */
  int32_t n_sharding;   /**< 0: unsharded */
  int32_t in_axes[LAM_MAX_RANK];  /**< axes that fan_in multiplies */
  int32_t out_axes[LAM_MAX_RANK]; /**< axes that fan_out multiplies */
  int32_t sharding[LAM_MAX_RANK]; /**< mesh axis of each dim, -1 none */
} lam_var_spec;

/** The object handed to setup; its one public member is the table of what it can do. */
typedef struct lam_setup {
  const struct lam_setup_api *api; /**< never NULL */
} lam_setup;

/** What setup can do. The host fills it; test members newer than ABI 1.0 with LAM_HAS. */
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
  /** True if the config has the key, be it from its author or from config_set. */
  bool (*config_has) (lam_setup *s, lam_child_config config, const char *key);
  /** Sets the sticky error: a value that the field table could not refuse. */
  void (*fail) (lam_setup *s, lam_status status, const char *message);
  /** The dtype of the layer's variables (config key "dtype", else the parent's). */
  lam_dtype (*dtype) (lam_setup *s);
  /** The layer's name; valid as long as the layer. */
  const char *(*name) (lam_setup *s);
  /** An extension table of the host by id ("lamina.host.regex/1"), or NULL. */
  const void *(*get_extension) (lam_setup *s, const char *id);
  /** Calls fn (data) when the layer goes, also after a setup that failed; the last one first. */
  void (*on_free) (lam_setup *s, void (*fn) (void *data), void *data);
} lam_setup_api;

/** An initialiser of LAM_INIT_*. */
static inline lam_init
lam_init_make (int32_t method, double scale)
{
  lam_init init;
  init.method = method;
  init.reserved = 0;
  init.scale = scale;
  return init;
}

/** @name Initialisers for lam_create_variable */
/**@{*/
/** Uniform in +-sqrt (6 / (fan_in + fan_out)). */
#define LAM_XAVIER lam_init_make (LAM_INIT_XAVIER, 1.0)
/** Orthogonal at the centre of the leading dims: see LAM_INIT_DELTA_ORTHOGONAL. */
#define LAM_DELTA_ORTHOGONAL(scale) lam_init_make (LAM_INIT_DELTA_ORTHOGONAL, (double)(scale))
/** Every element is value. */
#define LAM_CONSTANT(value) lam_init_make (LAM_INIT_CONSTANT, (double)(value))
/** scale * N (0, 1). */
#define LAM_GAUSSIAN(scale) lam_init_make (LAM_INIT_GAUSSIAN, (double)(scale))
/** scale * U (-1, 1). */
#define LAM_UNIFORM(scale) lam_init_make (LAM_INIT_UNIFORM, (double)(scale))
/** The layer's params_init, else xavier. */
#define LAM_DEFAULT_INIT lam_init_make (LAM_INIT_DEFAULT, 1.0)
/**@}*/

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

/** Creates a child of kind optimizer, for the optimizer_* members of a trace. */
static inline lam_child
lam_create_optimizer (lam_setup *s, const char *name, lam_child_config config)
{
  return s->api->create_child (s, LAM_KIND_OPTIMIZER, name, config, 0);
}

/** Creates a child of kind schedule, for schedule_value of a trace. */
static inline lam_child
lam_create_schedule (lam_setup *s, const char *name, lam_child_config config)
{
  return s->api->create_child (s, LAM_KIND_SCHEDULE, name, config, 0);
}

/** Element index of a list of schedule configs; names as for lam_create_child_at. */
static inline lam_child
lam_create_schedule_at (lam_setup *s, const char *name, lam_child_config config, uint32_t index)
{
  return s->api->create_child (s, LAM_KIND_SCHEDULE, name, config, index);
}

/** A config {"type": type} of a child that no config names; change it with lam_config_set_*,
 * then create. */
static inline lam_child_config
lam_config_new (lam_setup *s, const char *type)
{
  return s->api->config_new (s, type);
}

/** Decimal text of an integer, so that plugins need no libc formatting; buffer of 24 bytes. */
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

/** Sets a key of a config that lam_config_new or config_copy gave. */
static inline void
lam_config_set_int (lam_setup *s, lam_child_config config, const char *key, int64_t value)
{
  char buffer[24];
  s->api->config_set (s, config, key, lam_format_int (buffer, value));
}

/** As lam_config_set_int. */
static inline void
lam_config_set_bool (lam_setup *s, lam_child_config config, const char *key, bool value)
{
  s->api->config_set (s, config, key, value ? "true" : "false");
}

/** Sets a key only where the config does not have it. */
static inline void
lam_config_default_int (lam_setup *s, lam_child_config config, const char *key, int64_t value)
{
  char buffer[24];
  s->api->config_default (s, config, key, lam_format_int (buffer, value));
}

/** JSON text of a number, whatever the locale's decimal point; buffer of 64 bytes. */
static inline const char *
lam_format_float (char buffer[64], double value)
{
  char text[48];
  uint32_t n = 0;
  if (value != value || value - value != 0)
    return value != value ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
  __builtin_snprintf (text, sizeof text, "%.17g", value);
  for (const char *p = text; *p != '\0'; p++) {
    bool plain = (*p >= '0' && *p <= '9') || *p == '-' || *p == '+' || *p == 'e';
    if (plain || n == 0 || buffer[n - 1] != '.') /* a point may have several bytes */
      buffer[n++] = plain ? *p : '.';
  }
  buffer[n] = '\0';
  return buffer;
}

/** As lam_config_set_int; infinities and NaN become "inf", "-inf" and "nan". */
static inline void
lam_config_set_float (lam_setup *s, lam_child_config config, const char *key, double value)
{
  char buffer[64];
  s->api->config_set (s, config, key, lam_format_float (buffer, value));
}

/** An initialiser; method 0 sets nothing, so that the child's own default applies. */
static inline void
lam_config_set_init (lam_setup *s, lam_child_config config, const char *key, lam_init init)
{
  /* clang-format off */
  static const char *const names[] = { /* by LAM_INIT_* - 1 */
    "constant", "gaussian", "uniform", "truncated_gaussian", "xavier", "gaussian_sqrt_dim",
    "gaussian_sqrt_fanin", "gaussian_sqrt_fanout", "gaussian_sqrt_fanavg", "uniform_sqrt_dim",
    "uniform_sqrt_fanin", "uniform_sqrt_fanout", "truncated_gaussian_sqrt_dim",
    "truncated_gaussian_sqrt_fanin", "truncated_gaussian_sqrt_fanout", "uniform_unit_scaling",
    "uniform_sqrt_fanavg", "delta_orthogonal"};
  /* clang-format on */
  char text[160], number[64];
  if (init.method == LAM_INIT_DEFAULT)
    return;
  if (init.method < 1 || init.method > (int32_t)(sizeof names / sizeof names[0])) {
    s->api->fail (s, LAM_E_INVALID, "lam_config_set_init: unknown initialiser");
    return;
  }
  __builtin_snprintf (text, sizeof text, "{\"method\": \"%s\", \"scale\": %s}",
                      names[init.method - 1], lam_format_float (number, init.scale));
  s->api->config_set (s, config, key, text);
}

/** Sets the sticky error LAM_E_INVALID: say which field has which value, and what was wanted. */
static inline void
lam_setup_fail (lam_setup *s, const char *message)
{
  s->api->fail (s, LAM_E_INVALID, message);
}

#ifdef __cplusplus
}
#endif
#endif
