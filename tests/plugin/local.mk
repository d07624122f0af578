# SPDX-License-Identifier: Apache-2.0
# tests/plugin: one program for each source file; fixture.c is compiled by the tests themselves.

check_PROGRAMS += \
  %D%/test-elf \
  %D%/test-load \
  %D%/test-registry

EXTRA_DIST += \
  %D%/fixture.c \
  %D%/fixture.h
