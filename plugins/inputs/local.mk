# SPDX-License-Identifier: Apache-2.0
# plugins/inputs: one shared object for each file.

plugin_LTLIBRARIES += plugins/lamina-inputs-npz.la
plugins_lamina_inputs_npz_la_SOURCES = %D%/npz.c
plugins_lamina_inputs_npz_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_inputs_npz_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_inputs_npz_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_inputs_npz_la_LIBADD = -lm

EXTRA_DIST += \
  %D%/npy.h
