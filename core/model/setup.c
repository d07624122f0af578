/* SPDX-License-Identifier: Apache-2.0 */
/* What setup functions call: variables, children and their configs. */
#include "core/model/private.h"

#include <string.h>

/* Config ids: 1 + field index of the config itself, or NEW_CONFIG + index of layer->configs. */
#define NEW_CONFIG 100000u

static LmSetup *
self (lam_setup *s)
{
  return (LmSetup *)s;
}

static void G_GNUC_PRINTF (2, 3) failf (LmSetup *s, const char *format, ...)
{
  if (s->error != NULL)
    return;
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  s->error = g_error_new (LM_ERROR, LM_ERROR_INVALID, "%s (%s): %s", s->layer->path,
                          s->layer->provided->id, text);
}

static void
setup_fail (lam_setup *pub, lam_status status, const char *message)
{
  LmSetup *s = self (pub);
  failf (s, "%s", message != NULL ? message : "setup failed and gave no message");
  if (s->error != NULL)
    s->error->code = (gint)lm_error_from_status (status);
}

/* --- variables ---------------------------------------------------------------------------------- */

static bool
name_taken (const LmLayer *layer, const char *name)
{
  for (guint i = 0; i < layer->children->len; i++)
    if (strcmp (((LmLayer *)layer->children->pdata[i])->name, name) == 0)
      return true;
  for (guint i = 0; i < layer->var_ids->len; i++) {
    const Var *var = layer->model->vars->pdata[GPOINTER_TO_UINT (layer->var_ids->pdata[i]) - 1];
    if (strcmp (var->name, name) == 0)
      return true;
  }
  return false;
}

/* Setup is where a layer is made: what comes later finds it closed (semantics 1.3). */
static bool
is_open (LmSetup *s)
{
  if (!s->open)
    failf (s, "setup is over; variables, children and their configs are made in setup only");
  return s->error == NULL;
}

static bool
check_name (LmSetup *s, const char *what, const char *name)
{
  if (!is_open (s))
    return false;
  if (name == NULL || !lm_nest_check_key (name))
    failf (s, "%s name \"%s\" is not a key ([A-Za-z_][A-Za-z0-9_]*)", what,
           name != NULL ? name : "");
  else if (name_taken (s->layer, name))
    failf (s, "%s name \"%s\" is taken by another variable or child of this layer", what, name);
  return s->error == NULL;
}

static bool
check_axes (const int32_t *axes, int32_t n, int32_t rank)
{
  if (n < 0 || n > LAM_MAX_RANK)
    return false;
  for (int32_t i = 0; i < n; i++)
    if (axes[i] < 0 || axes[i] >= rank)
      return false;
  return true;
}

static void
check_shape (const lam_var_spec *spec, const lam_type *type, GString *report)
{
  int64_t n, bytes;
  bool dims = spec->shape.rank >= 0 && spec->shape.rank <= LAM_MAX_RANK;
  for (int32_t i = 0; dims && i < spec->shape.rank; i++)
    dims = spec->shape.dims[i] >= 1;
  if (dims && lm_type_checked_bytes (type, &n, &bytes))
    return;
  g_autofree char *text = lm_type_to_string (type);
  g_string_append_printf (report, "\n  shape %s wants every dim >= 1 and a size that fits 63 bits",
                          text);
}

static void
check_init (const lam_var_spec *spec, GString *report)
{
  int32_t method = spec->init.method, rank = spec->shape.rank;
  if (method < LAM_INIT_DEFAULT || method > LAM_INIT_DELTA_ORTHOGONAL)
    g_string_append_printf (report, "\n  unknown initialiser %d", method);
  else if (method == LAM_INIT_XAVIER && rank == 0)
    g_string_append (report, "\n  xavier wants at least one dim; say how the number starts");
  else if (method == LAM_INIT_DELTA_ORTHOGONAL && rank > 5)
    g_string_append (report, "\n  delta_orthogonal wants at most 5 dims");
}

static void
check_collections (const lam_var_spec *spec, GString *report)
{
  const uint32_t both = LAM_REQUIRES_MEAN_SYNC | LAM_REQUIRES_SUM_SYNC;
  const uint32_t known = 2 * LAM_OVERWRITE_WITH_GRADIENT - 1;
  if ((spec->collections & both) == both)
    g_string_append (report, "\n  REQUIRES_MEAN_SYNC and REQUIRES_SUM_SYNC exclude each other");
  if ((spec->collections & ~known) != 0)
    g_string_append_printf (report, "\n  unknown collections 0x%x", spec->collections & ~known);
}

/* Variables are those of the model's layers; what learners and optimizers keep are states. */
static bool
is_in_model (const LmLayer *layer)
{
  while (layer != NULL && strcmp (layer->provided->kind, LAM_KIND_LAYER) == 0)
    layer = layer->parent;
  return layer == NULL;
}

/* Everything that is wrong with a variable, in one error. */
static bool
check_spec (LmSetup *s, const char *name, const lam_var_spec *spec, const lam_type *type)
{
  g_autoptr (GString) report = g_string_new (NULL);
  int32_t rank = spec->shape.rank;
  if (!is_in_model (s->layer))
    g_string_append (report, "\n  only layers of the model have variables; a learner keeps its "
                             "states, an optimizer slots, a metric nothing");
  if (lam_dtype_bits (spec->dtype) == 0)
    g_string_append_printf (report, "\n  unknown dtype %d", spec->dtype);
  else
    check_shape (spec, type, report);
  if (!check_axes (spec->in_axes, spec->n_in_axes, rank)
      || !check_axes (spec->out_axes, spec->n_out_axes, rank))
    g_string_append (report, "\n  a fan axis is not an axis of its shape");
  if (spec->n_sharding != 0 && spec->n_sharding != rank)
    g_string_append_printf (report, "\n  %d sharding dims for rank %d", spec->n_sharding, rank);
  check_init (spec, report);
  check_collections (spec, report);
  if (report->len > 0)
    failf (s, "variable %s:%s", name, report->str);
  return s->error == NULL;
}

/* The path without the root's name. */
static char *
var_path (const LmLayer *layer, const char *name)
{
  const char *dot = strchr (layer->path, '.');
  return dot != NULL ? g_strdup_printf ("%s.%s", dot + 1, name) : g_strdup (name);
}

/* The spec with everything resolved that it leaves to the layer. */
static lam_var_spec
whole_spec (const LmLayer *layer, const lam_var_spec *given)
{
  lam_var_spec spec = lam_var_spec_make (LAM_SCALAR, LAM_DEFAULT_INIT);
  memcpy (&spec, given, MIN (given->struct_size, sizeof spec));
  spec.struct_size = sizeof spec;
  if (spec.dtype == LAM_DTYPE_NONE)
    spec.dtype = layer->dtype;
  if (spec.init.method == LAM_INIT_DEFAULT)
    spec.init = layer->params_init;
  if (spec.init.method == LAM_INIT_DEFAULT)
    spec.init = LAM_XAVIER;
  if (layer->skip_lp_regularization)
    spec.collections |= LAM_SKIP_LP_REGULARIZATION;
  return spec;
}

/* Repeat prefix, then shape. */
static lam_type
stored_type (const LmLayer *layer, const lam_var_spec *spec)
{
  lam_type type = lm_type (spec->dtype, layer->repeat_prefix.rank, layer->repeat_prefix.dims);
  for (int32_t i = 0; i < spec->shape.rank && type.rank < LAM_MAX_RANK; i++)
    type.dims[type.rank++] = spec->shape.dims[i];
  return type;
}

static Var *
var_new (LmLayer *layer, const char *name, const lam_var_spec *spec)
{
  Var *var = g_new0 (Var, 1);
  var->spec = *spec;
  var->prefix = layer->repeat_prefix;
  var->layer = layer;
  var->name = g_strdup (name);
  var->path = var_path (layer, name);
  bool trainable = !(spec->collections & LAM_NON_TRAINABLE);
  var->info = (lam_var_info) {sizeof (lam_var_info),
                              spec->collections,
                              var->path,
                              stored_type (layer, spec),
                              trainable && lam_dtype_is_float (spec->dtype),
                              var->prefix.rank};
  return var;
}

static bool
same_axes (const int32_t *a, const int32_t *b, int32_t n)
{
  return n <= 0 || memcmp (a, b, (size_t)n * sizeof *a) == 0;
}

/* Whether two layers may use one variable: its type and how it starts and is trained. */
static bool
same_var (const Var *a, const Var *b)
{
  const lam_var_spec *x = &a->spec, *y = &b->spec;
  return lm_type_equal (&a->info.type, &b->info.type) && a->prefix.rank == b->prefix.rank
         && x->collections == y->collections && x->init.method == y->init.method
         && x->init.scale == y->init.scale && x->n_in_axes == y->n_in_axes
         && x->n_out_axes == y->n_out_axes && same_axes (x->in_axes, y->in_axes, x->n_in_axes)
         && same_axes (x->out_axes, y->out_axes, x->n_out_axes)
         && memcmp (&a->partition, &b->partition, sizeof a->partition) == 0;
}

/* The variable of the layer that `var`'s layer shares with; 0 and the error. */
static guint
shared_id (LmSetup *s, const Var *var)
{
  guint id = 0;
  const Var *first = lm_share_var (s->layer, var->name, &id);
  g_autofree char *wanted = first != NULL ? lm_type_to_string (&first->info.type) : NULL;
  g_autofree char *got = lm_type_to_string (&var->info.type);
  if (first == NULL)
    failf (s, "variable %s: %s, whose variables this layer shares, has none of this name",
           var->name, s->layer->share->path);
  else if (!same_var (first, var))
    failf (s,
           "variable %s is %s here and %s in %s, whose variables this layer shares; shape, dtype, "
           "initialiser, collections and sharding must be the same",
           var->name, got, wanted, s->layer->share->path);
  return s->error == NULL ? id : 0;
}

static lam_var
setup_create_variable (lam_setup *pub, const char *name, const lam_var_spec *given)
{
  LmSetup *s = self (pub);
  lam_var none = {0, 0};
  if (!check_name (s, "variable", name))
    return none;
  if (given == NULL) {
    failf (s, "variable %s: no spec; make one with lam_var_spec_make", name);
    return none;
  }
  lam_var_spec spec = whole_spec (s->layer, given);
  lam_type type = lm_type (spec.dtype, CLAMP (spec.shape.rank, 0, LAM_MAX_RANK), spec.shape.dims);
  if (spec.shape.rank >= 0 && spec.shape.rank + s->layer->repeat_prefix.rank > LAM_MAX_RANK)
    failf (s, "variable %s: %d dims after %d of repeat_prefix; at most %d together", name,
           spec.shape.rank, s->layer->repeat_prefix.rank, LAM_MAX_RANK);
  else if (spec.shape.rank >= 0)
    type = stored_type (s->layer, &spec);
  if (!check_spec (s, name, &spec, &type))
    return none;
  Var *var = var_new (s->layer, name, &spec);
  g_autoptr (GString) report = g_string_new (NULL);
  lm_var_partition (var, report);
  if (report->len > 0)
    failf (s, "variable %s:%s", name, report->str);
  guint id = 0;
  if (s->error == NULL && s->layer->share != NULL)
    id = shared_id (s, var);
  if (s->error != NULL || s->layer->share != NULL) {
    lm_var_free (var);
  } else {
    g_ptr_array_add (s->model->vars, var);
    id = s->model->vars->len;
  }
  if (s->error != NULL)
    return none;
  g_ptr_array_add (s->layer->var_ids, GUINT_TO_POINTER (id));
  return (lam_var) {id, s->model->epoch};
}

/* --- configs ------------------------------------------------------------------------------------- */

/* The config object behind a handle: element `index` of a list, or the one; NULL and the error. */
static JsonObject *
find_config (LmSetup *s, lam_child_config config, uint32_t index)
{
  if (!is_open (s))
    return NULL;
  JsonObject *object = NULL;
  if (config.id >= NEW_CONFIG && config.id - NEW_CONFIG < s->layer->configs->len && index == 0) {
    object = s->layer->configs->pdata[config.id - NEW_CONFIG];
  } else if (config.id != 0 && config.id < NEW_CONFIG
             && config.id <= lm_field_table_size (s->layer->fields)) {
    guint field = config.id - 1;
    int32_t kind = lm_field_table_get (s->layer->fields, field)->kind;
    if (kind == LAM_FIELD_CHILDREN && index < lm_params_children (s->layer->params, field))
      object = lm_params_child (s->layer->params, field, (gint)index);
    else if (kind == LAM_FIELD_CHILD && index == 0)
      object = lm_params_child (s->layer->params, field, -1);
  }
  if (object == NULL)
    failf (s, "a child's config was asked for that is not given (element %u)", index);
  return object;
}

/* A config that the layer made itself, so that it may change it. */
static JsonObject *
own_config (LmSetup *s, lam_child_config config)
{
  if (is_open (s) && (config.id < NEW_CONFIG || config.id - NEW_CONFIG >= s->layer->configs->len))
    failf (s, "a given config cannot be changed; copy it with config_copy first");
  return s->error == NULL ? s->layer->configs->pdata[config.id - NEW_CONFIG] : NULL;
}

static lam_child_config
keep_config (LmSetup *s, JsonObject *object)
{
  g_ptr_array_add (s->layer->configs, object);
  return (lam_child_config) {NEW_CONFIG + s->layer->configs->len - 1, 1};
}

static lam_child_config
setup_config_new (lam_setup *pub, const char *type)
{
  JsonObject *object = json_object_new ();
  json_object_set_string_member (object, "type", type);
  return keep_config (self (pub), object);
}

static lam_child_config
setup_config_copy (lam_setup *pub, lam_child_config config, uint32_t index)
{
  JsonObject *object = find_config (self (pub), config, index);
  return keep_config (self (pub),
                      object != NULL ? lm_json_object_copy (object) : json_object_new ());
}

static void
setup_config_set (lam_setup *pub, lam_child_config config, const char *key, const char *json)
{
  LmSetup *s = self (pub);
  JsonObject *object = own_config (s, config);
  if (object == NULL)
    return;
  g_autoptr (GError) error = NULL;
  /* json-glib wants a container at the top: wrap the value in a list. */
  g_autofree char *wrapped = g_strdup_printf ("[%s]", json);
  g_autoptr (JsonNode) node =
      lm_json_parse (wrapped, strlen (wrapped), LM_JSON_STRICT, key, &error);
  if (node == NULL || json_array_get_length (json_node_get_array (node)) != 1) {
    failf (s, "config key %s: \"%s\" is not one JSON value", key, json);
    return;
  }
  JsonNode *value = json_array_get_element (json_node_get_array (node), 0);
  json_object_set_member (object, key, json_node_copy (value));
}

static void
setup_config_set_config (lam_setup *pub, lam_child_config config, const char *key,
                         lam_child_config value)
{
  LmSetup *s = self (pub);
  JsonObject *object = own_config (s, config), *child = find_config (s, value, 0);
  if (object != NULL && child != NULL)
    json_object_set_object_member (object, key, lm_json_object_copy (child));
}

static bool
setup_config_has (lam_setup *pub, lam_child_config config, const char *key)
{
  LmSetup *s = self (pub);
  JsonObject *object = config.id != 0 ? find_config (s, config, 0) : NULL;
  return object != NULL && json_object_has_member (object, key);
}

static void
setup_config_default (lam_setup *pub, lam_child_config config, const char *key, const char *json)
{
  if (!setup_config_has (pub, config, key))
    setup_config_set (pub, config, key, json);
}

/* --- children --------------------------------------------------------------------------------------- */

static lam_child
setup_create_child (lam_setup *pub, const char *kind, const char *name, lam_child_config config,
                    uint32_t index)
{
  LmSetup *s = self (pub);
  lam_child none = {0, 0};
  JsonObject *object = check_name (s, "child", name) ? find_config (s, config, index) : NULL;
  if (object == NULL)
    return none;
  GError *problem = NULL; /* setup goes on, so that all children's problems come in one report */
  LmLayer *child = lm_layer_build (s->model, s->layer, kind, name, object, &problem);
  lm_error_join (&s->children, problem);
  return child != NULL ? (lam_child) {child->id, s->model->epoch} : none;
}

static lam_dtype
setup_dtype (lam_setup *pub)
{
  return self (pub)->layer->dtype;
}

static const char *
setup_name (lam_setup *pub)
{
  return self (pub)->layer->name;
}

static const void *
setup_get_extension (lam_setup *pub, const char *id)
{
  const lam_host *host = self (pub)->model->tables->host;
  return host->get_extension (host, id);
}

static void
setup_on_free (lam_setup *pub, void (*fn) (void *data), void *data)
{
  LmOnFree call = {fn, data};
  g_array_append_val (self (pub)->layer->on_free, call);
}

const lam_setup_api lm_setup_api = {
    .struct_size = sizeof (lam_setup_api),
    .create_variable = setup_create_variable,
    .create_child = setup_create_child,
    .config_new = setup_config_new,
    .config_copy = setup_config_copy,
    .config_set = setup_config_set,
    .config_set_config = setup_config_set_config,
    .config_default = setup_config_default,
    .config_has = setup_config_has,
    .fail = setup_fail,
    .dtype = setup_dtype,
    .name = setup_name,
    .get_extension = setup_get_extension,
    .on_free = setup_on_free,
};
