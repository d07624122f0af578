# SPDX-License-Identifier: Apache-2.0
# sdk: what plugin authors compile against; installed as <lamina/...> and <kit/...>.

lmincludedir = $(includedir)/lamina
lminclude_HEADERS = \
  %D%/lamina/backend.h \
  %D%/lamina/collective.h \
  %D%/lamina/context.h \
  %D%/lamina/fields.h \
  %D%/lamina/input.h \
  %D%/lamina/ir.h \
  %D%/lamina/layer.h \
  %D%/lamina/learner.h \
  %D%/lamina/method.h \
  %D%/lamina/metric.h \
  %D%/lamina/nest.h \
  %D%/lamina/nest_more.h \
  %D%/lamina/ops.def \
  %D%/lamina/ops.h \
  %D%/lamina/ops_base.h \
  %D%/lamina/ops_einsum.h \
  %D%/lamina/ops_math.h \
  %D%/lamina/ops_nn.h \
  %D%/lamina/ops_order.h \
  %D%/lamina/ops_reduce.h \
  %D%/lamina/ops_replica.h \
  %D%/lamina/ops_shape.h \
  %D%/lamina/optimizer.h \
  %D%/lamina/plugin.h \
  %D%/lamina/prng.h \
  %D%/lamina/random.h \
  %D%/lamina/random_draws.h \
  %D%/lamina/schedule.h \
  %D%/lamina/setup.h \
  %D%/lamina/trace.h \
  %D%/lamina/types.h

lmextdir = $(includedir)/lamina/ext
lmext_HEADERS = \
  %D%/lamina/ext/files.h \
  %D%/lamina/ext/regex.h \
  %D%/lamina/ext/zip.h

kitincludedir = $(includedir)/lamina-kit/kit
kitinclude_HEADERS = \
  %D%/kit/backend.h \
  %D%/kit/collective.h \
  %D%/kit/float16.h \
  %D%/kit/liveness.h \
  %D%/kit/ops.h \
  %D%/kit/plan.h \
  %D%/kit/slab.h \
  %D%/kit/walk.h

# The kit is linked into backends: position-independent, without GLib, nothing exported. It is a
# plain archive because outsiders link it with any tool.
lib_LIBRARIES = liblamina-kit.a
liblamina_kit_a_SOURCES = \
  %D%/kit/backend.c \
  %D%/kit/collective.c \
  %D%/kit/float16.c \
  %D%/kit/holes.c \
  %D%/kit/holes.h \
  %D%/kit/index.c \
  %D%/kit/liveness.c \
  %D%/kit/ops.c \
  %D%/kit/plan.c \
  %D%/kit/slab.c \
  %D%/kit/walk.c
liblamina_kit_a_CPPFLAGS = $(PLUGIN_CPPFLAGS)
liblamina_kit_a_CFLAGS = $(PLUGIN_CFLAGS) -O3 -fPIC

# What an author reads and copies, also where only the SDK is installed: $(datadir)/lamina/sdk/...
nobase_dist_lmdata_DATA = \
  %D%/doc/architecture.md \
  %D%/doc/archive-format.md \
  %D%/doc/first-backend.md \
  %D%/doc/first-layer.md \
  %D%/doc/first-learning.md \
  %D%/doc/ops.md \
  %D%/doc/refused-plugin.md \
  %D%/doc/semantics.md \
  %D%/doc/text-form.md \
  %D%/template/backend/Makefile \
  %D%/template/backend/backend.c \
  %D%/template/input/Makefile \
  %D%/template/input/input.c \
  %D%/template/layer/Makefile \
  %D%/template/layer/layer.c \
  %D%/template/learner/Makefile \
  %D%/template/learner/learner.c \
  %D%/template/metric/Makefile \
  %D%/template/metric/metric.c \
  %D%/template/optimizer/Makefile \
  %D%/template/optimizer/optimizer.c \
  %D%/template/schedule/Makefile \
  %D%/template/schedule/schedule.c

EXTRA_DIST += %D%/doc/Doxyfile %D%/doc/doxygen.awk

pkgconfig_DATA += %D%/lamina-plugin.pc %D%/lamina-kit.pc
