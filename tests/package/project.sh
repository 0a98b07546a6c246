# shellcheck shell=bash
# What the tests of generated projects share: the command, a folder for projects, and a Conan that finds the package of these
# tests. They start in the repository's root, with the path of the command as the first argument, and source this.
scaffold=$1
# shellcheck source=tests/package/package.sh
source tests/package/package.sh
folder=$(mktemp -d "${TMPDIR:-/tmp}/projects XXXXXX") # a path with a space
trap 'rm -rf "$folder"' EXIT
export TEST_TMPDIR=$folder # where the projects' tests keep their data
mkdir "$folder/bin"
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
  git -c user.name=Tester -c user.email=tester@localhost commit -qam "The package of the tests"
}

check_sources() {
  clang-format --dry-run --Werror src/* tests/* || fail "$1 is not laid out as its .clang-format says"
  shellcheck -x ./*.sh scripts/*.sh || fail "shellcheck finds something in the scripts of $1"
}

check_build() { # the whole log of the last build
  if grep -i 'warning' build/release/build.log; then fail "$1 is built with warnings"; fi
}

# birth NAME OPTION...: a new project that is well laid out, passes its own tests without a warning, and leaves the tree clean
birth() {
  new_project "$@"
  check_sources "$1"
  ./test.sh >"$folder/log" 2>&1 || { cat "$folder/log"; fail "the tests of $1 fail"; }
  check_build "$1"
  diff config/train.toml <("build/release/$1" settings) || fail "config/train.toml of $1 differs from its knobs"
  [ -z "$(git status --porcelain)" ] || fail "building $1 leaves files behind: $(git status --porcelain)"
}
