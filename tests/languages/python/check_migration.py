# SPDX-License-Identifier: BSL-1.0
"""Holds migration.py against tests/golden/migration_vectors.json, and shows that wrong readers fail there.

usage: check_migration.py PATH_OF_THE_VECTORS
"""
import json
import pathlib
import sys
import types

import migration
from migration import Keys, Migration, PHASES

faults = 0


def same(what, found, expected):
    global faults
    if found != expected:
        faults += 1
        print(f"not so: {what}\n  expected {expected}\n  found    {found}")


class Store:
    """The index of a read vector, its time too."""

    def __init__(self, entries, page_rows):
        self.entries = sorted(entries, key=lambda entry: entry["sort_key"].encode())  # stable: ties as they are
        self.page_rows, self.answered, self.now = page_rows, {}, 0

    def has_come(self, when, otherwise):
        if when is None:
            return otherwise
        times = self.answered.get(when["partition"], [])
        return len(times) >= when["answers"] and times[when["answers"] - 1] + when["ms"] <= self.now

    def shows(self, entry, partition, begin, end, descending):
        key = entry["sort_key"].encode()
        low, high = (end, begin) if descending else (begin, end)
        return (entry["partition"] == partition and (low is None or key > low or key == low and not descending)
                and (high is None or key < high or key == high and descending)
                and self.has_come(entry["appears"], True) and not self.has_come(entry["vanishes"], False))

    def query(self, partition, begin, end, descending, start):
        step = -1 if descending else 1
        place = start if start is not None else len(self.entries) - 1 if descending else 0
        rows = []
        while 0 <= place < len(self.entries) and len(rows) < self.page_rows:
            if self.shows(self.entries[place], partition, begin, end, descending):
                rows.append(self.entries[place])
            place += step
        self.answered.setdefault(partition, []).append(self.now)
        return rows, place if len(rows) == self.page_rows else None

    def wait(self, ms):
        self.now += ms


def migration_of(vector, reversed):
    made = Migration(vector["index"], Keys(**vector["source"]), Keys(**vector["destination"]),
                     vector["visible_within_ms"])
    return made.reversed() if reversed else made


vectors = json.loads(pathlib.Path(sys.argv[1]).read_text("utf-8"))
assert vectors["format"] == "evenkey-migration-vectors/1"
by_name = {each["name"]: each for each in vectors["migrations"]}

checked, left_out = 0, set()
for vector in vectors["migrations"]:
    for way in vector["ways"]:
        made = migration_of(vector, way["reversed"])
        same("the id of " + vector["name"], made.id, way["id"])
        for expected in way["phases"]:
            phase = expected["phase"]
            where = f"{vector['name']}, reversed: {way['reversed']}, {phase}"
            groups = made.list_plan(phase)
            same("what a listing reads, " + where, {"groups": groups, "wait_ms": made.wait_ms(groups)}, expected["list"])
            same("mirrored " + phase, PHASES[3 - PHASES.index(phase)], expected["mirrored"])
            for each in expected["ids"]:
                try:
                    groups = made.find_plan(phase, each["id"])
                except NotImplementedError:
                    left_out.add(vector["name"])
                    continue
                same("the stamp of " + each["id"] + ", " + where, made.stamp(phase, each["id"]), each["stamp"])
                same("what is read of " + each["id"] + ", " + where,
                     {"groups": groups, "wait_ms": made.wait_ms(groups)}, each["find"])
                checked += 1
for vector in vectors["instances"]:
    made = migration_of(by_name[vector["migration"]], vector["reversed"])
    same("what a record means: %r" % vector["record"], made.recorded_phase(vector["record"]), vector["means"])
    same("who may run under %r" % vector["record"],
         [phase for phase in PHASES if made.may_run(vector["record"], phase)], vector["may_run"])


def failed_reads(read, groups_of=lambda groups: groups, waits=True):
    """The names of the reads whose rows are not those expected."""
    failed = {}
    for vector in vectors["reads"]:
        made = migration_of(by_name[vector["migration"]], vector["reversed"])
        groups = (made.list_plan(vector["phase"]) if vector["find"] is None else
                  made.find_plan(vector["phase"], vector["find"]))
        store = Store(vector["entries"], vector["page_rows"])
        rows = [[row["sort_key"], row["primary_key"], row["note"]]
                for row in read(groups_of(groups), store.query,
                                lambda: store.wait(made.wait_ms(groups) if waits else 0), vector["descending"])
                if vector["find"] in (None, row["id"])]
        if rows != vector["rows"]:
            failed["%s (%s, %s)" % (vector["name"], vector["phase"], "down" if vector["descending"] else "up")] = rows
    return failed


for name, rows in failed_reads(migration.read).items():
    same("the rows of: " + name, rows, "as the vector says")

# Vectors that a wrong reader passes would be worth little.
source = pathlib.Path(migration.__file__).read_text("utf-8")


def with_fault(right, wrong):
    assert source.count(right) == 1, right
    module = types.ModuleType("faulty")
    exec(source.replace(right, wrong), module.__dict__)
    return module.read


wrong_readers = {
    "the destination is read first": failed_reads(migration.read, lambda groups: groups[::-1]),
    "both sides are read as one": failed_reads(migration.read, lambda groups: [sum(groups, [])]),
    "nobody waits": failed_reads(migration.read, waits=False),
    "the source's copy is kept": failed_reads(with_fault(
        'window[row["primary_key"]] = row  # the', 'window.setdefault(row["primary_key"], row)  # the')),
    "the window ends at the greatest of the last keys": failed_reads(with_fault(
        "(max if descending else min)(last_keys)", "(min if descending else max)(last_keys)")),
    "a window of the destination has no end": failed_reads(with_fault(
        "all_pages(query, partition, begin, end, descending):\n                for",
        "all_pages(query, partition, begin, None, descending):\n                for")),
    "the window ends behind the last key": failed_reads(with_fault(
        'before(row["sort_key"].encode(), end):', 'not before(end, row["sort_key"].encode()):')),
}
for fault, failed in wrong_readers.items():
    if not failed:
        same("a vector finds that " + fault, "none does", "one does")
print(f"{checked} stamps and plans, {len(vectors['instances'])} records, {len(vectors['reads'])} reads; "
      f"{len(wrong_readers)} wrong readers found; ids left out (another hash): {len(left_out)} of "
      f"{len(by_name)} migrations")
sys.exit(1 if faults else 0)
