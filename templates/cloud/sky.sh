# shellcheck shell=bash disable=SC2034,SC2154
# SkyPilot: a managed job on the cloud that it finds. The bucket is mounted on every node.

mount=/bucket
needs=(registry library bucket)
tools=(docker sky)
job_file=sky.yaml
stage=sky

check_target() {
  run sky check
}

submit_job() { # submit_job FILE
  run sky jobs launch --yes --detach-run "$1"
  tell "$bucket/${run_folder#"$mount"/}" "sky jobs logs --name $job" "sky jobs cancel --name $job"
}
