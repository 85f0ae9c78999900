#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
set -uo pipefail

usage() {
  cat <<'END'
usage: tests/portability/run.sh [--only NAME,...] [--list] [--help]

Builds and runs a small fixed part of the tests with every compiler, library, language level and machine that
docs/platforms.md names, and compiles the headers in ways that users do. Installs what it needs (Debian 12).
Prints a line per check, then `N passed, N failed`.

  --only   these checks, or whole groups of them: compilers, libcxx, machines, users; ci is what .ci/run has time
           for, beside what its other suites show already (the compilers of the presets, consumers, xxHash)
  --list   names every check
exits with 0 if all passed, 1 if one failed (a compiler that cannot be had is a failure), 2 for a wrong call

Programs: keys.cpp (hashes, shards, fields, keys), formats.cpp (every byte format above them), reads.cpp (a read,
pages, a migration). -fno-exceptions is not tried, since it is not promised: errors are exceptions.
END
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)

compilers=(gcc12-cxx20-O0 gcc12-cxx20-O2 gcc12-cxx23-O3 clang14-cxx20-O2 clang14-cxx23-O0 clang16-cxx20-O0 clang16-cxx23-O3
  clang19-cxx20-O0 clang19-cxx23-O2)
libcxx=(libcxx14-refused libcxx16-keys libcxx19-cxx20-O0 libcxx19-cxx23-O2 libcxx-reads-refused)
machines=(m32-gcc12 m32-clang14 arm64 s390x)
users=(no-rtti-gcc12 no-rtti-clang19 unity-gcc12 unity-clang19 two-n-gcc12 two-n-clang19 warnings-gcc12 warnings-clang14
  warnings-clang16 warnings-clang19 hostile-macros-gcc12 hostile-macros-clang19 xxhash-gcc12 xxhash-clang19
  xxhash-too-old)
ci=(clang16-cxx23-O3 clang19-cxx20-O0 libcxx14-refused libcxx16-keys libcxx19-cxx20-O0 libcxx-reads-refused m32-gcc12 s390x
  no-rtti-gcc12 warnings-gcc12 warnings-clang19 hostile-macros-clang19)
all=("${compilers[@]}" "${libcxx[@]}" "${machines[@]}" "${users[@]}")

wrong() {
  echo "tests/portability/run.sh: $*" >&2
  usage >&2
  exit 2
}

chosen=()
choose() {
  local name
  for name in ${1//,/ }; do
    case $name in
      compilers) chosen+=("${compilers[@]}") ;;
      libcxx) chosen+=("${libcxx[@]}") ;;
      machines) chosen+=("${machines[@]}") ;;
      users) chosen+=("${users[@]}") ;;
      ci) chosen+=("${ci[@]}") ;;
      *)
        [[ " ${all[*]} " == *" $name "* ]] || wrong "no check '$name'"
        chosen+=("$name")
        ;;
    esac
  done
}
while (($#)); do
  case $1 in
    -h | --help) usage && exit ;;
    --list) printf '%s\n' "${all[@]}" && exit ;;
    --only)
      (($# > 1)) || wrong "--only needs names"
      choose "$2"
      shift
      ;;
    *) wrong "what is '$1'?" ;;
  esac
  shift
done
((${#chosen[@]})) || chosen=("${all[@]}")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What cannot be installed shows in the checks that need it.
bash "$root/cmake/install-deps.sh" build tests clang portability >"$work/install" 2>&1 || {
  echo "not all could be installed:"
  tail -5 "$work/install" | sed 's/^/      /'
}

passed=0 failed=0
# Runs a check; what it prints is shown when it fails.
check() {
  local name=$1 started=$SECONDS
  shift
  if "$@" >"$work/log" 2>&1; then
    printf 'ok    %-26s %3d s  %s\n' "$name" $((SECONDS - started)) "$(tail -1 "$work/log" | cut -c 1-80)"
    passed=$((passed + 1))
  else
    printf 'FAIL  %-26s %3d s\n' "$name" $((SECONDS - started))
    head -40 "$work/log" | cut -c 1-300 | sed 's/^/      /'
    failed=$((failed + 1))
  fi
}

compiler_of() {
  case $1 in
    gcc*) echo "g++-${1#gcc}" ;;
    clang*) echo "clang++-${1#clang}" ;;
  esac
}

# The standard libraries of two clangs cannot be installed together (their packages conflict): each is unpacked.
# Prints the folder.
libcxx_of() {
  local version=$1 to=$root/build/portability/libcxx-$1 package
  local packages=(libc++{,abi}{1-"$version",-"$version-dev"} libunwind-"$version"{,-dev})
  if [[ $(cat "$to/complete" 2>/dev/null) != "${packages[*]}" ]]; then
    rm -rf "$to" && mkdir -p "$to/packages" &&
      (cd "$to/packages" && apt-get -q download "${packages[@]}") >&2 || return
    for package in "$to"/packages/*.deb; do dpkg -x "$package" "$to" || return; done
    echo "${packages[*]}" >"$to/complete"
  fi
  echo "$to/usr/lib/llvm-$version"
}

# Headers alone, where a cross compiler finds no foreign library's: xxHash and doctest.
headers=$work/headers
mkdir -p "$headers" && cp /usr/include/xxh*.h "$headers" && cp -r /usr/include/doctest "$headers" || exit 1

includes=(-I "$root/include" -I "$root/tests" -isystem "$headers" "-DEVENKEY_TEST_DATA_DIR=\"$root/tests/golden\"")

# build_and_run "PROGRAM PARTS" "RUNNER WORDS" COMPILER FLAG...   two parts at a time
build_and_run() {
  local parts=$1 runner=$2 part pids=() status=0
  shift 2
  rm -f "$work"/*.o "$work/program"
  command -v "$1" >/dev/null || { echo "no $1 on this machine, and apt-get could not install it" && return 1; }
  for part in $parts; do
    while (($(jobs -rp | wc -l) >= 2)); do wait -n; done
    "$@" "${includes[@]}" -c "$root/tests/$part.cpp" -o "$work/$(basename "$part").o" &
    pids+=($!)
  done
  for part in "${pids[@]}"; do wait "$part" || status=1; done
  ((status == 0)) || return 1
  # shellcheck disable=SC2086 # lists of words
  "$@" "$work"/*.o ${link:-} -pthread -o "$work/program" && ran_tests $runner "$work/program"
}

# A program that runs no test has not passed.
# $left_out: tests by their names, for what is a matter of the test alone; the line of the check says so.
ran_tests() {
  "$@" --test-case-exclude="${left_out:-}" >"$work/ran" 2>&1 || { cat "$work/ran" && return 1; }
  sed -nE 's/^.*test cases: *([1-9][0-9]*) \| *[0-9]+ passed.*/\1 tests passed/p' "$work/ran" | sed "s/\$/${left_out:+, but for $left_out}/" | grep .
}

keys="portability/keys shard_policy/placement_test"
everything="$keys portability/formats portability/reads"
# clang 14 knows C++23 by its older name.
standard() { if [[ $1 == cxx23 ]]; then echo -std=c++2b; else echo -std=c++20; fi; }

check_compiler() {
  local compiler std level
  IFS=- read -r compiler std level <<<"$1"
  build_and_run "$everything" "" "$(compiler_of "$compiler")" "$(standard "$std")" "-$level"
}

libcxx_flags() {
  local folder
  folder=$(libcxx_of "$1") || { echo "apt-get has no libc++ $1" && return 1; }
  flags=("clang++-$1" -nostdinc++ -isystem "$folder/include/c++/v1")
  link="-nostdlib++ -L$folder/lib -Wl,-rpath,$folder/lib -lc++ -lc++abi -Wl,-rpath-link,$folder/lib"
}

# libc++ 19 has std::stop_token as an experiment.
check_libcxx() {
  local flags link version=${1#libcxx}
  version=${version%%-*}
  libcxx_flags "$version" || return
  case $1 in
    *-keys) build_and_run "$keys" "" "${flags[@]}" -std=c++20 -O0 ;;
    *-cxx*) build_and_run "$everything" "" "${flags[@]}" -fexperimental-library "$(standard "$(cut -d- -f2 <<<"$1")")" "-${1##*-}" ;;
  esac
}

# libcxx_refuses VERSION HEADER WORDS   does not compile, and says why before anything else
libcxx_refuses() {
  local flags link
  libcxx_flags "$1" || return
  if "${flags[@]}" -std=c++20 "${includes[@]}" -fsyntax-only -x c++ "$root/include/evenkey/$2.hpp" >"$work/said" 2>&1 ||
    ! grep -m 1 -E 'error:' "$work/said" | grep -q "$3"; then
    head -20 "$work/said"
    return 1
  fi
}

check_libcxx_refused() {
  libcxx_refuses 14 key 'needs a std::string for constant expressions' && echo "refused, and says what is missing"
}

check_libcxx_reads_refused() {
  local version header
  for version in 16 19; do
    for header in page coalesce; do
      libcxx_refuses "$version" "$header" 'need.* std::stop_token: libc++' || return
    done
  done
  echo "refused, and says what is missing"
}

check_m32() {
  # The x87 unit keeps more bits than a double has: the tests' formula in doubles is then another one. evenkey's own is
  # in integers, and has its golden values.
  local left_out='*doubles give*,*as doubles do*'
  # Without gcc-multilib, which cannot be installed beside cross compilers, the kernel's headers are only here.
  build_and_run "$everything" "" "$(compiler_of "${1#m32-}")" -m32 -std=c++20 -O2 -idirafter /usr/include/x86_64-linux-gnu
}

check_foreign() {
  local triplet=$1 emulator=$2
  command -v "$emulator" >/dev/null || { echo "no $emulator on this machine, and apt-get could not install it" && return 1; }
  build_and_run "$everything" "$emulator -L /usr/$triplet" "$triplet-g++-12" -std=c++20 -O1
}

check_no_rtti() {
  # libstdc++ finds a locale's facets by their type: a facet of the tests' own, without RTTI, is none.
  local left_out='*locale*'
  build_and_run "$everything" "" "$(compiler_of "$1")" -fno-rtti -std=c++20 -O0
}

all_headers() {
  (cd "$root/include" && find evenkey -name '*.hpp' ! -path '*/xxhash_macros/*' ! -path 'evenkey/adapters/*' | LC_ALL=C sort) |
    sed 's/.*/#include <&>/' >"$work/all_headers.hpp"
}

check_unity() {
  all_headers
  { cat "$work/all_headers.hpp" && printf '#include "portability/%s.cpp"\n' keys formats reads; } >"$work/unity.cpp"
  local compiler
  compiler=$(compiler_of "$1") && "$compiler" -std=c++20 -O0 "${includes[@]}" "$work/unity.cpp" -pthread -o "$work/program" &&
    ran_tests "$work/program"
}

# Two translation units with N = 1, 10 and 256 each, and one with hostile macros: the consumer's tests.
check_two_n() {
  all_headers
  local compiler
  compiler=$(compiler_of "$1")
  "$compiler" -std=c++20 -O1 "${includes[@]}" -I "$work" "$root"/tests/consumer/*.cpp "$root/tests/support/doctest_main.cpp" \
    -pthread -o "$work/program" && ran_tests "$work/program"
}

strict=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Wundef -Wdouble-promotion -Werror)
# g++ alone, and what else people turn on; -Wuseless-cast is not: a cast may be needed on another machine.
strict_gcc=(-Woverloaded-virtual -Wnon-virtual-dtor -Wcast-qual -Wcast-align -Wformat=2 -Wlogical-op -Wduplicated-cond
  -Wduplicated-branches -Wextra-semi -Wredundant-decls -Wnull-dereference)
# All that clang has, but for what speaks against C++20 itself or against what is meant.
strict_clang=(-Weverything -Wno-unknown-warning-option -Wno-c++98-compat -Wno-c++98-compat-pedantic -Wno-c++20-compat
  -Wno-padded -Wno-weak-vtables -Wno-unsafe-buffer-usage -Wno-switch-enum -Wno-switch-default -Wno-float-equal
  -Wno-ctad-maybe-unsupported -Wno-exit-time-destructors -Wno-zero-as-null-pointer-constant)

check_warnings() {
  local compiler more=("${strict_gcc[@]}") std
  compiler=$(compiler_of "$1")
  [[ $1 == clang* ]] && more=("${strict_clang[@]}")
  all_headers
  cp "$work/all_headers.hpp" "$work/all_headers.cpp"
  # A quick start's instantiations too: -Wall alone sees no template's body.
  for std in c++20 c++2b; do
    "$compiler" "-std=$std" "${strict[@]}" "${more[@]}" -I "$root/include" -fsyntax-only "$work/all_headers.cpp" || return
    "$compiler" "-std=$std" "${strict[@]}" -I "$root/include" -fsyntax-only "$root/examples/quickstart.cpp" || return
  done
  echo "no warning"
}

check_hostile_macros() {
  all_headers
  local compiler
  compiler=$(compiler_of "$1")
  "$compiler" -std=c++20 -O0 "${includes[@]}" -I "$work" "$here/hostile_macros.cpp" -pthread -o "$work/program" && "$work/program"
}

# Every way of tests/hash/CMakeLists.txt in which a program may have xxHash itself, all linked together.
check_xxhash() {
  local compiler mode order name sources=() coexist=$root/tests/hash/coexist
  compiler=$(compiler_of "$1")
  for mode in LINKED ADVANCED INLINED INLINED_BY_FLAG PRIVATE NAMESPACED NAMESPACED_BY_FLAG LINKED_THEN_INLINED; do
    for order in before after; do
      name=${mode,,}_$order
      {
        echo "#define EVENKEY_MODE EVENKEY_$mode"
        echo "#define EVENKEY_THEIR_PREFIX theirs_${name}_"
        echo "#define EVENKEY_TITLE \"$name\""
        [[ $mode == INLINED_BY_FLAG ]] && echo "#define XXH_INLINE_ALL"
        [[ $mode == NAMESPACED_BY_FLAG ]] && echo "#define XXH_NAMESPACE EVENKEY_THEIR_PREFIX"
        [[ $order == after ]] && echo "#define EVENKEY_FIRST"
        echo '#include "beside_xxhash.cpp"'
      } >"$work/coexist_$name.cpp"
      sources+=("$work/coexist_$name.cpp")
    done
  done
  printf '%s\n' "${sources[@]}" "$coexist/state_made_after.cpp" "$coexist/state_read_before.cpp" "$root/tests/support/doctest_main.cpp" |
    (cd "$work" && rm -f ./*.o && xargs -P 2 -n 7 "$compiler" -std=c++20 -O0 "${includes[@]}" -I "$coexist" -c) &&
    "$compiler" "$work"/*.o -lxxhash -o "$work/program" && ran_tests "$work/program"
}

check_xxhash_too_old() {
  local file compiler
  for compiler in g++-12 clang++-19; do
    for file in "$root"/tests/hash/old_xxhash/*.cpp; do
      cmake -D "FILE=$file" -D "COMPILER=$compiler" -D "FLAGS=-std=c++20" \
        -D "INCLUDES=$root/tests/hash/old_xxhash;$root/include" -P "$root/tests/compile/check.cmake" || return
    done
  done
  echo "refused, and says which is needed"
}

started=$SECONDS
for name in "${chosen[@]}"; do
  of=${name##*-}
  case $name in
    libcxx14-refused) check "$name" check_libcxx_refused ;;
    libcxx-reads-refused) check "$name" check_libcxx_reads_refused ;;
    libcxx*) check "$name" check_libcxx "$name" ;;
    gcc*-cxx* | clang*-cxx*) check "$name" check_compiler "$name" ;;
    m32-*) check "$name" check_m32 "$name" ;;
    arm64) check "$name" check_foreign aarch64-linux-gnu qemu-aarch64 ;;
    s390x) check "$name" check_foreign s390x-linux-gnu qemu-s390x ;;
    no-rtti-*) check "$name" check_no_rtti "$of" ;;
    unity-*) check "$name" check_unity "$of" ;;
    two-n-*) check "$name" check_two_n "$of" ;;
    warnings-*) check "$name" check_warnings "$of" ;;
    hostile-macros-*) check "$name" check_hostile_macros "$of" ;;
    xxhash-too-old) check "$name" check_xxhash_too_old ;;
    xxhash-*) check "$name" check_xxhash "$of" ;;
  esac
done
echo "in $((SECONDS - started)) s; compilers: $(for c in g++-12 clang++-14 clang++-16 clang++-19 s390x-linux-gnu-g++-12 qemu-s390x; do
  command -v $c >/dev/null && $c --version | head -1 | tr '\n' ';'
done)"
echo "$passed passed, $failed failed"
((failed == 0))
