#!/usr/bin/env bash
# Ends a job between two steps, with a checkpoint. Without an argument it lists the jobs that run.
#
#   ./stop.sh [JOB]
#
# To go on: the script that started it, with --resume JOB
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
source scripts/job.sh
parse_arguments "$@"

if [ ${#arguments[@]} -eq 0 ]; then
  jobs=0
  for file in runlogs/*/train.pid; do
    [ -e "$file" ] || continue
    job=${file#runlogs/} job=${job%%/*}
    if is_running "$job"; then echo "$job" && jobs=$((jobs + 1)); fi
  done
  [ $jobs -gt 0 ] || echo "no job runs"
  exit
fi

job=${arguments[0]#runs/} job=${job#runlogs/} job=${job%/} # as a shell completes it
[ -d "runlogs/$job" ] || fail "there is no job $job" "./stop.sh without an argument lists those that run"
# Of a job with several ranks this is the launcher, which tells them: they stop after the same step.
[ -f "runlogs/$job/train.pid" ] || fail "the job $job was not started on this machine" "stop it where it runs; train_cloud.sh said how"
pid=$(cat "runlogs/$job/train.pid")
if ! is_running "$job"; then
  echo "$job has ended already"
  exit
fi
kill -TERM "$pid"
while is_running "$job"; do sleep 0.1; done
echo "$job is stopped"
script=$(sed -n 's/^script=//p' "runlogs/$job/options" 2>/dev/null) || script=
[ -z "$script" ] || echo "  go on: ./$script --resume $job"
