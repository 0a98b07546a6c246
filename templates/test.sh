#!/usr/bin/env bash
# Builds the project and runs its tests.
#
#   ./test.sh [PRESET]
#
# PRESET is release by default, see CMakePresets.json.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
source scripts/job.sh
parse_arguments "$@"

preset=${arguments[0]:-release}
build_project "$preset" all
ctest --test-dir "build/$preset" --output-on-failure || fail "a test fails" "see above" 1
