/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the examples of sdk/doc/ops. */
#include "tests/lib/opdoc.h"

#include "core/ir/text.h"

#include <string.h>

void
lm_op_doc_free (LmOpDoc *doc)
{
  if (doc == NULL)
    return;
  g_free (doc->code);
  lm_function_unref (doc->f);
  g_ptr_array_unref (doc->attrs);
  g_ptr_array_unref (doc->rules);
  g_free (doc->gradient);
  g_ptr_array_unref (doc->values);
  g_ptr_array_unref (doc->results);
  g_free (doc);
}

/* One "# ..." line outside the function. False if it says nothing that is known. */
static bool
read_comment (LmOpDoc *doc, const char *line)
{
  if (g_str_has_prefix (line, "SPDX-License-Identifier:"))
    return true;
  if (g_str_has_prefix (line, "attr "))
    g_ptr_array_add (doc->attrs, g_strdup (line + strlen ("attr ")));
  else if (g_str_has_prefix (line, "rule: "))
    g_ptr_array_add (doc->rules, g_strdup (line + strlen ("rule: ")));
  else if (g_str_has_prefix (line, "gradient: ") && doc->gradient == NULL)
    doc->gradient = g_strdup (line + strlen ("gradient: "));
  else if (line[0] == '%' && strstr (line, " = [") != NULL)
    g_ptr_array_add (doc->values, g_strdup (line));
  else if (g_str_has_prefix (line, "=> ["))
    g_ptr_array_add (doc->results, g_strdup (line + strlen ("=> ")));
  else
    return false;
  return true;
}

static bool
read_lines (LmOpDoc *doc, const char *text, const char *path, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GString *code = g_string_new (NULL);
  bool fine = true;
  for (guint i = 0; fine && lines[i] != NULL; i++) {
    if (!g_str_has_prefix (lines[i], "# ")) {
      if (lines[i][0] != '\0')
        g_string_append_printf (code, "%s\n", lines[i]);
    } else if (!read_comment (doc, lines[i] + 2)) {
      g_set_error (
          error, LM_ERROR, LM_ERROR_INVALID,
          "%s:%u: \"%s\", wanted \"# attr KEY: ...\", \"# rule: ...\", \"# gradient: ...\" "
          "(once), \"# %%x = [...]\" or \"# => [...]\"",
          path, i + 1, lines[i]);
      fine = false;
    }
  }
  doc->code = g_string_free (code, FALSE);
  return fine;
}

LmOpDoc *
lm_op_doc_read (const char *folder, const LmOpInfo *info, GError **error)
{
  const char *tree = g_getenv ("LAMINA_SRCDIR");
  g_autofree char *name = g_strconcat (info->name, ".lir", NULL);
  g_autofree char *path = g_build_filename (tree != NULL ? tree : ".", folder, name, NULL);
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, error))
    return NULL;
  g_autoptr (LmOpDoc) doc = g_new0 (LmOpDoc, 1);
  doc->info = info;
  doc->attrs = g_ptr_array_new_with_free_func (g_free);
  doc->rules = g_ptr_array_new_with_free_func (g_free);
  doc->values = g_ptr_array_new_with_free_func (g_free);
  doc->results = g_ptr_array_new_with_free_func (g_free);
  if (!read_lines (doc, text, path, error))
    return NULL;
  doc->f = lm_text_parse (text, strlen (text), path, error);
  return doc->f != NULL ? g_steal_pointer (&doc) : NULL;
}

const char *
lm_op_doc_attr (const LmOpDoc *doc, const char *key, gsize key_len)
{
  for (guint i = 0; i < doc->attrs->len; i++) {
    const char *text = g_ptr_array_index (doc->attrs, i);
    if (strncmp (text, key, key_len) == 0 && g_str_has_prefix (text + key_len, ": "))
      return text + key_len + strlen (": ");
  }
  return NULL;
}

const lam_equation *
lm_op_doc_equation (const LmOpDoc *doc)
{
  const lam_function *f = &doc->f->ir;
  for (uint32_t i = 0; i < f->n_equations; i++)
    if (lam_equation_at (f, i)->op == doc->info->number)
      return lam_equation_at (f, i);
  return NULL;
}

LmArray *
lm_op_doc_value (const lam_type *type, const char *elements, GError **error)
{
  g_autofree char *name = lm_type_to_string (type);
  g_autofree char *text =
      g_strdup_printf ("func @value() -> (%s) { %%0 = constant() {value = %s} : %s return %%0 }",
                       name, elements, name);
  g_autoptr (LmFunction) f = lm_text_parse (text, strlen (text), "value", error);
  if (f == NULL)
    return NULL;
  const lam_equation *e = lam_equation_at (&f->ir, 0);
  const lam_attr *value = lam_find_attr (&f->ir, e, "value");
  if ((int64_t)value->n != lam_type_bytes (type)) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "\"%s\" is no list of all elements of %s",
                 elements, name);
    return NULL;
  }
  return lm_array_new_copy (type, value->data, error);
}
