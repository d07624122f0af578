/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.safetensors: batches of examples from tensors in a .safetensors file. */
#include "examples.h"

#include "tensors.h"

typedef examples safetensors;

LAM_FIELDS (safetensors, ROWS_FIELDS ("Path of the .safetensors file."),
            LAM_STRING (inputs, "inputs", "Name of the tensor of inputs (N, ...)."),
            LAM_STRING (labels, "labels",
                        "Name of the tensor of labels (N), integers; \"\": none."),
            EXAMPLES_FIELDS)

/* No such tensor: says which there are. The header has been read to its end once, so it is good. */
static lam_status
refuse_missing (safetensors *p, tensors_cursor c, const char *name, lam_error *error)
{
  char text[400];
  int n = snprintf (text, sizeof text, "no tensor \"%.60s\"; it has:", name);
  tensors_entry entry;
  for (bool first = true; tensors_next (&c, &entry, first) && n < 300; first = false)
    if (entry.is_tensor)
      n += snprintf (text + n, sizeof text - (size_t)n, " %.60s", entry.name);
  return rows_fail (&p->rows, error, LAM_E_NOT_FOUND, "%s", text);
}

static lam_status
read_tensor (safetensors *p, const char *name, examples_array *out, lam_error *error)
{
  uint64_t size;
  const void *data = p->rows.files->data (p->handle, &size);
  tensors_cursor start, c;
  tensors_entry entry, found;
  bool seen = false;
  const char *wrong = tensors_open (data, size, &start);
  if (wrong != NULL)
    return rows_fail (&p->rows, error, LAM_E_CORRUPT, "%s", wrong);
  c = start;
  for (bool first = true; tensors_next (&c, &entry, first); first = false)
    if (entry.is_tensor && strcmp (entry.name, name) == 0) {
      if (seen)
        return rows_fail (&p->rows, error, LAM_E_CORRUPT, "tensor \"%.200s\" is there twice", name);
      found = entry;
      seen = true;
    }
  if (c.error != NULL)
    return rows_fail (&p->rows, error, LAM_E_CORRUPT, "%s", c.error);
  if (!seen)
    return refuse_missing (p, start, name, error);
  wrong = tensors_place (data, size, &start, &found, &out->data, &out->elements);
  out->type = found.type;
  return wrong == NULL
             ? LAM_OK
             : rows_fail (&p->rows, error, LAM_E_CORRUPT, "tensor \"%.200s\": %s", name, wrong);
}

static lam_status
safetensors_open (safetensors *p, const lam_input_args *args, lam_error *error)
{
  lam_status status = rows_begin (&p->rows, args, error);
  if (status == LAM_OK)
    status = rows_open_file (&p->rows, p->rows.file, &p->handle, error);
  if (status == LAM_OK)
    status = read_tensor (p, p->inputs, &p->x, error);
  p->has_labels = p->labels[0] != '\0';
  if (status == LAM_OK && p->has_labels)
    status = read_tensor (p, p->labels, &p->y, error);
  return status == LAM_OK ? examples_begin (p, error) : status;
}

static void
safetensors_close (safetensors *p)
{
  examples_close (p);
}

#define safetensors_put examples_put
ROWS_METHODS (safetensors)

LAM_INPUT (safetensors, "lamina.safetensors", 1,
           "Batches of examples from tensors in a .safetensors file.")
