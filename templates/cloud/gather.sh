#!/usr/bin/env bash
# Copies a program into FOLDER/usr/local/bin, and what it loads beside it. The container is built with this.
#
#   cloud/gather.sh PROGRAM FOLDER
set -euo pipefail

program=$1 folder=$2
mkdir -p "$folder/usr/local/bin" "$folder/usr/local/lib"
cp "$program" "$folder/usr/local/bin/"
if ldd "$program" | grep 'not found' >&2; then exit 2; fi
libraries=$(ldd "$program" | grep -o '/[^ ]*')

# Packages of Conan keep their place, which the program knows, and all their libraries: some are loaded by name, later.
cache=${CONAN_HOME:-$HOME/.conan2}
sed -n "s|^\($cache/.*/p\)/.*|\1|p" <<<"$libraries" | sort -u | while read -r package; do
  find "$package" -name '*.so*' -exec cp --parents --no-dereference -t "$folder" {} +
done

# Of the system's those that are not of every system.
grep -vF "$cache/" <<<"$libraries" | grep -vE '/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|util|gcc_s|stdc\+\+))\.so[^/]*$' |
  xargs -r cp --dereference -t "$folder/usr/local/lib"
