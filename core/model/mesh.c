/* SPDX-License-Identifier: Apache-2.0 */
/* The device mesh of a config, and the partition spec of each variable over it (semantics 1.7:
 * to_partition_spec, var_partition_specs, shard_on_batch_dim_partition_spec). */
#include "core/model/private.h"

#include <string.h>

typedef struct MeshKeys {
  lam_strings axis_names;
  lam_ints shape;
} MeshKeys;

static void
declare_mesh (lam_fields *lam_f_)
{
  typedef MeshKeys lam_self_;
  LAM_STRINGS (axis_names, NULL, "Names of the mesh's axes."), LAM_REQUIRED;
  LAM_INTS (shape, NULL, "Devices along each axis."), LAM_REQUIRED, LAM_MIN (1);
}

void
lm_mesh_free (LmMesh *mesh)
{
  for (guint i = 0; mesh != NULL && i < mesh->n; i++)
    g_free (mesh->names[i]);
  g_free (mesh);
}

static int
axis_by_name (const LmMesh *mesh, const char *name)
{
  for (guint i = 0; i < mesh->n; i++)
    if (strcmp (mesh->names[i], name) == 0)
      return (int)i;
  return -1;
}

static LmMesh *
mesh_new (const MeshKeys *keys, GError **error)
{
  LmMesh *mesh = g_new0 (LmMesh, 1);
  bool good =
      keys->axis_names.n == keys->shape.n && keys->shape.n > 0 && keys->shape.n <= LM_MESH_AXES;
  for (uint64_t i = 0; good && i < keys->shape.n; i++) {
    good =
        lm_nest_check_key (keys->axis_names.p[i]) && axis_by_name (mesh, keys->axis_names.p[i]) < 0;
    mesh->names[mesh->n] = g_strdup (keys->axis_names.p[i]);
    mesh->sizes[mesh->n++] = keys->shape.p[i];
  }
  if (good)
    return mesh;
  lm_mesh_free (mesh);
  g_set_error (
      error, LM_ERROR, LM_ERROR_INVALID,
      "config: mesh: wanted as many axis_names, all different, as numbers in shape, 1 to %d; "
      "got %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT,
      LM_MESH_AXES, keys->axis_names.n, keys->shape.n);
  return NULL;
}

LmMesh *
lm_mesh_read (JsonObject *config, GError **error)
{
  LmFieldTable *table = lm_field_table_new ("mesh", declare_mesh, sizeof (MeshKeys), error);
  if (table == NULL)
    return NULL;
  LmParams *params = lm_params_new (table, config, NULL, "config.mesh", error);
  MeshKeys keys = {0};
  if (params != NULL)
    lm_params_fill (params, &keys);
  LmMesh *mesh = params != NULL ? mesh_new (&keys, error) : NULL;
  lm_params_free (params); /* it reads the table when it goes */
  lm_field_table_free (table);
  return mesh;
}

/* --- one variable -------------------------------------------------------------------------------- */

/* Where the problems of one variable go; mesh NULL: axes are not looked up. */
typedef struct Reader {
  const Var *var;
  const LmMesh *mesh;
  LmPartition *out;
  GString *report;
} Reader;

static void G_GNUC_PRINTF (3, 4) problem (Reader *r, int32_t dim, const char *format, ...)
{
  va_list args;
  g_string_append_printf (r->report, "\n  dim %d: ", dim);
  va_start (args, format);
  g_string_append_vprintf (r->report, format, args);
  va_end (args);
}

static void
add_axis (Reader *r, int32_t dim, int64_t axis)
{
  LmDimSpec *spec = &r->out->dims[dim];
  if (axis < 0 || r->mesh == NULL)
    return;
  if (axis >= r->mesh->n) {
    problem (r, dim, "mesh axis %" G_GINT64_FORMAT " is not one of the mesh's %u", axis,
             r->mesh->n);
    return;
  }
  for (int32_t i = 0; i < r->out->rank; i++)
    for (guint k = 0; k < r->out->dims[i].n; k++)
      if (r->out->dims[i].axes[k] == axis) {
        problem (r, dim, "mesh axis %s is taken by dim %d", r->mesh->names[axis], i);
        return;
      }
  spec->axes[spec->n++] = (guint8)axis;
}

static void
add_name (Reader *r, int32_t dim, const char *name)
{
  int axis = r->mesh != NULL ? axis_by_name (r->mesh, name) : -1;
  if (axis >= 0)
    add_axis (r, dim, axis);
  else if (r->mesh != NULL) {
    const char *known[LM_MESH_AXES + 1] = {NULL};
    for (guint i = 0; i < r->mesh->n; i++)
      known[i] = r->mesh->names[i];
    problem (r, dim, "\"%s\" is not an axis of the mesh", name);
    lm_append_did_you_mean (r->report, name, known);
  }
}

/* One element of a mapping: null, number, name, or a list of them (deeper lists are refused). */
static void
add_node (Reader *r, int32_t dim, JsonNode *node, bool nested)
{
  GType type = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_NONE;
  if (type == G_TYPE_INT64)
    add_axis (r, dim, json_node_get_int (node));
  else if (type == G_TYPE_STRING)
    add_name (r, dim, json_node_get_string (node));
  else if (JSON_NODE_HOLDS_ARRAY (node) && !nested)
    for (guint i = 0; i < json_array_get_length (json_node_get_array (node)); i++)
      add_node (r, dim, json_array_get_element (json_node_get_array (node), i), true);
  else if (!JSON_NODE_HOLDS_NULL (node))
    problem (r, dim, "wanted the name or number of a mesh axis, a list of them, or null");
}

static void
check_divides (Reader *r, int32_t dim)
{
  int64_t size = r->var->info.type.dims[dim], rest = size;
  bool good = true;
  for (guint k = 0; k < r->out->dims[dim].n; k++) {
    int64_t n = r->mesh->sizes[r->out->dims[dim].axes[k]];
    good = good && rest % n == 0;
    rest /= n;
  }
  if (!good)
    problem (r, dim,
             "its size %" G_GINT64_FORMAT " is not a multiple of the devices it is cut over", size);
}

/* The layer's mapping of own dims: of the config, else of the spec. */
static void
read_own (Reader *r, JsonNode *mapping)
{
  const Var *var = r->var;
  int32_t first = var->prefix.rank, rank = var->spec.shape.rank;
  r->out->given = mapping != NULL || var->spec.n_sharding > 0;
  if (mapping == NULL) {
    for (int32_t i = 0; i < MIN (var->spec.n_sharding, rank); i++)
      add_axis (r, first + i, var->spec.sharding[i]);
    return;
  }
  JsonArray *list = JSON_NODE_HOLDS_ARRAY (mapping) ? json_node_get_array (mapping) : NULL;
  if (list == NULL || json_array_get_length (list) != (guint)rank) {
    g_string_append_printf (
        r->report, "\n  weight_split_dims_mapping: wanted a list of %d elements, one a dim", rank);
    return;
  }
  for (int32_t i = 0; i < rank; i++)
    add_node (r, first + i, json_array_get_element (list, (guint)i), false);
}

void
lm_var_partition (Var *var, GString *report)
{
  const LmLayer *layer = var->layer;
  Reader r = {var, layer->model->mesh, &var->partition, report};
  JsonObject *mappings = layer->weight_split_dims_mapping;
  JsonNode *mapping = mappings != NULL ? json_object_get_member (mappings, var->name) : NULL;
  var->partition.rank = var->info.type.rank;
  for (int32_t i = 0; i < var->prefix.rank; i++)
    add_axis (&r, i, layer->repeat_sharding[i]);
  read_own (&r, mapping != NULL && !JSON_NODE_HOLDS_NULL (mapping) ? mapping : NULL);
  for (int32_t i = 0; i < var->partition.rank; i++)
    check_divides (&r, i);
}

bool
lm_split_check (const LmLayer *layer, GError **error)
{
  if (layer->weight_split_dims_mapping == NULL)
    return true;
  g_autoptr (GString) report = g_string_new (NULL);
  g_autoptr (GPtrArray) known = g_ptr_array_new ();
  g_autoptr (GList) names = json_object_get_members (layer->weight_split_dims_mapping);
  for (guint i = 0; i < layer->var_ids->len; i++) {
    const Var *var = layer->model->vars->pdata[GPOINTER_TO_UINT (layer->var_ids->pdata[i]) - 1];
    g_ptr_array_add (known, var->name);
  }
  g_ptr_array_add (known, NULL);
  for (GList *n = names; n != NULL; n = n->next)
    if (!g_strv_contains ((const char *const *)known->pdata, n->data)) {
      g_string_append_printf (report, "\n  %s is not a variable of this layer", (char *)n->data);
      lm_append_did_you_mean (report, n->data, (const char *const *)known->pdata);
    }
  if (report->len > 0)
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%s: weight_split_dims_mapping:%s", layer->path,
                 report->str);
  return report->len == 0;
}

/* --- reading -------------------------------------------------------------------------------------- */

LmPartition
lm_mesh_batch_partition (const LmMesh *mesh, int32_t rank)
{
  LmPartition p = {.given = true, .rank = rank};
  for (guint i = 0; rank > 0 && i < mesh->n; i++)
    p.dims[0].axes[p.dims[0].n++] = (guint8)i;
  return p;
}

char *
lm_partition_to_text (const LmPartition *partition, const LmMesh *mesh)
{
  GString *out = g_string_new ("[");
  for (int32_t i = 0; i < partition->rank; i++) {
    const LmDimSpec *dim = &partition->dims[i];
    g_string_append_printf (out, "%s%s", i > 0 ? ", " : "",
                            dim->n == 0   ? "null"
                            : dim->n == 1 ? ""
                                          : "[");
    for (guint k = 0; k < dim->n; k++)
      g_string_append_printf (out, "%s\"%s\"", k > 0 ? ", " : "", mesh->names[dim->axes[k]]);
    g_string_append (out, dim->n > 1 ? "]" : "");
  }
  return g_string_free (g_string_append (out, "]"), FALSE);
}

const LmMesh *
lm_model_mesh (const LmModel *model)
{
  return model->mesh;
}

const LmPartition *
lm_model_var_partition (const LmModel *model, guint i)
{
  return &((const Var *)model->vars->pdata[i])->partition;
}
