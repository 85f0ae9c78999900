#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
#
# Uses evenkey in each of the ways that users get it (report F40): installed with the prefix moved and xxHash found
# in either way or not at all, as a subdirectory, fetched, by pkg-config, by a bare include folder, as one copied file, as
# a package of Conan's (which is got from PyPI into build/conan), by the port for vcpkg; by vcpkg itself where it is at
# hand: `vcpkg` on the path, VCPKG_ROOT its ports and scripts. It downloads xxHash, unless VCPKG_OVERLAY_PORTS or
# X_VCPKG_ASSET_SOURCES name another place.
# usage: tests/packaging/run.sh      prints a line per case, then `N passed, N failed`; fails if one failed
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
bash "$root/cmake/install-deps.sh" build conan || exit
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

# Of xxHash the header alone is used, so that nobody is made to link with it; where the header is, must be said.
by_pkg_config() {
  local flags
  flags=$(PKG_CONFIG_PATH=$prefix/share/pkgconfig pkg-config --cflags --libs evenkey) || return
  echo "$flags"
  [[ " $flags " != *" -lxxhash "* ]] || return
  # shellcheck disable=SC2086 # a list of flags
  c++ -std=c++20 "$here/main.cpp" $flags -o "$work/program" && "$work/program" | tee "$work/out" &&
    head -1 "$work/out" | grep -qxF "$expected"
}

by_pkg_config_elsewhere() { PKG_CONFIG_LIBDIR=$work/own/pc by_pkg_config && uses_own_xxhash; }

pkg_config_refuses_old() {
  ! PKG_CONFIG_LIBDIR=$work/own/old_pc PKG_CONFIG_PATH=$prefix/share/pkgconfig pkg-config --cflags evenkey \
    >"$work/said" 2>&1 || return
  cat "$work/said"
  grep -q 'libxxhash' "$work/said"
}

by_include_folder() {
  c++ -std=c++20 -I "$root/include" "$here/main.cpp" -o "$work/program" && [[ $("$work/program") == "$expected" ]]
}

# --- one copied file

single_is_current() { python3 "$root/tools/amalgamate.py" --check; }

# The warnings that the library's own build turns on, since the file tells the compiler to keep quiet within it alone.
strict=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror)

# example_of_one_file NAME FOLDER: the example, with the one file of that folder in the place of its includes
example_of_one_file() {
  local name=$1 folder=$2
  mkdir -p "$work/copied" && cp "$folder/evenkey-single.hpp" "$work/copied/" &&
    sed '0,/^#include <evenkey.*/s//#include "evenkey-single.hpp"/; /^#include <evenkey/d' \
      "$root/examples/$name.cpp" >"$work/copied/$name.cpp" || return
  (cd "$work/copied" && c++ -std=c++20 "${strict[@]}" "$name.cpp" -pthread -o "$name") || return
  "$work/copied/$name" >"$work/copied/said" && diff "$root/examples/$name.expected" "$work/copied/said"
}

one_file() { example_of_one_file quickstart "$root/single"; }

one_file_with_testing() {
  mkdir -p "$work/with" && python3 "$root/tools/amalgamate.py" --with evenkey/testing/memory_table.hpp \
    --output "$work/with/evenkey-single.hpp" && example_of_one_file migration "$work/with"
}

never_both() {
  printf '#include <evenkey/evenkey.hpp>\n#include "%s"\n' "$root/single/evenkey-single.hpp" >"$work/both.cpp"
  ! c++ -std=c++20 -I "$root/include" -fsyntax-only "$work/both.cpp" >"$work/said" 2>&1 || return
  grep -m 1 -q 'error: #error "evenkey is here already' "$work/said"
}

in_two_files_of_a_program() {
  printf '#include "%s"\nbool other() { return evenkey::ShardPolicy<16>::shard_of("a") == evenkey::ShardPolicy<16>::shard_of("b"); }\n' \
    "$root/single/evenkey-single.hpp" >"$work/other.cpp"
  sed 's|<evenkey/evenkey.hpp>|"'"$root"'/single/evenkey-single.hpp"|' "$here/main.cpp" >"$work/main.cpp"
  c++ -std=c++20 "$work/main.cpp" "$work/other.cpp" -pthread -o "$work/program" &&
    [[ $("$work/program") == "$expected" ]]
}

# --- Conan

conan() { "$root/build/conan/venv/bin/conan" "$@"; }

get_conan() {
  local venv=$root/build/conan/venv
  [[ -x $venv/bin/conan ]] || { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet 'conan>=2,<3'; } || return
  export CONAN_HOME=$work/conan_home
  XXHASH_INCLUDE=$(pkg-config --variable=includedir libxxhash) || return
  export XXHASH_INCLUDE
  conan --version && conan profile detect
}

# From a copy, since Conan builds test_package beside its sources. By Ninja, as all else here: a bare machine has no make.
conan_create() {
  mkdir "$work/recipe" && cp -r "$root"/{conanfile.py,LICENSE,include,test_package} "$work/recipe" || return
  conan create "$here/conan-xxhash" --no-remote &&
    conan create "$work/recipe" --no-remote -s compiler.cppstd=20 -c tools.cmake.cmaketoolchain:generator=Ninja \
      2>&1 | tee "$work/said" &&
    grep -qxF "$expected" "$work/said"
}

# As docs/packages.md says: a profile puts another recipe in the place of xxhash's.
conan_with_own_xxhash() {
  mkdir "$work/own_recipe" && sed 's/name = "xxhash"/name = "our-xxhash"/' "$here/conan-xxhash/conanfile.py" \
    >"$work/own_recipe/conanfile.py" || return
  printf 'include(default)\n[replace_requires]\nxxhash/*: our-xxhash/0.8.0\n' >"$work/own_profile"
  conan create "$work/own_recipe" --no-remote &&
    conan create "$work/recipe" --no-remote -pr "$work/own_profile" -s compiler.cppstd=20 \
      -c tools.cmake.cmaketoolchain:generator=Ninja 2>&1 | tee "$work/said" &&
    grep -qxF "$expected" "$work/said" && grep -q "Target declared 'xxHash::xxhash'" "$work/said" &&
    grep -q 'our-xxhash/0.8.0' "$work/said"
}

conan_package_holds() {
  local folder
  folder=$(conan cache path "$(conan list "evenkey/$version:*" --format=compact 2>/dev/null |
    grep -oE "evenkey/$version(#[0-9a-f]+)?:[0-9a-f]+" | head -1)") || return
  diff -r "$root/include" "$folder/include" && diff "$root/LICENSE" "$folder/licenses/LICENSE" || return
  local others
  others=$(cd "$folder" && find . -type f ! -path './include/evenkey/*' ! -path './licenses/LICENSE' \
    ! -name conaninfo.txt ! -name conanmanifest.txt)
  [[ -z $others ]] || { echo "packaged too: $others" && return 1; }
}

# Another compiler, architecture and build type take the same package; nothing is built.
conan_package_fits_all() {
  conan install --requires "evenkey/$version" --no-remote --build=never -of "$work/conan_out" -s build_type=Debug \
    -s arch=armv8 -s compiler=clang -s compiler.version=16 -s compiler.libcxx=libc++ -s compiler.cppstd=23
}

conan_refuses_old_standard() {
  ! conan install --requires "evenkey/$version" --no-remote -of "$work/conan_out" -s compiler.cppstd=17 \
    >"$work/said" 2>&1 || return
  cat "$work/said"
  grep -q 'Invalid' "$work/said"
}

# --- vcpkg: without vcpkg itself

port=$root/packaging/vcpkg/evenkey

vcpkg_manifests() { python3 "$here/vcpkg/check_manifests.py" "$root/vcpkg.json" "$port"; }

vcpkg_port_runs() {
  cmake -D PORT_DIR="$port" -D PORT=evenkey -D CURRENT_PACKAGES_DIR="$work/vcpkg" \
    -D CURRENT_BUILDTREES_DIR="$work/buildtrees" -P "$here/vcpkg/run_port.cmake" || return
  local files expected_files
  files=$(cd "$work/vcpkg" && find . -type f ! -path './include/evenkey/*' | sort)
  expected_files=$(printf './share/%s\n' evenkey/{FindEvenkeyXxHash.cmake,copyright,evenkeyConfig.cmake} \
    evenkey/{evenkeyConfigVersion.cmake,evenkeyTargets.cmake,usage} && printf './%s\n' {,debug/}lib/pkgconfig/evenkey.pc)
  expected_files=$(sort <<<"$expected_files")
  diff <(echo "$expected_files") <(echo "$files") && [[ -z $(find "$work/vcpkg" -type d -empty) ]]
}

# As the port's `usage` says, in the same project as the installed library.
vcpkg_port_is_used() {
  PKG_CONFIG_LIBDIR=$no_pc_files configure installed -D CMAKE_PREFIX_PATH="$work/vcpkg" \
    -D xxHash_DIR="$work/own/package" && build_and_run && uses_own_xxhash
}

# --- vcpkg itself

vcpkg_formats_nothing() {
  mkdir -p "$work"/manifests/{project,port} && cp "$root/vcpkg.json" "$work/manifests/project/" &&
    cp "$port/vcpkg.json" "$work/manifests/port/" || return
  vcpkg format-manifest "$work"/manifests/{project,port}/vcpkg.json &&
    diff "$root/vcpkg.json" "$work/manifests/project/vcpkg.json" && diff "$port/vcpkg.json" "$work/manifests/port/vcpkg.json"
}

# From a folder without a manifest, so that vcpkg does not read this project's. Its checks after the build are errors.
vcpkg_installs() (
  mkdir -p "$work/vcpkg_itself" && cd "$work/vcpkg_itself" || return
  vcpkg install evenkey --overlay-ports="$root/packaging/vcpkg" --enforce-port-checks --no-binarycaching \
    --x-install-root="$work/vcpkg_itself/installed" --x-buildtrees-root="$work/vcpkg_itself/buildtrees" \
    --x-packages-root="$work/vcpkg_itself/packages" 2>&1 | tee "$work/said" || return
  diff -B "$port/usage" <(grep -xFf "$port/usage" "$work/said")
)

vcpkg_package_is_used() {
  PKG_CONFIG_LIBDIR=$no_pc_files configure installed -D CMAKE_PREFIX_PATH= -D VCPKG_MANIFEST_MODE=OFF \
    -D CMAKE_TOOLCHAIN_FILE="$VCPKG_ROOT/scripts/buildsystems/vcpkg.cmake" \
    -D VCPKG_INSTALLED_DIR="$work/vcpkg_itself/installed" && build_and_run &&
    grep -q "^evenkey_DIR:PATH=$work/vcpkg_itself/" "$work/use/CMakeCache.txt"
}

# Each configuration has a file of its own, since it names that configuration's xxHash.
vcpkg_pkg_config_is_used() {
  local folders folder flags
  mapfile -t folders < <(find "$work/vcpkg_itself/installed" -path '*/pkgconfig/evenkey.pc' -printf '%h\n')
  ((${#folders[@]})) || return
  for folder in "${folders[@]}"; do
    flags=$(PKG_CONFIG_LIBDIR=$folder pkg-config --cflags --libs evenkey) && echo "$flags" || return
    # shellcheck disable=SC2086 # a list of flags
    c++ -std=c++20 "$here/main.cpp" $flags -o "$work/program" && [[ $("$work/program") == "$expected" ]] || return
  done
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
check "by pkg-config evenkey: nothing of xxHash is linked" by_pkg_config
check "by pkg-config evenkey, xxHash in an unusual place" by_pkg_config_elsewhere
check "by pkg-config evenkey, xxHash 0.7.3: refused" pkg_config_refuses_old
check "by g++ -I include alone" by_include_folder
check "as one file: single/evenkey-single.hpp is what the headers give" single_is_current
check "as one file: quickstart" one_file
check "as one file made with testing/: the migration" one_file_with_testing
check "as one file: in two sources of one program" in_two_files_of_a_program
check "as one file, after <evenkey/evenkey.hpp>: refused" never_both
check "Conan, from PyPI" get_conan
check "conan create, with test_package" conan_create
check "conan create, with the user's own recipe of xxHash" conan_with_own_xxhash
check "the Conan package: headers and licence, no more" conan_package_holds
check "the Conan package: one for all compilers, architectures and build types" conan_package_fits_all
check "the Conan package: refuses C++17" conan_refuses_old_standard
check "vcpkg: the manifests and the port's files follow its rules" vcpkg_manifests
check "vcpkg: the port, with stand-ins for vcpkg's functions, installs what it should" vcpkg_port_runs
check "vcpkg: what the port installs is used by find_package" vcpkg_port_is_used
if [[ -n ${VCPKG_ROOT:-} ]] && command -v vcpkg >/dev/null; then
  export VCPKG_DISABLE_METRICS=1
  check "vcpkg itself: format-manifest changes neither manifest" vcpkg_formats_nothing
  check "vcpkg itself: installs the port, warns of nothing, shows usage" vcpkg_installs
  check "vcpkg itself: what it installed is used by its toolchain" vcpkg_package_is_used
  check "vcpkg itself: what it installed is used by pkg-config, release and debug" vcpkg_pkg_config_is_used
else
  echo "skip  vcpkg itself, 4 checks: no vcpkg on the path, or no VCPKG_ROOT"
fi

echo "$passed passed, $failed failed"
((failed == 0))
