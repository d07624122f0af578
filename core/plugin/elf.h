/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an ELF file's identity and Lamina notes without mapping it as code. Every offset is checked
 * against the file's size: safe on truncated and hostile files. */
#ifndef LM_PLUGIN_ELF_H
#define LM_PLUGIN_ELF_H

#include "core/base/error.h"

typedef struct LmElfNotes {
  char *plugin_id, *version, *license; /* NULL when there is no "plugin" record */
  int abi_major, abi_minor, need_minor;
  GPtrArray *provides; /* of LmPluginProvides* (registry.h) */
} LmElfNotes;

/* Checks class, byte order, machine, ET_DYN, no PT_INTERP, segments inside the file, no exec stack,
 * no W+X segment, entry symbol present in the dynamic symbol table; then reads the notes. Each
 * refusal is one error that says what is wrong with the file and what to do (plugin-abi 2.13 rows
 * 1-12, 17, 18, 20, 22, 23, 44, 45). A file that is a fine shared object without Lamina's symbol and
 * note sets *out_not_plugin instead of failing. */
LmElfNotes *lm_elf_read (const char *path, bool *out_not_plugin, GError **error);
void lm_elf_notes_free (LmElfNotes *notes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmElfNotes, lm_elf_notes_free)

/* The same over bytes in memory (for the fuzzer); where names the file in errors. */
LmElfNotes *lm_elf_read_bytes (const void *data, gsize n, const char *where, bool *out_not_plugin,
                               GError **error);

#endif
