/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of elementwise ops, of random bits, and of conversions between dtypes. */
#include "core/conformance/cases.h"

#include <string.h>

/* None, one, fewer than a vector, primes beyond some, several axes, axes of 0 and 1. */
static const char *const shapes[] = {"",      "0",     "1",       "7",       "1031",
                                     "3,5,2", "2,0,3", "17,1,13", "1,1,1,1", "2,3,1,2,1,3,2,2"};
static const char many[] = "16411";    /* so that numbers are many, too */
static const char large[] = "3,70001"; /* beyond any block, odd */

/* Parameters of one shape: dtypes apart by blanks ("bool $ $"). */
static char *
of_shape (const char *dtypes, const char *shape)
{
  GString *out = g_string_new (NULL);
  for (const char *p = dtypes; *p != '\0'; p++)
    if (*p == ' ')
      g_string_append_printf (out, "[%s] ", shape);
    else
      g_string_append_c (out, *p);
  g_string_append_printf (out, "[%s]", shape);
  return g_string_free (out, FALSE);
}

/* The long one in few dtypes only: it is about blocks and threads, not about numbers. */
static bool
takes_large (const LmCases *c)
{
  return c->code == LAM_F32 || c->code == LAM_I32 || c->code == LAM_U32;
}

static void
over_shapes (LmCases *c, const char *dtypes, const char *attrs)
{
  for (guint i = 0; i <= G_N_ELEMENTS (shapes) + takes_large (c); i++) {
    const char *shape = i < G_N_ELEMENTS (shapes)    ? shapes[i]
                        : i == G_N_ELEMENTS (shapes) ? many
                                                     : large;
    g_autofree char *params = of_shape (dtypes, shape);
    lm_case (c, LM_DRAW_SPECIAL, params, attrs, NULL);
  }
}

static void
unary (LmCases *c)
{
  over_shapes (c, "$", NULL);
  if (lam_dtype_bits (c->code) <= 16)
    lm_case (c, LM_DRAW_EVERY, "$[65536]", NULL, NULL);
}

static void
binary (LmCases *c)
{
  over_shapes (c, "$ $", NULL);
  lm_case (c, LM_DRAW_TIES, "$[67] $[67]", NULL, NULL);
  if (lam_dtype_bits (c->code) == 8)
    lm_case (c, LM_DRAW_EVERY, "$[65536] $[65536]", NULL, NULL);
}

static void
compare (LmCases *c)
{
  static const char *const directions[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  for (guint i = 0; i < G_N_ELEMENTS (directions); i++) {
    g_autofree char *attrs = g_strdup_printf ("comparison_direction = \"%s\"", directions[i]);
    over_shapes (c, "$ $", attrs);
    lm_case (c, LM_DRAW_TIES, "$[257] $[257]", attrs, NULL);
  }
}

static void
select_ (LmCases *c)
{
  over_shapes (c, "bool $ $", NULL);
  lm_case (c, LM_DRAW_SPECIAL, "bool[] $[31,7] $[31,7]", NULL, NULL);
  lm_case (c, LM_DRAW_SPECIAL, "bool[] $[0] $[0]", NULL, NULL);
}

static void
clamp (LmCases *c)
{
  over_shapes (c, "$ $ $", NULL);
  lm_case (c, LM_DRAW_SPECIAL, "$[] $[31,7] $[]", NULL, NULL);
  lm_case (c, LM_DRAW_SPECIAL, "$[31,7] $[31,7] $[]", NULL, NULL);
  lm_case (c, LM_DRAW_SPECIAL, "$[] $[1031] $[1031]", NULL, NULL);
  lm_case (c, LM_DRAW_TIES, "$[] $[67] $[]", NULL, NULL);
}

static void
threefry (LmCases *c)
{
  over_shapes (c, "$ $ $ $", NULL);
}

bool
lm_cases_elementwise (const char *check, LmCaseGenerator *out)
{
  static const struct {
    const char *name;
    LmCaseGenerator generator;
  } own[] = {
      {"compare", compare}, {"select", select_}, {"clamp", clamp}, {"threefry2x32", threefry}};
  const LmOpInfo *info = lm_op_info_by_name (check);
  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    if (strcmp (check, own[i].name) == 0) {
      *out = own[i].generator;
      return true;
    }
  if (info == NULL || info->op_class != LM_CLASS_ELEMENTWISE)
    return false;
  *out = info->min_operands == 1 ? unary : binary;
  return info->max_operands <= 2;
}

/* --- conversions ------------------------------------------------------------------------------------- */

static void
to_every_dtype (LmCases *c)
{
  static const char *const dims[] = {"", "0", "1", "7", "5,211", "3,1,13"};
  for (guint t = 0; lm_case_dtypes[t] != NULL; t++) {
    if (lam_dtype_bits (c->code) <= 16)
      lm_case_other (c, LM_DRAW_EVERY, lm_case_dtypes[t], "$[65536]", NULL, "?[65536]");
    for (guint i = 0; i < G_N_ELEMENTS (dims); i++) {
      g_autofree char *params = g_strdup_printf ("$[%s]", dims[i]);
      g_autofree char *wanted = g_strdup_printf ("?[%s]", dims[i]);
      lm_case_other (c, LM_DRAW_SPECIAL, lm_case_dtypes[t], params, NULL, wanted);
    }
  }
  if (takes_large (c))
    lm_case_other (c, LM_DRAW_SPECIAL, c->code == LAM_F32 ? "bf16" : "f32", "$[3,70001]", NULL,
                   "?[3,70001]");
}

/* Formats of hardware, of none, and wider than the dtype. */
static void
reduce_precision (LmCases *c)
{
  static const int formats[][2] = {{5, 10}, {8, 7}, {4, 3}, {5, 2},  {8, 23}, {11, 52}, {1, 0},
                                   {8, 0},  {2, 5}, {5, 0}, {3, 60}, {70, 1}, {11, 3},  {5, 23}};
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autofree char *attrs =
        g_strdup_printf ("exponent_bits = %d, mantissa_bits = %d", formats[i][0], formats[i][1]);
    lm_case (c, LM_DRAW_SPECIAL, "$[5003]", attrs, NULL);
  }
  over_shapes (c, "$", "exponent_bits = 5, mantissa_bits = 10");
}

bool
lm_cases_convert (const char *check, LmCaseGenerator *out)
{
  bool casts = strcmp (check, "convert") == 0 || strcmp (check, "bitcast_convert") == 0;
  *out = casts ? to_every_dtype : reduce_precision;
  return casts || strcmp (check, "reduce_precision") == 0;
}
