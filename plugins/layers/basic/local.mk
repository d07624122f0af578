# SPDX-License-Identifier: Apache-2.0
# plugins/layers/basic: the layer family basic, one shared object.

plugin_LTLIBRARIES += plugins/lamina-layers-basic.la
plugins_lamina_layers_basic_la_SOURCES = \
  %D%/activation.c \
  %D%/bias.c \
  %D%/dropout.c \
  %D%/family.c \
  %D%/feed_forward.c \
  %D%/flatten.c \
  %D%/identity.c \
  %D%/linear.c \
  %D%/mlp_block.c \
  %D%/residual.c \
  %D%/sequential.c \
  %D%/stacking_over_time.c \
  %D%/stochastic_residual.c
plugins_lamina_layers_basic_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_layers_basic_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_layers_basic_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_layers_basic_la_LIBADD = -lm
