#!/usr/bin/env bash
# make_records_test.sh PROGRAM: each kind of input becomes shards; bad input gets its error and leaves nothing behind.
set -uo pipefail
program=$1
fail() { printf 'FAILED: %s\n' "$1"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# shards FOLDER: the names of all files in it, on one line
shards() { find "$1" -mindepth 1 -printf '%f\n' 2>/dev/null | sort | paste -sd ' '; }
run() { "$program" "$@" >log 2>&1 || fail "$*: exit code $?: $(cat log)"; }
expect() {
  local code=$1 text=$2 status=0
  shift 2
  "$program" "$@" >log 2>&1 || status=$?
  [ "$status" -eq "$code" ] || fail "$*: exit code $status, not $code: $(cat log)"
  grep -qF -- "$text" log || fail "$*: it says $(cat log) and not $text"
}

printf 'width,kind\n1,cat\n2,dog\n3.5,cat\n' >rows.csv
run --kind csv --input rows.csv --label kind --label_kind name --output csv --shard_count 2
[ "$(shards csv)" = "data-00000-of-00002.tfrecord data-00001-of-00002.tfrecord" ] || fail "csv: $(shards csv)"
expect 5 "already" --kind csv --input rows.csv --label kind --label_kind name --output csv

printf '\0\0\010\003\0\0\0\002\0\0\0\001\0\0\0\001AB' >images
printf '\0\0\010\001\0\0\0\002\001\002' | gzip >labels.gz
run --kind idx --input images --labels labels.gz --output idx --name digits
[ "$(shards idx)" = "digits-00000-of-00001.tfrecord" ] || fail "idx: $(shards idx)"
expect 3 "idx needs the file of the labels" --kind idx --input images --output none

mkdir -p pictures/dot
base64 -d >pictures/dot/1.png <<<"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
run --kind images --input pictures --output images_out
[ "$(shards images_out)" = "data-00000-of-00001.tfrecord" ] || fail "images: $(shards images_out)"
printf 'path,label\npictures/dot/1.png,3\n' >list.csv
run --kind images --input list.csv --output list_out
expect 5 "list.csv:2: the label is not from 0 to 2: 3" --kind images --input list.csv --classes 3 --output none

cp pictures/dot/1.png pictures/dot/2.png
truncate -s 60 pictures/dot/2.png
expect 5 "the picture does not decode: pictures/dot/2.png" --kind images --input pictures --output none --shard_count 2
printf 'width,kind\n1,cat\n2\n' >rows.csv
expect 5 "rows.csv:3: 1 columns instead of 2" --kind csv --input rows.csv --label kind --label_kind name --output none
[ "$(shards none)" = "" ] || fail "bad input left behind: $(shards none)"
expect 3 "kind" --kind tsv --input rows.csv --output none
expect 3 "gone.csv" --kind csv --input gone.csv --output none
