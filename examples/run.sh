#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
#
# The lab: the hot partition of one constant index key, then the same traffic on 16 shards, in virtual time.
# Installs what is missing, builds the lab and runs it; the arguments are the lab's (`--help` lists them).
# Only the lab writes to stdout, so that `examples/run.sh --json | jq` works; what is done first goes to stderr.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release

{
  printf '== dependencies\n'
  bash "$root/cmake/install-deps.sh" build examples
  cd "$root"
  # The lab alone needs neither doctest nor Google Benchmark. A folder that was configured for more is left so.
  if [[ ! -e $build/build.ninja || CMakePresets.json -nt $build/build.ninja ]]; then
    printf '== configure: build/release\n'
    cmake --preset release --log-level=WARNING -D EVENKEY_BUILD_TESTS=OFF -D EVENKEY_BUILD_BENCHMARKS=OFF >/dev/null
  fi
  printf '== build\n'
  cmake --build --preset release --target renewal_saga_lab
  cd - >/dev/null
  printf '== run\n'
} >&2
exec "$build/bin/renewal_saga_lab" "$@"
