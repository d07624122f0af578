#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every declaration of the SDK and the kit has documentation that doxygen can read.
. "$(dirname "$0")/lib.sh"
command -v doxygen >/dev/null || { echo "1..0 # SKIP no doxygen"; exit 0; }

DOC_OUTPUT=$(mktemp -d) || exit 1
export DOC_OUTPUT
trap 'rm -rf "$DOC_OUTPUT"' EXIT

# With QUIET it prints nothing but complaints.
doxygen sdk/doc/Doxyfile 2>&1 | sed "s|^$PWD/||" | report "SDK headers are documented"
[ -f "$DOC_OUTPUT/html/index.html" ] || echo "no html" | report "doxygen writes its pages"

plan
