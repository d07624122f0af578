#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Where results go and what reaches the terminal: links, special files, unpacked folders, size limits,
# control characters, losses that are no numbers, exceptions of a plugin.
set -u
. "${LAMINA_SRCDIR:-.}/tests/e2e/lib.sh"

small_project m
run 0 train m -q -o real.lam
chmod 600 real.lam
ln -s real.lam link.lam
run 0 train m -q -o link.lam -f --seed 2
[ -L link.lam ] || note "the link was replaced"
[ "$(stat -c %a real.lam)" = 600 ] || note "permissions changed to $(stat -c %a real.lam)"
run 0 inspect real.lam
report "a link is followed and permissions are kept"

mkfifo pipe
run 5 train m -q --steps 2 -o pipe -f
says err "pipe" "not a regular file"
[ -p pipe ] || note "the fifo is gone"
run 5 pack m pipe -f
[ -p pipe ] || note "the fifo is gone"
report "special files are refused"

run 0 unpack real.lam tree
run 0 train tree -q --steps 35
says out "tree.lam at step 35"
run 0 eval tree
run 0 inspect tree.lam
says out "step 35"
report "an unpacked folder stays whole when it is trained"

(ulimit -f 100; "$lamina" train m -q -o big.lam >out 2>err; echo $? >status)
[ "$(cat status)" = 5 ] || note "wanted status 5, got $(cat status)"
says err "big.lam"
[ -z "$(ls big.lam* 2>/dev/null)" ] || note "left: $(ls big.lam*)"
report "a file size limit is an error that leaves nothing"

run 0 unpack real.lam forged
chmod -R u+w forged
sed -i 's/"digits-mlp"/"digits\\u001b[2K-mlp"/' forged/manifest.json
run 4 inspect forged
says err "control character U+001B"
grep -q $'\033' err && note "the control character reached the terminal"
report "control characters in a manifest are refused"

printf 'x\033[2K' >"$(printf 'a\033b.lam')"
run 4 eval "$(printf 'a\033b.lam')"
says err 'a\x1bb.lam'
report "control characters in messages are shown, not obeyed"

sed -i 's/"learning_rate": [0-9.]*/"learning_rate": 1e30/' m/model.json
run 0 train m -q -o nan.lam
says err "warning: the loss of step" "not finite"
report "a loss that is no number is said"

small_project five
sed -i 's/"num_classes": 10/"num_classes": 5/' five/model.json
run 0 train five -q --steps 3
says err "warning: the loss of step 0 is not finite"
report "labels that are no class do not train silently"

cat >thrower.cc <<'END'
#include <lamina/input.h>
#include <stdexcept>
typedef struct { int64_t batch_size; } thrower;
LAM_FIELDS (thrower, LAM_INT (batch_size, 4, "Rows."))
static lam_status thrower_open (thrower *, const lam_input_args *, lam_error *) { return LAM_OK; }
static void thrower_close (thrower *) {}
static bool thrower_describe (const thrower *p, uint32_t i, const char **name, lam_type *type)
{
  *name = i == 0 ? "inputs" : "labels";
  *type = lam_type ();
  type->dtype = i == 0 ? LAM_F32 : LAM_I32;
  type->rank = i == 0 ? 4 : 1;
  type->dims[0] = p->batch_size;
  type->dims[1] = type->dims[2] = 8;
  type->dims[3] = 1;
  return i < 2;
}
static lam_status thrower_next (thrower *, void *const *, lam_error *) { throw std::runtime_error ("no"); }
static void thrower_reset (thrower *) {}
static int64_t thrower_batches (const thrower *) { return -1; }
static uint64_t thrower_state_size (const thrower *) { return 0; }
static void thrower_save (const thrower *, void *) {}
static lam_status thrower_restore (thrower *, const void *, uint64_t, lam_error *) { return LAM_OK; }
LAM_INPUT (thrower, "test.thrower", 1, "Throws.")
LAM_PLUGIN ("test.throwers", "1.0.0", "Apache-2.0", LAM_PROVIDES (thrower))
END
if g++ -std=c++17 -I"$srcdir/sdk" -shared -fPIC thrower.cc -o thrower.so 2>err; then
  small_project t
  sed -i '0,/"type": "lamina.npz"/s/"type": "lamina.npz".*/"type": "test.thrower"/' t/model.json
  sed -i '/"type": "test.thrower"/,/}/{/"type": "test.thrower"/!{/}/!d}}' t/model.json
  run 8 train t -q --plugin ./thrower.so
  [ ! -e t/trained.lam ] || note "an archive was written"
  report "an exception of an input is an error"
elif command -v g++ >/dev/null; then
  note "$(cat err)"
  report "an exception of an input is an error"
fi

plan
