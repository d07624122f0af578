# SPDX-License-Identifier: Apache-2.0
# plugins/layers/model: the layer family model, one shared object.

plugin_LTLIBRARIES += plugins/lamina-layers-model.la
plugins_lamina_layers_model_la_SOURCES = \
  %D%/classification.c \
  %D%/family.c \
  %D%/full_softmax.c
plugins_lamina_layers_model_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_layers_model_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_layers_model_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_layers_model_la_LIBADD = -lm
