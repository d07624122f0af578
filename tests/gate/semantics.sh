#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every test that sdk/doc/semantics.md names exists: each test program is asked for its list.
programs=${LAMINA_BUILDDIR:-.}
programs=$(cd "$programs" && pwd)
. "$(dirname "$0")/lib.sh"
page=sdk/doc/semantics.md

known=$(mktemp) || exit 99
trap 'rm -f "$known"' EXIT
find "$programs/tests" -path '*/.libs' -prune -o -name 'test-*' -type f -perm -u+x -print |
  while read -r program; do "$program" -l; done 2>/dev/null | grep '^/' | sort -u >"$known"
[ -s "$known" ] || echo "no test program listed its tests" | report "test programs are built"

# | section | what | `test` |: a path of GTest (or the start of some), or a script.
sed -nE 's/^\| *[0-9][^|]*\|[^|]*\| *`([^`]+)`.*/\1/p' $page | sort -u | while read -r test; do
  case $test in
    /*) grep -qE "^$test(/|$)" "$known" || echo "$test" ;;
    *) [ -e "$test" ] || echo "$test" ;;
  esac
done | report "every test that $page names exists"

grep -nE '^\| *[0-9]' $page | grep -vE '\| *(`[^`]+`|left out: [^|]+) *\|$' |
  report "every row of $page names a test, or why there is none"
plan
