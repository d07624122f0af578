/* SPDX-License-Identifier: Apache-2.0 */
/* core/trace/random.c and <lamina/random.h> against JAX: groups keys and key_cases, both layouts, run on
 * the reference backend. Tolerances are the groups' own. */
#include "tests/lib/fixture.h"
#include "tests/lib/golden.h"
#include <lamina/layer.h>

#include <string.h>

static bool
is_original (JsonObject *attrs)
{
  if (json_object_has_member (attrs, "layout"))
    return strcmp (json_object_get_string_member (attrs, "layout"), "original") == 0;
  return !json_object_get_boolean_member_with_default (attrs, "jax_threefry_partitionable", TRUE);
}

static lam_shape
shape_of (JsonObject *attrs)
{
  lam_shape shape = LAM_SCALAR;
  JsonArray *dims = json_object_get_array_member (attrs, "shape");
  shape.rank = (int32_t)json_array_get_length (dims);
  for (int32_t i = 0; i < shape.rank; i++)
    shape.dims[i] = json_array_get_int_element (dims, (guint)i);
  return shape;
}

static uint32_t
elements (lam_shape shape)
{
  int64_t n = 1;
  for (int32_t i = 0; i < shape.rank; i++)
    n *= shape.dims[i];
  return (uint32_t)n;
}

static lam_dtype
dtype_of (JsonObject *attrs, const char *key)
{
  static const struct {
    const char *name;
    lam_dtype dtype;
  } names[] = {
      {"float64", LAM_F64}, {"float32", LAM_F32}, {"float16", LAM_F16}, {"bfloat16", LAM_BF16}};
  const char *name = json_object_get_string_member (attrs, key);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (name, names[i].name) == 0 || strcmp (name, lam_dtype_name (names[i].dtype)) == 0)
      return names[i].dtype;
  g_error ("dtype %s", name);
}

/* What a case draws; nil for kinds that this test leaves to others. */
static lam_tensor
draw (lam_trace *t, const LmGoldenCase *c, lam_key key)
{
  JsonObject *a = c->attrs;
  if (strcmp (c->kind, "split") == 0) {
    uint32_t n = json_object_has_member (a, "num") ? (uint32_t)json_object_get_int_member (a, "num")
                                                   : elements (shape_of (a));
    g_autofree lam_key *keys = g_new0 (lam_key, n);
    g_autofree lam_tensor *rows = g_new0 (lam_tensor, n);
    lam_split (t, key, n, keys);
    for (uint32_t i = 0; i < n; i++)
      rows[i] = lam_reshape (t, keys[i].bits, LAM_SHAPE (1, 2));
    return lam_concat (t, rows, n, 0);
  }
  if (strcmp (c->kind, "fold_in") == 0) {
    uint32_t data = (uint32_t)json_object_get_int_member (a, "data");
    return lam_fold_in (t, key, lam_full_bits (t, LAM_U32, LAM_SCALAR, data)).bits;
  }
  if (strcmp (c->kind, "random_bits") == 0)
    return lam_random_bits (t, key, (uint32_t)json_object_get_int_member (a, "bit_width"),
                            shape_of (a));
  if (strcmp (c->kind, "bits") == 0)
    return lam_random_bits (t, key, (uint32_t)json_object_get_int_member (a, "width"),
                            shape_of (a));
  if (strcmp (c->kind, "uniform") == 0) {
    double range[2] = {json_object_get_double_member (a, "minval"),
                       json_object_get_double_member (a, "maxval")};
    if (range[0] == 0 && range[1] == 1)
      return lam_uniform (t, key, shape_of (a), dtype_of (a, "dtype"));
    return lam_uniform_range (t, key, shape_of (a), dtype_of (a, "dtype"), range);
  }
  if (strcmp (c->kind, "normal") == 0)
    return lam_normal (t, key, shape_of (a), dtype_of (a, "dtype"));
  if (strcmp (c->kind, "truncated_normal") == 0) {
    double range[2] = {json_object_get_double_member (a, "lower"),
                       json_object_get_double_member (a, "upper")};
    return lam_truncated_normal (t, key, shape_of (a), dtype_of (a, "dtype"), range);
  }
  if (strcmp (c->kind, "bernoulli") == 0)
    return lam_bernoulli (t, key, shape_of (a), dtype_of (a, "p_dtype"),
                          json_object_get_double_member (a, "p"));
  return lam_nil ();
}

static LmFunction *
trace_case (const LmGoldenCase *c)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTrace) trace = lm_trace_new ("draw", lm_host_tables ()->trace, NULL, LAM_F32);
  lam_trace *t = lm_trace_pub (trace);
  lam_type key_type = lm_type (LAM_U32, 1, (int64_t[]) {2});
  lam_key key = {lm_trace_param (trace, &key_type)};
  lam_context_args args = {.struct_size = sizeof args, .original_keys = is_original (c->attrs)};
  t->api->context_push (t, &args);
  lam_tensor y = draw (t, c, key);
  t->api->context_pop (t);
  if (lam_is_nil (y) && lam_is_ok (t))
    return NULL;
  LmFunction *f = lm_trace_finish (trace, &y, 1, &error);
  g_assert_no_error (error);
  return f;
}

/* Unit roundoff of a float dtype, doubled. */
static double
epsilon (lam_dtype dtype)
{
  return dtype == LAM_F64   ? 0x1p-52
         : dtype == LAM_F32 ? 0x1p-23
         : dtype == LAM_F16 ? 0x1p-10
                            : 0x1p-7;
}

/* U [0, 1) is bit for bit. Other ranges: XLA contracts u * (b - a) + a into one rounding, here each
 * operation rounds: they differ by at most the rounding of u * (b - a). */
static bool
compare (const LmGolden *g, const LmGoldenCase *c, const char *name, const LmArray *out,
         GString *why)
{
  double span = strcmp (c->kind, "uniform") == 0
                    ? json_object_get_double_member (c->attrs, "maxval")
                          - json_object_get_double_member (c->attrs, "minval")
                    : 1;
  if (span == 1)
    return lm_golden_compare (g, c, "out", name, out->data, (gsize)out->bytes, why);
  LmGoldenTolerance t = {.mode = LM_GOLDEN_CLOSE, .atol = span * epsilon (out->type.dtype)};
  return lm_golden_compare_with (g, c, "out", name, out->data, (gsize)out->bytes, &t, why);
}

static bool
run_case (LmTestFixture *f, const LmGolden *g, const LmGoldenCase *c)
{
  g_autoptr (LmFunction) function = trace_case (c);
  LmGoldenTensor key;
  if (function == NULL)
    return false;
  g_assert_true (lm_golden_tensor (g, c, "in", "key", &key));
  g_autoptr (LmArray) in = lm_array_new_copy (&key.type, key.data, NULL);
  g_autoptr (LmArray) out = NULL;
  g_autoptr (GString) why = g_string_new (NULL);
  lm_test_run (f->backend, function, &in, &out);
  const char *name = json_array_get_string_element (lm_golden_names (c, "out"), 0);
  if (!compare (g, c, name, out, why))
    g_test_fail_printf ("%s: %s", c->id, why->str);
  return true;
}

static void
test_group (LmTestFixture *f, gconstpointer group)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open (group, &error);
  guint n = 0;
  g_assert_no_error (error);
  for (guint i = 0; i < lm_golden_n_cases (g); i++)
    n += run_case (f, g, lm_golden_case (g, i));
  g_test_message ("%u cases", n);
  g_assert_cmpuint (n, >=, 60);
}

/* The published vectors of semantics 1.23 (original layout), through one trace. */
static void
test_original_split (LmTestFixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTrace) trace = lm_trace_new ("split", lm_host_tables ()->trace, NULL, LAM_F32);
  lam_trace *t = lm_trace_pub (trace);
  lam_type key_type = lm_type (LAM_U32, 1, (int64_t[]) {2});
  lam_key key = {lm_trace_param (trace, &key_type)}, keys[3];
  lam_context_args args = {.struct_size = sizeof args, .original_keys = 1};
  t->api->context_push (t, &args);
  lam_split (t, key, 3, keys);
  t->api->context_pop (t);
  g_autoptr (LmFunction) function =
      lm_trace_finish (trace, (lam_tensor[]) {keys[0].bits, keys[1].bits, keys[2].bits}, 3, &error);
  g_assert_no_error (error);
  static const uint32_t wanted[3][2] = {
      {3512017511u, 739779186u}, {1047329699u, 140093922u}, {2907975018u, 3484112841u}};
  g_autoptr (LmArray) in = lm_test_key (0, 1234);
  LmArray *out[3];
  lm_test_run (f->backend, function, &in, out);
  for (int i = 0; i < 3; i++) {
    g_assert_cmpmem (out[i]->data, 8, wanted[i], 8);
    lm_array_unref (out[i]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/trace/random/keys", LmTestFixture, "keys", lm_test_set_up, test_group,
              lm_test_tear_down);
  g_test_add ("/trace/random/key-cases", LmTestFixture, "key_cases", lm_test_set_up, test_group,
              lm_test_tear_down);
  g_test_add ("/trace/random/original-split", LmTestFixture, NULL, lm_test_set_up,
              test_original_split, lm_test_tear_down);
  return g_test_run ();
}
