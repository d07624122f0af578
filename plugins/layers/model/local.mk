# SPDX-License-Identifier: Apache-2.0
# plugins/layers/model: the layer family model, one shared object.

plugin_LTLIBRARIES += plugins/lamina-layers-model.la
plugins_lamina_layers_model_la_SOURCES = \
  %D%/absolute_error.c \
  %D%/bi_tempered_loss.c \
  %D%/classification.c \
  %D%/embedding.c \
  %D%/family.c \
  %D%/full_softmax.c \
  %D%/gshard_shared_embedding_softmax.c \
  %D%/head.c \
  %D%/head.h \
  %D%/huber_loss.c \
  %D%/lookup.h \
  %D%/multilabel.c \
  %D%/nclass_major_shared_embedding_softmax.c \
  %D%/position.h \
  %D%/positional_embedding.c \
  %D%/regression.c \
  %D%/regression_loss.h \
  %D%/rotary_positional_embedding.c \
  %D%/shared_embedding_softmax.c \
  %D%/sigmoid_cross_entropy.c \
  %D%/softmax.c \
  %D%/softmax.h \
  %D%/squared_error.c \
  %D%/trainable_positional_embedding.c
plugins_lamina_layers_model_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_layers_model_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_layers_model_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_layers_model_la_LIBADD = -lm
