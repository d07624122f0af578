/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file files.h
 * Host extension "lamina.host.files/1": whole files, read in place. Relative paths are looked up in the
 * model archive first, then beside it, so that an input works the same in a project directory and in
 * a packed model.
 */
#ifndef LAMINA_EXT_FILES_H
#define LAMINA_EXT_FILES_H

#include <lamina/plugin.h>

/** Id for lam_host.get_extension; the table is a lam_ext_files. */
#define LAM_EXT_FILES "lamina.host.files/1"

/** Where an input's paths are relative to; given in lam_input_args. */
typedef struct lam_files lam_files;
/** An opened file. */
typedef struct lam_file lam_file;

/** The table of the extension. */
typedef struct lam_ext_files {
  uint32_t struct_size;
  uint32_t reserved;
  /** [any] Opens for reading; on failure the error names the path and where it was looked for. */
  lam_status (*open) (const lam_files *files, const char *path, lam_file **out, lam_error *error);
  /** [any] First byte and size; valid until close; read-only. */
  const void *(*data) (const lam_file *file, uint64_t *out_size);
  /** [any] Accepts NULL. */
  void (*close) (lam_file *file);
} lam_ext_files;

#endif
