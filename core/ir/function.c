/* SPDX-License-Identifier: Apache-2.0 */
/* Lifetime of functions and of the blobs they share. */
#include "core/ir/function.h"

#include <stdlib.h>
#include <string.h>

#define BLOB_ALIGN 64

/* The head takes one alignment unit, the data follow. */
struct LmBlob {
  gint refs;
};

G_STATIC_ASSERT (sizeof (LmBlob) <= BLOB_ALIGN);

LmBlob *
lm_blob_new (const void *data, gsize n)
{
  LmBlob *blob;

  if (n > G_MAXSSIZE - 2 * BLOB_ALIGN)
    return NULL;
  blob = aligned_alloc (BLOB_ALIGN, BLOB_ALIGN + (n + BLOB_ALIGN - 1) / BLOB_ALIGN * BLOB_ALIGN);
  if (blob == NULL)
    return NULL;
  blob->refs = 1;
  memcpy (lm_blob_data (blob), data, n);
  return blob;
}

LmBlob *
lm_blob_ref (LmBlob *blob)
{
  g_atomic_int_inc (&blob->refs);
  return blob;
}

void
lm_blob_unref (LmBlob *blob)
{
  if (blob != NULL && g_atomic_int_dec_and_test (&blob->refs))
    free (blob);
}

void *
lm_blob_data (LmBlob *blob)
{
  return (char *)blob + BLOB_ALIGN;
}

LmBlob *
lm_blob_of_data (const void *data)
{
  return (LmBlob *)((uintptr_t)data - BLOB_ALIGN);
}

LmFunction *
lm_function_ref (const LmFunction *f)
{
  g_return_val_if_fail (f != NULL, NULL);
  g_atomic_int_inc (&lm_function_box (f)->refs);
  return &lm_function_box (f)->base;
}

void
lm_function_unref (LmFunction *f)
{
  LmFunctionBox *box;

  if (f == NULL || !g_atomic_int_dec_and_test (&lm_function_box (f)->refs))
    return;
  box = lm_function_box (f);
  for (uint32_t i = 0; i < f->ir.n_regions; i++)
    lm_function_unref ((LmFunction *)(uintptr_t)f->ir.regions[i]);
  for (uint32_t i = 0; i < f->ir.n_attrs; i++)
    if (lm_attr_is_blob (&f->ir.attrs[i]))
      lm_blob_unref (lm_blob_of_data (f->ir.attrs[i].data));
  free (box->chunk);
  g_free (box);
}

const LmFunction *
lm_function_region (const LmFunction *f, const lam_equation *e, uint32_t k)
{
  g_return_val_if_fail (k < e->n_regions, NULL);
  /* A region is the `ir` member, the first one, of an LmFunction. */
  return (const LmFunction *)(const void *)f->ir.regions[e->first_region + k];
}
