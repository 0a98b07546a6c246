# shellcheck shell=bash disable=SC2034
# Where this project trains away from this machine, and on what. Each of these is also an option of train_cloud.sh
# (--gpus-per-node 2) and an environment variable (CLOUD_GPUS_PER_NODE=2); options win.

nodes=${CLOUD_NODES:-1}
<% if cuda %>
gpus_per_node=${CLOUD_GPUS_PER_NODE:-1}   # a rank for each; 0: processors alone
<% endif %>
ranks_per_node=${CLOUD_RANKS_PER_NODE:-1} # on nodes without GPUs
max_restarts=${CLOUD_MAX_RESTARTS:-3}     # from the last checkpoint, after a failure<% if "slurm" in cloud %>; not under Slurm<% endif %>

# The container.
# It is built from nothing, so it fetches the runtime library (scaffold) too: from this git repository, at its tag
# v<@ scaffold_version @>. Give an address that can be read without a password: https://HOST/OWNER/scaffold.git
library=${CLOUD_LIBRARY:-}
base_image=${CLOUD_BASE_IMAGE:-debian:12.12-slim} # for GPUs too: Conan brings CUDA, the node its driver
image=${CLOUD_IMAGE:-<@ job_name @>}
<% if "kubeflow" in cloud or "vertex" in cloud or "skypilot" in cloud %>
registry=${CLOUD_REGISTRY:-} # that it is pushed to, such as europe-west4-docker.pkg.dev/PROJECT/REPOSITORY
<% endif %>
hyper_parameters+=(nodes<% if cuda %> gpus_per_node<% endif %> ranks_per_node max_restarts library base_image image<% if "kubeflow" in cloud or "vertex" in cloud or "skypilot" in cloud %> registry<% endif %>)
<% if "slurm" in cloud or "kubeflow" in cloud or "skypilot" in cloud %>

# A node.
cpus_per_node=${CLOUD_CPUS_PER_NODE:-8}
memory_per_node=${CLOUD_MEMORY_PER_NODE:-32} # in GB
hyper_parameters+=(cpus_per_node memory_per_node)
<% endif %>
<% if "vertex" in cloud or "skypilot" in cloud %>

# Data and outputs.
bucket=${CLOUD_BUCKET:-}  # gs://NAME<% if "skypilot" in cloud %> or s3://NAME<% endif %>
spot=${CLOUD_SPOT:-false} # true: cheaper machines, which may be taken away
hyper_parameters+=(bucket spot)
<% endif %>
<% if "slurm" in cloud %>

# Slurm.
partition=${CLOUD_PARTITION:-}           # empty: the cluster's default
time_limit=${CLOUD_TIME_LIMIT:-24:00:00} # of one turn: a job that has not ended goes to the queue again
container=${CLOUD_CONTAINER:-apptainer}  # or none: the program that this machine builds, on a shared file system
hyper_parameters+=(partition time_limit container)
<% endif %>
<% if "kubeflow" in cloud %>

# Kubernetes with Kubeflow Trainer.
namespace=${CLOUD_NAMESPACE:-default}
runtime=${CLOUD_RUNTIME:-torch-distributed} # kubectl get clustertrainingruntimes
claim=${CLOUD_CLAIM:-}                      # persistent volume claim for data and outputs, writable by many nodes
hyper_parameters+=(namespace runtime claim)
<% endif %>
<% if "vertex" in cloud %>

# Vertex AI.
project=${CLOUD_PROJECT:-}
region=${CLOUD_REGION:-} # such as europe-west4; the bucket's too
<% if cuda %>
machine_type=${CLOUD_MACHINE_TYPE:-g2-standard-12} # with one L4; the accelerators must fit the machine
accelerator=${CLOUD_ACCELERATOR:-NVIDIA_L4}
<% else %>
machine_type=${CLOUD_MACHINE_TYPE:-n2-standard-8}
<% endif %>
trials=${CLOUD_TRIALS:-20}                  # of --tune
parallel_trials=${CLOUD_PARALLEL_TRIALS:-4}
hyper_parameters+=(project region machine_type<% if cuda %> accelerator<% endif %> trials parallel_trials)
<% endif %>
<% if "skypilot" in cloud %>

# SkyPilot.
infra=${CLOUD_INFRA:-} # such as gcp, aws/us-east-1, kubernetes; empty: wherever it is cheapest
<% if cuda %>
sky_accelerator=${CLOUD_SKY_ACCELERATOR:-L4}
<% endif %>
hyper_parameters+=(infra<% if cuda %> sky_accelerator<% endif %>)
<% endif %>
