# SPDX-License-Identifier: Apache-2.0
# plugins/schedules: one shared object for each file.

plugin_LTLIBRARIES += plugins/lamina-schedules-constant.la
plugins_lamina_schedules_constant_la_SOURCES = %D%/constant.c
plugins_lamina_schedules_constant_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_schedules_constant_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_schedules_constant_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_schedules_constant_la_LIBADD = -lm

plugin_LTLIBRARIES += plugins/lamina-schedules-linear_rampup_cosine_decay.la
plugins_lamina_schedules_linear_rampup_cosine_decay_la_SOURCES = %D%/linear_rampup_cosine_decay.c
plugins_lamina_schedules_linear_rampup_cosine_decay_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_schedules_linear_rampup_cosine_decay_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_schedules_linear_rampup_cosine_decay_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_schedules_linear_rampup_cosine_decay_la_LIBADD = -lm
