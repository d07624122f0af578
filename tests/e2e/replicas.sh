#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Replicas in one process, from the command line.
. "$(dirname "$0")/lib.sh"

small_project small

run 0 train small --threads 1 --replicas 2 -o two.lam
says out "2 replicas" "saved two.lam at step 30"
run 0 train small --threads 1 --replicas 2 -o again.lam --json
cmp two.lam again.lam || note "two runs differ"
run 0 train two.lam --threads 1 --replicas 2
says out "nothing to train" "saved two.lam at step 30"
report "replicas: train, the same bits every time"

sed -i 's/"steps": 30/"steps": 30, "replicas": 2/' small/model.json
run 0 train small --threads 1 -o config.lam
says out "2 replicas"
run 0 train small --threads 1 --replicas 0 -o none.lam
grep -q replicas out && note "--replicas 0 has replicas: $(cat out)"
report "replicas: by the config, and by option instead"

run 0 eval two.lam --replicas 0 --json
alone=$(value loss out)
run 0 eval two.lam --replicas 2 --threads 1 --json
near "$alone" "$(value loss out)" 1e-6 || note "loss $alone without, $(cat out) on two"
report "replicas: eval"

run 2 train small --threads 1 --replicas 7 -o x.lam
says err "batch_size" "cannot be split among 7 replicas"
run 2 train small --replicas 2000 -o x.lam
says err "2000 replicas: wanted at most 1024"
run 1 train small --replicas -2 -o x.lam
says err "--replicas -2"
run 3 train small --replicas 2 --collective nccl -o x.lam
says err 'no collective "nccl"' "lamina.local"
[ ! -e x.lam ] || note "something was written"
report "replicas: what is refused"

run 0 plugin list
says out lamina.local
run 0 params lamina.local
run 0 params train
says out replicas
report "replicas: listed"

plan
