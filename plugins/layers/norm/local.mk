# SPDX-License-Identifier: Apache-2.0
# plugins/layers/norm: the layer family norm, one shared object.

plugin_LTLIBRARIES += plugins/lamina-layers-norm.la
plugins_lamina_layers_norm_la_SOURCES = \
  %D%/batch_norm.c \
  %D%/family.c \
  %D%/group_norm.c \
  %D%/identity_norm.c \
  %D%/layer_norm.c \
  %D%/norm.h \
  %D%/rms_norm.c \
  %D%/rms_norm_no_scale.c \
  %D%/spectral_norm.c \
  %D%/weight_norm_l2.c
plugins_lamina_layers_norm_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_layers_norm_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_layers_norm_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_layers_norm_la_LIBADD = -lm
