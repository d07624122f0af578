# SPDX-License-Identifier: Apache-2.0
# tests/lib: what test programs share.

tests_lib_libtest_a_SOURCES += \
  %D%/batchcheck.c \
  %D%/batchcheck.h \
  %D%/digits.c \
  %D%/digits.h \
  %D%/equations.c \
  %D%/equations.h \
  %D%/event_file.c \
  %D%/event_file.h \
  %D%/fixture.c \
  %D%/fixture.h \
  %D%/golden.c \
  %D%/golden.h \
  %D%/golden_compare.c \
  %D%/golden_op.c \
  %D%/golden_op.h \
  %D%/inputs.c \
  %D%/inputs.h \
  %D%/layer_check.c \
  %D%/layer_check.h \
  %D%/layer_fn.c \
  %D%/layer_fn.h \
  %D%/layer_golden.c \
  %D%/layer_golden.h \
  %D%/layer_rows.c \
  %D%/learn.c \
  %D%/learn.h \
  %D%/opcheck.c \
  %D%/opcheck.h \
  %D%/opdoc.c \
  %D%/opdoc.h \
  %D%/opdoc_page.c \
  %D%/project.c \
  %D%/project.h \
  %D%/random_element.c \
  %D%/random_fn.c \
  %D%/random_fn.h \
  %D%/random_fold.c \
  %D%/random_gen.h \
  %D%/random_reduce.c \
  %D%/random_shape.c \
  %D%/random_smooth.c \
  %D%/replicas.c \
  %D%/replicas.h \
  %D%/steps.c \
  %D%/steps.h \
  %D%/test-golden.c
