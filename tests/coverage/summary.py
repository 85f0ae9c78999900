#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Prints what llvm-cov counted for the headers in include/: tests/coverage/run.sh calls it.

A region counts where clang says that one begins. Left out are the branches of `if constexpr`, which clang counts as
not run in every instantiation that discards them, and the lines of excluded.tsv.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
WANTED = {"regions": 98.0, "branches": 90.0}


def excluded_lines():
    """(header, text of the line) -> why it is not counted."""
    excluded = {}
    for line in (HERE / "excluded.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            header, text, reason = line.split("\t")
            excluded[header, text] = reason
    return excluded


def chosen_at_compile_time(lines, number):
    here, before = lines[number - 1], lines[number - 2] if number > 1 else ""
    return "if constexpr" in here or ("if constexpr" in before and not before.rstrip().endswith("{"))


def regions_of(file, header, excluded, used):
    """How many regions count, and the places of those that were not run."""
    lines = Path(file["filename"]).read_text().splitlines()
    count, missed = 0, []
    for line, column, hits, counted, begins, *gap in file["segments"]:
        if not counted or not begins or (gap and gap[0]) or chosen_at_compile_time(lines, line):
            continue
        if hits == 0 and (header, lines[line - 1].strip()) in excluded:
            used.add((header, lines[line - 1].strip()))
            continue
        count += 1
        if hits == 0:
            missed.append(f"{line}:{column}: {lines[line - 1].strip()}")
    return count, missed


def main():
    counted, as_json = sys.argv[1], sys.argv[2] == "yes"
    excluded, used = excluded_lines(), set()
    headers, total = {}, {kind: [0, 0] for kind in WANTED}
    for file in json.loads(Path(counted).read_text())["data"][0]["files"]:
        path = Path(file["filename"])
        if not path.is_relative_to(INCLUDE):
            continue
        header = str(path.relative_to(INCLUDE))
        count, missed = regions_of(file, header, excluded, used)
        branches = file["summary"]["branches"]
        headers[header] = {"regions": [count - len(missed), count],
                           "branches": [branches["covered"], branches["count"]], "missed": missed}
        for kind in WANTED:
            total[kind][0] += headers[header][kind][0]
            total[kind][1] += headers[header][kind][1]
    percent = {kind: 100.0 * total[kind][0] / max(total[kind][1], 1) for kind in WANTED}
    stale = sorted(set(excluded) - used)
    good = all(percent[kind] >= WANTED[kind] for kind in WANTED) and not stale
    if as_json:
        print(json.dumps({"percent": percent, "wanted": WANTED, "headers": headers, "excluded": len(used),
                          "stale": stale}, indent=1))
        return 0 if good else 1
    for header, counts in sorted(headers.items()):
        for place in counts["missed"]:
            print(f"{header}:{place}")
    for kind in WANTED:
        print(f"{kind}: {percent[kind]:.2f} % of {total[kind][1]}, wanted {WANTED[kind]:.0f} %")
    print(f"left out with a reason: {len(used)} lines")
    for header, text in stale:
        print(f"excluded.tsv names what is run, or is no more: {header}: {text}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
