/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.npz: batches of examples from arrays in an .npz or .npy file. */
#include "examples.h"

#include "npy.h"

typedef examples npz;

LAM_FIELDS (npz, ROWS_FIELDS ("Path of the .npz or .npy file."),
            LAM_STRING (inputs, "inputs", "Name of the array of inputs (N, ...)."),
            LAM_STRING (labels, "labels", "Name of the array of labels (N), integers; \"\": none."),
            EXAMPLES_FIELDS)

static lam_status
refuse_member (const npz *p, lam_error *error, const char *name)
{
  char text[400];
  int n = snprintf (text, sizeof text, "no array \"%s\"; it has:", name);
  const char *member;
  for (uint32_t i = 0; (member = p->zips->name (p->zip, i)) != NULL && n < 300; i++) {
    int length = (int)strlen (member);
    length = length > 4 && strcmp (member + length - 4, ".npy") == 0 ? length - 4 : length;
    n += snprintf (text + n, sizeof text - (size_t)n, " %.*s", length < 60 ? length : 60, member);
  }
  return rows_fail (&p->rows, error, LAM_E_NOT_FOUND, "%s", text);
}

/* Array `name` of an .npz, or the .npy itself. */
static lam_status
read_array (npz *p, const char *name, examples_array *out, lam_error *error)
{
  char member[400];
  uint64_t size;
  const void *data;
  const char *wrong;
  npy_array array;
  if (p->zip != NULL) {
    snprintf (member, sizeof member, "%s.npy", name);
    data = p->zips->member (p->zip, member, &size);
    if (data == NULL)
      return refuse_member (p, error, name);
  } else
    data = p->rows.files->data (p->handle, &size);
  wrong = npy_read (data, size, &array);
  if (wrong != NULL)
    return rows_fail (&p->rows, error, LAM_E_CORRUPT, "array \"%.200s\": %s", name, wrong);
  out->type = array.type;
  out->elements = array.elements;
  out->data = array.data;
  return LAM_OK;
}

static lam_status
open_file (npz *p, lam_error *error)
{
  uint64_t size;
  const void *data;
  lam_status status;
  const lam_host *host = p->rows.host;
  p->zips = (const lam_ext_zip *)host->get_extension (host, LAM_EXT_ZIP);
  if (p->zips == NULL)
    return rows_fail (&p->rows, error, LAM_E_UNSUPPORTED, "this host cannot read zip files");
  status = rows_open_file (&p->rows, p->rows.file, &p->handle, error);
  if (status != LAM_OK)
    return status;
  data = p->rows.files->data (p->handle, &size);
  if (size >= 6 && memcmp (data, "\x93NUMPY", 6) == 0)
    return LAM_OK;
  status = p->zips->open (data, size, &p->zip, NULL);
  rows_close_file (&p->rows, p->handle);
  p->handle = NULL;
  return status == LAM_OK ? LAM_OK
                          : rows_fail (&p->rows, error, status,
                                       "neither an .npy array nor a whole .npz, a zip of them");
}

static lam_status
npz_open (npz *p, const lam_input_args *args, lam_error *error)
{
  lam_status status = rows_begin (&p->rows, args, error);
  if (status == LAM_OK)
    status = open_file (p, error);
  if (status == LAM_OK)
    status = read_array (p, p->inputs, &p->x, error);
  p->has_labels = p->zip != NULL && p->labels[0] != '\0';
  if (status == LAM_OK && p->has_labels)
    status = read_array (p, p->labels, &p->y, error);
  return status == LAM_OK ? examples_begin (p, error) : status;
}

static void
npz_close (npz *p)
{
  examples_close (p);
}

#define npz_put examples_put
ROWS_METHODS (npz)

LAM_INPUT (npz, "lamina.npz", 1, "Batches of examples from arrays in an .npz or .npy file.")
