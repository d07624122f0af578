/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and reading input plugins. */
#include "core/program/input.h"

#include "core/plugin/error.h"
#include "core/program/state.h"
#include <string.h>

#define MAX_FIELDS   256
#define MAX_INSTANCE (1u << 20)
#define MAX_STATE    (UINT64_C (1) << 32)

struct LmInput {
  char *name, *where;
  const LmProvided *provided;
  const lam_input_vt *vt;
  LmFieldTable *table;
  LmParams *params;
  void *instance;
  bool opened;
  LmBatchSpec spec;
  LmArray **arrays;
  void **data; /* of the arrays */
};

void
lm_input_free (LmInput *input)
{
  if (input == NULL)
    return;
  if (input->opened)
    input->vt->close (input->instance);
  for (guint i = 0; i < input->spec.n; i++) {
    g_free (input->spec.fields[i].name);
    if (input->arrays != NULL)
      lm_array_unref (input->arrays[i]);
  }
  g_free (input->spec.fields);
  g_free (input->arrays);
  g_free (input->data);
  g_free (input->instance);
  g_clear_pointer (&input->params, lm_params_free);
  g_clear_pointer (&input->table, lm_field_table_free);
  g_free (input->where);
  g_free (input->name);
  g_free (input);
}

/* The config of the named input, or an error that lists the names there are. */
static JsonObject *
find_config (LmModel *model, const char *name, GError **error)
{
  JsonObject *config = lm_model_input_config (model, name);
  if (config != NULL)
    return config;
  JsonNode *node = json_object_get_member (lm_model_config (model), "inputs");
  g_autoptr (GString) message = g_string_new (NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node)) {
    g_autoptr (GList) members = json_object_get_members (json_node_get_object (node));
    for (GList *m = members; m != NULL; m = m->next)
      g_ptr_array_add (names, m->data);
  }
  g_ptr_array_add (names, NULL);
  g_autofree char *list = g_strjoinv (", ", (char **)names->pdata);
  g_string_printf (message, "config: no input \"%s\" (an object in \"inputs\"); there is: %s", name,
                   *list != '\0' ? list : "none");
  lm_append_did_you_mean (message, name, (const char *const *)names->pdata);
  g_set_error_literal (error, LM_ERROR, LM_ERROR_NOT_FOUND, message->str);
  return NULL;
}

static bool
fill_instance (LmInput *input, LmModel *model, JsonObject *config, GError **error)
{
  static const char *const extra[] = {"type", "revision", NULL};
  const char *type = json_object_get_string_member_with_default (config, "type", NULL);
  if (type == NULL) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "%s: the config has no \"type\"; it wants one like \"type\": \"lamina.npz\"",
                 input->where);
    return false;
  }
  input->provided = lm_registry_find (lm_model_registry (model), LAM_KIND_INPUT, type, error);
  if (input->provided == NULL) {
    g_prefix_error (error, "%s: ", input->where);
    return false;
  }
  input->vt = input->provided->vtable;
  if (input->vt->instance_size > MAX_INSTANCE) {
    g_set_error (error, LM_ERROR, LM_ERROR_PLUGIN,
                 "%s: %s wants an instance of %" G_GUINT64_FORMAT " bytes; at most 1 MiB",
                 input->where, type, input->vt->instance_size);
    return false;
  }
  input->table = lm_field_table_new (type, input->vt->fields, input->vt->instance_size, error);
  if (input->table == NULL)
    return false;
  input->params = lm_params_new (input->table, config, extra, input->where, error);
  if (input->params == NULL)
    return false;
  input->instance = g_malloc0 (input->vt->instance_size + 1);
  lm_params_fill (input->params, input->instance);
  return true;
}

static bool
open_plugin (LmInput *input, LmModel *model, const lam_files *files, const LmInputReplica *replica,
             GError **error)
{
  uint32_t key[2];
  lm_program_key (lm_model_seed (model), LM_KEY_INPUT, key);
  lam_input_args args = {.struct_size = sizeof args,
                         .shard_count = 1,
                         .real_dtype = lm_model_real_dtype (model),
                         .seed = (uint64_t)key[0] << 32 | key[1],
                         .host = lm_model_tables (model)->host,
                         .files = files,
                         .num_infeed_hosts = replica->count,
                         .infeed_host_index = replica->index};
  lam_error slot;
  lm_plugin_error_init (&slot);
  input->opened = true; /* close also follows a failed open */
  lam_status status = input->vt->open (input->instance, &args, &slot);
  return lm_plugin_error_take (&slot, status, input->where, error);
}

/* One field of the spec from what the plugin says; false with an error when it is no tensor. */
static bool
describe_field (LmInput *input, uint32_t i, const char *name, const lam_type *type, GError **error)
{
  int64_t elements, bytes;
  for (guint k = 0; k < input->spec.n; k++)
    if (strcmp (input->spec.fields[k].name, name) == 0) {
      g_set_error (error, LM_ERROR, LM_ERROR_PLUGIN, "%s: %s gives two tensors named %s",
                   input->where, input->provided->id, name);
      return false;
    }
  if (lam_dtype_bits (type->dtype) == 0 || !lm_type_checked_bytes (type, &elements, &bytes)) {
    g_set_error (error, LM_ERROR, LM_ERROR_PLUGIN,
                 "%s: %s describes tensor %u (%s) with an impossible type", input->where,
                 input->provided->id, i, name);
    return false;
  }
  input->spec.fields[input->spec.n++] = (LmBatchField) {g_strdup (name), *type};
  return true;
}

static bool
describe (LmInput *input, GError **error)
{
  const char *name = NULL;
  lam_type type = {0};
  input->spec.fields = g_new0 (LmBatchField, MAX_FIELDS);
  for (uint32_t i = 0; input->vt->describe (input->instance, i, &name, &type); i++) {
    if (i == MAX_FIELDS || name == NULL || !g_utf8_validate (name, -1, NULL)) {
      g_set_error (error, LM_ERROR, LM_ERROR_PLUGIN,
                   "%s: %s describes %s; at most %d tensors with UTF-8 names", input->where,
                   input->provided->id, i == MAX_FIELDS ? "too many tensors" : "one without a name",
                   MAX_FIELDS);
      return false;
    }
    if (!describe_field (input, i, name, &type, error))
      return false;
  }
  input->arrays = g_new0 (LmArray *, input->spec.n + 1);
  input->data = g_new0 (void *, input->spec.n + 1);
  for (guint i = 0; i < input->spec.n; i++) {
    input->arrays[i] = lm_array_new (&input->spec.fields[i].type, error);
    if (input->arrays[i] == NULL)
      return false;
    input->data[i] = input->arrays[i]->data;
  }
  return true;
}

LmInput *
lm_input_open_replica (LmModel *model, const char *name, const lam_files *files,
                       const LmInputReplica *replica, GError **error)
{
  g_return_val_if_fail (replica->index < replica->count, NULL);
  JsonObject *config = find_config (model, name, error);
  if (config == NULL)
    return NULL;
  g_autoptr (LmInput) input = g_new0 (LmInput, 1);
  input->name = g_strdup (name);
  input->where = g_strdup_printf ("inputs.%s", name);
  if (!fill_instance (input, model, config, error)
      || !open_plugin (input, model, files, replica, error) || !describe (input, error))
    return NULL;
  return g_steal_pointer (&input);
}

LmInput *
lm_input_open (LmModel *model, const char *name, const lam_files *files, GError **error)
{
  static const LmInputReplica alone = {0, 1};
  return lm_input_open_replica (model, name, files, &alone, error);
}

const char *
lm_input_name (const LmInput *input)
{
  return input->name;
}

const LmProvided *
lm_input_provided (const LmInput *input)
{
  return input->provided;
}

const LmBatchSpec *
lm_input_spec (const LmInput *input)
{
  return &input->spec;
}

int64_t
lm_input_batches (const LmInput *input)
{
  return input->vt->batches (input->instance);
}

LmArray *const *
lm_input_arrays (const LmInput *input)
{
  return input->arrays;
}

bool
lm_input_next (LmInput *input, bool *out_end, GError **error)
{
  lam_error slot;
  lm_plugin_error_init (&slot);
  lam_status status = input->vt->next (input->instance, input->data, &slot);
  *out_end = status == LAM_S_END;
  return lm_plugin_error_take (&slot, status, input->where, error);
}

void
lm_input_reset (LmInput *input)
{
  input->vt->reset (input->instance);
}

LmArray *
lm_input_save (const LmInput *input, GError **error)
{
  uint64_t size = input->vt->state_size (input->instance);
  if (size > MAX_STATE) {
    g_set_error (error, LM_ERROR, LM_ERROR_PLUGIN,
                 "%s: %s wants %" G_GUINT64_FORMAT " bytes for its position; at most 4 GiB",
                 input->where, input->provided->id, size);
    return NULL;
  }
  lam_type type = lm_type (LAM_U8, 1, (int64_t[]) {(int64_t)size});
  LmArray *array = lm_array_new (&type, error);
  if (array != NULL)
    input->vt->save (input->instance, array->data);
  return array;
}

bool
lm_input_restore (LmInput *input, const LmArray *state, GError **error)
{
  lam_error slot;
  if (state->type.dtype != LAM_U8 || state->type.rank != 1) {
    g_autofree char *got = lm_type_to_string (&state->type);
    g_set_error (error, LM_ERROR, LM_ERROR_CORRUPT,
                 "%s: the saved position wants to be u8 of rank 1, got %s", input->where, got);
    return false;
  }
  lm_plugin_error_init (&slot);
  lam_status status =
      input->vt->restore (input->instance, state->data, (uint64_t)state->bytes, &slot);
  return lm_plugin_error_take (&slot, status, input->where, error);
}
