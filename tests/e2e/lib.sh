# SPDX-License-Identifier: Apache-2.0
# For the end-to-end tests (bash, sourced): TAP output, a scratch folder, the program and its results.
# shellcheck shell=bash

srcdir=$(cd "${LAMINA_SRCDIR:-.}" && pwd)
builddir=$(cd "${LAMINA_BUILDDIR:-$srcdir}" && pwd)
lamina=${LAMINA_TOOL:-$builddir/tools/lamina}
platform=$(uname -m)-linux-gnu
scratch=$(mktemp -d "${TMPDIR:-/tmp}/lamina-e2e-XXXXXX")
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
export XDG_CONFIG_HOME=$scratch/config XDG_DATA_HOME=$scratch/data XDG_CACHE_HOME=$scratch/cache
export LAMINA_DATA_DIR=$srcdir/tools:$srcdir/tests
export LC_ALL=C
mkdir "$scratch/work"
cd "$scratch/work" || exit 1
count=0

# run STATUS ARGUMENT...: runs lamina; its output is left in the files out and err. Notes a wrong
# exit status as a problem of the next report.
problems=
run ()
{
  local wanted=$1 got=0
  shift
  "$lamina" "$@" >out 2>err </dev/null || got=$?
  [ "$got" = "$wanted" ] ||
    problems+="lamina $*: wanted status $wanted, got $got"$'\n'"$(cat out err)"$'\n'
}

# says FILE TEXT...: notes each text that is not in the file.
says ()
{
  local file=$1 text
  shift
  for text; do
    grep -qF -- "$text" "$file" || problems+="$file lacks: $text"$'\n'"$(cat "$file")"$'\n'
  done
}

# note TEXT: a problem of the next report.
note () { problems+="$*"$'\n'; }

# value KEY FILE: the number that belongs to KEY in the last JSON line that has it.
value ()
{
  sed -nE "s/.*\"$1\"[[:space:]]*:[[:space:]]*([-+0-9.eE]+).*/\1/p" "$2" | tail -n 1
}

# near A B TOLERANCE
near ()
{
  awk -v a="$1" -v b="$2" -v t="$3" \
    'BEGIN { d = a - b; exit !(a != "" && b != "" && d <= t && d >= -t) }'
}

# report NAME: one case; it fails if there were problems since the last one.
report ()
{
  count=$((count + 1))
  if [ -z "$problems" ]; then
    echo "ok $count $1"
  else
    echo "not ok $count $1"
    sed 's/^/# /' <<<"$problems"
  fi
  problems=
}

plan () { echo "1..$count"; }

# A project of a few steps on digits, on the reference backend: fast enough for sanitizers.
small_project ()
{
  "$lamina" new digits-mlp "$1" >/dev/null || exit 1
  sed -i 's/"steps": 1000/"steps": 30/; s/"decay_end": 1000/"decay_end": 100/' "$1/model.json"
}
