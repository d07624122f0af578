#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# "fprop_dtype": "bfloat16": a step computes in it, variables stay float32, results are told in float32.
. "$(dirname "$0")/lib.sh"

# project NAME TEMPLATE STEPS KEYS: a template with more keys at the top of its config.
project ()
{
  "$lamina" new "$2" "$1" >/dev/null || exit 1
  sed -i "s/\"seed\": 1234,/& $4/; s/\"steps\": [0-9]*/\"steps\": $3/" "$1/model.json"
}

# dtypes FILE: those of a safetensors file's tensors; __pad.0 is none.
dtypes ()
{
  tr -c '[:print:]' '\n' <"$1" | head -c 20000 |
    grep -oE '"[^_"][^"]*":\{"dtype":"[A-Z0-9]*"' | sed 's/.*://' | sort -u
}

project half digits-mlp 200 '"fprop_dtype": "bfloat16",'
run 0 train half --json
cp out whole.jsonl
run 0 eval half/trained.lam --json
cp out first
awk -v a="$(value accuracy out)" -v l="$(value loss out)" 'BEGIN { exit !(a > 0.93 && l < 0.3) }' ||
  note "$(cat out)"
# A loss of a batch in bfloat16 has 8 bits; told in float32.
sed -nE 's/.*"loss": ([0-9.e-]+), "metrics".*/\1/p' whole.jsonl | awk '
  { x = $1; while (x < 128) x *= 2; while (x >= 256) x /= 2; if (x != int (x)) n++ }
  END { exit !(NR == 200 && n > 0) }' || note "the losses are rounded to bfloat16, or are not 200"
run 0 eval half/trained.lam --json --backend reference
near "$(value loss first)" "$(value loss out)" 0.01 || note "reference differs: $(cat first out)"
report "digits-mlp trains in bfloat16 and evaluates the same on both backends"

run 0 unpack half/trained.lam tree
for file in weights/model state/learners; do
  [ "$(dtypes "tree/$file.safetensors" | grep -v U32)" = '"F32"' ] ||
    note "$file: $(dtypes "tree/$file.safetensors")"
done
run 0 predict half/trained.lam --json
says out '"logits": {"type": "f32[60,10]"' '"predictions": {"type": "i32[60]"'
# Every logit is a bfloat16 number: 8 bits.
sed -E 's/.*"logits": [^[]*\[60,10\]", "data": \[([^]]*)\].*/\1/' out | tr -d ' ' | tr , '\n' | awk '
  { x = $1 < 0 ? -$1 : $1; if (x == 0) next; while (x < 128) x *= 2; while (x >= 256) x /= 2; if (x != int (x)) n++ }
  END { exit !(NR == 600 && n == 0) }' || note "logits are not 600 numbers of bfloat16"
report "variables and learner states stay float32; the step did compute in bfloat16"

run 0 train half -q --steps 83 -o part.lam
run 0 train part.lam -q
cmp half/trained.lam part.lam || note "the archives differ"
run 0 train half -q --steps 6 --replicas 2 --check-numerics --events ev -o two.lam
report "it goes on bit for bit, over replicas, with checks and event files"

project conv digits-cnn 12 '"fprop_dtype": "bfloat16",'
run 0 train conv --json -o conv.lam
first=$(sed -nE '1s/.*"loss": ([0-9.e-]+), "metrics.*/\1/p' out)
last=$(sed -nE '/"step": 11,/s/.*"loss": ([0-9.e-]+), "metrics.*/\1/p' out)
awk -v a="$first" -v b="$last" 'BEGIN { exit !(b != "" && b < a) }' || note "loss from $first to $last"
report "convolutions, batch norms, pooling and dropout in bfloat16"

# same NAME KEYS OTHER-KEYS: both configs train to the same weights, bit for bit.
same ()
{
  project "$1" digits-mlp 10 "$2"
  project "$1-plain" digits-mlp 10 "$3"
  run 0 train "$1" -q
  run 0 train "$1-plain" -q
  run 0 unpack "$1/trained.lam" "$1-tree"
  run 0 unpack "$1-plain/trained.lam" "$1-plain-tree"
  cmp "$1-tree/weights/model.safetensors" "$1-plain-tree/weights/model.safetensors" || note "$1: they differ"
}

same single '"fprop_dtype": "float32",' ''
same double '"dtype": "f64", "fprop_dtype": "float32",' '"dtype": "f64",'
[ "$(dtypes double-tree/weights/model.safetensors)" = '"F64"' ] || note "an f64 model has other variables"
report "float32 casts nothing, in f64 models neither"

# refused KEYS TEXT...
refused ()
{
  rm -rf wrong
  project wrong digits-mlp 5 "$1"
  run 2 train wrong
  says err fprop_dtype "${@:2}"
  [ "$(grep -c '^lamina train: ' err)" = 1 ] || note "wanted one error: $(cat err)"
  [ ! -e wrong/trained.lam ] || note "wrong/trained.lam was written"
}

refused '"fprop_dtype": "float16",' 'wanted float32 or bfloat16, got "float16"'
refused '"fprop_dtype": "float64",' 'wanted float32 or bfloat16, got "float64"'
refused '"fprop_dtype": 16,' "wanted a string"
refused '"dtype": "f64", "fprop_dtype": "bfloat16",' "f64"
report "another dtype is refused, and bfloat16 in an f64 model"

plan
