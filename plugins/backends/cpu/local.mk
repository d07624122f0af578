# SPDX-License-Identifier: Apache-2.0
# plugins/backends/cpu: the backend cpu, one shared object.

plugin_LTLIBRARIES += plugins/lamina-backends-cpu.la
plugins_lamina_backends_cpu_la_SOURCES = \
  %D%/arg.c \
  %D%/backend.c \
  %D%/better.h \
  %D%/blas.c \
  %D%/collective.c \
  %D%/comm.c \
  %D%/comm.h \
  %D%/conv.c \
  %D%/conv.h \
  %D%/conv_patches.c \
  %D%/copy.c \
  %D%/cpu.h \
  %D%/cumsum.c \
  %D%/dot.c \
  %D%/dynamic.c \
  %D%/elementwise.c \
  %D%/gather.c \
  %D%/gemm.c \
  %D%/join.c \
  %D%/kernels.c \
  %D%/kernels.h \
  %D%/loops_avx2.c \
  %D%/loops_avx512.c \
  %D%/loops_base.c \
  %D%/loops_convert.c \
  %D%/loops_f32.h \
  %D%/loops_f64.c \
  %D%/loops_gemm.h \
  %D%/loops_int.c \
  %D%/loops_reduce.h \
  %D%/loops_table.h \
  %D%/lower.c \
  %D%/order.c \
  %D%/plan.c \
  %D%/pool.c \
  %D%/pool.h \
  %D%/precision.c \
  %D%/reduce.c \
  %D%/vecmath.h \
  %D%/view.c \
  %D%/window.c
plugins_lamina_backends_cpu_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_lamina_backends_cpu_la_CFLAGS = $(PLUGIN_CFLAGS) $(CPU_CFLAGS)
plugins_lamina_backends_cpu_la_LDFLAGS = $(PLUGIN_LDFLAGS) $(KIT_LDFLAGS)
plugins_lamina_backends_cpu_la_LIBADD = -lpthread -ldl -lm
EXTRA_plugins_lamina_backends_cpu_la_DEPENDENCIES = $(KIT_LIB)
