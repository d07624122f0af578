# SPDX-License-Identifier: Apache-2.0
# plugins/optimizers: the optimizers, one shared object.

plugin_LTLIBRARIES += plugins/lamina-optimizers.la
plugins_lamina_optimizers_la_SOURCES = \
  %D%/adamw.c \
  %D%/family.c \
  %D%/sgd.c
plugins_lamina_optimizers_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_optimizers_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_optimizers_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_optimizers_la_LIBADD = -lm
