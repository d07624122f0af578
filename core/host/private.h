/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of this folder's files, for host.c only. */
#ifndef LM_HOST_PRIVATE_H
#define LM_HOST_PRIVATE_H

#include "core/host/host.h"
#include <lamina/ext/files.h>
#include <lamina/ext/regex.h>
#include <lamina/ext/zip.h>

extern const lam_trace_api lm_host_trace_api;
extern const lam_ext_files lm_host_files;
extern const lam_ext_regex lm_host_regex;
extern const lam_ext_zip lm_host_zip;

#endif
