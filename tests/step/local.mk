# SPDX-License-Identifier: Apache-2.0
# tests/step: one program for each source file.

check_PROGRAMS += \
  %D%/test-comp \
  %D%/test-composite \
  %D%/test-curve \
  %D%/test-errors \
  %D%/test-hostile \
  %D%/test-optimizer \
  %D%/test-options \
  %D%/test-replicas \
  %D%/test-replicas-pair \
  %D%/test-train \
  %D%/test-training
