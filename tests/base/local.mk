# SPDX-License-Identifier: Apache-2.0
# tests/base: one program for each source file.

check_PROGRAMS += \
  %D%/test-arena \
  %D%/test-array \
  %D%/test-error \
  %D%/test-field_table \
  %D%/test-float16 \
  %D%/test-hyper \
  %D%/test-hyper_diff \
  %D%/test-hyper_json \
  %D%/test-hyper_lingvo \
  %D%/test-hyper_literal \
  %D%/test-hyper_parse \
  %D%/test-hyper_path \
  %D%/test-hyper_print \
  %D%/test-hyper_table \
  %D%/test-hyper_value \
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
