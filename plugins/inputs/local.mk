# SPDX-License-Identifier: Apache-2.0
# plugins/inputs: the inputs, one shared object.

plugin_LTLIBRARIES += plugins/lamina-inputs.la
plugins_lamina_inputs_la_SOURCES = \
  %D%/csv.c \
  %D%/csv.h \
  %D%/examples.h \
  %D%/extent.h \
  %D%/family.c \
  %D%/idx.c \
  %D%/idx.h \
  %D%/npy.h \
  %D%/npz.c \
  %D%/rows.h \
  %D%/safetensors.c \
  %D%/tensors.h \
  %D%/text.c
plugins_lamina_inputs_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_inputs_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_inputs_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_inputs_la_LIBADD = -lm
