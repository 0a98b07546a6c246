#!/usr/bin/env bash
# project_test.sh SCAFFOLD TASK... : for each task, `scaffold new-project` outside the repository, with the example and without
# it: it builds without a warning, is laid out as clang-format wants it, passes its own tests, trains, predicts and stops.
set -euo pipefail
scaffold=$1
shift
# shellcheck source=tests/package/package.sh
source tests/package/package.sh
folder=$(mktemp -d "${TMPDIR:-/tmp}/projects XXXXXX") # a path with a space
trap 'rm -rf "$folder"' EXIT
export TEST_TMPDIR=$folder # where the projects' tests keep their data
mkdir "$folder/bin" "$folder/home"
cat >"$folder/bin/conan" <<END # a Conan that knows the profile of this checkout, as after ./dev install
#!/usr/bin/env bash
if [ "\$1 \$2 \$3" = "profile path scaffold" ]; then exit 1; fi
if [ "\$1" = install ]; then exec "$CONAN" "\$@" -pr:a "$profile" ${remotes[*]}; fi
exec "$CONAN" "\$@"
END
chmod +x "$folder/bin/conan"
PATH=$folder/bin:$PATH

# new_project NAME OPTION...: in a folder of its name, on the package of these tests
new_project() {
  cd "$folder"
  "$scaffold" new-project "$1" --defaults "${@:2}" >/dev/null
  cd "$1"
  sed -i 's|"scaffold/0.1.0"|"scaffold/0.1.0@check"|' conanfile.py
  git commit -qam "The package of the tests"
}

check_sources() {
  clang-format --dry-run --Werror src/* tests/* || fail "$1 is not laid out as its .clang-format says"
  shellcheck -x ./*.sh scripts/*.sh || fail "shellcheck finds something in the scripts of $1"
}

check_build() { # the whole log of the last build
  if grep -i 'warning' build/release/build.log; then fail "$1 is built with warnings"; fi
}

for task in "$@"; do
  for example in with without; do
    name=${task%%-*}_$example
    new_project "$name" --task "$task" "--$example-example"
    check_sources "$name"
    ./test.sh >"$folder/log" 2>&1 || { cat "$folder/log"; fail "the tests of $name fail"; }
    check_build "$name"
    diff config/train.toml <("build/release/$name" settings) || fail "config/train.toml of $name differs from its knobs"
    [ -z "$(git status --porcelain)" ] || fail "building $name leaves files behind: $(git status --porcelain)"
  done
done

# One of them all the way, with a class of each kind added to it.
cd "$folder/${1%%-*}_with"
name=${PWD##*/}
./train_local_cpu.sh --epochs 3 --job-prefix first >"$folder/log" 2>&1 || { cat "$folder/log"; fail "training fails"; }
grep -E 'validation: .*(accuracy|mae|loss) [0-9.]+' "$folder/log" || fail "training prints no figures: $(cat "$folder/log")"
job=$(ls runs)
grep -q "^## $job$" training_log.md || fail "training_log.md has no section for $job"
[ -s "runlogs/$job/train.log" ] || fail "runlogs/$job/train.log is missing"
./predict.sh "$job" >"$folder/log" 2>&1 || { cat "$folder/log"; fail "predicting fails"; }
[ "$(wc -l <predictions.csv)" -gt 100 ] || fail "predictions.csv has few lines: $(head predictions.csv)"

./train_local_cpu.sh --background --epochs 100000 --job-prefix second >"$folder/log" 2>&1
job=$(basename runlogs/second*)
for _ in $(seq 600); do
  ! grep -q 'step 1 ' "runlogs/$job/train.log" 2>/dev/null || break
  sleep 0.1
done
[ "$(./stop.sh)" = "$job" ] || fail "stop.sh lists '$(./stop.sh)', not $job"
./stop.sh "$job" | grep -q "$job is stopped" || fail "stop.sh does not stop $job"
ls -d "runs/$job/checkpoints"/step-* >/dev/null || fail "the stopped job left no checkpoint"
[ -z "$(./stop.sh)" ] || fail "stop.sh still lists $(./stop.sh)"

for kind in model data-loader trainer callback; do "$scaffold" add "$kind" "my_${kind//-/_}" >/dev/null; done
check_sources "$name with classes added"
./test.sh >"$folder/log" 2>&1 || { cat "$folder/log"; fail "the tests fail with classes added"; }
check_build "$name with classes added"
"build/release/$name" train --smoke --model my_model --data_loader my_data_loader --trainer my_trainer --runs "$folder/smoke" \
  >"$folder/log" 2>&1 || { cat "$folder/log"; fail "the classes added do not train"; }
grep -q 'validation 1 came' "$folder/log" || fail "the callback that was added is not called"

expect_refusal() { # expect_refusal MESSAGE COMMAND...
  local status=0
  "${@:2}" >"$folder/log" 2>&1 || status=$?
  if [ "$status" != 3 ] || ! grep -qF "$1" "$folder/log"; then fail "'${*:2}' exits with $status: $(cat "$folder/log")"; fi
}
expect_refusal "unknown option '--epoch'" ./train_local_cpu.sh --epoch 3
expect_refusal "there is no preset 'fast'" ./train_local_cpu.sh fast
expect_refusal "there is no job nobody" ./stop.sh nobody
command -v nvidia-smi >/dev/null || expect_refusal 'nvidia-smi is not on this machine' ./train_local_single.sh 0
echo "projects for $* are green at birth"
