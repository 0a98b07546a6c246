#!/usr/bin/env bash
# Every source is laid out as clang-format does it; ./dev format mends what this finds.
set -euo pipefail
mapfile -d '' files < <(find base generator examples tests benchmarks \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' \) -print0)
[ ${#files[@]} -gt 0 ] || { echo "no sources found in $PWD"; exit 1; }
clang-format --dry-run --Werror "${files[@]}"
echo "${#files[@]} files are laid out as clang-format does it"
