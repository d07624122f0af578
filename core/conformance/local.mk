# SPDX-License-Identifier: Apache-2.0
# core/conformance: a backend against reference, op by op and in whole training steps.

core_sources += \
  %D%/cases.h \
  %D%/cases_composite.c \
  %D%/cases_contract.c \
  %D%/cases_control.c \
  %D%/cases_elementwise.c \
  %D%/cases_index.c \
  %D%/cases_order.c \
  %D%/cases_reduce.c \
  %D%/cases_replica.c \
  %D%/cases_shape.c \
  %D%/compare.c \
  %D%/conformance.h \
  %D%/donate.c \
  %D%/draw.c \
  %D%/parse.c \
  %D%/rule.c \
  %D%/run.c \
  %D%/steps.c
