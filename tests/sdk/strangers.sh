#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A stranger's layer, compiled alone against the plugin headers by each compiler: no warning, one
# exported symbol, nothing imported beyond libc and libm (and, in C++, the runtime of exceptions).
. "$(dirname "$0")/../gate/lib.sh"

strict="-Wall -Wextra -Wpedantic -Werror"
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

# symbols FILE REGEX: complaints about exports, and imports that the expression does not allow.
symbols ()
{
  local exports imports
  exports=$(nm -D --defined-only "$1" | awk '{ print $NF }')
  [ "$exports" = lam_plugin_entry_v1 ] || echo "exports $exports"
  imports=$(nm -D --undefined-only "$1" | awk '$1 != "w" { print $NF }' | grep -vE "$2")
  [ -z "$imports" ] || echo "imports $imports"
}

libc='@GLIBC_'
runtime="$libc|@GCC_|@CXXABI_|@GLIBCXX_"
for row in "gcc c c11 $libc dense.c" "clang c c11 $libc dense.c" \
  "g++ c++ c++17 $runtime dense.c" "clang++ c++ c++17 $runtime dense.c" \
  "g++ c++ c++17 $runtime dense_cpp.cc" "clang++ c++ c++17 $runtime dense_cpp.cc"; do
  read -r compiler language standard allowed source <<<"$row"
  if ! command -v "$compiler" >/dev/null; then
    skip "a stranger's layer, $compiler is not installed"
    continue
  fi
  for level in -O0 -O2; do
    # shellcheck disable=SC2086
    "$compiler" -x "$language" -std="$standard" $strict $level -Isdk -shared -fPIC \
      "tests/strangers/$source" -o "$out/$compiler.so" 2>&1 && symbols "$out/$compiler.so" "$allowed"
  done | report "$source alone in $compiler $standard"
done

plan
