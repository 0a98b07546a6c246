#!/usr/bin/env bash
# fashion_mnist_test.sh PROGRAM: a short training on the real data learns, is repeatable, and bad input gets its error.
set -uo pipefail
program=$1
fail() { printf 'FAILED: %s\n' "$1"; exit 1; }

first=$("$program" --steps 100 2>&1) || fail "training exits with $?: $first"
printf '%s\n' "$first"
loss=$(sed -n 's/.*step  100  loss \([0-9.]*\).*/\1/p' <<<"$first")
awk -v loss="$loss" 'BEGIN { exit !(loss > 0 && loss < 1.2) }' || fail "the loss after 100 steps is '$loss', not below 1.2"
second=$("$program" --steps 100 2>&1)
[ "$(grep -o 'step .*' <<<"$first")" = "$(grep -o 'step .*' <<<"$second")" ] || fail "the same seed gives another loss: $second"

# expect CODE TEXT ARGUMENTS...: the exit code and the whole of standard error
expect() {
  local code=$1 text=$2 output status=0
  shift 2
  output=$("$program" "$@" 2>&1) || status=$?
  [ "$status" -eq "$code" ] || fail "$*: exit code $status, not $code: $output"
  [ "$output" = "$text" ] || fail "$*: it says
$output
and not
$text"
}
expect 3 "usage error: steps is out of range: 0 (--steps)
  fix: give an integer of at least 1" --steps 0
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
expect 5 "data error: the data file cannot be opened: $empty/train-images-idx3-ubyte.gz
  fix: on Debian, apt-get install dataset-fashion-mnist brings the files; elsewhere give --data FOLDER" --data "$empty"
printf 'nonsense' | gzip >"$empty/train-images-idx3-ubyte.gz"
expect 5 "data error: the data file is not IDX of bytes: $empty/train-images-idx3-ubyte.gz
  fix: on Debian, apt-get install dataset-fashion-mnist brings the files; elsewhere give --data FOLDER" --data "$empty"
printf '\0\0\010\003\0\0\0\012\0\0\0\034\0\0\0\034short' | gzip >"$empty/train-images-idx3-ubyte.gz"
expect 5 "data error: the data file ends too early: $empty/train-images-idx3-ubyte.gz
  fix: on Debian, apt-get install dataset-fashion-mnist brings the files; elsewhere give --data FOLDER" --data "$empty"
