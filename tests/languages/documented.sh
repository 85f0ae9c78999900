#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
#
# Prints the function of docs/other-languages.md in a language: its first block of code there.
# usage: tests/languages/documented.sh python|javascript|go|rust|java
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
awk -v fence="\`\`\`${1:?usage: documented.sh LANGUAGE}" '
  $0 == fence && !found { inside = found = 1; next }
  /^```$/ { inside = 0 }
  inside
  END { exit !found }' docs/other-languages.md || { echo "docs/other-languages.md has no block of $1" >&2 && exit 1; }
