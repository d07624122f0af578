# SPDX-License-Identifier: Apache-2.0
# core/ir: the IR: function, builder, verify, text.

core_sources += \
  %D%/attr.c \
  %D%/attr.h \
  %D%/builder.c \
  %D%/builder.h \
  %D%/builder_op.c \
  %D%/finish.c \
  %D%/function.c \
  %D%/function.h \
  %D%/infer.c \
  %D%/ir.h \
  %D%/rules.h \
  %D%/table.c \
  %D%/text.h \
  %D%/text_attr.c \
  %D%/text_number.c \
  %D%/text_number.h \
  %D%/text_parse.c \
  %D%/text_parse.h \
  %D%/text_print.c \
  %D%/text_scan.c \
  %D%/text_scan.h \
  %D%/verify.c \
  %D%/verify.h
