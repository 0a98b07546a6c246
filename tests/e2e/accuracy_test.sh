#!/usr/bin/env bash
# accuracy_test.sh PROGRAM: five epochs of Fashion-MNIST bring 91 of 100 pictures of the test set right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" --epochs 5 --run "$folder" 2>&1 | tee "$folder/log"
accuracy=$(sed -n 's/.*accuracy on the test set: \([0-9.]*\) %.*/\1/p' "$folder/log")
awk -v accuracy="$accuracy" 'BEGIN { exit !(accuracy >= 91) }' || { echo "FAILED: $accuracy % is below 91 %"; exit 1; }
