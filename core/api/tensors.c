/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of tensors: between the two faces, and in files. */
#include "core/api/private.h"

#include "core/archive/file.h"
#include "core/archive/npy.h"
#include "core/archive/safetensors.h"

GHashTable *
lamina_tensors_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                (GDestroyNotify)lamina_tensor_free);
}

GHashTable *
lm_tensors_from_arrays (GHashTable *arrays)
{
  GHashTable *tensors = lamina_tensors_new ();
  GHashTableIter iter;
  gpointer name, array;
  g_hash_table_iter_init (&iter, arrays);
  while (g_hash_table_iter_next (&iter, &name, &array))
    g_hash_table_insert (tensors, g_strdup (name), lm_tensor_wrap (lm_array_ref (array)));
  return tensors;
}

GHashTable *
lm_arrays_from_tensors (GHashTable *tensors)
{
  GHashTable *arrays = lm_arrays_new ();
  GHashTableIter iter;
  gpointer name, tensor;
  g_hash_table_iter_init (&iter, tensors);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    g_hash_table_insert (arrays, g_strdup (name), lm_array_ref (((LaminaTensor *)tensor)->array));
  return arrays;
}

static GHashTable *
load_npy (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = lm_map_file (path, true, error);
  LmArray *array = bytes != NULL ? lm_npy_read (bytes, path, error) : NULL;
  if (array == NULL)
    return NULL;
  GHashTable *arrays = lm_arrays_new ();
  g_hash_table_insert (arrays, g_strdup ("array"), array);
  return arrays;
}

static void
unknown_suffix (const char *path, const char *wanted, GError **error)
{
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
               "%s: the file's kind is told by its name: wanted %s", path, wanted);
}

GHashTable *
lm_arrays_load (const char *path, GError **error)
{
  if (g_str_has_suffix (path, ".npz"))
    return lm_npz_read (path, error);
  if (g_str_has_suffix (path, ".npy"))
    return load_npy (path, error);
  if (g_str_has_suffix (path, ".safetensors"))
    return lm_safetensors_read_file (path, error);
  unknown_suffix (path, ".npz, .npy or .safetensors", error);
  return NULL;
}

GHashTable *
lamina_tensors_load (const char *path, GError **error)
{
  g_autoptr (GHashTable) arrays = lm_arrays_load (path, error);
  return arrays != NULL ? lm_tensors_from_arrays (arrays) : NULL;
}

static gboolean
save_safetensors (GHashTable *arrays, const char *path, GError **error)
{
  LmNewFile file;
  gsize n;
  g_autoptr (GBytes) bytes = lm_safetensors_write (arrays, NULL, 0, 64, error);
  if (bytes == NULL || !lm_new_file_open (&file, path, 0644, error))
    return FALSE;
  const void *data = g_bytes_get_data (bytes, &n);
  if (lm_new_file_write (&file, data, n, error))
    return lm_new_file_commit (&file, error);
  lm_new_file_abandon (&file);
  return FALSE;
}

gboolean
lamina_tensors_save (GHashTable *tensors, const char *path, GError **error)
{
  g_autoptr (GHashTable) arrays = lm_arrays_from_tensors (tensors);
  if (g_str_has_suffix (path, ".npz"))
    return lm_npz_write (arrays, path, error);
  if (g_str_has_suffix (path, ".safetensors"))
    return save_safetensors (arrays, path, error);
  unknown_suffix (path, ".npz or .safetensors", error);
  return FALSE;
}
