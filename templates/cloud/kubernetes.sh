# shellcheck shell=bash disable=SC2034,SC2154
# Kubernetes with Kubeflow Trainer 2.2 or newer. A claim holds data and outputs.

mount=/storage
needs=(registry library claim)
tools=(docker kubectl)
job_file=trainjob.yaml
name_limit=45 # Kubernetes adds -node-0-NUMBER and five letters to the names of the pods

check_target() {
  run kubectl get --namespace "$namespace" "persistentvolumeclaim/$claim" "clustertrainingruntime/$runtime"
}

submit_job() { # submit_job FILE
  run kubectl create --filename "$1"
  tell "$run_folder in the claim $claim" \
    "kubectl logs --namespace $namespace --selector jobset.sigs.k8s.io/jobset-name=$job --prefix --follow" \
    "kubectl delete trainjob --namespace $namespace $job"
}
