# SPDX-License-Identifier: Apache-2.0
# plugins/metrics: the metrics, one shared object.

plugin_LTLIBRARIES += plugins/lamina-metrics.la
plugins_lamina_metrics_la_SOURCES = \
  %D%/family.c \
  %D%/mean.c \
  %D%/metrics.h \
  %D%/top_k_accuracy.c
plugins_lamina_metrics_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_metrics_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_metrics_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_metrics_la_LIBADD = -lm
