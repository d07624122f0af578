# SPDX-License-Identifier: Apache-2.0
# For ./quickstart, ./check and .ci/run (bash, sourced): the Debian packages and small helpers.
# shellcheck shell=bash disable=SC2034

# What a build needs.
build_packages="gcc make autoconf automake libtool pkg-config
  libglib2.0-dev libjson-glib-dev libarchive-dev zlib1g-dev libopenblas-dev"

# What the gates and the fuzzers use on top.
check_packages="$build_packages g++ clang clang-format universal-ctags binutils doxygen
  libopenmpi-dev openmpi-bin"

# install_packages NAME ...: installs those that are missing; quiet when all are there.
install_packages ()
{
  local missing=() name as_root=()
  if ! command -v dpkg-query >/dev/null; then
    echo "This is no Debian system. Install the equivalents of: $*"
    return 0
  fi
  for name; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] ||
      missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  echo "Installing: ${missing[*]}"
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || {
      echo "Root rights are needed. Run as root: apt-get install ${missing[*]}" >&2
      return 1
    }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -q &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# configure_in DIR OPTION ...: DIR/Makefile exists afterwards; does nothing when it is there.
configure_in ()
{
  local dir=$1
  shift
  [ -x configure ] || ./autogen.sh
  mkdir -p "$dir"
  [ -f "$dir/Makefile" ] || (cd "$dir" && ../configure -q "$@")
}

jobs=$(nproc 2>/dev/null || echo 2)
