# SPDX-License-Identifier: Apache-2.0
# core/step: train state, train step, eval step.

core_sources += \
  %D%/ema.c \
  %D%/eval.c \
  %D%/forward.c \
  %D%/learn.c \
  %D%/learners.c \
  %D%/loss.c \
  %D%/optimizer.c \
  %D%/optimizer.h \
  %D%/optimizer_raw.c \
  %D%/optimizer_stages.c \
  %D%/outputs.c \
  %D%/private.h \
  %D%/replicas.c \
  %D%/state.c \
  %D%/step.h \
  %D%/train.c
