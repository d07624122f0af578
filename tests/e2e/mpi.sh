#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Replicas in several processes, started by mpirun.
. "$(dirname "$0")/lib.sh"

plugins=${LAMINA_PLUGIN_DIR:-$builddir/plugin-dir}
if ! command -v mpirun >/dev/null || [ ! -e "$plugins/lamina-collectives-mpi.so" ]; then
  echo "ok 1 mpi # SKIP Open MPI (libopenmpi-dev, openmpi-bin) was not there when this was built"
  echo "1..1"
  exit 0
fi

# Open MPI asks root to say twice that it is meant; a test machine may have no other user, and fewer
# processors than processes. Its own memory at exit is not ours to free.
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}

# processes N COMMAND...
processes ()
{
  local n=$1
  shift
  timeout 100 mpirun --oversubscribe -n "$n" "$@"
}

# mpi N CASE: one case of test-collectives in N processes.
mpi ()
{
  processes "$1" "$builddir/tests/plugins/test-collectives" -p "/plugins/collectives/mpi/$2" \
    >out 2>err || note "mpirun -n $1: status $?: $(cat out err)"
  [ "$(grep -o "ok 1 /plugins/collectives/mpi/$2" out | wc -l)" = "$1" ] ||
    note "not every process passed: $(cat out err)"
}

for n in 1 2 3; do
  mpi $n values
done
report "mpi: sums and joins in the order of ranks"

mpi 3 abort
report "mpi: a process that fails ends the others' waiting"

plan
