# SPDX-License-Identifier: Apache-2.0
# tests/model: one program for each source file.

check_PROGRAMS += \
  %D%/test-build \
  %D%/test-common \
  %D%/test-init \
  %D%/test-mesh \
  %D%/test-orthogonal \
  %D%/test-setup \
  %D%/test-share

EXTRA_DIST += \
  %D%/life.h
