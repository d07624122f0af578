/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.text: windows of a file's bytes, for language models: `inputs` are bytes 0 to T - 1 of a window,
 * `labels` bytes 1 to T, `weights` (T) ones. */
#include "rows.h"

typedef struct {
  rows rows; /* first */
  int64_t length, stride;
  const char *dtype;
  bool shift;
  /* opened */
  lam_file *handle;
  const unsigned char *bytes;
  uint64_t size;
  bool wide; /* i32, not u8 */
} text;

LAM_FIELDS (text, ROWS_FIELDS ("Path of the file; any bytes."),
            LAM_INT (length, 0, "T: bytes of a window's inputs."), LAM_REQUIRED, LAM_MIN (1),
            LAM_MAX (1 << 24), LAM_INT (stride, 0, "Bytes from one window to the next; 0: length."),
            LAM_MIN (0),
            LAM_BOOL (shift, false,
                      "Whether all windows of an epoch start some bytes later, at random below "
                      "stride; with shuffle, windows of all offsets are seen."),
            LAM_STRING (dtype, "i32", "What the bytes come as."), LAM_CHOICES ("i32 u8"))

static uint64_t
step_of (const text *p)
{
  return (uint64_t)(p->stride != 0 ? p->stride : p->length);
}

/* Windows of length + 1 bytes, with room for the greatest shift; 0 where the file is too short. */
static uint64_t
windows (const text *p)
{
  uint64_t step = step_of (p), need = (uint64_t)p->length + 1 + (p->shift ? step - 1 : 0);
  return p->size < need ? 0 : (p->size - need) / step + 1;
}

static lam_status
declare (text *p, lam_error *error)
{
  lam_type type = {0};
  lam_status status;
  p->wide = strcmp (p->dtype, "i32") == 0;
  type.dtype = p->wide ? LAM_I32 : LAM_U8;
  type.rank = 1;
  type.dims[0] = p->length;
  status = rows_add_tensor (&p->rows, "inputs", &type, error);
  return status == LAM_OK ? rows_add_tensor (&p->rows, "labels", &type, error) : status;
}

static lam_status
text_open (text *p, const lam_input_args *args, lam_error *error)
{
  lam_status status = rows_begin (&p->rows, args, error);
  if (status == LAM_OK)
    status = rows_open_file (&p->rows, p->rows.file, &p->handle, error);
  if (status != LAM_OK)
    return status;
  p->bytes = (const unsigned char *)p->rows.files->data (p->handle, &p->size);
  if (windows (p) == 0)
    return rows_fail (
        &p->rows, error, LAM_E_INVALID,
        "a window of length %" PRId64 " wants %" PRIu64 " bytes, the file has %" PRIu64, p->length,
        (uint64_t)p->length + 1 + (p->shift ? step_of (p) - 1 : 0), p->size);
  status = declare (p, error);
  return status == LAM_OK ? rows_begin_epochs (&p->rows, windows (p), p->length, error) : status;
}

static void
text_close (text *p)
{
  rows_close_file (&p->rows, p->handle);
  rows_end (&p->rows);
}

/* Where the windows of this epoch start. */
static uint64_t
shift_of (const text *p)
{
  lam_prng_key key = lam_prng_fold_in (rows_epoch_key (&p->rows), UINT32_MAX);
  return p->shift ? lam_prng_bits (key, 0) % step_of (p) : 0;
}

static lam_status
text_put (const void *self, void *const *dst, uint64_t k, uint32_t row, lam_error *error)
{
  const text *p = (const text *)self;
  uint64_t n = (uint64_t)p->length;
  const unsigned char *from = p->bytes + row * step_of (p) + shift_of (p);
  (void)error;
  for (uint64_t which = 0; which < 2; which++) {
    for (uint64_t i = 0; i < n && p->wide; i++)
      ((int32_t *)dst[which])[k * n + i] = from[i + which];
    if (!p->wide)
      memcpy ((unsigned char *)dst[which] + k * n, from + which, n);
  }
  return LAM_OK;
}

ROWS_METHODS (text)

LAM_INPUT (text, "lamina.text", 1, "Windows of a file's bytes, for language models.")
