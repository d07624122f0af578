# SPDX-License-Identifier: Apache-2.0
# tests/ir: table, attributes, builder, inference, text form, verify.

check_PROGRAMS += \
  %D%/test-attr \
  %D%/test-builder \
  %D%/test-infer \
  %D%/test-table \
  %D%/test-text \
  %D%/test-text_number \
  %D%/test-verify
