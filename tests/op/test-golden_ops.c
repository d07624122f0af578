/* SPDX-License-Identifier: Apache-2.0 */
/* Values of every op against the golden groups ops and ops_more, on each backend. */
#include "core/op/emit.h"
#include "tests/lib/fixture.h"
#include "tests/lib/golden_op.h"

#include <math.h>
#include <string.h>

typedef struct Run {
  LmGolden *golden;
  LmBackend *backend;
  guint done;
  GHashTable *skipped; /* first part of the id -> count */
} Run;

static bool
is_fill_gather (const LmGoldenCase *c)
{
  const char *mode = json_object_get_string_member_with_default (c->attrs, "mode", "");
  return strcmp (c->kind, "gather") == 0 && strcmp (mode, "FILL_OR_DROP") == 0;
}

/* jax fills dropped slices with NaN, the lowest or the largest integer; our row says 0. The inputs
 * hold none of these, so that what is one of them was filled. */
static void
refill (const LmGoldenTensor *want, void *copy)
{
  uint32_t bytes = lam_dtype_bits (want->type.dtype) / 8;
  for (int64_t i = 0; i < want->elements; i++) {
    double v = lm_golden_value (want->type.dtype, copy, i);
    bool filled = isnan (v) || (want->type.dtype == LAM_I32 && v == INT32_MIN)
                  || (want->type.dtype == LAM_U32 && v == UINT32_MAX);
    if (filled)
      memset ((char *)copy + i * bytes, 0, bytes);
  }
}

/* XLA copies the top bit of unsigned integers too; our row says zeros, which is a shift of the plain
 * kind: the case shift_right_logical has the same inputs. */
static bool
is_unsigned_shift (const LmGoldenCase *c, const LmGoldenTensor *want)
{
  return strcmp (c->kind, "shift_right_arithmetic") == 0
         && lam_dtype_is_unsigned (want->type.dtype);
}

static bool
compare_logical (const Run *r, const LmGoldenCase *c, const char *name, const LmArray *got,
                 GString *why)
{
  g_autofree char *id =
      g_strconcat ("shift_right_logical", c->id + strlen ("shift_right_arithmetic"), NULL);
  const LmGoldenCase *logical = lm_golden_lookup (r->golden, id);
  static const char *const in[] = {"a", "b"};
  for (int i = 0; i < 2; i++) {
    LmGoldenTensor x, y;
    g_assert_true (lm_golden_tensor (r->golden, c, "in", in[i], &x));
    g_assert_true (lm_golden_tensor (r->golden, logical, "in", in[i], &y));
    g_assert_cmpmem (x.data, x.nbytes, y.data, y.nbytes);
  }
  return lm_golden_compare (r->golden, logical, "out", name, got->data, (gsize)got->bytes, why);
}

/* numpy and XLA go from f64 to 16 bits by way of f32 and so round twice; we round once. Takes over
 * elements of ours that are strictly nearer to the input (inf stands for 2^128 or 65536). */
static void
round_once (const Run *r, const LmGoldenCase *c, const LmGoldenTensor *want, const LmArray *got,
            void *copy)
{
  LmGoldenTensor x;
  double top = want->type.dtype == LAM_BF16 ? ldexp (1, 128) : 65536;
  g_assert_true (lm_golden_tensor (r->golden, c, "in", "x", &x));
  for (int64_t i = 0; i < want->elements; i++) {
    double at = lm_golden_value (x.type.dtype, x.data, i);
    double theirs = lm_golden_value (want->type.dtype, copy, i);
    double ours = lm_golden_value (want->type.dtype, got->data, i);
    if (isinf (theirs) && isfinite (at))
      theirs = copysign (top, theirs);
    if (fabs (ours - at) < fabs (theirs - at))
      memcpy ((char *)copy + 2 * i, (const char *)got->data + 2 * i, 2);
  }
}

static bool
is_narrowing (const LmGoldenCase *c, const LmGoldenTensor *want)
{
  const char *from = json_object_get_string_member_with_default (c->attrs, "from", "");
  return strcmp (c->kind, "convert") == 0 && strcmp (from, "f64") == 0
         && lam_dtype_is_float (want->type.dtype) && lam_dtype_bits (want->type.dtype) == 16;
}

static bool
compare (const Run *r, const LmGoldenCase *c, const char *name, const LmArray *got, GString *why)
{
  LmGoldenTensor want, ref;
  g_assert_true (lm_golden_tensor (r->golden, c, "out", name, &want));
  if (is_unsigned_shift (c, &want))
    return compare_logical (r, c, name, got, why);
  if (is_fill_gather (c) || is_narrowing (c, &want)) {
    g_autofree void *copy = g_memdup2 (want.data, want.nbytes);
    if (is_fill_gather (c))
      refill (&want, copy);
    else
      round_once (r, c, &want, got, copy);
    want.data = copy;
    return lm_golden_compare_arrays (name, &want, NULL, got->data, &c->tolerance, why);
  }
  if (lm_golden_compare (r->golden, c, "out", name, got->data, (gsize)got->bytes, why))
    return true;
  /* A second opinion: XLA rounds a bf16 sum after each element and flushes subnormals, we do not. */
  if (c->tolerance.mode == LM_GOLDEN_BITS || !lm_golden_tensor (r->golden, c, "ref", name, &ref)
      || !lm_type_equal (&ref.type, &want.type))
    return false;
  return lm_golden_compare_arrays (name, &ref, NULL, got->data, &c->tolerance, why);
}

static void
execute (Run *r, const LmGoldenCase *c, const LmFunction *f)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) in = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  g_autofree LmArray **out = g_new0 (LmArray *, f->ir.n_results);
  JsonArray *names = lm_golden_names (c, "out");
  lm_golden_arrays (r->golden, c, "in", in);
  g_ptr_array_add (in, NULL); /* pdata is not NULL for a case without inputs */
  if (!lm_run_function (r->backend, f, (LmArray *const *)in->pdata, out, &error)) {
    g_test_message ("%s: %s", c->id, error->message);
    g_test_fail ();
    g_ptr_array_set_size (in, (gint)in->len - 1);
    return;
  }
  g_ptr_array_set_size (in, (gint)in->len - 1);
  for (guint i = 0; i < f->ir.n_results; i++) {
    g_autoptr (GString) why = g_string_new (NULL);
    if (!compare (r, c, json_array_get_string_element (names, i), out[i], why)) {
      g_test_message ("%s: %s", c->id, why->str);
      g_test_fail ();
    }
    lm_array_unref (out[i]);
  }
  r->done++;
}

static void
check_case (Run *r, const LmGoldenCase *c)
{
  g_autoptr (GError) error = NULL;
  LmValue in[8], out[8], first;
  LmBuilder *b = lm_builder_new (c->kind);
  lm_golden_params (b, r->golden, c, in);
  first = lm_golden_record (b, r->golden, c, in);
  guint n = json_array_get_length (lm_golden_names (c, "out"));
  if (first == LM_NIL && lm_builder_error (b) == NULL) {
    char *name = g_strndup (c->id, strcspn (c->id, "."));
    guint count = GPOINTER_TO_UINT (g_hash_table_lookup (r->skipped, name));
    g_hash_table_insert (r->skipped, name, GUINT_TO_POINTER (count + 1));
    lm_builder_free (b);
    return;
  }
  for (guint i = 0; i < n; i++)
    out[i] = first + i;
  g_autoptr (LmFunction) f = lm_builder_finish (b, out, n, &error);
  if (f == NULL)
    g_error ("%s: %s", c->id, error->message);
  execute (r, c, f);
}

/* Only what is no row of ours may be skipped, and bitcasts between widths. */
static guint
print_skipped (const Run *r)
{
  static const char *const expected[] = {
      "bitcast_convert", "count_leading_zeros", "cumlogsumexp",       "cummax", "cummin",
      "cumprod",         "reduce_xor",          "select_and_scatter", NULL};
  GHashTableIter iter;
  gpointer kind, count;
  guint n = 0;
  g_hash_table_iter_init (&iter, r->skipped);
  while (g_hash_table_iter_next (&iter, &kind, &count)) {
    g_test_message ("skipped: %s (%u cases)", (const char *)kind, GPOINTER_TO_UINT (count));
    g_assert_true (g_strv_contains (expected, kind));
    n += GPOINTER_TO_UINT (count);
  }
  return n;
}

static void
check_group (const char *group, const char *backend)
{
  g_autoptr (GError) error = NULL;
  LmRegistry *registry = lm_test_registry ();
  Run r = {.backend = lm_test_backend (registry, backend),
           .golden = lm_golden_open (group, &error),
           .skipped = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL)};
  g_assert_no_error (error);
  for (guint i = 0; i < lm_golden_n_cases (r.golden); i++)
    check_case (&r, lm_golden_case (r.golden, i));
  g_assert_cmpuint (r.done + print_skipped (&r), ==, lm_golden_n_cases (r.golden));
  g_assert_cmpuint (r.done, >, 700);
  g_hash_table_unref (r.skipped);
  lm_golden_free (r.golden);
  lm_backend_unref (r.backend);
  lm_registry_free (registry);
}

static void
test_ops (gconstpointer backend)
{
  check_group ("ops", backend);
}

static void
test_ops_more (gconstpointer backend)
{
  check_group ("ops_more", backend);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/op/golden_ops/reference", "reference", test_ops);
  g_test_add_data_func ("/op/golden_ops/cpu", "cpu", test_ops);
  g_test_add_data_func ("/op/golden_ops/more/reference", "reference", test_ops_more);
  g_test_add_data_func ("/op/golden_ops/more/cpu", "cpu", test_ops_more);
  return g_test_run ();
}
