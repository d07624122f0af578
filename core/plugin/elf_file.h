/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file under inspection: bounded reads shared by the files that check it. */
#ifndef LM_PLUGIN_ELF_FILE_H
#define LM_PLUGIN_ELF_FILE_H

#include "core/plugin/elf.h"
#include <elf.h>

#define LM_ELF_MAX_SEGMENTS 64

typedef struct LmElfFile {
  const unsigned char *data;
  gsize n;
  const char *where; /* names the file in errors */
  Elf64_Ehdr header;
  Elf64_Phdr segments[LM_ELF_MAX_SEGMENTS];
  uint16_t n_segments;
} LmElfFile;

/* Sets "<where>: <message>" with code PLUGIN; returns false. */
bool lm_elf_fail (const LmElfFile *f, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Copies n bytes at a file offset; false when they are not all there. */
bool lm_elf_copy (const LmElfFile *f, uint64_t offset, void *out, size_t n);

/* NUL-terminated text at a file offset, or NULL when it does not end inside the file. */
const char *lm_elf_string (const LmElfFile *f, uint64_t offset);

/* File offset of a virtual address. */
bool lm_elf_offset (const LmElfFile *f, uint64_t address, uint64_t *out);

/* Looks LAM_ENTRY_SYMBOL up in the dynamic symbols through their hash table. */
bool lm_elf_find_entry (const LmElfFile *f, bool *out_found, GError **error);

/* Lamina's note records; plugin_id is NULL when there is none. */
LmElfNotes *lm_elf_read_notes (const LmElfFile *f, GError **error);

#endif
