/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file zip.h
 * Host extension "lamina.host.zip/1": the members of a zip file in memory (npz), stored or deflated.
 */
#ifndef LAMINA_EXT_ZIP_H
#define LAMINA_EXT_ZIP_H

#include <lamina/plugin.h>

/** Id for lam_host.get_extension; the table is a lam_ext_zip. */
#define LAM_EXT_ZIP "lamina.host.zip/1"

/** An opened zip file with its members unpacked. */
typedef struct lam_zip lam_zip;

/** The table of the extension. */
typedef struct lam_ext_zip {
  uint32_t struct_size;
  uint32_t reserved;
  /** [any] Reads all members of the zip file in data; data may be freed afterwards. */
  lam_status (*open) (const void *data, uint64_t size, lam_zip **out, lam_error *error);
  /** [any] Bytes of a member by name, valid until close; NULL if there is none. */
  const void *(*member) (const lam_zip *zip, const char *name, uint64_t *out_size);
  /** [any] Name of member i, NULL past the end. */
  const char *(*name) (const lam_zip *zip, uint32_t i);
  /** [any] Accepts NULL. */
  void (*close) (lam_zip *zip);
} lam_ext_zip;

#endif
