# SPDX-License-Identifier: Apache-2.0
# core/run: backends, devices, buffers, executables.

core_sources += \
  %D%/backend.c \
  %D%/buffer.c \
  %D%/executable.c \
  %D%/group.c \
  %D%/group.h \
  %D%/plan_text.c \
  %D%/private.h \
  %D%/run.h
