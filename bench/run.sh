#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
set -euo pipefail

usage() {
  cat <<'END'
usage: bench/run.sh [--json]

Installs what is missing, builds the benchmarks (preset release) and runs them all, then prints one table: what was
measured, its target, the peer beside which it was measured, and the peer's version. All ratios are of times from one
run. Takes a few minutes; on a machine that does other work run it twice.

  --json   the same lines as JSON on stdout; all else goes to stderr

exit codes: 0 done, 1 a target was missed (or nothing could be built or run), 2 usage
END
}

json=no
for argument in "$@"; do
  case $argument in
    -h | --help) usage && exit ;;
    --json) json=yes ;;
    *) echo "bench/run.sh: no option '$argument'" >&2 && usage >&2 && exit 2 ;;
  esac
done

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
build=$root/build/release

benches=()
for source in bench/*_bench.cpp; do benches+=("$(basename "$source" .cpp)"); done

{
  printf '== dependencies\n'
  bash cmake/install-deps.sh build bench
  printf '== configure: build/release\n'
  # The benchmarks alone need neither doctest nor what the examples need. A folder that was configured for more is
  # left so.
  if [[ ! -e $build/CMakeCache.txt ]]; then
    cmake --preset release --log-level=WARNING -D EVENKEY_BUILD_TESTS=OFF -D EVENKEY_BUILD_EXAMPLES=OFF >/dev/null
  else
    cmake "$build" --log-level=WARNING -D EVENKEY_BUILD_BENCHMARKS=ON >/dev/null
  fi
  printf '== build\n'
  cmake --build --preset release --target "${benches[@]}"
} >&2

lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
for bench in "${benches[@]}"; do
  printf '== run %s\n' "$bench" >&2
  "$build/bin/$bench" --ratios >>"$lines"
done

# Fields of a line: what, measured, unit, target, verdict, peer (see bench/ratios.hpp).
if [[ $json == yes ]]; then
  awk -F'\t' '
    function text(s) { gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); return "\"" s "\"" }
    BEGIN { print "[" }
    { if (NR > 1) print ","
      printf "  {\"what\": %s, \"measured\": %s, \"unit\": %s, \"target\": %s, \"verdict\": %s, \"peer\": %s}",
        text($1), $2, text($3), $4 == "-" ? "null" : text($4), $5 == "-" ? "null" : text($5), $6 == "-" ? "null" : text($6) }
    END { print "\n]" }' "$lines"
else
  awk -F'\t' '
    BEGIN { print "| what | measured | target | | beside |"; print "|---|---|---|---|---|" }
    { printf "| %s | %s %s | %s | %s | %s |\n", $1, $2, $3, $4 == "-" ? "" : $4, $5 == "-" ? "" : $5, $6 == "-" ? "" : $6 }' "$lines"
fi

missed=$(awk -F'\t' '$5 == "missed"' "$lines" | wc -l)
printf '%s targets, %s missed\n' "$(awk -F'\t' '$5 != "-"' "$lines" | wc -l)" "$missed" >&2
((missed == 0))
