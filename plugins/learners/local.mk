# SPDX-License-Identifier: Apache-2.0
# plugins/learners: the learners, one shared object.

plugin_LTLIBRARIES += plugins/lamina-learners.la
plugins_lamina_learners_la_SOURCES = \
  %D%/family.c \
  %D%/learner.c \
  %D%/learner.h \
  %D%/multi_optimizer_learner.c \
  %D%/plan.c \
  %D%/policy.c \
  %D%/scale.c
plugins_lamina_learners_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_learners_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_lamina_learners_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_learners_la_LIBADD = -lm
