/* SPDX-License-Identifier: Apache-2.0 */
/* ELF identity: is this a shared object for this machine, whole, and safe to map? */
#include "core/plugin/elf.h"

#include "core/archive/file.h"
#include "core/plugin/elf_file.h"
#include <lamina/plugin.h>
#include <string.h>

#if defined __x86_64__
#define HERE      EM_X86_64
#define HERE_NAME "x86-64"
#elif defined __aarch64__
#define HERE      EM_AARCH64
#define HERE_NAME "aarch64"
#else
#error "core/plugin/elf.c: name this machine's e_machine here"
#endif

bool
lm_elf_fail (const LmElfFile *f, GError **error, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, LM_ERROR, LM_ERROR_PLUGIN, "%s: %s", f->where, message);
  return false;
}

bool
lm_elf_copy (const LmElfFile *f, uint64_t offset, void *out, size_t n)
{
  if (offset > f->n || n > f->n - offset)
    return false;
  memcpy (out, f->data + offset, n);
  return true;
}

const char *
lm_elf_string (const LmElfFile *f, uint64_t offset)
{
  if (offset >= f->n || memchr (f->data + offset, '\0', f->n - offset) == NULL)
    return NULL;
  return (const char *)f->data + offset;
}

bool
lm_elf_offset (const LmElfFile *f, uint64_t address, uint64_t *out)
{
  for (uint16_t i = 0; i < f->n_segments; i++) {
    const Elf64_Phdr *s = &f->segments[i];
    if (s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr < s->p_filesz) {
      *out = s->p_offset + (address - s->p_vaddr);
      return true;
    }
  }
  return false;
}

static const char *
machine_name (uint16_t machine)
{
  switch (machine) {
  case EM_386:
    return "x86 (32-bit)";
  case EM_ARM:
    return "arm";
  case EM_AARCH64:
    return "aarch64";
  case EM_X86_64:
    return "x86-64";
  case EM_RISCV:
    return "riscv";
  case EM_PPC64:
    return "ppc64";
  case EM_S390:
    return "s390";
  default:
    return "another machine";
  }
}

static bool
fail_not_elf (const LmElfFile *f, GError **error)
{
  GString *shown = g_string_new (NULL);

  for (size_t i = 0; i < MIN (f->n, 8); i++)
    g_string_append_c (shown, g_ascii_isprint ((char)f->data[i]) ? (char)f->data[i] : '.');
  lm_elf_fail (f, error,
               "not an ELF file: %" G_GSIZE_FORMAT
               " bytes that begin \"%s\"; build the plugin with "
               "cc -shared -fPIC",
               f->n, shown->str);
  g_string_free (shown, TRUE);
  return false;
}

static bool
check_machine (const LmElfFile *f, GError **error)
{
  const unsigned char *ident = f->header.e_ident;

  if (ident[EI_CLASS] != ELFCLASS64)
    return lm_elf_fail (f, error,
                        "it is a %s file, this machine is 64-bit " HERE_NAME "; get a build for it",
                        ident[EI_CLASS] == ELFCLASS32 ? "32-bit" : "strange");
  if (ident[EI_DATA] != ELFDATA2LSB)
    return lm_elf_fail (f, error,
                        "it is big-endian, this machine (" HERE_NAME
                        ") is little-endian; get a build for it");
  if (ident[EI_OSABI] != ELFOSABI_NONE && ident[EI_OSABI] != ELFOSABI_GNU)
    return lm_elf_fail (f, error, "it is built for OS ABI %u, this is Linux",
                        (guint)ident[EI_OSABI]);
  if (f->header.e_machine != HERE)
    return lm_elf_fail (f, error,
                        "it is built for %s (machine %u), this is " HERE_NAME
                        "; get a build for this machine",
                        machine_name (f->header.e_machine), (guint)f->header.e_machine);
  return true;
}

static bool
check_type (const LmElfFile *f, GError **error)
{
  if (f->header.e_type == ET_REL)
    return lm_elf_fail (f, error, "it looks like an object file; link it with cc -shared");
  if (f->header.e_type == ET_EXEC)
    return lm_elf_fail (f, error, "it is a program; link it with cc -shared -fPIC");
  if (f->header.e_type != ET_DYN)
    return lm_elf_fail (f, error,
                        "it is not a shared object (ELF type %u); link it with cc -shared",
                        (guint)f->header.e_type);
  return true;
}

static bool
check_header (LmElfFile *f, GError **error)
{
  if (f->n < EI_NIDENT || memcmp (f->data, ELFMAG, SELFMAG) != 0)
    return fail_not_elf (f, error);
  memcpy (f->header.e_ident, f->data, EI_NIDENT);
  /* Class first: a 32-bit header is shorter and must not be called truncated. */
  if (f->header.e_ident[EI_CLASS] == ELFCLASS64 && f->header.e_ident[EI_DATA] == ELFDATA2LSB
      && !lm_elf_copy (f, 0, &f->header, sizeof f->header))
    return lm_elf_fail (f, error,
                        "truncated: the ELF header needs %" G_GSIZE_FORMAT
                        " bytes, the file has %" G_GSIZE_FORMAT "; is the download complete?",
                        sizeof f->header, f->n);
  return check_machine (f, error) && check_type (f, error);
}

static bool
read_segments (LmElfFile *f, GError **error)
{
  uint64_t bytes = (uint64_t)f->header.e_phnum * sizeof (Elf64_Phdr);

  if (f->header.e_phnum == 0 || f->header.e_phnum > LM_ELF_MAX_SEGMENTS
      || f->header.e_phentsize != sizeof (Elf64_Phdr))
    return lm_elf_fail (f, error, "damaged: %u program headers of %u bytes",
                        (guint)f->header.e_phnum, (guint)f->header.e_phentsize);
  if (!lm_elf_copy (f, f->header.e_phoff, f->segments, bytes))
    return lm_elf_fail (f, error,
                        "truncated: its program headers lie beyond the %" G_GSIZE_FORMAT
                        " bytes of the file; is the download complete?",
                        f->n);
  f->n_segments = f->header.e_phnum;
  return true;
}

static bool
check_segment (const LmElfFile *f, guint i, GError **error)
{
  const Elf64_Phdr *s = &f->segments[i];

  if (s->p_type == PT_INTERP)
    return lm_elf_fail (f, error,
                        "it is a program (it names an interpreter); link it with "
                        "cc -shared");
  if (s->p_type != PT_LOAD && s->p_type != PT_DYNAMIC && s->p_type != PT_NOTE)
    return true;
  if (s->p_offset > f->n || s->p_filesz > f->n - s->p_offset)
    return lm_elf_fail (f, error,
                        "truncated: segment %u needs %" G_GUINT64_FORMAT
                        " bytes from %" G_GUINT64_FORMAT ", the file has %" G_GSIZE_FORMAT
                        "; is the download complete?",
                        i, (uint64_t)s->p_filesz, (uint64_t)s->p_offset, f->n);
  if (s->p_type == PT_LOAD && (s->p_flags & PF_W) != 0 && (s->p_flags & PF_X) != 0)
    return lm_elf_fail (f, error,
                        "segment %u is writable and executable; link it without -N and "
                        "without text relocations (compile with -fPIC)",
                        i);
  return true;
}

static bool
check_segments (const LmElfFile *f, GError **error)
{
  bool stack_ok = false;

  for (guint i = 0; i < f->n_segments; i++) {
    if (!check_segment (f, i, error))
      return false;
    if (f->segments[i].p_type == PT_GNU_STACK)
      stack_ok = (f->segments[i].p_flags & PF_X) == 0;
  }
  return stack_ok
         || lm_elf_fail (f, error,
                         "it asks for an executable stack; link it with -Wl,-z,noexecstack "
                         "and give assembler files a .note.GNU-stack section");
}

LmElfNotes *
lm_elf_read_bytes (const void *data, gsize n, const char *where, bool *out_not_plugin,
                   GError **error)
{
  LmElfFile f = {.data = data, .n = n, .where = where};
  g_autoptr (LmElfNotes) notes = NULL;
  bool has_entry = false;

  *out_not_plugin = false;
  if (!check_header (&f, error) || !read_segments (&f, error) || !check_segments (&f, error)
      || !lm_elf_find_entry (&f, &has_entry, error))
    return NULL;
  notes = lm_elf_read_notes (&f, error);
  if (notes == NULL)
    return NULL;
  if (notes->plugin_id == NULL && notes->provides->len == 0 && !has_entry) {
    *out_not_plugin = true;
    return NULL;
  }
  if (!has_entry)
    lm_elf_fail (&f, error,
                 "it has Lamina's note but does not export " LAM_ENTRY_SYMBOL
                 "; use LAM_PLUGIN, and do not hide the symbol with a version script");
  else if (notes->plugin_id == NULL)
    lm_elf_fail (&f, error,
                 "it exports " LAM_ENTRY_SYMBOL " but has no note that says what it is; "
                 "use LAM_PLUGIN, and do not strip .note.lamina.plugin");
  else
    return g_steal_pointer (&notes);
  return NULL;
}

LmElfNotes *
lm_elf_read (const char *path, bool *out_not_plugin, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  gsize n;
  const void *data;

  *out_not_plugin = false;
  bytes = lm_map_file (path, true, error);
  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &n);
  return lm_elf_read_bytes (data, n, path, out_not_plugin, error);
}
