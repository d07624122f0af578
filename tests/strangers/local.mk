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

EXTRA_DIST += \
  %D%/dense_cpp.cc
