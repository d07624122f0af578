# SPDX-License-Identifier: Apache-2.0
# tests/plugins: one program for each source file.

check_PROGRAMS += \
  %D%/test-batch_norm \
  %D%/test-batch_norm_replicas \
  %D%/test-collectives \
  %D%/test-csv \
  %D%/test-input_files \
  %D%/test-inputs \
  %D%/test-layer_cases \
  %D%/test-layers-basic \
  %D%/test-layers-conv \
  %D%/test-layers-model \
  %D%/test-layers-norm \
  %D%/test-learners \
  %D%/test-metrics \
  %D%/test-multi_optimizer_learner \
  %D%/test-npy \
  %D%/test-npz \
  %D%/test-optimizer_rules \
  %D%/test-optimizers \
  %D%/test-schedules \
  %D%/test-tasks

EXTRA_DIST += \
  %D%/optimizers.h
