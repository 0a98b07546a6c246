#!/usr/bin/env bash
# Builds the project and runs its tests: ./test.sh [PRESET]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
source scripts/job.sh

preset=${1:-release}
build_project "$preset"
ctest --test-dir "build/$preset" --output-on-failure
