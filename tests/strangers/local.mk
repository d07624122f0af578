# SPDX-License-Identifier: Apache-2.0
# tests/strangers: plugins as outsiders write them, each its own shared object, never installed.
# The tests find them in LAMINA_STRANGER_DIR.

check_DATA += stranger-dir/stamp
stranger-dir/stamp: $(check_LTLIBRARIES)
	$(AM_V_at)rm -rf stranger-dir && $(MKDIR_P) stranger-dir
	$(AM_V_GEN)for p in $(check_LTLIBRARIES); do \
	  cp %D%/.libs/`basename $$p .la`.so stranger-dir/ || exit 1; \
	done; : >$@

check_LTLIBRARIES += tests/strangers/dense.la
tests_strangers_dense_la_SOURCES = %D%/dense.c
tests_strangers_dense_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_strangers_dense_la_CFLAGS = $(PLUGIN_CFLAGS)
tests_strangers_dense_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath $(plugindir)
tests_strangers_dense_la_LIBADD = -lm

check_LTLIBRARIES += tests/strangers/tasks.la
tests_strangers_tasks_la_SOURCES = %D%/tasks.c
tests_strangers_tasks_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_strangers_tasks_la_CFLAGS = $(PLUGIN_CFLAGS)
tests_strangers_tasks_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath $(plugindir)
tests_strangers_tasks_la_LIBADD = -lm

check_LTLIBRARIES += tests/strangers/pair.la
tests_strangers_pair_la_SOURCES = %D%/pair.c
tests_strangers_pair_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_strangers_pair_la_CFLAGS = $(PLUGIN_CFLAGS)
tests_strangers_pair_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath $(plugindir)
tests_strangers_pair_la_LIBADD = -lm

check_LTLIBRARIES += tests/strangers/life.la
tests_strangers_life_la_SOURCES = %D%/life.c
tests_strangers_life_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_strangers_life_la_CFLAGS = $(PLUGIN_CFLAGS)
tests_strangers_life_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath $(plugindir)
tests_strangers_life_la_LIBADD = -lm

check_LTLIBRARIES += tests/strangers/variables.la
tests_strangers_variables_la_SOURCES = %D%/variables.c
tests_strangers_variables_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_strangers_variables_la_CFLAGS = $(PLUGIN_CFLAGS)
tests_strangers_variables_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath $(plugindir)
tests_strangers_variables_la_LIBADD = -lm

check_LTLIBRARIES += tests/strangers/comp.la
tests_strangers_comp_la_SOURCES = %D%/comp.c
tests_strangers_comp_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_strangers_comp_la_CFLAGS = $(PLUGIN_CFLAGS)
tests_strangers_comp_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath $(plugindir)
tests_strangers_comp_la_LIBADD = -lm

check_LTLIBRARIES += tests/strangers/composite.la
tests_strangers_composite_la_SOURCES = %D%/composite.c
tests_strangers_composite_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_strangers_composite_la_CFLAGS = $(PLUGIN_CFLAGS)
tests_strangers_composite_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath $(plugindir)
tests_strangers_composite_la_LIBADD = -lm

# Backends, each the reference backend with other claims.
STRANGER_BACKEND_CPPFLAGS = -I$(top_srcdir) -I$(top_srcdir)/plugins/backends/reference $(PLUGIN_CPPFLAGS)

check_LTLIBRARIES += tests/strangers/backend_gelu.la
tests_strangers_backend_gelu_la_SOURCES = %D%/backends/gelu.c
tests_strangers_backend_gelu_la_CPPFLAGS = $(STRANGER_BACKEND_CPPFLAGS)
tests_strangers_backend_gelu_la_CFLAGS = $(PLUGIN_CFLAGS)
tests_strangers_backend_gelu_la_LDFLAGS = $(PLUGIN_LDFLAGS) $(KIT_LDFLAGS) -rpath $(plugindir)
tests_strangers_backend_gelu_la_LIBADD = libreference.la -lm
EXTRA_tests_strangers_backend_gelu_la_DEPENDENCIES = $(KIT_LIB)

check_LTLIBRARIES += tests/strangers/backend_plain.la
tests_strangers_backend_plain_la_SOURCES = %D%/backends/plain.c
tests_strangers_backend_plain_la_CPPFLAGS = $(STRANGER_BACKEND_CPPFLAGS)
tests_strangers_backend_plain_la_CFLAGS = $(PLUGIN_CFLAGS)
tests_strangers_backend_plain_la_LDFLAGS = $(PLUGIN_LDFLAGS) $(KIT_LDFLAGS) -rpath $(plugindir)
tests_strangers_backend_plain_la_LIBADD = libreference.la -lm
EXTRA_tests_strangers_backend_plain_la_DEPENDENCIES = $(KIT_LIB)

check_LTLIBRARIES += tests/strangers/backend_faults.la
tests_strangers_backend_faults_la_SOURCES = \
  %D%/backends/faults.c \
  %D%/backends/faults.h \
  %D%/backends/faults_run.c
tests_strangers_backend_faults_la_CPPFLAGS = $(STRANGER_BACKEND_CPPFLAGS)
tests_strangers_backend_faults_la_CFLAGS = $(PLUGIN_CFLAGS)
tests_strangers_backend_faults_la_LDFLAGS = $(PLUGIN_LDFLAGS) $(KIT_LDFLAGS) -rpath $(plugindir)
tests_strangers_backend_faults_la_LIBADD = libreference.la -lm
EXTRA_tests_strangers_backend_faults_la_DEPENDENCIES = $(KIT_LIB)

EXTRA_DIST += \
  %D%/application \
  %D%/dense_cpp.cc

check_LTLIBRARIES += tests/strangers/hostile.la
tests_strangers_hostile_la_SOURCES = %D%/hostile.c
tests_strangers_hostile_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_strangers_hostile_la_CFLAGS = $(PLUGIN_CFLAGS)
tests_strangers_hostile_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath $(plugindir)
tests_strangers_hostile_la_LIBADD = -lm
