# shellcheck shell=bash
# What the scripts share: options, building, and a job with its log. They source it from the project's folder.

# The hyper-parameters that a script gives are also options: learning_rate is --learning-rate.
hyper_parameters=(runs data batch_size learning_rate epochs job_prefix resume)
switches=(background edit) # options without a value
switch_help="--background (detach; stop.sh ends it), --edit (write the hypothesis now)"
background=false
edit=false
resume=''        # a job that goes on
arguments=()     # what is no option
most_arguments=1 # how many of them a script knows
flags=()         # what follows --, for the program
launch=()        # options of the program's launcher, where a job has several ranks
given=()         # names of the options that are given
kept_flags=()    # of the job that goes on
kept_options=()  # and those of another script that trained it

fail() { # fail WHAT FIX [EXIT CODE]
  printf '%s: %s\n  fix: %s\n' "${0##*/}" "$1" "$2" >&2
  exit "${3:-3}"
}

print_usage() { # $0 is seen from where the script was started, and this is its own folder
  local script=$0
  [ -f "$script" ] || script=${0##*/}
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$script"
}

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
  echo "--resume JOB goes on with a job that was stopped, with its own settings; options that are given win."
  echo "What follows -- goes to the program: -- --precision bf16"
}

parse_options() {
  local name
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help) print_help && exit 0 ;;
      -n) set -- -n --ranks "${@:2}" ;;
      -g) set -- -g --gpus "${@:2}" ;;
      -n[0-9]* | -g[0-9]*) set -- x "${1:0:2}" "${1:2}" "${@:2}" ;;
      --)
        flags=("${@:2}")
        break
        ;;
      --*=*) set -- "$1" "${1%%=*}" "${1#*=}" "${@:2}" ;;
      --*)
        name=${1#--} name=${name//-/_}
        if [[ " ${switches[*]} " = *" $name "* ]]; then
          printf -v "$name" true
        else
          [[ " ${hyper_parameters[*]} " = *" $name "* ]] || fail "unknown option '$1'" "--help lists them; a flag of the program goes after --: -- $1"
          [ $# -gt 1 ] || fail "$1 needs a value" "$1 VALUE"
          given+=("$name")
          printf -v "$name" %s "$2" && shift
        fi
        ;;
      -?*) fail "unknown option '$1'" "--help lists them" ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
  [ ${#arguments[@]} -le "$most_arguments" ] || fail "what is '${arguments[most_arguments]}'?" "leave it out; --help says what ${0##*/} takes"
  [ -z "$resume" ] || recall_job
}

# What a job was started with is kept in its folder, a line for each: it is read as data, and never run.
keep_options() {
  local name line lines=("script=${0##*/}")
  for name in "${hyper_parameters[@]}"; do lines+=("$name=${!name}"); done
  lines+=("${kept_options[@]}")
  for name in "${arguments[@]}"; do lines+=("argument=$name"); done
  for name in "${kept_flags[@]}" "${flags[@]}"; do lines+=("flag=$name"); done
  for line in "${lines[@]}"; do printf '%s\n' "${line//$'\n'/ }"; done >"runlogs/$job/options"
}

# Options of the job that goes on count as long as they are not given again.
recall_job() {
  resume=${resume#runs/} resume=${resume#runlogs/} resume=${resume%/} # as a shell completes it
  local name value script='' old_arguments=() file=runlogs/$resume/options
  [ -d runlogs ] || [ "${0##*/}" != train_cloud.sh ] || return 0 # a copy of the project, which started no job yet
  if [[ $resume = */* ]] || [ ! -f "$file" ]; then
    fail "there is no job '$resume' to go on with" "give one of the folders in runlogs: $(known_jobs)"
  fi
  case " ${given[*]} " in *" ranks "*) given+=(gpus) ;; *" gpus "*) given+=(ranks) ;; esac # one takes the place of the other
  while IFS='=' read -r name value; do
    case $name in
      script) script=$value ;;
      argument) old_arguments+=("$value") ;;
      flag) kept_flags+=("$value") ;;
      resume) [ -z "$value" ] || resume=$value ;; # it went on with another one
      *)
        if [[ " ${hyper_parameters[*]} " != *" $name "* ]]; then
          kept_options+=("$name=$value")
        elif [[ " ${given[*]} " != *" $name "* ]]; then
          printf -v "$name" %s "$value"
        fi
        ;;
    esac
  done <"$file"
  # Another script's have another meaning.
  [ ${#arguments[@]} -gt 0 ] || [ "$script" != "${0##*/}" ] || arguments=("${old_arguments[@]}")
}

known_jobs() {
  local file names=()
  for file in runlogs/*/options; do [ ! -f "$file" ] || names+=("$(basename "${file%/options}")"); done
  echo "${names[*]:-there are none}"
}

# The number in a .pid file may belong to another program by now: the job's own has its name on its command line.
is_running() { # is_running JOB
  local pid
  pid=$(cat "runlogs/$1/train.pid" 2>/dev/null) && tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF "runlogs/$1/"
}

# find_run JOB: the folder of a job, as $run.
find_run() {
  local trained=(runs/*/)
  [ -d "${trained[0]}" ] || trained=("there are none")
  trained=("${trained[@]#runs/}") trained=("${trained[@]%/}")
  [ -n "$1" ] || fail "which job?" "give JOB, one of the folders in runs: ${trained[*]}"
  run=$1
  [ -d "$run" ] || run=runs/$1
  [ -d "$run" ] || fail "there is no job '$1'" "give one of the folders in runs, or the path of another: ${trained[*]}"
  [ -f "$run/config.toml" ] || fail "there is no run in the folder '$run'" "give one of the folders in runs, or the path of another: ${trained[*]}"
}

# On $PATH, or the one that was installed with the scaffold command.
find_conan() {
  command -v conan && return
  local tool
  tool=$(readlink -f "$(command -v scaffold)") && tool=${tool%/bin/*}/libexec/scaffold/venv/bin/conan
  [ -x "$tool" ] || fail "Conan is not on this machine" "put the folder of the scaffold command on PATH, which has one beside it, or python3 -m pip install conan"
  echo "$tool"
}

# build_project PRESET TARGET...: does only what is left to do, and shows the end of its log if that fails.
build_project() {
  local preset=$1 log=build/$1/build.log
  grep -q "\"name\": \"$preset\", \"inherits\"" CMakePresets.json || fail "there is no preset '$preset'" "give one of CMakePresets.json: $(known_presets)"
  mkdir -p "build/$preset" 2>/dev/null || true
  [[ -d build/$preset && -w build/$preset ]] || fail "the folder build/$preset cannot be written to" "see who owns it: ls -ld . build"
  echo "building ($preset) ..." >&2 # what a script answers may go into a pipe
  if ! build_steps "$@" >"$log" 2>&1; then
    ! grep -q "Unable to find 'scaffold/" "$log" || fail "the runtime library is not in Conan's cache" "run ./dev install in a checkout of scaffold; see $log" 2
    { grep -m 3 -B 2 -A 3 'error: ' "$log" || tail -n 20 "$log"; } | cut -c 1-200 >&2
    fail "the build failed" "see $log" 1
  fi
}

known_presets() { sed -n 's/.*"name": "\([^"]*\)", "inherits".*/\1/p' CMakePresets.json | paste -sd ' '; }

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
  local LC_ALL=C
  [[ ${job_prefix:?} =~ ^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$ ]] ||
    fail "a job cannot be called '$job_prefix'" "give --job-prefix letters, digits and . _ - alone, 100 at most, with a letter or a digit first"
  mkdir -p runlogs
  [ -w runlogs ] || fail "the folder runlogs cannot be written to" "see who owns it: ls -ld runlogs"
  until job=$job_prefix-$(date +%Y%m%d-%H%M%S) && mkdir "runlogs/$job" 2>/dev/null; do
    [ -d "runlogs/$job" ] || fail "the folder runlogs/$job cannot be made" "see whether the disk is full: df ." 2
    sleep 0.2 # one in a second
  done
}

# job_flags FLAG...: sets words to what the program is told. A run that has begun knows its settings: it is told what is given now.
job_flags() {
  local has_begun=false
  [ -z "$resume" ] || [ ! -f "${runs?}/$resume/config.toml" ] || has_begun=true
  words=()
  $has_begun || words=(--config config/train.toml)
  job_flag data --folder "${data?}"
  job_flag batch_size --data.batch_size "${batch_size?}"
  job_flag learning_rate --optimizer.learning_rate "${learning_rate?}"
  job_flag epochs --epochs "${epochs?}"
  words+=("$@")
  $has_begun || words+=("${kept_flags[@]}")
  words+=("${flags[@]}")
}

job_flag() { # job_flag OPTION FLAG VALUE
  if ! $has_begun || [[ " ${given[*]} " = *" $1 "* ]]; then words+=("$2" "$3"); fi
}

# start_job PRESET FLAG...: trains, in a run and with a log of the job's name.
start_job() {
  local preset=$1 log words
  shift
  job_flags "$@"
  # A mistake in them leaves nothing behind.
  [ "$data" = data ] || [ -e "$data" ] || fail "there is no folder $data with data" "give --data FOLDER; samples are made up in the folder data alone" 5
  "build/$preset/<@ identifier @>" settings "${words[@]}" >/dev/null || exit
  if [ -n "$resume" ]; then
    job=$resume
  else
    name_job
    echo "folder $data, batch size $batch_size, learning rate $learning_rate and epochs $epochs by ${0##*/}, all else by config/train.toml"
  fi
  ! is_running "$job" || fail "the job $job still runs" "./stop.sh $job"
  keep_options
  log=runlogs/$job/train
  local command=("build/$preset/<@ identifier @>" train --log "$log.log")
  [ ${#launch[@]} -eq 0 ] || command=("build/$preset/<@ identifier @>" launch "${launch[@]}" --logs "runlogs/$job/" --)
  command+=(--run "$runs/$job" "${words[@]}")
  write_down "${command[@]}"
  if $background; then
    nohup setsid "${command[@]}" >>"$log.out" 2>&1 </dev/null &
    echo $! >"$log.pid"
    sleep 1
    kill -0 $! 2>/dev/null || wait $! || fail "the job ended at once: $(tail -n 3 "$log.out")" "see $log.out"
    printf 'job %s runs in the background\n  follow: tail -f %s\n  stop:   ./stop.sh %s\n' "$job" "$log.out" "$job"
  else
    echo $$ >"$log.pid"
    exec "${command[@]}"
  fi
}

# A section of training_log.md: what was done now, why and what came of it by its author. A job that goes on has one.
write_down() {
  local name commit
  if [ -n "$resume" ] && grep -qxF "## $resume" training_log.md; then
    SECTION="## $resume" LINE="- went on $(date '+%Y-%m-%d %H:%M'): ${*@Q}" awk '
      /^## / { is_here = $0 == ENVIRON["SECTION"] }
      is_here && /^- command: / { is_after = 1 }
      is_here && is_after && $0 == "" { print ENVIRON["LINE"]; is_here = 0 }
      { print }' training_log.md >"runlogs/$job/training_log.new"
    cat "runlogs/$job/training_log.new" >training_log.md # the file itself stays the same
    rm "runlogs/$job/training_log.new"
    return
  fi
  commit=$(git describe --always 2>/dev/null || echo none)
  git diff --quiet HEAD -- . ':!training_log.md' 2>/dev/null || commit+=" and changes"
  {
    printf '\n## %s\n\n**Settings**\n\n' "$job"
    for name in "${hyper_parameters[@]}"; do [ -z "${!name}" ] || printf -- '- %s: %s\n' "${name//_/ }" "${!name}"; done
    printf -- '- commit: %s\n' "$commit"
    printf -- '- command: %s\n' "${*@Q}"
    printf '\n**Hypothesis**\n\n\n**Results**\n\n'
  } >>training_log.md
  ! $edit || edit_log
}

edit_log() { # a job is not ended by an editor that fails
  local editor
  read -ra editor <<<"${EDITOR:-vi}" # it may have options: code --wait
  "${editor[@]}" training_log.md || echo "${0##*/}: '${EDITOR:-vi}' failed: write the hypothesis into training_log.md later" >&2
}
