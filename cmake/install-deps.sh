#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
set -euo pipefail

usage() {
  cat <<'END'
usage: cmake/install-deps.sh [GROUP...]

Makes sure that what evenkey is built with is there. On Debian and Ubuntu it installs what is missing with apt-get
(as root, or by sudo); elsewhere it says what to install and exits with 1. When nothing is missing it does nothing.

groups (default: build examples tests)
  build    a C++20 compiler, CMake 3.25, Ninja, pkg-config, xxHash
  examples CLI11, nlohmann's JSON, standalone Asio, libcurl
  tests    g++, doctest
  bench    Google Benchmark, Abseil, fmt, standalone Asio
  clang    clang++
  coverage llvm-cov and llvm-profdata of clang++'s version
  runtimes clang's own runtime libraries, for coverage and fuzzing
  conan    Python 3 with venv, into which tests/packaging gets Conan
  reference Doxygen, for docs/reference.sh
  portability
           g++ 12, clang 14, 16 and 19, cross compilers and qemu, for tests/portability on Debian 12
  browser  Chromium, for opening the lab's report in tests/report
  python, javascript, go, rust, java
           a language's own tools, for tests/languages
  lint     clang-format and clang-tidy, version 14 where there is one, and shellcheck

EVENKEY_SKIP_DEPS=1 skips it all, for machines where these things are found in other ways.
END
}

say() { printf 'install-deps: %s\n' "$*"; }

has_command() { command -v "$1" >/dev/null 2>&1; }

# Whether a header is in one of the places where a compiler or CMake finds it.
has_header() {
  local root IFS=:
  for root in ${CMAKE_PREFIX_PATH:-} /usr /usr/local /opt/homebrew /opt/local; do
    [[ -e $root/include/$1 ]] && return
  done
  return 1
}

# Debian and Ubuntu keep its headers in a folder of the machine's kind.
has_libcurl() { has_header curl/curl.h || has_header "$(uname -m)-linux-gnu/curl/curl.h"; }

# Debian puts the tools of its own clang in two places, one with a version in the name.
has_llvm_cov() { has_command llvm-cov || compgen -c llvm-cov- >/dev/null; }

# Debian's clang only recommends them.
has_clang_runtimes() {
  local folder
  folder=$(clang++ -print-resource-dir 2>/dev/null) && compgen -G "$folder/lib/*/libclang_rt.profile*" >/dev/null
}

# Prints what of a group is missing: one line each, "<what it is>|<Debian's package>[/<another, without the first>]".
missing_in() {
  case $1 in
    build)
      has_command g++ || has_command clang++ || has_command c++ || echo "a C++20 compiler|g++"
      has_command cmake || echo "CMake 3.25 or newer|cmake"
      has_command ninja || echo "Ninja|ninja-build"
      has_command pkg-config || echo "pkg-config|pkg-config"
      has_header xxhash.h || echo "xxHash 0.8.0 or newer|libxxhash-dev"
      ;;
    examples)
      has_header CLI/CLI.hpp || echo "CLI11|libcli11-dev"
      has_header nlohmann/json.hpp || echo "nlohmann's JSON|nlohmann-json3-dev"
      has_header asio.hpp || echo "standalone Asio|libasio-dev"
      has_libcurl || echo "libcurl 7.86 or newer|libcurl4-openssl-dev"
      ;;
    tests)
      has_command g++ || echo "g++ (the preset debug names it)|g++"
      has_header doctest/doctest.h || echo "doctest|doctest-dev"
      ;;
    bench)
      has_header benchmark/benchmark.h || echo "Google Benchmark|libbenchmark-dev"
      has_header absl/strings/str_cat.h || echo "Abseil|libabsl-dev"
      has_header fmt/format.h || echo "fmt|libfmt-dev"
      has_header asio.hpp || echo "standalone Asio|libasio-dev"
      ;;
    clang)
      has_command clang++ || echo "clang++|clang"
      ;;
    coverage)
      has_llvm_cov || echo "llvm-cov and llvm-profdata|llvm"
      has_command python3 || echo "Python 3|python3"
      ;;
    runtimes)
      has_clang_runtimes || echo "clang's runtimes|libclang-rt-dev/libclang-rt-14-dev"
      ;;
    conan)
      # Debian's python3 without python3-venv has the module, but nothing to put pip into it.
      python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || echo "Python 3 with venv|python3-venv"
      ;;
    reference)
      has_command doxygen || echo "Doxygen|doxygen"
      ;;
    portability)
      has_command g++-12 || echo "g++ 12|g++-12"
      has_command clang++-14 || echo "clang 14|clang-14"
      has_command clang++-16 || echo "clang 16|clang-16"
      has_command clang++-19 || echo "clang 19|clang-19"
      # Not g++-multilib: it conflicts with every cross compiler, which g++-12-multilib does not.
      [[ -e /usr/lib/gcc/x86_64-linux-gnu/12/32/libstdc++.a ]] || echo "32-bit libraries|g++-12-multilib"
      has_command s390x-linux-gnu-g++-12 || echo "g++ 12 for s390x|g++-12-s390x-linux-gnu"
      has_command aarch64-linux-gnu-g++-12 || echo "g++ 12 for arm64|g++-12-aarch64-linux-gnu"
      has_command qemu-s390x || echo "qemu-user|qemu-user"
      ;;
    browser)
      has_command chromium || has_command chromium-browser || has_command google-chrome ||
        echo "Chromium|chromium/chromium-browser"
      ;;
    python)
      # With a pip for environments of its own: Debian's Python has that in another package.
      python3 -c 'import ensurepip' 2>/dev/null || /usr/bin/python3 -c 'import ensurepip' 2>/dev/null ||
        echo "Python with venv|python3-venv"
      ;;
    javascript)
      has_command node || echo "Node.js|nodejs"
      has_command npm || echo "npm|npm"
      ;;
    go)
      has_command go || echo "Go 1.18 or newer|golang-go"
      ;;
    rust)
      # Debian 12's own cargo fetches the whole index of crates by git; the one made for its browsers, which is newer,
      # asks for one crate at a time.
      has_command cargo || echo "Rust with cargo|cargo-web/cargo"
      ;;
    java)
      has_command javac || echo "a JDK, 17 or newer|default-jdk-headless"
      has_command mvn || echo "Maven|maven"
      ;;
    lint)
      # Other versions format and warn differently, so 14 where the system has it.
      has_command clang-format-14 || has_command clang-format || echo "clang-format|clang-format-14/clang-format"
      has_command clang-tidy-14 || has_command clang-tidy || echo "clang-tidy|clang-tidy-14/clang-tidy"
      has_command shellcheck || echo "shellcheck|shellcheck"
      ;;
    *)
      say "no group '$1'" >&2
      usage >&2
      exit 2
      ;;
  esac
}

missing() {
  local group
  for group in "$@"; do missing_in "$group"; done
}

# CMake's presets need 3.25, which Debian 12 and Ubuntu 24.04 have, and Ubuntu 22.04 has not.
cmake_is_new_enough() {
  local version
  read -r _ _ version < <(cmake --version)
  [[ $(printf '3.25\n%s\n' "$version" | sort -V | head -1) == 3.25 ]] && return
  say "cmake is ${version:-unknown}, and 3.25 or newer is needed: this system's own package is too old. A way without
  root: python3 -m venv ~/.cmake && ~/.cmake/bin/pip install cmake && export PATH=~/.cmake/bin:\$PATH
  (where venv is missing: apt-get install python3-venv), or take it from https://cmake.org/download"
  return 1
}

apt_install() {
  local as_root=()
  if ((EUID != 0)); then
    if ! has_command sudo; then
      say "this needs root, and there is no sudo. As root: apt-get install $*"
      return 1
    fi
    as_root=(sudo)
    [[ -t 0 ]] || as_root+=(-n)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
  "${apt[@]}" update || say "apt-get update failed; trying with the lists at hand"
  local choice packages=()
  for choice in "$@"; do
    if [[ $choice == */* ]] && ! apt-cache show "${choice%/*}" >/dev/null 2>&1; then
      packages+=("${choice#*/}")
    else
      packages+=("${choice%/*}")
    fi
  done
  say "apt-get install ${packages[*]}"
  "${apt[@]}" install --no-install-recommends "${packages[@]}"
}

main() {
  local groups=() group
  for group in "$@"; do
    case $group in
      -h | --help) usage && return ;;
      *) groups+=("$group") ;;
    esac
  done
  ((${#groups[@]})) || groups=(build examples tests)
  [[ ${EVENKEY_SKIP_DEPS:-} == 1 ]] && return

  local lines
  lines=$(missing "${groups[@]}")
  if [[ -n $lines ]]; then
    say "missing: $(cut -d'|' -f1 <<<"$lines" | paste -sd, | sed 's/,/, /g')"
    if ! has_command apt-get; then
      say "this system has no apt-get: install these by its own means, then try again"
      return 1
    fi
    local packages
    mapfile -t packages < <(cut -d'|' -f2 <<<"$lines" | sort -u)
    apt_install "${packages[@]}"
    lines=$(missing "${groups[@]}")
    if [[ -n $lines ]]; then
      say "still missing after installing: $(cut -d'|' -f1 <<<"$lines" | paste -sd,)"
      return 1
    fi
  fi
  if has_command cmake; then cmake_is_new_enough; fi
}

main "$@"
