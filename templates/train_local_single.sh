#!/usr/bin/env bash
# Trains on one GPU of this machine.
#
#   ./train_local_single.sh GPU_ID [PRESET] [OPTION]... [-- FLAG]...
#   ./train_local_single.sh --resume JOB [OPTION]... [-- FLAG]...
#
# GPU_ID is a number that nvidia-smi shows, PRESET is cuda by default, see CMakePresets.json.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"

runs=runs # folder in which each job gets a folder of its own
data=data
batch_size=32
<% if task == "image-classification" %>
learning_rate=0.003
<% else %>
learning_rate=0.01
<% endif %>
epochs=5
job_prefix=<@ job_name @>

source scripts/job.sh
source scripts/gpu.sh
most_arguments=2
parse_options "$@"
gpu=${arguments[0]:-}
preset=${arguments[1]:-cuda}

[ -n "$gpu" ] || fail "which GPU?" "give GPU_ID, a number that nvidia-smi shows; --help says more"
check_gpu "$gpu"
build_project "$preset" <@ identifier @>
export CUDA_VISIBLE_DEVICES=$gpu
start_job "$preset" --device cuda
