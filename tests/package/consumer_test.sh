#!/usr/bin/env bash
# consumer_test.sh BUILD_TYPE: a project in a folder outside the repository uses the package.
set -euo pipefail
build_type=$1
# shellcheck source=tests/package/package.sh
source tests/package/package.sh
folder=$(mktemp -d "${TMPDIR:-/tmp}/a consumer.XXXXXX") # a path with a space
trap 'rm -rf "$folder"' EXIT

cp -r tests/package/consumer "$folder/project"
cd "$folder/project"
"$CONAN" install . -pr:a "$profile" -s build_type="$build_type" "${remotes[@]}"
"$CONAN" build . -pr:a "$profile" -s build_type="$build_type" "${remotes[@]}"
cd "build/$build_type"

output=$(./network --width 16 2>"$folder/log")
[ "$output" = "[3, 2] [16, 4]" ] || fail "network prints '$output'"
grep -q '4 parameters$' "$folder/log" || fail "network logs '$(cat "$folder/log")'"

status=0
output=$(./server 2>&1) || status=$?
expected="export error: there is no such export: exports/1
  fix: give the folder of an exported model, such as exports/400"
if [ "$status" -ne 8 ] || [ "$output" != "$expected" ]; then fail "server exits with $status: $output"; fi
if ldd ./server | grep -q torch; then fail "a program on scaffold::infer is linked with LibTorch"; fi

# -Winvalid-pch and -Werror refuse a precompiled header of other flags; where one is taken, LibTorch's headers are not read
deps=$(ninja -t deps CMakeFiles/network.dir/network.cpp.o)
grep -q 'base/config/settings.h' <<<"$deps" || fail "the dependencies of network.cpp are not known: $deps"
if grep -q 'torch/nn.h' <<<"$deps"; then fail "network.cpp is compiled without the package's precompiled base/torch.h"; fi
echo "a project outside the repository builds and runs on the package"
