# SPDX-License-Identifier: BSL-1.0
"""How a service in Python joins a migration: which key it stamps, what it reads, and in which order. An example to copy,
tested by tests/golden/migration_vectors.json. The rules are docs/format/migration-vectors.md's."""
import re

import xxhash
from shard import shard_of

PHASES = ["source", "dual_read", "destination_writes", "destination"]


class Keys:
    """One side's partition keys: a constant one, or those of a prefix with N shards (placement `mod`)."""

    def __init__(self, key=None, prefix=None, shards=1, hash="xxh3_64", placement="mod", separator="#", width=0,
                 generation=0):
        self.policy = (hash, placement)
        if key is not None:
            self.all, self.layout = [key], "unsharded"
            return
        middle = f"g{generation}{separator}" if generation else ""
        self.all = [f"{prefix}{separator}{middle}{shard:0{width}d}" for shard in range(shards)]
        self.layout = f"{hash}/{placement}/{shards} {separator}{middle}{'n' * max(1, width)}"

    def of(self, id):
        if len(self.all) == 1:
            return self.all[0]
        if self.policy != ("xxh3_64", "mod"):
            raise NotImplementedError("only XXH3 and mod here; docs/format/hash.md has the others")
        return self.all[shard_of(id, len(self.all))]

    def __str__(self):
        return f"{self.all[0]} ({self.layout})"


class Migration:
    def __init__(self, index, source, destination, visible_within_ms):
        self.index, self.source, self.destination = index, source, destination
        self.visible_within_ms = visible_within_ms
        self.id = f"{index}: {source} -> {destination}"

    def reversed(self):
        return Migration(self.index, self.destination, self.source, self.visible_within_ms)

    def stamp(self, phase, id):
        """The partition key of a row that is created. An update leaves the stored key alone."""
        return (self.destination if PHASES.index(phase) >= 2 else self.source).of(id)

    def list_plan(self, phase):
        """The partitions to be read, a group after the other; names that both sides have are asked once."""
        source, destination = self.source.all, self.destination.all
        if phase in ("dual_read", "destination_writes"):
            if len(destination) >= len(source):  # rows leave what both have
                destination = [key for key in destination if key not in source]
            else:
                source = [key for key in source if key not in destination]
        return self._groups(phase, source, destination)

    def find_plan(self, phase, id):
        source, destination = [self.source.of(id)], [self.destination.of(id)]
        if source == destination and phase in ("dual_read", "destination_writes"):
            destination = []  # it stays where it is
        return self._groups(phase, source, destination)

    @staticmethod
    def _groups(phase, source, destination):
        groups = [source] if phase == "source" else [destination] if phase == "destination" else [source, destination]
        return [group for group in groups if group]

    def wait_ms(self, groups):
        return self.visible_within_ms if len(groups) > 1 else 0

    def ends_at_source(self, of):
        """Whether a migration of this id ends where this one begins."""
        before = of.removeprefix(f"{self.index}: ").removesuffix(f" -> {self.source}")
        return of == f"{self.index}: {before} -> {self.source}" and " -> " not in before

    def recorded(self, record):
        """The phase that a phase record means for this way, and whether it goes the other way; None: it is of another
        migration, or no record."""
        if record is None:
            return "source", False
        lines = re.fullmatch(r"(evenkey-phase/1\nversion: (?:0|[1-9]\d{0,18})\nmigration: ([^\n]*)\nphase: (\w+)\n"
                             r"changed_at: ([^\n]*)\nchanged_by: [^\n]*\n)checksum: ([0-9a-f]{16})\n", record,
                             re.ASCII)
        if not lines or xxhash.xxh3_64_hexdigest(lines[1].encode()) != lines[5] or lines[3] not in PHASES:
            return None
        of = re.sub(r"%([0-9A-F]{2})", lambda escape: chr(int(escape[1], 16)), lines[2])
        ended = lines[3] == "destination"
        if of == self.id:
            return lines[3], False
        if of == self.reversed().id:
            return PHASES[3 - PHASES.index(lines[3])], True
        if ended and self.ends_at_source(of):
            return "source", False
        return ("destination", True) if ended and self.reversed().ends_at_source(of) else None

    def recorded_phase(self, record):
        recorded = self.recorded(record)
        return recorded and recorded[0]

    def may_run(self, record, phase):
        """Whether an instance may run in this phase: in the record's, or in the one that the rollout leaves."""
        recorded = self.recorded(record)
        if recorded is None:
            return False
        behind = PHASES.index(recorded[0]) - PHASES.index(phase)
        return (-behind if recorded[1] else behind) in (0, 1)


def all_pages(query, partition, begin, end, descending):
    start = None
    while True:
        rows, start = query(partition, begin, end, descending, start)
        yield rows
        if start is None:
            return


class SourcePartition:
    """The pages of one partition of the source, as far as they were answered."""

    def __init__(self, query, partition, descending):
        self.pages = all_pages(query, partition, None, None, descending)
        self.held, self.last, self.ended = [], None, False

    def answer_page(self):
        try:
            rows = next(self.pages)
        except StopIteration:
            self.ended = True
            return
        self.held += rows
        if rows:
            self.last = rows[-1]["sort_key"].encode()


def read(groups, query, wait, descending=False):
    """Gives every row once, by sort key and then primary key, also those that move meanwhile.

    query(partition, begin, end, descending, start) gives a page's rows and the start of the next page, or None. It
    reads from `begin` on, up to `end` and without it, both in the direction of reading and as bytes; None: all.
    wait() waits until what moved before now shows: visible_within, or not at all.
    """

    def by_place(row):
        return row["sort_key"].encode(), row["primary_key"].encode()

    def before(a, b):
        return b < a if descending else a < b

    if len(groups) == 1:
        pages = [page for partition in groups[0] for page in all_pages(query, partition, None, None, descending)]
        yield from sorted((row for page in pages for row in page), key=by_place, reverse=descending)
        return
    source = [SourcePartition(query, partition, descending) for partition in groups[0]]
    begin = None
    while True:
        # Before any page of the destination is asked for a range, the source's pages of that range have been answered.
        for partition in source:
            while not partition.ended and (
                    partition.last is None or begin is not None and not before(begin, partition.last)):
                partition.answer_page()
        last_keys = [partition.last for partition in source if not partition.ended]
        end = (max if descending else min)(last_keys) if last_keys else None
        window = {}
        for partition in source:
            later = []
            for row in partition.held:
                if end is None or before(row["sort_key"].encode(), end):
                    window[row["primary_key"]] = row
                else:
                    later.append(row)
            partition.held = later
        wait()
        for partition in groups[1]:
            for page in all_pages(query, partition, begin, end, descending):
                for row in page:
                    window[row["primary_key"]] = row  # the destination's copy is the newer one
        yield from sorted(window.values(), key=by_place, reverse=descending)
        if end is None:
            return
        begin = end
