#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lamina conformance: the built-in backends pass, a stranger's backend with any of twelve faults does not,
# and one that crashes, hangs or leaves is a line of the report.
. "$(dirname "$0")/lib.sh"

faults=${LAMINA_STRANGER_DIR:-$builddir/stranger-dir}/backend_faults.so
[ -f "$faults" ] || {
  echo "1..0 # SKIP the stranger's backend is not built"
  exit 0
}

# verdict CHECK WORD: the line of a check in the file out ends so.
verdict ()
{
  grep -qE "^$1 .* $2\$" out || note "wanted $1 ... $2"$'\n'"$(cat out)"
}

for backend in reference cpu "$faults"; do
  run 0 conformance "$backend"
  says out "against lamina.reference, seed 1" "cases: all passed" "What is allowed, and why"
  verdict dot_general PASS
  verdict steps_conv PASS
  ! grep -E ' (FAIL|REFUSED|CRASH|HANG|ERROR)$' out >bad || note "$(cat bad)"
  report "$(basename "$backend") passes every check"
done

run 0 conformance cpu --seed 7
report "and with other numbers"

# fault NAME CHECK TEXT: a backend with this fault fails that check, and not the one of another op.
fault ()
{
  run 1 conformance "$faults" --backend-options "{\"fault\": \"$1\"}" --op "$2" --op subtract \
    --keep "kept-$1"
  verdict "$2" FAIL
  verdict subtract PASS
  says out "first, case" "func @" "kept: kept-$1/$2-" "2 checks" "1 failed"
  report "caught: $3"
}

fault tie reduce_window_arg "the last of ties in the gradient of max pooling"
fault dot_axes dot_general "swapped axes of a product"
fault nan maximum "NaN dropped by maximum"
fault padding pad "negative padding off by one"
fault stale donation "a stale donated buffer"
fault scatter scatter "the order of duplicates in scatter"
fault sort sort "an unstable sort"
fault convert convert "floor instead of truncation"
fault shift shift_left "a shift by the width"
fault clamp dynamic_slice "a wrong clamp in dynamic_slice"
fault f16 dot_general "f16 accumulated in f16"
fault empty reduce "the reduction of an empty axis"

for training in steps_mlp steps_conv; do
  run 1 conformance "$faults" --backend-options '{"fault": "stale"}' --op $training
  verdict $training FAIL
  says out "after step 3: " '"type": "lamina.classification"'
done
report "whole training steps catch a stale buffer, too, with the model's config"

# What was kept says how it is run again, and so it is: reference has what was wanted.
says kept-dot_axes/dot_general-f32.lir "lamina call dot_general-f32.lir --in dot_general-f32.npz"
for kept in nan/maximum-f64 sort/sort-i32 shift/shift_left-u8; do
  run 0 call "kept-$kept.lir" --in "kept-$kept.npz" --backend reference
  cp out wanted
  run 0 call "kept-$kept.lir" --in "kept-$kept.npz" --backend cpu
  cmp -s out wanted || note "cpu differs from reference: $kept"
done
run 0 call kept-nan/maximum-bf16.lir --in kept-nan/maximum-bf16.safetensors --backend cpu
report "kept cases run again with lamina call"

# The same case alone, with the same numbers.
number=$(sed -nE 's/^  f32: .* case ([0-9]+): .*/\1/p' <(
  "$lamina" conformance "$faults" --backend-options '{"fault": "tie"}' --op reduce_window_arg))
run 1 conformance "$faults" --backend-options '{"fault": "tie"}' --op reduce_window_arg \
  --case "$number" --dtype f32 --keep alone
says out "f32: 1 of 1 cases; first, case $number:"
cmp alone/reduce_window_arg-f32.npz kept-tie/reduce_window_arg-f32.npz ||
  note "the numbers of case $number are others when it runs alone"
report "one case can be run alone"

# broken NAME WORD TEXT: in cbrt the process ends or never does; the other check is made.
broken ()
{
  run 1 conformance "$faults" --backend-options "{\"fault\": \"$1\"}" --op cbrt --op add \
    --timeout "$3" --keep "kept-$1"
  verdict cbrt "$2"
  verdict add PASS
  says out "in f64, case 0:" "= cbrt(" "kept: kept-$1/cbrt-f64.lir" "1 failed" "${@:4}"
  run 0 call "kept-$1/cbrt-f64.lir" --in "kept-$1/cbrt-f64.npz" --backend reference
  report "a result: $1"
}

broken crash CRASH 120 "ended by signal 6"
broken hang HANG 3 "did not end within 3 s"
broken exit CRASH 120

run 1 conformance "$faults" --backend-options '{"fault": "refuse"}' --op cbrt --op sine
verdict cbrt PASS
verdict sine FAIL
says out "f16: " "cases refused: stranger.faults: compiling cbrt: not on this hardware" \
  "f32: " "compiling sine: not on this hardware"
report "a dtype may be refused, a mandatory op in f32 may not"

run 1 conformance "$faults" --json --backend-options '{"fault": "shift"}' --op shift_left --op add
says out '"backend": "stranger.faults (' '"seed": 1' '"check": "shift_left", "verdict": "fail"' \
  '"check": "add", "verdict": "pass"' '"function": "func @' '"passed": 1' '"failed": 1' '"why": '
if command -v python3 >/dev/null; then
  python3 -m json.tool out >/dev/null 2>err || note "$(cat err)"
fi
report "JSON says the same"

run 0 conformance --list
says out "dot_general" "steps_mlp" "8 (sqrt n + 1) u" "OpenCL"
run 1 conformance
says err "wanted BACKEND.so or NAME"
run 3 conformance cpv
says err 'no backend "cpv"'
run 2 conformance cpu --op transpos
says err 'no check "transpos"' 'did you mean "transpose"?'
run 2 conformance cpu --dtype f31
says err 'no dtype "f31"'
run 2 conformance cpu --backend-options '{"thread": 1}'
says err "thread" "did you mean"
printf 'text\n' >x.so
run 8 conformance ./x.so
says err "x.so"
report "wrong usage is told before anything runs"

plan
