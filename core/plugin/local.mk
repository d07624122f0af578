# SPDX-License-Identifier: Apache-2.0
# core/plugin: ELF check, notes, search path, registry.

core_sources += \
  %D%/elf.c \
  %D%/elf.h \
  %D%/elf_file.h \
  %D%/elf_note.c \
  %D%/elf_symbol.c \
  %D%/error.c \
  %D%/error.h \
  %D%/ident.h \
  %D%/kinds.c \
  %D%/kinds.h \
  %D%/load.c \
  %D%/load.h \
  %D%/module.c \
  %D%/module.h \
  %D%/registry.c \
  %D%/registry.h
