/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/orthogonal.c: orthogonal to 1e-6, at the centre tap, of the right scale, seeded. */
#include "core/model/private.h"
#include "tests/lib/fixture.h"
#include "tests/lib/golden.h"

#include <math.h>
#include <string.h>

static LmArray *
draw (LmTestFixture *f, const lam_var_spec *spec, const lam_shape *prefix, uint32_t seed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTrace) trace = lm_trace_new ("value", lm_host_tables ()->trace, NULL, LAM_F32);
  lam_type key_type = lm_type (LAM_U32, 1, (int64_t[]) {2});
  lam_key key = {lm_trace_param (trace, &key_type)};
  lam_tensor y = lm_var_init_value (lm_trace_pub (trace), key, spec, prefix, "v");
  g_autoptr (LmFunction) function = lm_trace_finish (trace, &y, 1, &error);
  g_assert_no_error (error);
  g_autoptr (LmArray) in = lm_test_key (0, seed);
  LmArray *out;
  lm_test_run (f->backend, function, &in, &out);
  return out;
}

/* The Gram matrix of the shorter side of x (in, out) is scale^2 times 1. */
static void
check_gram (const double *x, const int64_t dims[2], double scale, double tolerance)
{
  bool wide = dims[0] <= dims[1];
  int64_t n = MIN (dims[0], dims[1]), sum = MAX (dims[0], dims[1]);
  int64_t along = wide ? 1 : dims[1], across = wide ? dims[1] : 1;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      double g = 0;
      for (int64_t k = 0; k < sum; k++)
        g += x[i * across + k * along] * x[j * across + k * along];
      g_assert_cmpfloat_with_epsilon (g, i == j ? scale * scale : 0, tolerance);
    }
}

/* Taps (..., in, out): all zero but the centre one, which check_gram checks. */
static void
check_taps (const double *x, const lam_shape *shape, double scale, double tolerance)
{
  const int64_t *inner = &shape->dims[shape->rank - 2];
  int64_t size = inner[0] * inner[1], taps = 1, centre = 0;
  for (int32_t i = 0; i < shape->rank - 2; i++) {
    taps *= shape->dims[i];
    centre = centre * shape->dims[i] + (shape->dims[i] - 1) / 2;
  }
  for (int64_t i = 0; i < taps * size; i++)
    if (i / size != centre)
      g_assert_cmpfloat (x[i], ==, 0);
  check_gram (x + centre * size, inner, scale, tolerance);
}

typedef struct Case {
  const char *name;
  lam_dtype dtype;
  double scale, wanted, tolerance;
  lam_shape prefix, shape;
} Case;

/* wanted: scale * max (sqrt (in / out), 1). bf16 has 8 bits: rounding alone moves the products. */
static const Case cases[] = {
    {"rank-2/square", LAM_F64, 1, 1, 1e-12, {0, 0, {0}}, {2, 0, {5, 5}}},
    {"rank-2/wide", LAM_F64, 1, 1, 1e-12, {0, 0, {0}}, {2, 0, {3, 7}}},
    {"rank-2/tall", LAM_F64, 1, 1.5275252316519468, 1e-12, {0, 0, {0}}, {2, 0, {7, 3}}},
    {"rank-2/scaled", LAM_F64, 0.5, 0.5, 1e-12, {0, 0, {0}}, {2, 0, {4, 4}}},
    {"rank-2/f32", LAM_F32, 1, 1, 1e-6, {0, 0, {0}}, {2, 0, {48, 48}}},
    {"rank-2/bf16", LAM_BF16, 1, 1, 2e-2, {0, 0, {0}}, {2, 0, {6, 6}}},
    {"rank-2/one", LAM_F64, 2, 2, 1e-12, {0, 0, {0}}, {2, 0, {1, 1}}},
    {"rank-3", LAM_F32, 1, 1, 1e-6, {0, 0, {0}}, {3, 0, {2, 3, 5}}},
    {"rank-4", LAM_F32, 1, 1, 1e-6, {0, 0, {0}}, {4, 0, {3, 4, 8, 8}}},
    {"rank-4/tall", LAM_F32, 3, 6, 4e-5, {0, 0, {0}}, {4, 0, {3, 3, 8, 2}}},
    {"rank-5", LAM_F64, 1, 1, 1e-12, {0, 0, {0}}, {5, 0, {3, 1, 5, 2, 3}}},
    {"repeats", LAM_F64, 1, 1, 1e-12, {2, 0, {2, 2}}, {3, 0, {3, 4, 4}}},
};

static void
test_case (LmTestFixture *f, gconstpointer data)
{
  const Case *c = data;
  lam_var_spec spec = lam_var_spec_make (c->shape, LAM_DELTA_ORTHOGONAL (c->scale));
  spec.dtype = c->dtype;
  g_autoptr (LmArray) got = draw (f, &spec, &c->prefix, 3);
  int64_t n = lam_type_elements (&got->type), repeats = 1;
  g_assert_cmpint (got->type.dtype, ==, c->dtype);
  g_assert_cmpint (got->type.rank, ==, c->prefix.rank + c->shape.rank);
  for (int32_t i = 0; i < c->prefix.rank; i++)
    repeats *= c->prefix.dims[i];
  g_autofree double *x = g_new (double, n);
  for (int64_t i = 0; i < n; i++)
    x[i] = lm_array_get_double (got, i);
  for (int64_t i = 0; i < repeats; i++)
    check_taps (x + i * (n / repeats), &c->shape, c->wanted, c->tolerance);
  if (repeats > 1)
    g_assert_cmpint (memcmp (x, x + n / repeats, sizeof (double) * (size_t)(n / repeats)), !=, 0);
}

/* The same key, the same matrix; another key, another one. */
static void
test_seeded (LmTestFixture *f, gconstpointer unused)
{
  const lam_shape none = LAM_SCALAR;
  lam_var_spec spec = lam_var_spec_make (LAM_SHAPE (4, 4), LAM_DELTA_ORTHOGONAL (1));
  spec.dtype = LAM_F32;
  g_autoptr (LmArray) a = draw (f, &spec, &none, 1), b = draw (f, &spec, &none, 1);
  g_autoptr (LmArray) c = draw (f, &spec, &none, 2);
  g_assert_cmpmem (a->data, a->bytes, b->data, b->bytes);
  g_assert_cmpint (memcmp (a->data, c->data, (size_t)a->bytes), !=, 0);
}

/* 200 square draws of each small size: the singular values that one random matrix in many brings close
 * to 0 come out as 1 too. */
static void
test_many (LmTestFixture *f, gconstpointer unused)
{
  static const int64_t sizes[] = {1, 2, 3, 8};
  const lam_shape many = LAM_SHAPE (200);
  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
    int64_t n = sizes[k];
    lam_var_spec spec = lam_var_spec_make (LAM_SHAPE (n, n), LAM_DELTA_ORTHOGONAL (1));
    spec.dtype = LAM_F64;
    g_autoptr (LmArray) got = draw (f, &spec, &many, 7);
    for (int64_t i = 0; i < 200; i++)
      check_gram ((const double *)got->data + i * n * n, spec.shape.dims, 1, 1e-12);
  }
}

/* praxis' matrices (kind praxis.init_var) are Q of a QR factorisation, ours are not: both are zero at
 * the same taps and have the same scale. */
static void
test_praxis (LmTestFixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open ("keys_praxis", &error);
  g_assert_no_error (error);
  const lam_shape none = LAM_SCALAR;
  guint n = 0;
  for (guint i = 0; i < lm_golden_n_cases (g); i++) {
    const LmGoldenCase *c = lm_golden_case (g, i);
    LmGoldenTensor want;
    if (!strstr (c->id, ".ScaledDeltaOrthogonal.")
        || !lm_golden_tensor (g, c, "out", "value", &want) || want.type.rank < 2)
      continue;
    lam_var_spec spec = lam_var_spec_make (LAM_SCALAR, LAM_DELTA_ORTHOGONAL (1));
    spec.dtype = LAM_F32;
    spec.shape.rank = want.type.rank;
    memcpy (spec.shape.dims, want.type.dims, sizeof want.type.dims);
    g_autoptr (LmArray) got = draw (f, &spec, &none, 5);
    g_autofree double *theirs = g_new (double, want.elements),
                      *ours = g_new (double, want.elements);
    for (int64_t k = 0; k < want.elements; k++) {
      theirs[k] = lm_golden_value (LAM_F32, want.data, k);
      ours[k] = lm_array_get_double (got, k);
    }
    const int64_t *inner = &spec.shape.dims[spec.shape.rank - 2];
    double scale = fmax (sqrt ((double)inner[0] / (double)inner[1]), 1);
    check_taps (theirs, &spec.shape, scale, 1e-6);
    check_taps (ours, &spec.shape, scale, 1e-6);
    n++;
  }
  g_assert_cmpuint (n, ==, 6);
}

#define ADD(name, data, fn)                                                                        \
  g_test_add (name, LmTestFixture, data, lm_test_set_up, fn, lm_test_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strdup_printf ("/model/orthogonal/%s", cases[i].name);
    ADD (path, &cases[i], test_case);
  }
  ADD ("/model/orthogonal/seeded", NULL, test_seeded);
  ADD ("/model/orthogonal/many-draws", NULL, test_many);
  ADD ("/model/orthogonal/praxis", NULL, test_praxis);
  return g_test_run ();
}
