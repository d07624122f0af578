# SPDX-License-Identifier: Apache-2.0
# core/run: backends, devices, buffers, executables.

core_sources += \
  %D%/run.h
