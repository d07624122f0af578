/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the transform tests: functions from text, and an evaluator of scalar f64 functions that
 * shares nothing with the backends. */
#ifndef LM_TEST_TRANSFORM_LIR_H
#define LM_TEST_TRANSFORM_LIR_H

#include "core/ir/text.h"
#include "core/ir/verify.h"

#include <math.h>
#include <string.h>

static inline LmFunction *
lir_parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  LmFunction *f = lm_text_parse (text, strlen (text), "test", &error);

  g_assert_no_error (error);
  return f;
}

/* A transform's result: sound, without an error. Takes error by address. */
static inline LmFunction *
lir_sound (LmFunction *f, GError **error)
{
  g_assert_no_error (*error);
  g_assert_true (lm_verify (f, "the transform", error));
  g_assert_no_error (*error);
  return f;
}

/* f prints as text, which is read first: it may be spelt loosely. */
static inline void
lir_assert (const LmFunction *f, const char *text)
{
  g_autoptr (LmFunction) wanted = lir_parse (text);
  g_autofree char *a = lm_text_print (f), *b = lm_text_print (wanted);

  g_assert_cmpstr (a, ==, b);
}

static inline guint
lir_count (const LmFunction *f, int32_t op)
{
  guint n = 0;

  for (uint32_t i = 0; i < f->ir.n_equations; i++)
    n += lam_equation_at (&f->ir, i)->op == op;
  return n;
}

static inline void lir_eval (const LmFunction *f, const double *args, double *out);

/* One equation over scalars; y has room for its results. */
static inline void
lir_eval_equation (const LmFunction *f, const lam_equation *e, const double *x, double *y)
{
  switch (e->op) {
  case LAM_OP_constant:
    memcpy (y, lam_find_attr (&f->ir, e, "value")->data, sizeof *y);
    break;
  case LAM_OP_add:
    *y = x[0] + x[1];
    break;
  case LAM_OP_subtract:
    *y = x[0] - x[1];
    break;
  case LAM_OP_multiply:
    *y = x[0] * x[1];
    break;
  case LAM_OP_divide:
    *y = x[0] / x[1];
    break;
  case LAM_OP_negate:
    *y = -x[0];
    break;
  case LAM_OP_exponential:
    *y = exp (x[0]);
    break;
  case LAM_OP_tanh:
    *y = tanh (x[0]);
    break;
  case LAM_OP_logistic:
    *y = 1 / (1 + exp (-x[0]));
    break;
  case LAM_OP_sine:
    *y = sin (x[0]);
    break;
  case LAM_OP_cosine:
    *y = cos (x[0]);
    break;
  case LAM_OP_optimization_barrier:
  case LAM_OP_stop_gradient:
  case LAM_OP_name:
    memcpy (y, x, e->n_results * sizeof *y);
    break;
  case LAM_OP_composite:
    lir_eval (lm_function_region (f, e, 0), x, y);
    break;
  default:
    g_error ("the test evaluator lacks %s", lm_op_info (e->op)->name);
  }
}

/* All values are f64[]. */
static inline void
lir_eval (const LmFunction *f, const double *args, double *out)
{
  g_autofree double *values = g_new0 (double, f->ir.n_values + 1);
  double x[16];

  for (uint32_t i = 0; i < f->ir.n_params; i++)
    values[i] = args[i];
  for (uint32_t i = 0; i < f->ir.n_equations; i++) {
    const lam_equation *e = lam_equation_at (&f->ir, i);
    g_assert_cmpuint (e->n_operands, <=, G_N_ELEMENTS (x));
    for (uint32_t k = 0; k < e->n_operands; k++)
      x[k] = values[lam_operand (&f->ir, e, k)];
    lir_eval_equation (f, e, x, values + e->first_result);
  }
  for (uint32_t i = 0; i < f->ir.n_results; i++)
    out[i] = values[f->ir.results[i]];
}

#endif
