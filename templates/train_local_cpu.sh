#!/usr/bin/env bash
# Trains on the processors of this machine.
#
#   ./train_local_cpu.sh [PRESET] [OPTION]... [-- FLAG]...
#   ./train_local_cpu.sh --resume JOB [OPTION]... [-- FLAG]...
#
# PRESET is release (the default) or debug, see CMakePresets.json.
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
parse_options "$@"
preset=${arguments[0]:-release}

build_project "$preset" <@ identifier @>
start_job "$preset" --device cpu
