/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.npz: batches of examples from arrays in an .npz or .npy file. The order of epoch e is
 * jax.random.permutation (fold_in (PRNGKey (seed), e), n), so it can be repeated anywhere. */
#include <lamina/ext/zip.h>
#include <lamina/input.h>
#include <lamina/prng.h>
#include <stdio.h>
#include <stdlib.h>

#include "npy.h"

typedef struct {
  const char *file, *inputs, *labels;
  int64_t batch_size, seed, modulus, remainder;
  double scale, offset;
  bool shuffle, exclude_remainder, repeat, drop_remainder;
  /* opened */
  const lam_host *host;
  const lam_ext_files *files;
  const lam_ext_zip *zips;
  lam_file *handle;
  lam_zip *zip;
  npy_array x, y; /* x (N, ...), y (N) */
  bool has_labels;
  lam_dtype real;
  uint64_t shuffle_seed;
  uint32_t *rows;    /* n: rows of x that this reader gives, in file order */
  uint32_t *order;   /* n: indices into rows, of this epoch */
  uint64_t *scratch; /* 2 n */
  uint32_t n;
  uint64_t epoch, position; /* position: examples given in this epoch */
} npz;

LAM_FIELDS (
    npz, LAM_STRING (file, NULL, "Path of the .npz or .npy file."), LAM_REQUIRED,
    LAM_INT (batch_size, 64, "Examples in a batch."), LAM_MIN (1), LAM_MAX (1 << 24),
    LAM_STRING (inputs, "inputs", "Name of the array of inputs (N, ...)."),
    LAM_STRING (labels, "labels", "Name of the array of labels (N), integers; \"\": none."),
    LAM_FLOAT (scale, 1.0, "Inputs are multiplied by it."),
    LAM_FLOAT (offset, 0.0, "Added to inputs after scaling."),
    LAM_BOOL (shuffle, false, "Whether each epoch has an order of its own."),
    LAM_INT (seed, -1, "Seed of the order; -1: the run's."), LAM_MIN (-1),
    LAM_INT (modulus, 0, "Splits rows by index mod modulus; 0: all rows."), LAM_MIN (0),
    LAM_INT (remainder, 0, "The part of the split that is taken."), LAM_MIN (0),
    LAM_BOOL (exclude_remainder, false, "Takes all other parts instead."),
    LAM_BOOL (repeat, false, "Whether epochs follow each other for ever."),
    LAM_BOOL (drop_remainder, false,
              "Whether a last, smaller batch is left out; false: it is filled with copies of "
              "a real row at weight 0."))

static lam_status
refuse (const npz *p, lam_error *error, lam_status status, const char *message)
{
  char text[512];
  snprintf (text, sizeof text, "%s: %s", p->file, message);
  return p->host->error_set (error, status, text);
}

/* --- reading -------------------------------------------------------------------------------------- */

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
  return refuse (p, error, LAM_E_NOT_FOUND, text);
}

/* Array `name` of an .npz, or the .npy itself. */
static lam_status
read_array (npz *p, const char *name, npy_array *out, lam_error *error)
{
  char text[400];
  uint64_t size;
  const void *data;
  const char *wrong;
  if (p->zip != NULL) {
    snprintf (text, sizeof text, "%s.npy", name);
    data = p->zips->member (p->zip, text, &size);
    if (data == NULL)
      return refuse_member (p, error, name);
  } else
    data = p->files->data (p->handle, &size);
  wrong = npy_read (data, size, out);
  if (wrong == NULL)
    return LAM_OK;
  snprintf (text, sizeof text, "array \"%s\": %s", name, wrong);
  return refuse (p, error, LAM_E_CORRUPT, text);
}

static lam_status
open_file (npz *p, const lam_input_args *args, lam_error *error)
{
  uint64_t size;
  const void *data;
  lam_status status;
  p->files = (const lam_ext_files *)p->host->get_extension (p->host, LAM_EXT_FILES);
  p->zips = (const lam_ext_zip *)p->host->get_extension (p->host, LAM_EXT_ZIP);
  if (p->files == NULL || p->zips == NULL)
    return refuse (p, error, LAM_E_UNSUPPORTED, "this host cannot read files for inputs");
  status = p->files->open (args->files, p->file, &p->handle, error);
  if (status != LAM_OK)
    return status;
  data = p->files->data (p->handle, &size);
  if (size >= 6 && memcmp (data, "\x93NUMPY", 6) == 0)
    return LAM_OK;
  status = p->zips->open (data, size, &p->zip, NULL);
  p->files->close (p->handle);
  p->handle = NULL;
  return status == LAM_OK
             ? LAM_OK
             : refuse (p, error, status, "neither an .npy array nor a whole .npz, a zip of them");
}

/* Element i as a double; f16 is widened by hand. */
static double
element (const npy_array *a, int64_t i)
{
  uint32_t width = lam_dtype_bits (a->type.dtype) / 8;
  const unsigned char *at = a->data + (uint64_t)i * width;
  uint64_t bits = 0;
  double f64;
  float f32;
  for (uint32_t k = 0; k < width; k++)
    bits |= (uint64_t)at[k] << (8 * k);
  switch (a->type.dtype) {
  case LAM_F64:
    memcpy (&f64, &bits, sizeof f64);
    return f64;
  case LAM_F32: {
    uint32_t low = (uint32_t)bits;
    memcpy (&f32, &low, sizeof f32);
    return f32;
  }
  case LAM_F16: {
    /* exponent moved from bias 15 to 1023; subnormals are exact multiples of 2^-24 */
    uint64_t sign = bits >> 15 << 63, exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 0)
      return (sign != 0 ? -1 : 1) * (double)fraction / 16777216.0;
    bits = sign | (exponent == 31 ? 2047 : exponent + 1008) << 52 | fraction << 42;
    memcpy (&f64, &bits, sizeof f64);
    return f64;
  }
  default:
    if (lam_dtype_is_signed (a->type.dtype))
      return (double)((int64_t)(bits << (64 - 8 * width)) >> (64 - 8 * width));
    return (double)bits;
  }
}

static lam_status
check_labels (npz *p, lam_error *error)
{
  lam_dtype dtype = p->y.type.dtype;
  char text[200];
  if (lam_dtype_is_float (dtype) || p->y.type.rank != 1) {
    snprintf (text, sizeof text,
              "array \"%.60s\": labels want integers of shape (N), got %s of rank %d", p->labels,
              lam_dtype_name (dtype), (int)p->y.type.rank);
    return refuse (p, error, LAM_E_INVALID, text);
  }
  if (p->y.type.dims[0] != p->x.type.dims[0]) {
    snprintf (text, sizeof text, "%lld inputs but %lld labels", (long long)p->x.type.dims[0],
              (long long)p->y.type.dims[0]);
    return refuse (p, error, LAM_E_INVALID, text);
  }
  for (int64_t i = 0; i < p->y.elements; i++) {
    double label = element (&p->y, i);
    if (label < INT32_MIN || label > INT32_MAX) {
      snprintf (text, sizeof text, "label %lld does not fit i32", (long long)i);
      return refuse (p, error, LAM_E_INVALID, text);
    }
  }
  return LAM_OK;
}

static lam_status
read_arrays (npz *p, lam_error *error)
{
  lam_status status = read_array (p, p->inputs, &p->x, error);
  if (status != LAM_OK)
    return status;
  if (p->x.type.rank < 1 || p->x.type.dims[0] > UINT32_MAX)
    return refuse (p, error, LAM_E_INVALID, "inputs want a first axis of examples, below 2^32");
  p->has_labels = p->zip != NULL && p->labels[0] != '\0';
  if (!p->has_labels)
    return LAM_OK;
  status = read_array (p, p->labels, &p->y, error);
  return status == LAM_OK ? check_labels (p, error) : status;
}

/* --- order ------------------------------------------------------------------------------------------ */

static bool
selected (const npz *p, int64_t row)
{
  if (p->modulus == 0)
    return true;
  return (row % p->modulus == p->remainder) != p->exclude_remainder;
}

/* Lists the rows of this reader: those of the split, every shard_count-th of them. */
static lam_status
list_rows (npz *p, const lam_input_args *args, lam_error *error)
{
  uint64_t total = (uint64_t)p->x.type.dims[0], k = 0;
  p->rows = (uint32_t *)malloc ((total + 1) * sizeof *p->rows);
  p->order = (uint32_t *)malloc ((total + 1) * sizeof *p->order);
  p->scratch = (uint64_t *)malloc ((total + 1) * 2 * sizeof *p->scratch);
  if (p->rows == NULL || p->order == NULL || p->scratch == NULL)
    return refuse (p, error, LAM_E_NO_MEMORY, "no memory for the order of its rows");
  for (uint64_t row = 0; row < total; row++)
    if (selected (p, (int64_t)row) && k++ % args->shard_count == args->shard_index)
      p->rows[p->n++] = (uint32_t)row;
  if (p->n == 0)
    return refuse (p, error, LAM_E_INVALID,
                   "no row is left: look at modulus, remainder and the number of shards");
  if (p->drop_remainder && p->n < p->batch_size)
    return refuse (p, error, LAM_E_INVALID,
                   "fewer rows than batch_size, and drop_remainder leaves no batch");
  return LAM_OK;
}

static void
start_epoch (npz *p, uint64_t epoch)
{
  lam_prng_key key = lam_prng_fold_in (lam_prng_seed (p->shuffle_seed), (uint32_t)epoch);
  p->epoch = epoch;
  p->position = 0;
  if (p->shuffle)
    lam_prng_permutation (key, p->n, p->order, p->scratch);
  else
    for (uint32_t i = 0; i < p->n; i++)
      p->order[i] = i;
}

/* --- the vtable -------------------------------------------------------------------------------------- */

static lam_status
npz_open (npz *p, const lam_input_args *args, lam_error *error)
{
  lam_status status;
  p->host = args->host;
  p->real = args->real_dtype;
  p->shuffle_seed = p->seed >= 0 ? (uint64_t)p->seed : args->seed;
  if (p->modulus != 0 && p->remainder >= p->modulus)
    return refuse (p, error, LAM_E_INVALID, "remainder wants to be below modulus");
  if (args->shard_count < 1 || args->shard_index >= args->shard_count)
    return refuse (p, error, LAM_E_INVALID, "the shard is not one of the shards");
  status = open_file (p, args, error);
  if (status == LAM_OK)
    status = read_arrays (p, error);
  if (status == LAM_OK)
    status = list_rows (p, args, error);
  if (status == LAM_OK)
    start_epoch (p, 0);
  return status;
}

static void
npz_close (npz *p)
{
  if (p->zip != NULL)
    p->zips->close (p->zip);
  if (p->handle != NULL)
    p->files->close (p->handle);
  free (p->rows);
  free (p->order);
  free (p->scratch);
}

static bool
npz_describe (const npz *p, uint32_t i, const char **out_name, lam_type *out_type)
{
  static const char *const names[] = {"inputs", "labels", "weights"};
  uint32_t which = i >= 1 && !p->has_labels ? i + 1 : i;
  if (which > 2)
    return false;
  memset (out_type, 0, sizeof *out_type);
  if (which == 0)
    *out_type = p->x.type;
  out_type->rank = which == 0 ? p->x.type.rank : 1;
  out_type->dims[0] = p->batch_size;
  out_type->dtype = which == 1 ? LAM_I32 : p->real;
  *out_name = names[which];
  return true;
}

static void
put_real (const npz *p, void *dst, int64_t i, double v)
{
  if (p->real == LAM_F64)
    ((double *)dst)[i] = v;
  else
    ((float *)dst)[i] = (float)v;
}

/* Example `row` of the file into place k of the batch. */
static void
put_example (const npz *p, void *const *dst, int64_t k, uint32_t row, double weight)
{
  int64_t size = p->x.elements / p->x.type.dims[0]; /* numbers in an example */
  for (int64_t i = 0; i < size; i++)
    put_real (p, dst[0], k * size + i, element (&p->x, row * size + i) * p->scale + p->offset);
  if (p->has_labels)
    ((int32_t *)dst[1])[k] = (int32_t)element (&p->y, row);
  put_real (p, dst[p->has_labels ? 2 : 1], k, weight);
}

static lam_status
npz_next (npz *p, void *const *dst, lam_error *error)
{
  uint64_t left = p->n - p->position, batch = (uint64_t)p->batch_size, given;
  (void)error;
  if (left == 0 || (p->drop_remainder && left < batch)) {
    if (!p->repeat)
      return LAM_S_END;
    start_epoch (p, p->epoch + 1);
    left = p->n;
  }
  given = left < batch ? left : batch;
  for (uint64_t k = 0; k < batch; k++) {
    uint64_t at = k < given ? p->position + k : 0;
    put_example (p, dst, (int64_t)k, p->rows[p->order[at]], k < given ? 1 : 0);
  }
  p->position += given;
  return LAM_OK;
}

static void
npz_reset (npz *p)
{
  start_epoch (p, 0);
}

static int64_t
npz_batches (const npz *p)
{
  int64_t n = p->n, batch = p->batch_size;
  return p->drop_remainder ? n / batch : (n + batch - 1) / batch;
}

/* State: version, rows, seed, epoch, position; the order follows from seed and epoch. */
typedef struct {
  uint64_t word[5];
} npz_state;

static npz_state
state_of (const npz *p)
{
  npz_state s = {{1, p->n, p->shuffle ? p->shuffle_seed : 0, p->epoch, p->position}};
  return s;
}

static uint64_t
npz_state_size (const npz *p)
{
  (void)p;
  return sizeof (npz_state);
}

static void
npz_save (const npz *p, void *out)
{
  npz_state s = state_of (p);
  unsigned char *bytes = (unsigned char *)out;
  for (size_t i = 0; i < sizeof s; i++)
    bytes[i] = (unsigned char)(s.word[i / 8] >> (8 * (i % 8)));
}

static lam_status
npz_restore (npz *p, const void *state, uint64_t size, lam_error *error)
{
  const unsigned char *bytes = (const unsigned char *)state;
  npz_state now = state_of (p), s = {{0}};
  if (size != sizeof s)
    return refuse (p, error, LAM_E_CORRUPT, "the saved position is not one of this input");
  for (size_t i = 0; i < sizeof s; i++)
    s.word[i / 8] |= (uint64_t)bytes[i] << (8 * (i % 8));
  if (s.word[0] != now.word[0] || s.word[1] != now.word[1] || s.word[2] != now.word[2]
      || s.word[4] > p->n)
    return refuse (p, error, LAM_E_INVALID,
                   "the saved position belongs to other data: rows, split or seed have changed");
  start_epoch (p, s.word[3]);
  p->position = s.word[4];
  return LAM_OK;
}

LAM_INPUT (npz, "lamina.npz", 1, "Batches of examples from arrays in an .npz or .npy file.")
LAM_PLUGIN ("lamina.inputs.npz", "0.1.0", "Apache-2.0", LAM_PROVIDES (npz))
