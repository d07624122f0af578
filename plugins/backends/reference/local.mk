# SPDX-License-Identifier: Apache-2.0
# plugins/backends/reference: the backend reference, one shared object.

# All but the table of functions; strangers' backends in tests/ are made of it, too.
noinst_LTLIBRARIES += libreference.la
libreference_la_SOURCES = \
  %D%/collective.c \
  %D%/combine.c \
  %D%/compile.c \
  %D%/conv.c \
  %D%/convert.c \
  %D%/cumsum.c \
  %D%/dot.c \
  %D%/dynamic.c \
  %D%/element_float.c \
  %D%/element_int.c \
  %D%/elementwise.c \
  %D%/elementwise.h \
  %D%/exec.h \
  %D%/index.c \
  %D%/order.c \
  %D%/precision.c \
  %D%/random.c \
  %D%/reduce.c \
  %D%/reference.h \
  %D%/shape.c \
  %D%/special.c \
  %D%/wide.c \
  %D%/window.c
libreference_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
libreference_la_CFLAGS = $(PLUGIN_CFLAGS)

plugin_LTLIBRARIES += plugins/lamina-backends-reference.la
plugins_lamina_backends_reference_la_SOURCES = %D%/backend.c
plugins_lamina_backends_reference_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_backends_reference_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_backends_reference_la_LDFLAGS = $(PLUGIN_LDFLAGS) $(KIT_LDFLAGS)
plugins_lamina_backends_reference_la_LIBADD = libreference.la -lm
EXTRA_plugins_lamina_backends_reference_la_DEPENDENCIES = $(KIT_LIB)
