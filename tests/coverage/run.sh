#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
set -euo pipefail

usage() {
  cat <<'END'
usage: tests/coverage/run.sh [--json] [--show HEADER]

Builds the library's tests so that clang counts what they run (preset coverage), runs them, and says how much of
include/ that is: regions (wanted: 98 %) and branches (wanted: 90 %), and where the regions are that nothing ran.
Lines that are left out stand with their reasons in tests/coverage/excluded.tsv.

  --json         the same as JSON on stdout; all else goes to stderr
  --show HEADER  after an earlier run: the header's lines with their counts, such as read/lane.hpp

exit codes: 0 done, 1 a test failed or too little was covered, 2 usage
END
}

json=no show=
while (($#)); do
  case $1 in
    -h | --help) usage && exit ;;
    --json) json=yes ;;
    --show)
      show=${2:-}
      [[ -n $show ]] || { echo "coverage: --show needs a header" >&2 && exit 2; }
      shift
      ;;
    *) echo "coverage: no option '$1'" >&2 && usage >&2 && exit 2 ;;
  esac
  shift
done

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$PWD/build/coverage
profile=$build/tests.profdata

# The tools of the compiler's own version: their formats change.
tool() {
  local version
  version=$(clang++ -dumpversion)
  command -v "$1-${version%%.*}" || command -v "$1" || { echo "coverage: there is no $1" >&2 && exit 1; }
}

programs() {
  local program first=yes
  for program in "$build"/bin/*_tests; do
    [[ $first == yes ]] || printf '%s\n' -object
    first=no
    printf '%s\n' "$program"
  done
}

if [[ -n $show ]]; then
  mapfile -t objects < <(programs)
  exec "$(tool llvm-cov)" show "${objects[@]}" -instr-profile="$profile" -show-branches=count "include/evenkey/$show"
fi

{
  printf '== dependencies\n'
  bash cmake/install-deps.sh build tests clang runtimes coverage
  printf '== configure: build/coverage\n'
  cmake --preset coverage --log-level=WARNING >/dev/null
  printf '== build\n'
  cmake --build --preset coverage
  printf '== test\n'
  rm -rf "$build/profiles"
  LLVM_PROFILE_FILE="$build/profiles/%p-%m.profraw" ctest --preset coverage
  printf '== count\n'
  "$(tool llvm-profdata)" merge -sparse -o "$profile" "$build"/profiles/*.profraw
} >&2

mapfile -t objects < <(programs)
"$(tool llvm-cov)" export -skip-functions -instr-profile="$profile" "${objects[@]}" include >"$build/coverage.json"
python3 tests/coverage/summary.py "$build/coverage.json" "$json"
