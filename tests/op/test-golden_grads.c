/* SPDX-License-Identifier: Apache-2.0 */
/* Values, gradients and second derivatives against the golden group grads, on each backend. One
 * function gives all: v = vjp (f) takes x and ct to y and d x; vjp (v) pulls the tangent back through
 * d x, which is the derivative of the gradient along it, for second derivatives are symmetric. */
#include "core/op/emit.h"
#include "core/transform/transform.h"
#include "tests/lib/fixture.h"
#include "tests/lib/golden_op.h"

#include <math.h>
#include <string.h>

/* --- functions that are more than one op ------------------------------------------------------- */

/* x over axis 1 (its last) reduced and repeated. */
static LmValue
along_rows (LmBuilder *b, LmValue x, const char *how)
{
  lam_type type = *lm_builder_type (b, x);
  int64_t axis = 1, kept = 0;
  return lm_broadcast (b, lm_reduce (b, x, how, &axis, 1), &type, &kept, 1);
}

static LmValue
logsumexp (LmBuilder *b, LmValue x)
{
  int64_t axis = 1;
  LmValue top = lm_emit_unary (b, LAM_OP_stop_gradient, along_rows (b, x, "maximum"));
  LmValue power = lm_emit_unary (b, LAM_OP_exponential, lm_sub (b, x, top));
  LmValue log = lm_emit_unary (b, LAM_OP_log, lm_reduce (b, power, "add", &axis, 1));
  return lm_add (b, log, lm_reduce (b, top, "maximum", &axis, 1));
}

static LmValue
softmax (LmBuilder *b, LmValue x)
{
  LmValue top = lm_emit_unary (b, LAM_OP_stop_gradient, along_rows (b, x, "maximum"));
  LmValue power = lm_emit_unary (b, LAM_OP_exponential, lm_sub (b, x, top));
  return lm_div (b, power, along_rows (b, power, "add"));
}

static LmValue
gelu_tanh (LmBuilder *b, LmValue x)
{
  LmValue cube = lm_mul (b, lm_mul (b, x, x), x);
  LmValue inner = lm_mul_scalar (b, lm_add (b, x, lm_mul_scalar (b, cube, 0.044715)),
                                 sqrt (2) * M_2_SQRTPI / 2);
  LmValue cdf = lm_add_scalar (b, lm_emit_unary (b, LAM_OP_tanh, inner), 1);
  return lm_mul (b, x, lm_mul_scalar (b, cdf, 0.5));
}

static LmValue
gelu_erf (LmBuilder *b, LmValue x)
{
  LmValue inner = lm_emit_unary (b, LAM_OP_erf, lm_mul_scalar (b, x, M_SQRT1_2));
  return lm_mul_scalar (b, lm_mul (b, x, lm_add_scalar (b, inner, 1)), 0.5);
}

/* select (x <= 0, 0, x): gradient 0 at 0. */
static LmValue
relu (LmBuilder *b, LmValue x)
{
  LmValue zero = lm_zeros_like (b, x);
  return lm_select (b, lm_compare (b, x, zero, "LE"), zero, x);
}

static LmValue
layer_norm (LmBuilder *b, LmValue x, LmValue scale, LmValue bias)
{
  lam_type type = *lm_builder_type (b, x);
  int64_t axis = 1;
  double share = 1 / (double)type.dims[1];
  LmValue centred = lm_sub (b, x, lm_mul_scalar (b, along_rows (b, x, "add"), share));
  LmValue variance = lm_mul_scalar (b, along_rows (b, lm_mul (b, centred, centred), "add"), share);
  LmValue inverse = lm_emit_unary (b, LAM_OP_rsqrt, lm_add_scalar (b, variance, 1e-6));
  LmValue gain = lm_broadcast (b, lm_add_scalar (b, scale, 1), &type, &axis, 1);
  LmValue y = lm_mul (b, lm_mul (b, centred, inverse), gain);
  return lm_add (b, y, lm_broadcast (b, bias, &type, &axis, 1));
}

static LmValue
record_composite (LmBuilder *b, const char *id, const LmValue *in)
{
  if (strcmp (id, "logsumexp") == 0)
    return logsumexp (b, in[0]);
  if (strcmp (id, "softmax") == 0)
    return softmax (b, in[0]);
  if (strcmp (id, "gelu_tanh") == 0)
    return gelu_tanh (b, in[0]);
  if (strcmp (id, "gelu_erf") == 0)
    return gelu_erf (b, in[0]);
  if (strcmp (id, "relu.zero") == 0)
    return relu (b, in[0]);
  g_assert_cmpstr (id, ==, "layernorm");
  return layer_norm (b, in[0], in[1], in[2]);
}

/* What the case applies after its op. Ours reads dropped slices as 0, so that nan_to_num is nothing. */
static LmValue
then (LmBuilder *b, const LmGoldenCase *c, LmValue y)
{
  const char *what = json_object_get_string_member_with_default (c->attrs, "then", "");
  if (strcmp (what, "sine") == 0)
    return lm_emit_unary (b, LAM_OP_sine, y);
  if (strcmp (what, "cube") == 0)
    return lm_mul (b, lm_mul (b, y, y), y);
  if (strcmp (what, "square") == 0 || strcmp (what, "nan_to_num, square") == 0)
    return lm_mul (b, y, y);
  if (strcmp (what, "times 1,2,3..") == 0) {
    const lam_type type = *lm_builder_type (b, y);
    return lm_mul (b, y, lm_add_scalar (b, lm_iota (b, &type, type.rank - 1), 1));
  }
  g_assert_cmpstr (what, ==, "");
  return y;
}

/* LM_NIL: a kind that is no row yet. */
static LmValue
record (LmBuilder *b, const LmGolden *golden, const LmGoldenCase *c, const LmValue *in)
{
  if (strcmp (c->kind, "composite") == 0)
    return record_composite (b, c->id, in);
  if (strcmp (c->kind, "stop_gradient") == 0) {
    LmValue sine = lm_emit_unary (b, LAM_OP_sine, in[0]);
    return lm_mul (b, in[0], lm_emit_unary (b, LAM_OP_stop_gradient, sine));
  }
  LmValue y = lm_golden_record (b, golden, c, in);
  return y == LM_NIL ? LM_NIL : then (b, c, y);
}

/* --- running ----------------------------------------------------------------------------------- */

typedef struct Run {
  LmGolden *golden;
  LmBackend *backend;
  guint done, second, skipped;
} Run;

static LmFunction *
vjp_of (const LmFunction *f, guint n_wanted, guint n_skip)
{
  g_autoptr (GError) error = NULL;
  g_autofree bool *wanted = g_new0 (bool, f->ir.n_params);
  g_autofree bool *given = g_new0 (bool, f->ir.n_results);
  memset (wanted, true, n_wanted);
  for (guint j = n_skip; j < f->ir.n_results; j++)
    given[j] = true;
  LmFunction *vjp = lm_vjp (f, wanted, given, &error);
  g_assert_no_error (error);
  return vjp;
}

static void
compare (Run *r, const LmGoldenCase *c, const char *section, LmArray **got)
{
  JsonArray *names = lm_golden_names (c, section);
  for (guint i = 0; names != NULL && i < json_array_get_length (names); i++) {
    g_autoptr (GString) why = g_string_new (NULL);
    if (lm_golden_compare (r->golden, c, section, json_array_get_string_element (names, i),
                           got[i]->data, (gsize)got[i]->bytes, why))
      continue;
    g_test_message ("%s: %s", c->id, why->str);
    g_test_fail ();
  }
}

/* f: the n inputs -> y. */
static void
execute (Run *r, const LmGoldenCase *c, const LmFunction *f, guint n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) in = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  g_autoptr (LmFunction) first = vjp_of (f, n, 0);
  bool twice = lm_golden_names (c, "hvp") != NULL;
  g_autoptr (LmFunction) both = twice ? vjp_of (first, n, 1) : lm_function_ref (first);
  g_autofree LmArray **out = g_new0 (LmArray *, both->ir.n_results);
  lm_golden_arrays (r->golden, c, "in", in);
  lm_golden_arrays (r->golden, c, "cotangent", in);
  if (twice)
    lm_golden_arrays (r->golden, c, "tangent", in);
  if (!lm_run_function (r->backend, both, (LmArray *const *)in->pdata, out, &error))
    g_error ("%s: %s", c->id, error->message);
  compare (r, c, "out", out);
  compare (r, c, "grad", out + 1);
  if (twice)
    compare (r, c, "hvp", out + 1 + n);
  for (guint i = 0; i < both->ir.n_results; i++)
    lm_array_unref (out[i]);
  r->done++;
  r->second += twice;
}

static void
check_case (Run *r, const LmGoldenCase *c)
{
  g_autoptr (GError) error = NULL;
  LmBuilder *b = lm_builder_new (c->kind);
  LmValue in[8];
  guint n = lm_golden_params (b, r->golden, c, in);
  LmValue y = record (b, r->golden, c, in);
  if (y == LM_NIL && lm_builder_error (b) == NULL) {
    static const char *const expected[] = {"cumlogsumexp", "cummax", "cumprod",
                                           "scan",         "case",   NULL};
    g_test_message ("skipped: %s (%s)", c->id, c->kind);
    g_assert_true (g_strv_contains (expected, c->kind));
    lm_builder_free (b);
    r->skipped++;
    return;
  }
  g_autoptr (LmFunction) f = lm_builder_finish (b, &y, 1, &error);
  if (f == NULL)
    g_error ("%s: %s", c->id, error->message);
  execute (r, c, f, n);
}

static void
test_grads (gconstpointer backend)
{
  g_autoptr (GError) error = NULL;
  LmRegistry *registry = lm_test_registry ();
  Run r = {.backend = lm_test_backend (registry, backend),
           .golden = lm_golden_open ("grads", &error)};
  g_assert_no_error (error);
  for (guint i = 0; i < lm_golden_n_cases (r.golden); i++)
    check_case (&r, lm_golden_case (r.golden, i));
  g_test_message ("%u cases, %u with second derivatives, %u skipped", r.done, r.second, r.skipped);
  g_assert_cmpuint (r.done + r.skipped, ==, lm_golden_n_cases (r.golden));
  g_assert_cmpuint (r.skipped, ==, 12);
  lm_golden_free (r.golden);
  lm_backend_unref (r.backend);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/op/golden_grads/reference", "reference", test_grads);
  g_test_add_data_func ("/op/golden_grads/cpu", "cpu", test_grads);
  return g_test_run ();
}
