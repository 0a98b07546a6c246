#!/usr/bin/env bash
# fashion_mnist_test.sh PROGRAM: a part of an epoch on the real data learns, is repeatable, and bad input gets its error.
set -uo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
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
# It works, or the user of a machine that refuses LibTorch's instructions for bf16 is told how to do without them.
status=0
"$program" --precision bf16 --steps 2 --run half >half.log 2>&1 || status=$?
if [ $status != 0 ]; then
  [ "$(grep -c '^device error' half.log)" = 1 ] || fail "bf16 says it more than once: $(cat half.log)"
  [ $status = 2 ] || fail "bf16 ends with $status: $(cat half.log)"
  grep -q 'fix: set ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16' half.log || fail "bf16 does not say why: $(cat half.log)"
  ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 "$program" --precision bf16 --steps 2 --run half >half.log 2>&1 || fail "nor so: $(cat half.log)"
fi

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
expect 3 "usage error: unknown flag: --optimizer.learning_rat
  fix: did you mean --optimizer.learning_rate? (--help lists all)" --optimizer.learning_rat 0.1
printf 'seed = "many"\n' >wrong.toml
expect 4 'config error: seed expects an integer, found the text "many" (wrong.toml:1)
  fix: give an integer' --config wrong.toml
expect 4 "config error: fp16 needs a GPU: device = \"cpu\"
  fix: use precision = \"bf16\" or \"fp32\" on the CPU" --precision fp16 --device cpu
mkdir empty
expect 5 "data error: there is no such data file: empty/t10k-images-idx3-ubyte.gz
  fix: check the path, and that this user may read the file" --folder empty

# labels OUT_OF_TEN: a data set of two pictures, the second with this label
labelled() {
  mkdir -p labelled
  for part in train t10k; do
    { printf '\0\0\010\003\0\0\0\002\0\0\0\034\0\0\0\034'; head -c 1568 /dev/zero; } >labelled/$part-images-idx3-ubyte.gz
    { printf '\0\0\010\001\0\0\0\002\003'; printf '%b' "\\0$1"; } >labelled/$part-labels-idx1-ubyte.gz
  done
}
labelled 012
output=$("$program" --folder labelled --run refused --data.shuffle false 2>&1)
[ $? -eq 5 ] || fail "a label out of range exits otherwise: $output"
grep -A1 -q 'data error: .*10.*example 1' <<<"$output" || fail "a label out of range says: $output"
grep -q 'Exception raised from' <<<"$output" && fail "an error shows a stack trace: $output"
labelled 011
"$program" --folder labelled --run accepted --epochs 1 >accepted.log 2>&1 || fail "a label in range is refused: $(cat accepted.log)"

# A disk that takes no more (here: no file above 6 MB) ends the run with its error, and the checkpoint before stays whole.
save=(--run full --data.limit 2000 --checkpoint.every_steps 5)
"$program" "${save[@]}" --steps 5 >full.log 2>&1 || fail "a short run fails: $(cat full.log)"
status=0
(trap '' XFSZ; ulimit -f 6000; exec "$program" "${save[@]}" --steps 10 >full.log 2>&1) || status=$?
[ "$status" -eq 6 ] || fail "a full disk exits with $status: $(cat full.log)"
grep -q 'checkpoint error: ' full.log || fail "a full disk says: $(cat full.log)"
[ "$(ls full/checkpoints)" = step-5 ] || fail "after a full disk there are: $(ls -A full/checkpoints)"
"$program" "${save[@]}" --steps 10 >full.log 2>&1 || fail "the run does not go on: $(cat full.log)"
grep -q 'restored step 5' full.log || fail "the run goes on otherwise: $(cat full.log)"

printf 'x' | dd of=full/checkpoints/step-10/model.safetensors bs=1 seek=1000000 conv=notrunc status=none
"$program" "${save[@]}" --steps 12 >damaged.log 2>&1 || fail "a damaged checkpoint ends the run: $(cat damaged.log)"
grep -q 'step-10' damaged.log || fail "no warning names the damaged checkpoint: $(cat damaged.log)"
grep -q 'restored step 5' damaged.log || fail "it does not fall back: $(cat damaged.log)"
echo "the example learns, repeats itself and refuses what is wrong"
