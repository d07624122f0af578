# SPDX-License-Identifier: Apache-2.0
# plugins/schedules: the schedules, one shared object.

plugin_LTLIBRARIES += plugins/lamina-schedules.la
plugins_lamina_schedules_la_SOURCES = \
  %D%/constant.c \
  %D%/continuous_schedule.c \
  %D%/cosine.c \
  %D%/cycle_schedule.c \
  %D%/delayed_cosine.c \
  %D%/exponential.c \
  %D%/family.c \
  %D%/linear.c \
  %D%/linear_rampup_cosine_decay.c \
  %D%/linear_rampup_exponential_decay.c \
  %D%/linear_rampup_piecewise_constant.c \
  %D%/linear_rampup_polynomial_decay.c \
  %D%/linear_rampup_sqrt_decay.c \
  %D%/piecewise_constant.c \
  %D%/piecewise_schedule.c \
  %D%/polynomial.c \
  %D%/schedules.h \
  %D%/sqrt_decay.c \
  %D%/transformer.c
plugins_lamina_schedules_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_schedules_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_schedules_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_schedules_la_LIBADD = -lm
