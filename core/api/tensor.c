/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of the application API: a face of LmArray. */
#include "core/api/private.h"

#include <string.h>

GQuark
lamina_error_quark (void)
{
  return lm_error_quark ();
}

const char *
lamina_version (void)
{
  return PACKAGE_VERSION;
}

LaminaTensor *
lm_tensor_wrap (LmArray *array)
{
  LaminaTensor *tensor = g_new0 (LaminaTensor, 1);
  tensor->array = array;
  return tensor;
}

static bool
make_type (const char *dtype, int rank, const gint64 *dims, lam_type *out, GError **error)
{
  lam_dtype code = dtype != NULL ? lm_dtype_from_name (dtype) : LAM_DTYPE_NONE;
  if (code == LAM_DTYPE_NONE) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "unknown dtype \"%s\"; wanted one such as f32, f64, i32, u8 or bool",
                 dtype != NULL ? dtype : "(null)");
    return false;
  }
  if (rank < 0 || rank > LAM_MAX_RANK) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "rank %d; wanted 0 to %d", rank, LAM_MAX_RANK);
    return false;
  }
  *out = lm_type (code, rank, dims);
  return true;
}

LaminaTensor *
lamina_tensor_new (const char *dtype, int rank, const gint64 *dims, const void *data,
                   GError **error)
{
  lam_type type;
  g_return_val_if_fail (rank <= 0 || dims != NULL, NULL);
  if (!make_type (dtype, rank, dims, &type, error))
    return NULL;
  LmArray *array =
      data != NULL ? lm_array_new_copy (&type, data, error) : lm_array_new (&type, error);
  return array != NULL ? lm_tensor_wrap (array) : NULL;
}

void
lamina_tensor_free (LaminaTensor *tensor)
{
  if (tensor == NULL)
    return;
  lm_array_unref (tensor->array);
  g_free (tensor);
}

const char *
lamina_tensor_dtype (const LaminaTensor *tensor)
{
  return lam_dtype_name (tensor->array->type.dtype);
}

int
lamina_tensor_rank (const LaminaTensor *tensor)
{
  return tensor->array->type.rank;
}

gint64
lamina_tensor_dim (const LaminaTensor *tensor, int axis)
{
  g_return_val_if_fail (axis >= 0 && axis < tensor->array->type.rank, 0);
  return tensor->array->type.dims[axis];
}

gint64
lamina_tensor_elements (const LaminaTensor *tensor)
{
  return lam_type_elements (&tensor->array->type);
}

const void *
lamina_tensor_data (const LaminaTensor *tensor, gsize *out_bytes)
{
  if (out_bytes != NULL)
    *out_bytes = (gsize)tensor->array->bytes;
  return tensor->array->data;
}

double
lamina_tensor_get (const LaminaTensor *tensor, gint64 i)
{
  g_return_val_if_fail (i >= 0 && i < lam_type_elements (&tensor->array->type), 0);
  return lm_array_get_double (tensor->array, i);
}

char *
lamina_tensor_type (const LaminaTensor *tensor)
{
  return lm_type_to_string (&tensor->array->type);
}
