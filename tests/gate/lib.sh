# SPDX-License-Identifier: Apache-2.0
# For the gates (bash, sourced): TAP output, and the list of files of the project.
# shellcheck shell=bash

# The last command of a pipe runs in this shell, so that report can count.
shopt -s lastpipe

srcdir=${LAMINA_SRCDIR:-.}
builddir=${LAMINA_BUILDDIR:-$srcdir}
cd "$srcdir" || exit 1
count=0

# report NAME: one case; it fails if standard input (the list of problems) is not empty.
report ()
{
  local problems
  problems=$(cat)
  count=$((count + 1))
  if [ -z "$problems" ]; then
    echo "ok $count $1"
  else
    echo "not ok $count $1"
    sed 's/^/# /' <<<"$problems"
  fi
}

skip ()
{
  count=$((count + 1))
  echo "ok $count # SKIP $1"
}

plan ()
{
  echo "1..$count"
}

# sources FOLDER ...: C sources and headers below the folders, sorted.
sources ()
{
  find "$@" \( -path tests/golden -o -path tests/fuzz/corpus \) -prune -o \
    -type f \( -name '*.c' -o -name '*.h' -o -name '*.inc' \) ! -path tools/verbs.h -print 2>/dev/null | sort
}

# texts: every text file that is shipped, whatever folder it is in; build folders are left out.
texts ()
{
  find . -maxdepth 1 -type f \( -name '*.ac' -o -name '*.am' -o -name '*.md' -o -name NEWS \
    -o -name check -o -name quickstart -o -name autogen.sh \) -print
  find .ci core sdk plugins tools tests build-aux/list-check build-aux/packages.sh \
    build-aux/fuzz-build -path tests/fuzz/corpus -prune -o -type f ! -name '*.npz' ! -name '*.npy' \
    ! -name '*.safetensors' ! -name '*.lam' ! -name '*.pc' ! -name '.dirstamp' ! -name '*.*o' \
    ! -path '*/.deps/*' ! -path '*/.libs/*' -print 2>/dev/null
}
