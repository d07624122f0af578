/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's array format: one array a .npy file, several in an .npz (a zip of them). Read versions 1 to
 * 3, written version 1.0. Inputs read their own (plugins/inputs/npy.h): they see only the SDK. */
#ifndef LM_ARCHIVE_NPY_H
#define LM_ARCHIVE_NPY_H

#include "core/base/array.h"

/* Little-endian numbers and bools; Fortran order is turned into row-major. The array is a view into
 * bytes where it can be. where: for errors. */
LmArray *lm_npy_read (GBytes *bytes, const char *where, GError **error);

/* bf16 has no name in NumPy: UNSUPPORTED. */
GBytes *lm_npy_write (const LmArray *array, const char *name, GError **error);

/* name -> LmArray*, of an .npz. */
GHashTable *lm_npz_read (const char *path, GError **error);
bool lm_npz_write (GHashTable *arrays, const char *path, GError **error);

#endif
