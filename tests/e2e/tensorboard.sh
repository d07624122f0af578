#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# TensorBoard itself loads what "lamina train --events" writes: every kind of summary, with its values.
# TENSORBOARD_PYTHON: a python3 that has the package tensorboard.
. "$(dirname "$0")/lib.sh"

python=${TENSORBOARD_PYTHON:-python3}
"$python" -c 'import tensorboard' 2>/dev/null || {
  echo "1..0 # SKIP $python has no tensorboard; set TENSORBOARD_PYTHON to one that has"
  exit 0
}
command -v cc >/dev/null || {
  echo "1..0 # SKIP no compiler to build a stranger's task with"
  exit 0
}
cc -std=c11 -O1 -fPIC -shared -fvisibility=hidden "-I$srcdir/sdk" "$srcdir/tests/strangers/pair.c" -lm \
  -o pair.so 2>err || note "$(cat err)"
mkdir -p p/data
printf '%s\n' x 1 0.45 0.25 0 >p/data/x.csv
cat >p/model.json <<'END'
{
  "name": "pair", "backend": "reference", "model": { "type": "test.pair", "kinds": true },
  "learners": [ { "type": "lamina.learner",
    "optimizer": { "type": "lamina.sgd", "learning_rate": 0.01 } } ],
  "inputs": { "train": { "type": "lamina.csv", "file": "data/x.csv", "fields": ["x"],
    "batch_size": 4, "repeat": true } },
  "train": { "steps": 6, "summary_interval_steps": 2, "norm_interval_steps": 6 }
}
END

# loaded FOLDER REPLICAS: every check of the reader passes.
loaded ()
{
  "$python" "$srcdir/tests/e2e/read_events.py" "$1" "$2" >out 2>err || note "$(cat out err)"
  says out "checks passed"
}

run 0 train p --plugin pair.so -q --events runs/1
loaded runs/1 1
report "one replica: scalars, images, a histogram, texts"

run 0 train p --plugin pair.so -q -o two.lam --replicas 2 --events runs/2
loaded runs/2 2
report "two replicas: the same, with each one's images"

run 0 train p --plugin pair.so -q -o part.lam --steps 2 --events runs/3
run 0 train part.lam --plugin pair.so -q --events runs/3
[ "$(find runs/3 -type f | wc -l)" = 2 ] || note "wanted two files: $(find runs/3)"
loaded runs/3 1
report "a run that went on: two files, one curve"

plan
