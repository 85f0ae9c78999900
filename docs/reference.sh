#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
#
# Makes the reference of all public names in build/reference/index.html, by Doxygen, which it installs where it is
# missing. A public name without a comment is an error, and so is a comment that Doxygen cannot read.
# usage: docs/reference.sh [--self-test]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bash cmake/install-deps.sh reference >&2

# Names that a language or a concept dictates are documented there, once: comparisons and those of iterators by C++, those
# of a field of a key by `key_field` in fields/key_field.hpp, and copies that a base class allows its heirs.
dictated='of class evenkey::(ShardRange::Iterator|Stream::iterator) is not'
dictated+='|Member (argument_type|value_type|name|takes|text|(separable_by|take|fault|size|write|read)\(.*) \((typedef|variable|function)\) of struct evenkey::(Text|EscapedText|Literal|Number|SignedNumber|Timestamp) is not'
dictated+='|Member ([A-Za-z]+\(const [A-Za-z]+ &\)|operator=\(const [A-Za-z]+ &\))=default '

dictated+='|Member operator(==|<=>)\(.* \(friend\) of '
# Not looked for: it lies elsewhere on every machine.
dictated+='|include file xxhash.h not found'

warnings() {  # [LINE-OF-THE-DOXYFILE...]
  { cat docs/Doxyfile && printf '%s\n' "$@"; } | doxygen - 2>&1 | grep -vE "$dictated" || true
}

if [[ ${1:-} == --self-test ]]; then
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  printf '%s\n' '/// All of it.' 'namespace evenkey {' '/// A struct.' 'struct Told {' '  int untold_member = 0;' '};' \
    'struct Untold { int untold_part; };' '/// Named.' 'inline int told() { return 1; }' 'namespace detail {' 'struct Hidden {};' '}' '}' >"$tree/x.hpp"
  found=$(warnings "INPUT = $tree" "OUTPUT_DIRECTORY = $tree/out")
  for name in untold_member Untold; do
    grep -q "$name" <<<"$found" || { echo "self-test: $name was not missed" && exit 1; }
  done
  if grep -E 'Hidden|told\(\)' <<<"$found"; then echo "self-test: too much" && exit 1; fi
  exit
fi

mkdir -p build/reference
found=$(warnings)
if [[ -n $found ]]; then
  echo "${found//$PWD\//}"
  echo "reference: $(grep -c warning <<<"$found") faults"
  exit 1
fi
echo "reference: every public name is documented; see build/reference/index.html"
