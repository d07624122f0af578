# SPDX-License-Identifier: Apache-2.0
# tests/run: one program for each source file.

check_PROGRAMS += \
  %D%/test-backend \
  %D%/test-buffer \
  %D%/test-executable \
  %D%/test-plan_text
