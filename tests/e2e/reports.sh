#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a step reports beside its numbers: prints of layers, checks that stop training, event files.
. "$(dirname "$0")/lib.sh"

command -v cc >/dev/null || {
  echo "1..0 # SKIP no compiler to build a stranger's task with"
  exit 0
}
cc -std=c11 -O1 -fPIC -shared -fvisibility=hidden "-I$srcdir/sdk" "$srcdir/tests/strangers/pair.c" -lm \
  -o pair.so 2>err || note "$(cat err)"
export LAM_PLUGIN_PATH=$LAM_PLUGIN_PATH:$PWD/found
mkdir found && cp pair.so found/lamina-pair.so

# project NAME KEYS NUMBER...: the task test.pair with more config keys, and the numbers as its batch x.
project ()
{
  mkdir -p "$1/data"
  printf '%s\n' x "${@:3}" >"$1/data/x.csv"
  cat >"$1/model.json" <<END
{
  "name": "pair", "backend": "reference", "model": { "type": "test.pair"$2 },
  "learners": [ { "type": "lamina.learner",
    "optimizer": { "type": "lamina.sgd", "learning_rate": 0.01 } } ],
  "inputs": { "train": { "type": "lamina.csv", "file": "data/x.csv", "fields": ["x"],
    "batch_size": 4, "repeat": true } },
  "train": { "steps": 4, "summary_interval_steps": 2 }
}
END
}

# y = a x and a <- 0.875 a: the loss (2.5 a)^2 falls by 0.01 * 12.5 a.
project p "" 1 2 3 4
run 0 train p -q
says err "step 0  model: y = f32[4] {3, 6, 9, 12}" "step 1  model: y = f32[4] {2.625, 5.25, 7.875, 10.5}" \
  "step 3  model: y = f32[4] {2.009765625, "
[ "$(wc -l <err)" = 4 ] || note "wanted four lines: $(cat err)"
run 0 train p --json -o json.lam
[ "$(grep -c '^step . *model: y = ' err)" = 4 ] || note "$(cat err)"
grep -v '^{.*}$' out >bad && note "no JSON: $(cat bad)"
report "lam_debug_print is on standard error, once a step, by layer path; standard output stays a program's"

run 0 train p -q -o events.lam --events ev/1
cmp p/trained.lam events.lam || note "writing summaries changes what is learned"
[ "$(find ev/1 -name 'events.out.tfevents.*' | wc -l)" = 1 ] || note "$(find ev)"
[ "$(find . -name '*tfevents*' | wc -l)" = 1 ] || note "event files that nobody asked for"
run 5 train p -q -o other.lam --events p/model.json
says err p/model.json
[ ! -e other.lam ] || note "other.lam was written"
report "event files only where they are asked for; the archive is the same, bit for bit"

# stops NAME TEXT OPTION...: training the project NAME, or going on with its archive, ends with one error that
# holds the text; no archive is written, and the one that goes on stays as it was.
stops ()
{
  local name=$1 text=$2
  shift 2
  run 2 train "$name" "$@"
  says err "lamina train: step 0: $text"
  [ "$(grep -c '^lamina train: ' err)" = 1 ] || note "wanted one error: $(cat err)"
  [ ! -e "$name/trained.lam" ] || note "$name/trained.lam was written"
  run 0 pack "$name" "$name.lam" --force
  cp "$name.lam" before.lam
  run 2 train "$name.lam" "$@"
  says err "$text"
  cmp "$name.lam" before.lam || note "$name.lam was touched"
  [ "$(find . -name "$name.lam*" | wc -l)" = 1 ] || note "something was left: $(ls)"
}

project poison ', "poison": true' 1 2 3 4
run 0 train poison -q -o unchecked.lam
run 0 train p -q --check-numerics --check-asserts -o checked.lam
cmp p/trained.lam checked.lam || note "checks change what is learned"
stops poison "model: log holds a NaN or an infinity" --check-numerics
sed -i 's/"steps": 4/"steps": 4, "check_numerics": true/' poison/model.json
stops poison "model: log holds a NaN or an infinity"
report "--check-numerics, and its config key, stop at the first NaN and name its layer"

project negative "" -1 2 3 4
run 0 train negative -q -o unchecked.lam --force
stops negative "model: y is positive: this check failed" --check-asserts
sed -i 's/"steps": 4/"steps": 4, "enable_asserts": true/' negative/model.json
stops negative "model: y is positive: this check failed"
report "--check-asserts, and its config key, stop at the first check that fails and say which"

# Deep in a tree, in a layer that watches nothing itself: the gradient is watched by its variable's path.
small_project deep
sed -i 's/"learning_rate": 0.1/"learning_rate": 1e30/; s/"type": "lamina.learner",/&"check_valid_step": false,/' \
  deep/model.json
sed -i '/clip_gradient/d' deep/model.json
run 2 train deep --check-numerics
says err "gradient of " "holds a NaN or an infinity"
[ ! -e deep/trained.lam ] || note "deep/trained.lam was written"
report "--check-numerics names the variable whose gradient is the first that is not finite"

plan
