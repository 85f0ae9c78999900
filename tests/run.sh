#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
set -euo pipefail

usage() {
  cat <<'END'
usage: tests/run.sh [PRESET] [CTEST ARGUMENT...]

Installs what is missing, builds the tests and runs them. PRESET is debug (the default: g++ with address and
undefined-behaviour sanitizers), release, clang or tsan; what follows it goes to ctest, for example
  tests/run.sh debug -R key
END
}

case ${1:-} in
  -h | --help) usage && exit ;;
esac
preset=${1:-debug}
(($#)) && shift

cd "$(dirname "${BASH_SOURCE[0]}")/.."
groups=(build examples tests)
case $preset in
  release) groups+=(bench) ;;
  clang) groups+=(clang) ;;
  debug | tsan) ;;
  *) echo "tests/run.sh: no preset '$preset'" >&2 && usage >&2 && exit 2 ;;
esac

step() { printf '== %s\n' "$*"; }

step "dependencies (${groups[*]})"
bash cmake/install-deps.sh "${groups[@]}"
step "configure: build/$preset"
cmake --preset "$preset" --log-level=WARNING >/dev/null
step "build"
cmake --build --preset "$preset"
step "test"
ctest --preset "$preset" "$@"
