#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A file has at most 500 lines and a function at most 50, unless size.allow names it with a reason.
. "$(dirname "$0")/lib.sh"
allow=tests/gate/size.allow

# unlisted: drops the lines whose place (before ": ") stands in size.allow, which has lines of
# FILE or FILE:FUNCTION, then the reason.
unlisted ()
{
  awk -v allow=$allow '
    BEGIN { while ((getline line < allow) > 0) { split (line, word, " "); listed[word[1]] = 1 } }
    { place = $0; sub (/: .*/, "", place) }
    !(place in listed)'
}

mapfile -t files < <(sources core sdk plugins tools tests)
wc -l "${files[@]}" | awk '$2 != "total" && $1 > 500 { print $2 ": " $1 " lines" }' | unlisted |
  report "files of at most 500 lines"

awk '!/^#/ && NF == 1 { print $1 ": no reason given" }' $allow | report "each exception has a reason"

if ctags --version 2>/dev/null | grep -q Universal; then
  ctags -f - --languages=C --langmap=C:.c.h --kinds-C=f --fields=ne "${files[@]}" 2>/dev/null |
    awk -F'\t' '{
      line = end = 0
      for (i = 4; i <= NF; i++) {
        if ($i ~ /^line:/) line = substr ($i, 6)
        if ($i ~ /^end:/) end = substr ($i, 5)
      }
      # A name in capitals is a macro that ctags takes for a function.
      if ($1 ~ /[a-z]/ && end - line + 1 > 50) print $2 ":" $1 ": " end - line + 1 " lines"
    }' | unlisted | report "functions of at most 50 lines"
else
  skip "functions of at most 50 lines: universal-ctags is not installed"
fi

plan
