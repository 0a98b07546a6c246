#!/usr/bin/env bash
# Writes the answers of a trained model to a file: for the test data, or for questions of your own.
#
#   ./predict.sh JOB [OUTPUT]                    the best weights, the test data
#   ./predict.sh JOB OUTPUT INPUT [-- FLAG]...   the best export, and INPUT: JSON lines or .safetensors, - for a pipe
#   ./predict.sh JOB - - -- --ask '{"NAME": VALUE}'   one question, its answer to the terminal
#
# JOB is a folder in runs, or the path of another. OUTPUT is a .csv file; with INPUT also JSON lines, .safetensors, or - .
set -euo pipefail
caller=$PWD
cd "$(dirname "$(readlink -f "$0")")"
source scripts/job.sh
most_arguments=3
parse_arguments "$@"
find_run "${arguments[0]:-}"
from_caller() { case $1 in - | /*) echo "$1" ;; *) realpath --canonicalize-missing --no-symlinks -- "$caller/$1" ;; esac }
output=$(from_caller "${arguments[1]:-predictions.csv}")
build_project release <@ identifier @>
if [ ${#arguments[@]} -gt 2 ]; then
  input=$(from_caller "${arguments[2]}")
  exec build/release/<@ identifier @> infer --export "$run/exports" --input "$input" --output "$output" "${flags[@]}"
fi
exec build/release/<@ identifier @> predict --run "$run" --weights best --output "$output" "${flags[@]}"
