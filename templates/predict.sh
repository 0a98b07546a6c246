#!/usr/bin/env bash
# Writes the answers of a trained model for the test data to a CSV file.
#
#   ./predict.sh JOB [OUTPUT]
#
# JOB is a folder in runs, or the path of another.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
source scripts/job.sh
help_if_asked "$@"

[ $# -ge 1 ] || fail "whose weights?" "./predict.sh JOB [OUTPUT], with one of the folders in runs"
run=$1
[ -d "$run" ] || run=runs/$1
build_project release <@ identifier @>
exec build/release/<@ identifier @> predict --run "$run" --weights best --output "${2:-predictions.csv}"
