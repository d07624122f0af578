/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.idx: batches of examples from IDX files, as MNIST comes in: one of inputs, one of labels. */
#include "examples.h"

#include "idx.h"

typedef examples idx;

LAM_FIELDS (idx, ROWS_FIELDS ("Path of the IDX file of inputs (N, ...), unpacked."),
            LAM_STRING (labels, "", "Path of the IDX file of labels (N), integers; \"\": none."),
            EXAMPLES_FIELDS)

static lam_status
open_array (idx *p, const char *path, lam_file **handle, examples_array *out, lam_error *error)
{
  uint64_t size;
  const void *data;
  const char *wrong;
  lam_status status = rows_open_file (&p->rows, path, handle, error);
  if (status != LAM_OK)
    return status;
  data = p->rows.files->data (*handle, &size);
  wrong = idx_read (data, size, &out->type, &out->elements, &out->data);
  out->big_endian = true;
  if (wrong == NULL)
    return LAM_OK;
  return path == p->rows.file
             ? rows_fail (&p->rows, error, LAM_E_CORRUPT, "%s", wrong)
             : rows_fail (&p->rows, error, LAM_E_CORRUPT, "labels %.300s: %s", path, wrong);
}

static lam_status
idx_open (idx *p, const lam_input_args *args, lam_error *error)
{
  lam_status status = rows_begin (&p->rows, args, error);
  if (status == LAM_OK)
    status = open_array (p, p->rows.file, &p->handle, &p->x, error);
  p->has_labels = p->labels[0] != '\0';
  if (status == LAM_OK && p->has_labels)
    status = open_array (p, p->labels, &p->labels_handle, &p->y, error);
  return status == LAM_OK ? examples_begin (p, error) : status;
}

static void
idx_close (idx *p)
{
  examples_close (p);
}

#define idx_put examples_put
ROWS_METHODS (idx)

LAM_INPUT (idx, "lamina.idx", 1, "Batches of examples from IDX files (MNIST).")
