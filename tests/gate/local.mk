# SPDX-License-Identifier: Apache-2.0
# tests/gate: shell tests.

shell_tests += \
  %D%/doxygen.sh \
  %D%/format.sh \
  %D%/gates-fail.sh \
  %D%/headers.sh \
  %D%/includes.sh \
  %D%/semantics.sh \
  %D%/size.sh \
  %D%/symbols.sh \
  %D%/text.sh

EXTRA_DIST += \
  %D%/lib.sh \
  %D%/size.allow
