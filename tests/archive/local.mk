# SPDX-License-Identifier: Apache-2.0
# tests/archive: one program for each source file.

check_PROGRAMS += \
  %D%/test-safetensors \
  %D%/test-safetensors_write \
  %D%/test-zip
