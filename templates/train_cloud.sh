#!/usr/bin/env bash
# Trains on other machines: builds a container of this project, submits a job, and says where its outputs go.
#
#   ./train_cloud.sh TARGET [OPTION]... [-- FLAG]...
#
# TARGET is one of: <@ replace(replace(join(cloud, ", "), "kubeflow", "kubernetes"), "skypilot", "sky") @>.
# What it needs is asked for in cloud/settings.sh; each setting is an option too, or an environment variable (CLOUD_NODES).
# --resume JOB goes on with a job that was stopped, with the options and flags that it had; those given again win.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"

runs=runs # this and the data: below what the target mounts, unless they begin with /
data=data
batch_size=32
<% if task == "image-classification" %>
learning_rate=0.003
<% else %>
learning_rate=0.01
<% endif %>
epochs=5
job_prefix="<@ job_name @>"

source scripts/job.sh
source scripts/cloud.sh
source cloud/settings.sh
parse_options "$@"
choose_target "${arguments[0]:-}"<% for target in cloud %> <% if target == "kubeflow" %>kubernetes<% else if target == "skypilot" %>sky<% else %><@ target @><% endif %><% endfor %>

<% if "vertex" in cloud %>
if $tune && [ "$target" != vertex ]; then fail "--tune is not for $target" "./train_cloud.sh vertex --tune"; fi

<% endif %>
# shellcheck source=/dev/null
source "cloud/$target.sh"
check_settings "${needs[@]}"
$dry_run || check_tools "${tools[@]}"
prepare_job
check_target
build_image
submit_job "runlogs/$job/$job_file"
! $dry_run || exit 0
write_down "./train_cloud.sh" "$@"
