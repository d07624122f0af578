# SPDX-License-Identifier: Apache-2.0
# tests/base: one program for each source file.

check_PROGRAMS += \
  %D%/test-arena \
  %D%/test-array \
  %D%/test-error \
  %D%/test-field_table \
  %D%/test-float16 \
  %D%/test-json \
  %D%/test-json_print \
  %D%/test-nest \
  %D%/test-nest_lingvo \
  %D%/test-nest_merge \
  %D%/test-nest_path \
  %D%/test-nest_text \
  %D%/test-nest_walk \
  %D%/test-params \
  %D%/test-regex
