# shellcheck shell=bash disable=SC2034,SC2154
# Google's Vertex AI. It shows every bucket as a folder of /gcs.

mount=/gcs/${bucket#gs://}
needs=(registry library project region bucket)
tools=(docker gcloud)
job_file=vertex.yaml
kind=custom-jobs
! $tune || job_file=hptuning_config.yaml kind=hp-tuning-jobs
strategy=STANDARD
[ "$spot" != true ] || strategy=SPOT
[[ $bucket != s3:* ]] || fail "Vertex AI does not read the bucket $bucket" "give one of Google's: gs://NAME" 4

check_target() {
  run gcloud storage buckets describe "$bucket" --project "$project" --format none
  run gcloud ai custom-jobs list --project "$project" --region "$region" --limit 1 --format none # Vertex AI is there, and lets us in
}

submit_job() { # submit_job FILE
  run gcloud ai "$kind" create --project "$project" --region "$region" --display-name "$job" --config "$1"
  tell "gs://${run_folder#/gcs/}" \
    "gcloud ai $kind stream-logs ID --project $project --region $region" \
    "gcloud ai $kind cancel ID --project $project --region $region (create printed the ID)"
}
