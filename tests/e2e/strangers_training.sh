#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What learns, by strangers: an optimizer, a schedule, a learner and a metric, each compiled alone from its
# template against the plugin headers, train a model together; and so does a layer made of other
# plugins' layers.
. "$(dirname "$0")/lib.sh"

command -v cc >/dev/null || {
  echo "1..0 # SKIP no compiler to build a stranger's plugins with"
  exit 0
}
flags="-O1 -Wall -Wextra -Wpedantic -Werror -fPIC -shared -fvisibility=hidden -I$srcdir/sdk"

for kind in optimizer schedule learner metric; do
  cc -std=c11 $flags "$srcdir/sdk/template/$kind/$kind.c" -lm -o "$kind.so" 2>err || note "$(cat err)"
  [ "$(nm -D --defined-only "$kind.so" | awk '{ print $NF }')" = lam_plugin_entry_v1 ] ||
    note "$kind.so exports more than its entry"
  imports=$(nm -D --undefined-only "$kind.so" | awk '$1 != "w" { print $2 }' | grep -v '@GLIBC_')
  [ -z "$imports" ] || note "$kind.so imports: $imports"
  run 0 plugin list --plugin "$PWD/$kind.so"
  says out "  $kind" example.
done
report "each template builds alone, exports one symbol and imports libc and libm only"

for type in sign_momentum:momentum staircase:every limiter:limit likelihood:losses; do
  plugins=()
  for kind in optimizer schedule learner metric; do
    plugins+=(--plugin "$kind.so")
  done
  run 0 params "example.${type%:*}" "${plugins[@]}"
  says out "${type#*:}"
done
report "their config keys explain themselves"

# project NAME: digits-mlp whose learner and metrics are the strangers', with their plugins.
project ()
{
  mkdir -p "$1/plugins/$platform" "$1/data"
  cp optimizer.so schedule.so learner.so metric.so "$1/plugins/$platform/"
  cp "$srcdir/tests/data/digits.npz" "$1/data/"
  sed '/^  "learners"/,/^  \],/d; s/"steps": 1000/"steps": 60/' \
    "$srcdir/tools/templates/digits-mlp/model.json" >"$1/model.json"
  sed -i '/^  "seed"/r /dev/stdin' "$1/model.json" <<'END'
  "learners": [
    { "type": "example.limiter", "limit": 0.5,
      "optimizer": { "type": "example.sign_momentum", "learning_rate": 0.002,
        "lr_schedule": { "type": "example.staircase", "every": 20, "factor": 0.5 } } }
  ],
  "metrics": {
    "likelihood": { "type": "example.likelihood" },
    "top3": { "type": "lamina.top_k_accuracy", "k": 3 },
    "xent": { "type": "lamina.mean", "tensor": "per_example.xent" }
  },
END
}

project m
run 7 train m
says err example.learners example.metrics example.optimizers example.schedules "lamina trust m"
run 0 trust m --yes
run 0 train m --json
cp out whole.jsonl
first=$(sed -nE '1s/.*"loss": ([0-9.e-]+).*/\1/p' whole.jsonl)
run 0 eval m/trained.lam --json
awk -v a="$first" -v b="$(value loss out)" 'BEGIN { exit !(a > 2 && b < a / 2) }' ||
  note "loss from $first to $(value loss out)"
awk -v a="$(value accuracy out)" 'BEGIN { exit !(a > 0.8) }' || note "accuracy $(value accuracy out)"
report "all four train digits-mlp: the loss falls to less than a half"

# The mean probability of the right digits is no less than e ^ -loss (Jensen), nor more than 1.
awk -v p="$(value likelihood out)" -v l="$(value loss out)" -v a="$(value accuracy out)" \
  -v t="$(value top3 out)" 'BEGIN { exit !(p >= exp (-l) && p < 1 && t >= a && t <= 1) }' ||
  note "likelihood or top3 cannot be: $(cat out)"
near "$(value xent out)" "$(value loss out)" 1e-6 || note "the mean of xent is not the loss: $(cat out)"
grep -q '"likelihood": 0\.[0-9]*, .*"weights": {.*"likelihood": 64' whole.jsonl ||
  note "no metric in a step: $(head -n 1 whole.jsonl)"
run 0 eval m/trained.lam
says out "likelihood 0." "top3 0." "xent 0."
run 0 inspect m/trained.lam
says out "metric   likelihood: example." "metric   top3: lamina.top_k_accuracy"
report "metrics of the config are printed in training and in evaluation"

sed -nE 's/.*"step": ([0-9]+),.*learning_rate_scalar": ([0-9.e-]+).*/\1 \2/p' whole.jsonl >rates
[ "$(wc -l <rates)" = 60 ] || note "wanted 60 rates: $(cat rates)"
awk '{ d = $2 / (0.002 * 0.5 ^ int ($1 / 20)) - 1; if (d > 1e-6 || d < -1e-6) print }' rates >wrong
[ ! -s wrong ] || note "rates: $(cat wrong)"
report "the schedule's stairs are in the learning rate"

run 0 train m -q --steps 7 -o part.lam
run 0 train part.lam -q --steps 33
run 0 train part.lam -q
cmp m/trained.lam part.lam || note "the archives differ"
mkdir alone && cp part.lam alone/
(cd alone && "$lamina" eval part.lam --json --backend reference >../out 2>../err) || note "$(cat err)"
near "$(value likelihood out)" "$(value likelihood whole.jsonl)" 1e-4 || note "$(cat out whole.jsonl | tail -n 2)"
report "stopped and gone on with: bit-equal, from an archive that carries the plugins"

# refused STATUS RULE TEXT: the config changed by the sed rule is refused with the text.
refused ()
{
  rm -rf wrong && cp -r m wrong && rm wrong/trained.lam
  sed -i "$2" wrong/model.json
  run "$1" train wrong
  says err "$3"
  [ ! -e wrong/trained.lam ] || note "wrong/trained.lam was written"
}

refused 2 's/"every": 20/"every": 0/' "every: wanted an integer >= 1"
refused 2 's/"limit": 0.5/"limits": 0.5/' 'did you mean "limit"'
refused 3 's/example.staircase/example.stircase/' 'did you mean "example.staircase"'
refused 2 's/"type": "example.likelihood"/&, "losses": "per_example.cent"/' "per_example.cent"
report "their wrong configs are refused with a message"

# --- a layer of layers -----------------------------------------------------------------------------------

cc -std=c11 $flags "$srcdir/tests/strangers/composite.c" -lm -o composite.so 2>err || note "$(cat err)"
small_project c
mkdir -p "c/plugins/$platform"
cp composite.so "c/plugins/$platform/"
sed -i 's/"lamina.feed_forward"/"acme.composite"/' c/model.json
run 0 trust c --yes
run 0 train c --json
cp out whole.jsonl
first=$(sed -nE '1s/.*"loss": ([0-9.e-]+).*/\1/p' whole.jsonl)
awk -v a="$first" -v b="$(value loss whole.jsonl)" 'BEGIN { exit !(b < a / 2) }' ||
  note "loss from $first to $(value loss whole.jsonl)"
[ "$(grep -c 'layers_1.fprop/energy_scalar": ' whole.jsonl)" = 30 ] ||
  note "no summary of the layer: $(head -n 1 whole.jsonl)"
run 0 inspect c/trained.lam
says out "layers_1: acme.composite" "linear: lamina.linear" "norm: lamina.batch_norm" "energy f32[]" \
  "gain f32[128]"
run 0 train c -q --steps 11 -o c/part.lam
run 0 train c/part.lam -q
cmp c/trained.lam c/part.lam || note "the archives differ"
report "a layer of other plugins' layers, with state, dropout, a loss and summaries, trains and goes on"

run 0 train c -q --steps 3 --replicas 2 -o c/two.lam
run 0 train c/two.lam -q --steps 6 --replicas 2
run 0 eval c/two.lam --replicas 2 --json
says out '"step": 6'
report "and over two replicas"

plan
