/* SPDX-License-Identifier: Apache-2.0 */
/* Drives an input plugin over one file in memory: of what it opens, every batch can be read, and a
 * position goes on where it was saved. For fuzz targets. */
#ifndef LM_FUZZ_INPUT_H
#define LM_FUZZ_INPUT_H

#include <glib.h>
#include <lamina/input.h>
#include <lamina/ir.h>
#include <string.h>

/* The one file, whatever its path. */
struct lam_file {
  const uint8_t *data;
  size_t size;
};

static struct lam_file fuzz_file;

static lam_status
fuzz_open (const lam_files *files, const char *path, lam_file **out, lam_error *error)
{
  *out = &fuzz_file;
  return LAM_OK;
}

static const void *
fuzz_data (const lam_file *file, uint64_t *out_size)
{
  *out_size = file->size;
  return file->data;
}

static void
fuzz_close (lam_file *file)
{
}

/* Messages must be text that ends; nothing is kept of them. */
static lam_status
fuzz_error (lam_error *error, lam_status status, const char *message)
{
  g_assert_cmpuint (strlen (message), >, 0);
  g_assert_cmpint (status, <, 0);
  return status;
}

static const void *
fuzz_extension (const lam_host *host, const char *id)
{
  static const lam_ext_files files = {sizeof files, 0, fuzz_open, fuzz_data, fuzz_close};
  return strcmp (id, LAM_EXT_FILES) == 0 ? &files : NULL;
}

/* Room for one batch of the tensors that it describes. */
static GPtrArray *
fuzz_batch (const lam_input_vt *vt, const void *instance)
{
  GPtrArray *out = g_ptr_array_new_with_free_func (g_free);
  const char *name;
  lam_type type;
  for (uint32_t i = 0; vt->describe (instance, i, &name, &type); i++) {
    uint64_t bytes = (uint64_t)lam_type_elements (&type) * (lam_dtype_bits (type.dtype) / 8);
    g_assert_cmpuint (bytes, <=, 1u << 28);
    g_ptr_array_add (out, g_malloc0 (bytes));
  }
  return out;
}

/* All batches of an epoch; the sum of how many. */
static int64_t
fuzz_epoch (const lam_input_vt *vt, void *instance, GPtrArray *batch)
{
  int64_t n = 0;
  lam_status status;
  while ((status = vt->next (instance, batch->pdata, NULL)) == LAM_OK)
    n++;
  g_assert_cmpint (status, ==, LAM_S_END);
  return n;
}

/* instance: zeroed but for the config's members, with repeat false. */
static inline void
fuzz_input (const lam_input_vt *vt, void *instance, const uint8_t *data, size_t size)
{
  static const lam_host host = {.struct_size = sizeof (lam_host),
                                .abi_major = LAM_ABI_MAJOR,
                                .get_extension = fuzz_extension,
                                .error_set = fuzz_error};
  lam_input_args args = {.struct_size = sizeof args,
                         .shard_count = 1,
                         .real_dtype = LAM_F32,
                         .seed = 1,
                         .host = &host};
  fuzz_file = (struct lam_file) {data, size};
  if (vt->open (instance, &args, NULL) == LAM_OK) {
    g_autoptr (GPtrArray) batch = fuzz_batch (vt, instance);
    g_autofree void *state = g_malloc0 (vt->state_size (instance) + 1);
    int64_t n = vt->batches (instance);
    g_assert_cmpint (fuzz_epoch (vt, instance, batch), ==, n);
    vt->reset (instance);
    if (n > 0)
      g_assert_cmpint (vt->next (instance, batch->pdata, NULL), ==, LAM_OK);
    vt->save (instance, state);
    g_assert_cmpint (vt->restore (instance, state, vt->state_size (instance), NULL), ==, LAM_OK);
    g_assert_cmpint (fuzz_epoch (vt, instance, batch), ==, MAX (n - 1, 0));
  }
  vt->close (instance);
}

#endif
