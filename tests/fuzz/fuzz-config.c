/* SPDX-License-Identifier: Apache-2.0 */
/* Configs: JSON that is accepted prints to text that reads the same; params never crash on it. */
#include "core/base/params.h"

#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

typedef struct {
  int64_t n;
  double x;
  bool b;
  const char *s;
  lam_ints l;
  lam_floats f;
  lam_strings t;
  lam_dtype d;
  lam_init i;
  lam_child_config c, k;
} thing;

LAM_FIELDS (thing, LAM_INT (n, 1, "."), LAM_MIN (1), LAM_FLOAT (x, 0.5, "."),
            LAM_BOOL (b, true, "."), LAM_STRING (s, NULL, "."), LAM_CHOICES ("a bb"),
            LAM_INTS (l, "[2]", "."), LAM_MAX (9), LAM_FLOATS (f, "[0.5]", "."), LAM_MIN (0),
            LAM_STRINGS (t, NULL, "."), LAM_CHOICES ("a bb"), LAM_DTYPE (d, LAM_F32, "."),
            LAM_INIT (i, NULL, "."), LAM_LAYER_CONFIG (c, NULL, "."), LAM_LAYERS (k, NULL, "."))

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (JsonNode) node =
      lm_json_parse ((const char *)data, size, LM_JSON_COMMENTS, "fuzz", NULL);
  LmFieldTable *table = lm_field_table_new ("t.thing", thing_lam_fields, sizeof (thing), NULL);
  thing instance = {0};

  if (node != NULL) {
    g_autofree char *text = lm_json_print (node), *same = NULL;
    g_autoptr (JsonNode) again = lm_json_parse (text, strlen (text), LM_JSON_STRICT, "again", NULL);
    g_assert_nonnull (again);
    same = lm_json_print (again);
    g_assert_cmpstr (text, ==, same);
  }
  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node)) {
    g_autoptr (LmParams) params =
        lm_params_new (table, json_node_get_object (node), NULL, "m", NULL);
    if (params != NULL)
      lm_params_fill (params, &instance);
  }
  lm_field_table_free (table);
  return 0;
}
