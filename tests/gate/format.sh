#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The layout of all C is what clang-format makes of it (.clang-format).
. "$(dirname "$0")/lib.sh"
command -v clang-format >/dev/null || { echo "1..0 # SKIP no clang-format"; exit 0; }

for folder in core sdk plugins tools tests; do
  mapfile -t files < <(sources $folder)
  [ ${#files[@]} -gt 0 ] || continue
  clang-format --dry-run -Werror "${files[@]}" 2>&1 | grep -E 'error:' | cut -d: -f1,2 | sort -u |
    awk -F: '{ n[$1]++; if (!($1 in first)) first[$1] = $2 }
             END { for (f in n) print f ": " n[f] " places, first at line " first[f] }' |
    report "$folder is formatted (fix: clang-format -i)"
done

plan
