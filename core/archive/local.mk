# SPDX-License-Identifier: Apache-2.0
# core/archive: tar profile, safetensors, manifest, npy and npz.

core_sources += \
  %D%/archive.c \
  %D%/archive.h \
  %D%/emit.c \
  %D%/emit.h \
  %D%/file.c \
  %D%/file.h \
  %D%/lock.c \
  %D%/lock.h \
  %D%/manifest.c \
  %D%/npy.c \
  %D%/npy.h \
  %D%/profile.c \
  %D%/profile.h \
  %D%/safetensors.c \
  %D%/safetensors.h \
  %D%/safetensors_write.c \
  %D%/store.c \
  %D%/tar.c \
  %D%/tree.c \
  %D%/trust.c \
  %D%/trust.h \
  %D%/writer.c \
  %D%/writer.h \
  %D%/zip.c \
  %D%/zip.h
