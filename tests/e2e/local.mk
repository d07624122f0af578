# SPDX-License-Identifier: Apache-2.0
# tests/e2e: shell tests of the whole program.

shell_tests += \
  %D%/bfloat16.sh \
  %D%/conformance.sh \
  %D%/errors.sh \
  %D%/mpi.sh \
  %D%/outputs.sh \
  %D%/replicas.sh \
  %D%/reports.sh \
  %D%/strangers.sh \
  %D%/strangers_training.sh \
  %D%/tensorboard.sh \
  %D%/train.sh

EXTRA_DIST += \
  %D%/lib.sh \
  %D%/read_events.py \
  %D%/requirements.txt
