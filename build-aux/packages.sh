# SPDX-License-Identifier: Apache-2.0
# For ./quickstart, ./check and .ci/run (bash, sourced): the Debian packages and small helpers.
# shellcheck shell=bash disable=SC2034

# What a build needs.
build_packages="gcc make autoconf automake libtool pkg-config
  libglib2.0-dev libjson-glib-dev libarchive-dev zlib1g-dev libopenblas-dev"

# What the gates and the fuzzers use on top.
check_packages="$build_packages g++ clang clang-format universal-ctags binutils doxygen
  libopenmpi-dev openmpi-bin python3 python3-venv"

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

# use_tensorboard: TENSORBOARD_PYTHON is a python3 with TensorBoard, for tests/e2e/tensorboard.sh; unless it is
# set already, one of a virtual environment in build-venv. Where that cannot be made the test is skipped.
use_tensorboard ()
{
  local wanted=tests/e2e/requirements.txt have=build-venv/requirements.txt
  [ -z "${TENSORBOARD_PYTHON:-}" ] || return 0
  if ! cmp -s $wanted $have; then
    echo "Making build-venv with TensorBoard"
    rm -rf build-venv
    if ! { python3 -m venv build-venv && build-venv/bin/python -m pip install -q \
      --disable-pip-version-check --no-input --timeout 20 --retries 1 -r $wanted; } >build-venv.log 2>&1; then
      tail -n 3 build-venv.log
      echo "SKIP: no TensorBoard, so tests/e2e/tensorboard.sh will be skipped (all of it: build-venv.log)"
      return 0
    fi
    cp $wanted $have
  fi
  export TENSORBOARD_PYTHON=$PWD/build-venv/bin/python
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
