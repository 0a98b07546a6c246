#!/usr/bin/env bash
# project_test.sh SCAFFOLD: `scaffold new-project` outside the repository, with the example and without it: it is green at birth,
# trains, predicts, stops with a checkpoint, and takes a class of each kind.
set -euo pipefail
# shellcheck source=tests/package/project.sh
source tests/package/project.sh
examples=$PWD/examples

birth bare --without-example --no-cuda
birth filled --with-example --cuda

# One of them all the way, with a class of each kind added to it.
name=filled
cd "$folder/$name"
./train_local_cpu.sh --epochs 3 --job-prefix first >"$folder/log" 2>&1 || { cat "$folder/log"; fail "training fails"; }
grep -E 'validation: .*(accuracy|mae|loss) [0-9.]+' "$folder/log" || fail "training prints no figures: $(cat "$folder/log")"
job=$(ls runs)
grep -q "^## $job$" training_log.md || fail "training_log.md has no section for $job"
[ -s "runlogs/$job/train.log" ] || fail "runlogs/$job/train.log is missing"
./predict.sh "$job" >"$folder/log" 2>&1 || { cat "$folder/log"; fail "predicting fails"; }
[ "$(wc -l <predictions.csv)" -gt 100 ] || fail "predictions.csv has few lines: $(head predictions.csv)"
sed -n 2p predictions.csv | grep -q '^0,data/test/' || fail "predictions.csv does not say where an example is from: $(head -n 2 predictions.csv)"
rm -r data/test/circle # the classes are those of the training data still
"build/release/$name" evaluate --run "runs/$job" 2>"$folder/log" | grep -E 'accuracy (1|0\.[5-9])' ||
  { cat "$folder/log"; fail "without one class in the test data, the others are mistaken for each other"; }

./export.sh "$job" int8 >"$folder/log" 2>&1 || { cat "$folder/log"; fail "exporting fails"; }
[ -s "$(echo "runs/$job"/exports/*-int8/model.onnx)" ] || fail "export.sh left no model: $(ls "runs/$job/exports")"
python3 -c 'import json; print(json.dumps({"image": [[[7] * 32] * 32] * 3}))' >"$folder/questions.jsonl"
./predict.sh "$job" "$folder/answers.jsonl" "$folder/questions.jsonl" >"$folder/log" 2>&1 || { cat "$folder/log"; fail "answering fails"; }
[ "$(wc -l <"$folder/answers.jsonl")" = 1 ] || fail "one question has $(wc -l <"$folder/answers.jsonl") answers"

# A program that only answers, as docs/inference.md shows it.
cp -r "$examples/answer" "$folder/answer"
sed -i 's|"scaffold/0.1.0"|"scaffold/0.1.0@check"|' "$folder/answer/conanfile.py"
(cd "$folder/answer" && conan install . && cmake --preset conan-release && cmake --build --preset conan-release) >"$folder/log" 2>&1 ||
  { cat "$folder/log"; fail "examples/answer does not build"; }
"$folder/answer/build/Release/answer" "runs/$job/exports" >"$folder/log" 2>&1 || { cat "$folder/log"; fail "examples/answer fails"; }
grep -qE '^class: [0-9]$' "$folder/log" || fail "examples/answer does not answer: $(cat "$folder/log")"

./train_local_cpu.sh --background --epochs 100000 --job-prefix second >"$folder/log" 2>&1
job=$(basename runlogs/second*)
for _ in $(seq 600); do
  ! grep -q 'step 1 ' "runlogs/$job/train.log" 2>/dev/null || break
  sleep 0.1
done
[ "$(./stop.sh)" = "$job" ] || fail "stop.sh lists '$(./stop.sh)', not $job"
./stop.sh "$job" >"$folder/log"
grep -q "$job is stopped" "$folder/log" || fail "stop.sh does not stop $job: $(cat "$folder/log")"
grep -qF "go on: ./train_local_cpu.sh --resume $job" "$folder/log" || fail "stop.sh does not say how to go on: $(cat "$folder/log")"
grep -qE "step [0-9]+ is saved: .build/release/[a-z_]+ train --run runs/$job. goes on" "runlogs/$job/train.log" || fail "the job does not say what it saved"
ls -d "runs/$job/checkpoints"/step-* >/dev/null || fail "the stopped job left no checkpoint"
[ "$(./stop.sh)" = "no job runs" ] || fail "stop.sh still lists $(./stop.sh)"

./train_local_cpu.sh --resume "$job" --epochs 1 --learning-rate 0.002 >"$folder/log" 2>&1 || { cat "$folder/log"; fail "going on fails"; }
grep -qF 'optimizer.learning_rate 0.003 -> 0.002' "$folder/log" || fail "a changed setting is not told: $(cat "$folder/log")"
[ "$(grep -c "^## $job$" training_log.md)" = 1 ] || fail "a job that goes on has a section of its own"

./train_local_dist.sh -n 2 --epochs 2 --job-prefix ranks >"$folder/log" 2>&1 || { cat "$folder/log"; fail "two ranks fail"; }
grep -E 'validation: .*accuracy [0-9.]+' "$folder/log" || fail "two ranks print no figures: $(cat "$folder/log")"
ls -d runs/ranks-*/checkpoints/step-* >/dev/null || fail "two ranks left no checkpoint"
[ -e "$(echo runlogs/ranks-*/rank-1.out)" ] || fail "what the second rank prints is not kept: $(ls runlogs/ranks-*)"

# A rank that does not see the run's folder would train with other settings.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
declare -A run_of=([0]=$(echo runs/ranks-*) [1]=$folder/elsewhere)
for rank in 0 1; do
  RANK=$rank WORLD_SIZE=2 LOCAL_RANK=$rank LOCAL_WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port \
    "build/release/$name" train --run "${run_of[$rank]}" >"$folder/rank-$rank" 2>&1 &
  pids[rank]=$!
done
for rank in 0 1; do
  status=0
  wait "${pids[rank]}" || status=$?
  [ "$status" = 7 ] || fail "rank $rank with other settings exits with $status: $(cat "$folder/rank-$rank")"
done
grep -qF 'not every rank sees the settings of the run' "$folder/rank-0" || fail "ranks with other settings: $(cat "$folder/rank-0")"

for kind in model data-loader trainer callback; do "$scaffold" add "$kind" "my_${kind//-/_}" >/dev/null; done
check_sources "$name with classes added"
./test.sh >"$folder/log" 2>&1 || { cat "$folder/log"; fail "the tests fail with classes added"; }
check_build "$name with classes added"
"build/release/$name" train --smoke --model my_model --data_loader my_data_loader --trainer my_trainer --runs "$folder/smoke" \
  >"$folder/log" 2>&1 || { cat "$folder/log"; fail "the classes added do not train"; }
grep -q 'validation 1 came' "$folder/log" || fail "the callback that was added is not called"

expect_refusal() { # expect_refusal MESSAGE COMMAND...
  local status=0 expected=3
  [[ $1 != *nvidia* && $1 != *GPU* ]] || expected=2
  [[ $1 != *'with data' ]] || expected=5
  "${@:2}" >"$folder/log" 2>&1 || status=$?
  if [ "$status" != "$expected" ] || ! grep -qF "$1" "$folder/log"; then fail "'${*:2}' exits with $status: $(cat "$folder/log")"; fi
}
expect_refusal "unknown option '--epoch'" ./train_local_cpu.sh --epoch 3
expect_refusal "there is no folder /nonexistent with data" ./train_local_cpu.sh --data /nonexistent
[ ! -e /nonexistent ] || fail "sample data are made up where nobody wants them"
expect_refusal "there is no preset 'fast'" ./train_local_cpu.sh fast
expect_refusal "there is no job nobody" ./stop.sh nobody
command -v nvidia-smi >/dev/null || expect_refusal 'nvidia-smi is not on this machine' ./train_local_single.sh 0
# A machine whose GPU goes away when it is used: all but that.
mkdir "$folder/fake_gpu"
printf '#!/bin/sh\necho 0\n' >"$folder/fake_gpu/nvidia-smi" && chmod +x "$folder/fake_gpu/nvidia-smi"
PATH=$folder/fake_gpu:$PATH
expect_refusal "there is no GPU 7" ./train_local_single.sh 7
CUDA_VISIBLE_DEVICES=3 expect_refusal "CUDA_VISIBLE_DEVICES is 3" ./train_local_single.sh 0
if ! python3 -c 'import ctypes; ctypes.CDLL("libcuda.so.1")' 2>/dev/null; then
  expect_refusal "no CUDA GPU can be used" ./train_local_single.sh 0 release --job-prefix single
  expect_refusal "no CUDA GPU can be used" ./train_local_single.sh --resume "$(basename runlogs/single-*)"
  jobs=(runlogs/single-*)
  [ ${#jobs[@]} = 1 ] || fail "a job that goes on gets a folder of its own"
fi
echo "a project builds, trains, predicts, stops and grows"
