#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
#
# Uses evenkey in each of the ways that users get it (report F40): installed with the prefix moved and xxHash found
# in either way or not at all, as a subdirectory, fetched, by pkg-config, by a bare include folder.
# usage: tests/packaging/run.sh      prints a line per case, then `N passed, N failed`; fails if one failed
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
bash "$root/cmake/install-deps.sh" build || exit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

passed=0 failed=0
# Runs a case; what it prints is shown when it fails.
check() {
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    echo "ok    $name"
    passed=$((passed + 1))
  else
    echo "FAIL  $name"
    sed 's/^/      /' "$work/log" | tail -40
    failed=$((failed + 1))
  fi
}

version=$(sed -n 's/^#define EVENKEY_VERSION_[A-Z]* //p' "$root/include/evenkey/version.hpp" | paste -sd.)
IFS=. read -r major minor patch <<<"$version"
prefix=$work/moved
expected="evenkey $version: RenewalSaga#13"

# The two ways to find xxHash, each with its switch, so that what else this machine has does not matter:
# PKG_CONFIG_LIBDIR is the only folder where pkg-config looks.
export PKG_CONFIG_PATH=
no_pc_files=$work/nothing
no_package=(-D CMAKE_DISABLE_FIND_PACKAGE_xxHash=ON)

# A second xxHash in a place where no compiler looks by itself; the mark in it shows which one was used.
make_own_xxhash() {
  local own=$work/own include library
  include=$(pkg-config --variable=includedir libxxhash) || return
  library=$(find "$(pkg-config --variable=libdir libxxhash)" -name 'libxxhash.*' ! -name '*.pc' | sort | tail -1)
  mkdir -p "$own"/{include,package,pc,old_pc}
  cp "$include"/xxh*.h "$own/include"
  echo '#define XXHASH_OF_THE_TEST 1' >>"$own/include/xxhash.h"
  cat >"$own/package/xxHashConfig.cmake" <<END
add_library(xxHash::xxhash UNKNOWN IMPORTED)
set_target_properties(xxHash::xxhash PROPERTIES
  IMPORTED_LOCATION "$library" INTERFACE_INCLUDE_DIRECTORIES "$own/include")
END
  printf 'Name: xxhash\nDescription: xxHash\nVersion: 0.8.1\nCflags: -I%s/include\n' "$own" >"$own/pc/libxxhash.pc"
  sed 's/^Version: .*/Version: 0.7.3/' "$own/pc/libxxhash.pc" >"$own/old_pc/libxxhash.pc"
}

install_and_move() {
  cmake -S "$root" -B "$work/build" -G Ninja -D EVENKEY_BUILD_TESTS=OFF -D EVENKEY_BUILD_EXAMPLES=OFF \
    -D EVENKEY_BUILD_BENCHMARKS=OFF &&
    cmake --install "$work/build" --prefix "$work/first" &&
    mv "$work/first" "$prefix" && rm -rf "$work/build"
}

nothing_but_ours_installed() {
  local others
  others=$(cd "$prefix" && find . -type f ! -path './include/evenkey/*' ! -path './share/cmake/evenkey/*' \
    ! -path './share/pkgconfig/evenkey.pc' ! -path './share/licenses/evenkey/*')
  [[ -z $others ]] || { echo "installed too: $others" && return 1; }
  ! grep -rlE "$work|$root" "$prefix" || { echo "names a folder of the build machine" && return 1; }
}

# configure FOLDER [CMAKE ARGUMENT...]
configure() {
  local source=$1
  shift
  rm -rf "$work/use"
  cmake -S "$here/$source" -B "$work/use" -G Ninja -D CMAKE_PREFIX_PATH="$prefix" \
    -D CMAKE_EXPORT_COMPILE_COMMANDS=ON "$@"
}

build_and_run() {
  cmake --build "$work/use" && "$work/use/program" | tee "$work/out" && head -1 "$work/out" | grep -qxF "$expected"
}

uses_own_xxhash() { grep -qx 'xxHash of the test' "$work/out"; }

only_pkg_config() { configure installed "${no_package[@]}" && build_and_run; }

only_pkg_config_elsewhere() {
  PKG_CONFIG_LIBDIR=$work/own/pc configure installed "${no_package[@]}" && build_and_run && uses_own_xxhash
}

only_cmake_package() {
  PKG_CONFIG_LIBDIR=$no_pc_files configure installed -D xxHash_DIR="$work/own/package" &&
    build_and_run && uses_own_xxhash
}

no_flags_leak() {
  ! grep -oE ' -(W|f|O|g|D|m)[^ ]*|std=gnu\+\+1[0-9]' "$work/use/compile_commands.json"
}

neither() {
  ! PKG_CONFIG_LIBDIR=$no_pc_files configure installed "${no_package[@]}" >"$work/said" 2>&1 || return
  tr -s ' \n' ' ' <"$work/said" | tee "$work/line"
  grep -q 'evenkey needs xxHash 0.8.0 or newer, and found neither' "$work/line" && grep -q 'libxxhash-dev' "$work/line"
}

neither_and_optional() {
  PKG_CONFIG_LIBDIR=$no_pc_files configure installed "${no_package[@]}" -D OPTIONAL=ON >"$work/said" 2>&1
  local status=$?
  cat "$work/said"
  ((status == 0)) && grep -q 'goes on without evenkey' "$work/said"
}

too_old() {
  ! PKG_CONFIG_LIBDIR=$work/own/old_pc configure installed "${no_package[@]}" >"$work/said" 2>&1 || return
  cat "$work/said"
  grep -q 'evenkey needs xxHash' "$work/said"
}

accepts() { configure installed -D VERSION="$1"; }

refuses() {
  ! configure installed -D VERSION="$1" >"$work/said" 2>&1 || return
  cat "$work/said"
  grep -qF "version: $version" "$work/said"
}

other_pointer_size() { configure installed -D POINTER_SIZE=4 -D VERSION="$version"; }

as_sources() {
  configure "$1" -D EVENKEY_SOURCE_DIR="$root" -D CMAKE_DISABLE_FIND_PACKAGE_doctest=ON \
    -D CMAKE_DISABLE_FIND_PACKAGE_benchmark=ON && build_and_run &&
    (cd "$work/use" && ctest -N | grep -qx 'Total Tests: 0')
}

as_a_subdirectory() { as_sources subdirectory; }

by_fetch_content() { as_sources fetched; }

by_pkg_config() {
  local flags
  flags=$(PKG_CONFIG_PATH=$prefix/share/pkgconfig pkg-config --cflags --libs evenkey) || return
  echo "$flags"
  # shellcheck disable=SC2086 # a list of flags
  c++ -std=c++20 "$here/main.cpp" $flags -o "$work/program" && [[ $("$work/program") == "$expected" ]]
}

by_include_folder() {
  c++ -std=c++20 -I "$root/include" "$here/main.cpp" -o "$work/program" && [[ $("$work/program") == "$expected" ]]
}

make_own_xxhash || exit
check "installs, and the prefix moves" install_and_move
check "installs nothing but headers, package files and licence, and no name of the build machine" nothing_but_ours_installed
check "installed, xxHash only by pkg-config" only_pkg_config
check "no compiler flag reaches the user" no_flags_leak
check "installed, xxHash only by pkg-config, in an unusual place" only_pkg_config_elsewhere
check "installed, xxHash only by its CMake package" only_cmake_package
check "installed, no xxHash: says what is missing" neither
check "installed, no xxHash, evenkey optional: goes on without" neither_and_optional
check "installed, xxHash 0.7.3: refused" too_old
check "asks for $version: accepted" accepts "$version"
check "asks for $major.$minor: accepted" accepts "$major.$minor"
check "asks for $major.$minor.$((patch + 1)), newer than installed: refused" refuses "$major.$minor.$((patch + 1))"
check "asks for $major.$((minor + 1)), newer than installed: refused" refuses "$major.$((minor + 1))"
check "asks for $((major + 1)).0, newer than installed: refused" refuses "$((major + 1)).0"
check "another pointer size: accepted" other_pointer_size
check "as a subdirectory: no tests, no doctest needed" as_a_subdirectory
check "by FetchContent" by_fetch_content
check "by pkg-config evenkey" by_pkg_config
check "by g++ -I include alone" by_include_folder

echo "$passed passed, $failed failed"
((failed == 0))
