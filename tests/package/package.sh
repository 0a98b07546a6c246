# shellcheck shell=bash
# What the tests of the package share. They start in the repository's root, and source this.
export CONAN=$PWD/.venv/bin/conan
profile=$PWD/conan/profiles/debian
# shellcheck disable=SC1091
[ "$(. /etc/os-release && echo "${VERSION_CODENAME:-}")" = bookworm ] || profile=$PWD/conan/profiles/center
remotes=(-r scaffold-checkout)
[ "${profile##*/}" = debian ] || remotes+=(-r conancenter)
# A user of its own, so that a package which this user has installed stays untouched.
export package=scaffold/0.1.0@check

fail() { printf 'FAILED: %s\n' "$1"; exit 1; }
