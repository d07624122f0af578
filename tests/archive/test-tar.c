/* SPDX-License-Identifier: Apache-2.0 */
/* The strict tar profile, one broken rule each (plugin-abi 3.2, 3.5). */
#include "core/archive/profile.h"
#include "tests/archive/tarball.h"

static GPtrArray *
members_of (const GByteArray *tar, GError **error)
{
  g_autoptr (GBytes) map = g_bytes_new (tar->data, tar->len); /* its end is seen by the sanitizer */

  return lm_tar_members (map, "m.lam", error);
}

static void
check_refused (const GByteArray *tar, const char *why)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (members_of (tar, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_CORRUPT);
  if (!g_str_has_prefix (error->message, "m.lam: ") || strstr (error->message, why) == NULL)
    g_error ("\"%s\" is not in: %s", why, error->message);
}

static void
test_good (void)
{
  g_autoptr (GByteArray) tar = g_byte_array_new ();
  g_autoptr (GPtrArray) members = NULL;
  g_autoptr (GError) error = NULL;
  const LmMember *weights;

  tar_add (tar, "manifest.json", "{}");
  tar_add (tar, "manifest.json.minisig", "sig");
  tar_add (tar, "config/model.json", "{}");
  tar_add (tar, "weights/model.safetensors", "0123456789");
  tar_add (tar, "plugins/x86_64-linux-gnu/a.so", "");
  tar_add (tar, "LICENSE", "free");
  tar_add (tar, "README.md", "read");
  tar_end (tar);
  members = members_of (tar, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (members->len, ==, 7);
  weights = members->pdata[3];
  g_assert_cmpstr (weights->name, ==, "weights/model.safetensors");
  g_assert_cmpmem (tar->data + weights->offset, weights->size, "0123456789", 10);
  tar_end (tar); /* more zeros: a record of 20 blocks is filled by other tools */
  g_clear_pointer (&members, g_ptr_array_unref);
  members = members_of (tar, &error);
  g_assert_no_error (error);
}

/* A second member with a name, behind the manifest. */
static void
check_name (const char *name, const char *why)
{
  g_autoptr (GByteArray) tar = g_byte_array_new ();

  tar_add (tar, "manifest.json", "{}");
  tar_add (tar, name, "x");
  tar_end (tar);
  check_refused (tar, why);
}

static void
test_names (void)
{
  check_name ("../x", "begins with a dot");
  check_name ("/etc/passwd", "absolute");
  check_name ("a/../b", "begins with a dot");
  check_name ("a/./b", "begins with a dot");
  check_name (".hidden", "begins with a dot");
  check_name ("a b", "only letters");
  check_name ("a\\b", "only letters");
  check_name ("a\nb", "only letters");
  check_name ("\xc3\xa9", "not allowed");
  check_name ("a//b", "part of it is empty");
  check_name ("a/b/c/d/e/f/g/h/i", "8 folders deep");
  check_name ("manifest.json", "against the order"); /* twice */
}

static void
check_type (char type, const char *link)
{
  g_autoptr (GByteArray) tar = g_byte_array_new ();

  tar_add (tar, "manifest.json", "{}");
  tar_add_type (tar, "x", NULL, 0, type, link);
  tar_end (tar);
  check_refused (tar, "m.lam: \"x");
}

static void
test_types (void)
{
  check_type ('1', "manifest.json"); /* hard link */
  check_type ('2', "/etc/passwd");   /* symbolic link */
  check_type ('3', "");              /* character device */
  check_type ('5', "");              /* folder */
  check_type ('6', "");              /* FIFO */
  check_type ('7', "");              /* contiguous file: nobody writes it */
}

static void
test_order (void)
{
  g_autoptr (GByteArray) a = g_byte_array_new (), b = g_byte_array_new (), c = g_byte_array_new ();
  g_autoptr (GByteArray) d = g_byte_array_new (), e = g_byte_array_new ();

  tar_add (a, "config/model.json", "{}");
  tar_end (a);
  check_refused (a, "its first member is \"config/model.json\", wanted manifest.json");
  tar_add (b, "manifest.json", "{}");
  tar_add (b, "weights/a", "");
  tar_add (b, "config/a", "");
  tar_end (b);
  check_refused (b, "\"config/a\" stands behind \"weights/a\"");
  tar_add (c, "manifest.json", "{}");
  tar_add (c, "A", "");
  tar_add (c, "a", "");
  tar_end (c);
  check_refused (c, "differs from it only in case");
  tar_add (d, "manifest.json", "{}");
  tar_add (d, "a", "");
  tar_add (d, "a/b", "");
  tar_end (d);
  check_refused (d, "in a folder that is also the name of a member");
  tar_end (e);
  check_refused (e, "not a model archive");
}

/* Bytes before, between and behind members. */
static void
test_hidden (void)
{
  g_autoptr (GByteArray) tail = g_byte_array_new (), text = g_byte_array_new ();
  guchar one = 1;

  tar_add (tail, "manifest.json", "{}");
  tar_end (tail);
  g_byte_array_append (tail, &one, 1);
  check_refused (tail, "data behind the end");
  tail->data[tail->len - 1] = 0;
  g_byte_array_set_size (tail, tail->len + 100000);
  memset (tail->data + 2048, 0, tail->len - 2048);
  check_refused (tail, "bytes behind the last member");
  g_byte_array_append (text, (const guchar *)"hello", 5);
  check_refused (text, "not a model archive");
  g_byte_array_set_size (text, 4096);
  memset (text->data, 'x', 4096);
  check_refused (text, "not a model archive");
}

/* GNU's long names and sparse files are other formats. */
static void
test_gnu (void)
{
  g_autoptr (GByteArray) tar = g_byte_array_new (), longname = g_byte_array_new ();

  tar_add (tar, "manifest.json", "{}");
  tar_add (tar, "x", "y");
  memcpy (tar->data + 1024 + 257, "ustar  ", 8);
  tar_checksum (tar->data + 1024);
  tar_end (tar);
  check_refused (tar, "not a ustar or pax member");
  tar_add (longname, "manifest.json", "{}");
  tar_add_type (longname, "././@LongLink", "other", 6, 'L', "");
  tar_add (longname, "x", "y");
  tar_end (longname);
  check_refused (longname, "m.lam: ");
}

static void
test_truncated (void)
{
  g_autoptr (GByteArray) tar = g_byte_array_new ();

  tar_add (tar, "manifest.json", "{}");
  tar_add (tar, "config/model.json", "{\"a\": 1}");
  tar_end (tar);
  for (guint n = tar->len - 1;; n -= 13) {
    g_byte_array_set_size (tar, n);
    check_refused (tar, "m.lam: ");
    if (n < 13)
      break;
  }
}

static void
test_checksum (void)
{
  g_autoptr (GByteArray) tar = g_byte_array_new ();

  tar_add (tar, "manifest.json", "{}");
  tar_add (tar, "x", "y");
  tar->data[1024 + 130] ^= 1; /* a digit of the size */
  tar_end (tar);
  check_refused (tar, "damaged behind byte 1024");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/archive/tar/good", test_good);
  g_test_add_func ("/archive/tar/names", test_names);
  g_test_add_func ("/archive/tar/types", test_types);
  g_test_add_func ("/archive/tar/order", test_order);
  g_test_add_func ("/archive/tar/hidden", test_hidden);
  g_test_add_func ("/archive/tar/gnu", test_gnu);
  g_test_add_func ("/archive/tar/truncated", test_truncated);
  g_test_add_func ("/archive/tar/checksum", test_checksum);
  return g_test_run ();
}
