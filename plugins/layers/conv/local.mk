# SPDX-License-Identifier: Apache-2.0
# plugins/layers/conv: the layer family conv, one shared object.

plugin_LTLIBRARIES += plugins/lamina-layers-conv.la
plugins_lamina_layers_conv_la_SOURCES = \
  %D%/conv.h \
  %D%/conv2d.c \
  %D%/conv3d.c \
  %D%/conv_bn_act.c \
  %D%/depthwise_conv1d.c \
  %D%/family.c \
  %D%/global_pooling.c \
  %D%/pool.h \
  %D%/pooling.c
plugins_lamina_layers_conv_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_layers_conv_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_layers_conv_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_layers_conv_la_LIBADD = -lm
