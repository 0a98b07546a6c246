#!/usr/bin/env bash
# install_test.sh: the README's way from a checkout to a trained project, for a user who has nothing yet: ./dev install, a new project,
# its script; then another project by plain Conan and CMake. On a copy, since a build keeps the paths of its Conan home.
set -euo pipefail
fail() { printf 'FAILED: %s\n' "$1"; exit 1; }

folder=$(mktemp -d "${TMPDIR:-/tmp}/install.XXXXXX")
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/checkout" "$folder/home"
tar --exclude=./.git --exclude=./build --exclude=./.venv -cf - . | tar -xf - -C "$folder/checkout"
CCACHE_DIR=$(ccache --get-config cache_dir) # of before HOME is another; all else is compiled as for the first time
export CCACHE_DIR HOME=$folder/home CONAN_HOME=$folder/conan

path=$folder/prefix/bin
while IFS= read -rd : place; do [ -x "$place/conan" ] || path+=:$place; done <<<"$PATH:"
PATH=$path
! command -v conan || fail "there is a conan on PATH still"

run() { # run WHAT COMMAND...
  "${@:2}" >"$folder/log" 2>&1 || { cat "$folder/log"; fail "$1"; }
}

run "installing fails" "$folder/checkout/dev" install "$folder/prefix"
cd "$folder"
run "there is no project" scaffold new-project demo --defaults
cd demo
run "training fails" ./train_local_cpu.sh
grep -E 'validation: .*accuracy [0-9.]+' "$folder/log" || fail "training prints no figures: $(cat "$folder/log")"

cd "$folder"
run "there is no second project" scaffold new-project plain --defaults
cd plain
PATH=$folder/prefix/libexec/scaffold/venv/bin:$PATH
run "Conan finds no packages" conan install . -pr:a scaffold --build missing
run "configuring fails" cmake --preset release
run "building fails" cmake --build --preset release
run "the program does not start" build/release/plain --help
echo "from a checkout to a trained project, with nothing there before"
