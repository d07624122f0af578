# SPDX-License-Identifier: Apache-2.0
# plugins/layers/norm: the layer family norm, one shared object.

plugin_LTLIBRARIES += plugins/lamina-layers-norm.la
plugins_lamina_layers_norm_la_SOURCES = \
  %D%/batch_norm.c \
  %D%/family.c
plugins_lamina_layers_norm_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_layers_norm_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_layers_norm_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_layers_norm_la_LIBADD = -lm
