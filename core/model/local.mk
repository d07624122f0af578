# SPDX-License-Identifier: Apache-2.0
# core/model: layer tree, variable initialisation, task.

core_sources += \
  %D%/build.c \
  %D%/call.c \
  %D%/chain.c \
  %D%/common.c \
  %D%/init.c \
  %D%/mesh.c \
  %D%/model.c \
  %D%/model.h \
  %D%/orthogonal.c \
  %D%/private.h \
  %D%/setup.c \
  %D%/share.c \
  %D%/weights.c
