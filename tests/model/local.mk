# SPDX-License-Identifier: Apache-2.0
# tests/model: one program for each source file.

check_PROGRAMS += \
  %D%/test-build \
  %D%/test-init
