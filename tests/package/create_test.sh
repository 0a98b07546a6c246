#!/usr/bin/env bash
# create_test.sh BUILD_TYPE [OPTION...]: `conan create .` packages the library, with more options of Conan's if given. The tests
# of the package come after it, and then `create_test.sh remove`.
set -euo pipefail
# shellcheck source=tests/package/package.sh
source tests/package/package.sh

if [ "$1" = remove ]; then
  exec "$CONAN" remove "$package" --confirm
fi
"$CONAN" create . --user check -pr:a "$profile" -s build_type="$1" "${@:2}" "${remotes[@]}" --build missing \
  -c tools.graph:skip_test=True -c tools.build:skip_test=True
