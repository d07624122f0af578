/* SPDX-License-Identifier: Apache-2.0 */
/* Lamina's note records: what a plugin says it is, read without running it. */
#include "core/plugin/elf_file.h"

#include "core/plugin/ident.h"
#include "core/plugin/registry.h"
#include <lamina/plugin.h>
#include <string.h>

#define MAX_FIELD 4096

void
lm_provides_free (gpointer data)
{
  LmPluginProvides *p = data;

  g_free (p->kind);
  g_free (p->id);
  g_free (p->summary);
  g_free (p);
}

void
lm_elf_notes_free (LmElfNotes *notes)
{
  if (notes == NULL)
    return;
  g_free (notes->plugin_id);
  g_free (notes->version);
  g_free (notes->license);
  g_ptr_array_unref (notes->provides);
  g_free (notes);
}

/* Exactly n texts, each ended by NUL, from a descriptor of `size` bytes; further ones are a later
 * version's. Borrowed. */
static bool
split_fields (const char *desc, size_t size, const char **fields, guint n)
{
  for (guint i = 0; i < n; i++) {
    const char *end = memchr (desc, '\0', size);
    if (end == NULL || end - desc > MAX_FIELD || !g_utf8_validate (desc, end - desc, NULL))
      return false;
    fields[i] = desc;
    size -= (size_t)(end - desc) + 1;
    desc = end + 1;
  }
  return true;
}

/* A decimal number of at most `most`, the whole text. */
static bool
read_number (const char *text, guint64 most, guint64 *out)
{
  return g_ascii_string_to_unsigned (text, 10, 0, most, out, NULL);
}

static bool
read_abi (const LmElfFile *f, LmElfNotes *notes, const char *abi, const char *need, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (abi, ".", 2);
  guint64 major = 0, minor = 0, need_minor = 0;

  if (g_strv_length (parts) != 2 || !read_number (parts[0], G_MAXUINT16, &major)
      || !read_number (parts[1], G_MAXUINT16, &minor)
      || !read_number (need, G_MAXUINT16, &need_minor))
    return lm_elf_fail (f, error,
                        "its note names the ABI \"%s\" and the least minor \"%s\"; wanted "
                        "\"1.0\" and \"0\"",
                        abi, need);
  if (major != LAM_ABI_MAJOR)
    return lm_elf_fail (f, error,
                        "it is built for plugin ABI %" G_GUINT64_FORMAT ", this Lamina "
                        "speaks %d; get a build for ABI %d%s",
                        major, LAM_ABI_MAJOR, LAM_ABI_MAJOR,
                        major > LAM_ABI_MAJOR ? ", or a newer Lamina" : "");
  if (need_minor > LAM_ABI_MINOR)
    return lm_elf_fail (f, error,
                        "it needs plugin ABI 1.%" G_GUINT64_FORMAT " or newer, this Lamina "
                        "speaks 1.%d; update Lamina, or get an older build",
                        need_minor, LAM_ABI_MINOR);
  notes->abi_major = (int)major;
  notes->abi_minor = (int)minor;
  notes->need_minor = (int)need_minor;
  return true;
}

static bool
read_plugin (const LmElfFile *f, LmElfNotes *notes, const char *desc, size_t size, GError **error)
{
  const char *fields[6]; /* "plugin" id version license abi need_minor */

  if (notes->plugin_id != NULL)
    return lm_elf_fail (f, error, "it has two LAM_PLUGIN notes; a shared object is one plugin");
  if (!split_fields (desc, size, fields, 6))
    return lm_elf_fail (f, error, "its plugin note is damaged; use LAM_PLUGIN to write it");
  if (!lm_ident_ok (fields[1]))
    return lm_elf_fail (f, error, "its plugin id \"%s\" is not \"vendor.name\" of [a-z0-9_]",
                        fields[1]);
  if (!read_abi (f, notes, fields[4], fields[5], error))
    return false;
  notes->plugin_id = g_strdup (fields[1]);
  notes->version = g_strdup (fields[2]);
  notes->license = g_strdup (fields[3]);
  return true;
}

static bool
read_provides (const LmElfFile *f, LmElfNotes *notes, const char *desc, size_t size, GError **error)
{
  const char *fields[5]; /* "provides" kind id revision summary */
  guint64 revision = 0;

  if (!split_fields (desc, size, fields, 5) || !read_number (fields[3], G_MAXUINT32, &revision)
      || revision == 0)
    return lm_elf_fail (f, error,
                        "a note of a provided thing is damaged; use the macros of "
                        "<lamina/plugin.h> to write it, with a plain number as revision");
  if (!lm_ident_ok (fields[2]))
    return lm_elf_fail (f, error, "the id \"%s\" is not \"vendor.name\" of [a-z0-9_]", fields[2]);
  for (guint i = 0; i < notes->provides->len; i++) {
    const LmPluginProvides *other = notes->provides->pdata[i];
    if (strcmp (other->kind, fields[1]) == 0 && strcmp (other->id, fields[2]) == 0)
      return lm_elf_fail (f, error, "it provides %s \"%s\" twice", fields[1], fields[2]);
  }
  if (notes->provides->len >= LM_MAX_PROVIDES)
    return lm_elf_fail (f, error, "it provides more than %d things", LM_MAX_PROVIDES);
  LmPluginProvides *p = g_new0 (LmPluginProvides, 1);
  p->kind = g_strdup (fields[1]);
  p->id = g_strdup (fields[2]);
  p->revision = (uint32_t)revision;
  p->summary = g_strdup (fields[4]);
  g_ptr_array_add (notes->provides, p);
  return true;
}

static bool
read_record (const LmElfFile *f, LmElfNotes *notes, const char *desc, size_t size, GError **error)
{
  if (size >= sizeof "plugin" && memcmp (desc, "plugin", sizeof "plugin") == 0)
    return read_plugin (f, notes, desc, size, error);
  if (size >= sizeof "provides" && memcmp (desc, "provides", sizeof "provides") == 0)
    return read_provides (f, notes, desc, size, error);
  return true; /* a later version's record */
}

static uint64_t
round_up (uint64_t n, uint64_t align)
{
  return (n + align - 1) / align * align;
}

/* The notes of one segment, which lies inside the file. */
static bool
read_segment (const LmElfFile *f, LmElfNotes *notes, const Elf64_Phdr *segment, GError **error)
{
  uint64_t align = segment->p_align == 8 ? 8 : 4, at = segment->p_offset;
  uint64_t end = segment->p_offset + segment->p_filesz;
  Elf64_Nhdr note;

  while (end - at >= sizeof note && lm_elf_copy (f, at, &note, sizeof note)) {
    uint64_t name = at + sizeof note;
    uint64_t desc = name + round_up (note.n_namesz, align);
    uint64_t next = desc + round_up (note.n_descsz, align);
    if (desc > end || note.n_descsz > end - desc)
      return lm_elf_fail (f, error, "damaged: a note reaches beyond its segment");
    if (note.n_type == LAM_NOTE_TYPE && note.n_namesz == 4 && memcmp (f->data + name, "LMP", 4) == 0
        && !read_record (f, notes, (const char *)f->data + desc, note.n_descsz, error))
      return false;
    if (next >= end)
      break;
    at = next;
  }
  return true;
}

LmElfNotes *
lm_elf_read_notes (const LmElfFile *f, GError **error)
{
  g_autoptr (LmElfNotes) notes = g_new0 (LmElfNotes, 1);

  notes->provides = g_ptr_array_new_with_free_func (lm_provides_free);
  for (uint16_t i = 0; i < f->n_segments; i++)
    if (f->segments[i].p_type == PT_NOTE && !read_segment (f, notes, &f->segments[i], error))
      return NULL;
  return g_steal_pointer (&notes);
}
