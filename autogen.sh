#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes ./configure from configure.ac; needs autoconf, automake, libtool and pkg-config.
set -e
cd "$(dirname "$0")"

missing=
for tool in autoreconf automake libtoolize pkg-config; do
  command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
done
if test -n "$missing"; then
  echo "autogen.sh: not found:$missing" >&2
  echo "On Debian: apt-get install autoconf automake libtool pkg-config" >&2
  exit 1
fi

mkdir -p build-aux/m4
exec autoreconf --force --install
