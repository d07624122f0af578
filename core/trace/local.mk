# SPDX-License-Identifier: Apache-2.0
# core/trace: contexts, keys, summaries, variables, regions.

core_sources += \
  %D%/context.c \
  %D%/effects.c \
  %D%/histogram.c \
  %D%/nest_calls.c \
  %D%/private.h \
  %D%/random.c \
  %D%/record.c \
  %D%/trace.h \
  %D%/vmap.c \
  %D%/watch.c
