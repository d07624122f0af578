# SPDX-License-Identifier: Apache-2.0
# tests: every program and script speaks TAP, so "make check" counts cases, not programs.

# Default of all test programs: the source has the program's name.
LDADD = tests/lib/libtest.a libcore.la liblamina-kit.a $(DEPS_LIBS)

check_DATA =
check_LTLIBRARIES =
check_LIBRARIES = tests/lib/libtest.a
tests_lib_libtest_a_SOURCES =

TESTS = $(check_PROGRAMS) $(shell_tests)
TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = bash

# Nothing a test does may touch the user's trust list or caches, hence the XDG folders.
AM_TESTS_ENVIRONMENT = \
  LAMINA_SRCDIR='$(abs_top_srcdir)'; export LAMINA_SRCDIR; \
  LAMINA_BUILDDIR='$(abs_top_builddir)'; export LAMINA_BUILDDIR; \
  LAMINA_PLUGIN_DIR='$(abs_top_builddir)/plugin-dir'; export LAMINA_PLUGIN_DIR; \
  LAM_PLUGIN_PATH='$(abs_top_builddir)/plugin-dir'; export LAM_PLUGIN_PATH; \
  LAMINA_STRANGER_DIR='$(abs_top_builddir)/stranger-dir'; export LAMINA_STRANGER_DIR; \
  LAMINA_TOOL='$(abs_top_builddir)/tools/lamina'; export LAMINA_TOOL; \
  LAMINA_DATA_DIR='$(abs_top_srcdir)/tools:$(abs_top_srcdir)/tests'; export LAMINA_DATA_DIR; \
  LAMINA_CFLAGS='$(DEPS_CFLAGS)'; export LAMINA_CFLAGS; \
  XDG_CONFIG_HOME='$(abs_top_builddir)/test-home/config'; export XDG_CONFIG_HOME; \
  XDG_DATA_HOME='$(abs_top_builddir)/test-home/data'; export XDG_DATA_HOME; \
  XDG_STATE_HOME='$(abs_top_builddir)/test-home/state'; export XDG_STATE_HOME; \
  XDG_CACHE_HOME='$(abs_top_builddir)/test-home/cache'; export XDG_CACHE_HOME; \
  G_SLICE=always-malloc; export G_SLICE; \
  UBSAN_OPTIONS=print_stacktrace=1; export UBSAN_OPTIONS;

testdatadir = $(lmdatadir)/data
dist_testdata_DATA = tests/data/digits.npz tests/data/README.md
EXTRA_DIST += tests/data/make_digits.py tests/golden $(shell_tests)
