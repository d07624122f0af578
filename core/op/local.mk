# SPDX-License-Identifier: Apache-2.0
# core/op: the rules of each op: type, vjp, batch, fold.

core_sources += \
  %D%/batch.c \
  %D%/binary.c \
  %D%/choose.c \
  %D%/contract.h \
  %D%/control.c \
  %D%/conv.c \
  %D%/convert.c \
  %D%/cumsum.c \
  %D%/dot.c \
  %D%/dynamic.c \
  %D%/emit.c \
  %D%/emit.h \
  %D%/fold.c \
  %D%/index.c \
  %D%/order.c \
  %D%/precision.c \
  %D%/random.c \
  %D%/reduce.c \
  %D%/replica.c \
  %D%/rule.c \
  %D%/rule.h \
  %D%/shape.c \
  %D%/slice.c \
  %D%/table.c \
  %D%/unary.c \
  %D%/window.c
