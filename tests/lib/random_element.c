/* SPDX-License-Identifier: Apache-2.0 */
/* Random elementwise equations, conversions, random bits, and ops that pass values on. */
#include "tests/lib/random_gen.h"

#include <string.h>

/* Every elementwise row of one and two operands, so that a new row is generated at once. */
static bool
by_table (LmGen *g)
{
  guint n, k[2], set = lm_gen_chance (g, 40) ? LM_GEN_FLOATS : LM_GEN_ALL;
  const LmOpInfo *table = lm_op_table (&n), *info;
  do
    info = &table[lm_gen_below (g, n)];
  while (info->op_class != LM_CLASS_ELEMENTWISE || info->max_operands > 2 || *info->attrs != '\0');
  k[0] = lm_gen_any (g, set, 0, 8);
  if (info->max_operands == 2)
    k[1] = lm_gen_same (g, lm_gen_type (g, k[0]), k[0]);
  return lm_gen_simple (g, info->name, k, (guint)info->max_operands);
}

static bool
compare (LmGen *g)
{
  static const char *const directions[] = {"EQ", "NE", "LT", "LE", "GT", "GE", NULL};
  LmGenOp op = {.op = "compare", .n = 2};
  g_autofree char *attrs =
      g_strdup_printf ("comparison_direction = \"%s\"", lm_gen_word (g, directions));
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 0, 8);
  op.operands[1] = lm_gen_same (g, lm_gen_type (g, op.operands[0]), op.operands[0]);
  op.attrs = attrs;
  return lm_gen_try (g, &op);
}

static bool
select_ (LmGen *g)
{
  guint k[3];
  k[1] = lm_gen_any (g, LM_GEN_ALL, 0, 8);
  k[2] = lm_gen_same (g, lm_gen_type (g, k[1]), k[1]);
  lam_type type = *lm_gen_type (g, k[1]);
  type.dtype = LAM_PRED;
  k[0] = lm_gen_chance (g, 25) ? lm_gen_scalar (g, LAM_PRED) : lm_gen_same (g, &type, k[1]);
  return lm_gen_simple (g, "select", k, 3);
}

static bool
clamp (LmGen *g)
{
  guint k[3];
  k[1] = lm_gen_any (g, LM_GEN_ALL, 0, 8);
  lam_type type = *lm_gen_type (g, k[1]);
  for (guint i = 0; i < 3; i += 2)
    k[i] = lm_gen_chance (g, 30) ? lm_gen_scalar (g, type.dtype) : lm_gen_same (g, &type, k[1]);
  return lm_gen_simple (g, "clamp", k, 3);
}

static bool
convert (LmGen *g)
{
  LmGenOp op = {.op = lm_gen_chance (g, 20) ? "bitcast_convert" : "convert", .n = 1};
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 0, 8);
  lam_type type = *lm_gen_type (g, op.operands[0]);
  type.dtype = lm_gen_dtype (g, LM_GEN_ALL);
  g_autofree char *wanted = lm_type_to_string (&type);
  op.wanted = wanted;
  return lm_gen_try (g, &op);
}

static bool
reduce_precision (LmGen *g)
{
  LmGenOp op = {.op = "reduce_precision", .n = 1};
  g_autofree char *attrs = g_strdup_printf ("exponent_bits = %u, mantissa_bits = %u",
                                            1 + lm_gen_below (g, 12), lm_gen_below (g, 54));
  op.operands[0] = lm_gen_any (g, LM_GEN_FLOATS, 0, 8);
  op.attrs = attrs;
  return lm_gen_try (g, &op);
}

static bool
threefry (LmGen *g)
{
  guint k[4];
  k[0] = lm_gen_any (g, LM_GEN_OF (LAM_U32), 0, 3);
  for (guint i = 1; i < 4; i++)
    k[i] = lm_gen_same (g, lm_gen_type (g, k[0]), k[i - 1]);
  return lm_gen_simple (g, "threefry2x32", k, 4);
}

bool
lm_gen_elementwise (LmGen *g)
{
  switch (lm_gen_below (g, 16)) {
  case 0:
    return compare (g);
  case 1:
    return select_ (g);
  case 2:
    return clamp (g);
  case 3:
  case 4:
    return convert (g);
  case 5:
    return lm_gen_chance (g, 50) ? reduce_precision (g) : threefry (g);
  default:
    return by_table (g);
  }
}

/* --- passing on ------------------------------------------------------------------------------------ */

/* Its region rounds nothing. */
static bool
composite (LmGen *g)
{
  LmGenOp op = {.op = "composite", .n = 2, .attrs = "name = \"test.larger\", version = 1"};
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL & ~LM_GEN_BOOL, 0, 8);
  op.operands[1] = lm_gen_same (g, lm_gen_type (g, op.operands[0]), op.operands[0]);
  g_autofree char *t = lm_type_to_string (lm_gen_type (g, op.operands[0]));
  g_autofree char *region =
      g_strdup_printf ("(func @larger(%%0: %s, %%1: %s) -> (%s) {\n%%2 = maximum(%%0, %%1)\n"
                       "%%3 = maximum(%%2, %%0)\nreturn %%3\n})",
                       t, t, t);
  op.region = region;
  return lm_gen_try (g, &op);
}

static bool
several (LmGen *g, const char *name, guint set)
{
  static const char *const words[] = {"add", "maximum", "minimum", NULL};
  LmGenOp op = {.op = name, .n = 1 + lm_gen_below (g, 3)};
  g_autofree char *attrs = g_strdup_printf ("computation = \"%s\"", lm_gen_word (g, words));
  for (guint i = 0; i < op.n; i++)
    op.operands[i] = lm_gen_any (g, set, 0, 8);
  op.attrs = strcmp (name, "all_reduce") == 0 ? attrs : NULL;
  return lm_gen_try (g, &op);
}

static bool
all_gather (LmGen *g)
{
  LmGenOp op = {.op = "all_gather", .n = 1};
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 1, 8);
  g_autofree char *attrs =
      g_strdup_printf ("all_gather_dimension = %u, replica_count = 1",
                       lm_gen_below (g, (guint)lm_gen_type (g, op.operands[0])->rank));
  op.attrs = attrs;
  return lm_gen_try (g, &op);
}

bool
lm_gen_pass (LmGen *g)
{
  LmGenOp op = {.n = 1};
  switch (lm_gen_below (g, 8)) {
  case 0:
    return composite (g);
  case 1:
    return several (g, "all_reduce", LM_GEN_ALL);
  case 2:
    return all_gather (g);
  case 3:
    return lm_gen_chance (g, 30) && lm_gen_simple (g, "axis_index", (guint[]) {0}, 0);
  case 4:
    op.op = "name";
    op.attrs = "name = \"hidden\"";
    op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 0, 8);
    return lm_gen_try (g, &op);
  case 5:
    op.op = "stop_gradient";
    op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 0, 8);
    return lm_gen_try (g, &op);
  default:
    return several (g, "optimization_barrier", LM_GEN_ALL);
  }
}
