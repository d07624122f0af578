/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.csv: batches of rows of a file of comma-separated values (RFC 4180). The file is read in place:
 * all of it is checked once at the start, a row is read again when a batch wants it. */
#include "rows.h"

#include "csv.h"

#define MAX_COLUMNS 65536

/* Where a column of the file goes. */
typedef struct {
  int32_t tensor; /* -1: nowhere */
  uint64_t place; /* in the tensor's row */
} target;

typedef struct {
  rows rows; /* first */
  lam_strings columns, fields, dtypes;
  const char *delimiter, *missing;
  bool header;
  /* opened */
  lam_file *handle;
  locale_t numbers;
  csv_cursor body;   /* the first record of data */
  csv_cell *names;   /* n_columns: of the header; NULL without one */
  target *targets;   /* n_columns */
  uint64_t *records; /* where the rows start, from body.p */
  uint64_t n_columns, n_records, room;
} csv;

LAM_FIELDS (
    csv, ROWS_FIELDS ("Path of the file of comma-separated values."),
    LAM_STRINGS (
        columns, "[]",
        "Names of the columns that are read, in order; empty: all. Without a header, their "
        "numbers from 0."),
    LAM_STRINGS (
        fields, "[]",
        "Which tensor each column goes to; several columns of one tensor are its last axis, "
        "one alone has none unless the name ends in []. Empty: a column \"labels\" or "
        "\"weights\" is that tensor, the others are \"inputs[]\"."),
    LAM_STRINGS (dtypes, "[]",
                 "Of each column, equal in a tensor; empty: i32 for labels, real for the others. "
                 "real: the model's float."),
    LAM_CHOICES ("real f64 f32 i64 i32 i16 i8 u64 u32 u16 u8 bool"),
    LAM_STRING (delimiter, ",", "The character between cells."),
    LAM_BOOL (header, true, "Whether the first line holds the names of the columns."),
    LAM_STRING (
        missing, "error",
        "What an empty cell of a column that is read is: an error, NaN (in columns of floats), "
        "or a reason to skip its row."),
    LAM_CHOICES ("error nan skip"))

/* --- columns ------------------------------------------------------------------------------------------- */

static lam_status
refuse_line (const csv *p, const csv_cursor *c, lam_error *error)
{
  return rows_fail (&p->rows, error, LAM_E_CORRUPT, "line %" PRIu64 ": %s", c->line, c->error);
}

/* Counts the cells of the first record, keeps them as names, and finds the body. */
static lam_status
read_header (csv *p, lam_error *error)
{
  csv_cursor c = p->body;
  csv_cell cell = {0};
  if (!csv_more (&c))
    return rows_fail (&p->rows, error, LAM_E_CORRUPT, "the file is empty");
  while (!cell.last && csv_take (&c, &cell))
    p->n_columns++;
  if (c.error != NULL)
    return refuse_line (p, &c, error);
  if (p->n_columns > MAX_COLUMNS)
    return rows_fail (&p->rows, error, LAM_E_CORRUPT, "wanted at most %d columns, got %" PRIu64,
                      MAX_COLUMNS, p->n_columns);
  p->targets = (target *)malloc (p->n_columns * sizeof *p->targets);
  p->names = (csv_cell *)malloc (p->n_columns * sizeof *p->names);
  if (p->targets == NULL || p->names == NULL)
    return rows_fail (&p->rows, error, LAM_E_NO_MEMORY, "no memory for its columns");
  c = p->body;
  for (uint64_t i = 0; i < p->n_columns; i++) {
    csv_take (&c, &p->names[i]);
    p->targets[i].tensor = -1;
  }
  if (p->header)
    p->body = c;
  return LAM_OK;
}

/* Name of column i; without a header its number. */
static void
name_of (const csv *p, uint64_t i, char *out, uint64_t capacity)
{
  if (p->header)
    csv_text (&p->names[i], out, capacity);
  else
    snprintf (out, capacity, "%" PRIu64, i);
}

static lam_status
refuse_column (const csv *p, const char *name, lam_error *error)
{
  char text[400], other[64];
  int n = snprintf (text, sizeof text, "no column \"%.60s\"; it has:", name);
  for (uint64_t i = 0; i < p->n_columns && n < 300; i++) {
    name_of (p, i, other, sizeof other);
    n += snprintf (text + n, sizeof text - (size_t)n, " \"%s\"", other);
  }
  return rows_fail (&p->rows, error, LAM_E_NOT_FOUND, "%s", text);
}

/* The column of the file that is named; two of one name are refused. */
static lam_status
find_column (const csv *p, const char *name, uint64_t *out, lam_error *error)
{
  char other[256];
  uint64_t found = 0;
  for (uint64_t i = 0; i < p->n_columns; i++) {
    name_of (p, i, other, sizeof other);
    if (strcmp (other, name) == 0 && found++ == 0)
      *out = i;
  }
  if (found == 0)
    return refuse_column (p, name, error);
  return found == 1 ? LAM_OK
                    : rows_fail (&p->rows, error, LAM_E_INVALID,
                                 "%" PRIu64 " columns have the name \"%.60s\"", found, name);
}

static lam_dtype
dtype_of (const csv *p, uint64_t i, const char *field)
{
  static const lam_dtype all[] = {LAM_F64, LAM_F32, LAM_I64, LAM_I32, LAM_I16, LAM_I8,
                                  LAM_U64, LAM_U32, LAM_U16, LAM_U8,  LAM_PRED};
  const char *name = i < p->dtypes.n                 ? p->dtypes.p[i]
                     : strcmp (field, "labels") == 0 ? "i32"
                                                     : "real";
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
    if (strcmp (lam_dtype_name (all[k]), name) == 0)
      return all[k];
  return p->rows.real;
}

/* Field of read column i: as the config says, or by its name. */
static const char *
field_of (const csv *p, uint64_t i, const char *name)
{
  if (i < p->fields.n)
    return p->fields.p[i];
  return strcmp (name, "labels") == 0 || strcmp (name, "weights") == 0 ? name : "inputs[]";
}

/* Adds a column to the tensor of its field, which it makes if it is the first. */
static lam_status
add_column (csv *p, const char *field, lam_dtype dtype, target *out, lam_error *error)
{
  size_t length = strlen (field);
  bool list = length > 2 && strcmp (field + length - 2, "[]") == 0;
  char name[64];
  lam_type type = {0};
  uint32_t i = 0;
  if (length >= sizeof name)
    return rows_add_tensor (&p->rows, field, &type, error); /* which refuses it */
  snprintf (name, sizeof name, "%.*s", (int)(list ? length - 2 : length), field);
  while (i < p->rows.n_tensors && strcmp (p->rows.tensors[i].name, name) != 0)
    i++;
  type.dtype = dtype;
  type.rank = list;
  type.dims[0] = 1;
  if (i == p->rows.n_tensors) {
    out->tensor = (int32_t)i;
    return rows_add_tensor (&p->rows, name, &type, error);
  }
  rows_tensor *tensor = &p->rows.tensors[i];
  if (tensor->type.dtype != dtype)
    return rows_fail (&p->rows, error, LAM_E_INVALID,
                      "the columns of %s want one dtype, got %s and %s", name,
                      lam_dtype_name (tensor->type.dtype), lam_dtype_name (dtype));
  out->tensor = (int32_t)i;
  out->place = tensor->row_size++;
  tensor->type.rank = 2;
  tensor->type.dims[1] = (int64_t)tensor->row_size;
  return LAM_OK;
}

/* Read column i, which is column `at` of the file. */
static lam_status
map_column (csv *p, uint64_t i, uint64_t at, lam_error *error)
{
  char name[256];
  name_of (p, at, name, sizeof name);
  const char *field = field_of (p, i, name);
  target to = {-1, 0};
  if (p->targets[at].tensor >= 0)
    return rows_fail (&p->rows, error, LAM_E_INVALID, "column \"%.60s\" is listed twice", name);
  lam_status status = add_column (p, field, dtype_of (p, i, field), &to, error);
  p->targets[at] = to;
  return status;
}

static lam_status
map_columns (csv *p, lam_error *error)
{
  uint64_t n = p->columns.n != 0 ? p->columns.n : p->n_columns;
  lam_status status = LAM_OK;
  if ((p->fields.n != 0 && p->fields.n != n) || (p->dtypes.n != 0 && p->dtypes.n != n))
    return rows_fail (&p->rows, error, LAM_E_INVALID,
                      "%" PRIu64 " columns want as many fields and dtypes (or none), got %" PRIu64
                      " and %" PRIu64,
                      n, p->fields.n, p->dtypes.n);
  for (uint64_t i = 0; i < n && status == LAM_OK; i++) {
    uint64_t at = i;
    if (p->columns.n != 0)
      status = find_column (p, p->columns.p[i], &at, error);
    if (status == LAM_OK)
      status = map_column (p, i, at, error);
  }
  return status;
}

/* --- records ------------------------------------------------------------------------------------------- */

/* What a record is worth. */
typedef enum { RECORD_GOOD, RECORD_SKIP, RECORD_BAD } verdict;

/* Reads cell i of a record on `line` to place k of its tensor; dst NULL: only checks it. */
static verdict
put_cell (const csv *p, const csv_cell *cell, uint64_t i, uint64_t line, void *const *dst,
          uint64_t k, lam_error *error)
{
  const target *to = &p->targets[i];
  const rows_tensor *tensor = &p->rows.tensors[to->tensor];
  uint32_t width = lam_dtype_bits (tensor->type.dtype) / 8;
  char name[64], got[48];
  csv_number number;
  const char *wanted;
  bool empty = csv_is_empty (cell), real = lam_dtype_is_float (tensor->type.dtype);
  if (empty && strcmp (p->missing, "skip") == 0)
    return RECORD_SKIP;
  static const csv_cell nan_cell = {"nan", 3, false, false};
  if (empty && real && strcmp (p->missing, "nan") == 0)
    cell = &nan_cell;
  wanted = csv_read (cell, tensor->type.dtype, p->numbers, &number);
  if (wanted == NULL) {
    if (dst != NULL)
      memcpy ((char *)dst[to->tensor] + (k * tensor->row_size + to->place) * width, &number, width);
    return RECORD_GOOD;
  }
  name_of (p, i, name, sizeof name);
  csv_text (cell, got, sizeof got);
  rows_fail (&p->rows, error, LAM_E_CORRUPT,
             "line %" PRIu64 ", column \"%s\": wanted %s (%s), got \"%s\"", line, name, wanted,
             lam_dtype_name (tensor->type.dtype), got);
  return RECORD_BAD;
}

static verdict
read_record (const csv *p, csv_cursor *c, void *const *dst, uint64_t k, lam_error *error)
{
  uint64_t line = c->line, n = 0;
  verdict all = RECORD_GOOD;
  csv_cell cell = {0};
  while (!cell.last && csv_take (c, &cell)) {
    verdict one = n >= p->n_columns || p->targets[n].tensor < 0
                      ? RECORD_GOOD
                      : put_cell (p, &cell, n, line, dst, k, error);
    if (one == RECORD_BAD)
      return RECORD_BAD;
    all = one == RECORD_SKIP ? RECORD_SKIP : all;
    n++;
  }
  if (c->error != NULL) {
    refuse_line (p, c, error);
    return RECORD_BAD;
  }
  if (n == p->n_columns)
    return all;
  rows_fail (&p->rows, error, LAM_E_CORRUPT,
             "line %" PRIu64 ": wanted %" PRIu64 " cells, got %" PRIu64, line, p->n_columns, n);
  return RECORD_BAD;
}

static bool
keep_record (csv *p, uint64_t offset)
{
  if (p->n_records == p->room) {
    uint64_t room = p->room != 0 ? 2 * p->room : 1024;
    uint64_t *more = (uint64_t *)realloc (p->records, room * sizeof *more);
    if (more == NULL)
      return false;
    p->records = more;
    p->room = room;
  }
  p->records[p->n_records++] = offset;
  return true;
}

/* Checks every record and notes where those start that are rows. */
static lam_status
index_records (csv *p, lam_error *error)
{
  csv_cursor c = p->body;
  while (csv_more (&c)) {
    uint64_t offset = (uint64_t)(c.p - p->body.p);
    verdict good = read_record (p, &c, NULL, 0, error);
    if (good == RECORD_BAD)
      return LAM_E_CORRUPT;
    if (good == RECORD_GOOD && !keep_record (p, offset))
      return rows_fail (&p->rows, error, LAM_E_NO_MEMORY, "no memory for the places of its rows");
  }
  return LAM_OK;
}

/* --- the vtable ------------------------------------------------------------------------------------------ */

static lam_status
csv_open (csv *p, const lam_input_args *args, lam_error *error)
{
  uint64_t size;
  const void *data;
  lam_status status = rows_begin (&p->rows, args, error);
  if (status != LAM_OK)
    return status;
  if (strlen (p->delimiter) != 1 || strchr ("\"\r\n0123456789+-.eE", p->delimiter[0]) != NULL)
    return rows_fail (
        &p->rows, error, LAM_E_INVALID,
        "delimiter wants one character that is no quote, line end or part of a number, "
        "got \"%.20s\"",
        p->delimiter);
  p->numbers = newlocale (LC_ALL_MASK, "C", (locale_t)0);
  if (p->numbers == (locale_t)0)
    return rows_fail (&p->rows, error, LAM_E_NO_MEMORY, "no memory for a locale");
  status = rows_open_file (&p->rows, p->rows.file, &p->handle, error);
  if (status != LAM_OK)
    return status;
  data = p->rows.files->data (p->handle, &size);
  p->body = csv_start (data, size, p->delimiter[0]);
  status = read_header (p, error);
  if (status == LAM_OK)
    status = map_columns (p, error);
  if (status == LAM_OK)
    status = index_records (p, error);
  return status == LAM_OK ? rows_begin_epochs (&p->rows, p->n_records, 0, error) : status;
}

static void
csv_close (csv *p)
{
  if (p->numbers != (locale_t)0)
    freelocale (p->numbers);
  rows_close_file (&p->rows, p->handle);
  rows_end (&p->rows);
  free (p->names);
  free (p->targets);
  free (p->records);
}

/* The record was good when the file was opened; it may have been changed since. */
static lam_status
csv_put (const void *self, void *const *dst, uint64_t k, uint32_t row, lam_error *error)
{
  const csv *p = (const csv *)self;
  csv_cursor c = p->body;
  c.p += p->records[row];
  return read_record (p, &c, dst, k, NULL) == RECORD_GOOD
             ? LAM_OK
             : rows_fail (&p->rows, error, LAM_E_CORRUPT, "row %" PRIu32 " has changed", row);
}

ROWS_METHODS (csv)

LAM_INPUT (csv, "lamina.csv", 1, "Batches of rows of comma-separated values.")
