/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Replays inputs through a fuzz target without a fuzzer: each file is one TAP case.
 *
 * Without arguments, the corpus of the program's own name is replayed: fuzz-text reads
 * tests/fuzz/corpus/text below LAMINA_SRCDIR. An argument is a file or a folder of files. The
 * linker takes this main () from the test archive only where a program has none of its own.
 */
#include <glib.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* Adds path, or the files below it in sorted order, to files. */
static void
collect (GPtrArray *files, const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  if (dir == NULL) {
    g_ptr_array_add (files, g_strdup (path));
    return;
  }
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_ptr_array_sort (names, by_name);
  for (guint i = 0; i < names->len; i++)
    collect (files, names->pdata[i]);
}

static char *
own_corpus (const char *program)
{
  const char *srcdir = g_getenv ("LAMINA_SRCDIR");
  g_autofree char *base = g_path_get_basename (program);
  const char *name = base;
  if (g_str_has_prefix (name, "lt-"))
    name += strlen ("lt-");
  if (g_str_has_prefix (name, "fuzz-"))
    name += strlen ("fuzz-");
  return g_build_filename (srcdir ? srcdir : ".", "tests", "fuzz", "corpus", name, NULL);
}

/* The heap copy is as long as the input, so a read beyond its end is seen by the sanitizer. */
static void
replay (guint number, const char *path)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_path_get_basename (path);
  size_t size;

  if (!g_file_get_contents (path, &text, &size, &error)) {
    g_print ("not ok %u %s\n# %s\n", number, name, error->message);
    return;
  }
  uint8_t *data = g_malloc (MAX (size, 1));
  memcpy (data, text, size);
  LLVMFuzzerTestOneInput (data, size);
  g_free (data);
  g_print ("ok %u %s\n", number, name);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);

  for (int i = 1; i < argc; i++)
    collect (files, argv[i]);
  if (argc < 2) {
    g_autofree char *corpus = own_corpus (argv[0]);
    collect (files, corpus);
  }
  for (guint i = 0; i < files->len; i++)
    replay (i + 1, files->pdata[i]);
  g_print ("1..%u\n", files->len);
  return files->len > 0 ? 0 : 1;
}
