#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Changes the library in small ways and says which changes no test notices.

For each header of a room (keys, placement, merge, ...) it makes mutants: one operator, constant, condition or
statement changed. Each is compiled with the room's tests, the fastest first, and is killed by the first that fails,
does not end, or whose static_assert does not hold. A mutant that does not compile at all counts for nothing.

A mutant that takes five times the processor time that its test did, and 10 s more, never ends.

Survivors that change nothing anybody could see are explained in explained.json beside this script: one by one, by the
mutant's name, or all of one line.
"""

import argparse
import hashlib
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
INCLUDE = ROOT / "include"
MOST_SECONDS = 600  # of any test: one that only waits takes no processor time

RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "&&": "||", "||": "&&", "&": "|", "|": "&",
              "<<": ">>", ">>": "<<"}
STATEMENT = re.compile(r"^\s*(?:\+\+|--)?[a-z_][\w.\->\[\]()*:]*(?:\s*[-+|&]?=\s[^=].*|\(.*\)|\+\+|--)?;\s*$")
NOT_A_STATEMENT = re.compile(r"^\s*(?:return\b|using\b|typedef\b|friend\b|static_assert|public|private|constexpr|"
                             r"const\b|auto\b|std::size_t \w+ =|[\w:<>, ]+ [a-z_]\w* =|[\w:<>]+ [a-z_]\w*(?:\(.*\))?;)")
JUMP = re.compile(r"^\s*(?:break|continue|return);\s*$")


def masked(text):
    """The text with comments, strings, characters and preprocessor lines blanked, places kept."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', blank, text,
                  flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)
    text = re.sub(r"static_assert\((?:[^;])*;", blank, text)
    return re.sub(r"template <[^{;]*?>\n|requires[^{;]*|concept [^;]*;", blank, text)


def in_class_body(code, place):
    """Whether the innermost brace around the place is a class's: a member's initial value is mostly overwritten."""
    depth = 0
    for i in range(place - 1, -1, -1):
        if code[i] == "}":
            depth += 1
        elif code[i] == "{":
            if depth == 0:
                head = code[max(code.rfind(end, 0, i) for end in ";{}") + 1:i]
                return bool(re.search(r"\b(?:struct|class|enum)\b", head)) and "(" not in head
            depth -= 1
    return False


class Mutant:
    def __init__(self, header, begin, end, new, text):
        self.header, self.begin, self.end, self.new = header, begin, end, new
        self.line = text.count("\n", 0, begin) + 1
        line_begin = text.rfind("\n", 0, begin) + 1
        line_end = text.find("\n", end)
        self.before = text[line_begin:line_end]
        self.after = text[line_begin:begin] + new + text[end:line_end]

    @property
    def name(self):
        # By what it changes, not by its line: an explanation outlives edits elsewhere in the file.
        what = f"{self.header}\0{self.before.strip()}\0{self.after.strip()}"
        return hashlib.sha256(what.encode()).hexdigest()[:10]

    def describe(self):
        return f"{self.header}:{self.line} [{self.name}]\n  - {self.before.strip()}\n  + {self.after.strip()}"


def mutants_of(header):
    text = (INCLUDE / header).read_text()
    code = masked(text)
    found = []

    def add(begin, end, new):
        if not in_class_body(code, begin):
            found.append(Mutant(header, begin, end, new, text))

    for match in re.finditer(r"(?<= )(<=|>=|==|!=|<|>|&&|\|\||<<|>>|[-+*/%&|])(?= )", code):
        operator = match.group()
        new = RELATIONS.get(operator) or ARITHMETIC[operator]
        if operator in "&*" and re.search(r"[\w>] $", code[:match.start()][-3:]) and code[match.end():][:1] == ")":
            continue
        add(match.start(), match.end(), new)
    for match in re.finditer(r"\b(true|false)\b", code):
        add(match.start(), match.end(), "false" if match.group() == "true" else "true")
    for match in re.finditer(r"(?<![\w.'>])(\d+)(?![\w.'])", code):
        add(match.start(), match.end(), str(int(match.group()) + 1))
    for match in re.finditer(r"\b(?:if|while) \((?!constexpr)", code):
        depth, place = 1, match.end()
        while depth and place < len(code):
            depth += {"(": 1, ")": -1}.get(code[place], 0)
            place += 1
        condition = text[match.end():place - 1]
        if ";" in condition or re.match(r"(?:const )?\w[\w:]*&? \w+ = ", condition):
            continue
        add(match.end(), place - 1, f"!({condition})")
    position = 0
    for line in code.splitlines(keepends=True):
        if (STATEMENT.match(line) and not NOT_A_STATEMENT.match(line)) or JUMP.match(line):
            begin = position + len(line) - len(line.lstrip())
            add(begin, position + len(line.rstrip()), ";")
        position += len(line)
    return found


class Workshop:
    def __init__(self, folder, compiler):
        self.folder, self.compiler = folder, compiler
        self.flags = ["-std=c++20", "-O0", "-w", "-pthread", f'-DEVENKEY_TEST_DATA_DIR="{ROOT}/tests/golden"',
                      f"-I{ROOT}/tests"]
        self.support = []
        for source in sorted((ROOT / "tests/support").glob("*.cpp")):
            unit = folder / (source.stem + ".o")
            subprocess.run([compiler, *self.flags, f"-I{INCLUDE}", "-c", str(source), "-o", str(unit)], check=True)
            self.support.append(str(unit))

    def try_test(self, test, overlay, program, processor_seconds=MOST_SECONDS):
        """'passes', 'fails', or 'stillborn' with what the compiler said."""
        build = subprocess.run(
            [self.compiler, *self.flags, *([f"-I{overlay}"] if overlay else []), f"-I{INCLUDE}",
             str(ROOT / "tests" / test), *self.support, "-o", str(program)],
            capture_output=True, text=True)
        if build.returncode != 0:
            held = re.search(r"static assertion failed|static_assert failed", build.stderr)
            return ("fails" if held else "stillborn"), build.stderr
        try:
            run = subprocess.run([str(program), "--abort-after=1"], capture_output=True, timeout=MOST_SECONDS,
                                 text=True, errors="replace", preexec_fn=lambda: limit(int(processor_seconds) + 1))
        except subprocess.TimeoutExpired:
            return "fails", "does not end"
        return ("passes" if run.returncode == 0 else "fails"), run.stdout

    def judge(self, mutant, tests, patience):
        overlay = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            place = overlay / mutant.header
            place.parent.mkdir(parents=True)
            text = (INCLUDE / mutant.header).read_text()
            place.write_text(text[:mutant.begin] + mutant.new + text[mutant.end:])
            for test in tests:
                verdict, _ = self.try_test(test, overlay, overlay / "test", patience[test])
                if verdict != "passes":
                    return ("killed" if verdict == "fails" else "stillborn"), test
            return "survived", None
        finally:
            shutil.rmtree(overlay)


def limit(processor_seconds):
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    # What never ends is told by processor time: on a busy machine a test takes longer than it did without a mutant.
    resource.setrlimit(resource.RLIMIT_CPU, (processor_seconds, processor_seconds + 1))


def processor_time_of(program):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(program)], capture_output=True, timeout=MOST_SECONDS)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def progress(mutant, verdict, done, of, survived):
    if sys.stderr.isatty():
        filled = 30 * done // max(of, 1)
        print(f"\r[{'#' * filled}{' ' * (30 - filled)}] {done}/{of}, {survived} survived", end="", file=sys.stderr)
    elif verdict != "survived":  # whoever plays on after a cut reads here what was judged
        print(f"{done} of {of}: {verdict} [{mutant.name}]", file=sys.stderr, flush=True)


def main():
    rooms = json.loads((HERE / "rooms.json").read_text())
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: tests/mutation/run.py token checkpoint --most 40\n\n"
               "exit codes: 0 enough were killed, 1 too many survived, 2 usage")
    parser.add_argument("rooms", nargs="*", metavar="room", help=f"of {', '.join(rooms)} (all)")
    parser.add_argument("--most", type=int, default=0, metavar="N", help="at most N mutants a room, chosen by --seed")
    parser.add_argument("--seed", type=int, default=85)
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        help="this mutant, as --list names it; may be given again")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--least", type=float, default=95.0, metavar="PERCENT", help="killed or explained (95)")
    parser.add_argument("--list", action="store_true", help="print the mutants and make none")
    parser.add_argument("--json", action="store_true", help="the result as JSON on stdout")
    arguments = parser.parse_args()
    for room in arguments.rooms:
        if room not in rooms:
            parser.error(f"no room '{room}'; there are {', '.join(rooms)}")
    chosen = arguments.rooms or list(rooms)
    explained = json.loads((HERE / "explained.json").read_text())

    report, began = {}, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="evenkey-mutants-") as folder:
        workshop = None if arguments.list else Workshop(Path(folder), arguments.compiler)
        for room in chosen:
            mutants = [mutant for header in rooms[room]["headers"] for mutant in mutants_of(header)]
            if arguments.only:
                mutants = [mutant for mutant in mutants if mutant.name in arguments.only]
            elif arguments.most and len(mutants) > arguments.most:
                mutants = random.Random(arguments.seed).sample(mutants, arguments.most)
            if arguments.list:
                for mutant in mutants:
                    print(mutant.describe())
                continue
            print(f"== {room}: {len(mutants)} mutants", file=sys.stderr, flush=True)
            cost, patience = {}, {}
            for test in rooms[room]["tests"]:
                begin = time.monotonic()
                verdict, said = workshop.try_test(test, None, Path(folder) / "sane")
                if verdict != "passes":
                    print(f"{test} does not pass without any mutant:\n{said[-2000:]}", file=sys.stderr)
                    return 1
                cost[test] = time.monotonic() - begin
                patience[test] = 10 + 5 * processor_time_of(Path(folder) / "sane")
            tests = sorted(cost, key=cost.get)
            counts = {"killed": 0, "stillborn": 0, "explained": 0, "survived": 0}
            survivors, done = [], 0
            with ThreadPoolExecutor(arguments.jobs) as pool:
                for mutant, (verdict, _) in zip(mutants, pool.map(lambda m: workshop.judge(m, tests, patience), mutants)):
                    if verdict == "survived" and (
                            mutant.name in explained or f"{mutant.header}: {mutant.before.strip()}" in explained):
                        verdict = "explained"
                    counts[verdict] += 1
                    done += 1
                    if verdict == "survived":
                        survivors.append(mutant.describe())
                        print(f"\nsurvived: {mutant.describe()}", file=sys.stderr, flush=True)
                    progress(mutant, verdict, done, len(mutants), counts["survived"])
            report[room] = {**counts, "survivors": survivors}
    if arguments.list:
        return 0

    total = {key: sum(room[key] for room in report.values()) for key in ("killed", "stillborn", "explained", "survived")}
    judged = total["killed"] + total["explained"] + total["survived"]
    share = 100.0 * (total["killed"] + total["explained"]) / max(judged, 1)
    if arguments.json:
        print(json.dumps({"rooms": report, "total": total, "percent": share, "seed": arguments.seed,
                          "seconds": time.monotonic() - began}, indent=1))
    else:
        print(f"\n{'room':14} killed explained survived stillborn")
        for room, counts in [*report.items(), ("all", total)]:
            print(f"{room:14} {counts['killed']:6} {counts['explained']:9} {counts['survived']:8} "
                  f"{counts['stillborn']:9}")
        print(f"{share:.1f} % killed or explained, wanted {arguments.least:.0f} %; seed {arguments.seed}, "
              f"{time.monotonic() - began:.0f} s")
    return 0 if share >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(main())
