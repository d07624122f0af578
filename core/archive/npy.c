/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing .npy and .npz. */
#include "core/archive/npy.h"

#include "core/archive/zip.h"
#include <lamina/ir.h>
#include <string.h>

#define MAGIC      "\x93NUMPY"
#define MAGIC_SIZE 6
#define MAX_HEADER (1u << 16)

typedef struct Descr {
  const char *text; /* without the byte order */
  lam_dtype dtype;
} Descr;

static const Descr descrs[] = {
    {"f8", LAM_F64}, {"f4", LAM_F32}, {"f2", LAM_F16}, {"i8", LAM_I64},
    {"i4", LAM_I32}, {"i2", LAM_I16}, {"i1", LAM_I8},  {"u8", LAM_U64},
    {"u4", LAM_U32}, {"u2", LAM_U16}, {"u1", LAM_U8},  {"b1", LAM_PRED},
};

/* --- header --------------------------------------------------------------------------------------- */

/* What the header's Python dict says. */
typedef struct Header {
  lam_type type;
  bool fortran;
  gsize data; /* offset of the first element */
} Header;

typedef struct Cursor {
  const char *p, *end, *where;
  GError **error;
} Cursor;

static bool G_GNUC_PRINTF (2, 3) fail (Cursor *c, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (c->error, LM_ERROR, LM_ERROR_CORRUPT, "%s: %s", c->where, message);
  return false;
}

static char
peek (Cursor *c)
{
  while (c->p < c->end && strchr (" \t\r\n", *c->p) != NULL && *c->p != '\0')
    c->p++;
  return c->p < c->end ? *c->p : '\0';
}

static bool
take (Cursor *c, char wanted)
{
  if (peek (c) != wanted || c->p == c->end)
    return false;
  c->p++;
  return true;
}

/* A quoted word of at most 31 bytes. */
static bool
take_word (Cursor *c, char out[32])
{
  char quote = peek (c);
  gsize n = 0;
  if (quote != '\'' && quote != '"')
    return fail (c, "its header wants a quoted word");
  for (c->p++; c->p < c->end && *c->p != quote && n < 31; c->p++)
    out[n++] = *c->p;
  out[n] = '\0';
  return take (c, quote) || fail (c, "its header has an unfinished or too long word");
}

static bool
take_descr (Cursor *c, lam_type *type)
{
  char word[32];
  if (peek (c) == '[')
    return fail (c, "it holds records (a structured dtype), not numbers");
  if (!take_word (c, word))
    return false;
  bool native = word[0] == '<' || word[0] == '|' || word[0] == '=';
  for (guint i = 0; i < G_N_ELEMENTS (descrs); i++)
    if (native && strcmp (word + 1, descrs[i].text) == 0) {
      type->dtype = descrs[i].dtype;
      return true;
    }
  return fail (c,
               "dtype \"%s\": wanted little-endian floats of 2, 4 or 8 bytes, integers or bool%s",
               word, word[0] == '>' ? "; in NumPy, a.astype (a.dtype.newbyteorder ('<'))" : "");
}

static bool
take_shape (Cursor *c, lam_type *type)
{
  if (!take (c, '('))
    return fail (c, "its shape is no tuple");
  type->rank = 0;
  while (!take (c, ')')) {
    int64_t dim = 0;
    if (!g_ascii_isdigit (peek (c)))
      return fail (c, "its shape holds something else than sizes");
    for (; c->p < c->end && g_ascii_isdigit (*c->p); c->p++)
      if (__builtin_mul_overflow (dim, (int64_t)10, &dim)
          || __builtin_add_overflow (dim, (int64_t)(*c->p - '0'), &dim))
        return fail (c, "a size in its shape is too large");
    if (type->rank == LAM_MAX_RANK)
      return fail (c, "it has more than %d axes", LAM_MAX_RANK);
    type->dims[type->rank++] = dim;
    if (!take (c, ',') && peek (c) != ')')
      return fail (c, "its shape is not well formed");
  }
  return true;
}

static bool
take_bool (Cursor *c, bool *out)
{
  peek (c);
  gsize left = (gsize)(c->end - c->p);
  *out = left >= 4 && memcmp (c->p, "True", 4) == 0;
  if (!*out && (left < 5 || memcmp (c->p, "False", 5) != 0))
    return fail (c, "fortran_order is neither True nor False");
  c->p += *out ? 4 : 5;
  return true;
}

static bool
take_dict (Cursor *c, Header *h)
{
  guint seen = 0;
  if (!take (c, '{'))
    return fail (c, "its header is no dict");
  while (!take (c, '}')) {
    char key[32];
    bool ok;
    if (!take_word (c, key))
      return false;
    if (!take (c, ':'))
      return fail (c, "its header wants ':' behind \"%s\"", key);
    guint bit = strcmp (key, "descr") == 0           ? 1
                : strcmp (key, "fortran_order") == 0 ? 2
                : strcmp (key, "shape") == 0         ? 4
                                                     : 0;
    if (bit == 0 || (seen & bit) != 0)
      return fail (c, "its header has %s key \"%s\"", bit == 0 ? "an unknown" : "twice the", key);
    seen |= bit;
    ok = bit == 1   ? take_descr (c, &h->type)
         : bit == 2 ? take_bool (c, &h->fortran)
                    : take_shape (c, &h->type);
    if (!ok)
      return false;
    if (!take (c, ',') && peek (c) != '}')
      return fail (c, "its header is not well formed");
  }
  return seen == 7 || fail (c, "its header lacks descr, fortran_order or shape");
}

static bool
read_header (const guint8 *data, gsize n, const char *where, Header *h, GError **error)
{
  Cursor c = {NULL, NULL, where, error};
  gsize start, length;
  if (n < 10 || memcmp (data, MAGIC, MAGIC_SIZE) != 0)
    return fail (&c, "not a .npy file: it does not start with \\x93NUMPY");
  if (data[6] < 1 || data[6] > 3)
    return fail (&c, "format version %u; 1, 2 and 3 are known", data[6]);
  start = data[6] == 1 ? 10 : 12;
  length = data[8] | (gsize)data[9] << 8;
  if (n < start)
    return fail (&c, "its header is cut off");
  if (data[6] > 1)
    length |= (gsize)data[10] << 16 | (gsize)data[11] << 24;
  if (length > n - start || length > MAX_HEADER)
    return fail (&c, "its header of %" G_GSIZE_FORMAT " bytes is cut off or too long", length);
  c.p = (const char *)data + start;
  c.end = c.p + length;
  h->data = start + length;
  return take_dict (&c, h);
}

/* --- arrays --------------------------------------------------------------------------------------- */

/* Column-major bytes -> a new row-major array. */
static LmArray *
from_fortran (const lam_type *type, const guint8 *data, GError **error)
{
  LmArray *out = lm_array_new (type, error);
  gsize width = lam_dtype_bits (type->dtype) / 8;
  int64_t index[LAM_MAX_RANK] = {0};
  for (int64_t i = 0, n = lam_type_elements (type); out != NULL && i < n; i++) {
    int64_t to = 0;
    for (int32_t k = 0; k < type->rank; k++)
      to = to * type->dims[k] + index[k];
    memcpy ((guint8 *)out->data + (gsize)to * width, data + (gsize)i * width, width);
    for (int32_t k = 0; k < type->rank && ++index[k] == type->dims[k]; k++)
      index[k] = 0;
  }
  return out;
}

/* A bool is 0 or 1 everywhere in Lamina. */
static bool
check_bools (const lam_type *type, const guint8 *data, const char *where, GError **error)
{
  for (int64_t i = 0, n = type->dtype == LAM_PRED ? lam_type_elements (type) : 0; i < n; i++)
    if (data[i] > 1) {
      g_set_error (error, LM_ERROR, LM_ERROR_CORRUPT,
                   "%s: element %" G_GINT64_FORMAT " is %u, but a bool is 0 or 1", where, i,
                   data[i]);
      return false;
    }
  return true;
}

LmArray *
lm_npy_read (GBytes *bytes, const char *where, GError **error)
{
  gsize n;
  const guint8 *data = g_bytes_get_data (bytes, &n);
  Header h = {0};
  int64_t elements, size;
  if (!read_header (data, n, where, &h, error))
    return NULL;
  if (!lm_type_checked_bytes (&h.type, &elements, &size) || (uint64_t)size != n - h.data) {
    g_autofree char *type = lm_type_to_string (&h.type);
    g_set_error (error, LM_ERROR, LM_ERROR_CORRUPT,
                 "%s: its header says %s, but %" G_GSIZE_FORMAT
                 " bytes follow; is the file complete?",
                 where, type, n - h.data);
    return NULL;
  }
  if (!check_bools (&h.type, data + h.data, where, error))
    return NULL;
  if (h.fortran && h.type.rank > 1)
    return from_fortran (&h.type, data + h.data, error);
  if ((uintptr_t)(data + h.data) % 8 != 0)
    return lm_array_new_copy (&h.type, data + h.data, error);
  return lm_array_new_view (&h.type, data + h.data, g_bytes_ref (bytes),
                            (GDestroyNotify)g_bytes_unref);
}

GBytes *
lm_npy_write (const LmArray *array, const char *name, GError **error)
{
  const char *descr = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (descrs); i++)
    if (descrs[i].dtype == array->type.dtype)
      descr = descrs[i].text;
  if (descr == NULL) {
    g_set_error (error, LM_ERROR, LM_ERROR_UNSUPPORTED,
                 "%s: NumPy's format has no %s; write a .safetensors file instead", name,
                 lam_dtype_name (array->type.dtype));
    return NULL;
  }
  g_autoptr (GString) dict = g_string_new (NULL);
  g_string_printf (dict, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                   descr[1] == '1' ? '|' : '<', descr);
  for (int32_t i = 0; i < array->type.rank; i++)
    g_string_append_printf (dict, "%" G_GINT64_FORMAT "%s", array->type.dims[i],
                            i + 1 < array->type.rank ? ", "
                            : array->type.rank == 1  ? ","
                                                     : "");
  g_string_append (dict, "), }");
  while ((10 + dict->len + 1) % 64 != 0)
    g_string_append_c (dict, ' ');
  g_string_append_c (dict, '\n');
  gsize size = 10 + dict->len + (gsize)array->bytes;
  guint8 *out = g_try_malloc (size);
  if (out == NULL) {
    g_set_error (error, LM_ERROR, LM_ERROR_NO_MEMORY, "%s: no memory for %" G_GSIZE_FORMAT " bytes",
                 name, size);
    return NULL;
  }
  memcpy (out, MAGIC "\x01\x00", 8);
  out[8] = (guint8)dict->len;
  out[9] = (guint8)(dict->len >> 8);
  memcpy (out + 10, dict->str, dict->len);
  if (array->bytes > 0)
    memcpy (out + 10 + dict->len, array->data, (gsize)array->bytes);
  return g_bytes_new_take (out, size);
}

/* --- npz ------------------------------------------------------------------------------------------ */

GHashTable *
lm_npz_read (const char *path, GError **error)
{
  g_autoptr (GHashTable) members = lm_zip_read (path, 0, error);
  if (members == NULL)
    return NULL;
  g_autoptr (GHashTable) arrays =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)lm_array_unref);
  GHashTableIter iter;
  gpointer name, bytes;
  g_hash_table_iter_init (&iter, members);
  while (g_hash_table_iter_next (&iter, &name, &bytes)) {
    if (!g_str_has_suffix (name, ".npy"))
      continue;
    g_autofree char *where = g_strdup_printf ("%s: %s", path, (char *)name);
    LmArray *array = lm_npy_read (bytes, where, error);
    if (array == NULL)
      return NULL;
    g_hash_table_replace (arrays, g_strndup (name, strlen (name) - 4), array);
  }
  return g_steal_pointer (&arrays);
}

bool
lm_npz_write (GHashTable *arrays, const char *path, GError **error)
{
  g_autoptr (GHashTable) members =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
  GHashTableIter iter;
  gpointer name, array;
  g_hash_table_iter_init (&iter, arrays);
  while (g_hash_table_iter_next (&iter, &name, &array)) {
    GBytes *bytes = lm_npy_write (array, name, error);
    if (bytes == NULL)
      return false;
    g_hash_table_replace (members, g_strconcat (name, ".npy", NULL), bytes);
  }
  return lm_zip_write (path, members, error);
}
