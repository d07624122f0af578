# SPDX-License-Identifier: Apache-2.0
# tests/api: the application API.

check_PROGRAMS += \
  %D%/test-archive \
  %D%/test-conformance \
  %D%/test-function \
  %D%/test-listing \
  %D%/test-model \
  %D%/test-params \
  %D%/test-tensors \
  %D%/test-trainer \
  %D%/test-value
