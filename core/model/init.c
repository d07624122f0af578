/* SPDX-License-Identifier: Apache-2.0 */
/* Initial variables as a traced function of one key. Keys: semantics of Lingvo-JAX's
 * instantiate_variables; draws: its init_var (sdk/lamina/fields.h lists the formulas). */
#include "core/model/private.h"

#include <math.h>
#include <string.h>

/* --- keys ----------------------------------------------------------------------------------------- */

uint32_t
lm_path_seed (const char *path)
{
  g_autoptr (GChecksum) md5 = g_checksum_new (G_CHECKSUM_MD5);
  guint8 digest[16];
  gsize n = sizeof digest;
  uint64_t rest = 0;
  g_checksum_update (md5, (const guchar *)path, -1);
  g_checksum_get_digest (md5, digest, &n);
  for (gsize i = 0; i < n; i++)
    rest = (rest * 256 + digest[i]) % 2147483647u;
  return (uint32_t)rest;
}

static lam_tensor
u32_scalar (lam_trace *t, uint32_t value)
{
  return lam_full_bits (t, LAM_U32, LAM_SCALAR, value);
}

/* Length of the name without "_<number>", and that number, -1 without one. */
static size_t
list_stem (const char *name, int64_t *out_index)
{
  const char *p = name + strlen (name);
  while (p > name && g_ascii_isdigit (p[-1]))
    p--;
  bool element = *p != '\0' && p > name + 1 && p[-1] == '_';
  *out_index = element ? g_ascii_strtoll (p, NULL, 10) : -1;
  return element ? (size_t)(p - 1 - name) : strlen (name);
}

/* Flatten order: keys bytewise, and name_0, name_1 ... name_10 as the elements of the list `name`. */
static gint
by_name (gconstpointer a, gconstpointer b)
{
  const char *x = (*(LmLayer *const *)a)->name, *y = (*(LmLayer *const *)b)->name;
  int64_t i, j;
  size_t n = list_stem (x, &i), m = list_stem (y, &j);
  int order = memcmp (x, y, MIN (n, m));
  if (order != 0 || n != m)
    return order != 0 ? order : (n > m) - (n < m);
  return (i > j) - (i < j);
}

/* --- values ----------------------------------------------------------------------------------------- */

static double
product (const lam_shape *shape, const int32_t *axes, int32_t n)
{
  double p = 1;
  for (int32_t i = 0; i < n; i++)
    p *= (double)shape->dims[axes[i]];
  return p;
}

static bool
listed (const int32_t *axes, int32_t n, int32_t axis)
{
  for (int32_t i = 0; i < n; i++)
    if (axes[i] == axis)
      return true;
  return false;
}

void
lm_var_fans (const lam_var_spec *spec, double *fan_in, double *fan_out)
{
  const lam_shape *shape = &spec->shape;
  int32_t in = shape->rank - 2, out = shape->rank - 1;
  *fan_in = *fan_out = shape->rank == 1 ? (double)shape->dims[0] : 1;
  if (shape->rank < 2)
    return;
  const int32_t *in_axes = spec->n_in_axes > 0 ? spec->in_axes : &in;
  const int32_t *out_axes = spec->n_out_axes > 0 ? spec->out_axes : &out;
  int32_t n_in = MAX (spec->n_in_axes, 1), n_out = MAX (spec->n_out_axes, 1);
  double receptive = 1;
  for (int32_t i = 0; i < shape->rank; i++)
    if (!listed (in_axes, n_in, i) && !listed (out_axes, n_out, i))
      receptive *= (double)shape->dims[i];
  *fan_in = product (shape, in_axes, n_in) * receptive;
  *fan_out = product (shape, out_axes, n_out) * receptive;
}

typedef enum { DRAW_CONSTANT, DRAW_GAUSSIAN, DRAW_UNIFORM, DRAW_TRUNCATED } Draw;

/* What to draw, and the factor on it. */
static Draw
plan_draw (const lam_var_spec *spec, double *factor)
{
  const lam_shape *shape = &spec->shape;
  double in, out, first = shape->rank > 0 ? (double)shape->dims[0] : 1, lead = 1;
  lm_var_fans (spec, &in, &out);
  for (int32_t i = 0; i + 1 < shape->rank; i++)
    lead *= (double)shape->dims[i];
  static const Draw draws[] = {
      [LAM_INIT_CONSTANT] = DRAW_CONSTANT,
      [LAM_INIT_GAUSSIAN] = DRAW_GAUSSIAN,
      [LAM_INIT_UNIFORM] = DRAW_UNIFORM,
      [LAM_INIT_TRUNCATED_GAUSSIAN] = DRAW_TRUNCATED,
      [LAM_INIT_XAVIER] = DRAW_UNIFORM,
      [LAM_INIT_GAUSSIAN_SQRT_DIM] = DRAW_GAUSSIAN,
      [LAM_INIT_GAUSSIAN_SQRT_FANIN] = DRAW_GAUSSIAN,
      [LAM_INIT_GAUSSIAN_SQRT_FANOUT] = DRAW_GAUSSIAN,
      [LAM_INIT_GAUSSIAN_SQRT_FANAVG] = DRAW_GAUSSIAN,
      [LAM_INIT_UNIFORM_SQRT_DIM] = DRAW_UNIFORM,
      [LAM_INIT_UNIFORM_SQRT_FANIN] = DRAW_UNIFORM,
      [LAM_INIT_UNIFORM_SQRT_FANOUT] = DRAW_UNIFORM,
      [LAM_INIT_TRUNCATED_SQRT_DIM] = DRAW_TRUNCATED,
      [LAM_INIT_TRUNCATED_SQRT_FANIN] = DRAW_TRUNCATED,
      [LAM_INIT_TRUNCATED_SQRT_FANOUT] = DRAW_TRUNCATED,
      [LAM_INIT_UNIFORM_UNIT_SCALING] = DRAW_UNIFORM,
      [LAM_INIT_UNIFORM_SQRT_FANAVG] = DRAW_UNIFORM,
      [LAM_INIT_DELTA_ORTHOGONAL] = DRAW_GAUSSIAN,
  };
  const double scales[] = {
      [LAM_INIT_CONSTANT] = 1,
      [LAM_INIT_GAUSSIAN] = 1,
      [LAM_INIT_UNIFORM] = 1,
      [LAM_INIT_TRUNCATED_GAUSSIAN] = 1,
      [LAM_INIT_XAVIER] = sqrt (6 / (in + out)),
      [LAM_INIT_GAUSSIAN_SQRT_DIM] = 1 / sqrt (first),
      [LAM_INIT_GAUSSIAN_SQRT_FANIN] = 1 / sqrt (in),
      [LAM_INIT_GAUSSIAN_SQRT_FANOUT] = 1 / sqrt (out),
      [LAM_INIT_GAUSSIAN_SQRT_FANAVG] = sqrt (2 / (in + out)),
      [LAM_INIT_UNIFORM_SQRT_DIM] = 1 / sqrt (first),
      [LAM_INIT_UNIFORM_SQRT_FANIN] = 1 / sqrt (in),
      [LAM_INIT_UNIFORM_SQRT_FANOUT] = 1 / sqrt (out),
      [LAM_INIT_TRUNCATED_SQRT_DIM] = 1 / sqrt (first),
      [LAM_INIT_TRUNCATED_SQRT_FANIN] = 1 / sqrt (in),
      [LAM_INIT_TRUNCATED_SQRT_FANOUT] = 1 / sqrt (out),
      [LAM_INIT_UNIFORM_UNIT_SCALING] = sqrt (3 / MAX (1, lead)),
      [LAM_INIT_UNIFORM_SQRT_FANAVG] = sqrt (6 / (in + out)),
      [LAM_INIT_DELTA_ORTHOGONAL] = 1,
  };
  *factor = spec->init.scale * scales[spec->init.method];
  return draws[spec->init.method];
}

static lam_tensor
draw (lam_trace *t, lam_key key, lam_shape shape, lam_dtype dtype, Draw what)
{
  const double cut[2] = {-2, 2}, unit[2] = {-1, 1};
  switch (what) {
  case DRAW_GAUSSIAN:
    return lam_normal (t, key, shape, dtype);
  case DRAW_TRUNCATED:
    return lam_truncated_normal (t, key, shape, dtype, cut);
  default:
    return lam_uniform_range (t, key, shape, dtype, unit);
  }
}

/* prefix, then shape. */
static lam_shape
stacked (const lam_shape *prefix, const lam_shape *shape)
{
  lam_shape all = *prefix;
  for (int32_t i = 0; i < shape->rank; i++)
    all.dims[all.rank++] = shape->dims[i];
  return all;
}

lam_tensor
lm_var_init_value (lam_trace *t, lam_key key, const lam_var_spec *spec, const lam_shape *prefix,
                   const char *path)
{
  double factor;
  Draw what = plan_draw (spec, &factor);
  lam_shape shape = stacked (prefix, &spec->shape);
  if (what == DRAW_CONSTANT)
    return lam_full (t, spec->dtype, shape, factor);
  if (!lam_dtype_is_float (spec->dtype)) {
    lm_trace_failf ((LmTrace *)t, LM_ERROR_INVALID,
                    "variable %s: a random start wants a float dtype, this is %s; use LAM_CONSTANT",
                    path, lam_dtype_name (spec->dtype));
    return lam_nil ();
  }
  if (spec->init.method == LAM_INIT_DELTA_ORTHOGONAL && spec->shape.rank >= 2)
    return lm_delta_orthogonal (t, key, spec, prefix);
  return lam_mul_scalar (t, draw (t, key, shape, spec->dtype, what), factor);
}

/* Children first (by name), then own variables in the order of creation. */
static void
init_layer (lam_trace *t, const LmLayer *layer, lam_key key, lam_tensor *values)
{
  if (layer->share != NULL) /* the first layer of the group starts them */
    return;
  g_autoptr (GPtrArray) children = g_ptr_array_new ();
  for (guint i = 0; i < layer->children->len; i++)
    if (strcmp (((LmLayer *)layer->children->pdata[i])->provided->kind, LAM_KIND_LAYER) == 0)
      g_ptr_array_add (children, layer->children->pdata[i]);
  g_ptr_array_sort (children, by_name);
  guint n = MAX (children->len, layer->var_ids->len) + 1;
  g_autofree lam_key *keys = g_new0 (lam_key, n);
  lam_split (t, key, children->len + 1, keys);
  key = keys[0];
  for (guint i = 0; i < children->len && lam_is_ok (t); i++)
    init_layer (t, children->pdata[i], keys[i + 1], values);
  lam_split (t, key, layer->var_ids->len + 1, keys);
  for (guint i = 0; i < layer->var_ids->len && lam_is_ok (t); i++) {
    guint id = GPOINTER_TO_UINT (layer->var_ids->pdata[i]);
    const Var *var = layer->model->vars->pdata[id - 1];
    g_autofree char *path = g_strdup_printf ("%s.%s", layer->path, var->name);
    lam_key own = lam_fold_in (t, keys[i + 1], u32_scalar (t, lm_path_seed (path)));
    values[id - 1] = lm_var_init_value (t, own, &var->spec, &var->prefix, var->path);
  }
}

LmFunction *
lm_model_init_function (LmModel *model, GError **error)
{
  g_autoptr (LmTrace) trace = lm_model_trace (model, "init");
  lam_trace *t = lm_trace_pub (trace);
  guint n = model->vars->len;
  g_autofree lam_tensor *values = g_new0 (lam_tensor, n + 1);
  g_autofree lam_tensor *results = g_new0 (lam_tensor, n + 1);
  lam_type key_type = lm_type (LAM_U32, 1, (int64_t[]) {2});
  lam_key key = {lm_trace_param (trace, &key_type)};
  init_layer (t, model->root, key, values);
  for (guint i = 0; i < n; i++)
    results[i] = values[model->order[i] - 1];
  return lm_trace_finish (trace, results, n, error);
}
