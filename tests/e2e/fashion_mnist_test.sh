#!/usr/bin/env bash
# fashion_mnist_test.sh PROGRAM: a part of an epoch on the real data learns, is repeatable, and bad input gets its error.
set -uo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
data=/usr/share/datasets/fashion-mnist
fail() { printf 'FAILED: %s\n' "$1"; exit 1; }

output=$("$program" --steps 350 --run learns 2>&1) || fail "training exits with $?: $output"
printf '%s\n' "$output"
accuracy=$(sed -n 's/.*accuracy on the test set: \([0-9.]*\) %.*/\1/p' <<<"$output")
awk -v accuracy="$accuracy" 'BEGIN { exit !(accuracy >= 80) }' || fail "$accuracy % right after a part of an epoch, not 80"

short=(--steps 20 --log_every 5 --deterministic --data.limit 2000 --checkpoint.every_epochs 0)
first=$("$program" "${short[@]}" --run a 2>&1) || fail "training exits with $?: $first"
second=$("$program" "${short[@]}" --run b --data.threads 3 2>&1)
steps() { grep -o 'step .*loss.*' <<<"$1"; }
[ -n "$(steps "$first")" ] || fail "no steps in the log: $first"
[ "$(steps "$first")" = "$(steps "$second")" ] || fail "the same seed gives another loss: $second"
cmp a/checkpoints/step-20/model.safetensors b/checkpoints/step-20/model.safetensors || fail "the same seed gives other weights"

"$program" --smoke --run smoke >smoke.log 2>&1 || fail "the smoke run fails: $(cat smoke.log)"
grep -q 'smoke run passed: train, validate, save, restore, predict' smoke.log || fail "the smoke run says: $(cat smoke.log)"

# expect CODE TEXT ARGUMENTS...: the exit code, and the whole of standard error, in a run that leaves nothing behind
expect() {
  local code=$1 text=$2 output status=0
  shift 2
  output=$("$program" --runs none "$@" 2>&1) || status=$?
  [ "$status" -eq "$code" ] || fail "$*: exit code $status, not $code: $output"
  [ "$output" = "$text" ] || fail "$*: it says
$output
and not
$text"
  [ ! -e none ] || fail "$*: it leaves a run folder behind"
}
expect 3 "usage error: steps is out of range: -1 (--steps)
  fix: give an integer of at least 0" --steps -1
expect 3 "usage error: there is no setting of this name: optimizer.learning_rat (--optimizer.learning_rat)
  fix: did you mean optimizer.learning_rate?" --optimizer.learning_rat 0.1
printf 'seed = "many"\n' >wrong.toml
expect 4 "config error: seed is not an integer" --config wrong.toml
mkdir empty
expect 5 "data error: the data file cannot be opened" --folder empty
