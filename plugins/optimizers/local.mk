# SPDX-License-Identifier: Apache-2.0
# plugins/optimizers: the optimizers, one shared object.

plugin_LTLIBRARIES += plugins/lamina-optimizers.la
plugins_lamina_optimizers_la_SOURCES = \
  %D%/adabelief.c \
  %D%/adadelta.c \
  %D%/adafactor.c \
  %D%/adagrad.c \
  %D%/adam.c \
  %D%/adamax.c \
  %D%/adamw.c \
  %D%/amsgrad.c \
  %D%/factor.h \
  %D%/family.c \
  %D%/lamb.c \
  %D%/lars.c \
  %D%/lion.c \
  %D%/novograd.c \
  %D%/optimizers.h \
  %D%/radam.c \
  %D%/rmsprop.c \
  %D%/sgd.c \
  %D%/sharded_adafactor.c \
  %D%/sm3.c \
  %D%/trust.h \
  %D%/yogi.c
plugins_lamina_optimizers_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_optimizers_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_optimizers_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_optimizers_la_LIBADD = -lm
