/* SPDX-License-Identifier: Apache-2.0 */
/* One check: its cases in every dtype, run on both backends and compared. */
#include "core/conformance/cases.h"

#include "core/ir/text.h"
#include <string.h>

/* --- names ----------------------------------------------------------------------------------------------- */

static const char *const of_many[] = {"chains", "donation"};

const char **
lm_conformance_checks (void)
{
  guint n, k = 0, steps = g_strv_length ((char **)(uintptr_t)lm_step_checks);
  const LmOpInfo *ops = lm_op_table (&n);
  const char **names = g_new0 (const char *, n + G_N_ELEMENTS (of_many) + steps + 1);
  for (guint i = 0; i < n; i++)
    names[k++] = ops[i].name;
  for (guint i = 0; i < G_N_ELEMENTS (of_many); i++)
    names[k++] = of_many[i];
  for (guint i = 0; i < steps; i++)
    names[k++] = lm_step_checks[i];
  return names;
}

static bool
is_check (const char *check)
{
  g_autofree const char **names = lm_conformance_checks ();
  return g_strv_contains (names, check);
}

const LmTolerance *
lm_conformance_tolerance (const char *check)
{
  return is_check (check) ? lm_rule_of (check)->tolerance : NULL;
}

LmCaseGenerator
lm_case_generator (const char *check)
{
  static bool (*const families[]) (const char *check, LmCaseGenerator *out) = {
      lm_cases_elementwise, lm_cases_shape, lm_cases_convert,  lm_cases_index,   lm_cases_reduce,
      lm_cases_window,      lm_cases_order, lm_cases_contract, lm_cases_control, lm_cases_replica};
  LmCaseGenerator generator = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    if (families[i](check, &generator))
      return generator;
  return NULL;
}

/* --- one case --------------------------------------------------------------------------------------------- */

/* Small enough to run again with its first parameter's memory donated. */
#define DONATE_BYTES 65536

/* Steps of the check "donation". */
#define DONATED_STEPS 3

typedef struct Run {
  const LmConformance *c;
  const LmRule *rule;
  LmConformanceResult result;
  GError *error; /* of reference or memory: ends the check */
} Run;

/* A case at work. */
typedef struct Work {
  LmParsedCase parsed;
  LmConformanceCase info;
  LmArray *in[LM_CASE_PARAMS];
  LmArray **want, **got, **again; /* results: reference's, the backend's, the same donated */
  LmArray **size, **count;        /* sums: see LmComparison */
} Work;

static LmArray **
new_results (const LmFunction *f)
{
  return g_new0 (LmArray *, f->ir.n_results + 1);
}

static void
free_results (LmArray **arrays, guint n)
{
  if (arrays != NULL)
    lm_case_free_arrays (arrays, n);
  g_free (arrays);
}

static void
work_clear (Work *w)
{
  guint n = w->parsed.f != NULL ? w->parsed.f->ir.n_results : 0;
  lm_case_free_arrays (w->in, LM_CASE_PARAMS);
  free_results (w->want, n);
  free_results (w->got, n);
  free_results (w->again, n);
  free_results (w->size, n);
  free_results (w->count, n);
  lm_parsed_case_clear (&w->parsed);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, work_clear)

static bool
draw_inputs (Run *run, Work *w, LmDraw draw)
{
  const guint32 seed[] = {(guint32)run->c->seed, (guint32)(run->c->seed >> 32),
                          g_str_hash (run->c->check), w->info.number};
  GRand *rand = g_rand_new_with_seed_array (seed, G_N_ELEMENTS (seed));
  bool ok = true;
  for (uint32_t i = 0; i < w->parsed.f->ir.n_params && ok; i++) {
    const LmDrawing d = {rand, draw, w->parsed.bounds[i], i};
    w->in[i] = lm_case_draw (&d, lm_param_type (w->parsed.f, i), &run->error);
    ok = w->in[i] != NULL;
  }
  g_rand_free (rand);
  return ok;
}

/* `computation` of the only equation that has one; NULL. */
static const char *
computation_of (const LmFunction *f)
{
  for (uint32_t i = 0; i < f->ir.n_equations; i++) {
    const char *name = lam_attr_str (&f->ir, lam_equation_at (&f->ir, i), "computation", NULL);
    if (name != NULL)
      return name;
  }
  return NULL;
}

/* x as f64: magnitudes, or ones. */
static LmArray *
measure (const LmArray *x, bool ones, GError **error)
{
  lam_type type = x->type;
  type.dtype = LAM_F64;
  LmArray *out = lm_array_new (&type, error);
  for (int64_t i = 0; out != NULL && i < lam_type_elements (&type); i++)
    ((double *)out->data)[i] = ones ? 1 : ABS (lm_array_get_double (x, i));
  return out;
}

/* The same equations in f64 over magnitudes (or ones): every element is the sum of its terms'
 * magnitudes (or their number). */
static LmArray **
run_measure (Run *run, const Work *w, const LmFunction *f64, bool ones)
{
  LmArray *in[LM_CASE_PARAMS] = {NULL}, **out = new_results (f64);
  guint n = f64->ir.n_params;
  bool ok = true;
  for (guint i = 0; i < n && ok; i++) {
    in[i] = lam_dtype_is_float (w->in[i]->type.dtype) ? measure (w->in[i], ones, &run->error)
                                                      : lm_array_ref (w->in[i]);
    ok = in[i] != NULL;
  }
  ok = ok && lm_run_function (run->c->reference, f64, in, out, &run->error);
  lm_case_free_arrays (in, n);
  if (ok)
    return out;
  g_free (out);
  return NULL;
}

static bool
is_sum (const Run *run, const Work *w)
{
  LmAllow allow = lm_rule_allow (run->rule, computation_of (w->parsed.f));
  return (allow == LM_ALLOW_SUM || allow == LM_ALLOW_PRODUCT)
         && lam_dtype_is_float (lm_result_type (w->parsed.f, 0)->dtype);
}

/* Results of the backend against reference's; *out_message says what is wrong. */
static bool
compare_results (Run *run, const Work *w, LmArray *const *got, char **out_message)
{
  const LmFunction *f = w->parsed.f;
  LmComparison c = {.rule = run->rule,
                    .allow = lm_rule_allow (run->rule, computation_of (f)),
                    .worst_ulps = run->result.worst_ulps,
                    .worst_part = run->result.worst_part};
  bool wide = f->ir.n_params > 0 && lm_param_type (f, 0)->dtype == LAM_F64, fits = true;
  c.accumulator = wide ? LAM_F64 : LAM_F32;
  for (uint32_t i = 0; i < f->ir.n_results && fits; i++) {
    g_autofree char *message = NULL;
    c.size = w->size != NULL ? w->size[i] : NULL;
    c.count = w->count != NULL ? w->count[i] : NULL;
    fits = lm_case_compare (&c, got[i], w->want[i], &message);
    if (!fits)
      *out_message = f->ir.n_results > 1 ? g_strdup_printf ("result %u: %s", i, message)
                                         : g_steal_pointer (&message);
  }
  run->result.worst_ulps = c.worst_ulps;
  run->result.worst_part = c.worst_part;
  return fits;
}

/* --- results ------------------------------------------------------------------------------------------------ */

static void
fail (Run *run, Work *w, bool donated, const char *message)
{
  LmConformanceResult *r = &run->result;
  if (r->failed++ > 0)
    return;
  r->first_failed = w->info.number;
  r->message =
      g_strdup_printf ("%s%s", donated ? "with parameter 0 donated to result 0: " : "", message);
  r->first_function = lm_text_print (w->parsed.f);
  w->info.donated = donated;
  w->info.message = r->message;
  if (run->c->failed != NULL)
    run->c->failed (&w->info, run->c->user);
}

/* What every backend must run: mandatory rows of its time, in the dtypes that all hardware has. */
static bool
is_promised (const Run *run)
{
  static const char *const dtypes[] = {"f32", "i32", "u32", "bool", NULL};
  const LmOpInfo *info = lm_op_info_by_name (run->c->check);
  return info != NULL && lm_op_has_flag (info, 'M')
         && (uint32_t)info->since <= lm_backend_claims (run->c->backend).ir_minor
         && g_strv_contains (dtypes, run->result.dtype);
}

/* The backend's error: what it never promised to run is refused, everything else failed. */
static void
fail_or_refuse (Run *run, Work *w, bool donated, const GError *error)
{
  if (is_promised (run) || !g_error_matches (error, LM_ERROR, LM_ERROR_UNSUPPORTED)) {
    fail (run, w, donated, error->message);
    return;
  }
  if (run->result.refused++ == 0)
    run->result.refusal = g_strdup (error->message);
}

/* --- running ------------------------------------------------------------------------------------------------ */

static bool
is_donation (const Run *run)
{
  return strcmp (run->c->check, "donation") == 0;
}

/* Leading results whose type is that of the parameter of their number. */
static guint
count_donated (const LmFunction *f)
{
  guint n = 0;
  while (n < f->ir.n_params && n < f->ir.n_results
         && lm_type_equal (lm_param_type (f, n), lm_result_type (f, n)))
    n++;
  return n;
}

static bool
run_reference (Run *run, Work *w, const LmFunction *f64)
{
  guint steps = is_donation (run) ? DONATED_STEPS : 1;
  guint donated = is_donation (run) ? count_donated (w->parsed.f) : 0;
  w->want = new_results (w->parsed.f);
  if (!lm_case_run_steps (run->c->reference, w->parsed.f, donated, steps, w->in, w->want,
                          &run->error))
    return false;
  if (f64 == NULL)
    return true;
  w->size = run_measure (run, w, f64, false);
  w->count = w->size != NULL ? run_measure (run, w, f64, true) : NULL;
  return w->count != NULL;
}

/* Elements and bits must not depend on where the result lies. */
static void
run_donated (Run *run, Work *w)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *message = NULL;
  w->again = new_results (w->parsed.f);
  if (!lm_case_run_steps (run->c->backend, w->parsed.f, 1, 1, w->in, w->again, &error))
    fail_or_refuse (run, w, true, error);
  else if (!compare_results (run, w, w->again, &message))
    fail (run, w, true, message);
}

static void
run_backend (Run *run, Work *w)
{
  const LmFunction *f = w->parsed.f;
  g_autoptr (GError) error = NULL;
  g_autofree char *message = NULL;
  guint can = count_donated (f), donated = is_donation (run) ? can : 0;
  w->got = new_results (f);
  if (!lm_case_run_steps (run->c->backend, f, donated, is_donation (run) ? DONATED_STEPS : 1, w->in,
                          w->got, &error))
    fail_or_refuse (run, w, false, error);
  else if (!compare_results (run, w, w->got, &message))
    fail (run, w, false, message);
  else if (!is_donation (run) && can > 0 && w->in[0]->bytes <= DONATE_BYTES)
    run_donated (run, w);
}

/* The equations once more in f64, when the case is a sum. */
static bool
parse_measure (Run *run, const Work *w, const char *params, const char *equations,
               LmParsedCase *out)
{
  memset (out, 0, sizeof *out);
  if (!is_sum (run, w))
    return true;
  bool index = params != NULL && strstr (params, "?[") != NULL; /* ? is the indices' dtype */
  const char *other = NULL;
  for (uint32_t i = 0; index && i < w->parsed.f->ir.n_params; i++)
    if (w->parsed.bounds[i] > 0)
      other = lam_dtype_name (lm_param_type (w->parsed.f, i)->dtype);
  /* The number of factors is a sum of ones. */
  g_auto (GStrv) pieces = g_strsplit (equations, "\"multiply\"", -1);
  g_autofree char *added = g_strjoinv ("\"add\"", pieces);
  return lm_case_parse (w->parsed.f->ir.name, params, added, "f64", other, out, &run->error);
}

static void
take (LmCases *cases, LmDraw draw, const char *other, const char *params, const char *equations)
{
  Run *run = cases->user;
  guint number = cases->number++;
  const char *dtype = run->c->dtype;
  if (run->error != NULL || (dtype != NULL && strcmp (dtype, cases->dtype) != 0)
      || (run->c->only >= 0 && (guint64)run->c->only != number))
    return;
  g_auto (Work) w = {.info = {.check = run->c->check, .dtype = cases->dtype, .number = number}};
  if (!lm_case_parse (run->c->check, params, equations, cases->dtype, other, &w.parsed, NULL)
      || !draw_inputs (run, &w, draw))
    return; /* the op does not take the dtype, or the window does not fit */
  LmParsedCase f64;
  w.info.f = w.parsed.f;
  w.info.in = w.in;
  if (run->c->begin != NULL)
    run->c->begin (&w.info, run->c->user);
  run->result.cases++;
  if (parse_measure (run, &w, params, equations, &f64) && run_reference (run, &w, f64.f))
    run_backend (run, &w);
  lm_parsed_case_clear (&f64);
}

static void
run_dtype (Run *run, LmCases *cases, const char *dtype)
{
  LmConformanceResult *r = &run->result;
  *r = (LmConformanceResult) {.check = run->c->check, .dtype = dtype};
  cases->dtype = dtype;
  cases->code = lm_dtype_from_name (dtype);
  lm_case_generator (run->c->check) (cases);
  if (run->error == NULL && r->cases > 0 && run->c->result != NULL)
    run->c->result (r, run->c->user);
  g_free (r->refusal);
  g_free (r->message);
  g_free (r->first_function);
}

bool
lm_conformance_known (const char *check, GError **error)
{
  g_autofree const char **names = lm_conformance_checks ();
  if (g_strv_contains (names, check))
    return true;
  g_autoptr (GString) message = g_string_new (NULL);
  g_string_printf (
      message, "no check \"%s\"; wanted an op, chains, donation, steps_mlp or steps_conv", check);
  lm_append_did_you_mean (message, check, names);
  g_set_error_literal (error, LM_ERROR, LM_ERROR_INVALID, message->str);
  return false;
}

bool
lm_conformance_run (const LmConformance *c, GError **error)
{
  if (!lm_conformance_known (c->check, error))
    return false;
  if (lm_case_generator (c->check) == NULL)
    return lm_step_check_run (c, error);
  Run run = {.c = c, .rule = lm_rule_of (c->check)};
  LmCases cases = {.check = c->check, .tables = c->tables, .take = take, .user = &run};
  for (guint i = 0; lm_case_dtypes[i] != NULL && run.error == NULL; i++)
    run_dtype (&run, &cases, lm_case_dtypes[i]);
  if (run.error == NULL)
    return true;
  g_propagate_prefixed_error (error, run.error, "%s: ", c->check);
  return false;
}
