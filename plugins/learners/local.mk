# SPDX-License-Identifier: Apache-2.0
# plugins/learners: one shared object for each file.

plugin_LTLIBRARIES += plugins/lamina-learners-learner.la
plugins_lamina_learners_learner_la_SOURCES = %D%/learner.c
plugins_lamina_learners_learner_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_learners_learner_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_learners_learner_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_learners_learner_la_LIBADD = -lm
