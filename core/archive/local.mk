# SPDX-License-Identifier: Apache-2.0
# core/archive: tar profile, safetensors, manifest, npy and npz.

core_sources += \
  %D%/archive.h \
  %D%/file.c \
  %D%/file.h \
  %D%/safetensors.c \
  %D%/safetensors.h \
  %D%/safetensors_write.c \
  %D%/trust.h \
  %D%/writer.h \
  %D%/zip.c \
  %D%/zip.h
