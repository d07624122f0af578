/* SPDX-License-Identifier: Apache-2.0 */
/* The entry symbol of an ELF file, found through its hash table as the dynamic linker would. */
#include "core/plugin/elf_file.h"

#include <lamina/plugin.h>
#include <string.h>

typedef struct Dynamic {
  uint64_t symtab, strtab, strsz, hash, gnu_hash; /* addresses and a size; 0: absent */
  bool text_relocations, is_program;
} Dynamic;

static void
note_tag (Dynamic *d, const Elf64_Dyn *entry)
{
  switch (entry->d_tag) {
  case DT_SYMTAB:
    d->symtab = entry->d_un.d_ptr;
    break;
  case DT_STRTAB:
    d->strtab = entry->d_un.d_ptr;
    break;
  case DT_STRSZ:
    d->strsz = entry->d_un.d_val;
    break;
  case DT_HASH:
    d->hash = entry->d_un.d_ptr;
    break;
  case DT_GNU_HASH:
    d->gnu_hash = entry->d_un.d_ptr;
    break;
  case DT_TEXTREL:
    d->text_relocations = true;
    break;
  case DT_FLAGS:
    d->text_relocations |= (entry->d_un.d_val & DF_TEXTREL) != 0;
    break;
  case DT_FLAGS_1:
    d->is_program |= (entry->d_un.d_val & DF_1_PIE) != 0;
    break;
  default:
    break;
  }
}

static bool
read_dynamic (const LmElfFile *f, Dynamic *d)
{
  for (uint16_t i = 0; i < f->n_segments; i++) {
    const Elf64_Phdr *s = &f->segments[i];
    Elf64_Dyn entry;
    if (s->p_type != PT_DYNAMIC)
      continue;
    for (uint64_t at = 0; at + sizeof entry <= s->p_filesz; at += sizeof entry) {
      if (!lm_elf_copy (f, s->p_offset + at, &entry, sizeof entry))
        return false;
      if (entry.d_tag == DT_NULL)
        break;
      note_tag (d, &entry);
    }
    return true;
  }
  return true;
}

static bool
symbol_is (const LmElfFile *f, const Dynamic *d, uint64_t index)
{
  uint64_t symbols, strings;
  Elf64_Sym symbol;
  const char *name;

  if (!lm_elf_offset (f, d->symtab, &symbols) || !lm_elf_offset (f, d->strtab, &strings)
      || index > UINT32_MAX
      || !lm_elf_copy (f, symbols + index * sizeof symbol, &symbol, sizeof symbol)
      || symbol.st_name >= d->strsz)
    return false;
  name = lm_elf_string (f, strings + symbol.st_name);
  return name != NULL && strcmp (name, LAM_ENTRY_SYMBOL) == 0 && symbol.st_shndx != SHN_UNDEF
         && ELF64_ST_TYPE (symbol.st_info) == STT_OBJECT;
}

static uint32_t
word_at (const LmElfFile *f, uint64_t offset)
{
  uint32_t word = 0;

  lm_elf_copy (f, offset, &word, sizeof word); /* beyond the end: 0, which ends any chain */
  return word;
}

/* A chain is no longer than the file has room for symbols: a longer one is a loop.
 * System V: nbucket, nchain, buckets, chains. */
static bool
find_sysv (const LmElfFile *f, const Dynamic *d, uint64_t table)
{
  uint32_t n_buckets = word_at (f, table), hash = 0, index;

  for (const char *p = LAM_ENTRY_SYMBOL; *p != '\0'; p++) {
    hash = (hash << 4) + (unsigned char)*p;
    hash = (hash ^ ((hash & 0xf0000000u) >> 24)) & 0x0fffffffu;
  }
  if (n_buckets == 0)
    return false;
  index = word_at (f, table + 8 + 4 * (uint64_t)(hash % n_buckets));
  for (gsize i = 0; index != 0 && i < f->n / sizeof (Elf64_Sym); i++) {
    if (symbol_is (f, d, index))
      return true;
    index = word_at (f, table + 8 + 4 * ((uint64_t)n_buckets + index));
  }
  return false;
}

/* GNU: nbuckets, symoffset, bloom words, shift; bloom (8 bytes each), buckets, chain hashes whose
 * lowest bit ends a chain. */
static bool
find_gnu (const LmElfFile *f, const Dynamic *d, uint64_t table)
{
  uint32_t n_buckets = word_at (f, table), first = word_at (f, table + 4), hash = 5381;
  uint64_t buckets = table + 16 + 8 * (uint64_t)word_at (f, table + 8);
  uint64_t chains = buckets + 4 * (uint64_t)n_buckets;
  uint32_t index;

  for (const char *p = LAM_ENTRY_SYMBOL; *p != '\0'; p++)
    hash = hash * 33 + (unsigned char)*p;
  if (n_buckets == 0)
    return false;
  index = word_at (f, buckets + 4 * (uint64_t)(hash % n_buckets));
  for (gsize i = 0; index >= first && index != 0 && i < f->n / sizeof (Elf64_Sym); i++, index++) {
    uint32_t chain = word_at (f, chains + 4 * ((uint64_t)index - first));
    if ((chain | 1) == (hash | 1) && symbol_is (f, d, index))
      return true;
    if ((chain & 1) != 0 || chains + 4 * ((uint64_t)index - first) >= f->n)
      return false;
  }
  return false;
}

bool
lm_elf_find_entry (const LmElfFile *f, bool *out_found, GError **error)
{
  Dynamic d = {0};
  uint64_t table;

  *out_found = false;
  if (!read_dynamic (f, &d))
    return lm_elf_fail (f, error, "damaged: its dynamic section is cut short");
  if (d.is_program)
    return lm_elf_fail (f, error, "it is a position-independent program; link it with cc -shared");
  if (d.text_relocations)
    return lm_elf_fail (f, error, "it has text relocations; compile every file with -fPIC");
  if (d.symtab == 0 || d.strtab == 0)
    return true;
  if (d.gnu_hash != 0 && lm_elf_offset (f, d.gnu_hash, &table))
    *out_found = find_gnu (f, &d, table);
  else if (d.hash != 0 && lm_elf_offset (f, d.hash, &table))
    *out_found = find_sysv (f, &d, table);
  return true;
}
