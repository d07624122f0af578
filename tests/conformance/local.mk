# SPDX-License-Identifier: Apache-2.0
# tests/conformance: the generators, the numbers, the comparison, the runs of core/conformance.

check_PROGRAMS += \
  %D%/test-cases \
  %D%/test-compare \
  %D%/test-draw \
  %D%/test-parse \
  %D%/test-run
