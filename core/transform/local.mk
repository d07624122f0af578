# SPDX-License-Identifier: Apache-2.0
# core/transform: function to function: grad, batch, simplify, cse, dce, legalize, bucket.

core_sources += \
  %D%/batch.c \
  %D%/bucket.c \
  %D%/cse.c \
  %D%/dce.c \
  %D%/grad.c \
  %D%/grad.h \
  %D%/grad_composite.c \
  %D%/legalize.c \
  %D%/pipeline.c \
  %D%/rewrite.c \
  %D%/rewrite.h \
  %D%/simplify.c \
  %D%/transform.h
