/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a scan must survive: one good plugin, and each fault patched into it (plugin-abi 2.13
 * rows 1-12, 17, 18, 20, 22, 23, 44, 45). */
#include "core/plugin/elf.h"

#include "core/plugin/registry.h"
#include "tests/plugin/fixture.h"
#include <elf.h>
#include <sys/stat.h>

typedef struct {
  char *dir, *path;
  guchar *data;
  gsize n;
} Good;

/* False: skipped. */
static bool
open_good (Good *g, const char *flags)
{
  g->dir = make_folder ();
  g->path = build_fixture (g->dir, "lamina-good.so", flags);
  g->data = NULL;
  if (g->path != NULL)
    g_assert_true (g_file_get_contents (g->path, (char **)&g->data, &g->n, NULL));
  return g->path != NULL;
}

static void
close_good (Good *g)
{
  remove_folder (g->dir);
  g_free (g->dir);
  g_free (g->path);
  g_free (g->data);
}

static void
check_message (const GError *error, const char *why)
{
  g_assert_nonnull (error);
  g_assert_true (error->domain == LM_ERROR);
  if (strstr (error->message, why) == NULL)
    g_error ("\"%s\" is not in: %s", why, error->message);
}

static void
check_bytes (const guchar *data, gsize n, const char *why)
{
  g_autofree guchar *copy = g_memdup2 (data, MAX (n, 1)); /* its end is seen by the sanitizer */
  g_autoptr (GError) error = NULL;
  bool not_plugin = true;

  g_assert_null (lm_elf_read_bytes (copy, n, "x.so", &not_plugin, &error));
  g_assert_false (not_plugin);
  check_message (error, why);
  g_assert_true (g_str_has_prefix (error->message, "x.so: "));
}

static void
test_good (void)
{
  Good g;
  bool not_plugin;
  g_autoptr (GError) error = NULL;
  g_autoptr (LmElfNotes) notes = NULL;
  const LmPluginProvides *p;

  if (open_good (&g, "")) {
    notes = lm_elf_read (g.path, &not_plugin, &error);
    g_assert_no_error (error);
    g_assert_cmpstr (notes->plugin_id, ==, "t.plugin");
    g_assert_cmpstr (notes->version, ==, "1.2.3");
    g_assert_cmpstr (notes->license, ==, "Apache-2.0");
    g_assert_cmpint (notes->abi_major, ==, 1);
    g_assert_cmpint (notes->need_minor, ==, 0);
    g_assert_cmpuint (notes->provides->len, ==, 1);
    p = notes->provides->pdata[0];
    g_assert_cmpstr (p->kind, ==, "lamina.layer/1");
    g_assert_cmpstr (p->id, ==, "t.dense");
    g_assert_cmpuint (p->revision, ==, 3);
    g_assert_cmpstr (p->summary, ==, "Does nothing.");
  }
  close_good (&g);
}

/* Some linkers write the old hash table only. */
static void
test_sysv_hash (void)
{
  Good g;
  bool not_plugin;
  g_autoptr (LmElfNotes) notes = NULL;

  if (open_good (&g, "-Wl,--hash-style=sysv")) {
    notes = lm_elf_read (g.path, &not_plugin, NULL);
    g_assert_nonnull (notes);
  }
  close_good (&g);
}

static void
check_patched (const Good *g, gsize offset, guchar value, const char *why)
{
  g->data[offset] ^= value;
  check_bytes (g->data, g->n, why);
  g->data[offset] ^= value;
}

static void
test_patched (void)
{
  Good g;

  if (open_good (&g, "")) {
    Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)g.data;
    guint16 machine = header->e_machine, type = header->e_type;
    check_patched (&g, EI_CLASS, ELFCLASS32 ^ ELFCLASS64, "32-bit");
    check_patched (&g, EI_DATA, ELFDATA2MSB ^ ELFDATA2LSB, "big-endian");
    check_patched (&g, EI_OSABI, ELFOSABI_FREEBSD, "OS ABI 9");
    check_patched (&g, 0, 1, "not an ELF file");
    header->e_machine = machine == EM_AARCH64 ? EM_X86_64 : EM_AARCH64;
    check_bytes (g.data, g.n, machine == EM_AARCH64 ? "x86-64" : "built for aarch64");
    header->e_machine = machine;
    header->e_type = ET_REL;
    check_bytes (g.data, g.n, "looks like an object file; link it with cc -shared");
    header->e_type = ET_EXEC;
    check_bytes (g.data, g.n, "it is a program");
    header->e_type = ET_CORE;
    check_bytes (g.data, g.n, "not a shared object");
    header->e_type = type;
    header->e_phoff = G_MAXUINT64 - 8;
    check_bytes (g.data, g.n, "truncated: its program headers");
  }
  close_good (&g);
}

/* Sets type and flags of the first program header of a kind. */
static Elf64_Phdr *
segment (const Good *g, guint32 type)
{
  Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)g->data;
  Elf64_Phdr *p = (Elf64_Phdr *)(void *)(g->data + header->e_phoff);

  for (guint i = 0; i < header->e_phnum; i++)
    if (p[i].p_type == type)
      return &p[i];
  g_assert_not_reached ();
}

static void
test_segments (void)
{
  Good g;

  if (open_good (&g, "")) {
    Elf64_Phdr *stack = segment (&g, PT_GNU_STACK), *load = segment (&g, PT_LOAD);
    stack->p_flags |= PF_X;
    check_bytes (g.data, g.n, "executable stack; link it with -Wl,-z,noexecstack");
    stack->p_type = PT_NULL;
    check_bytes (g.data, g.n, "executable stack");
    stack->p_type = PT_INTERP;
    check_bytes (g.data, g.n, "names an interpreter");
    stack->p_type = PT_GNU_STACK;
    stack->p_flags = PF_R | PF_W;
    load->p_flags |= PF_W | PF_X;
    check_bytes (g.data, g.n, "writable and executable");
    load->p_flags = PF_R;
    load->p_filesz = G_MAXUINT64;
    check_bytes (g.data, g.n, "truncated: segment 0 needs");
  }
  close_good (&g);
}

/* Every shorter file is refused with an error, never read beyond. */
static void
test_truncated (void)
{
  Good g;

  if (open_good (&g, "-s")) {
    gsize needed = 0;
    Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)g.data;
    Elf64_Phdr *p = (Elf64_Phdr *)(void *)(g.data + header->e_phoff);
    for (guint i = 0; i < header->e_phnum; i++)
      if (p[i].p_type == PT_LOAD)
        needed = MAX (needed, p[i].p_offset + p[i].p_filesz);
    for (gsize n = 0; n < needed; n += 61)
      check_bytes (g.data, n, n < 16 ? "not an ELF file" : "truncated");
  }
  close_good (&g);
}

static void
check_built (const char *flags, const char *why)
{
  Good g;

  if (open_good (&g, flags))
    check_bytes (g.data, g.n, why);
  close_good (&g);
}

static void
test_notes (void)
{
  check_built ("-DNO_NOTE", "exports lam_plugin_entry_v1 but has no note");
  check_built ("-DNO_ENTRY", "has Lamina's note but does not export lam_plugin_entry_v1");
  check_built ("-DEXPORT=LAM_HIDDEN", "does not export lam_plugin_entry_v1");
  check_built ("'-DNOTE_ABI=\"2.0\\0\" \"0\"'", "built for plugin ABI 2, this Lamina speaks 1");
  check_built ("'-DNOTE_ABI=\"1.9\\0\" \"5\"'", "needs plugin ABI 1.5 or newer");
  check_built ("'-DNOTE_ABI=\"1.0\"'", "plugin note is damaged");
  check_built ("'-DNOTE_ID=\"Plugin\"'", "plugin id \"Plugin\" is not");
  check_built ("'-DNOTE_LAYER=\"dense\"'", "the id \"dense\" is not");
  check_built ("-DREVISION=0", "note of a provided thing is damaged");
}

static void
test_not_plugin (void)
{
  Good g;
  bool not_plugin = false;
  g_autoptr (GError) error = NULL;

  if (open_good (&g, "-DNO_NOTE -DNO_ENTRY")) {
    g_assert_null (lm_elf_read (g.path, &not_plugin, &error));
    g_assert_no_error (error);
    g_assert_true (not_plugin);
  }
  close_good (&g);
}

static void
check_path (const char *path, LmErrorCode code, const char *why)
{
  g_autoptr (GError) error = NULL;
  bool not_plugin;

  g_assert_null (lm_elf_read (path, &not_plugin, &error));
  check_message (error, why);
  g_assert_cmpint (error->code, ==, code);
}

/* A FIFO would make a plain open wait for ever. */
static void
test_not_a_file (void)
{
  g_autofree char *dir = make_folder (), *fifo = g_build_filename (dir, "lamina-f.so", NULL);
  g_autofree char *text = g_build_filename (dir, "lamina-t.so", NULL);
  g_autofree char *none = g_build_filename (dir, "none", NULL);

  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  g_assert_true (g_file_set_contents (text, "INPUT(-lm)", -1, NULL));
  check_path (none, LM_ERROR_NOT_FOUND, none);
  check_path (dir, LM_ERROR_IO, "not a regular file");
  check_path (fifo, LM_ERROR_IO, "not a regular file");
  check_path (text, LM_ERROR_PLUGIN, "not an ELF file: 10 bytes that begin \"INPUT(-l\"");
  g_assert_true (g_file_set_contents (text, "", 0, NULL));
  check_path (text, LM_ERROR_PLUGIN, "not an ELF file: 0 bytes");
  remove_folder (dir);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plugin/elf/good", test_good);
  g_test_add_func ("/plugin/elf/sysv_hash", test_sysv_hash);
  g_test_add_func ("/plugin/elf/patched", test_patched);
  g_test_add_func ("/plugin/elf/segments", test_segments);
  g_test_add_func ("/plugin/elf/truncated", test_truncated);
  g_test_add_func ("/plugin/elf/notes", test_notes);
  g_test_add_func ("/plugin/elf/not_plugin", test_not_plugin);
  g_test_add_func ("/plugin/elf/not_a_file", test_not_a_file);
  return g_test_run ();
}
