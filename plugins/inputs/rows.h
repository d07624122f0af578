/* SPDX-License-Identifier: Apache-2.0 */
/* What inputs of rows share: options, order of epochs, batches, replicas, position. A format says which
 * tensors a row has and writes one row; the rest is here.
 *
 * The order of epoch e is jax.random.permutation (fold_in (PRNGKey (seed), e), n), so it can be repeated
 * anywhere. Of N replicas, replica r gets rows r * B / N to (r + 1) * B / N - 1 of each batch of B: the
 * same batches that one replica would get. With shard false, each replica draws B / N rows a step from
 * an order of its own, whose key is fold_in (PRNGKey (seed), r) in place of PRNGKey (seed). */
#ifndef LAMINA_INPUTS_ROWS_H
#define LAMINA_INPUTS_ROWS_H

#include <lamina/input.h>
#include <lamina/prng.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_TENSORS 64

/* One tensor of a batch. */
typedef struct {
  char name[64];
  lam_type type;     /* dims[0]: rows that this replica gets in a batch */
  uint64_t row_size; /* elements in a row */
} rows_tensor;

/* The first member of each input. */
typedef struct {
  const char *file;
  int64_t batch_size, seed, modulus, remainder;
  bool shuffle, exclude_remainder, repeat, drop_remainder, shard;
  /* opened */
  const lam_host *host;
  const lam_ext_files *files;
  const lam_files *place;
  lam_dtype real;
  uint64_t shuffle_seed;
  uint32_t reader, readers; /* lam_input_args' shard */
  uint32_t replica, replicas;
  rows_tensor tensors[ROWS_TENSORS];
  uint32_t n_tensors, weights; /* weights: which tensor */
  uint32_t *rows;              /* n: rows that this reader gives, in file order; NULL: all */
  uint32_t *order;             /* n: indices into rows, of this epoch; NULL: 0, 1, 2 ... */
  uint64_t *scratch;           /* 2 n */
  uint32_t n;
  uint64_t epoch, position; /* position: rows given in this epoch, to all replicas */
} rows;

/* As LAM_INT and its kin, for members of the member `place`. */
#define ROWS_IN_(kind, place, name, number, text, doc)                                             \
  lam_f_->add (lam_f_, kind, #name, offsetof (lam_self_, place.name),                              \
               sizeof (((lam_self_ *)0)->place.name), number, text, doc)
#define ROWS_INT(name, absent, doc)  ROWS_IN_ (LAM_FIELD_INT, rows, name, absent, NULL, doc)
#define ROWS_BOOL(name, absent, doc) ROWS_IN_ (LAM_FIELD_BOOL, rows, name, absent, NULL, doc)

/* The options that all of them have; file_doc: what the file is. */
#define ROWS_FIELDS(file_doc)                                                                      \
  ROWS_IN_ (LAM_FIELD_STRING, rows, file, 0, NULL, file_doc), LAM_REQUIRED,                        \
      ROWS_INT (batch_size, 64, "Examples in a batch, of all replicas together."), LAM_MIN (1),    \
      LAM_MAX (1 << 24), ROWS_BOOL (shuffle, 0, "Whether each epoch has an order of its own."),    \
      ROWS_INT (seed, -1, "Seed of the order; -1: the run's."), LAM_MIN (-1),                      \
      ROWS_INT (modulus, 0, "Splits rows by index mod modulus; 0: all rows."), LAM_MIN (0),        \
      ROWS_INT (remainder, 0, "The part of the split that is taken."), LAM_MIN (0),                \
      ROWS_BOOL (exclude_remainder, 0, "Takes all other parts instead."),                          \
      ROWS_BOOL (repeat, 0, "Whether epochs follow each other for ever."),                         \
      ROWS_BOOL (drop_remainder, 0,                                                                \
                 "Whether a last, smaller batch is left out; false: it is filled with copies of "  \
                 "a real row at weight 0."),                                                       \
      ROWS_BOOL (shard, 1,                                                                         \
                 "Whether replicas share the batches; false: each has an order of its own, which " \
                 "wants shuffle.")

/* --- errors and files ---------------------------------------------------------------------------------- */

#if defined(__GNUC__)
__attribute__ ((format (printf, 4, 5)))
#endif
static inline lam_status
rows_fail (const rows *r, lam_error *error, lam_status status, const char *format, ...)
{
  char text[768];
  int n = snprintf (text, sizeof text, "%.300s: ", r->file);
  va_list args;
  va_start (args, format);
  vsnprintf (text + n, sizeof text - (size_t)n, format, args);
  va_end (args);
  return r->host->error_set (error, status, text);
}

/* Opens a file; its bytes are valid until it is closed. */
static inline lam_status
rows_open_file (rows *r, const char *path, lam_file **out, lam_error *error)
{
  if (r->files == NULL)
    r->files = (const lam_ext_files *)r->host->get_extension (r->host, LAM_EXT_FILES);
  if (r->files == NULL)
    return rows_fail (r, error, LAM_E_UNSUPPORTED, "this host cannot read files for inputs");
  return r->files->open (r->place, path, out, error);
}

static inline void
rows_close_file (rows *r, lam_file *file)
{
  if (file != NULL)
    r->files->close (file);
}

/* --- opening --------------------------------------------------------------------------------------------- */

/* Takes the arguments and checks the options. */
static inline lam_status
rows_begin (rows *r, const lam_input_args *args, lam_error *error)
{
  r->host = args->host;
  r->place = args->files;
  r->real = args->real_dtype;
  r->shuffle_seed = r->seed >= 0 ? (uint64_t)r->seed : args->seed;
  r->reader = args->shard_index;
  r->readers = args->shard_count;
  lam_input_replica (args, &r->replica, &r->replicas);
  if (r->modulus != 0 && r->remainder >= r->modulus)
    return rows_fail (r, error, LAM_E_INVALID,
                      "remainder wants to be below modulus, got %" PRId64 " and %" PRId64,
                      r->remainder, r->modulus);
  if (r->readers < 1 || r->reader >= r->readers)
    return rows_fail (r, error, LAM_E_INVALID, "the shard is not one of the shards");
  if (r->replicas < 1 || r->replica >= r->replicas)
    return rows_fail (r, error, LAM_E_INVALID, "replica %u is not one of %u", r->replica,
                      r->replicas);
  if (r->batch_size % r->replicas != 0)
    return rows_fail (r, error, LAM_E_INVALID,
                      "batch_size %" PRId64 " cannot be split among %u replicas; wanted a multiple",
                      r->batch_size, r->replicas);
  if (!r->shard && !r->shuffle && r->replicas > 1)
    return rows_fail (r, error, LAM_E_INVALID,
                      "shard false wants shuffle true, else all replicas would read the same rows");
  return LAM_OK;
}

/* Declares a tensor: `type` has the shape of a row. */
static inline lam_status
rows_add_tensor (rows *r, const char *name, const lam_type *type, lam_error *error)
{
  rows_tensor *tensor = &r->tensors[r->n_tensors];
  if (r->n_tensors == ROWS_TENSORS || strlen (name) >= sizeof tensor->name
      || type->rank >= LAM_MAX_RANK)
    return rows_fail (
        r, error, LAM_E_INVALID,
        "tensor \"%.60s\": wanted at most %d tensors, names below %d bytes and rows of "
        "rank below %d",
        name, ROWS_TENSORS, (int)sizeof tensor->name, LAM_MAX_RANK);
  memset (tensor, 0, sizeof *tensor);
  strcpy (tensor->name, name);
  tensor->type.dtype = type->dtype;
  tensor->type.rank = type->rank + 1;
  tensor->type.dims[0] = r->batch_size / r->replicas;
  tensor->row_size = 1;
  for (int32_t i = 0; i < type->rank; i++) {
    tensor->type.dims[i + 1] = type->dims[i];
    tensor->row_size *= (uint64_t)type->dims[i];
  }
  if (strcmp (name, "weights") == 0)
    r->weights = r->n_tensors;
  r->n_tensors++;
  return LAM_OK;
}

static inline bool
rows_selected (const rows *r, uint64_t row)
{
  if (r->modulus == 0)
    return true;
  return ((int64_t)row % r->modulus == r->remainder) != r->exclude_remainder;
}

/* Lists the rows of this reader: those of the split, every readers-th of them. */
static inline lam_status
rows_list (rows *r, uint64_t total, lam_error *error)
{
  uint64_t k = 0, room = total + 1;
  if (r->modulus != 0 || r->readers > 1)
    r->rows = (uint32_t *)malloc (room * sizeof *r->rows);
  if (r->shuffle) {
    r->order = (uint32_t *)malloc (room * sizeof *r->order);
    r->scratch = (uint64_t *)malloc (room * 2 * sizeof *r->scratch);
  }
  if (((r->modulus != 0 || r->readers > 1) && r->rows == NULL)
      || (r->shuffle && (r->order == NULL || r->scratch == NULL)))
    return rows_fail (r, error, LAM_E_NO_MEMORY, "no memory for the order of its rows");
  if (r->rows == NULL) {
    r->n = (uint32_t)total;
    return LAM_OK;
  }
  for (uint64_t row = 0; row < total; row++)
    if (rows_selected (r, row) && k++ % r->readers == r->reader)
      r->rows[r->n++] = (uint32_t)row;
  return LAM_OK;
}

/* Rows of one step in this replica's sequence: a batch, or its own part where it shares none. */
static inline uint64_t
rows_step (const rows *r)
{
  return (uint64_t)(r->shard ? r->batch_size : r->batch_size / r->replicas);
}

/* Key of the current epoch. */
static inline lam_prng_key
rows_epoch_key (const rows *r)
{
  lam_prng_key key = lam_prng_seed (r->shuffle_seed);
  if (!r->shard)
    key = lam_prng_fold_in (key, r->replica);
  return lam_prng_fold_in (key, (uint32_t)r->epoch);
}

static inline void
rows_start_epoch (rows *r, uint64_t epoch)
{
  r->epoch = epoch;
  r->position = 0;
  if (r->shuffle)
    lam_prng_permutation (rows_epoch_key (r), r->n, r->order, r->scratch);
}

/* The last step of opening, when the tensors are declared: `total` rows. Adds the tensor weights where
 * the format has none, one number a row or as many as weight_size says. */
static inline lam_status
rows_begin_epochs (rows *r, uint64_t total, int64_t weight_size, lam_error *error)
{
  lam_status status;
  lam_type type = {0};
  bool given = r->n_tensors > 0 && strcmp (r->tensors[r->weights].name, "weights") == 0;
  type.dtype = r->real;
  type.rank = weight_size > 0;
  type.dims[0] = weight_size;
  status = given ? LAM_OK : rows_add_tensor (r, "weights", &type, error);
  if (status != LAM_OK)
    return status;
  if (total > UINT32_MAX)
    return rows_fail (r, error, LAM_E_INVALID, "wanted fewer than 2^32 rows, got %" PRIu64, total);
  status = rows_list (r, total, error);
  if (status != LAM_OK)
    return status;
  if (r->n == 0)
    return rows_fail (r, error, LAM_E_INVALID,
                      "no row is left of %" PRIu64
                      ": look at modulus, remainder and the number of shards",
                      total);
  if (r->drop_remainder && r->n < rows_step (r))
    return rows_fail (r, error, LAM_E_INVALID,
                      "fewer rows than batch_size (%u and %" PRIu64
                      "), and drop_remainder leaves no batch",
                      r->n, rows_step (r));
  rows_start_epoch (r, 0);
  return LAM_OK;
}

static inline void
rows_end (rows *r)
{
  free (r->rows);
  free (r->order);
  free (r->scratch);
}

/* --- batches --------------------------------------------------------------------------------------------- */

/* Writes row `row` of the file to place k of the tensors; weights, where they are not its own, are
 * written by the caller. */
typedef lam_status (*rows_put_fn) (const void *self, void *const *dst, uint64_t k, uint32_t row,
                                   lam_error *error);

static inline void
rows_put_real (lam_dtype real, void *dst, uint64_t i, double v)
{
  if (real == LAM_F64)
    ((double *)dst)[i] = v;
  else
    ((float *)dst)[i] = (float)v;
}

/* Zeroes the weights of place k, whatever their dtype. */
static inline void
rows_clear_weight (const rows *r, void *const *dst, uint64_t k)
{
  const rows_tensor *w = &r->tensors[r->weights];
  uint64_t bytes = w->row_size * (lam_dtype_bits (w->type.dtype) / 8);
  memset ((char *)dst[r->weights] + k * bytes, 0, bytes);
}

static inline lam_status
rows_put_one (const rows *r, rows_put_fn put, void *const *dst, uint64_t k, uint64_t at,
              lam_error *error)
{
  const rows_tensor *w = &r->tensors[r->weights];
  uint32_t index = r->order != NULL ? r->order[at] : (uint32_t)at;
  for (uint64_t i = 0; i < w->row_size && w->type.dtype == r->real; i++)
    rows_put_real (r->real, dst[r->weights], k * w->row_size + i, 1);
  return put (r, dst, k, r->rows != NULL ? r->rows[index] : index, error);
}

static inline lam_status
rows_next (rows *r, rows_put_fn put, void *const *dst, lam_error *error)
{
  uint64_t left = r->n - r->position, step = rows_step (r), given;
  uint64_t own = (uint64_t)r->batch_size / r->replicas, first = r->shard ? r->replica * own : 0;
  if (left == 0 || (r->drop_remainder && left < step)) {
    if (!r->repeat)
      return LAM_S_END;
    rows_start_epoch (r, r->epoch + 1);
    left = r->n;
  }
  given = left < step ? left : step;
  for (uint64_t k = 0; k < own; k++) {
    bool real = first + k < given;
    lam_status status = rows_put_one (r, put, dst, k, real ? r->position + first + k : 0, error);
    if (status != LAM_OK)
      return status;
    if (!real)
      rows_clear_weight (r, dst, k);
  }
  r->position += given;
  return LAM_OK;
}

static inline bool
rows_describe (const rows *r, uint32_t i, const char **out_name, lam_type *out_type)
{
  if (i >= r->n_tensors)
    return false;
  *out_name = r->tensors[i].name;
  *out_type = r->tensors[i].type;
  return true;
}

static inline int64_t
rows_batches (const rows *r)
{
  uint64_t n = r->n, step = rows_step (r);
  return (int64_t)(r->drop_remainder ? n / step : (n + step - 1) / step);
}

/* --- position -------------------------------------------------------------------------------------------- */

/* Version, rows, seed, epoch, position: the same for all replicas of a step. The order follows. */
typedef struct {
  uint64_t word[5];
} rows_state;

static inline rows_state
rows_state_of (const rows *r)
{
  rows_state s = {{1, r->n, r->shuffle ? r->shuffle_seed : 0, r->epoch, r->position}};
  return s;
}

static inline void
rows_save (const rows *r, void *out)
{
  rows_state s = rows_state_of (r);
  unsigned char *bytes = (unsigned char *)out;
  for (size_t i = 0; i < sizeof s; i++)
    bytes[i] = (unsigned char)(s.word[i / 8] >> (8 * (i % 8)));
}

static inline lam_status
rows_restore (rows *r, const void *state, uint64_t size, lam_error *error)
{
  const unsigned char *bytes = (const unsigned char *)state;
  rows_state now = rows_state_of (r), s = {{0}};
  if (size != sizeof s)
    return rows_fail (r, error, LAM_E_CORRUPT,
                      "the saved position is not one of this input: %" PRIu64 " bytes, wanted %zu",
                      size, sizeof s);
  for (size_t i = 0; i < sizeof s; i++)
    s.word[i / 8] |= (uint64_t)bytes[i] << (8 * (i % 8));
  if (s.word[0] != now.word[0] || s.word[1] != now.word[1] || s.word[2] != now.word[2]
      || s.word[4] > r->n)
    return rows_fail (r, error, LAM_E_INVALID,
                      "the saved position belongs to other data: rows, split or seed have changed");
  rows_start_epoch (r, s.word[3]);
  r->position = s.word[4];
  return LAM_OK;
}

/* The functions of LAM_INPUT but T_open and T_close; T_put (rows_put_fn) must exist, and `rows` be the
 * first member of T. */
#define ROWS_METHODS(T)                                                                            \
  static bool T##_describe (const T *p, uint32_t i, const char **name, lam_type *type)             \
  {                                                                                                \
    return rows_describe (&p->rows, i, name, type);                                                \
  }                                                                                                \
  static lam_status T##_next (T *p, void *const *dst, lam_error *error)                            \
  {                                                                                                \
    return rows_next (&p->rows, T##_put, dst, error);                                              \
  }                                                                                                \
  static void T##_reset (T *p)                                                                     \
  {                                                                                                \
    rows_start_epoch (&p->rows, 0);                                                                \
  }                                                                                                \
  static int64_t T##_batches (const T *p)                                                          \
  {                                                                                                \
    return rows_batches (&p->rows);                                                                \
  }                                                                                                \
  static uint64_t T##_state_size (const T *p)                                                      \
  {                                                                                                \
    (void)p;                                                                                       \
    return sizeof (rows_state);                                                                    \
  }                                                                                                \
  static void T##_save (const T *p, void *out)                                                     \
  {                                                                                                \
    rows_save (&p->rows, out);                                                                     \
  }                                                                                                \
  static lam_status T##_restore (T *p, const void *state, uint64_t size, lam_error *error)         \
  {                                                                                                \
    return rows_restore (&p->rows, state, size, error);                                            \
  }

#endif
