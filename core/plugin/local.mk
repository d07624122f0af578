# SPDX-License-Identifier: Apache-2.0
# core/plugin: ELF check, notes, search path, registry.

core_sources += \
  %D%/elf.h \
  %D%/error.c \
  %D%/error.h \
  %D%/registry.h
