#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
set -euo pipefail

usage() {
  cat <<'END'
usage: tests/fuzz/run.sh [--seconds N] [--jobs N] [TARGET...]

Builds the fuzz targets for libFuzzer (clang++) and runs each for so many seconds (default: 60), so many at once
(default: 1). TARGET is the name of a file *_fuzz.cpp without its end, such as page_token; all by default. New inputs go to
build/fuzz/corpus/TARGET/, where another run goes on; what fails is kept in build/fuzz/found/ and named at the end.

A target may not allocate more than 64 MB at once or 512 MB in all, nor take more than 25 s by the clock for one input.
To keep an input: copy it to tests/fuzz/corpus/TARGET/, where ctest replays it with every build.
END
}

seconds=60 jobs=1 targets=()
while (($#)); do
  case $1 in
    -h | --help) usage && exit ;;
    --seconds | --jobs)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || { echo "tests/fuzz/run.sh: $1 takes a number" >&2 && exit 2; }
      if [[ $1 == --seconds ]]; then seconds=$2; else jobs=$2; fi
      shift 2
      ;;
    -*) echo "tests/fuzz/run.sh: no option '$1'" >&2 && usage >&2 && exit 2 ;;
    *) targets+=("$1") && shift ;;
  esac
done

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if ((${#targets[@]} == 0)); then
  mapfile -t targets < <(basename -s _fuzz.cpp tests/fuzz/*_fuzz.cpp)
fi
programs=()
for target in "${targets[@]}"; do
  [[ -e tests/fuzz/${target}_fuzz.cpp ]] || { echo "tests/fuzz/run.sh: no target '$target'" >&2 && exit 2; }
  programs+=("${target}_fuzz")
done

bash cmake/install-deps.sh build examples tests clang runtimes
cmake --preset fuzz --log-level=WARNING >/dev/null
cmake --build --preset fuzz --target "${programs[@]}"

fuzz_one() {
  local target=$1 seconds=$2 folder=build/fuzz options=()
  mkdir -p "$folder/corpus/$target" "$folder/found" "$folder/log"
  [[ -e tests/fuzz/dictionaries/$target.dict ]] && options+=("-dict=tests/fuzz/dictionaries/$target.dict")
  if "$folder/bin/${target}_fuzz" -max_total_time="$seconds" -max_len=65536 -timeout=25 -malloc_limit_mb=64 \
    -rss_limit_mb=512 -print_final_stats=1 -artifact_prefix="$folder/found/$target-" "${options[@]}" \
    "$folder/corpus/$target" "tests/fuzz/corpus/$target" >"$folder/log/$target.log" 2>&1; then
    printf 'ok    %-16s %s runs\n' "$target" \
      "$(sed -n 's/^stat::number_of_executed_units: //p' "$folder/log/$target.log")"
  else
    printf 'FAIL  %-16s %s\n' "$target" \
      "$(grep -m1 -E '^fuzz: |runtime error|^==.*ERROR' "$folder/log/$target.log")"
    return 1
  fi
}
export -f fuzz_one

passed=0 failed=0
# shellcheck disable=SC2016 # the inner shell expands them
while read -r line; do
  echo "$line"
  if [[ $line == ok* ]]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done < <(printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I '{}' bash -c 'fuzz_one "$1" "$2"' - '{}' "$seconds")
((failed == 0)) || ls build/fuzz/found
echo "$passed passed, $failed failed"
((failed == 0))
