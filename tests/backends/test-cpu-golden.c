/* SPDX-License-Identifier: Apache-2.0 */
/* The backend cpu on the golden vectors of single ops (JAX on XLA CPU, numpy, mpmath). */
#include "core/base/error.h"
#include "tests/lib/fixture.h"
#include "tests/lib/golden.h"

#include <string.h>

static void
append_type (GString *text, const lam_type *type)
{
  g_string_append_printf (text, "%s[", lam_dtype_name (type->dtype));
  for (int32_t i = 0; i < type->rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", type->dims[i]);
  g_string_append_c (text, ']');
}

/* A list, nested ones (pairs of padding) flat. */
static void
append_list (GString *text, JsonArray *list, bool *first)
{
  for (guint i = 0; i < json_array_get_length (list); i++) {
    JsonNode *node = json_array_get_element (list, i);
    if (JSON_NODE_HOLDS_ARRAY (node)) {
      append_list (text, json_node_get_array (node), first);
      continue;
    }
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, *first ? "" : ", ",
                            json_node_get_int (node));
    *first = false;
  }
}

/* The vectors' name of an attribute -> ours; NULL: not an attribute of this op. */
static const char *
attribute (const LmOpInfo *info, const char *key)
{
  static const char *const names[][2] = {{"axis", "dimension"},
                                         {"preferred_element_type", "out_dtype"}};
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (key, names[i][0]) == 0)
      key = names[i][1];
  g_autofree char *with_kind = g_strconcat (key, ":", NULL);
  return strstr (info->attrs, with_kind) != NULL ? key : NULL;
}

static void
append_value (GString *text, const char *key, JsonNode *node)
{
  if (JSON_NODE_HOLDS_ARRAY (node)) {
    bool first = true;
    g_string_append_c (text, '[');
    append_list (text, json_node_get_array (node), &first);
    g_string_append_c (text, ']');
  } else if (json_node_get_value_type (node) == G_TYPE_STRING) {
    const char *value = json_node_get_string (node);
    if (strcmp (key, "out_dtype") == 0)
      g_string_append (text, value);
    else if (strcmp (value, "CLIP") == 0)
      g_string_append (text, "\"clip\"");
    else if (strcmp (value, "FILL_OR_DROP") == 0)
      g_string_append (text, "\"fill\"");
    else
      g_string_append_printf (text, "\"%s\"", value);
  } else {
    g_string_append_printf (text, "%" G_GINT64_FORMAT, json_node_get_int (node));
  }
}

static void
append_attrs (GString *text, const LmOpInfo *info, const LmGoldenCase *c)
{
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;
  bool first = true;
  json_object_iter_init (&iter, c->attrs);
  while (json_object_iter_next (&iter, &key, &node)) {
    const char *ours = attribute (info, key);
    if (ours == NULL)
      continue;
    g_string_append_printf (text, "%s%s = ", first ? " {" : ", ", ours);
    append_value (text, ours, node);
    first = false;
  }
  if (!first)
    g_string_append (text, "}");
}

/* Types of a section's tensors, in the order of the case. */
static guint
tensors (const LmGolden *g, const LmGoldenCase *c, const char *section, LmGoldenTensor *out)
{
  JsonArray *names = lm_golden_names (c, section);
  guint n = names != NULL ? json_array_get_length (names) : 0;
  for (guint i = 0; i < n; i++)
    g_assert_true (
        lm_golden_tensor (g, c, section, json_array_get_string_element (names, i), &out[i]));
  return n;
}

static char *
function_text (const LmGolden *g, const LmGoldenCase *c, const LmOpInfo *info)
{
  LmGoldenTensor in[8], out[8];
  guint n = tensors (g, c, "in", in), m = tensors (g, c, "out", out);
  GString *text = g_string_new ("func @f(");
  for (guint i = 0; i < n; i++) {
    g_string_append_printf (text, "%s%%%u: ", i > 0 ? ", " : "", i);
    append_type (text, &in[i].type);
  }
  g_string_append (text, ") -> (");
  for (guint i = 0; i < m; i++) {
    g_string_append (text, i > 0 ? ", " : "");
    append_type (text, &out[i].type);
  }
  g_string_append (text, ") {\n  ");
  for (guint i = 0; i < m; i++)
    g_string_append_printf (text, "%s%%%u", i > 0 ? ", " : "", n + i);
  g_string_append_printf (text, " = %s(", c->kind);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%%u", i > 0 ? ", " : "", i);
  g_string_append_c (text, ')');
  append_attrs (text, info, c);
  for (guint i = 0; i < m; i++) {
    g_string_append (text, i > 0 ? ", " : " : ");
    append_type (text, &out[i].type);
  }
  g_string_append (text, "\n  return ");
  for (guint i = 0; i < m; i++)
    g_string_append_printf (text, "%s%%%u", i > 0 ? ", " : "", n + i);
  g_string_append (text, "\n}\n");
  return g_string_free (text, FALSE);
}

/* Tries section out, then ref where the case allows either. */
static void
check_result (const LmGolden *g, const LmGoldenCase *c, guint i, const LmArray *got, GString *why)
{
  const char *name = json_array_get_string_element (lm_golden_names (c, "out"), i);
  LmGoldenTensor ref;
  if (lm_golden_compare (g, c, "out", name, got->data, (gsize)got->bytes, why))
    return;
  if (lm_golden_tensor (g, c, "ref", name, &ref)
      && lm_golden_compare (g, c, "ref", name, got->data, (gsize)got->bytes, why))
    return;
  g_test_fail_printf ("%s: %s", c->id, why->str);
}

static void
run_case (LmBackend *backend, const LmGolden *g, const LmGoldenCase *c, const LmOpInfo *info)
{
  g_autofree char *text = function_text (g, c, info);
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f = lm_text_parse (text, strlen (text), c->id, &error);
  if (f == NULL) { /* wider forms than ours (bitcast between widths, bool sums) */
    g_test_message ("%s: not a function of the IR: %s", c->id, error->message);
    return;
  }
  LmGoldenTensor in[8];
  LmArray *arrays[8], *out[8];
  guint n = tensors (g, c, "in", in);
  for (guint i = 0; i < n; i++)
    arrays[i] = lm_array_new_copy (&in[i].type, in[i].data, NULL);
  lm_test_run (backend, f, arrays, out);
  for (guint i = 0; i < f->ir.n_results; i++) {
    g_autoptr (GString) why = g_string_new (NULL);
    check_result (g, c, i, out[i], why);
    lm_array_unref (out[i]);
  }
  for (guint i = 0; i < n; i++)
    lm_array_unref (arrays[i]);
}

/* Where our row says otherwise than upstream (tests/op/test-golden_ops.c compares these by our rule):
 * starts of a dynamic slice as one vector, a gather that fills with other than 0, a conversion that
 * rounds twice, an arithmetic shift that copies the top bit of unsigned integers. */
static bool
differs_by_rule (const LmGoldenCase *c)
{
  const char *mode = json_object_get_string_member_with_default (c->attrs, "mode", "");
  if (g_str_has_prefix (c->kind, "dynamic_"))
    return true;
  if (strcmp (c->kind, "gather") == 0)
    return strcmp (mode, "FILL_OR_DROP") == 0;
  if (strcmp (c->kind, "convert") == 0)
    return g_str_has_prefix (c->id, "convert.f64.") && g_str_has_suffix (c->id, "f16");
  return g_str_has_prefix (c->id, "shift_right_arithmetic.u");
}

/* Forms that our ops lack: a start value that is not the identity, a reversed window (our gradients
 * reverse the kernel by an equation of its own). */
static bool
has_our_form (const LmGoldenCase *c)
{
  static const char *const reversed = "convolution.f32.11";
  const char *computation =
      json_object_get_string_member_with_default (c->attrs, "computation", "");
  if (strcmp (c->id, reversed) == 0 || differs_by_rule (c))
    return false;
  double init = lm_golden_number (c->attrs, "init", 0);
  if (!json_object_has_member (c->attrs, "init") || strcmp (computation, "maximum") == 0
      || strcmp (computation, "minimum") == 0 || strcmp (computation, "and") == 0
      || strcmp (computation, "or") == 0)
    return true;
  return init == (strcmp (computation, "multiply") == 0 ? 1 : 0);
}

static void
test_group (gconstpointer group)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open (group, &error);
  g_assert_no_error (error);
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "cpu");
  guint ran = 0;
  for (guint i = 0; i < lm_golden_n_cases (g); i++) {
    const LmGoldenCase *c = lm_golden_case (g, i);
    const LmOpInfo *info = lm_op_info_by_name (c->kind);
    if (info == NULL || !has_our_form (c))
      continue;
    run_case (backend, g, c, info);
    ran++;
  }
  g_test_message ("%u cases", ran);
  g_assert_cmpuint (ran, >, 500);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_test_add_data_func ("/backends/cpu/golden/ops", "ops", test_group);
  return g_test_run ();
}
