# SPDX-License-Identifier: Apache-2.0
# tests/host: one program for each source file.

check_PROGRAMS += \
  %D%/test-files \
  %D%/test-host \
  %D%/test-zip
