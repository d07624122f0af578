# SPDX-License-Identifier: Apache-2.0
# core/host: the host table that plugins see.

core_sources += \
  %D%/host.h
