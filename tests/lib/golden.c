/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a group of golden vectors: a JSON file and a safetensors file. */
#include "tests/lib/golden.h"

#include <string.h>

#include <gio/gio.h>

struct LmGolden {
  char *name;
  char *file;          /* the whole safetensors file */
  JsonParser *parser;  /* NULL for a plain file */
  JsonParser *header;  /* of the safetensors file */
  GArray *cases;       /* LmGoldenCase */
  GHashTable *by_id;   /* id -> index + 1 */
  GHashTable *tensors; /* full name -> LmGoldenTensor */
  GPtrArray *names;    /* full names in file order, NULL-terminated */
};

static const struct {
  const char *name;
  lam_dtype dtype;
} dtypes[] = {
    {"F64", LAM_F64}, {"F32", LAM_F32}, {"F16", LAM_F16},   {"BF16", LAM_BF16}, {"I64", LAM_I64},
    {"I32", LAM_I32}, {"I16", LAM_I16}, {"I8", LAM_I8},     {"U64", LAM_U64},   {"U32", LAM_U32},
    {"U16", LAM_U16}, {"U8", LAM_U8},   {"BOOL", LAM_PRED},
};

static bool
fail (GError **error, const char *where, const char *what)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "golden %s: %s", where, what);
  return false;
}

static lam_dtype
dtype_of (const char *name, const char **out_static)
{
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (g_strcmp0 (name, dtypes[i].name) == 0) {
      *out_static = dtypes[i].name;
      return dtypes[i].dtype;
    }
  return LAM_DTYPE_NONE;
}

/* Fills t from one entry of the header; offsets are those in the data part. */
static bool
read_entry (JsonObject *entry, LmGoldenTensor *t, gint64 offsets[2])
{
  JsonArray *shape = json_object_get_array_member (entry, "shape");
  JsonArray *at = json_object_get_array_member (entry, "data_offsets");

  t->type.dtype = dtype_of (json_object_get_string_member (entry, "dtype"), &t->dtype);
  if (t->type.dtype == LAM_DTYPE_NONE || shape == NULL || at == NULL
      || json_array_get_length (at) != 2 || json_array_get_length (shape) > LAM_MAX_RANK)
    return false;
  t->type.rank = (int32_t)json_array_get_length (shape);
  t->elements = 1;
  for (int32_t i = 0; i < t->type.rank; i++) {
    t->type.dims[i] = json_array_get_int_element (shape, (guint)i);
    if (t->type.dims[i] < 0 || __builtin_mul_overflow (t->elements, t->type.dims[i], &t->elements))
      return false;
  }
  offsets[0] = json_array_get_int_element (at, 0);
  offsets[1] = json_array_get_int_element (at, 1);
  t->nbytes = (gsize)t->elements * (lam_dtype_bits (t->type.dtype) / 8);
  return offsets[0] >= 0 && offsets[1] >= offsets[0]
         && (gsize)(offsets[1] - offsets[0]) == t->nbytes;
}

static bool
read_tensors (LmGolden *g, JsonObject *header, gsize base, gsize length, GError **error)
{
  g_autoptr (GList) members = json_object_get_members (header);

  for (GList *l = members; l != NULL; l = l->next) {
    const char *name = l->data;
    LmGoldenTensor t = {0};
    gint64 at[2];
    if (strcmp (name, "__metadata__") == 0)
      continue;
    if (!read_entry (json_object_get_object_member (header, name), &t, at)
        || (gsize)at[1] > length - base)
      return fail (error, name, "the header's entry is wrong");
    t.data = g->file + base + at[0];
    if ((base + (gsize)at[0]) % (lam_dtype_bits (t.type.dtype) / 8) != 0)
      return fail (error, name, "not aligned for its dtype; write the file again with group.py");
    g_hash_table_insert (g->tensors, (char *)name, g_memdup2 (&t, sizeof t));
    g_ptr_array_add (g->names, (char *)name);
  }
  g_ptr_array_add (g->names, NULL);
  return true;
}

static bool
read_safetensors (LmGolden *g, const char *path, char **out_sha256, GError **error)
{
  gsize length, n;
  guint64 raw;

  if (!g_file_get_contents (path, &g->file, &length, error))
    return false;
  if (out_sha256 != NULL)
    *out_sha256 = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (guchar *)g->file, length);
  if (length < 8)
    return fail (error, path, "shorter than its header's length");
  memcpy (&raw, g->file, sizeof raw);
  if (GUINT64_FROM_LE (raw) > length - 8)
    return fail (error, path, "the header reaches beyond the end of the file");
  n = (gsize)GUINT64_FROM_LE (raw);
  g->header = json_parser_new ();
  if (!json_parser_load_from_data (g->header, g->file + 8, (gssize)n, error))
    return false;
  if (!JSON_NODE_HOLDS_OBJECT (json_parser_get_root (g->header)))
    return fail (error, path, "the header is no object");
  return read_tensors (g, json_node_get_object (json_parser_get_root (g->header)), 8 + n, length,
                       error);
}

static bool
read_tolerance (JsonObject *o, JsonArray *whys, LmGoldenCase *c)
{
  static const char *const modes[] = {"", "bits", "ulp", "close", "either", "either_case"};
  const char *mode = json_object_get_string_member (o, "mode");
  gint64 why = json_object_get_int_member_with_default (o, "why", -1);

  for (gsize i = 1; i < G_N_ELEMENTS (modes); i++)
    if (g_strcmp0 (mode, modes[i]) == 0)
      c->tolerance.mode = (LmGoldenMode)i;
  c->tolerance.ulp = lm_golden_number (o, "ulp", 0);
  c->tolerance.rtol = lm_golden_number (o, "rtol", 0);
  c->tolerance.atol = lm_golden_number (o, "atol", 0);
  if (whys != NULL && why >= 0 && why < json_array_get_length (whys))
    c->why = json_array_get_string_element (whys, (guint)why);
  return c->tolerance.mode != LM_GOLDEN_NONE;
}

static bool
read_case (LmGolden *g, JsonObject *o, JsonArray *whys, GError **error)
{
  LmGoldenCase c = {.object = o,
                    .id = json_object_get_string_member_with_default (o, "id", NULL),
                    .kind = json_object_get_string_member_with_default (o, "kind", NULL),
                    .note = json_object_get_string_member_with_default (o, "note", NULL)};

  if (c.id == NULL || c.kind == NULL || !json_object_has_member (o, "attrs"))
    return fail (error, g->name, "a case without id, kind or attrs");
  if (!g_hash_table_insert (g->by_id, (char *)c.id, GUINT_TO_POINTER (g->cases->len + 1)))
    return fail (error, c.id, "two cases of this id");
  c.attrs = json_object_get_object_member (o, "attrs");
  if (json_object_has_member (o, "tolerance") && !json_object_get_null_member (o, "tolerance")
      && !read_tolerance (json_object_get_object_member (o, "tolerance"), whys, &c))
    return fail (error, c.id, "unknown tolerance mode");
  g_array_append_val (g->cases, c);
  return true;
}

static bool
read_json (LmGolden *g, const char *path, const char *sha256, GError **error)
{
  JsonObject *root;
  JsonArray *cases, *whys = NULL;

  g->parser = json_parser_new ();
  if (!json_parser_load_from_file (g->parser, path, error))
    return false;
  root = json_node_get_object (json_parser_get_root (g->parser));
  if (g_strcmp0 (json_object_get_string_member_with_default (root, "sha256", NULL), sha256) != 0)
    return fail (error, path, "its sha256 is not that of the safetensors file");
  if (json_object_has_member (root, "whys"))
    whys = json_object_get_array_member (root, "whys");
  cases = json_object_get_array_member (root, "cases");
  for (guint i = 0; i < json_array_get_length (cases); i++)
    if (!read_case (g, json_array_get_object_element (cases, i), whys, error))
      return false;
  return true;
}

static LmGolden *
golden_new (const char *name)
{
  LmGolden *g = g_new0 (LmGolden, 1);

  g->name = g_strdup (name);
  g->cases = g_array_new (FALSE, TRUE, sizeof (LmGoldenCase));
  g->by_id = g_hash_table_new (g_str_hash, g_str_equal);
  g->tensors = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  g->names = g_ptr_array_new ();
  return g;
}

static char *
golden_path (const char *name, const char *suffix)
{
  const char *srcdir = g_getenv ("LAMINA_SRCDIR");
  g_autofree char *file = g_strconcat (name, suffix, NULL);

  return g_build_filename (srcdir != NULL ? srcdir : ".", "tests", "golden", file, NULL);
}

LmGolden *
lm_golden_open (const char *group, GError **error)
{
  g_autofree char *tensors = golden_path (group, ".safetensors");
  g_autofree char *json = golden_path (group, ".json");
  g_autofree char *sha256 = NULL;
  g_autoptr (LmGolden) g = golden_new (group);

  if (!read_safetensors (g, tensors, &sha256, error) || !read_json (g, json, sha256, error))
    return NULL;
  return g_steal_pointer (&g);
}

LmGolden *
lm_golden_open_plain (const char *file, GError **error)
{
  g_autofree char *path = golden_path (file, "");
  g_autoptr (LmGolden) g = golden_new (file);

  if (!read_safetensors (g, path, NULL, error))
    return NULL;
  return g_steal_pointer (&g);
}

void
lm_golden_free (LmGolden *g)
{
  if (g == NULL)
    return;
  g_hash_table_unref (g->by_id);
  g_hash_table_unref (g->tensors);
  g_ptr_array_unref (g->names);
  g_array_unref (g->cases);
  g_clear_object (&g->parser);
  g_clear_object (&g->header);
  g_free (g->file);
  g_free (g->name);
  g_free (g);
}

guint
lm_golden_n_cases (const LmGolden *g)
{
  return g->cases->len;
}

const LmGoldenCase *
lm_golden_case (const LmGolden *g, guint i)
{
  g_return_val_if_fail (i < g->cases->len, NULL);
  return &g_array_index (g->cases, LmGoldenCase, i);
}

const LmGoldenCase *
lm_golden_lookup (const LmGolden *g, const char *id)
{
  guint i = GPOINTER_TO_UINT (g_hash_table_lookup (g->by_id, id));

  return i == 0 ? NULL : lm_golden_case (g, i - 1);
}

JsonArray *
lm_golden_names (const LmGoldenCase *c, const char *section)
{
  JsonObject *tensors;

  if (!json_object_has_member (c->object, "tensors"))
    return NULL;
  tensors = json_object_get_object_member (c->object, "tensors");
  return json_object_has_member (tensors, section) ? json_object_get_array_member (tensors, section)
                                                   : NULL;
}

static bool
is_listed (const LmGoldenCase *c, const char *section, const char *name)
{
  JsonArray *names = lm_golden_names (c, section);

  for (guint i = 0; names != NULL && i < json_array_get_length (names); i++)
    if (strcmp (json_array_get_string_element (names, i), name) == 0)
      return true;
  return false;
}

bool
lm_golden_tensor (const LmGolden *g, const LmGoldenCase *c, const char *section, const char *name,
                  LmGoldenTensor *out)
{
  g_autofree char *part = g_strconcat (section, "/", name, NULL);
  g_autofree char *own = g_strconcat (c->id, "/", part, NULL);
  const char *full = own;

  if (!is_listed (c, section, name))
    return false;
  if (json_object_has_member (c->object, "alias")) {
    JsonObject *alias = json_object_get_object_member (c->object, "alias");
    full = json_object_get_string_member_with_default (alias, part, own);
  }
  return lm_golden_find (g, full, out);
}

bool
lm_golden_find (const LmGolden *g, const char *full_name, LmGoldenTensor *out)
{
  const LmGoldenTensor *found = g_hash_table_lookup (g->tensors, full_name);

  if (found != NULL)
    *out = *found;
  return found != NULL;
}

const char *const *
lm_golden_tensor_names (const LmGolden *g)
{
  return (const char *const *)g->names->pdata;
}

double
lm_golden_number (JsonObject *attrs, const char *key, double fallback)
{
  JsonNode *node = json_object_get_member (attrs, key);

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node))
    return fallback;
  if (json_node_get_value_type (node) == G_TYPE_STRING)
    return g_ascii_strtod (json_node_get_string (node), NULL);
  return json_node_get_double (node);
}
