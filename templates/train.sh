#!/usr/bin/env bash
# Trains <@ job_name @>.
set -euo pipefail
device=<% if cuda %>cuda<% else %>cpu<% endif %>

echo "training <@ job_name @> on $device"
