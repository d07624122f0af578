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
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # the last one counts

# processes N COMMAND...
processes ()
{
  local n=$1
  shift
  timeout 100 mpirun --oversubscribe -n "$n" "$@"
}

# mpi N PROGRAM PATH: one case of a test program in N processes.
mpi ()
{
  processes "$1" "$builddir/tests/$2" -p "$3" >out 2>err ||
    note "mpirun -n $1: status $?: $(cat out err)"
  [ "$(grep -o "ok 1 $3" out | wc -l)" = "$1" ] || note "not every process passed: $(cat out err)"
}

for n in 1 3; do
  mpi $n plugins/test-collectives /plugins/collectives/mpi/values
done
report "mpi: sums and joins in the order of ranks"

mpi 3 plugins/test-collectives /plugins/collectives/mpi/abort
report "mpi: a process that fails ends the others' waiting"

# --- training ------------------------------------------------------------------------------------

small_project small

# train N OUTPUT OPTION...: in N processes.
train ()
{
  local n=$1 output=$2
  shift 2
  processes "$n" "$lamina" train small --json --threads 1 -o "$output" "$@" >out 2>err </dev/null
}

run 0 train small --json --threads 2 --replicas 2 -o local.lam
grep -v seconds out >local.end
sed 's/, "seconds".*//' out >local.out
train 2 mpi.lam || note "status $?: $(cat out err)"
grep -v seconds out >mpi.end
sed 's/, "seconds".*//' out | grep -v saved >mpi.out
grep -v saved local.out | cmp - mpi.out || note "the curves differ"
cmp local.lam mpi.lam || note "the archives differ"
[ -s err ] && note "standard error is not empty: $(cat err)"
report "mpi: two processes train what two replicas of one process do, bit for bit"

run 0 eval local.lam --json
alone=$(value loss out)
processes 2 "$lamina" eval mpi.lam --json --threads 1 >out 2>err </dev/null || note "$(cat out err)"
[ "$(grep -c . out)" = 1 ] || note "more than one process prints: $(cat out)"
near "$alone" "$(value loss out)" 1e-6 || note "loss $alone alone, $(cat out) on two"
report "mpi: evaluation, printed once"

train 2 goes-on.lam --steps 10 || note "$(cat out err)"
processes 2 "$lamina" train goes-on.lam --json --threads 1 >out 2>err </dev/null || note "$(cat err)"
cmp goes-on.lam mpi.lam || note "going on differs from going through"
report "mpi: goes on where it stopped"

mpi 2 api/test-trainer /api/trainer/mpi/save
report "mpi: no process goes on before the archive is there"

# --- failures ------------------------------------------------------------------------------------

# apart OPTION...: two processes, the second one with other options.
apart ()
{
  timeout 100 mpirun --oversubscribe -n 1 "$lamina" train small -q --threads 1 -o x.lam : \
    -n 1 "$lamina" train small -q --threads 1 -o x.lam "$@" >out 2>err </dev/null &&
    note "succeeded"
  [ "$(grep -c '^lamina train: ' err)" = 1 ] || note "not told once: $(cat err)"
  [ ! -e x.lam ] || note "something was written"
}

apart --dtype f64
says err "replica 1 was given another model, config or options than replica 0"
apart --seed 99
says err "differs between replica 1 and replica 0 at step 0"
apart --init missing.npz
says err "missing.npz"
report "mpi: a process that differs or fails ends all, told once"

train 2 x.lam --replicas 3 && note "succeeded"
says err "3 replicas were asked for, but lamina.mpi joined 2 processes" "mpirun -n 3"
report "mpi: another number of replicas than processes"

plan
