# SPDX-License-Identifier: Apache-2.0
# tests/archive: one program for each source file.

check_PROGRAMS += \
  %D%/test-file \
  %D%/test-lock \
  %D%/test-manifest \
  %D%/test-npy \
  %D%/test-safetensors \
  %D%/test-safetensors_write \
  %D%/test-tar \
  %D%/test-trust \
  %D%/test-writer \
  %D%/test-zip

EXTRA_DIST += \
  %D%/tarball.h
