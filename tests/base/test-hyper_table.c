/* SPDX-License-Identifier: Apache-2.0 */
/* Params at run time from a field table: defaults and docs; what comes out is a config that the table
 * takes. */
#include "core/base/hyper_table.h"

#include "core/base/hyper_text.h"
#include <string.h>

typedef struct {
  int64_t dims;
  double rate;
  bool bias;
  const char *mode;
  lam_ints window;
  lam_dtype dtype;
  lam_init init;
  lam_child_config body, blocks;
} thing;

LAM_FIELDS (thing, LAM_INT (dims, 0, "Depth."), LAM_MIN (1), LAM_FLOAT (rate, 0.25, "Rate."),
            LAM_BOOL (bias, true, "Bias."), LAM_STRING (mode, "same", "Mode."),
            LAM_INTS (window, "[2, 2]", "Window."), LAM_DTYPE (dtype, LAM_DTYPE_NONE, "Type."),
            LAM_INIT (init, NULL, "Start."),
            LAM_LAYER_CONFIG (body, "{\"type\": \"a.b\"}", "Body."),
            LAM_LAYERS (blocks, NULL, "Blocks."))

static void
test_define (void)
{
  LmFieldTable *table = lm_field_table_new ("t.thing", thing_lam_fields, sizeof (thing), NULL);
  g_autoptr (LmHyper) params = lm_hyper_new ("t.thing");
  g_autoptr (GError) error = NULL;

  g_assert_true (lm_hyper_define (params, "rate", lm_hyper_int (7), "Mine.", NULL));
  lm_hyper_define_table (params, table, &error);
  g_assert_no_error (error);
  g_autofree char *text = lm_hyper_to_text (params, true);
  /* dims has to be given; rate was defined before. */
  g_assert_cmpstr (
      text, ==,
      "bias : True\nblocks : []\nbody.cls : 'a.b'\ncls : 't.thing'\ndims : NoneType\n"
      "dtype : NoneType\ninit : NoneType\nmode : 'same'\nrate : 7\nwindow : [2, 2]\n\n\n"
      "bias : bool\nblocks : list\nbody.cls : str\ncls : str\ndims : NoneType\n"
      "dtype : NoneType\ninit : NoneType\nmode : str\nrate : int\nwindow : list\n");
  g_assert_cmpstr (lm_hyper_name (params, 2), ==, "dims");
  g_assert_cmpstr (lm_hyper_description (params, 2), ==, "Depth.");
  g_assert_cmpstr (lm_hyper_description (params, 1), ==, "Mine.");
  lm_field_table_free (table);
}

static void
test_config (void)
{
  static const char *const extra[] = {"type", NULL};
  LmFieldTable *table = lm_field_table_new ("t.thing", thing_lam_fields, sizeof (thing), NULL);
  g_autoptr (LmHyper) params = lm_hyper_new ("t.thing");
  g_autoptr (GError) error = NULL;
  thing x = {0};

  lm_hyper_define_table (params, table, NULL);
  lm_hyper_set (params, "dims", lm_hyper_int (3), NULL);
  lm_hyper_set (params, "dtype", lm_hyper_string ("bf16"), NULL);
  g_autoptr (JsonNode) node = lm_hyper_to_json (params);
  LmParams *read = lm_params_new (table, json_node_get_object (node), extra, "x", &error);
  g_assert_no_error (error);
  lm_params_fill (read, &x);
  g_assert_true (x.dims == 3 && x.rate == 0.25 && x.bias && x.dtype == LAM_BF16);
  g_assert_cmpuint (x.window.n, ==, 2);
  g_assert_cmpstr (json_object_get_string_member (lm_params_child (read, 7, -1), "type"), ==,
                   "a.b");
  lm_params_free (read);
  lm_field_table_free (table);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/hyper_table/define", test_define);
  g_test_add_func ("/base/hyper_table/config", test_config);
  return g_test_run ();
}
