#!/usr/bin/env bash
# probe_test.sh PROBE: with a GPU the probe succeeds; without one it says so in one clear error, exit code 2.
set -u
output=$("$1" 2>&1)
status=$?
printf '%s\n' "$output"
if [ -e /proc/driver/nvidia/version ]; then
  [ "$status" -eq 0 ]
else
  [ "$status" -eq 2 ] && [[ $output == *"device error: no CUDA GPU can be used: "* ]]
fi
