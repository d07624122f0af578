#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Training speed on one replica, on N of one process and on N processes of MPI, in turn: steps a second, the
# median of some rounds, and its ratio to one replica of one thread. Wants a quiet machine; asserts nothing.
#
#   tests/bench/replicas.sh LAMINA [N [ROUNDS]]       default 2, 5
set -eu
lamina=$1 n=${2:-2} rounds=${3:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A perceptron wide enough for its products to matter, on the digits.
wide ()
{
  "$lamina" new digits-mlp "$1" >/dev/null
  sed -i 's/"output_dims": [0-9]*/"output_dims": 1024/; s/"input_dims": 128/"input_dims": 1024/
    s/"input_dims": 64, "num_classes"/"input_dims": 1024, "num_classes"/
    s/"batch_size": 64/"batch_size": 256/' "$1/model.json"
}

# speed MODEL STEPS OPTION...: steps a second of the last report; $launch starts the processes
speed ()
{
  local model=$1 steps=$2
  shift 2
  $launch "$lamina" train "$model" --steps "$steps" --threads 1 --force -o "$folder/out.lam" "$@" 2>&1 |
    sed -nE 's/.* ([0-9.]+) steps\/s +in .*/\1/p' | tail -n 1
}

median () { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }

compare ()
{
  local model=$1 steps=$2 one=() local_n=() mpi=() i a b c
  for ((i = 0; i < rounds; i++)); do
    launch=
    one+=("$(speed "$model" "$steps")")
    local_n+=("$(speed "$model" "$steps" --replicas "$n")")
    launch="mpirun --oversubscribe --allow-run-as-root -n $n"
    mpi+=("$(speed "$model" "$steps")")
  done
  a=$(median "${one[@]}") b=$(median "${local_n[@]}") c=$(median "${mpi[@]}")
  awk -v m="${model##*/}" -v n="$n" -v a="$a" -v b="$b" -v c="$c" 'BEGIN {
    printf "%-11s 1 replica %6.1f steps/s; %d in one process %6.1f (%.2f); over MPI %6.1f (%.2f)\n",
      m, a, n, b, b / a, c, c / a }'
}

"$lamina" new digits-cnn "$folder/digits-cnn" >/dev/null
wide "$folder/wide-mlp"
compare "$folder/digits-cnn" 600
compare "$folder/wide-mlp" 1000
