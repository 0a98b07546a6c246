#!/usr/bin/env bash
# projects_test.sh SCAFFOLD: every task, with and without the example, with and without CUDA, and IDX files: green at birth, clean
# for clang-tidy, once with a class of each kind added, and with CUDA also compiled and linked against LibTorch for GPUs.
set -euo pipefail
# shellcheck source=tests/package/project.sh
source tests/package/project.sh

tidy() { # all sources as one, since most of the time goes into LibTorch's headers
  printf '#include "%s"  // NOLINT(bugprone-suspicious-include)\n' src/task.cpp tests/*.cpp >src/all.cpp
  clang-tidy --quiet -p build/release --warnings-as-errors='*' --header-filter="$PWD/(src|tests)/.*" src/all.cpp >"$folder/log" 2>&1 ||
    { cat "$folder/log"; fail "clang-tidy finds something in $1"; }
  rm src/all.cpp
}

grow() { # a class of each kind
  local kind
  for kind in model data-loader trainer callback; do "$scaffold" add "$kind" "my_${kind//-/_}" >/dev/null; done
  check_sources "$1 with classes added"
  ./test.sh >"$folder/log" 2>&1 || { cat "$folder/log"; fail "the tests of $1 fail with classes added"; }
  check_build "$1 with classes added"
}

# The script for a GPU, on a machine that says it has one: it builds, and what comes next is the program's own error.
link_for_gpu() {
  local status=0
  ./train_local_single.sh 0 >"$folder/log" 2>&1 || status=$?
  [ -x "build/cuda/$1" ] || { cat "$folder/log" build/cuda/build.log; fail "$1 is not linked with CUDA"; }
  if grep -i 'warning' build/cuda/build.log; then fail "$1 is built with warnings for CUDA"; fi
  readelf -d "build/cuda/$1" | grep -q 'torch_cuda' || fail "$1 does not use LibTorch for CUDA: $(readelf -d "build/cuda/$1")"
  command -v nvidia-smi | grep -qF "$folder" || return 0
  if [ "$status" != 2 ] || ! grep -q '^device error: ' "$folder/log"; then fail "training on no GPU exits with $status: $(cat "$folder/log")"; fi
}
if ! command -v nvidia-smi >/dev/null; then
  printf '#!/bin/sh\necho 0\n' >"$folder/bin/nvidia-smi"
  chmod +x "$folder/bin/nvidia-smi"
fi

for task in image-classification regression time-series-embedding empty; do
  for example in with without; do
    for cuda in cuda no-cuda; do
      name=${task%%-*}_${example}_${cuda//-/_}
      birth "$name" --task "$task" "--$example-example" "--$cuda"
      if [ "$cuda" = cuda ]; then
        [ "$example" = without ] || grow "$name"
        tidy "$name"
        link_for_gpu "$name"
      fi
      echo "$name is green at birth"
      rm -rf "${folder:?}/$name" # builds are large
    done
  done
done

# IDX files, and a namespace that is not the project's name.
birth idx_with --data idx --namespace Other --with-example --no-cuda
tidy idx_with
birth idx_without --data idx --without-example --no-cuda
tidy idx_without
echo "projects on IDX files are green at birth"
