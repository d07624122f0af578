/* SPDX-License-Identifier: Apache-2.0 */
/* Field tables: what a plugin declares, checked, and shown as text or JSON. */
#include "core/base/field.h"

#include <math.h>
#include <string.h>

/* A plugin that declares more has lost its way. */
#define MAX_FIELDS 1000

struct LmFieldTable {
  char *type_id;
  uint64_t instance_size;
  GPtrArray *fields; /* of LmField* */
};

/* lam_fields is the head of this while the plugin declares. */
typedef struct Declaring {
  lam_fields base;
  LmFieldTable *table;
  GPtrArray *problems; /* of char* */
} Declaring;

static void
field_free (gpointer data)
{
  LmField *field = data;

  g_free (field->name);
  g_free (field->doc);
  g_free (field->default_text);
  g_strfreev (field->choices);
  g_free (field);
}

static void G_GNUC_PRINTF (2, 3) complain (Declaring *d, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (d->problems, g_strdup_vprintf (format, args));
  va_end (args);
}

static char *
dup_utf8 (const char *text)
{
  return text != NULL ? g_utf8_make_valid (text, -1) : NULL;
}

static bool
name_ok (const char *name)
{
  if (name == NULL || !(g_ascii_islower (name[0]) || name[0] == '_'))
    return false;
  for (; *name != '\0'; name++)
    if (!g_ascii_islower (*name) && !g_ascii_isdigit (*name) && *name != '_')
      return false;
  return true;
}

static bool
place_ok (const LmField *field, uint64_t instance_size)
{
  return field->size == lm_field_kind_bytes (field->kind) && field->size <= instance_size
         && field->offset <= instance_size - field->size;
}

static void
set_number (Declaring *d, LmField *field, double number)
{
  field->default_float = number;
  if (field->kind == LAM_FIELD_FLOAT)
    return;
  if (!(fabs (number) <= 0x1p53) || number != trunc (number))
    complain (d, "%s: the default is not an integer that a double holds", field->name);
  else
    field->default_int = (int64_t)number;
}

static void
add_field (lam_fields *f, int32_t kind, const char *name, uint64_t offset, uint64_t size,
           double number, const char *text, const char *doc)
{
  Declaring *d = (Declaring *)f;
  LmField *field;

  if (d->table->fields->len >= MAX_FIELDS)
    return;
  field = g_new0 (LmField, 1);
  field->name = name != NULL ? dup_utf8 (name) : g_strdup ("(no name)");
  field->doc = doc != NULL ? dup_utf8 (doc) : g_strdup ("");
  field->kind = kind;
  field->offset = offset;
  field->size = size;
  field->default_text = dup_utf8 (text);
  if (!name_ok (name))
    complain (d, "%s: a field name is [a-z_][a-z0-9_]*", field->name);
  else if (lm_field_table_find (d->table, name) != NULL)
    complain (d, "%s: declared twice", name);
  if (lm_field_kind_name (kind) == NULL)
    complain (d, "%s: unknown kind %d; this version knows 1 to %d", field->name, kind,
              LAM_FIELD_FLOATS);
  else if (!place_ok (field, d->table->instance_size))
    complain (d,
              "%s: a member of kind %s has %" G_GUINT64_FORMAT " bytes inside an instance of "
              "%" G_GUINT64_FORMAT ", but this one has %" G_GUINT64_FORMAT
              " at offset %" G_GUINT64_FORMAT,
              field->name, lm_field_kind_name (kind), lm_field_kind_bytes (kind),
              d->table->instance_size, size, offset);
  set_number (d, field, number);
  g_ptr_array_add (d->table->fields, field);
}

static void
refine_field (lam_fields *f, int32_t what, double number, const char *text)
{
  Declaring *d = (Declaring *)f;
  GPtrArray *fields = d->table->fields;
  LmField *field = fields->len > 0 ? fields->pdata[fields->len - 1] : NULL;

  if (field == NULL) {
    complain (d, "a refinement before the first field");
    return;
  }
  switch (what) {
  case LAM_REFINE_MIN:
    field->has_min = true;
    field->min = number;
    return;
  case LAM_REFINE_MAX:
    field->has_max = true;
    field->max = number;
    return;
  case LAM_REFINE_REQUIRED:
    field->required = true;
    return;
  case LAM_REFINE_CHOICES:
    g_strfreev (field->choices);
    field->choices = g_strsplit_set (text != NULL ? text : "", " ", -1);
    return;
  default:
    complain (d, "%s: unknown refinement %d", field->name, what);
  }
}

/* A default in JSON text must parse; whether it lies in the range is asked when it is used. */
static void
check_default (Declaring *d, const LmField *field)
{
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  LmField loose = *field;
  LmValue value = {0};

  if (field->default_text == NULL || field->kind < LAM_FIELD_INTS
      || lm_field_kind_name (field->kind) == NULL)
    return;
  node = lm_json_parse (field->default_text, strlen (field->default_text), LM_JSON_STRICT,
                        field->name, &error);
  loose.has_min = loose.has_max = false;
  if (node == NULL)
    complain (d, "default of %s", error->message);
  else if (!lm_value_read (&value, &loose, node, field->name, problems))
    complain (d, "default of %s", (char *)problems->pdata[0]);
  lm_value_clear (&value);
}

LmFieldTable *
lm_field_table_new (const char *type_id, lam_declare_fields_fn declare, uint64_t instance_size,
                    GError **error)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  Declaring d = {{sizeof (lam_fields), 0, add_field, refine_field}, NULL, problems};

  d.table = g_new0 (LmFieldTable, 1);
  d.table->type_id = g_strdup (type_id);
  d.table->instance_size = instance_size;
  d.table->fields = g_ptr_array_new_with_free_func (field_free);
  if (declare != NULL)
    declare (&d.base);
  if (d.table->fields->len >= MAX_FIELDS)
    complain (&d, "%d fields or more", MAX_FIELDS);
  for (guint i = 0; i < d.table->fields->len; i++)
    check_default (&d, d.table->fields->pdata[i]);
  if (problems->len == 0)
    return d.table;

  g_ptr_array_add (problems, NULL);
  g_autofree char *lines = g_strjoinv ("\n  ", (char **)problems->pdata);
  g_set_error (error, LM_ERROR, LM_ERROR_PLUGIN,
               "the field table of %s is faulty; this is a fault in its plugin:\n  %s", type_id,
               lines);
  lm_field_table_free (d.table);
  return NULL;
}

void
lm_field_table_free (LmFieldTable *table)
{
  if (table == NULL)
    return;
  g_ptr_array_unref (table->fields);
  g_free (table->type_id);
  g_free (table);
}

guint
lm_field_table_size (const LmFieldTable *table)
{
  return table->fields->len;
}

const LmField *
lm_field_table_get (const LmFieldTable *table, guint i)
{
  g_return_val_if_fail (i < table->fields->len, NULL);
  return table->fields->pdata[i];
}

const LmField *
lm_field_table_find (const LmFieldTable *table, const char *name)
{
  for (guint i = 0; i < table->fields->len; i++) {
    const LmField *field = table->fields->pdata[i];
    if (strcmp (field->name, name) == 0)
      return field;
  }
  return NULL;
}

const char *
lm_field_table_type_id (const LmFieldTable *table)
{
  return table->type_id;
}

/* The default as JSON, or NULL when the field must be given. */
static JsonNode *
default_node (const LmField *field)
{
  LmValue value = {0};
  JsonNode *node = NULL;

  if (!field->required && lm_value_default (&value, field))
    node = lm_value_to_json (&value, field);
  lm_value_clear (&value);
  return node;
}

char *
lm_field_table_to_text (const LmFieldTable *table, const char *summary)
{
  GString *out = g_string_new (NULL);
  size_t width = 4;

  g_string_append_printf (out, "%s: %s\n", table->type_id, summary != NULL ? summary : "");
  for (guint i = 0; i < table->fields->len; i++)
    width = MAX (width, strlen (lm_field_table_get (table, i)->name));
  for (guint i = 0; i < table->fields->len; i++) {
    const LmField *field = lm_field_table_get (table, i);
    g_autoptr (JsonNode) node = default_node (field);
    g_autofree char *wants = lm_field_wants (field);
    g_autofree char *value = node != NULL ? lm_json_print (node) : NULL;
    g_string_append_printf (out, "\n  %-*s  %s\n  %*s  %s; ", (int)width, field->name, field->doc,
                            (int)width, "", wants);
    if (value == NULL)
      g_string_append (out, "required\n");
    else
      g_string_append_printf (out, "default %s", value);
  }
  return g_string_free (out, FALSE);
}

static JsonNode *
field_to_json (const LmField *field)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT), *value = default_node (field);
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "name", field->name);
  json_object_set_string_member (object, "kind", lm_field_kind_name (field->kind));
  json_object_set_string_member (object, "doc", field->doc);
  json_object_set_boolean_member (object, "required", value == NULL);
  if (value != NULL)
    json_object_set_member (object, "default", value);
  if (field->has_min)
    json_object_set_double_member (object, "min", field->min);
  if (field->has_max)
    json_object_set_double_member (object, "max", field->max);
  if (field->choices != NULL) {
    JsonArray *array = json_array_new ();
    for (char **choice = field->choices; *choice != NULL; choice++)
      json_array_add_string_element (array, *choice);
    json_object_set_array_member (object, "choices", array);
  }
  json_node_take_object (node, object);
  return node;
}

JsonNode *
lm_field_table_to_json (const LmFieldTable *table)
{
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < table->fields->len; i++)
    json_array_add_element (array, field_to_json (lm_field_table_get (table, i)));
  json_node_take_array (node, array);
  return node;
}
