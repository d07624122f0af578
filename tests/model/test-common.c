/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/common.c: what a child inherits (semantics 1.3), and repeat prefixes. */
#include "core/model/private.h"
#include "tests/model/life.h"

#include <math.h>
#include <string.h>

#define LIFE "{'type': 'stranger.life', "
#define LEAF "'names': ['w'], 'shape': [4, 2]}"

/* A layer with three children: one that says nothing, one that says `own`, one below the first. */
static LmModel *
family (Life *f, const char *parent, const char *own)
{
  g_autofree char *text = g_strdup_printf (LIFE "%s, 'children': [" LIFE "'children': [" LIFE LEAF
                                                "], 'child_names': ['below'], " LEAF ", " LIFE
                                                "%s, " LEAF "], 'child_names': ['silent', 'own']}",
                                           parent, own);
  return life_new (f, text);
}

static const lam_var_info *
info (const LmModel *model, const char *path)
{
  return lm_model_var (model, life_var (model, path));
}

static const lam_var_spec *
spec (const LmModel *model, const char *path)
{
  return lm_model_var_spec (model, life_var (model, path));
}

/* dtype: the parent's unless said; also float32 below bf16, which upstream cannot say (fault 14). */
static void
test_dtype (Life *f, gconstpointer unused)
{
  g_autoptr (LmModel) model = family (f, "'dtype': 'bf16'", "'dtype': 'f32'");
  g_assert_cmpint (info (model, "silent.w")->type.dtype, ==, LAM_BF16);
  g_assert_cmpint (info (model, "silent.below.w")->type.dtype, ==, LAM_BF16);
  g_assert_cmpint (info (model, "own.w")->type.dtype, ==, LAM_F32);
  g_autoptr (LmModel) wide = life_new (f, "{'dtype': 'f64', 'model': " LIFE LEAF "}");
  g_assert_cmpint (info (wide, "w")->type.dtype, ==, LAM_F64);
}

/* params_init: the parent's unless said; also xavier of scale 1, the default (fault 15). */
static void
test_params_init (Life *f, gconstpointer unused)
{
  g_autoptr (LmModel) model = family (f, "'params_init': {'method': 'gaussian', 'scale': 0.5}",
                                      "'params_init': {'method': 'xavier', 'scale': 1.0}");
  g_assert_cmpint (spec (model, "silent.w")->init.method, ==, LAM_INIT_GAUSSIAN);
  g_assert_cmpfloat (spec (model, "silent.below.w")->init.scale, ==, 0.5);
  g_assert_cmpint (spec (model, "own.w")->init.method, ==, LAM_INIT_XAVIER);
  g_autoptr (LmModel) silent = life_new (f, LIFE LEAF);
  g_assert_cmpint (spec (silent, "w")->init.method, ==, LAM_INIT_XAVIER);
  g_assert_cmpfloat (spec (silent, "w")->init.scale, ==, 1);
  /* A variable that says how it starts is not asked. */
  g_autoptr (LmModel) said = life_new (
      f, LIFE "'params_init': {'method': 'gaussian'}, 'init': {'method': 'uniform'}, " LEAF);
  g_assert_cmpint (spec (said, "w")->init.method, ==, LAM_INIT_UNIFORM);
}

static void
test_skip_lp (Life *f, gconstpointer unused)
{
  const uint32_t skip = LAM_SKIP_LP_REGULARIZATION;
  g_autoptr (LmModel) model =
      family (f, "'skip_lp_regularization': true", "'skip_lp_regularization': false");
  g_assert_cmpuint (info (model, "silent.w")->collections, ==, skip);
  g_assert_cmpuint (info (model, "silent.below.w")->collections, ==, skip);
  g_assert_cmpuint (info (model, "own.w")->collections, ==, 0);
}

static void
check_type (const LmModel *model, const char *path, const char *type, int32_t n_prefix)
{
  g_autofree char *got = lm_type_to_string (&info (model, path)->type);
  g_assert_cmpstr (got, ==, type);
  g_assert_cmpint (info (model, path)->n_prefix, ==, n_prefix);
  g_assert_cmpint (spec (model, path)->shape.rank, ==, 2);
}

/* Inherited; one of the child's own follows the parent's. */
static void
test_prefix (Life *f, gconstpointer unused)
{
  g_autoptr (LmModel) model = family (f, "'repeat_prefix': [3]", "'repeat_prefix': [5, 2]");
  check_type (model, "silent.w", "f32[3,4,2]", 1);
  check_type (model, "silent.below.w", "f32[3,4,2]", 1);
  check_type (model, "own.w", "f32[3,5,2,4,2]", 3);
  g_autoptr (LmModel) none = life_new (f, LIFE LEAF);
  check_type (none, "w", "f32[4,2]", 0);
}

static LmArray *
value (LmBackend *backend, const lam_var_spec *s, const lam_shape *prefix)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTrace) trace = lm_trace_new ("value", lm_host_tables ()->trace, NULL, LAM_F32);
  lam_type key_type = lm_type (LAM_U32, 1, (int64_t[]) {2});
  lam_key key = {lm_trace_param (trace, &key_type)};
  lam_tensor y = lm_var_init_value (lm_trace_pub (trace), key, s, prefix, "v");
  g_autoptr (LmFunction) f = lm_trace_finish (trace, &y, 1, &error);
  g_assert_no_error (error);
  g_autoptr (LmArray) in = lm_test_key (8, 9);
  LmArray *out;
  lm_test_run (backend, f, &in, &out);
  return out;
}

/* Statistics of the shape without the prefix, one draw for the whole stack: xavier of (4, 2) three times
 * is U (-1, 1) of (3, 4, 2) times sqrt (6 / (4 + 2)) = 1; and a gaussian over the root of fan_in, 4. */
static void
test_prefix_start (Life *f, gconstpointer unused)
{
  static const struct {
    int32_t method, plain;
    double scale;
  } cases[] = {{LAM_INIT_XAVIER, LAM_INIT_UNIFORM, 1},
               {LAM_INIT_GAUSSIAN_SQRT_FANIN, LAM_INIT_GAUSSIAN, 0.5},
               {LAM_INIT_GAUSSIAN_SQRT_DIM, LAM_INIT_GAUSSIAN, 0.5},
               {LAM_INIT_CONSTANT, LAM_INIT_CONSTANT, 1}};
  const lam_shape three = LAM_SHAPE (3), none = LAM_SCALAR;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    lam_var_spec one = lam_var_spec_make (LAM_SHAPE (4, 2), lam_init_make (cases[i].method, 1));
    lam_var_spec all =
        lam_var_spec_make (LAM_SHAPE (3, 4, 2), lam_init_make (cases[i].plain, cases[i].scale));
    one.dtype = all.dtype = LAM_F32;
    g_autoptr (LmArray) got = value (f->backend, &one, &three);
    g_autoptr (LmArray) want = value (f->backend, &all, &none);
    g_assert_true (lm_type_equal (&got->type, &want->type));
    g_assert_cmpmem (got->data, got->bytes, want->data, want->bytes);
  }
}

/* fprop sees the whole stack. */
static void
test_prefix_fprop (Life *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmLayerFn) fn = life_fn (
      f, LIFE "'repeat_prefix': [3], 'init': {'method': 'constant', 'scale': 2}, " LEAF, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) out = lm_layer_fn_run (fn, f->backend);
  g_assert_cmpfloat (lm_array_get_double (lm_layer_fn_result (fn, out, "y"), 0), ==, 3 * 8 * 2);
}

/* A parent layer sets it through the child's config. */
static void
test_prefix_by_key (Life *f, gconstpointer unused)
{
  g_autoptr (LmModel) model =
      life_new (f, "{'type': 'lamina.feed_forward', 'repeat_prefix': [6], 'input_dims': 4, "
                   "'output_dims': 2}");
  check_type (model, "linear.w", "f32[6,4,2]", 1);
  g_autofree char *text = lm_model_to_text (model);
  g_assert_nonnull (strstr (text, "w f32[6,4,2] (6 repeats)\n"));
}

typedef struct Bad {
  const char *name, *config, *pieces[3];
} Bad;

static const Bad bad[] = {
    {"prefix-split-length",
     LIFE "'repeat_prefix': [3, 2], 'repeat_prefix_split_dims_mapping': [-1], " LEAF,
     {"repeat_prefix_split_dims_mapping wants one element"}},
    {"prefix-leaves-no-dim",
     LIFE "'repeat_prefix': [1, 1, 1, 1, 1, 1, 1, 1], " LEAF,
     {"repeat_prefix", "at most 8"}},
    {"prefix-and-shape",
     LIFE "'repeat_prefix': [1, 1, 1, 1, 1, 1, 1], " LEAF,
     {"variable w: 2 dims after 7 of repeat_prefix"}},
    {"prefix-of-zero", LIFE "'repeat_prefix': [0], " LEAF, {"repeat_prefix", ">= 1"}},
    {"dtype", LIFE "'dtype': 'float33', " LEAF, {"dtype", "float33"}},
    {"typo", LIFE "'repeat_prefx': [2], " LEAF, {"repeat_prefx"}},
};

static void
test_bad (Life *f, gconstpointer data)
{
  const Bad *b = data;
  GError *error = NULL;
  g_assert_null (life_try (f, b->config, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, b->pieces[0], b->pieces[1], b->pieces[2], NULL);
}

/* What `lamina params layer` shows. */
static void
test_table (Life *f, gconstpointer unused)
{
  static const char *const keys[] = {"dtype",
                                     "params_init",
                                     "skip_lp_regularization",
                                     "repeat_prefix",
                                     "repeat_prefix_split_dims_mapping",
                                     "shared_weight_layer_id",
                                     "weight_split_dims_mapping"};
  g_autoptr (GError) error = NULL;
  LmFieldTable *table = lm_layer_config_table (&error);
  g_assert_no_error (error);
  g_assert_cmpuint (lm_field_table_size (table), ==, G_N_ELEMENTS (keys));
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_cmpuint (strlen (lm_field_table_find (table, keys[i])->doc), >, 10);
  lm_field_table_free (table);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  LIFE_CASE ("/model/common/inherit/dtype", test_dtype);
  LIFE_CASE ("/model/common/inherit/params-init", test_params_init);
  LIFE_CASE ("/model/common/inherit/skip-lp-regularization", test_skip_lp);
  LIFE_CASE ("/model/common/inherit/repeat-prefix", test_prefix);
  LIFE_CASE ("/model/common/prefix/start-values", test_prefix_start);
  LIFE_CASE ("/model/common/prefix/fprop", test_prefix_fprop);
  LIFE_CASE ("/model/common/prefix/by-key", test_prefix_by_key);
  LIFE_CASE ("/model/common/table", test_table);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *path = g_strdup_printf ("/model/common/bad/%s", bad[i].name);
    g_test_add (path, Life, &bad[i], life_set_up, test_bad, life_tear_down);
  }
  return g_test_run ();
}
