#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# From a template to a trained archive: training, stopping, going on, evaluating, predicting.
. "$(dirname "$0")/lib.sh"

small_project m
run 0 train m --json
cp out whole.jsonl
[ "$(grep -c '"step"' out)" = 31 ] || note "wanted 30 steps and one saved line"
says out '"step": 0,' '"step": 29,' '"metrics": {"accuracy": ' '"weights": {"accuracy": 64' \
  '"scalars": {' '"eval"' '"saved": "m/trained.lam"'
report "train writes one JSON line a step, saves and evaluates"

run 2 train m
says err "exists already" "--force"
run 0 train m --force -q
report "an existing output is only overwritten by force"

ok=yes
run 0 train m --json --steps 7 -o part.lam
cp out curve.jsonl
run 0 train part.lam --json --steps 19
cat out >>curve.jsonl
run 0 train part.lam --json
cat out >>curve.jsonl
# The time of a step is the one thing that may differ.
steps () { sed -nE 's/^(."step": [0-9]*, "loss".*), "seconds".*/\1/p' "$1"; }
steps whole.jsonl >a
steps curve.jsonl >b
[ "$(wc -l <b)" = 30 ] || note "wanted 30 steps, got $(wc -l <b)"
cmp a b || note "the curves differ"
cmp m/trained.lam part.lam || note "the archives differ"
report "stopped after any step and gone on with: bit-equal"

mkdir elsewhere
mv m/trained.lam elsewhere/
rm -rf m.moved && mv m m.moved
run 0 eval elsewhere/trained.lam --json
cp out first
run 0 eval elsewhere/trained.lam --json
cmp first out || note "eval does not repeat its numbers"
near "$(value accuracy first)" "$(value accuracy whole.jsonl)" 0 || note "not the number of training"
run 0 eval elsewhere/trained.lam --json --backend reference
near "$(value loss first)" "$(value loss out)" 1e-4 || note "reference differs"
says out '"backend": "lamina.reference"'
report "a trained archive evaluates anywhere, exactly, on both backends"

run 0 predict elsewhere/trained.lam --json
says out '"predictions": {"type": "i32[60]"' '"probabilities": {"type": "f32[60,10]"'
run 0 predict elsewhere/trained.lam --out y.npz
[ -s y.npz ] || note "no y.npz"
run 3 predict elsewhere/trained.lam --batch 6
says err "there is no batch 6"
report "predict on a batch of an input"

run 0 unpack elsewhere/trained.lam tree
run 0 pack tree again.lam
cmp elsewhere/trained.lam again.lam || note "unpack and pack is not lossless"
run 0 eval tree --json
cmp first out || note "the unpacked folder evaluates to something else"
run 2 unpack again.lam tree
report "unpack and pack are lossless; a folder works as its archive"

run 0 inspect elsewhere/trained.lam
says out "digits-mlp" "step 30" "model: lamina.classification" "input    eval: lamina.npz"
run 0 inspect elsewhere/trained.lam --json
says out '"step": 30' '"resumes": true'
report "inspect"

small_project seen
run 0 train seen -o a.lam
[ ! -s err ] || note "standard error: $(cat err)"
[ "$(grep -cE '^step +[0-9]+/30 .*loss [0-9.]+ .*steps/s' out)" = 10 ] || note "wanted ten lines: $(cat out)"
says out "step 30/30" "saved a.lam at step 30" "eval  accuracy"
cp a.lam before.lam
run 0 train a.lam
says out "already at step 30 of 30"
cmp a.lam before.lam || note "the archive changed"
run 0 train seen -q -o b.lam
grep -q '^step' out && note "progress in spite of -q"
cmp a.lam b.lam || note "two runs differ"
if command -v script >/dev/null; then
  script -qec "$lamina train seen -o c.lam" /dev/null </dev/null >out
  tr '\r' '\n' <out >lines
  says lines "step 30/30  100 %" "saved c.lam"
  [ "$(grep -c $'^\033\\[K' lines)" -ge 1 ] || note "wanted a line that is drawn over"
fi
report "progress: ten lines in a file, one line on a terminal; nothing is left to do twice"

# start STEP...: a training that goes on until it is told; then the steps are made: a signal that it gets,
# train (another training of the same), gone (its folder). The status is its.
output=long.lam
start ()
{
  local step pid
  "$lamina" train long --json -o "$output" >long.jsonl 2>err &
  pid=$!
  for ((i = 0; i < 200; i++)); do
    grep -q '"step": 3,' long.jsonl && break
    sleep 0.05
  done
  for step; do
    case $step in
      train) run 5 train long -o "$output" ;;
      gone) rm -r "$(dirname "$output")" ;;
      *) kill -"$step" $pid ;;
    esac
  done
  wait $pid
}

small_project long
sed -i 's/"steps": 30/"steps": 100000000/' long/model.json
for signal in TERM HUP; do
  rm -f long.lam
  start $signal
  status=$?
  [ $status = 130 ] || note "$signal: wanted status 130, got $status"
  says long.jsonl '"saved": "long.lam"'
done
(
  trap '' HUP
  rm -f long.lam
  start HUP TERM
) || status=$?
[ "$status" = 130 ] || note "HUP ignored, then TERM: wanted status 130, got $status"
mkdir there
output=there/long.lam
start gone INT
run 0 eval there/long.lam
output=long.lam
rm -f long.lam
start train INT
status=$?
says err "long.lam is being written by another training"
[ ! -e .long.lam.lock ] || note "a lock was left"
[ $status = 130 ] || note "Ctrl-C: wanted status 130, got $status"
says long.jsonl '"saved": "long.lam"'
last=$(grep -c '"loss"' long.jsonl)
run 0 train long.lam --json --steps $((last + 2))
says out "\"step\": $last," "\"step\": $((last + 1)),"
report "Ctrl-C, or a closed terminal, saves what is done, ends with 130, and training goes on"

plan
