# SPDX-License-Identifier: Apache-2.0
# tests/kit: one program for each source file of sdk/kit.

check_PROGRAMS += \
  %D%/test-float16 \
  %D%/test-liveness \
  %D%/test-ops \
  %D%/test-plan \
  %D%/test-slab \
  %D%/test-walk
