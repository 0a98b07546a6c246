#!/usr/bin/env bash
# Trains with several processes of this machine, the ranks of one training.
#
#   ./train_local_dist.sh -n RANKS [PRESET] [OPTION]... [-- FLAG]...          on the processors
<% if cuda %>
#   ./train_local_dist.sh -g GPU_ID,GPU_ID... [PRESET] [OPTION]... [-- FLAG]...   a rank for each GPU
<% endif %>
#   ./train_local_dist.sh --resume JOB [OPTION]... [-- FLAG]...
#
<% if cuda %>
# PRESET is release by default, with GPUs cuda, see CMakePresets.json. If a rank fails, all start again from the last
# checkpoint, at most --max-restarts times. What rank 2 prints is in runlogs/JOB/rank-2.out.
<% else %>
# PRESET is release by default, see CMakePresets.json. If a rank fails, all start again from the last checkpoint, at most
# --max-restarts times. What rank 2 prints is in runlogs/JOB/rank-2.out.
<% endif %>
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
ranks=
<% if cuda %>
gpus=
<% endif %>
max_restarts=3

source scripts/job.sh
<% if cuda %>
source scripts/gpu.sh
hyper_parameters+=(ranks gpus max_restarts)
parse_options "$@"

if [ -n "$gpus" ]; then
  [ -z "$ranks" ] || fail "both -n and -g are given" "-n RANKS for processors, or -g GPU_ID,GPU_ID... for GPUs"
  IFS=, read -ra ids <<<"$gpus,"
  for gpu in "${ids[@]}"; do check_gpu "$gpu"; done
  launch=(--gpus "$gpus")
  device=cuda preset=${arguments[0]:-cuda}
else
  [[ $ranks =~ ^[1-9][0-9]{0,3}$ && $ranks -le 1024 ]] || fail "the number of ranks is '$ranks'" "-n RANKS, from 1 to 1024, or -g GPU_ID,GPU_ID... for GPUs"
  launch=(--ranks "$ranks")
  device=cpu preset=${arguments[0]:-release}
fi
<% else %>
hyper_parameters+=(ranks max_restarts)
parse_options "$@"
[[ $ranks =~ ^[1-9][0-9]{0,3}$ && $ranks -le 1024 ]] || fail "the number of ranks is '$ranks'" "-n RANKS, from 1 to 1024"
launch=(--ranks "$ranks")
device=cpu preset=${arguments[0]:-release}
<% endif %>
[[ $max_restarts =~ ^[0-9]{1,5}$ ]] || fail "the number of restarts is '$max_restarts'" "--max-restarts 0, or more"
launch+=(--max_restarts "$max_restarts")

build_project "$preset" <@ identifier @>
start_job "$preset" --device "$device"
