# SPDX-License-Identifier: Apache-2.0
# core/program: the state of a run, its inputs, the loops over steps, saving.

core_sources += \
  %D%/code.c \
  %D%/code.h \
  %D%/drivers.c \
  %D%/eval.c \
  %D%/eval.h \
  %D%/events.c \
  %D%/events.h \
  %D%/input.c \
  %D%/input.h \
  %D%/png.c \
  %D%/png.h \
  %D%/predict.c \
  %D%/predict.h \
  %D%/replica.h \
  %D%/replicas.c \
  %D%/replicas.h \
  %D%/replicas_private.h \
  %D%/runner.c \
  %D%/runner.h \
  %D%/save.c \
  %D%/save.h \
  %D%/scalar.c \
  %D%/scalar.h \
  %D%/state.c \
  %D%/state.h \
  %D%/summaries.c \
  %D%/summaries.h \
  %D%/train.c \
  %D%/train.h
