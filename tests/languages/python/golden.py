# SPDX-License-Identifier: BSL-1.0
"""Makes tests/golden's shards.tsv anew of its ids, or the partition keys of keys.tsv; shard.py is the documentation's.

usage: golden.py shards|keys < FILE
"""
import re
import sys

import xxhash
from shard import shard_of


def jump(key, shards):
    found, following = 0, 0
    while following < shards:
        found = following
        key = (key * 2862933555777941757 + 1) % 2**64
        following = int((found + 1) * (2**31 / ((key >> 33) + 1)))
    return found


def cell(column, id):
    digest = xxhash.xxh3_64_intdigest(id)
    name, shards = re.fullmatch(r"(xxh3_64|xxh64|mod|jump)(\d*)", column).groups()
    if name == "jump":
        return str(jump(digest, int(shards)))
    if name == "mod":
        try:
            return str(shard_of(id.decode("utf-8"), int(shards)))
        except UnicodeDecodeError:
            return str(digest % int(shards))
    return "%016x" % (digest if name == "xxh3_64" else xxhash.xxh64_intdigest(id))


def bytes_of(text):
    return b"" if text == "-" else bytes.fromhex(text)


def partition_key(parameter, id):
    shards, separator, width, generation = re.fullmatch(r"(\d+)(\D)(\d+),(\d+)", parameter).groups()
    middle = "g" + generation + separator if generation != "0" else ""
    return "RenewalSaga" + separator + middle + cell("mod" + shards, id).zfill(int(width))


sys.stdin.reconfigure(encoding="utf-8")
sys.stdout.reconfigure(encoding="utf-8", newline="\n")
lines = [line.rstrip("\n").split("\t") for line in sys.stdin]
if sys.argv[1] == "shards":
    print("\t".join(lines[0]))
    for line in lines[1:]:
        print("\t".join([line[0]] + [cell(column, bytes_of(line[0])) for column in lines[0][1:]]))
else:
    for kind, parameter, id, _ in lines:
        print("\t".join([kind, parameter, id, partition_key(parameter, bytes_of(id))]))
