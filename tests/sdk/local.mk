# SPDX-License-Identifier: Apache-2.0
# tests/sdk: one program for each source file.

check_PROGRAMS += \
  %D%/test-nest_more \
  %D%/test-ops_doc \
  %D%/test-ops_einsum \
  %D%/test-ops_order \
  %D%/test-prng \
  %D%/test-random_draws

shell_tests += \
  %D%/strangers.sh

EXTRA_DIST += %D%/ops_rules
