/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.batch_norm point by point (semantics 1.9): each rule against its formula over host arrays, f64. */
#include "tests/lib/golden.h"
#include "tests/lib/layer_check.h"

#include <math.h>
#include <string.h>

#define DIM     3
#define EPSILON 0.001 /* the default */

typedef struct Fixture {
  LmRegistry *registry;
  LmBackend *backend;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void)data;
  f->registry = lm_test_registry ();
  f->backend = lm_test_backend (f->registry, "reference");
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void)data;
  lm_backend_unref (f->backend);
  lm_registry_free (f->registry);
}

/* --- calls ---------------------------------------------------------------------------------------------- */

/* A traced and run call; summaries are results too. */
typedef struct Call {
  LmLayerFn *fn;
  GPtrArray *out;
} Call;

static void
run_again (const Fixture *f, Call *c, bool do_eval)
{
  g_autoptr (GError) error = NULL;
  g_clear_pointer (&c->out, g_ptr_array_unref);
  c->fn->summaries = true;
  lm_layer_fn_trace (c->fn, do_eval, &error);
  g_assert_no_error (error);
  c->out = lm_layer_fn_run (c->fn, f->backend);
}

/* options: more members of the config (", 'decay': 0.5"). */
static Call
call (const Fixture *f, const char *options, const char *inputs, bool do_eval)
{
  g_autofree char *config =
      g_strdup_printf ("{'type': 'lamina.batch_norm', 'dim': %d%s}", DIM, options);
  LmLayerCheck check = LM_CHECK_TRAIN (config, inputs);
  Call c = {lm_layer_check_fn (f->registry, f->backend, &check, "f64"), NULL};
  run_again (f, &c, do_eval);
  return c;
}

static void
end (Call *c)
{
  lm_layer_fn_free (c->fn);
  g_ptr_array_unref (c->out);
}

static const double *
result (const Call *c, const char *name)
{
  return lm_layer_fn_result (c->fn, c->out, name)->data;
}

static const LmArray *
value (const Call *c, const char *name)
{
  int i = lm_layer_fn_find (c->fn->names, name);
  g_assert_cmpint (i, >=, 0);
  return c->fn->arrays->pdata[i];
}

static const double *
param (const Call *c, const char *name)
{
  return value (c, name)->data;
}

static void
assert_near (const double *got, const double *want, int64_t n, double tolerance)
{
  for (int64_t i = 0; i < n; i++)
    if (!(fabs (got[i] - want[i]) <= tolerance * fmax (1, fabs (want[i]))))
      g_error ("[%d]: wanted %.17g, got %.17g", (int)i, want[i], got[i]);
}

static bool
has_result (const Call *c, const char *name)
{
  return lm_layer_fn_find (c->fn->out_names, name) >= 0;
}

/* --- the formulas ----------------------------------------------------------------------------------------- */

typedef struct Moments {
  double mean[DIM], variance[DIM];
} Moments;

/* Biased moments of the rows (n, DIM) where mask (NULL: everywhere) is 1. */
static Moments
moments_of (const double *x, const double *mask, int64_t n)
{
  Moments m = {{0}, {0}};
  double count = 0;
  for (int64_t i = 0; i < n; i++)
    count += mask != NULL ? mask[i] : 1;
  count = fmax (count, 1);
  for (int64_t i = 0; i < n * DIM; i++)
    m.mean[i % DIM] += x[i] * (mask != NULL ? mask[i / DIM] : 1) / count;
  for (int64_t i = 0; i < n * DIM; i++) {
    double d = x[i] - m.mean[i % DIM];
    m.variance[i % DIM] += d * d * (mask != NULL ? mask[i / DIM] : 1) / count;
  }
  return m;
}

/* (x - mean) * scale / sqrt (variance + epsilon) + beta, times mask; beta NULL: scale 1, shift 0. */
static void
assert_output (const Call *c, const Moments *m, const double *beta, const double *scale,
               const double *mask)
{
  const LmArray *x = value (c, "in:inputs");
  const double *y = result (c, "y");
  for (int64_t i = 0; i < lam_type_elements (&x->type); i++) {
    int64_t d = i % DIM;
    double want = (lm_array_get_double (x, i) - m->mean[d]) / sqrt (m->variance[d] + EPSILON);
    want = beta != NULL ? want * scale[d] + beta[d] : want;
    want *= mask != NULL ? mask[i / DIM] : 1;
    g_assert_cmpfloat_with_epsilon (y[i], want, 1e-12 * fmax (1, fabs (want)));
  }
}

/* gamma + offset */
static void
scale_of (const Call *c, double offset, double scale[DIM])
{
  for (int d = 0; d < DIM; d++)
    scale[d] = param (c, "var:gamma")[d] + offset;
}

static Moments
moving_of (const Call *c)
{
  Moments m;
  memcpy (m.mean, param (c, "var:moving_mean"), sizeof m.mean);
  memcpy (m.variance, param (c, "var:moving_variance"), sizeof m.variance);
  return m;
}

static void
assert_moved (const Call *c, const Moments *batch, double decay)
{
  Moments old = moving_of (c);
  for (int d = 0; d < DIM; d++) {
    g_assert_cmpfloat_with_epsilon (result (c, "updated:moving_mean")[d],
                                    old.mean[d] * decay + batch->mean[d] * (1 - decay), 1e-13);
    g_assert_cmpfloat_with_epsilon (result (c, "updated:moving_variance")[d],
                                    old.variance[d] * decay + batch->variance[d] * (1 - decay),
                                    1e-13);
  }
}

static void
assert_unmoved (const Call *c)
{
  Moments old = moving_of (c);
  g_assert_true (memcmp (result (c, "updated:moving_mean"), old.mean, sizeof old.mean) == 0);
  g_assert_true (memcmp (result (c, "updated:moving_variance"), old.variance, sizeof old.variance)
                 == 0);
}

/* 1 - paddings, n of them; to be freed */
static double *
mask_of (const Call *c, int64_t n)
{
  double *mask = g_new (double, (gsize)n);
  for (int64_t i = 0; i < n; i++)
    mask[i] = 1 - param (c, "in:paddings")[i];
  return mask;
}

/* --- rules ------------------------------------------------------------------------------------------------ */

/* How a variable of a layer with these options starts. */
static void
assert_start (const Fixture *f, const char *options, const char *path, double start,
              uint32_t collections)
{
  g_autofree char *config = g_strdup_printf ("{'type': 'lamina.batch_norm', 'dim': 3%s}", options);
  g_autofree char *name = g_strconcat ("var:", path, NULL);
  g_autoptr (LmLayerFn) fn =
      lm_layer_fn_new (f->registry, lm_layer_check_config (config), "f64", NULL);
  lm_layer_fn_init (fn, f->backend);
  const LmArray *a = fn->arrays->pdata[lm_layer_fn_find (fn->names, name)];
  g_assert_cmpuint (lm_model_n_vars (fn->model), ==, 4);
  for (guint i = 0; i < 4; i++)
    if (strcmp (lm_model_var (fn->model, i)->path, path) == 0)
      g_assert_cmpuint (lm_model_var (fn->model, i)->collections, ==, collections);
  g_assert_cmpint (a->type.rank, ==, 1);
  for (int d = 0; d < DIM; d++)
    g_assert_cmpfloat (lm_array_get_double (a, d), ==, start);
}

static void
test_variables (Fixture *f, gconstpointer data)
{
  (void)data;
  assert_start (f, "", "beta", 0, 0);
  assert_start (f, "", "gamma", 0, 0);
  assert_start (f, "", "moving_mean", 0, LAM_NON_TRAINABLE | LAM_REQUIRES_MEAN_SYNC);
  assert_start (f, "", "moving_variance", 1, LAM_NON_TRAINABLE | LAM_REQUIRES_MEAN_SYNC);
  assert_start (f, ", 'gamma_zero_init': true", "gamma", 0, 0);
  assert_start (f, ", 'gamma_one_init': true", "gamma", 1, 0);
  assert_start (f, ", 'gamma_init': {'method': 'constant', 'scale': -0.25}", "gamma", -0.25, 0);
}

/* Moments over all axes but the last, of ranks 2 to 4, and what follows from them. */
static void
test_moments (Fixture *f, gconstpointer data)
{
  static const char *const inputs[] = {"inputs 7,3", "inputs 2,5,3", "inputs 2,3,2,3"};
  (void)data;
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++) {
    Call c = call (f, "", inputs[i], false);
    Moments batch = moments_of (param (&c, "in:inputs"), NULL,
                                lam_type_elements (&value (&c, "in:inputs")->type) / DIM);
    double scale[DIM];
    scale_of (&c, 1, scale);
    assert_output (&c, &batch, param (&c, "var:beta"), scale, NULL);
    assert_moved (&c, &batch, 0.999);
    end (&c);
  }
}

static void
test_masked_moments (Fixture *f, gconstpointer data)
{
  (void)data;
  Call c = call (f, ", 'decay': 0.7", "inputs 2,6,3; paddings 2,6,1 mask", false);
  g_autofree double *mask = mask_of (&c, 12);
  Moments batch = moments_of (param (&c, "in:inputs"), mask, 12);
  double scale[DIM];
  scale_of (&c, 1, scale);
  assert_output (&c, &batch, param (&c, "var:beta"), scale, mask);
  assert_moved (&c, &batch, 0.7);
  end (&c);
}

/* (B, T), (B, T, 1) and what broadcasts to it. */
static void
test_paddings_ranks (Fixture *f, gconstpointer data)
{
  (void)data;
  Call a = call (f, "", "inputs 2,4,3; paddings 2,4 mask", false);
  Call b = call (f, "", "inputs 2,4,3; paddings 2,4,1 mask", false);
  Call row = call (f, "", "inputs 2,4,3; paddings 1,4,1 mask", false);
  double mask[8];
  assert_near (result (&a, "y"), result (&b, "y"), 24, 0);
  for (int i = 0; i < 8; i++)
    mask[i] = 1 - param (&row, "in:paddings")[i % 4];
  Moments batch = moments_of (param (&row, "in:inputs"), mask, 8);
  assert_moved (&row, &batch, 0.999);
  end (&a);
  end (&b);
  end (&row);
}

static void
test_set_padded_output_to_zero (Fixture *f, gconstpointer data)
{
  (void)data;
  Call c =
      call (f, ", 'set_padded_output_to_zero': false", "inputs 2,6,3; paddings 2,6 mask", false);
  g_autofree double *mask = mask_of (&c, 12);
  Moments batch = moments_of (param (&c, "in:inputs"), mask, 12);
  double scale[DIM];
  scale_of (&c, 1, scale);
  assert_output (&c, &batch, param (&c, "var:beta"), scale, NULL);
  end (&c);
}

/* The old moving moments, beta 0, gamma 1; the statistics still move. */
static void
test_moving_avg_in_training (Fixture *f, gconstpointer data)
{
  (void)data;
  for (int do_eval = 0; do_eval < 2; do_eval++) {
    Call c = call (f, ", 'use_moving_avg_in_training': true", "inputs 2,5,3", do_eval);
    Moments old = moving_of (&c), batch = moments_of (param (&c, "in:inputs"), NULL, 10);
    assert_output (&c, &old, NULL, NULL, NULL);
    if (do_eval)
      assert_unmoved (&c);
    else
      assert_moved (&c, &batch, 0.999);
    g_assert_cmpuint (lm_model_n_vars (c.fn->model), ==, 4); /* beta and gamma exist */
    end (&c);
  }
}

static LmArray *
wide (const LmGolden *g, const LmGoldenCase *c, const char *section, const char *name)
{
  LmGoldenTensor x;
  g_assert_true (lm_golden_tensor (g, c, section, name, &x));
  g_autoptr (LmArray) narrow = lm_array_new_copy (&x.type, x.data, NULL);
  return lm_array_convert (narrow, LAM_F64, NULL);
}

/* praxis normalises by the statistics after their update (1.9 says before): its golden case is ours when the
 * moved statistics are what we start from. */
static void
test_moving_avg_in_training_praxis (Fixture *f, gconstpointer data)
{
  (void)data;
  g_autoptr (LmGolden) g = lm_golden_open ("layers", NULL);
  const LmGoldenCase *k = lm_golden_lookup (g, "batch_norm.moving_in_training");
  g_autoptr (LmArray) y = wide (g, k, "out", "y"), mean = wide (g, k, "updated", "moving_mean");
  g_autoptr (LmArray) x = wide (g, k, "in", "x");
  g_autofree char *inputs = g_strdup_printf ("inputs %d,%d,%d", (int)x->type.dims[0],
                                             (int)x->type.dims[1], (int)x->type.dims[2]);
  LmLayerCheck check = LM_CHECK_TRAIN (
      "{'type': 'lamina.batch_norm', 'dim': 4, 'use_moving_avg_in_training': true}", inputs);
  Call c = {lm_layer_check_fn (f->registry, f->backend, &check, "f64"), NULL};
  g_assert_cmpint (x->type.rank, ==, 3);
  lm_layer_fn_set (c.fn, "in:inputs", lm_array_ref (x));
  lm_layer_fn_set (c.fn, "var:moving_mean", wide (g, k, "var", "moving_mean"));
  lm_layer_fn_set (c.fn, "var:moving_variance", wide (g, k, "var", "moving_variance"));
  run_again (f, &c, false);
  assert_near (result (&c, "updated:moving_mean"), mean->data, 4, 1e-6);
  lm_layer_fn_set (c.fn, "var:moving_mean", lm_array_ref (mean));
  lm_layer_fn_set (c.fn, "var:moving_variance", wide (g, k, "updated", "moving_variance"));
  run_again (f, &c, false);
  assert_near (result (&c, "y"), y->data, lam_type_elements (&y->type), 3e-5);
  end (&c);
}

static void
test_eval (Fixture *f, gconstpointer data)
{
  (void)data;
  Call c = call (f, "", "inputs 2,5,3; paddings 2,5 mask", true);
  g_autofree double *mask = mask_of (&c, 10);
  Moments moving = moving_of (&c);
  double scale[DIM];
  scale_of (&c, 1, scale);
  assert_output (&c, &moving, param (&c, "var:beta"), scale, mask);
  assert_unmoved (&c);
  g_assert_true (has_result (&c, "summary:model.fprop/moving_mean_scalar"));
  g_assert_true (has_result (&c, "summary:model.fprop/moving_variance_scalar"));
  g_assert_false (has_result (&c, "summary:model.fprop/mean_scalar"));
  g_assert_false (has_result (&c, "summary:model.fprop/variance_scalar"));
  end (&c);
}

/* Exactly four keys; the moving ones show what is after the update (1.22, 8). */
static void
test_summaries (Fixture *f, gconstpointer data)
{
  guint n = 0;
  (void)data;
  Call c = call (f, ", 'decay': 0.5", "inputs 2,5,3", false);
  Moments batch = moments_of (param (&c, "in:inputs"), NULL, 10), old = moving_of (&c);
  assert_near (result (&c, "summary:model.fprop/mean_scalar"), batch.mean, DIM, 1e-13);
  assert_near (result (&c, "summary:model.fprop/variance_scalar"), batch.variance, DIM, 1e-13);
  for (guint i = 0; i < DIM; i++) {
    old.mean[i] = (old.mean[i] + batch.mean[i]) / 2;
    old.variance[i] = (old.variance[i] + batch.variance[i]) / 2;
  }
  assert_near (result (&c, "summary:model.fprop/moving_mean_scalar"), old.mean, DIM, 1e-13);
  assert_near (result (&c, "summary:model.fprop/moving_variance_scalar"), old.variance, DIM, 1e-13);
  for (guint i = 0; i < c.fn->out_names->len; i++)
    n += g_str_has_prefix (c.fn->out_names->pdata[i], "summary:");
  g_assert_cmpuint (n, ==, 4);
  end (&c);
}

static void
test_all_padded (Fixture *f, gconstpointer data)
{
  Moments zero = {{0}, {0}};
  (void)data;
  Call c = call (f, ", 'decay': 0.9", "inputs 2,5,3; paddings 2,5 mask", false);
  double ones[10], nothing[30] = {0};
  for (int i = 0; i < 10; i++)
    ones[i] = 1;
  lm_layer_fn_set (c.fn, "in:paddings", lm_test_array (&value (&c, "in:paddings")->type, ones));
  run_again (f, &c, false);
  assert_moved (&c, &zero, 0.9);
  assert_near (result (&c, "y"), nothing, 30, 0);
  end (&c);
}

/* The statistics keep their shape, whatever the rank of the input. */
static void
test_moving_shape (Fixture *f, gconstpointer data)
{
  (void)data;
  Call c = call (f, "", "inputs 2,2,2,3", false);
  const LmArray *mean = lm_layer_fn_result (c.fn, c.out, "updated:moving_mean");
  g_assert_cmpint (mean->type.rank, ==, 1);
  g_assert_cmpint (mean->type.dims[0], ==, DIM);
  end (&c);
}

/* Both: the moving moments also in training, which stay; beta and gamma count. */
static void
test_frozen (Fixture *f, gconstpointer option)
{
  g_autofree char *options = g_strdup_printf (", '%s': true", (const char *)option);
  Call c = call (f, options, "inputs 2,5,3", false);
  Moments moving = moving_of (&c);
  double scale[DIM];
  scale_of (&c, 1, scale);
  assert_output (&c, &moving, param (&c, "var:beta"), scale, NULL);
  assert_unmoved (&c);
  end (&c);
}

/* gamma itself is the scale. */
static void
test_gamma_itself (Fixture *f, gconstpointer option)
{
  g_autofree char *options = g_strdup_printf (", '%s': true", (const char *)option);
  Call c = call (f, options, "inputs 2,5,3", false);
  Moments batch = moments_of (param (&c, "in:inputs"), NULL, 10);
  double scale[DIM];
  scale_of (&c, 0, scale);
  assert_output (&c, &batch, param (&c, "var:beta"), scale, NULL);
  end (&c);
}

/* One element that is not finite keeps the whole statistic; without the option it is in the statistic. */
static void
test_skip_nonfinite_updates (Fixture *f, gconstpointer data)
{
  (void)data;
  for (int skip = 0; skip < 2; skip++) {
    Call c = call (f, skip ? ", 'skip_nonfinite_updates': true" : "", "inputs 2,5,3", false);
    Moments batch = moments_of (param (&c, "in:inputs"), NULL, 10);
    assert_moved (&c, &batch, 0.999); /* finite ones move */
    double x[30];
    memcpy (x, param (&c, "in:inputs"), sizeof x);
    x[4] = NAN; /* channel 1 */
    lm_layer_fn_set (c.fn, "in:inputs", lm_test_array (&value (&c, "in:inputs")->type, x));
    run_again (f, &c, false);
    if (skip)
      assert_unmoved (&c);
    else
      g_assert_true (isnan (result (&c, "updated:moving_mean")[1]));
    end (&c);
  }
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*run) (Fixture *f, gconstpointer data);
    const char *data;
  } tests[] = {{"variables", test_variables, NULL},
               {"moments", test_moments, NULL},
               {"masked_moments", test_masked_moments, NULL},
               {"paddings_ranks", test_paddings_ranks, NULL},
               {"set_padded_output_to_zero", test_set_padded_output_to_zero, NULL},
               {"moving_avg_in_training", test_moving_avg_in_training, NULL},
               {"moving_avg_in_training_praxis", test_moving_avg_in_training_praxis, NULL},
               {"eval", test_eval, NULL},
               {"summaries", test_summaries, NULL},
               {"all_padded", test_all_padded, NULL},
               {"moving_shape", test_moving_shape, NULL},
               {"force_eval_mode", test_frozen, "force_eval_mode"},
               {"freeze_bn_stats", test_frozen, "freeze_bn_stats"},
               {"gamma_zero_init", test_gamma_itself, "gamma_zero_init"},
               {"gamma_one_init", test_gamma_itself, "gamma_one_init"},
               {"skip_nonfinite_updates", test_skip_nonfinite_updates, NULL}};
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++) {
    g_autofree char *path = g_strconcat ("/plugins/layers/batch_norm/", tests[i].path, NULL);
    g_test_add (path, Fixture, tests[i].data, set_up, tests[i].run, tear_down);
  }
  return g_test_run ();
}
