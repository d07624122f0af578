/* SPDX-License-Identifier: Apache-2.0 */
/* An input to copy: records of a raw file, each `dims` little-endian f32 numbers and an i32 label. The host
 * owns the buffers of a batch; the position can be saved and restored. */
#include <lamina/input.h>
#include <string.h>

typedef struct {
  const char *file;
  int64_t dims, batch_size;
  bool repeat;
  /* opened */
  const lam_host *host;
  const lam_ext_files *files;
  lam_file *handle;
  const unsigned char *data;
  uint64_t records, position;
  lam_dtype real;
} raw_records;

LAM_FIELDS (raw_records, LAM_STRING (file, NULL, "Path of the file."), LAM_REQUIRED,
            LAM_INT (dims, 0, "Numbers in a record."), LAM_REQUIRED, LAM_MIN (1), LAM_MAX (1 << 20),
            LAM_INT (batch_size, 64, "Records in a batch; a smaller rest is left out."),
            LAM_MIN (1), LAM_MAX (1 << 20),
            LAM_BOOL (repeat, false, "Whether epochs follow each other for ever."))

static uint64_t
record_bytes (const raw_records *p)
{
  return ((uint64_t)p->dims + 1) * 4;
}

static lam_status
raw_records_open (raw_records *p, const lam_input_args *args, lam_error *error)
{
  uint64_t size;
  lam_status status;
  p->host = args->host;
  p->real = args->real_dtype;
  p->files = (const lam_ext_files *)p->host->get_extension (p->host, LAM_EXT_FILES);
  if (p->files == NULL)
    return p->host->error_set (error, LAM_E_UNSUPPORTED, "this host cannot read files for inputs");
  status = p->files->open (args->files, p->file, &p->handle, error);
  if (status != LAM_OK)
    return status;
  p->data = (const unsigned char *)p->files->data (p->handle, &size);
  p->records = size / record_bytes (p);
  if (size % record_bytes (p) != 0 || p->records < (uint64_t)p->batch_size)
    return p->host->error_set (error, LAM_E_CORRUPT,
                               "the file wants whole records, and at least one batch of them");
  return LAM_OK;
}

/* Also called after a failed open. */
static void
raw_records_close (raw_records *p)
{
  if (p->files != NULL)
    p->files->close (p->handle);
}

static bool
raw_records_describe (const raw_records *p, uint32_t i, const char **out_name, lam_type *out_type)
{
  if (i > 1)
    return false;
  memset (out_type, 0, sizeof *out_type);
  *out_name = i == 0 ? "inputs" : "labels";
  out_type->dtype = i == 0 ? p->real : LAM_I32;
  out_type->rank = i == 0 ? 2 : 1;
  out_type->dims[0] = p->batch_size;
  out_type->dims[1] = i == 0 ? p->dims : 0;
  return true;
}

/* dst: inputs (B, dims), labels (B) */
static lam_status
raw_records_next (raw_records *p, void *const *dst, lam_error *error)
{
  (void)error;
  if (p->records - p->position < (uint64_t)p->batch_size) {
    if (!p->repeat)
      return LAM_S_END;
    p->position = 0;
  }
  for (int64_t k = 0; k < p->batch_size; k++) {
    const unsigned char *record = p->data + p->position++ * record_bytes (p);
    for (int64_t i = 0; i < p->dims; i++) {
      float v;
      memcpy (&v, record + 4 * i, sizeof v);
      if (p->real == LAM_F64)
        ((double *)dst[0])[k * p->dims + i] = v;
      else
        ((float *)dst[0])[k * p->dims + i] = v;
    }
    memcpy ((int32_t *)dst[1] + k, record + 4 * p->dims, sizeof (int32_t));
  }
  return LAM_OK;
}

static void
raw_records_reset (raw_records *p)
{
  p->position = 0;
}

static int64_t
raw_records_batches (const raw_records *p)
{
  return (int64_t)p->records / p->batch_size;
}

static uint64_t
raw_records_state_size (const raw_records *p)
{
  return sizeof p->position;
}

static void
raw_records_save (const raw_records *p, void *out)
{
  memcpy (out, &p->position, sizeof p->position);
}

static lam_status
raw_records_restore (raw_records *p, const void *state, uint64_t size, lam_error *error)
{
  uint64_t position = 0;
  if (size == sizeof position)
    memcpy (&position, state, sizeof position);
  if (size != sizeof position || position > p->records)
    return p->host->error_set (error, LAM_E_INVALID, "the saved position is not one of this file");
  p->position = position;
  return LAM_OK;
}

LAM_INPUT (raw_records, "example.raw_records", 1, "Records of a raw file.")
LAM_PLUGIN ("example.inputs", "0.1.0", "Apache-2.0", LAM_PROVIDES (raw_records))
