#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What every file carries, and what none may: licence line, machine paths, locale-bound numbers.
. "$(dirname "$0")/lib.sh"

for file in $(sources core sdk plugins tools tests) \
  $(find core sdk plugins tools tests -name '*.sh' -o -name local.mk) \
  configure.ac Makefile.am autogen.sh check quickstart .ci/run build-aux/list-check \
  build-aux/fuzz-build build-aux/packages.sh .ci/outsider; do
  head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2\.0' || echo "$file"
done | report "the licence line comes first"

# Written so that the pattern does not find itself.
paths='(^|[^A-Za-z0-9_.$}>)-])/(hom[e]|roo[t]|User[s]|tm[p]|mn[t]|medi[a]|wor[k]|workspac[e])/[A-Za-z]|[.][.]/share[d]/'
hosts='(pyp[i]|pythonhoste[d])[.]org|registry[.]npm[j]s'
mapfile -t all < <(texts)
grep -InE "$paths" "${all[@]}" | report "no path of one machine"
grep -InE "$hosts" "${all[@]}" | report "no host of a registry"

grep -nE '\b(atof|strtof|strtod|strtold|g_strtod|setlocale|localeconv)[[:space:]]*\(' \
  $(sources core sdk tools plugins) | grep -v '^tools/lamina\.c:.*setlocale (LC_CTYPE, "")' |
  report "numbers are read without the locale"

# Text forms that are read back: the IR, archives, saved state.
grep -nE '%[-+ #0-9.*]*l?[aAeEfFgG]\b' $(sources core/ir core/archive core/program core/base/json*) |
  grep -v g_ascii_formatd |
  report "numbers are written without the locale"

grep -nE '^[[:space:]]*//|//[[:space:]]' $(sources core plugins sdk tools) | grep -vE '"[^"]*//' |
  report "comments are /* C comments */"

grep -InE '[[:space:]]+$' $(sources core plugins sdk tools tests) | cut -d: -f1,2 |
  report "no blanks at the end of a line"

build-aux/list-check . 2>&1 | report "every source is in the list of its folder"

plan
