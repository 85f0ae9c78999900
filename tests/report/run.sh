#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
#
# Opens the lab's report in a headless Chromium at the widths of a phone, a tablet and a screen, light and dark: no error on
# the console, nothing asked of a network, every plot with something in it and all of it inside its box.
# Installs Chromium where it is missing; screenshots are left in build/report/ to be looked at.
# usage: tests/report/run.sh [REPORT.html]      without one, the lab makes it
set -euo pipefail
(($#)) && set -- "$(realpath -m -- "$1")"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=$PWD/build/report
mkdir -p "$out"

bash cmake/install-deps.sh browser >&2
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)

page=${1:-$out/report.html}
(($#)) || bash examples/run.sh --report "$page" >"$out/lab.txt"

profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
# No sandbox: it does not work for root, and the page is our own. No network: nothing resolves.
chrome() {
  timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
    --no-first-run --disable-extensions --disable-background-networking --host-resolver-rules='MAP * ~NOTFOUND' \
    --user-data-dir="$profile" --enable-logging=stderr --v=0 "$@"
}

faults=0
check() {  # SCHEME CHROMIUM'S-NUMBER
  local frames='' width
  for width in 360 768 1280; do
    # The page within a frame: as wide as said, though a window may have a least width.
    frames+="<iframe width=\"$width\" height=\"5000\" style=\"border:0\" srcdoc=\"$(sed 's/&/\&amp;/g; s/"/\&quot;/g' "$page")\"></iframe>"
  done
  { printf '<!DOCTYPE html><meta charset="utf-8"><title>check</title><pre id="found"></pre>'
    printf '%s' "$frames"
    printf '<script>%s</script>' "$(cat tests/report/measure.js)"
  } >"$out/check.html"
  chrome --blink-settings=preferredColorScheme="$2" --virtual-time-budget=5000 --dump-dom "file://$out/check.html" \
    >"$out/$1.dom" 2>"$out/$1.log"
  grep -oE 'CONSOLE.*' "$out/$1.log" && faults=$((faults + 1))
  # The first <pre> holds what was measured.
  sed -nE '/<pre id="found">/,/<\/pre>/p' "$out/$1.dom" | sed -E 's/.*<pre id="found">//; s/<\/pre>.*//' >"$out/$1.txt"
  sed "s/^/$1: /" "$out/$1.txt"
  grep -q '^measured' "$out/$1.txt" || faults=$((faults + 1))
  ! grep -q '^fault' "$out/$1.txt" || faults=$((faults + 1))
  for width in 500 768 1280; do
    rm -f "$out/$1-$width.png"
    chrome --blink-settings=preferredColorScheme="$2" --window-size="$width,$((2200 + 1800000 / width))" \
      --screenshot="$out/$1-$width.png" "file://$page" >/dev/null 2>>"$out/$1.log"
    [[ -s $out/$1-$width.png ]] || { echo "$1: no screenshot at $width" && faults=$((faults + 1)); }
  done
}
check light 1
check dark 0

if ((faults)); then
  echo "report: $faults faults"
  exit 1
fi
echo "report: no faults; screenshots in build/report/"
