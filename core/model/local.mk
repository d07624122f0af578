# SPDX-License-Identifier: Apache-2.0
# core/model: layer tree, variable initialisation, task.

core_sources += \
  %D%/build.c \
  %D%/call.c \
  %D%/chain.c \
  %D%/init.c \
  %D%/model.c \
  %D%/model.h \
  %D%/private.h \
  %D%/setup.c \
  %D%/weights.c
