/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a function in the exact text form. It also serves verify's errors, so it does not trust
 * the indices of the function that it prints. */
#include "core/ir/attr.h"
#include "core/ir/function.h"
#include "core/ir/text.h"
#include "core/ir/text_number.h"

#include <string.h>

/* Longer constants print as hex. */
#define MAX_LIST 64

static void print_function (GString *out, const lam_function *f, guint indent);

static void
indent_by (GString *out, guint indent)
{
  for (guint i = 0; i < indent; i++)
    g_string_append (out, "  ");
}

/* Escapes of strings and layer paths. UTF-8 stays as it is. */
static void
print_escaped (GString *out, const char *text, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\')
      g_string_append_printf (out, "\\%c", c);
    else if (c == '\n')
      g_string_append (out, "\\n");
    else if (c == '\t')
      g_string_append (out, "\\t");
    else if (c == '\r')
      g_string_append (out, "\\r");
    else if (c < 0x20 || c == 0x7f)
      g_string_append_printf (out, "\\x%02x", c);
    else
      g_string_append_c (out, (char)c);
  }
}

static void
print_hex (GString *out, const unsigned char *data, gsize n)
{
  static const char digits[] = "0123456789abcdef";
  gsize at = out->len + 3;

  g_string_append (out, "0x\"");
  g_string_set_size (out, at + 2 * n);
  for (gsize i = 0; i < n; i++) {
    out->str[at + 2 * i] = digits[data[i] >> 4];
    out->str[at + 2 * i + 1] = digits[data[i] & 15];
  }
  g_string_append_c (out, '"');
}

static bool
fits_list (const lam_attr *a, lam_dtype dtype)
{
  gsize size = lam_dtype_bits (dtype) / 8;
  const unsigned char *data = a->data;

  if (size == 0 || a->n % size != 0 || a->n / size > MAX_LIST)
    return false;
  for (gsize i = 0; dtype == LAM_PRED && i < a->n; i++)
    if (data[i] > 1)
      return false;
  return true;
}

/* dtype: of the elements, LAM_DTYPE_NONE where the schema does not say. */
static void
print_bytes (GString *out, const lam_attr *a, lam_dtype dtype)
{
  gsize size = lam_dtype_bits (dtype) / 8;

  if (!fits_list (a, dtype)) {
    print_hex (out, a->data, (gsize)a->n);
    return;
  }
  g_string_append_c (out, '[');
  for (gsize i = 0; i * size < a->n; i++) {
    if (i > 0)
      g_string_append (out, ", ");
    lm_number_print (out, dtype, (const char *)a->data + i * size);
  }
  g_string_append_c (out, ']');
}

static void
print_ints (GString *out, const int64_t *values, gsize n)
{
  g_string_append_c (out, '[');
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", values[i]);
  g_string_append_c (out, ']');
}

static void
print_attr (GString *out, const lam_attr *a, lam_dtype elements)
{
  g_string_append_printf (out, "%s%s = ", a->flags & LAM_ATTR_MUST_UNDERSTAND ? "!" : "",
                          a->key != NULL ? a->key : "?");
  if (a->data == NULL && lm_attr_data_bytes (a) > 0) {
    g_string_append_c (out, '?');
    return;
  }
  switch (a->kind) {
  case LAM_ATTR_INT:
    g_string_append_printf (out, "%" G_GINT64_FORMAT, a->i);
    break;
  case LAM_ATTR_FLOAT:
    lm_number_print (out, LAM_F64, &a->f);
    break;
  case LAM_ATTR_INTS:
    print_ints (out, a->data, (gsize)a->n);
    break;
  case LAM_ATTR_STR:
    g_string_append_c (out, '"');
    print_escaped (out, a->data, (gsize)a->n);
    g_string_append_c (out, '"');
    break;
  case LAM_ATTR_BYTES:
    print_bytes (out, a, elements);
    break;
  default:
    g_string_append (out, lam_dtype_name ((lam_dtype)a->i));
  }
}

/* dtype in which the value of key is listed: the result's, for bytes of an op with stated type. */
static lam_dtype
element_dtype (const lam_function *f, const lam_equation *e, const LmOpInfo *info,
               const lam_attr *a)
{
  LmSchemaKey key;

  if (a->kind != LAM_ATTR_BYTES || a->key == NULL || info == NULL || !lm_op_has_flag (info, 'T')
      || !lm_schema_find (info, a->key, &key) || e->first_result >= f->n_values)
    return LAM_DTYPE_NONE;
  return lam_value_type (f, e->first_result)->dtype;
}

static void
print_attrs (GString *out, const lam_function *f, const lam_equation *e, const LmOpInfo *info)
{
  if (e->n_attrs == 0 || e->first_attr > f->n_attrs || e->n_attrs > f->n_attrs - e->first_attr)
    return;
  g_string_append (out, " {");
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const lam_attr *a = lam_attr_at (f, e->first_attr + i);
    if (i > 0)
      g_string_append (out, ", ");
    print_attr (out, a, element_dtype (f, e, info, a));
  }
  g_string_append_c (out, '}');
}

static void
print_regions (GString *out, const lam_function *f, const lam_equation *e, guint indent)
{
  if (e->n_regions == 0 || e->first_region > f->n_regions
      || e->n_regions > f->n_regions - e->first_region)
    return;
  g_string_append (out, " (");
  for (uint32_t i = 0; i < e->n_regions; i++) {
    if (i > 0)
      g_string_append (out, ", ");
    if (f->regions[e->first_region + i] != NULL)
      print_function (out, f->regions[e->first_region + i], indent);
  }
  g_string_append_c (out, ')');
}

static void
print_types (GString *out, const lam_function *f, uint32_t first, uint32_t n)
{
  for (uint32_t i = 0; i < n && first + i < f->n_values; i++) {
    g_string_append (out, i == 0 ? " : " : ", ");
    lm_type_print (out, lam_value_type (f, first + i));
  }
}

/* Blanks at the ends would be lost, so they are escaped. */
static void
print_path (GString *out, const char *path)
{
  gsize n = strlen (path), from = strspn (path, " "), to = n;

  if (n == 0)
    return;
  while (to > from && path[to - 1] == ' ')
    to--;
  g_string_append (out, "  # ");
  for (gsize i = 0; i < from; i++)
    g_string_append (out, "\\x20");
  print_escaped (out, path + from, to - from);
  for (gsize i = to; i < n; i++)
    g_string_append (out, "\\x20");
}

static void
print_equation (GString *out, const lam_function *f, const lam_equation *e, guint indent)
{
  const LmOpInfo *info = lm_op_info (e->op);

  indent_by (out, indent);
  for (uint32_t i = 0; i < e->n_results; i++)
    g_string_append_printf (out, "%s%%%u", i > 0 ? ", " : "", e->first_result + i);
  if (info != NULL)
    g_string_append_printf (out, " = %s(", info->name);
  else
    g_string_append_printf (out, " = op_%d(", e->op);
  for (uint32_t i = 0; i < e->n_operands && e->first_operand + i < f->n_operands; i++)
    g_string_append_printf (out, "%s%%%u", i > 0 ? ", " : "", lam_operand (f, e, i));
  g_string_append_c (out, ')');
  print_attrs (out, f, e, info);
  print_regions (out, f, e, indent);
  print_types (out, f, e->first_result, e->n_results);
  if (e->path < f->n_paths)
    print_path (out, f->paths[e->path]);
  g_string_append_c (out, '\n');
}

static void
print_function (GString *out, const lam_function *f, guint indent)
{
  g_string_append_printf (out, "func @%s(", f->name);
  for (uint32_t i = 0; i < f->n_params; i++) {
    g_string_append_printf (out, "%s%%%u: ", i > 0 ? ", " : "", i);
    lm_type_print (out, lam_value_type (f, i));
  }
  g_string_append (out, ") -> (");
  for (uint32_t i = 0; i < f->n_results; i++) {
    if (i > 0)
      g_string_append (out, ", ");
    if (f->results[i] < f->n_values)
      lm_type_print (out, lam_value_type (f, f->results[i]));
  }
  g_string_append (out, ") {\n");
  for (uint32_t i = 0; i < f->n_equations; i++)
    print_equation (out, f, lam_equation_at (f, i), indent + 1);
  indent_by (out, indent + 1);
  g_string_append (out, "return");
  for (uint32_t i = 0; i < f->n_results; i++)
    g_string_append_printf (out, "%s%%%u", i > 0 ? ", " : " ", f->results[i]);
  g_string_append_c (out, '\n');
  indent_by (out, indent);
  g_string_append_c (out, '}');
}

char *
lm_text_print (const LmFunction *f)
{
  GString *out = g_string_new (NULL);

  print_function (out, &f->ir, 0);
  g_string_append_c (out, '\n');
  return g_string_free (out, FALSE);
}

char *
lm_text_print_range (const LmFunction *f, uint32_t from, uint32_t to)
{
  GString *out = g_string_new (NULL);

  for (uint32_t i = from; i < MIN (to, f->ir.n_equations); i++)
    print_equation (out, &f->ir, lam_equation_at (&f->ir, i), 1);
  return g_string_free (out, FALSE);
}
