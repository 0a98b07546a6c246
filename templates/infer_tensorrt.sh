#!/usr/bin/env bash
# Builds TensorRT's plan of an exported model, compares its answers with ONNX Runtime's, and says how fast it is.
#
#   ./infer_tensorrt.sh JOB GPU_ID [-- FLAG]...
#
# JOB is a folder in runs (export.sh makes other precisions), or an export itself; GPU_ID is a number that nvidia-smi shows.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
source scripts/job.sh
source scripts/gpu.sh
most_arguments=2
parse_arguments "$@"
find_run "${arguments[0]:-}"
gpu=${arguments[1]:-}
[ -n "$gpu" ] || fail "which GPU?" "give GPU_ID, a number that nvidia-smi shows; --help says more"
check_gpu "$gpu"
[ -d "$run/exports" ] && exported=$run/exports || exported=$run
build_project cuda <@ identifier @>
export CUDA_VISIBLE_DEVICES=$gpu
exec build/cuda/<@ identifier @> check --export "$exported" --target tensorrt:0 "${flags[@]}"
