#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Makes one header of all of <evenkey/evenkey.hpp>, for those who copy one file.

usage: tools/amalgamate.py [--check] [--with HEADER]... [--output FILE]

  --check        writes nothing; exits with 1 where the file is not what would be written
  --with HEADER  also holds this header of include/, for example evenkey/testing/memory_table.hpp
  --output FILE  instead of single/evenkey-single.hpp

Every header of evenkey stands in it once, where it is first included; the includes of the standard library stand at the
top. xxhash.h is included as in the library itself, in the same place of the same text.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
UMBRELLA = "evenkey/evenkey.hpp"
SPDX = "// SPDX-License-Identifier: BSL-1.0"

INCLUDE_LINE = re.compile(r"^\s*#\s*include\s*([<\"][^>\"]+[>\"])")
SYSTEM_HEADER = re.compile(r"#if defined\(__GNUC__\)\n#pragma GCC system_header[^\n]*\n#endif\n")


class Refused(Exception):
    """A header holds something that this program does not understand."""


class Amalgamation:
    def __init__(self):
        self.seen = set()  # evenkey's headers
        self.standard = set()  # names of headers that go to the top
        self.lines = []

    def add(self, header):
        """Appends a header's text, with those that it includes in the places where it includes them."""
        if header in self.seen:
            return
        self.seen.add(header)
        text = SYSTEM_HEADER.sub("", (INCLUDE / header).read_text(encoding="utf-8"))
        head = f"{SPDX}\n#pragma once\n"
        if not text.startswith(head):
            raise Refused(f"{header}: does not begin with its licence and #pragma once")
        title = f"// ---- {header}"
        depth = 0  # of #if
        before_code = True
        own = []  # this header's lines since the last include of ours

        def flush():
            if any(line.strip() for line in own):
                while not own[0].strip():
                    own.pop(0)
                while not own[-1].strip():
                    own.pop()
                self.lines += ["", title, "", *own]
            own.clear()

        for number, line in enumerate(text[len(head) :].split("\n"), start=3):
            if re.match(r"\s*#\s*pragma\s+(once|GCC system_header)", line):
                raise Refused(f"{header}:{number}: a second one")
            if re.match(r"\s*#\s*if", line):
                depth += 1
            elif re.match(r"\s*#\s*endif", line):
                depth -= 1
            elif re.match(r"\s*(inline )?namespace\b", line):
                before_code = False
            match = INCLUDE_LINE.match(line)
            if not match:
                own.append(line)
                continue
            name = match.group(1)
            if not name.startswith("<"):
                raise Refused(f"{header}:{number}: an include by quotes")
            name = name[1:-1]
            if name.startswith("evenkey/"):
                if depth:
                    raise Refused(f"{header}:{number}: an include of evenkey under a condition")
                if name not in self.seen:
                    flush()
                    self.add(name)
            elif depth or not before_code:
                own.append(line)  # intrinsics, and xxhash.h, which stands within a namespace
            else:
                self.standard.add(name)
        flush()


def squeezed(lines):
    """Without empty lines in a row, which includes leave behind where they are taken out."""
    result = []
    for line in lines:
        if line or (result and result[-1]):
            result.append(line)
    return result


def version():
    text = (INCLUDE / "evenkey/version.hpp").read_text(encoding="utf-8")
    return ".".join(re.findall(r"^#define EVENKEY_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text, re.MULTILINE))


def amalgamated(extra):
    whole = Amalgamation()
    for header in [UMBRELLA, *extra]:
        whole.add(header)
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8").strip().split("\n")
    what = " and ".join(f"<{header}>" for header in [UMBRELLA, *extra])
    top = [
        SPDX,
        "//",
        f"// evenkey {version()} in one file: {what}.",
        "// Needs C++20 and <xxhash.h> 0.8.0 or newer on the include path, as the library does.",
        "// Made by tools/amalgamate.py. Do not edit it; include either this file or <evenkey/...>, never both.",
        "//",
        *[f"// {line}".rstrip() for line in licence],
        "#pragma once",
        "",
        "#if defined(__GNUC__)",
        "#pragma GCC system_header  // xxhash.h is read in its midst, and its warnings are not ours",
        "#endif",
        "",
        "#if defined(EVENKEY_VERSION)",
        '#error "evenkey is here already: include either evenkey-single.hpp or <evenkey/...>, and one version of it"',
        "#endif",
        "",
        "// clang-format off",
        "",
        *[f"#include <{name}>" for name in sorted(whole.standard)],
    ]
    text = "\n".join(squeezed([*top, *whole.lines])) + "\n"
    left = re.search(r"^\s*#\s*include\s*<evenkey/.*", text, re.MULTILINE)
    if left:
        raise Refused(f"still in it: {left.group(0)}")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--with", dest="extra", action="append", default=[], metavar="HEADER")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "single/evenkey-single.hpp")
    options = parser.parse_args()
    try:
        text = amalgamated(options.extra)
    except (Refused, OSError) as error:
        print(f"amalgamate: {error}", file=sys.stderr)
        return 1
    if not options.check:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(text, encoding="utf-8")
    elif not options.output.exists() or options.output.read_text(encoding="utf-8") != text:
        print(f"{options.output.name} is not what the headers give now: run tools/amalgamate.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
