#!/usr/bin/env bash
# Writes the answers of a trained model for the test data to a CSV file.
#
#   ./predict.sh JOB [OUTPUT]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
source scripts/job.sh
runs=runs

[ $# -ge 1 ] || fail "whose weights?" "./predict.sh JOB [OUTPUT], with one of the folders in $runs"
build_project release
exec build/release/<@ identifier @> predict --run "$runs/$1" --weights best --output "${2:-predictions.csv}"
