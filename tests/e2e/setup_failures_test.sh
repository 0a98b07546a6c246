#!/usr/bin/env bash
# What ./dev does when its set-up breaks half-way: a clear error each time, and the next run completes. Works on a copy of the
# repository without .git, in a path with a space, with a Conan home of its own. Needs root, for disks of its own.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "SKIPPED: needs root"; exit 77; }
if [ -z "${OWN_MOUNTS:-}" ]; then OWN_MOUNTS=1 exec unshare --mount --propagation private "$0" "$@"; fi

scratch=$(mktemp -d)
trap 'umount "$scratch/conan" "$scratch/a copy/build" 2>/dev/null || true; rm -rf --one-file-system "$scratch"' EXIT
copy="$scratch/a copy"
mkdir -p "$copy" "$scratch/conan" "$scratch/bin"
tar --exclude=./.git --exclude=./build --exclude=./.venv -cf - . | tar -xf - -C "$copy"
export CONAN_HOME=$scratch/conan
cd / # ./dev works from any folder

fail() { printf 'FAILED: %s\n' "$1"; exit 1; }
# breaks WHAT TEXT COMMAND...: the command exits with 1 and its output holds the text and a fix
breaks() {
  local what=$1 text=$2 output status=0
  shift 2
  output=$("$@" 2>&1) || status=$?
  printf -- '--- %s\n%s\n' "$what" "$output"
  [ "$status" -eq 1 ] || fail "$what: exit code $status"
  [[ $output == *"dev: $text"*"  fix: "* ]] || fail "$what: the message does not say: $text"
}
# completes WHAT COMMAND...
completes() {
  local what=$1 output
  shift
  output=$("$@" 2>&1) || fail "$what: $output"
  printf -- '--- %s\n%s\n' "$what" "$output"
}

breaks "pip reaches no index" "the step 'Conan' failed" \
  env -u PIP_FIND_LINKS PIP_CONFIG_FILE=/dev/null PIP_INDEX_URL=http://127.0.0.1:9/ PIP_RETRIES=0 "$copy/dev" build

printf '#!/bin/sh\necho not-installed\n' >"$scratch/bin/dpkg-query"
printf '#!/bin/sh\necho "E: Unable to fetch some archives"\nexit 100\n' >"$scratch/bin/apt-get"
chmod +x "$scratch/bin/"*
breaks "apt fails" "the step 'Debian packages" env PATH="$scratch/bin:$PATH" "$copy/dev" build

mount -t tmpfs -o size=150m tmpfs "$CONAN_HOME"
breaks "the disk is full while LibTorch is fetched" "the step 'dependencies (release)' failed" "$copy/dev" build
mount -o remount,size=8g "$CONAN_HOME"

# ended by force in the middle of fetching LibTorch, as when a machine stops
setsid "$copy/dev" build >/dev/null 2>&1 &
session=$!
log="$copy/build/logs/dependencies--release-.log"
for _ in $(seq 600); do
  if grep -qs 'Downloading torch' "$log"; then break; fi
  sleep 0.1
done
grep -qs 'Downloading torch' "$log" || fail "the set-up never came to fetching LibTorch"
pkill -KILL --session "$session"
wait "$session" 2>/dev/null || true

mount -t tmpfs -o size=100m tmpfs "$copy/build"
breaks "the disk is full while it compiles" "the step 'build (release)' failed" "$copy/dev" build
umount "$copy/build"

completes "the next run" "$copy/dev" build
completes "a run when all is done" "$copy/dev" build
completes "and without any network" unshare --net "$copy/dev" demo

# a folder that was moved: what it holds of its old place is made anew
mv "$copy" "$scratch/moved"
completes "after the folder was moved" "$scratch/moved/dev" build
echo "every broken set-up was mended by the next run"
