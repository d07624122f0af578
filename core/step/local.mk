# SPDX-License-Identifier: Apache-2.0
# core/step: train state, train step, eval step.

core_sources += \
  %D%/eval.c \
  %D%/forward.c \
  %D%/optimizer.c \
  %D%/private.h \
  %D%/state.c \
  %D%/step.h \
  %D%/train.c
