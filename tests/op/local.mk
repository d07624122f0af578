# SPDX-License-Identifier: Apache-2.0
# tests/op: one program for each source file, and the golden groups.

check_PROGRAMS += \
  %D%/test-batch_golden \
  %D%/test-binary \
  %D%/test-choose \
  %D%/test-control \
  %D%/test-conv \
  %D%/test-convert \
  %D%/test-cumsum \
  %D%/test-dot \
  %D%/test-dynamic \
  %D%/test-emit \
  %D%/test-golden_grads \
  %D%/test-golden_ops \
  %D%/test-index \
  %D%/test-order \
  %D%/test-precision \
  %D%/test-random \
  %D%/test-reduce \
  %D%/test-replica \
  %D%/test-shape \
  %D%/test-slice \
  %D%/test-table \
  %D%/test-unary \
  %D%/test-window
