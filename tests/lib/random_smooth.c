/* SPDX-License-Identifier: Apache-2.0 */
/* Which equations a smooth function may have at its numbers: inside the domain, away from kinks, ties and
 * poles, so that differences over a small step see the derivative. */
#include "tests/lib/random_gen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Inputs of a test move by less than this; values by a small multiple of it. */
#define ROOM 1e-2

/* Elements of one array are this far apart where their order matters: an even wider gap would leave few. */
#define GAP 2e-3

typedef double (*Room) (double a, double b); /* how far from trouble */

static double
of_zero (double a, double b)
{
  return fabs (a) - 0.2 + ROOM;
}

static double
of_difference (double a, double b)
{
  return fabs (a - b);
}

static double
of_divisor (double a, double b)
{
  return fabs (b) - 0.3 + ROOM;
}

static double
of_positive (double a, double b)
{
  return a - 0.2 + ROOM;
}

static double
of_log1p (double a, double b)
{
  return a + 0.8;
}

static double
of_whole (double a, double b)
{
  return fabs (a - nearbyint (a));
}

static double
of_half (double a, double b)
{
  return fabs (a - floor (a) - 0.5);
}

static double
of_quotient (double a, double b)
{
  return fabs (b) < 0.3 ? 0 : of_whole (a / b, 0);
}

static double
of_origin (double a, double b)
{
  return hypot (a, b) - 0.3;
}

static double
of_cosine (double a, double b)
{
  return fabs (cos (a)) - 0.3;
}

static double
of_unit (double a, double b)
{
  return 0.9 - fabs (a);
}

static const struct {
  const char *op;
  Room room;
} rows[] = {{"abs", of_zero},           {"sign", of_zero},
            {"maximum", of_difference}, {"minimum", of_difference},
            {"compare", of_difference}, {"divide", of_divisor},
            {"power", of_positive},     {"log", of_positive},
            {"sqrt", of_positive},      {"rsqrt", of_positive},
            {"log_plus_one", of_log1p}, {"floor", of_whole},
            {"ceil", of_whole},         {"round_nearest_even", of_half},
            {"remainder", of_quotient}, {"atan2", of_origin},
            {"tan", of_cosine},         {"erf_inv", of_unit},
            {"cbrt", of_zero}};

static bool
has_room (const LmGen *g, const LmGenOp *op, Room room)
{
  const LmArray *a = lm_gen_array (g, op->operands[0]);
  const LmArray *b = lm_gen_array (g, op->operands[op->n - 1]);
  if (a->type.dtype != LAM_F64)
    return true;
  for (int64_t i = 0; i < lam_type_elements (&a->type); i++)
    if (room (((double *)a->data)[i], ((double *)b->data)[i]) < ROOM)
      return false;
  return true;
}

static int
by_size (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Whether all elements of the f64 operands together are far apart. */
static bool
are_distinct (const LmGen *g, const LmGenOp *op, guint n)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint k = 0; k < n; k++) {
    const LmArray *a = lm_gen_array (g, op->operands[k]);
    if (a->type.dtype == LAM_F64)
      g_array_append_vals (all, a->data, (guint)lam_type_elements (&a->type));
  }
  g_array_sort (all, by_size);
  for (guint i = 1; i < all->len; i++)
    if (g_array_index (all, double, i) - g_array_index (all, double, i - 1) < GAP)
      return false;
  return true;
}

static bool
is_clamped_well (const LmGen *g, const LmGenOp *op)
{
  const LmArray *x = lm_gen_array (g, op->operands[1]);
  for (guint k = 0; k < 3; k += 2) {
    const LmArray *edge = lm_gen_array (g, op->operands[k]);
    for (int64_t i = 0; i < lam_type_elements (&x->type); i++)
      if (fabs (lm_array_get_double (x, i) - lm_array_get_double (edge, edge->type.rank ? i : 0))
          < ROOM)
        return false;
  }
  return true;
}

/* Low and high must not be in the other order or equal. */
static bool
is_ordered (const LmGen *g, const LmGenOp *op)
{
  const LmArray *low = lm_gen_array (g, op->operands[0]), *high = lm_gen_array (g, op->operands[2]);
  int64_t n = MAX (lam_type_elements (&low->type), lam_type_elements (&high->type));
  for (int64_t i = 0; i < n; i++)
    if (lm_array_get_double (high, high->type.rank ? i : 0)
            - lm_array_get_double (low, low->type.rank ? i : 0)
        < ROOM)
      return false;
  return true;
}

bool
lm_gen_is_smooth (LmGen *g, const LmGenOp *op)
{
  static const char *const never[] = {"convert", "bitcast_convert", "reduce_precision",
                                      "stop_gradient", NULL};
  static const char *const orders[] = {"sort", "top_k", "argmax", "argmin", "reduce_window_arg",
                                       NULL};
  static const char *const folds[] = {"reduce", "reduce_window", "scatter", "all_reduce", NULL};
  bool real = false;
  for (guint i = 0; i < op->n; i++)
    real = real || lm_gen_type (g, op->operands[i])->dtype == LAM_F64;
  if (!real)
    return true;
  if (g_strv_contains (never, op->op))
    return false;
  if (g_strv_contains (orders, op->op))
    return are_distinct (g, op, 1);
  if (strcmp (op->op, "scatter") == 0 && strstr (op->attrs, "multiply") != NULL)
    return strstr (op->attrs, "unique = 1") != NULL; /* its vjp rule asks for it */
  if (g_strv_contains (folds, op->op))
    return strstr (op->attrs, "imum") == NULL || are_distinct (g, op, op->n);
  if (strcmp (op->op, "composite") == 0)
    return has_room (g, op, of_difference);
  if (strcmp (op->op, "clamp") == 0)
    return is_ordered (g, op) && is_clamped_well (g, op);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (strcmp (rows[i].op, op->op) == 0)
      return has_room (g, op, rows[i].room);
  return true;
}
