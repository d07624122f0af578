/* SPDX-License-Identifier: Apache-2.0 */
/* Values of declared fields: JSON to value, value to instance and back to JSON. */
#include "core/base/field.h"

#include <math.h>
#include <string.h>

/* Indexed by LAM_INIT_*; also the list for "did you mean". */
static const char *const init_names[] = {
    "default",
    "constant",
    "gaussian",
    "uniform",
    "truncated_gaussian",
    "xavier",
    "gaussian_sqrt_dim",
    "gaussian_sqrt_fanin",
    "gaussian_sqrt_fanout",
    "gaussian_sqrt_fanavg",
    "uniform_sqrt_dim",
    "uniform_sqrt_fanin",
    "uniform_sqrt_fanout",
    "truncated_gaussian_sqrt_dim",
    "truncated_gaussian_sqrt_fanin",
    "truncated_gaussian_sqrt_fanout",
    "uniform_unit_scaling",
    "uniform_sqrt_fanavg",
    "delta_orthogonal",
    NULL,
};

static const char *const dtype_names[] = {"f64", "f32", "f16", "bf16", "i64", "i32",  "i16",
                                          "i8",  "u64", "u32", "u16",  "u8",  "bool", NULL};

/* Indexed by LAM_FIELD_*. */
static const struct {
  const char *name, *wants;
  uint64_t bytes;
} kinds[] = {
    {NULL, NULL, 0},
    {"int", "an integer", sizeof (int64_t)},
    {"float", "a number", sizeof (double)},
    {"bool", "true or false", sizeof (bool)},
    {"string", "a string", sizeof (const char *)},
    {"ints", "a list of integers", sizeof (lam_ints)},
    {"dtype", "a dtype name", sizeof (lam_dtype)},
    {"init", "{\"method\": NAME, \"scale\": NUMBER}", sizeof (lam_init)},
    {"layer", "a layer config {\"type\": ...}", sizeof (lam_child_config)},
    {"layers", "a list of layer configs", sizeof (lam_child_config)},
    {"strings", "a list of strings", sizeof (lam_strings)},
    {"floats", "a list of numbers", sizeof (lam_floats)},
};

const char *
lm_init_name (int32_t method)
{
  return method >= 0 && method < (int32_t)G_N_ELEMENTS (init_names) - 1 ? init_names[method] : NULL;
}

const char *
lm_field_kind_name (int32_t kind)
{
  return kind > 0 && kind < (int32_t)G_N_ELEMENTS (kinds) ? kinds[kind].name : NULL;
}

uint64_t
lm_field_kind_bytes (int32_t kind)
{
  return kind > 0 && kind < (int32_t)G_N_ELEMENTS (kinds) ? kinds[kind].bytes : 0;
}

void
lm_value_clear (LmValue *value)
{
  g_clear_pointer (&value->text, g_free);
  g_clear_pointer (&value->ints, g_free);
  g_clear_pointer (&value->floats, g_free);
  g_clear_pointer (&value->texts, g_strfreev);
  g_clear_pointer (&value->node, json_node_unref);
}

static void
append_bound (GString *out, const char *relation, double bound)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (text, sizeof text, "%.17g", bound);
  g_string_append_printf (out, " %s %s", relation, text);
}

char *
lm_field_wants (const LmField *field)
{
  GString *out = g_string_new (kinds[field->kind].wants);

  if (field->choices != NULL) {
    g_autofree char *list = g_strjoinv (", ", field->choices);
    g_string_printf (out, "%s: %s",
                     field->kind == LAM_FIELD_STRINGS ? "a list, each one of" : "one of", list);
  }
  if (field->kind == LAM_FIELD_DTYPE) {
    g_autofree char *list = g_strjoinv (", ", (char **)(uintptr_t)dtype_names);
    g_string_append_printf (out, " (%s)", list);
  }
  if (field->has_min)
    append_bound (out, ">=", field->min);
  if (field->has_max)
    append_bound (out, field->has_min ? "and <=" : "<=", field->max);
  return g_string_free (out, FALSE);
}

/* "got" of a message: the JSON on one line, cut short. */
static char *
shown (JsonNode *node)
{
  g_autofree char *text = lm_json_print (node);
  GString *out = g_string_new (NULL);

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p)) {
    if (*p == '\n' || (*p == ' ' && out->len > 0 && out->str[out->len - 1] == ' '))
      continue;
    if (out->len > 60) {
      g_string_append (out, "...");
      break;
    }
    g_string_append_len (out, p, g_utf8_next_char (p) - p);
  }
  return g_string_free (out, FALSE);
}

static bool
refuse (const LmField *field, JsonNode *node, const char *path, GPtrArray *problems)
{
  g_autofree char *wants = lm_field_wants (field), *got = shown (node);
  GString *line = g_string_new (NULL);

  g_string_printf (line, "%s: wanted %s, got %s", path, wants, got);
  if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING) {
    if (field->choices != NULL)
      lm_append_did_you_mean (line, json_node_get_string (node),
                              (const char *const *)field->choices);
    else if (field->kind == LAM_FIELD_DTYPE)
      lm_append_did_you_mean (line, json_node_get_string (node), dtype_names);
  }
  g_ptr_array_add (problems, g_string_free (line, FALSE));
  return false;
}

static bool
in_range (const LmField *field, double x)
{
  return (!field->has_min || x >= field->min) && (!field->has_max || x <= field->max);
}

static GType
type_of (JsonNode *node)
{
  return JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_NONE;
}

/* Integers, floats, and the three words that JSON has no number for. */
static bool
read_float (JsonNode *node, double *out)
{
  GType type = type_of (node);
  const char *word;

  if (type == G_TYPE_INT64 || type == G_TYPE_DOUBLE) {
    *out = type == G_TYPE_INT64 ? (double)json_node_get_int (node) : json_node_get_double (node);
    return true;
  }
  if (type != G_TYPE_STRING)
    return false;
  word = json_node_get_string (node);
  *out = strcmp (word, "inf") == 0 ? INFINITY : strcmp (word, "-inf") == 0 ? -INFINITY : NAN;
  return !isnan (*out) || strcmp (word, "nan") == 0;
}

static bool
read_element (LmValue *out, const LmField *field, JsonNode *node, guint i)
{
  if (field->kind == LAM_FIELD_FLOATS)
    return read_float (node, &out->floats[i]) && in_range (field, out->floats[i]);
  if (field->kind == LAM_FIELD_STRINGS) {
    out->texts[i] = type_of (node) == G_TYPE_STRING ? json_node_dup_string (node) : NULL;
    return out->texts[i] != NULL
           && (field->choices == NULL
               || g_strv_contains ((const char *const *)field->choices, out->texts[i]));
  }
  out->ints[i] = type_of (node) == G_TYPE_INT64 ? json_node_get_int (node) : 0;
  return type_of (node) == G_TYPE_INT64 && in_range (field, (double)out->ints[i]);
}

static bool
read_list (LmValue *out, const LmField *field, JsonNode *node)
{
  JsonArray *array;

  if (!JSON_NODE_HOLDS_ARRAY (node))
    return false;
  array = json_node_get_array (node);
  out->n = json_array_get_length (array);
  if (field->kind == LAM_FIELD_FLOATS)
    out->floats = g_new0 (double, out->n + 1);
  else if (field->kind == LAM_FIELD_STRINGS)
    out->texts = g_new0 (char *, out->n + 1);
  else
    out->ints = g_new0 (int64_t, out->n + 1);
  for (guint i = 0; i < out->n; i++)
    if (!read_element (out, field, json_array_get_element (array, i), i))
      return false;
  return true;
}

/* One member of an init object; appends its problem. */
static void
read_init_member (LmValue *out, const char *key, JsonNode *node, const char *path,
                  GPtrArray *problems)
{
  static const char *const keys[] = {"method", "scale", NULL};
  g_autofree char *got = shown (node);
  GString *line = g_string_new (NULL);

  if (strcmp (key, "scale") == 0) {
    if (!read_float (node, &out->init.scale))
      g_string_printf (line, "%s.scale: wanted a number, got %s", path, got);
  } else if (strcmp (key, "method") == 0) {
    const char *name = type_of (node) == G_TYPE_STRING ? json_node_get_string (node) : NULL;
    for (int32_t i = 1; name != NULL && init_names[i] != NULL; i++)
      if (strcmp (init_names[i], name) == 0)
        out->init.method = i;
    if (out->init.method == LAM_INIT_DEFAULT) {
      g_string_printf (line, "%s.method: wanted the name of an initialiser, got %s", path, got);
      lm_append_did_you_mean (line, name != NULL ? name : "", init_names + 1);
    }
  } else {
    g_string_printf (line, "%s.%s: unknown key", path, key);
    lm_append_did_you_mean (line, key, keys);
  }
  if (line->len > 0)
    g_ptr_array_add (problems, g_string_free (line, FALSE));
  else
    g_string_free (line, TRUE);
}

static bool
read_init (LmValue *out, const LmField *field, JsonNode *node, const char *path,
           GPtrArray *problems)
{
  g_autoptr (GList) keys = NULL;
  guint before = problems->len;
  JsonObject *object;

  if (!JSON_NODE_HOLDS_OBJECT (node)
      || !json_object_has_member (json_node_get_object (node), "method"))
    return refuse (field, node, path, problems);
  object = json_node_get_object (node);
  out->init.scale = 1.0;
  keys = json_object_get_members (object);
  for (GList *l = keys; l != NULL; l = l->next)
    read_init_member (out, l->data, json_object_get_member (object, l->data), path, problems);
  return problems->len == before;
}

static bool
read_children (LmValue *out, const LmField *field, JsonNode *node)
{
  if (field->kind == LAM_FIELD_CHILD) {
    out->n = 1;
    out->node = JSON_NODE_HOLDS_OBJECT (node) ? json_node_ref (node) : NULL;
    return out->node != NULL;
  }
  if (!JSON_NODE_HOLDS_ARRAY (node))
    return false;
  out->n = json_array_get_length (json_node_get_array (node));
  for (guint i = 0; i < out->n; i++)
    if (!JSON_NODE_HOLDS_OBJECT (json_array_get_element (json_node_get_array (node), i)))
      return false;
  out->node = json_node_ref (node);
  return true;
}

static bool
read_text (LmValue *out, const LmField *field, JsonNode *node)
{
  const char *text = type_of (node) == G_TYPE_STRING ? json_node_get_string (node) : NULL;

  if (text == NULL)
    return false;
  if (field->kind == LAM_FIELD_DTYPE) {
    out->i = lm_dtype_from_name (text);
    return out->i != LAM_DTYPE_NONE;
  }
  out->text = g_strdup (text);
  return field->choices == NULL || g_strv_contains ((const char *const *)field->choices, text);
}

static bool
read_kind (LmValue *out, const LmField *field, JsonNode *node)
{
  switch (field->kind) {
  case LAM_FIELD_INT:
    out->i = type_of (node) == G_TYPE_INT64 ? json_node_get_int (node) : 0;
    return type_of (node) == G_TYPE_INT64 && in_range (field, (double)out->i);
  case LAM_FIELD_FLOAT:
    return read_float (node, &out->d) && in_range (field, out->d);
  case LAM_FIELD_BOOL:
    out->i = type_of (node) == G_TYPE_BOOLEAN && json_node_get_boolean (node);
    return type_of (node) == G_TYPE_BOOLEAN;
  case LAM_FIELD_INTS:
  case LAM_FIELD_FLOATS:
  case LAM_FIELD_STRINGS:
    return read_list (out, field, node);
  case LAM_FIELD_CHILD:
  case LAM_FIELD_CHILDREN:
    return read_children (out, field, node);
  default:
    return read_text (out, field, node);
  }
}

bool
lm_value_read (LmValue *out, const LmField *field, JsonNode *node, const char *path,
               GPtrArray *problems)
{
  if (field->kind == LAM_FIELD_INIT)
    return read_init (out, field, node, path, problems);
  return read_kind (out, field, node) || refuse (field, node, path, problems);
}

bool
lm_value_default (LmValue *out, const LmField *field)
{
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GPtrArray) problems = NULL;
  const char *text = field->default_text;

  out->i = field->default_int;
  out->d = field->default_float;
  if (field->kind == LAM_FIELD_INT)
    return in_range (field, (double)out->i);
  if (field->kind == LAM_FIELD_FLOAT)
    return in_range (field, out->d);
  if (text == NULL || field->kind == LAM_FIELD_STRING) {
    out->text = g_strdup (text);
    return text == NULL || field->choices == NULL
           || g_strv_contains ((const char *const *)field->choices, text);
  }
  node = lm_json_parse (text, strlen (text), LM_JSON_STRICT, field->name, NULL);
  problems = g_ptr_array_new_with_free_func (g_free);
  return node != NULL && lm_value_read (out, field, node, field->name, problems);
}

void
lm_value_store (const LmValue *value, const LmField *field, guint index, void *instance)
{
  char *at = (char *)instance + field->offset;
  lam_ints ints = {value->ints, value->n};
  lam_floats floats = {value->floats, value->n};
  lam_strings strings = {(const char *const *)value->texts, value->n};
  lam_child_config child = {value->node != NULL ? index + 1 : 0, value->n};
  lam_dtype dtype = (lam_dtype)value->i;
  bool flag = value->i != 0;
  const void *from[] = {NULL,   &value->i,    &value->d, &flag,  &value->text, &ints,
                        &dtype, &value->init, &child,    &child, &strings,     &floats};

  memcpy (at, from[field->kind], kinds[field->kind].bytes);
}

static JsonNode *
init_to_json (const lam_init *init)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "method", init_names[init->method]);
  json_object_set_double_member (object, "scale", init->scale);
  json_node_take_object (node, object);
  return node;
}

static JsonNode *
list_to_json (const LmValue *value, int32_t kind)
{
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < value->n; i++)
    if (kind == LAM_FIELD_FLOATS)
      json_array_add_double_element (array, value->floats[i]);
    else if (kind == LAM_FIELD_STRINGS)
      json_array_add_string_element (array, value->texts[i]);
    else
      json_array_add_int_element (array, value->ints[i]);
  json_node_take_array (node, array);
  return node;
}

JsonNode *
lm_value_to_json (const LmValue *value, const LmField *field)
{
  JsonNode *node = json_node_alloc ();

  switch (field->kind) {
  case LAM_FIELD_INT:
    return json_node_init_int (node, value->i);
  case LAM_FIELD_FLOAT:
    return json_node_init_double (node, value->d);
  case LAM_FIELD_BOOL:
    return json_node_init_boolean (node, value->i != 0);
  case LAM_FIELD_STRING:
    return value->text != NULL ? json_node_init_string (node, value->text)
                               : json_node_init_null (node);
  case LAM_FIELD_DTYPE:
    return value->i != LAM_DTYPE_NONE
               ? json_node_init_string (node, lam_dtype_name ((lam_dtype)value->i))
               : json_node_init_null (node);
  default:
    break;
  }
  json_node_unref (node);
  if (field->kind == LAM_FIELD_INTS || field->kind == LAM_FIELD_FLOATS
      || field->kind == LAM_FIELD_STRINGS)
    return list_to_json (value, field->kind);
  if (field->kind == LAM_FIELD_INIT && value->init.method != LAM_INIT_DEFAULT)
    return init_to_json (&value->init);
  if (value->node != NULL)
    return json_node_copy (value->node);
  if (field->kind == LAM_FIELD_CHILDREN)
    return list_to_json (value, field->kind); /* n is 0: the empty list */
  return json_node_new (JSON_NODE_NULL);
}
