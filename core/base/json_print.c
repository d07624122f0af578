/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as text, one way only: sorted keys, two blanks a level, numbers that read back exactly. */
#include "core/base/json.h"

#include <math.h>
#include <string.h>

static void print_node (GString *out, JsonNode *node, guint depth);

static void
print_string (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (; *text != '\0'; text++) {
    const char *found = strchr ("\"\\\n\t", *text);
    if (found != NULL)
      g_string_append_printf (out, "\\%c", *text == '\n' ? 'n' : *text == '\t' ? 't' : *text);
    else if ((guchar)*text < 0x20)
      g_string_append_printf (out, "\\u%04x", (guint)(guchar)*text);
    else
      g_string_append_c (out, *text);
  }
  g_string_append_c (out, '"');
}

/* The shortest of 15 to 17 digits that reads back the same; always with a point or exponent, so that
 * it stays a float. JSON has no other names for inf and nan than strings. */
static void
print_double (GString *out, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (value)) {
    print_string (out, isnan (value) ? "nan" : value > 0 ? "inf" : "-inf");
    return;
  }
  for (int digits = 15; digits <= 17; digits++) {
    char format[8];
    g_snprintf (format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd (text, sizeof text, format, value);
    if (g_ascii_strtod (text, NULL) == value)
      break;
  }
  g_string_append (out, text);
  if (strpbrk (text, ".e") == NULL)
    g_string_append (out, ".0");
}

static void
newline (GString *out, guint depth)
{
  g_string_append_printf (out, "\n%*s", (int)(2 * depth), "");
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  return strcmp (a, b);
}

static void
print_object (GString *out, JsonObject *object, guint depth)
{
  GList *keys = g_list_sort (json_object_get_members (object), compare_keys);

  g_string_append_c (out, '{');
  for (GList *l = keys; l != NULL; l = l->next) {
    newline (out, depth + 1);
    print_string (out, l->data);
    g_string_append (out, ": ");
    print_node (out, json_object_get_member (object, l->data), depth + 1);
    if (l->next != NULL)
      g_string_append_c (out, ',');
  }
  if (keys != NULL)
    newline (out, depth);
  g_string_append_c (out, '}');
  g_list_free (keys);
}

/* Arrays of numbers and words stay on one line. */
static bool
is_flat (JsonArray *array)
{
  for (guint i = 0; i < json_array_get_length (array); i++)
    if (JSON_NODE_TYPE (json_array_get_element (array, i)) != JSON_NODE_VALUE)
      return false;
  return true;
}

static void
print_array (GString *out, JsonArray *array, guint depth)
{
  guint n = json_array_get_length (array);
  bool flat = is_flat (array);

  g_string_append_c (out, '[');
  for (guint i = 0; i < n; i++) {
    if (i > 0)
      g_string_append (out, flat ? ", " : ",");
    if (!flat)
      newline (out, depth + 1);
    print_node (out, json_array_get_element (array, i), depth + 1);
  }
  if (!flat)
    newline (out, depth);
  g_string_append_c (out, ']');
}

static void
print_node (GString *out, JsonNode *node, guint depth)
{
  switch (JSON_NODE_TYPE (node)) {
  case JSON_NODE_OBJECT:
    print_object (out, json_node_get_object (node), depth);
    return;
  case JSON_NODE_ARRAY:
    print_array (out, json_node_get_array (node), depth);
    return;
  case JSON_NODE_NULL:
    g_string_append (out, "null");
    return;
  default:
    break;
  }
  switch (json_node_get_value_type (node)) {
  case G_TYPE_STRING:
    print_string (out, json_node_get_string (node));
    return;
  case G_TYPE_BOOLEAN:
    g_string_append (out, json_node_get_boolean (node) ? "true" : "false");
    return;
  case G_TYPE_DOUBLE:
    print_double (out, json_node_get_double (node));
    return;
  default:
    g_string_append_printf (out, "%" G_GINT64_FORMAT, json_node_get_int (node));
    return;
  }
}

char *
lm_json_print (JsonNode *node)
{
  GString *out = g_string_new (NULL);

  print_node (out, node, 0);
  g_string_append_c (out, '\n');
  return g_string_free (out, FALSE);
}
