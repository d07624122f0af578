# SPDX-License-Identifier: Apache-2.0
# tests/backends: one program for each source file.

check_PROGRAMS += \
  %D%/test-claims \
  %D%/test-collective \
  %D%/test-cpu-golden \
  %D%/test-cpu-order \
  %D%/test-cpu \
  %D%/test-denormals \
  %D%/test-padding \
  %D%/test-property \
  %D%/test-reference

EXTRA_DIST += \
  %D%/cases.h \
  %D%/cases_contract.h
