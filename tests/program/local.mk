# SPDX-License-Identifier: Apache-2.0
# tests/program: one program for each source file.

check_PROGRAMS += \
  %D%/test-code \
  %D%/test-eval \
  %D%/test-events \
  %D%/test-input \
  %D%/test-predict \
  %D%/test-replicas \
  %D%/test-save \
  %D%/test-state \
  %D%/test-summaries \
  %D%/test-train
