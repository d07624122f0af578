/* SPDX-License-Identifier: Apache-2.0 */
/* Random equations that a simplifier may think it can leave out: neutral and absorbing constants, ops done
 * twice or undone, the same equation again. */
#include "tests/lib/random_gen.h"

#include <string.h>

/* A constant of the type, one element all over or that element for each. */
static bool
splat (LmGen *g, const lam_type *type, const char *word)
{
  int64_t n = lam_type_elements (type);
  g_autoptr (GString) attrs = g_string_new ("value = [");
  g_string_append (attrs, word);
  for (int64_t i = 1; n <= 64 && i < n && lm_gen_chance (g, 95); i++)
    g_string_append_printf (attrs, ", %s", word);
  g_string_append_c (attrs, ']');
  g_autofree char *wanted = lm_type_to_string (type);
  const LmGenOp op = {.op = "constant", .attrs = attrs->str, .wanted = wanted};
  return lm_gen_try (g, &op);
}

/* All bits set. */
static const char *
all_ones (lam_dtype dtype)
{
  if (lam_dtype_is_signed (dtype))
    return "-1";
  return lam_dtype_bits (dtype) == 8    ? "255"
         : lam_dtype_bits (dtype) == 16 ? "65535"
         : lam_dtype_bits (dtype) == 32 ? "4294967295"
                                        : "18446744073709551615";
}

/* An op and a constant that may be neutral or absorbing in it. */
static void
draw_neutral (LmGen *g, lam_dtype dtype, const char **op, const char **word)
{
  static const char *const sums[] = {"add", "subtract", NULL};
  static const char *const products[] = {"multiply", "divide", "power", "remainder", NULL};
  static const char *const others[] = {"maximum",
                                       "minimum",
                                       "and",
                                       "or",
                                       "xor",
                                       "shift_left",
                                       "shift_right_logical",
                                       "shift_right_arithmetic",
                                       NULL};
  static const char *const ends[] = {"maximum", "minimum", NULL};
  static const char *const zeros[] = {"0.0", "-0.0", NULL};
  static const char *const ones[] = {"1.0", "-1.0", "0.0", "inf", NULL};
  static const char *const ints[] = {"0", "1", "8", "16", "127", NULL};
  static const char *const bools[] = {"true", "false", NULL};
  guint kind = lm_gen_below (g, 3);
  bool real = lam_dtype_is_float (dtype);
  *op = lm_gen_word (g, kind == 0 ? sums : kind == 1 ? products : real ? ends : others);
  *word = lm_gen_word (g, real && kind == 0   ? zeros
                          : real              ? ones
                          : dtype == LAM_PRED ? bools
                                              : ints);
  if (!real && dtype != LAM_PRED && lm_gen_chance (g, 25))
    *word = all_ones (dtype);
}

static bool
neutral (LmGen *g)
{
  guint k[2], left = lm_gen_chance (g, 70) ? 0 : 1;
  const char *op, *word;
  k[left] = lm_gen_any (g, LM_GEN_ALL, 0, 8);
  lam_type type = *lm_gen_type (g, k[left]);
  draw_neutral (g, type.dtype, &op, &word);
  if (!splat (g, &type, word))
    return false;
  k[1 - left] = g->pool->len - 1;
  return lm_gen_simple (g, op, k, 2);
}

/* Both operands the same value. */
static bool
doubled (LmGen *g)
{
  static const char *const directions[] = {"EQ", "NE", "LT", "LE", "GT", "GE", NULL};
  static const char *const ops[] = {"subtract", "divide", "remainder", "maximum", "minimum", "and",
                                    "or",       "xor",    "compare",   "select",  NULL};
  LmGenOp op = {.op = lm_gen_word (g, ops), .n = 2};
  g_autofree char *attrs =
      g_strdup_printf ("comparison_direction = \"%s\"", lm_gen_word (g, directions));
  op.operands[0] = op.operands[1] = op.operands[2] = lm_gen_any (g, LM_GEN_ALL, 0, 8);
  if (strcmp (op.op, "compare") == 0)
    op.attrs = attrs;
  if (strcmp (op.op, "select") == 0) {
    op.operands[0] = lm_gen_scalar (g, LAM_PRED);
    op.n = 3;
  }
  return lm_gen_try (g, &op);
}

static bool
chosen (LmGen *g)
{
  guint k[3];
  k[1] = lm_gen_any (g, LM_GEN_ALL, 0, 8);
  k[2] = lm_gen_same (g, lm_gen_type (g, k[1]), k[1]);
  lam_type type = *lm_gen_type (g, k[1]);
  type.dtype = LAM_PRED;
  type.rank = lm_gen_chance (g, 30) ? 0 : type.rank;
  if (!splat (g, &type, lm_gen_chance (g, 50) ? "true" : "false"))
    return false;
  k[0] = g->pool->len - 1;
  return lm_gen_simple (g, "select", k, 3);
}

/* x through an op and through the same one again. */
static bool
twice (LmGen *g)
{
  static const char *const ops[] = {
      "negate", "abs", "sign", "floor", "ceil", "not", "reverse", "transpose", "round_nearest_even",
      NULL};
  LmGenOp op = {.op = lm_gen_word (g, ops), .n = 1};
  int64_t axes[LAM_MAX_RANK];
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 0, 8);
  guint rank = (guint)lm_gen_type (g, op.operands[0])->rank, shift = lm_gen_below (g, 3);
  for (guint i = 0; i < rank; i++)
    axes[i] = (i + shift) % rank;
  bool reverse = strcmp (op.op, "reverse") == 0;
  g_autofree char *list = lm_gen_list (axes, reverse ? (rank + 1) / 2 : rank);
  g_autofree char *attrs =
      g_strdup_printf ("%s = %s", reverse ? "dimensions" : "permutation", list);
  if (reverse || strcmp (op.op, "transpose") == 0)
    op.attrs = attrs;
  if (!lm_gen_try (g, &op))
    return false;
  op.operands[0] = g->pool->len - 1;
  return lm_gen_try (g, &op);
}

/* To another dtype and back. */
static bool
there_and_back (LmGen *g)
{
  LmGenOp op = {.op = "convert", .n = 1};
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 0, 8);
  lam_type type = *lm_gen_type (g, op.operands[0]), other = type;
  other.dtype = lm_gen_dtype (g, LM_GEN_ALL);
  g_autofree char *to = lm_type_to_string (&other), *from = lm_type_to_string (&type);
  op.wanted = to;
  if (!lm_gen_try (g, &op))
    return false;
  op.wanted = from;
  op.operands[0] = g->pool->len - 1;
  return lm_gen_try (g, &op);
}

/* An equation once more; where it has two operands maybe in the other order. */
static bool
again (LmGen *g)
{
  if (g->taken->len == 0)
    return false;
  LmGenOp op = *(LmGenOp *)g->taken->pdata[lm_gen_below (g, g->taken->len)];
  if (op.n == 2 && lm_gen_chance (g, 30)) {
    guint keep = op.operands[0];
    op.operands[0] = op.operands[1];
    op.operands[1] = keep;
  }
  return lm_gen_try (g, &op);
}

bool
lm_gen_fold (LmGen *g)
{
  static bool (*const all[]) (LmGen * g) = {neutral, neutral,        neutral, doubled, chosen,
                                            twice,   there_and_back, again,   again};
  return all[lm_gen_below (g, G_N_ELEMENTS (all))](g);
}
