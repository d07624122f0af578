#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An archive that brings a stranger's layer and a stranger's backend, each compiled alone against the
# plugin headers: refused until trusted, then it trains with no other flag, on that backend.
. "$(dirname "$0")/lib.sh"

kit=${LAMINA_KIT:-$builddir/liblamina-kit.a}
command -v cc >/dev/null && [ -f "$kit" ] || {
  echo "1..0 # SKIP no compiler or no kit to build a stranger's plugins with"
  exit 0
}
flags="-O1 -Wall -Wextra -Wpedantic -Werror -fPIC -shared -fvisibility=hidden -I$srcdir/sdk"

# project NAME LAYER.so: a folder that describes its own plugins and names its backend.
project ()
{
  local so=$1/plugins/$platform
  mkdir -p "$1/data" "$so"
  cp "$2" "$so/acme.so"
  cp backend.so "$so/stranger-backend.so"
  cp "$srcdir/tests/data/digits.npz" "$1/data/"
  cat >"$1/model.json" <<'END'
{
  "name": "stranger", "backend": "stranger.plain",
  "model": {
    "type": "lamina.classification",
    "network": { "type": "lamina.sequential", "layers": [
      { "type": "lamina.flatten" },
      { "type": "acme.dense", "input_dims": 64, "output_dims": 32 },
      { "type": "lamina.activation" } ] },
    "softmax": { "type": "lamina.full_softmax", "input_dims": 32, "num_classes": 10 }
  },
  "learners": [ { "type": "lamina.learner",
    "optimizer": { "type": "lamina.sgd", "learning_rate": 0.1, "momentum": 0.9 } } ],
  "inputs": {
    "train": { "type": "lamina.npz", "file": "data/digits.npz", "scale": 0.0625, "modulus": 5,
      "exclude_remainder": true, "shuffle": true, "repeat": true, "drop_remainder": true },
    "eval": { "type": "lamina.npz", "file": "data/digits.npz", "batch_size": 120,
      "scale": 0.0625, "modulus": 5 }
  },
  "train": { "steps": 60 }
}
END
}

cc -std=c11 $flags "$srcdir/tests/strangers/dense.c" -o acme.so 2>err || note "$(cat err)"
c++ -std=c++17 $flags -x c++ "$srcdir/tests/strangers/dense_cpp.cc" -o acme-cpp.so 2>err || note "$(cat err)"
report "the layer builds from the headers alone, in C11 and in C++17"

# The stranger's backend takes the loops of the reference backend, but has an entry of its own.
loops=()
for file in "$srcdir"/plugins/backends/reference/*.c; do
  grep -q LAM_PLUGIN "$file" || loops+=("$file")
done
if [ -f "${LAMINA_STRANGER_DIR:-}/backend_plain.so" ]; then
  cp "$LAMINA_STRANGER_DIR/backend_plain.so" backend.so
else
  cc -std=gnu11 $flags "-I$srcdir" "$srcdir/tests/strangers/backends/plain.c" "${loops[@]}" \
    "$kit" -lm -o backend.so 2>err || note "$(cat err)"
fi
report "a backend builds with the kit"

for so in acme.so acme-cpp.so; do
  exports=$(nm -D --defined-only $so | awk '{ print $NF }' | grep -v '^__odr_asan')
  [ "$exports" = lam_plugin_entry_v1 ] || note "$so exports: $exports"
done
imports=$(nm -D --undefined-only acme.so | awk '$1 != "w" { print $2 }' | grep -v '@GLIBC_')
[ -z "$imports" ] || note "acme.so imports: $imports"
report "the layer exports one symbol and imports nothing beyond libc"

project m acme.so
run 0 pack m m.lam
cp m.lam before.lam
run 7 train m.lam
says err "acme.layers" "stranger.backends.plain" "run: lamina trust m.lam"
[ "$(grep -c '^lamina train:' err)" = 1 ] || note "more than one error"
cmp m.lam before.lam || note "the archive was touched"
run 7 eval m.lam
run 7 predict m.lam
run 7 train m
report "untrusted code stops everything with one error that names the next command"

# answer TEXT ARGUMENT...: runs lamina on a terminal where a person types TEXT; the exit status is kept.
answer ()
{
  local text=$1
  shift
  { sleep 0.2; echo "$text"; } | script -qec "$lamina $*" /dev/null >out 2>&1
}

if command -v script >/dev/null; then
  answer n trust m.lam
  status=$?
  [ $status = 7 ] || note "no for an answer: wanted status 7, got $status"
  says out "acme.so" "Trust these files? [y/N]" "nothing was changed"
  run 7 eval m.lam
  answer y trust m
  says out "(trusted)"
  run 0 trust --list
  says out "acme.layers 1.2.0"
  for sha in $(cut -d' ' -f1 out); do
    run 0 trust --remove "$sha"
  done
  run 7 eval m.lam
  report "on a terminal trust asks first"
fi

run 0 inspect m.lam
says out "not trusted" "acme.layers 1.2.0" "lamina.layer/1:acme.dense@1"
run 0 trust --show m.lam
says out "acme.so"
run 0 trust m.lam
says out "(trusted)"
report "inspect and trust show the code"

run 0 train m.lam --json
[ "$(grep -c '"loss"' out)" -ge 60 ] || note "fewer than 60 steps"
run 0 eval m.lam --json
cp out theirs
says out '"backend": "stranger.plain"' '"step": 60'
awk -v a="$(value accuracy out)" 'BEGIN { exit !(a > 0.8) }' || note "accuracy $(value accuracy out)"
run 0 eval m.lam --json --backend reference
near "$(value loss theirs)" "$(value loss out)" 1e-4 || note "another loss on reference"
report "trusted: it trains and evaluates with no other flag, on the backend it brings"

run 0 unpack m.lam tree
cmp acme.so "tree/plugins/$platform/acme.so" || note "the trained archive lost the layer"
run 0 eval tree --json
cmp theirs out || note "the folder differs from the archive"
run 0 train m -o from-folder.lam -q
report "the trained archive carries its plugins; trust holds for the same bytes anywhere"

sha=$(sha256sum acme.so | cut -d' ' -f1)
run 0 trust --list
says out "$sha"
run 0 trust --remove "$sha"
run 7 eval m.lam
says err "acme.layers"
report "trust can be taken back"

# refused_code STATUS NAME PROJECT TEXT...: training the project is refused, and leaves it as it was.
refused_code ()
{
  local status=$1 name=$2 project=$3
  shift 3
  find "$project" -type f -exec sha256sum {} + | sort >before
  run "$status" train "$project" -o refused.lam
  says err "$@"
  [ "$(grep -c '^lamina train: ' err)" = 1 ] || note "wanted one error"
  [ ! -e refused.lam ] || note "refused.lam was written"
  find "$project" -type f -exec sha256sum {} + | sort | cmp before - || note "$project was changed"
  report "$name"
}

project none acme.so
rm -r none/plugins
sed -i 's/"backend": "stranger.plain",//' none/model.json
refused_code 3 "a plugin that is not there" none 'model.network.layers_1' 'no layer "acme.dense"' \
  'searched: ' 'see: lamina plugin list'

run 0 pack m lost.lam
run 0 unpack lost.lam lost
rm "lost/plugins/$platform/acme.so"
refused_code 4 "a described plugin file that is gone" lost manifest.json acme.so 'not there'

run 0 unpack lost.lam longer
printf 'x' >>"longer/plugins/$platform/acme.so"
refused_code 4 "a plugin file that is not the described one" longer manifest.json acme.so

run 0 unpack lost.lam elsewhere
mv "elsewhere/plugins/$platform" elsewhere/plugins/sparc-linux-gnu
sed -i "s/$platform/sparc-linux-gnu/" elsewhere/manifest.json
refused_code 3 "a plugin that the archive has for another platform only" elsewhere \
  'no layer "acme.dense"' 'acme.layers 1.2.0 comes with it for sparc-linux-gnu; this machine is'

# e_machine at byte 18 of an ELF file: 0x5441, which no machine has.
project alien acme.so
printf 'AT' | dd of="alien/plugins/$platform/acme.so" bs=1 seek=18 conv=notrunc status=none
refused_code 8 "a plugin for another machine" alien acme.so 'built for' 'machine 21569' 'get a build'
run 8 pack alien alien.lam
[ ! -e alien.lam ] || note "alien.lam was written"
run 8 eval m --plugin "alien/plugins/$platform/acme.so"
says err 'machine 21569'
report "nor is it packed, nor taken by --plugin"

project cpp acme-cpp.so
run 7 train cpp
says err "run: lamina trust cpp"
run 0 trust cpp
run 0 train cpp -q
run 0 eval cpp/trained.lam --json
near "$(value loss theirs)" "$(value loss out)" 0 || note "C++ gives another loss"
report "the same layer as C++17 gives the same numbers"

plan
