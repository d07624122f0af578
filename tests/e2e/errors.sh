#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Wrong inputs: each gives one error with what, where, wanted, got and what to do, an exit status of
# its own kind, and leaves nothing half written.
. "$(dirname "$0")/lib.sh"

# config SED...: the project p with its config changed.
config ()
{
  rm -rf p
  small_project p
  sed -i "$@" p/model.json
}

# refused STATUS NAME TEXT...: training p is refused with one error that holds the texts.
refused ()
{
  local status=$1 name=$2
  shift 2
  run "$status" train p -o out.lam
  says err "$@"
  [ "$(grep -c '^lamina train: ' err)" = 1 ] || note "wanted one error"
  [ ! -e out.lam ] || note "out.lam was written"
  ls p | grep -qvE '^(data|model.json)$' && note "something was left in p"
  report "$name"
}

config 's/lamina.dropout/lamina.dropuot/'
refused 3 "unknown layer type" 'lamina.dropuot' 'did you mean "lamina.dropout"' 'model.network.layers_2'

config 's/"input_dims": 64, "output_dims": 128/"input_dims": 64/'
refused 2 "missing key" 'output_dims' 'model.network.layers_1'

config 's/"output_dims": 128/"output_dims": -3/'
refused 2 "negative size" 'output_dims' '-3' 'model.network.layers_1'

config 's/"keep_prob": 0.9/"keepprob": 0.9/'
refused 2 "unknown key" 'keepprob' 'did you mean "keep_prob"'

config 's/"input_dims": 128/"input_dims": 127/'
refused 2 "shape mismatch deep in a tree" 'network.layers_3' '128' '127'

config 's/"seed": 1234,/"seed": 1234/'
refused 4 "config that is no JSON" 'model.json'

config 's|data/digits.npz|data/none.npz|'
refused 3 "missing data file" 'data/none.npz'

small_project q && cp q/model.json p/data/digits.npz
sed -i 's|data/none.npz|data/digits.npz|' p/model.json
refused 4 "data that is no npz" 'digits.npz'

config 's/"labels": "labels"//; s/"batch_size": 64/"batch_size": 64, "labels": "lables"/'
refused 3 "an array that is not there" 'lables'

config 's/"backend"/"backend"/; s/"seed": 1234/"seed": 1234, "backend": "cup"/'
refused 3 "unknown backend" 'cup' 'lamina.cpu'

config 's/"loss_name": "loss",//; s/"type": "lamina.learner",/"type": "lamina.learner", "loss_name": "los",/'
refused 2 "loss that is no metric" 'los' 'did you mean "loss"'

# Arrays named 0, 1, 2 of the wrong kinds, made by a function.
cat >arrays.lir <<'END'
func @arrays() -> (f32[10,8,8,1], f32[10], i32[9]) {
  %0 = iota() {iota_dimension = 0} : f32[10,8,8,1]
  %1 = iota() {iota_dimension = 0} : f32[10]
  %2 = iota() {iota_dimension = 0} : i32[9]
  return %0, %1, %2
}
END
run 0 call arrays.lir --out arrays.npz
config 's|data/digits.npz|data/digits.npz", "inputs": "0", "labels": "1|'
cp arrays.npz p/data/digits.npz
refused 2 "wrong dtype in data: labels that are no integers" 'inputs.train' 'digits.npz' 'array "1"' \
  'integers' 'f32'

config 's|data/digits.npz|data/digits.npz", "inputs": "0", "labels": "2|'
cp arrays.npz p/data/digits.npz
refused 2 "as many labels as inputs" 'digits.npz' '10 inputs' '9 labels'

config 's|data/digits.npz|data/digits.npy|'
rm p/data/digits.npz
printf "\\223NUMPY\\001\\000\\106\\000%-69s\\n" \
  "{'descr': '<c16', 'fortran_order': False, 'shape': (4, 8, 8, 1), }" >p/data/digits.npy
head -c 4096 /dev/zero >>p/data/digits.npy
refused 4 "wrong dtype in data: complex numbers" 'inputs.train' 'digits.npy' 'dtype is not one of f2 f4'

small_project r
run 3 train r -o nowhere/out.lam
says err 'cannot write nowhere/out.lam' 'folder nowhere' 'No such file'
[ ! -e nowhere ] || note "nowhere was made"
[ ! -s out ] || note "it trained before it said so: $(cat out)"
report "an output that cannot be written is refused before training"

run 3 plugin list --plugin-dir nowhere
says err 'cannot search nowhere for plugins' 'No such file'
run 3 train r --plugin-dir nowhere -o x.lam
[ ! -e x.lam ] || note "it trained all the same"
LAM_PLUGIN_PATH=near:$LAM_PLUGIN_PATH run 0 plugin list
says err 'folder near of $LAM_PLUGIN_PATH is not searched' 'relative'
[ "$(grep -c . err)" = 1 ] || note "not warned once: $(cat err)"
report "folders of plugins that are not searched are named"

run 0 train r -q -o whole.lam
head -c 30000 whole.lam >short.lam
run 4 train short.lam
says err short.lam
run 4 eval short.lam
report "truncated archive"

{ head -c 20000 whole.lam; printf 'XXXX'; tail -c +20005 whole.lam; } >bad.lam
run 4 eval bad.lam
says err bad.lam sha256
report "damaged archive"

echo hello >text.lam
run 4 eval text.lam
says err text.lam
run 3 eval none.lam
says err none.lam
run 3 train nowhere
says err nowhere
report "not an archive, and no file at all"

mkdir -p "p2/plugins/$platform"
cp r/model.json p2/
cp r/data/digits.npz "p2/plugins/$platform/acme.so"
run 8 train p2
says err acme.so
report "a plugin that is no shared object"

mkdir -p p3
cp -r r/model.json r/data p3/
printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\003\000\363\000\001\000\000\000' >other.so
head -c 4096 /dev/zero >>other.so
run 8 eval whole.lam --plugin other.so
says err other.so
report "a plugin for another machine"

run 3 params lamina.lineer
says err 'did you mean "lamina.linear"'
run 0 params config
says out "seed" "backend" "dtype"
run 3 eval r --backend cup
says err 'no backend "cup"' 'did you mean "cpu"?'
run 2 eval r --dtype f23
says err 'config.dtype' '"f23"' 'see: lamina params config'
run 3 eval r --input evel
says err 'did you mean "eval"?'
run 2 ir r --which trian
says err 'did you mean "train"?'
run 3 new digits-mpl x
says err 'did you mean "digits-mlp"?'
[ ! -e x ] || note "x was made"
report "did you mean"

for table in config train layer optimizer; do
  run 0 params $table
done
says out learning_rate
run 0 params train --json
says out '"steps"'
report "the tables that errors point at"

run 1 frobnicate
run 1 trian r
says err 'did you mean "train"?'
run 1 help trian
run 0 help train
says out "Examples:"
run 1 eval r --threads -3
says err "--threads -3"
if [ -w /dev/full ]; then
  "$lamina" params config >/dev/full 2>err && note "a result that was not written is no result"
  says err "cannot write to standard output"
fi
run 1 train
says err "wanted MODEL"
run 1 train a b
says err 'did not expect "b"'
run 1 train --nonsense
run 1 train m --steps 0
says err "--steps 0: wanted a number from 1"
report "wrong usage"

# A limit of the size of files stands for a disk that is full: event files meet it first.
small_project full
sed -i 's/"steps": 30/"steps": 4000, "summary_interval_steps": 1/' full/model.json
for n in 0 2; do
  (trap '' XFSZ; ulimit -f 700
   "$lamina" train full --replicas $n --threads 1 --events full/events -q -o full.lam >out 2>err)
  [ $? = 5 ] || note "wanted status 5: $(cat err)"
  says err "cannot write the event file" "too large"
  says out "saved full.lam at step"
  step=$(sed -nE 's/.* at step ([0-9]+).*/\1/p' out)
  run 0 train full.lam --steps "$((step + 1))"
  says out "saved full.lam at step $((step + 1))"
  rm -r full.lam full/events
done
report "event files on a full disk: the steps made are kept"

cat >f.lir <<'END'
func @f(%0: f32[2], %1: f32[2]) -> (f32[2]) {
  %2 = add(%0, %1) : f32[2]
  return %2
}
END
run 2 call f.lir
says err "2 parameters" "0 tensors"
run 2 ir f.lir --stage finale
says err 'did you mean "final"'
run 0 ir f.lir --stage trace
says out "func @f"
sed -i 's/add/ad/' f.lir
run 2 ir f.lir
says err f.lir
report "functions in text form"

plan
