/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of plugins/inputs/npz.c against tests/data/digits.npz, through a host of the test's own. */
#include "core/archive/zip.h"
#include "tests/lib/golden.h"

#include "plugins/inputs/npz.c"

/* --- a host ------------------------------------------------------------------------------------------ */

struct lam_error {
  char *message;
};

struct lam_file {
  gchar *data;
  gsize size;
};

struct lam_zip {
  GHashTable *members;
};

static lam_status
host_error (lam_error *error, lam_status status, const char *message)
{
  if (error->message == NULL)
    error->message = g_strdup (message);
  return status;
}

static lam_status
file_open (const lam_files *files, const char *path, lam_file **out, lam_error *error)
{
  lam_file *file = g_new0 (lam_file, 1);
  if (!g_file_get_contents (path, &file->data, &file->size, NULL)) {
    g_free (file);
    return host_error (error, LAM_E_NOT_FOUND, path);
  }
  *out = file;
  return LAM_OK;
}

static const void *
file_data (const lam_file *file, uint64_t *out_size)
{
  *out_size = file->size;
  return file->data;
}

static void
file_close (lam_file *file)
{
  if (file != NULL)
    g_free (file->data);
  g_free (file);
}

static lam_status
zip_open (const void *data, uint64_t size, lam_zip **out, lam_error *error)
{
  g_autoptr (GError) why = NULL;
  GHashTable *members = lm_zip_read_bytes (data, size, 0, &why);
  if (members == NULL)
    return host_error (error, LAM_E_CORRUPT, why->message);
  *out = g_new0 (lam_zip, 1);
  (*out)->members = members;
  return LAM_OK;
}

static const void *
zip_member (const lam_zip *zip, const char *name, uint64_t *out_size)
{
  GBytes *bytes = g_hash_table_lookup (zip->members, name);
  gsize size = 0;
  const void *data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;
  *out_size = size;
  return data;
}

static const char *
zip_name (const lam_zip *zip, uint32_t i)
{
  g_autoptr (GList) names =
      g_list_sort (g_hash_table_get_keys (zip->members), (GCompareFunc)strcmp);
  return g_list_nth_data (names, i);
}

static void
zip_close (lam_zip *zip)
{
  g_hash_table_unref (zip->members);
  g_free (zip);
}

static const void *
host_extension (const lam_host *host, const char *id)
{
  static const lam_ext_files files = {sizeof files, 0, file_open, file_data, file_close};
  static const lam_ext_zip zips = {sizeof zips, 0, zip_open, zip_member, zip_name, zip_close};
  return strcmp (id, LAM_EXT_FILES) == 0 ? (const void *)&files
         : strcmp (id, LAM_EXT_ZIP) == 0 ? &zips
                                         : NULL;
}

static const lam_host host = {.struct_size = sizeof (lam_host),
                              .abi_major = LAM_ABI_MAJOR,
                              .get_extension = host_extension,
                              .error_set = host_error};

/* --- an input ------------------------------------------------------------------------------------------ */

#define BATCH  64
#define PIXELS 64

typedef struct Batch {
  double inputs[BATCH * PIXELS];
  int32_t labels[BATCH];
  double weights[BATCH];
} Batch;

/* The train split of the digits, in file order, f64; change what differs. */
static npz
digits (void)
{
  const char *srcdir = g_getenv ("LAMINA_SRCDIR");
  npz p = {.rows = {.batch_size = BATCH,
                    .seed = -1,
                    .modulus = 5,
                    .exclude_remainder = true,
                    .repeat = true,
                    .drop_remainder = true,
                    .shard = true},
           .inputs = "inputs",
           .labels = "labels",
           .dtype = "real",
           .scale = 1.0 / 16};
  p.rows.file = g_build_filename (srcdir != NULL ? srcdir : ".", "tests/data/digits.npz", NULL);
  return p;
}

/* Opens; on failure the message must hold `wrong`, else NULL. */
static void
start (npz *p, lam_dtype real, const char *wrong)
{
  lam_input_args args = {sizeof args, 0, 1, real, 1234, &host, NULL, 0, 0};
  lam_error error = {NULL};
  lam_status status = npz_open (p, &args, &error);
  if (wrong == NULL) {
    g_assert_cmpstr (error.message, ==, NULL);
    g_assert_cmpint (status, ==, LAM_OK);
  } else {
    g_assert_cmpint (status, <, 0);
    g_assert_nonnull (error.message);
    if (strstr (error.message, wrong) == NULL)
      g_test_fail_printf ("got \"%s\", wanted \"%s\"", error.message, wrong);
  }
  g_free (error.message);
}

static void
stop (npz *p)
{
  npz_close (p);
  g_free ((char *)p->rows.file);
}

static lam_status
next (npz *p, Batch *batch)
{
  lam_error error = {NULL};
  return npz_next (p, (void *const[]) {batch->inputs, batch->labels, batch->weights}, &error);
}

/* Labels of the file, read past numpy's 128-byte header: an independent way to them. */
static int32_t *
file_labels (void)
{
  g_autofree char *path = (char *)digits ().rows.file;
  g_autoptr (GHashTable) members = lm_zip_read (path, 0, NULL);
  gsize size;
  const guint8 *data = g_bytes_get_data (g_hash_table_lookup (members, "labels.npy"), &size);
  g_assert_cmpuint (size, ==, 128 + 1797 * 4);
  return g_memdup2 (data + 128, 1797 * 4);
}

/* Row of the file behind row k of the train split (index mod 5 != 0). */
static guint
train_row (guint k)
{
  return k / 4 * 5 + k % 4 + 1;
}

static void
test_file_order (void)
{
  npz p = digits ();
  g_autofree int32_t *labels = file_labels ();
  g_autofree Batch *b = g_new (Batch, 1);
  const char *name;
  lam_type type = {0};
  start (&p, LAM_F64, NULL);
  g_assert_cmpint (npz_batches (&p), ==, 22);
  g_assert_true (npz_describe (&p, 0, &name, &type));
  g_assert_cmpstr (name, ==, "inputs");
  g_assert_cmpint (type.dtype, ==, LAM_F64);
  g_assert_cmpint (type.rank, ==, 4);
  g_assert_cmpint (type.dims[0], ==, BATCH);
  g_assert_true (npz_describe (&p, 2, &name, &type));
  g_assert_cmpstr (name, ==, "weights");
  g_assert_false (npz_describe (&p, 3, &name, &type));
  for (guint i = 0; i < 50; i++) { /* two epochs of 22 and a part */
    g_assert_cmpint (next (&p, b), ==, LAM_OK);
    for (guint k = 0; k < BATCH; k++) {
      g_assert_cmpint (b->labels[k], ==, labels[train_row (i % 22 * BATCH + k)]);
      g_assert_cmpfloat (b->weights[k], ==, 1);
    }
  }
  for (guint k = 0; k < BATCH * PIXELS; k++)
    g_assert_true (b->inputs[k] >= 0 && b->inputs[k] <= 1
                   && b->inputs[k] * 16 == (int)(b->inputs[k] * 16));
  stop (&p);
}

/* The test split once: 360 rows, the last batch of 40 filled with copies at weight 0. */
static void
test_last_batch (void)
{
  npz p = digits ();
  g_autofree int32_t *labels = file_labels ();
  g_autofree Batch *b = g_new (Batch, 1);
  guint seen = 0;
  p.rows.exclude_remainder = p.rows.repeat = p.rows.drop_remainder = false;
  start (&p, LAM_F64, NULL);
  g_assert_cmpint (npz_batches (&p), ==, 6);
  while (next (&p, b) == LAM_OK)
    for (guint k = 0; k < BATCH; k++, seen++) {
      g_assert_cmpfloat (b->weights[k], ==, seen < 360 ? 1 : 0);
      g_assert_cmpint (b->labels[k], ==, seen < 360 ? labels[seen * 5] : labels[0]);
    }
  g_assert_cmpuint (seen, ==, 6 * BATCH);
  g_assert_cmpint (next (&p, b), ==, LAM_S_END);
  npz_reset (&p);
  g_assert_cmpint (next (&p, b), ==, LAM_OK);
  stop (&p);
}

/* The order of an epoch against jax.random.permutation (golden group key_cases). */
static void
test_shuffle (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) golden = lm_golden_open ("key_cases", &error);
  g_assert_no_error (error);
  npz p = digits ();
  g_autofree int32_t *labels = file_labels ();
  g_autofree Batch *b = g_new (Batch, 1);
  p.rows.shuffle = true;
  start (&p, LAM_F64, NULL);
  for (guint epoch = 0; epoch < 4; epoch++) {
    g_autofree char *id = g_strdup_printf ("permutation.partitionable.1437.1234.%u", epoch);
    const LmGoldenCase *c = lm_golden_lookup (golden, id);
    LmGoldenTensor order;
    for (guint i = 0; i < 22; i++) {
      g_assert_cmpint (next (&p, b), ==, LAM_OK);
      for (guint k = 0; c != NULL && k < BATCH; k++) {
        g_assert_true (lm_golden_tensor (golden, c, "out", "y", &order));
        guint at = (guint)((const int32_t *)order.data)[i * BATCH + k];
        g_assert_cmpint (b->labels[k], ==, labels[train_row (at)]);
      }
    }
    g_assert_true (c != NULL || epoch == 1 || epoch == 2);
  }
  stop (&p);
}

static void
test_restore (void)
{
  npz p = digits (), q = digits ();
  g_autofree Batch *a = g_new0 (Batch, 1), *b = g_new0 (Batch, 1);
  unsigned char state[64];
  lam_error error = {NULL};
  p.rows.shuffle = q.rows.shuffle = true;
  start (&p, LAM_F64, NULL);
  start (&q, LAM_F64, NULL);
  for (guint i = 0; i < 25; i++) /* into the second epoch */
    next (&p, a);
  g_assert_cmpuint (npz_state_size (&p), <=, sizeof state);
  npz_save (&p, state);
  g_assert_cmpint (npz_restore (&q, state, npz_state_size (&p), &error), ==, LAM_OK);
  for (guint i = 0; i < 45; i++) {
    next (&p, a);
    next (&q, b);
    g_assert_cmpmem (a, sizeof *a, b, sizeof *b);
  }
  g_assert_cmpint (npz_restore (&q, state, 8, &error), ==, LAM_E_CORRUPT);
  g_clear_pointer (&error.message, g_free);
  q.rows.n--;
  g_assert_cmpint (npz_restore (&q, state, npz_state_size (&p), &error), ==, LAM_E_INVALID);
  g_assert_nonnull (strstr (error.message, "other data"));
  g_free (error.message);
  q.rows.n++;
  stop (&p);
  stop (&q);
}

/* Two readers share the rows: each row once. */
static void
test_shards (void)
{
  guint total = 0;
  for (guint i = 0; i < 3; i++) {
    npz p = digits ();
    lam_error error = {NULL};
    lam_input_args args = {sizeof args, i, 3, LAM_F32, 1234, &host, NULL, 0, 0};
    g_assert_cmpint (npz_open (&p, &args, &error), ==, LAM_OK);
    for (guint k = 0; k < p.rows.n; k++)
      g_assert_cmpuint (p.rows.rows[k], ==, train_row (3 * k + i));
    total += p.rows.n;
    stop (&p);
  }
  g_assert_cmpuint (total, ==, 1437);
}

static void
test_refuse (void)
{
  npz p = digits ();
  p.inputs = "images";
  start (&p, LAM_F64, "no array \"images\"; it has: inputs labels");
  stop (&p);
  p = digits ();
  p.labels = "inputs";
  start (&p, LAM_F64, "labels want integers of shape (N), got u8 of rank 4");
  stop (&p);
  p = digits ();
  p.rows.remainder = 5;
  start (&p, LAM_F64, "remainder wants to be below modulus");
  stop (&p);
  p = digits ();
  p.rows.batch_size = 1438;
  start (&p, LAM_F64, "fewer rows than batch_size");
  stop (&p);
  p = digits ();
  g_free ((char *)p.rows.file);
  p.rows.file = g_strdup ("no-such-file.npz");
  start (&p, LAM_F64, "no-such-file.npz");
  stop (&p);
}

/* Elements of every dtype as numbers, from bytes by hand. */
static void
test_elements (void)
{
  static const struct {
    lam_dtype dtype;
    unsigned char bytes[8];
    double value;
  } rows[] = {
      {LAM_F64, {0, 0, 0, 0, 0, 0, 0xf8, 0xbf}, -1.5},
      {LAM_F32, {0, 0, 0xc0, 0x3f}, 1.5},
      {LAM_F16, {0, 0x3e}, 1.5},
      {LAM_F16, {1, 0x80}, -1.0 / 16777216}, /* least subnormal */
      {LAM_F16, {0, 0xfc}, -G_MAXDOUBLE * 2},
      {LAM_I64, {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, -2},
      {LAM_I32, {0xfe, 0xff, 0xff, 0xff}, -2},
      {LAM_I16, {0xfe, 0xff}, -2},
      {LAM_I8, {0x80}, -128},
      {LAM_U64, {0, 0, 0, 0, 0, 0, 0, 0x80}, 9223372036854775808.0},
      {LAM_U16, {0xfe, 0xff}, 65534},
      {LAM_U8, {0x80}, 128},
      {LAM_PRED, {1}, 1},
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    examples_array a = {{rows[i].dtype, 1, {1}}, 1, rows[i].bytes, false};
    g_assert_cmpfloat (examples_element (&a, 0), ==, rows[i].value);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plugins/npz/file_order", test_file_order);
  g_test_add_func ("/plugins/npz/last_batch", test_last_batch);
  g_test_add_func ("/plugins/npz/shuffle", test_shuffle);
  g_test_add_func ("/plugins/npz/restore", test_restore);
  g_test_add_func ("/plugins/npz/shards", test_shards);
  g_test_add_func ("/plugins/npz/refuse", test_refuse);
  g_test_add_func ("/plugins/npz/elements", test_elements);
  return g_test_run ();
}
