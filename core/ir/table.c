/* SPDX-License-Identifier: Apache-2.0 */
/* The op table as data: ops.def expanded into rows that are found by number or by name. */
#include "core/ir/ir.h"

#include <string.h>

enum {
#define LAM_OP(name, number, since, min, max, results, class, flags, attrs, doc) ROW_##name,
#include <lamina/ops.def>
  N_ROWS
};

static const LmOpInfo rows[] = {
#define LAM_OP(name, number, since, min, max, results, class, flags, attrs, doc)                   \
  {#name, number, since, min, max, results, LM_CLASS_##class, flags, attrs, doc},
#include <lamina/ops.def>
};

/* Row + 1 by op number; 0 where a number is free or reserved. */
static const uint8_t row_of_number[] = {
#define LAM_OP(name, number, since, min, max, results, class, flags, attrs, doc)                   \
  [number] = ROW_##name + 1,
#include <lamina/ops.def>
};

G_STATIC_ASSERT (N_ROWS < G_MAXUINT8);

const LmOpInfo *
lm_op_info (int32_t number)
{
  if (number < 0 || (gsize)number >= G_N_ELEMENTS (row_of_number) || row_of_number[number] == 0)
    return NULL;
  return &rows[row_of_number[number] - 1];
}

const LmOpInfo *
lm_op_info_by_name (const char *name)
{
  for (guint i = 0; i < N_ROWS; i++)
    if (strcmp (rows[i].name, name) == 0)
      return &rows[i];
  return NULL;
}

const LmOpInfo *
lm_op_table (guint *out_n)
{
  *out_n = N_ROWS;
  return rows;
}

bool
lm_op_has_flag (const LmOpInfo *info, char flag)
{
  return strchr (info->flags, flag) != NULL;
}
