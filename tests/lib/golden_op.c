/* SPDX-License-Identifier: Apache-2.0 */
/* Translates golden cases of single ops. */
#include "tests/lib/golden_op.h"

#include "core/base/arena.h"
#include "core/ir/attr.h"
#include "core/op/emit.h"

#include <string.h>

typedef struct Case {
  LmBuilder *b;
  const LmGolden *golden;
  const LmGoldenCase *c;
  LmArena *arena; /* attribute data until the op is recorded */
  lam_attr attrs[LM_MAX_ATTRS];
  uint32_t n_attrs;
  LmValue in[8];
  uint32_t n_in;
} Case;

/* --- tensors --------------------------------------------------------------------------------- */

guint
lm_golden_params (LmBuilder *b, const LmGolden *golden, const LmGoldenCase *c, LmValue *out)
{
  JsonArray *names = lm_golden_names (c, "in");
  guint n = names != NULL ? json_array_get_length (names) : 0;
  for (guint i = 0; i < n; i++) {
    LmGoldenTensor x;
    g_assert_true (
        lm_golden_tensor (golden, c, "in", json_array_get_string_element (names, i), &x));
    out[i] = lm_builder_param (b, &x.type);
  }
  return n;
}

void
lm_golden_arrays (const LmGolden *golden, const LmGoldenCase *c, const char *section,
                  GPtrArray *out)
{
  g_autoptr (GError) error = NULL;
  JsonArray *names = lm_golden_names (c, section);
  for (guint i = 0; names != NULL && i < json_array_get_length (names); i++) {
    LmGoldenTensor x;
    g_assert_true (
        lm_golden_tensor (golden, c, section, json_array_get_string_element (names, i), &x));
    g_ptr_array_add (out, lm_array_new_copy (&x.type, x.data, &error));
    g_assert_no_error (error);
  }
}

static void
append_ints (JsonArray *array, GArray *out)
{
  for (guint i = 0; i < json_array_get_length (array); i++) {
    JsonNode *node = json_array_get_element (array, i);
    if (JSON_NODE_HOLDS_ARRAY (node)) {
      append_ints (json_node_get_array (node), out);
    } else {
      int64_t v = json_node_get_value_type (node) == G_TYPE_BOOLEAN ? json_node_get_boolean (node)
                                                                    : json_node_get_int (node);
      g_array_append_val (out, v);
    }
  }
}

GArray *
lm_golden_ints (JsonArray *array)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (int64_t));
  append_ints (array, out);
  return out;
}

/* A constant from attrs: a list of numbers, or of lists of equal length. */
static LmValue
constant_of (Case *k, const char *key, lam_dtype dtype)
{
  JsonArray *array = json_object_get_array_member (k->c->attrs, key);
  JsonNode *first = json_array_get_element (array, 0);
  g_autoptr (GArray) values = lm_golden_ints (array);
  int64_t dims[] = {json_array_get_length (array), 0};
  int32_t rank = 1;
  if (JSON_NODE_HOLDS_ARRAY (first)) {
    dims[1] = json_array_get_length (json_node_get_array (first));
    rank = 2;
  }
  uint32_t bytes = lam_dtype_bits (dtype) / 8;
  g_autofree uint8_t *data = g_new0 (uint8_t, values->len * bytes);
  for (guint i = 0; i < values->len; i++)
    memcpy (data + i * bytes, &g_array_index (values, int64_t, i), bytes);
  lam_type type = lm_type (dtype, rank, dims);
  return lm_constant (k->b, &type, data, values->len * bytes);
}

/* --- attributes ------------------------------------------------------------------------------ */

/* Upstream's name of one of our keys. */
static const char *
upstream_key (JsonObject *attrs, const char *key)
{
  static const char *const pairs[][2] = {
      {"dimension", "axis"}, {"unique", "unique_indices"}, {"out_dtype", "preferred_element_type"}};
  if (json_object_has_member (attrs, key))
    return key;
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    if (strcmp (pairs[i][0], key) == 0 && json_object_has_member (attrs, pairs[i][1]))
      return pairs[i][1];
  return NULL;
}

static const char *
our_word (const char *word)
{
  if (strcmp (word, "CLIP") == 0 || strcmp (word, "PROMISE_IN_BOUNDS") == 0)
    return "clip"; /* a bare StableHLO gather clamps too */
  return strcmp (word, "FILL_OR_DROP") == 0 ? "fill" : word;
}

static void
add_ints (Case *k, const char *key, const int64_t *values, gsize n)
{
  const int64_t *kept = lm_arena_memdup (k->arena, values, n * sizeof *values, 8);
  k->attrs[k->n_attrs++] = lm_attr_ints (key, kept, n);
}

/* "NHWC" -> batch, feature, spatial ...; `order` names the letters in that order. */
static void
add_spec (Case *k, const char *key, const char *text, const char *order)
{
  int64_t spec[LAM_MAX_RANK];
  gsize n = strlen (text);
  for (gsize i = 0; i < n; i++)
    spec[i] = strchr (text, order[i]) - text;
  add_ints (k, key, spec, n);
}

static void
add_specs (Case *k)
{
  JsonArray *numbers = json_object_get_array_member (k->c->attrs, "dimension_numbers");
  g_autoptr (GString) spatial = g_string_new (NULL);
  const char *lhs = json_array_get_string_element (numbers, 0);
  for (const char *p = lhs; *p != '\0'; p++)
    if (*p != 'N' && *p != 'C')
      g_string_append_c (spatial, *p);
  g_autofree char *data = g_strconcat ("NC", spatial->str, NULL);
  g_autofree char *kernel = g_strconcat ("OI", spatial->str, NULL);
  add_spec (k, "lhs_spec", lhs, data);
  add_spec (k, "rhs_spec", json_array_get_string_element (numbers, 1), kernel);
  add_spec (k, "out_spec", json_array_get_string_element (numbers, 2), data);
}

static void
add_attr (Case *k, const char *key, int32_t kind, JsonNode *node)
{
  if (kind == LAM_ATTR_INTS) {
    g_autoptr (GArray) values = lm_golden_ints (json_node_get_array (node));
    add_ints (k, key, (const int64_t *)(const void *)values->data, values->len);
  } else if (kind == LAM_ATTR_STR) {
    k->attrs[k->n_attrs++] = lm_attr_str (key, our_word (json_node_get_string (node)));
  } else if (kind == LAM_ATTR_DTYPE) {
    lam_dtype dtype = lm_dtype_from_name (json_node_get_string (node));
    g_assert_cmpint (dtype, !=, LAM_DTYPE_NONE);
    k->attrs[k->n_attrs++] = lm_attr_dtype (key, dtype);
  } else {
    int64_t v = json_node_get_value_type (node) == G_TYPE_BOOLEAN ? json_node_get_boolean (node)
                                                                  : json_node_get_int (node);
    k->attrs[k->n_attrs++] = lm_attr_int (key, v);
  }
}

static void
collect_attrs (Case *k, const LmOpInfo *info)
{
  const char *cursor = info->attrs;
  LmSchemaKey row;
  while (lm_schema_next (&cursor, &row)) {
    const char *key = lm_arena_strndup (k->arena, row.key, row.key_len);
    const char *theirs = upstream_key (k->c->attrs, key);
    if (theirs != NULL)
      add_attr (k, key, row.kind, json_object_get_member (k->c->attrs, theirs));
    else if (strcmp (key, "index_vector_dim") == 0) /* JAX: always the last axis */
      k->attrs[k->n_attrs++] = lm_attr_int (key, lm_builder_type (k->b, k->in[1])->rank - 1);
    else if (strcmp (key, "lhs_spec") == 0)
      add_specs (k);
  }
}

/* --- operands -------------------------------------------------------------------------------- */

static void
insert_operand (Case *k, uint32_t at, LmValue v)
{
  memmove (&k->in[at + 1], &k->in[at], (k->n_in - at) * sizeof *k->in);
  k->in[at] = v;
  k->n_in++;
}

/* The starts from operand `at` on: upstream keeps them in one vector, an operand or the attribute. */
static void
split_starts (Case *k, uint32_t at)
{
  LmValue starts = k->n_in > at ? k->in[at] : constant_of (k, "start", LAM_I32);
  int64_t n = lm_builder_type (k->b, starts)->dims[0];
  k->n_in = at;
  for (int64_t i = 0; i < n; i++) {
    int64_t limit = i + 1;
    k->in[k->n_in++] = lm_reshape (k->b, lm_slice (k->b, starts, &i, &limit, NULL), 0, NULL);
  }
}

/* Operands that the case keeps in its attributes. */
static void
add_operands (Case *k, const LmOpInfo *info)
{
  JsonObject *attrs = k->c->attrs;
  if (json_object_has_member (attrs, "start_indices") && info->number == LAM_OP_gather)
    insert_operand (k, 1, constant_of (k, "start_indices", LAM_I32));
  if (json_object_has_member (attrs, "scatter_indices") && info->number == LAM_OP_scatter)
    insert_operand (k, 1, constant_of (k, "scatter_indices", LAM_I32));
  if (json_object_has_member (attrs, "pred"))
    insert_operand (k, 0, constant_of (k, "pred", LAM_PRED));
  if (info->number == LAM_OP_clamp && k->n_in == 1) { /* clamp.edge: bounds -1 and 1 */
    lam_type scalar = lm_scalar_type (lm_builder_type (k->b, k->in[0])->dtype);
    insert_operand (k, 0, lm_splat (k->b, &scalar, -1));
    insert_operand (k, 2, lm_splat (k->b, &scalar, 1));
  }
  if (info->number == LAM_OP_dynamic_slice || info->number == LAM_OP_dynamic_update_slice)
    split_starts (k, info->number == LAM_OP_dynamic_slice ? 1 : 2);
  if (json_object_has_member (attrs, "window_reversal")) {
    g_autoptr (GArray) flags =
        lm_golden_ints (json_object_get_array_member (attrs, "window_reversal"));
    g_autoptr (GArray) spec = lm_golden_ints (json_object_get_array_member (attrs, "rhs_spec"));
    int64_t axes[LAM_MAX_RANK];
    uint64_t n = 0;
    for (guint i = 0; i < flags->len; i++)
      if (g_array_index (flags, int64_t, i) != 0)
        axes[n++] = g_array_index (spec, int64_t, i + 2);
    if (n > 0)
      k->in[1] = lm_reverse (k->b, k->in[1], axes, n);
  }
}

/* x to a whole power: power with a constant. */
static LmValue
integer_power (Case *k)
{
  double y = (double)json_object_get_int_member (k->c->attrs, "y");
  return lm_emit_binary (k->b, LAM_OP_power, k->in[0], lm_splat_like (k->b, k->in[0], y));
}

/* bitcast_convert between widths splits an axis in StableHLO; our row wants equal widths. Ours has no
 * exclusive-or among the reductions. */
static bool
is_foreign (const Case *k, const LmOpInfo *info, const lam_type *out)
{
  const char *how = json_object_get_string_member_with_default (k->c->attrs, "computation", "");
  if (strcmp (how, "xor") == 0)
    return true;
  return info->number == LAM_OP_bitcast_convert
         && lam_dtype_bits (lm_builder_type (k->b, k->in[0])->dtype) != lam_dtype_bits (out->dtype);
}

LmValue
lm_golden_record (LmBuilder *b, const LmGolden *golden, const LmGoldenCase *c, const LmValue *in)
{
  g_autoptr (LmArena) arena = lm_arena_new ();
  const LmOpInfo *info = lm_op_info_by_name (c->kind);
  Case k = {.b = b, .golden = golden, .c = c, .arena = arena};
  JsonArray *names = lm_golden_names (c, "in");
  LmGoldenTensor y;
  k.n_in = names != NULL ? json_array_get_length (names) : 0;
  memcpy (k.in, in, k.n_in * sizeof *in);
  if (strcmp (c->kind, "integer_pow") == 0)
    return integer_power (&k);
  if (info == NULL)
    return LM_NIL;
  const char *first = json_array_get_string_element (lm_golden_names (c, "out"), 0);
  g_assert_true (lm_golden_tensor (golden, c, "out", first, &y));
  if (is_foreign (&k, info, &y.type))
    return LM_NIL;
  add_operands (&k, info);
  collect_attrs (&k, info);
  LmOp op = {.op = info->number,
             .operands = k.in,
             .n_operands = k.n_in,
             .attrs = k.attrs,
             .n_attrs = k.n_attrs,
             .type = lm_op_has_flag (info, 'T') ? &y.type : NULL};
  return lm_builder_op (b, &op);
}
