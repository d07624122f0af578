/* SPDX-License-Identifier: Apache-2.0 */
/* The builder's inside, shared by the files of core/ir that fill and finish it. Values and
 * attributes lie in the arena, so that pointers to them stay valid while the builder grows. */
#ifndef LM_IR_BUILDER_H
#define LM_IR_BUILDER_H

#include "core/ir/function.h"

#define LM_NO_EQUATION 0xffffffffu

typedef struct LmBuilderValue {
  const lam_type *type; /* in the arena */
  uint32_t equation;    /* LM_NO_EQUATION: a parameter */
} LmBuilderValue;

typedef struct LmBuilderEquation {
  const lam_attr *attrs; /* in the arena */
  int32_t op;
  uint32_t n_operands, first_operand; /* in operands */
  uint32_t n_results;
  LmValue first_result;
  uint32_t n_attrs;
  uint32_t n_regions, first_region; /* in regions */
  uint32_t path;
} LmBuilderEquation;

struct LmBuilder {
  char *name;
  LmArena *arena;
  GError *error;      /* the first one; then the builder is inert */
  GArray *values;     /* LmBuilderValue */
  GArray *equations;  /* LmBuilderEquation */
  GArray *operands;   /* LmValue */
  GPtrArray *regions; /* LmFunction, owned */
  GPtrArray *blobs;   /* LmBlob, owned, one reference for each attribute that shows it */
  GPtrArray *paths;   /* const char *, in the arena; number 0 is "" */
  GHashTable *path_numbers;
  uint32_t path; /* current */
  uint32_t n_params, n_attrs;
  uint32_t ir_minor;
  uint32_t depth;
  GArray *scratch_types;       /* lam_type, for inference */
  GPtrArray *scratch_operands; /* const lam_type * */
};

static inline LmBuilderValue *
lm_builder_value (const LmBuilder *b, LmValue v)
{
  return &g_array_index (b->values, LmBuilderValue, v);
}

static inline LmBuilderEquation *
lm_builder_equation (const LmBuilder *b, uint32_t i)
{
  return &g_array_index (b->equations, LmBuilderEquation, i);
}

#endif
