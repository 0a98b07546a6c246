#!/usr/bin/env bash
# Exports a trained model for other engines: ONNX, TorchScript and its weights, in one folder.
#
#   ./export.sh JOB [PRECISION] [-- FLAG]...
#
# JOB is a folder in runs, or the path of another; PRECISION is fp32 (the default), fp16 or int8.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
source scripts/job.sh
most_arguments=2
parse_arguments "$@"
find_run "${arguments[0]:-}"
build_project release <@ identifier @>
exec build/release/<@ identifier @> export --run "$run" --weights best --callbacks.exporter.precision "${arguments[1]:-fp32}" "${flags[@]}"
