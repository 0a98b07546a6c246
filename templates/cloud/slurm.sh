# shellcheck shell=bash disable=SC2034,SC2154
# Slurm: srun starts the ranks. Data and outputs are in the project's folder, on a file system that all nodes see.

mount=
needs=()
tools=(sbatch)
job_file=slurm.sbatch
case $container in
  apptainer) needs+=(library) tools+=(apptainer) ;;
  none) ;;
  *) fail "container is '$container'" "apptainer or none" 4 ;;
esac

start_words() {
  image_file=build/$image-$tag.sif
  cpus_per_rank=$((cpus_per_node > ranks ? cpus_per_node / ranks : 1))
  words=("build/$preset/<@ identifier @>" train)
  [ "$container" = none ] || words=(apptainer exec "$image_file" /usr/local/bin/<@ identifier @> train)
  [ "$container-$device" != apptainer-cuda ] || words=("${words[@]:0:2}" --nv "${words[@]:2}")
}

check_target() {
  run sinfo --summarize
}

build_image() {
  if [ "$container" = none ]; then
    echo "+ cmake --build --preset $preset --target <@ identifier @>"
    $dry_run || build_project "$preset" <@ identifier @>
  elif [ ! -e "$image_file" ]; then
    mkdir -p build
    run apptainer build --build-arg "BASE=$base_image" --build-arg "PRESET=$preset" --build-arg "LIBRARY=$library" "$image_file" cloud/apptainer.def
  fi
}

submit_job() { # submit_job FILE
  run sbatch "$1"
  tell "$run_folder" "runlogs/$job/slurm.out" "scancel --name $job"
}
