#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The gates themselves: each case of theirs must fail on a tree that breaks its rule.
gates=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
LAMINA_SRCDIR=$tree
. "$gates/lib.sh"

# file PATH LINE ...
file ()
{
  mkdir -p "$(dirname "$1")"
  printf '%s\n' "${@:2}" >"$1"
}

cp "$gates/../../.clang-format" .
file tests/gate/size.allow 'core/base/allowed.c'
file Makefile.am 'include core/base/local.mk'
file core/base/local.mk 'core_sources += %D%/gone.c'
file core/base/up.c '#include "core/ir/ir.h"' '#include <kit/plan.h>' '#include "local.h"'
file core/base/text.c 'double x = strtod (s, 0);  ' '// a comment' 'char *p = "/ho''me/somebody";' \
  'char *q = "py''pi.org";' 'printf ("x");' 'dlopen ("a", 0); cblas_sgemm ();'
file core/ir/text.c 'printf ("%g", x);'
file core/ir/open.c '#include <archive.h>' '#include <dlfcn.h>'
file plugins/layers/a/a.c '#include <glib.h>'
file plugins/backends/b/b.c '#include "core/ir/ir.h"'
file sdk/lamina/a.h '/** @file */' '#include <stdio.h>' '#include <no-such-header.h>' 'int f (void);'
file sdk/kit/a.c '#include <glib.h>'
file tools/a.c '#include "core/ir/ir.h"'
file tests/base/long.c 'int f (void)' '{' "$(yes '  f ();' | head -n 501)" '}'
mkdir -p sdk/doc && cp "$gates/../../sdk/doc/Doxyfile" "$gates/../../sdk/doc/doxygen.awk" sdk/doc
mkdir -p build-aux && cp "$gates/../../build-aux/list-check" build-aux

# fails GATE CASE ...: each case of the gate whose name matches is "not ok", and there is one.
fails ()
{
  local output case
  output=$(LAMINA_SRCDIR=$tree bash "$gates/$1.sh" 2>/dev/null)
  for case in "${@:2}"; do
    grep -qE "^not ok [0-9]+ .*$case" <<<"$output" || echo "passes where it must not: $case"
  done | report "$1"
}

fails includes 'core includes only upward' 'core includes neither' 'plugins include only' \
  'backends and collectives include only' 'SDK headers include only' 'the kit includes' 'tools see' \
  'libarchive only' 'dlfcn.h only' 'dlopen only' 'OpenBLAS only' 'never print'
fails size 'files of at most' 'exception has a reason'
command -v ctags >/dev/null && fails size 'functions of at most'
fails text 'licence line' 'no path' 'no host' 'numbers are read' 'numbers are written' 'comments' \
  'no blanks' 'every source'
command -v clang-format >/dev/null && fails format 'core is formatted'
command -v doxygen >/dev/null && fails doxygen 'SDK headers are documented'
fails headers 'SDK headers alone in gcc'

plan
