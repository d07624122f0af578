# SPDX-License-Identifier: Apache-2.0
# plugins/optimizers: one shared object for each file.

plugin_LTLIBRARIES += plugins/lamina-optimizers-adamw.la
plugins_lamina_optimizers_adamw_la_SOURCES = %D%/adamw.c
plugins_lamina_optimizers_adamw_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_optimizers_adamw_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_optimizers_adamw_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_optimizers_adamw_la_LIBADD = -lm

plugin_LTLIBRARIES += plugins/lamina-optimizers-sgd.la
plugins_lamina_optimizers_sgd_la_SOURCES = %D%/sgd.c
plugins_lamina_optimizers_sgd_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_optimizers_sgd_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_optimizers_sgd_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_optimizers_sgd_la_LIBADD = -lm
