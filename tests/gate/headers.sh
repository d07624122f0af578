#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every header compiles alone: the SDK and the kit as C11 and C++17 in two compilers, pedantically;
# the headers of core/ as the C that core is written in.
. "$(dirname "$0")/lib.sh"

strict="-Wall -Wextra -Wpedantic -Werror -fsyntax-only"
read -ra glib <<<"${LAMINA_CFLAGS:-$(pkg-config --cflags glib-2.0 gio-2.0 json-glib-1.0)}"

# alone COMPILER LANGUAGE STANDARD HEADER OPTION ...: prints what the compiler says, if it fails.
alone ()
{
  local compiler=$1 language=$2 standard=$3 header=$4
  shift 4
  # shellcheck disable=SC2086
  echo "#include \"$header\"" |
    "$compiler" -x "$language" -std="$standard" $strict "$@" - 2>&1 | sed "s|^|$header: |"
}

mapfile -t public < <(find sdk/lamina sdk/kit -name '*.h' | sort)
for row in "gcc c c11" "clang c c11" "g++ c++ c++17" "clang++ c++ c++17"; do
  read -r compiler language standard <<<"$row"
  if ! command -v "$compiler" >/dev/null; then
    skip "SDK headers alone, $compiler is not installed"
    continue
  fi
  for header in "${public[@]}"; do
    alone "$compiler" "$language" "$standard" "${header#sdk/}" -Isdk
  done | report "SDK headers alone in $compiler $standard"
done

for row in "gcc c c11" "g++ c++ c++17"; do
  read -r compiler language standard <<<"$row"
  command -v "$compiler" >/dev/null || continue
  alone "$compiler" "$language" "$standard" core/api/lamina.h -I. "${glib[@]}" |
    report "lamina.h alone in $compiler $standard"
done

find core -name '*.h' | sort | while read -r header; do
  alone gcc c gnu11 "$header" -I. -Isdk -D_GNU_SOURCE -Wno-unused-parameter "${glib[@]}"
done | report "core headers alone"

plan
