# SPDX-License-Identifier: Apache-2.0
# tests/trace: one program for each source file.

check_PROGRAMS += \
  %D%/test-context \
  %D%/test-effects \
  %D%/test-random \
  %D%/test-record \
  %D%/test-vmap
