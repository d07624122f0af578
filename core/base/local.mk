# SPDX-License-Identifier: Apache-2.0
# core/base: errors, arena, arrays, nest, params, JSON.

core_sources += \
  %D%/arena.c \
  %D%/arena.h \
  %D%/array.c \
  %D%/array.h \
  %D%/error.c \
  %D%/error.h \
  %D%/field.c \
  %D%/field.h \
  %D%/field_table.c \
  %D%/float16.c \
  %D%/hyper.c \
  %D%/hyper.h \
  %D%/hyper_diff.c \
  %D%/hyper_json.c \
  %D%/hyper_literal.c \
  %D%/hyper_parse.c \
  %D%/hyper_path.c \
  %D%/hyper_print.c \
  %D%/hyper_private.h \
  %D%/hyper_table.c \
  %D%/hyper_table.h \
  %D%/hyper_text.h \
  %D%/hyper_value.c \
  %D%/hyper_value.h \
  %D%/json.c \
  %D%/json.h \
  %D%/json_print.c \
  %D%/nest.c \
  %D%/nest.h \
  %D%/nest_merge.c \
  %D%/nest_path.c \
  %D%/nest_private.h \
  %D%/nest_text.c \
  %D%/nest_text.h \
  %D%/nest_walk.c \
  %D%/params.c \
  %D%/params.h \
  %D%/regex.c \
  %D%/regex.h
