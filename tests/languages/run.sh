#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
set -uo pipefail

usage() {
  cat <<'END'
usage: tests/languages/run.sh [--only LANGUAGE[,LANGUAGE...]]

Holds the functions of docs/other-languages.md, as they stand there, against tests/golden: hashes, shards and partition
keys, by each language's own xxHash package. Python's and JavaScript's readers are held against the vectors of a
migration as well. Languages: python, javascript, go, rust, java. Toolchains that are missing are installed by apt-get,
packages by pip, npm, go, cargo and mvn into build/languages; when nothing is missing, nothing is fetched. A language
that cannot be installed is a failure: leave it out by --only.

  --only LANGUAGES   these alone, for example
                       tests/languages/run.sh --only python,javascript

Ends with `N passed, N failed`. exit codes: 0 all passed, 1 something failed, 2 usage
END
}

wrong_usage() {
  echo "tests/languages/run.sh: $*" >&2
  usage >&2
  exit 2
}

all=(python javascript go rust java)
languages=("${all[@]}")
while (($#)); do
  case $1 in
    -h | --help) usage && exit ;;
    --only) (($# > 1)) || wrong_usage "--only needs languages" && languages=() && IFS=, read -ra languages <<<"$2" && shift 2 ;;
    --only=*) IFS=, read -ra languages <<<"${1#*=}" && shift ;;
    *) wrong_usage "no option '$1'" ;;
  esac
done
((${#languages[@]})) || wrong_usage "--only names no language"
for language in "${languages[@]}"; do
  [[ " ${all[*]} " == *" $language "* ]] || wrong_usage "no language '$language'"
done

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
root=$PWD
golden=$root/tests/golden
place=$root/build/languages
mkdir -p "$place"
export GOTOOLCHAIN=local PYTHONDONTWRITEBYTECODE=1

say() { printf '== %s\n' "$*"; }

# Puts a file in its place where it is another, so that what is built of it is built again only then.
put() {
  mkdir -p "$(dirname "$2")" && { cmp -s "$1" "$2" || cp "$1" "$2"; }
}

# The documentation's function, in its place.
documented() { tests/languages/documented.sh "$1" >"$place/found" && put "$place/found" "$2"; }

# Makes what a language needs, in $here; and runs its program there: golden.tsv's name on the command line, the file on
# stdin.
prepare_python() {
  local python=python3
  python3 -c 'import ensurepip' 2>/dev/null || python=/usr/bin/python3
  [[ -x $here/venv/bin/python ]] || "$python" -m venv "$here/venv" || return
  "$here/venv/bin/python" -c 'import xxhash' 2>/dev/null ||
    "$here/venv/bin/pip" install -q --disable-pip-version-check xxhash || return
  documented python "$here/lib/shard.py"
}
run_python() { PYTHONPATH=$here/lib "$here/venv/bin/python" "tests/languages/python/$1" "${@:2}"; }
golden_python() { run_python golden.py "$@"; }
vectors_python() { run_python check_migration.py "$golden/migration_vectors.json"; }

prepare_javascript() {
  local file
  for file in tests/languages/javascript/*; do put "$file" "$here/$(basename "$file")"; done
  [[ $here/node_modules/.package-lock.json -nt $here/package.json ]] ||
    npm install --prefix "$here" --no-audit --no-fund --loglevel=error || return
  documented javascript "$here/shard.mjs"
}
golden_javascript() { node "$here/golden.mjs" "$@"; }
vectors_javascript() { node "$here/check_migration.mjs" "$golden/migration_vectors.json"; }

prepare_go() {
  local file
  for file in go.mod go.sum main.go; do put "tests/languages/go/$file" "$here/$file"; done
  documented go "$here/shard/shard.go" && (cd "$here" && go build -o golden .)
}
golden_go() { "$here/golden" "$@"; }

prepare_rust() {
  local file
  for file in Cargo.toml Cargo.lock src/main.rs; do put "tests/languages/rust/$file" "$here/$file"; done
  documented rust "$here/src/shard.rs" && (cd "$here" && cargo build --quiet --locked)
}
golden_rust() { "$here/target/debug/golden" "$@"; }

prepare_java() {
  # The package and its version are the documentation's; XXH64 is in another.
  local artifact
  for artifact in "$(grep -oE 'com\.dynatrace\.hash4j:hash4j:[0-9.]+' docs/other-languages.md)" org.lz4:lz4-java:1.8.0; do
    [[ -e $here/lib/$(cut -d: -f2,3 --output-delimiter=- <<<"$artifact").jar ]] ||
      mvn -q -B dependency:copy "-Dartifact=$artifact" "-DoutputDirectory=$here/lib" || return
  done
  put tests/languages/java/Golden.java "$here/Golden.java" && documented java "$here/Shard.java" &&
    javac -cp "$here/lib/*" -d "$here/classes" -Xlint:all -Werror "$here/Golden.java" "$here/Shard.java"
}
golden_java() { java -cp "$here/classes:$here/lib/*" Golden "$@"; }

# The program makes a golden file anew, and gives the same.
same_as() {
  "golden_$language" "$1" <"$2" >"$here/$1.tsv" && diff "$2" "$here/$1.tsv" >"$here/$1.diff" && return
  head -8 "$here/$1.diff" | cut -c1-150
  return 1
}

passed=0 failed=0
count() {
  local log
  if log=$("${@:2}" 2>&1); then
    printf 'ok    %s%s\n' "$1" "${log:+: $log}"
    passed=$((passed + 1))
  else
    printf 'FAIL  %s\n' "$1"
    printf '%s\n' "$log" | tail -40 | sed 's/^/      /'
    failed=$((failed + 1))
  fi
}

keys=$place/partition-keys.tsv
grep '^partition' "$golden/keys.tsv" >"$keys"
for language in "${languages[@]}"; do
  say "$language"
  here=$place/$language
  mkdir -p "$here"
  if ! bash cmake/install-deps.sh "$language"; then
    echo "FAIL  $language: its toolchain cannot be installed"
    failed=$((failed + 1))
    continue
  fi
  if ! "prepare_$language" >"$here/prepare.log" 2>&1; then
    echo "FAIL  $language: its package cannot be had, or its program not built:"
    tail -20 "$here/prepare.log" | sed 's/^/      /'
    failed=$((failed + 1))
    continue
  fi
  count "$language: hashes and shards of $(($(wc -l <"$golden/shards.tsv") - 1)) ids" same_as shards "$golden/shards.tsv"
  count "$language: $(wc -l <"$keys") partition keys" same_as keys "$keys"
  [[ $(type -t "vectors_$language") != function ]] || count "$language: a migration" "vectors_$language"
done

echo "$passed passed, $failed failed"
((failed == 0))
