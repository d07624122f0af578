/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a builder: values are renumbered (parameters first, then results in order) and
 * everything moves into one allocation of the exact size. */
#include "core/ir/attr.h"
#include "core/ir/builder.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_ALIGN 64

/* Hands out pieces of a chunk; with base NULL it only counts. */
typedef struct Layout {
  char *base;
  gsize used;
} Layout;

/* A piece of the chunk filled from data; NULL while counting. */
static void *
place (Layout *l, const void *data, gsize bytes, gsize align)
{
  gsize start = (l->used + align - 1) & ~(align - 1);

  l->used = start + bytes;
  if (l->base == NULL)
    return NULL;
  if (bytes > 0 && data != NULL)
    memcpy (l->base + start, data, bytes);
  return l->base + start;
}

static gsize
attr_align (const lam_attr *a)
{
  if (a->kind == LAM_ATTR_BYTES)
    return CHUNK_ALIGN;
  return a->kind == LAM_ATTR_INTS ? sizeof (int64_t) : 1;
}

/* keys: const char * (the arena's, interned) -> const char * (the chunk's). */
static const char *
place_key (Layout *l, GHashTable *keys, const char *key)
{
  const char *placed = g_hash_table_lookup (keys, key);

  if (placed == NULL) {
    placed = place (l, key, strlen (key) + 1, 1);
    g_hash_table_insert (keys, (gpointer)key, placed != NULL ? (gpointer)placed : (gpointer)key);
  }
  return placed;
}

static lam_attr *
place_attrs (Layout *l, const LmBuilder *b)
{
  g_autoptr (GHashTable) keys = g_hash_table_new (NULL, NULL);
  lam_attr *attrs = place (l, NULL, b->n_attrs * sizeof *attrs, 8), *out = attrs;

  for (uint32_t i = 0; i < b->equations->len; i++) {
    const LmBuilderEquation *e = lm_builder_equation (b, i);
    for (uint32_t k = 0; k < e->n_attrs; k++) {
      lam_attr a = e->attrs[k];
      a.key = place_key (l, keys, a.key);
      if (a.data != NULL && !lm_attr_is_blob (&a))
        a.data =
            place (l, a.data, lm_attr_data_bytes (&a) + (a.kind == LAM_ATTR_STR), attr_align (&a));
      if (attrs != NULL)
        *out++ = a;
    }
  }
  return attrs;
}

static const char *const *
place_paths (Layout *l, const LmBuilder *b)
{
  const char **paths = place (l, NULL, b->paths->len * sizeof *paths, 8);

  for (guint i = 0; i < b->paths->len; i++) {
    const char *path = g_ptr_array_index (b->paths, i);
    const char *placed = place (l, path, strlen (path) + 1, 1);
    if (paths != NULL)
      paths[i] = placed;
  }
  return paths;
}

/* Types in final order: parameters, then results. */
static lam_type *
place_types (Layout *l, const LmBuilder *b, const LmValue *number)
{
  lam_type *types = place (l, NULL, b->values->len * sizeof *types, 8);

  for (guint v = 0; types != NULL && v < b->values->len; v++)
    types[number[v]] = *lm_builder_value (b, v)->type;
  return types;
}

static uint32_t *
place_values (Layout *l, const LmValue *values, guint n, const LmValue *number)
{
  uint32_t *out = place (l, NULL, n * sizeof *out, 8);

  for (guint i = 0; out != NULL && i < n; i++)
    out[i] = number[values[i]];
  return out;
}

static lam_equation *
place_equations (Layout *l, const LmBuilder *b, const LmValue *number)
{
  lam_equation *out = place (l, NULL, b->equations->len * sizeof *out, 8);
  uint32_t first_attr = 0;

  for (uint32_t i = 0; out != NULL && i < b->equations->len; i++) {
    const LmBuilderEquation *e = lm_builder_equation (b, i);
    out[i] = (lam_equation) {
        .op = e->op,
        .n_operands = e->n_operands,
        .first_operand = e->first_operand,
        .n_results = e->n_results,
        .first_result = number[e->first_result],
        .n_attrs = e->n_attrs,
        .first_attr = first_attr,
        .n_regions = e->n_regions,
        .first_region = e->first_region,
        .path = e->path,
    };
    first_attr += e->n_attrs;
  }
  return out;
}

/* Final number of each provisional value. */
static LmValue *
renumber (const LmBuilder *b)
{
  LmValue *number = g_new (LmValue, MAX (b->values->len, 1));
  LmValue next_param = 0, next_result = b->n_params;

  for (guint v = 0; v < b->values->len; v++)
    number[v] = lm_builder_value (b, v)->equation == LM_NO_EQUATION ? next_param++ : next_result++;
  return number;
}

static void
lay_out (Layout *l, const LmBuilder *b, const LmValue *results, uint32_t n, lam_function *ir)
{
  g_autofree LmValue *number = renumber (b);
  const LmValue *operands = (const LmValue *)(const void *)b->operands->data;

  ir->types = place_types (l, b, number);
  ir->equations = place_equations (l, b, number);
  ir->operands = place_values (l, operands, b->operands->len, number);
  ir->results = place_values (l, results, n, number);
  ir->regions = place (l, b->regions->pdata, b->regions->len * sizeof (gpointer), 8);
  ir->paths = place_paths (l, b);
  ir->name = place (l, b->name, strlen (b->name) + 1, 1);
  ir->attrs = place_attrs (l, b);
}

static bool
check_results (LmBuilder *b, const LmValue *results, uint32_t n)
{
  for (uint32_t i = 0; i < n && b->error == NULL; i++)
    if (results[i] >= b->values->len)
      lm_builder_failf (b, "@%s: result %u is %s", b->name, i,
                        results[i] == LM_NIL ? "nil (no tensor)" : "no value of this function");
  return b->error == NULL;
}

static LmFunction *
build (LmBuilder *b, const LmValue *results, uint32_t n)
{
  Layout l = {NULL, 0};
  LmFunctionBox *box;
  lam_function ir = {
      .struct_size = sizeof ir,
      .ir_minor = b->ir_minor,
      .n_params = b->n_params,
      .n_results = n,
      .n_values = b->values->len,
      .n_equations = b->equations->len,
      .n_operands = b->operands->len,
      .n_attrs = b->n_attrs,
      .n_regions = b->regions->len,
      .n_paths = b->paths->len,
      .type_stride = sizeof (lam_type),
      .equation_stride = sizeof (lam_equation),
      .attr_stride = sizeof (lam_attr),
  };

  lay_out (&l, b, results, n, &ir);
  l.base = aligned_alloc (CHUNK_ALIGN, (l.used + CHUNK_ALIGN - 1) / CHUNK_ALIGN * CHUNK_ALIGN);
  if (l.base == NULL) {
    lm_builder_fail (b, g_error_new (LM_ERROR, LM_ERROR_NO_MEMORY,
                                     "@%s: no memory for a function of %" G_GSIZE_FORMAT " bytes",
                                     b->name, l.used));
    return NULL;
  }
  l.used = 0;
  lay_out (&l, b, results, n, &ir);
  box = g_new0 (LmFunctionBox, 1);
  box->base.ir = ir;
  box->refs = 1;
  box->depth = b->depth;
  box->chunk = l.base;
  /* The function holds the references now. */
  g_ptr_array_set_free_func (b->regions, NULL);
  g_ptr_array_set_free_func (b->blobs, NULL);
  return &box->base;
}

LmFunction *
lm_builder_finish (LmBuilder *b, const LmValue *results, uint32_t n, GError **error)
{
  LmFunction *f = NULL;

  if (b->error == NULL && check_results (b, results, n))
    f = build (b, results, n);
  if (f == NULL)
    g_propagate_error (error, g_steal_pointer (&b->error));
  lm_builder_free (b);
  return f;
}
