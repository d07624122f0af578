# SPDX-License-Identifier: Apache-2.0
# tests/transform: text in, text out; values by an evaluator of its own.

check_PROGRAMS += \
  %D%/test-batch \
  %D%/test-bucket \
  %D%/test-cse \
  %D%/test-dce \
  %D%/test-grad \
  %D%/test-grad-random \
  %D%/test-grad-second \
  %D%/test-legalize \
  %D%/test-pipeline \
  %D%/test-simplify

EXTRA_DIST += \
  %D%/lir.h
