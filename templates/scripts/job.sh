# shellcheck shell=bash
# What the scripts share: options, building, and a job with its log. They source it from the project's folder.

# The hyper-parameters that a script gives are also options: learning_rate is --learning-rate.
hyper_parameters=(runs data batch_size learning_rate epochs job_prefix)
switches=(background edit) # options without a value
switch_help="--background (detach; stop.sh ends it), --edit (write the hypothesis now)"
background=false
edit=false
arguments=() # what is no option
flags=()     # what follows --, for the program
launch=()    # options of the program's launcher, where a job has several ranks

fail() { # fail WHAT FIX [EXIT CODE]
  printf '%s: %s\n  fix: %s\n' "${0##*/}" "$1" "$2" >&2
  exit "${3:-3}"
}

print_usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$0"; }

# For scripts without options.
help_if_asked() { case ${1:-} in -h | --help) print_usage && exit 0 ;; esac }
parse_arguments() {
  help_if_asked "$@"
  hyper_parameters=() switches=()
  parse_options "$@"
}

print_help() {
  print_usage
  echo
  echo "Options: $switch_help, and with their values here:"
  local name
  for name in "${hyper_parameters[@]}"; do printf '  --%-16s %s\n' "${name//_/-}" "${!name}"; done
  echo "What follows -- goes to the program: -- --precision bf16"
}

parse_options() {
  local name
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help) print_help && exit 0 ;;
      -n) set -- -n --ranks "${@:2}" ;;
      -g) set -- -g --gpus "${@:2}" ;;
      --) flags=("${@:2}") && return ;;
      --*)
        name=${1#--} name=${name//-/_}
        if [[ " ${switches[*]} " = *" $name "* ]]; then
          printf -v "$name" true
        else
          [[ " ${hyper_parameters[*]} " = *" $name "* ]] || fail "unknown option '$1'" "--help lists them"
          [ $# -gt 1 ] || fail "$1 needs a value" "$1 VALUE"
          printf -v "$name" %s "$2" && shift
        fi
        ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
}

# find_run JOB: the folder of a job, as $run.
find_run() {
  [ -n "$1" ] || fail "whose weights?" "give JOB, one of the folders in runs; --help says more"
  run=$1
  [ -d "$run" ] || run=runs/$1
  [ -d "$run" ] || fail "there is no job '$1'" "give one of the folders in runs, or the path of another"
}

# On $PATH, or the one that was installed with the scaffold command.
find_conan() {
  command -v conan && return
  local tool
  tool=$(readlink -f "$(command -v scaffold)") && tool=${tool%/bin/*}/libexec/scaffold/venv/bin/conan
  [ -x "$tool" ] || fail "Conan is not on this machine" "python3 -m pip install conan, or \`./dev install\` in scaffold's repository"
  echo "$tool"
}

# build_project PRESET TARGET...: does only what is left to do, and shows the end of its log if that fails.
build_project() {
  local preset=$1 log=build/$1/build.log
  grep -q "\"name\": \"$preset\", \"inherits\"" CMakePresets.json || fail "there is no preset '$preset'" "see CMakePresets.json"
  mkdir -p "build/$preset"
  echo "building ($preset) ..."
  if ! build_steps "$@" >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    fail "the build failed" "see $log"
  fi
}

build_steps() {
  local preset=$1
  install_dependencies "$preset" || return
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" || return
  cmake --build --preset "$preset" --target "${@:2}"
}

install_dependencies() { # install_dependencies PRESET
  local preset=$1 toolchain=build/$1/generators/conan_toolchain.cmake conan profile options=(-s build_type=Release)
  if [ -f "$toolchain" ] && [ ! conanfile.py -nt "$toolchain" ]; then return; fi
  conan=$(find_conan) || return
  [ "$preset" != debug ] || options=(-s build_type=Debug)
  [ "$preset" != cuda ] || options+=(-o '&:with_cuda=True')
  "$conan" profile path default || "$conan" profile detect || return
  if profile=$("$conan" profile path scaffold); then
    options+=(-pr:a scaffold)
    ! grep -q '^\[platform_requires\]' "$profile" || options+=(-r scaffold) # all else is on this machine
  fi
  "$conan" install . "${options[@]}" --build missing
}

# Names the job after its prefix and the time, and makes its folder in runlogs.
name_job() {
  mkdir -p runlogs
  [ -w runlogs ] || fail "the folder runlogs cannot be written to" "see who owns it: ls -ld runlogs"
  until job=${job_prefix:?}-$(date +%Y%m%d-%H%M%S) && mkdir "runlogs/$job" 2>/dev/null; do sleep 0.2; done # one in a second
}

# start_job PRESET FLAG...: trains, in a run and with a log of the job's name.
start_job() {
  local preset=$1 log
  shift
  name_job
  log=runlogs/$job/train
  local command=("build/$preset/<@ identifier @>" train --log "$log.log")
  [ ${#launch[@]} -eq 0 ] || command=("build/$preset/<@ identifier @>" launch "${launch[@]}" --logs "runlogs/$job/" --)
  command+=(--config config/train.toml --run "$runs/$job"
    --folder "$data" --data.batch_size "$batch_size" --optimizer.learning_rate "$learning_rate" --epochs "$epochs"
    "$@" "${flags[@]}")
  write_down "${command[@]}"
  if $background; then
    nohup setsid "${command[@]}" >"$log.out" 2>&1 </dev/null &
    echo $! >"$log.pid"
    sleep 1
    kill -0 $! 2>/dev/null || wait $! || fail "the job ended at once: $(tail -n 3 "$log.out")" "see $log.out"
    printf 'job %s runs in the background\n  follow: tail -f %s\n  stop:   ./stop.sh %s\n' "$job" "$log.out" "$job"
  else
    echo $$ >"$log.pid"
    exec "${command[@]}"
  fi
}

# A section of training_log.md: what was done now, why and what came of it by its author.
write_down() {
  local name commit
  commit=$(git describe --always 2>/dev/null || echo none)
  git diff --quiet HEAD -- . ':!training_log.md' 2>/dev/null || commit+=" and changes"
  {
    printf '\n## %s\n\n**Settings**\n\n' "$job"
    for name in "${hyper_parameters[@]}"; do [ -z "${!name}" ] || printf -- '- %s: %s\n' "${name//_/ }" "${!name}"; done
    printf -- '- commit: %s\n' "$commit"
    printf -- '- command: %s\n' "${*@Q}"
    printf '\n**Hypothesis**\n\n\n**Results**\n\n'
  } >>training_log.md
  ! $edit || "${EDITOR:-vi}" training_log.md
}
