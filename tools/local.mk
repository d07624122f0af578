# SPDX-License-Identifier: Apache-2.0
# tools: the command-line program; each verb is one file in verb/.

bin_PROGRAMS = %D%/lamina
verb_sources = \
  %D%/verb/backend.c \
  %D%/verb/call.c \
  %D%/verb/conformance.c \
  %D%/verb/eval.c \
  %D%/verb/inspect.c \
  %D%/verb/ir.c \
  %D%/verb/new.c \
  %D%/verb/pack.c \
  %D%/verb/params.c \
  %D%/verb/plugin.c \
  %D%/verb/predict.c \
  %D%/verb/train.c \
  %D%/verb/trust.c \
  %D%/verb/unpack.c
tools_lamina_SOURCES = \
  $(verb_sources) \
  %D%/common.c \
  %D%/common.h \
  %D%/conformance.h \
  %D%/conformance_child.c \
  %D%/conformance_report.c \
  %D%/lamina.c \
  %D%/verb.h
nodist_tools_lamina_SOURCES = %D%/verbs.h
tools_lamina_CPPFLAGS = $(TOOL_CPPFLAGS)
tools_lamina_LDADD = liblamina.la $(GLIB_LIBS) -lm

# The list of verbs is made from the list of files; a file that defines no verb stops the build.
BUILT_SOURCES += %D%/verbs.h
CLEANFILES += %D%/verbs.h
EXTRA_DIST += %D%/list-verbs.sh
%D%/verbs.h: $(verb_sources) %D%/list-verbs.sh
	$(AM_V_at)$(MKDIR_P) %D%
	$(AM_V_GEN)$(SHELL) $(srcdir)/%D%/list-verbs.sh $(srcdir) $(verb_sources) >$@-t && mv $@-t $@

dist_man_MANS = %D%/lamina.1

tmpl_digits_cnndir = $(lmdatadir)/templates/digits-cnn
dist_tmpl_digits_cnn_DATA = \
  %D%/templates/digits-cnn/model.json

tmpl_digits_mlpdir = $(lmdatadir)/templates/digits-mlp
dist_tmpl_digits_mlp_DATA = \
  %D%/templates/digits-mlp/model.json
