#!/usr/bin/env bash
# Writes the answers of a trained model to a file: for the test data, or for questions of your own.
#
#   ./predict.sh JOB [OUTPUT]                    the best weights, the test data
#   ./predict.sh JOB OUTPUT INPUT [-- FLAG]...   the newest export, and INPUT: JSON lines or .safetensors, - for a pipe
#
# JOB is a folder in runs, or the path of another. OUTPUT is a .csv file; with INPUT also JSON lines, .safetensors, or - .
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
source scripts/job.sh
parse_arguments "$@"
find_run "${arguments[0]:-}"
output=${arguments[1]:-predictions.csv}
build_project release <@ identifier @>
if [ ${#arguments[@]} -gt 2 ]; then
  exec build/release/<@ identifier @> infer --export "$run/exports" --input "${arguments[2]}" --output "$output" "${flags[@]}"
fi
exec build/release/<@ identifier @> predict --run "$run" --weights best --output "$output" "${flags[@]}"
