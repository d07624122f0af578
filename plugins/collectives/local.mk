# SPDX-License-Identifier: Apache-2.0
# plugins/collectives: how replicas exchange tensors, one shared object each.

plugin_LTLIBRARIES += plugins/lamina-collectives-local.la
plugins_lamina_collectives_local_la_SOURCES = %D%/local.c
plugins_lamina_collectives_local_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_collectives_local_la_CFLAGS = $(PLUGIN_CFLAGS) -O3 $(LOOP_CFLAGS)
plugins_lamina_collectives_local_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_collectives_local_la_LIBADD = -lpthread -lm

# Open MPI's headers are not -Wpedantic clean; as system headers they are not looked at.
if HAVE_MPI
plugin_LTLIBRARIES += plugins/lamina-collectives-mpi.la
plugins_lamina_collectives_mpi_la_SOURCES = %D%/mpi.c %D%/mpi_calls.c
plugins_lamina_collectives_mpi_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) $(MPI_CFLAGS)
plugins_lamina_collectives_mpi_la_CFLAGS = $(PLUGIN_CFLAGS) -O3 $(LOOP_CFLAGS)
plugins_lamina_collectives_mpi_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_lamina_collectives_mpi_la_LIBADD = $(MPI_LIBS) -lpthread -lm
endif

EXTRA_DIST += \
  %D%/mpi.c \
  %D%/mpi_calls.c \
  %D%/mpi_group.h \
  %D%/reduce.h
