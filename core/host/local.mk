# SPDX-License-Identifier: Apache-2.0
# core/host: the host table that plugins see.

core_sources += \
  %D%/files.c \
  %D%/host.c \
  %D%/host.h \
  %D%/private.h \
  %D%/regex.c \
  %D%/trace_api.c \
  %D%/zip.c
