# SPDX-License-Identifier: Apache-2.0
# tests/plugins: one program for each source file.

check_PROGRAMS += \
  %D%/test-layers \
  %D%/test-learners \
  %D%/test-npy \
  %D%/test-npz \
  %D%/test-schedules
