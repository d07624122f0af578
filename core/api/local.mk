# SPDX-License-Identifier: Apache-2.0
# core/api: the application API lamina.h.

core_sources += \
  %D%/archive.c \
  %D%/conformance.c \
  %D%/context.c \
  %D%/evaluate.c \
  %D%/function.c \
  %D%/inspect.c \
  %D%/json.c \
  %D%/listing.c \
  %D%/model.c \
  %D%/params.c \
  %D%/private.h \
  %D%/replicas.c \
  %D%/template.c \
  %D%/tensor.c \
  %D%/tensors.c \
  %D%/trainer.c \
  %D%/value.c

# Installed as <lamina.h>.
include_HEADERS = %D%/lamina.h
