#!/usr/bin/env bash
# Every shell script of the repository, known by its first line, passes shellcheck; those in templates/ do once rendered.
set -euo pipefail
mapfile -t files < <(find . -path ./build -prune -o -path ./.venv -prune -o -path ./.git -prune -o -path ./templates -prune -o -type f -size -100k \
  -exec sh -c 'head -n 1 "$1" | grep -qE "^#!.*\b(ba)?sh\b"' _ {} \; -print)
[ ${#files[@]} -gt 0 ] || { echo "no scripts found in $PWD"; exit 1; }
shellcheck -x "${files[@]}"
echo "${#files[@]} scripts pass shellcheck"
