# shellcheck shell=bash disable=SC2034,SC2154
# What the targets of train_cloud.sh share: checks, the job file, the container. cloud/TARGET.sh has the rest.
# (SC2034, SC2154: these files write and read each other's variables.)

<% if "vertex" in cloud %>
switches=(dry_run edit tune)
switch_help="--dry-run (show the commands, write the job file), --edit (write the hypothesis now), --tune (vertex: many trials, cloud/hptuning_config.yaml)"
<% else %>
switches=(dry_run edit)
switch_help="--dry-run (show the commands, write the job file), --edit (write the hypothesis now)"
<% endif %>
dry_run=false
tune=false
gpus_per_node=0

# What a target says of itself.
needs=()      # settings without which it does not work
tools=()      # programs of this machine, likewise
job_file=''   # in cloud/
mount=''      # where a job finds data and outputs
stage=runtime # of cloud/Dockerfile
name_limit=63 # letters in the name of a job

choose_target() { # choose_target WORD TARGET...: sets target
  local given=$1 word=$1 edits fewest=3 fix
  case $word in kubeflow) word=kubernetes ;; skypilot) word=sky ;; esac # scaffold's names for them
  shift
  fix="./train_cloud.sh TARGET, one of: $* (scaffold update --set cloud=... adds others)"
  [ -n "$word" ] || fail "where to?" "$fix"
  for target in "$@"; do
    edits=$(edits_between "$word" "$target")
    [ "$edits" -gt 0 ] || return 0
    if [ "$edits" -lt "$fewest" ]; then fewest=$edits fix="did you mean $target?"; fi
  done
  fail "there is no target '$given'" "$fix"
}

edits_between() { # how many letters to change, add or leave out
  local a=$1 b=$2 i j diagonal least row=()
  for ((j = 0; j <= ${#b}; j++)); do row[j]=$j; done
  for ((i = 1; i <= ${#a}; i++)); do
    diagonal=${row[0]} row[0]=$i
    for ((j = 1; j <= ${#b}; j++)); do
      least=$((row[j] < row[j - 1] ? row[j] : row[j - 1]))
      least=$((diagonal < least ? diagonal + 1 : least + 1))
      [ "${a:i-1:1}" != "${b:j-1:1}" ] || least=$diagonal
      diagonal=${row[j]} row[j]=$least
    done
  done
  echo "${row[-1]}"
}

# check_settings NAME...: what the target needs has a value, and nothing could change the meaning of a job file.
check_settings() {
  local LC_ALL=C name flag missing=() bad='' rules=''
  for name in "$@"; do [ -n "${!name}" ] || missing+=("$name"); done
  if [ ${#missing[@]} -gt 0 ]; then
    for name in "${missing[@]}"; do bad+=" --${name//_/-} $(example_of "$name")"; done
    fail "$target needs these settings too: ${missing[*]}" "write them into cloud/settings.sh, or give them as options, such as$bad" 4
  fi
  for name in "${hyper_parameters[@]}"; do
    may_hold "$name" "${!name}" || bad+="; $name is '${!name}'" rules+="; $name: $(rule_of "$name")"
  done
  for flag in "${kept_flags[@]}" "${flags[@]}"; do
    may_hold flag "$flag" || bad+="; a flag is '$flag'" rules+="; flags: $(rule_of flag)"
  done
  [ -z "$bad" ] || fail "a job cannot have this: ${bad#; }" "${rules#; }" 4
  for name in runs data; do
    [[ ${!name} != *://* || $target:${!name} = vertex:gs://* ]] ||
      fail "a job on $target does not see $name ${!name}" "give a folder below ${mount:-the project}, or one that begins with /" 4
  done
}

example_of() { # example_of NAME
  case $1 in
    registry) echo europe-west4-docker.pkg.dev/my-project/images ;;
    library) echo https://github.com/OWNER/scaffold.git ;;
    claim) echo training-data ;;
    project) echo my-project ;;
    region) echo europe-west4 ;;
    bucket) echo gs://my-bucket ;;
    *) echo VALUE ;;
  esac
}

rule_of() { # rule_of NAME: what may_hold takes, in words
  case $1 in
    nodes | ranks_per_node | *trials | epochs | batch_size) echo "a whole number from 1 to 99999" ;;
    learning_rate) echo "a number such as 0.001 or 1e-3" ;;
    *_per_node | max_restarts) echo "a whole number from 0 to 99999" ;;
    spot) echo "true or false" ;;
    bucket) echo "gs://NAME or s3://NAME, with a name of 3 to 63 small letters, digits and . _ -" ;;
    time_limit) echo "MINUTES, HOURS:MINUTES:SECONDS or DAYS-HOURS:MINUTES:SECONDS" ;;
    job_prefix) echo "small letters, digits and -, with a letter first and no - at the end" ;;
    *) echo "letters, digits and . _ / : @ + = , - alone" ;; # nothing that could change the meaning of a job file
  esac
}

may_hold() { # may_hold NAME VALUE
  case $1 in
    nodes | ranks_per_node | *trials | epochs | batch_size) [[ $2 =~ ^[1-9][0-9]{0,4}$ ]] ;;
    learning_rate) [[ $2 =~ ^[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?$ ]] ;;
    *_per_node | max_restarts) [[ $2 =~ ^(0|[1-9][0-9]{0,4})$ ]] ;;
    spot) [[ $2 =~ ^(true|false)$ ]] ;;
    bucket) [[ $2 =~ ^((gs|s3)://[a-z0-9][a-z0-9._-]{2,62})?$ ]] ;;
    time_limit) [[ $2 =~ ^([0-9]+-)?[0-9]+(:[0-9]{1,2}){0,2}$ ]] ;;
    job_prefix) [[ $2 =~ ^[a-z]([a-z0-9-]*[a-z0-9])?$ ]] ;; # RFC 1035
    *) [[ $2 =~ ^[A-Za-z0-9._/:@+=,-]*$ ]] ;;
  esac
}

check_tools() { # check_tools TOOL...
  local tool get
  for tool in "$@"; do
    case $tool in
      docker) get="apt-get install docker.io" ;;
      apptainer) get="apt-get install apptainer, or --container none to run what this machine builds" ;;
      sbatch) get="apt-get install slurm-client, or log in to a machine of the cluster" ;;
      gcloud) get="curl https://sdk.cloud.google.com | bash" ;;
      kubectl) get="apt-get install kubernetes-client" ;;
      sky) get="python3 -m pip install 'skypilot[gcp]'" ;;
    esac
    command -v "$tool" >/dev/null || fail "$tool is not on this machine" "$get" 2
  done
}

# Names container and job, and writes the job file: before anything is built.
prepare_job() {
  tag=$(git rev-parse --short=12 HEAD 2>/dev/null) || fail "there is no commit to name the container after" "git add --all && git commit" 4
  git diff --quiet HEAD -- . ':!training_log.md' ':!cloud/settings.sh' || tag+=-$(date +%Y%m%d-%H%M%S) # another content, another name
  job_prefix=${job_prefix:0:name_limit-16} # the rest is for the time
  while [[ $job_prefix = *- ]]; do job_prefix=${job_prefix%-}; done
  preset=release device=cpu ranks=$ranks_per_node other_nodes=$((nodes - 1))
  [ "$gpus_per_node" -eq 0 ] || preset=cuda device=cuda ranks=$gpus_per_node
  local training=(--config config/train.toml --folder "$(in_mount "$data")" --epochs "$epochs" --device "$device")
  $tune || training+=(--data.batch_size "$batch_size" --optimizer.learning_rate "$learning_rate")
  training+=("${kept_flags[@]}" "${flags[@]}")
  check_flags "${training[@]}"
  name_job
  keep_options
  run_folder=$(in_mount "$runs")/${resume:-$job}
  tag+=-$preset
  [ "$stage" = runtime ] || tag+=-$stage
  reference=${registry:+$registry/}$image:$tag
  start_words
  $tune || words+=(--run "$run_folder")
  words+=("${training[@]}")
  fill_in "cloud/$job_file" >"runlogs/$job/$job_file"
  echo "the job file: runlogs/$job/$job_file"
}

# By the program itself, where this machine has built it since the last edit: a mistake shows now, not on the cluster.
check_flags() {
  local program
  for program in build/{release,cuda,debug}/<@ identifier @>; do
    if [ -x "$program" ] && [ -z "$(find src -newer "$program" -print -quit)" ]; then
      "$program" settings "$@" >/dev/null || exit
      return
    fi
  done
  [ ${#flags[@]} -eq 0 ] || echo "the flags after -- are not checked: ./test.sh builds a program that can"
}

in_mount() {
  case $1 in
    gs://*) echo "/gcs/${1#gs://}" ;; # Vertex AI alone
    /*) echo "$1" ;;
    *) echo "${mount:+$mount/}$1" ;;
  esac
}

check_target() { :; } # whether what the settings name is there: before minutes go into a container

# One launcher for each node; Slurm, which starts the ranks itself, has its own.
start_words() {
  words=(launch --ranks "$ranks" --max_restarts "$max_restarts" --grace 290s --) # Kubernetes waits for 300
  [ "$device" = cpu ] || words[1]=--gpus words[2]=$(seq -s , 0 $((ranks - 1)))
}

# fill_in FILE: __NODES__ becomes the value of nodes. A line that ends in `# with NAME` stays if NAME is neither empty nor 0.
fill_in() {
  local line name yaml_words shell_words text=
  printf -v yaml_words '"%s", ' "${words[@]}"
  printf -v shell_words '%q ' "${words[@]}"
  yaml_words=${yaml_words%, } shell_words=${shell_words% }
  while IFS= read -r line; do
    if [[ $line =~ ^(.*)\ #\ with\ ([a-z_]+)$ ]]; then
      line=${BASH_REMATCH[1]} name=${BASH_REMATCH[2]}
      case ${!name} in '' | 0) continue ;; esac
    fi
    while [[ $line =~ __([A-Z]+(_[A-Z]+)*)__ ]]; do
      name=${BASH_REMATCH[1],,}
      text+=${line%%"${BASH_REMATCH[0]}"*}${!name} # not looked at again, whatever it holds
      line=${line#*"${BASH_REMATCH[0]}"}
    done
    text+=$line$'\n'
  done <"$1"
  printf %s "$text"
}

build_image() {
  run docker build --file cloud/Dockerfile --target "$stage" --platform linux/amd64 --build-arg "BASE=$base_image" \
    --build-arg "PRESET=$preset" --build-arg "LIBRARY=$library" --tag "$reference" .
  run docker push "$reference"
}

run() { # shows a command, and runs it unless --dry-run
  local shown
  printf -v shown ' %q' "$@"
  echo "+$shown"
  $dry_run || "$@" || fail "$1 failed" "see its own message above" 2
}

tell() { # tell OUTPUTS LOGS STOP
  if $dry_run; then echo "nothing is submitted; the job would be $job"; else echo "job $job is submitted"; fi
  printf '  outputs: %s\n  logs:    %s\n  stop:    %s\n  go on:   %s\n' "$@" "./train_cloud.sh $target --resume $job"
}
