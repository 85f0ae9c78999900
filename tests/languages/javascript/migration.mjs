// SPDX-License-Identifier: BSL-1.0
// How a service in JavaScript joins a migration: which key it stamps, what it reads, and in which order. An example to
// copy, tested by tests/golden/migration_vectors.json. The rules are docs/format/migration-vectors.md's.
import { xxh3 } from "@node-rs/xxhash";
import { shardOf } from "./shard.mjs";

export const PHASES = ["source", "dual_read", "destination_writes", "destination"];
const readsBoth = (phase) => phase === "dual_read" || phase === "destination_writes";
const mirrored = (phase) => PHASES[3 - PHASES.indexOf(phase)];

/** One side's partition keys: a constant one (`{key}`), or those of a prefix with N shards (placement `mod`). */
export class Keys {
  constructor({ key, prefix, shards, hash = "xxh3_64", placement = "mod", separator = "#", width = 0, generation = 0 }) {
    this.usual = hash === "xxh3_64" && placement === "mod";
    const middle = generation === 0 ? "" : `g${generation}${separator}`;
    const text = (shard) => `${prefix}${separator}${middle}${String(shard).padStart(width, "0")}`;
    this.all = key === undefined ? Array.from({ length: shards }, (_, shard) => text(shard)) : [key];
    this.layout = key === undefined
      ? `${hash}/${placement}/${shards} ${separator}${middle}${"n".repeat(Math.max(1, width))}` : "unsharded";
  }

  of(id) {
    if (this.all.length === 1) return this.all[0];
    if (!this.usual) throw new RangeError("only XXH3 and mod here; docs/format/hash.md has the others");
    return this.all[shardOf(id, this.all.length)];
  }

  toString() {
    return `${this.all[0]} (${this.layout})`;
  }
}

export class Migration {
  constructor(index, source, destination, visibleWithinMs) {
    Object.assign(this, { index, source, destination, visibleWithinMs });
    this.id = `${index}: ${source} -> ${destination}`;
  }

  reversed() {
    return new Migration(this.index, this.destination, this.source, this.visibleWithinMs);
  }

  /** The partition key of a row that is created. An update leaves the stored key alone. */
  stamp(phase, id) {
    return (PHASES.indexOf(phase) >= 2 ? this.destination : this.source).of(id);
  }

  /** The partitions to be read, a group after the other; names that both sides have are asked once. */
  listPlan(phase) {
    let [source, destination] = [this.source.all, this.destination.all];
    if (readsBoth(phase)) {
      const grows = destination.length >= source.length; // rows leave what both have
      if (grows) destination = destination.filter((key) => !this.source.all.includes(key));
      else source = source.filter((key) => !this.destination.all.includes(key));
    }
    return this.#plan(phase, source, destination);
  }

  findPlan(phase, id) {
    const [source, destination] = [this.source.of(id), this.destination.of(id)];
    const stays = source === destination && readsBoth(phase);
    return this.#plan(phase, [source], stays ? [] : [destination]);
  }

  #plan(phase, source, destination) {
    const sides = phase === "source" ? [source] : phase === "destination" ? [destination] : [source, destination];
    const groups = sides.filter((group) => group.length > 0);
    return { groups, wait_ms: groups.length > 1 ? this.visibleWithinMs : 0 };
  }

  /** Whether a migration of this id ends where this one begins. */
  endsAtSource(of) {
    const [begin, end] = [`${this.index}: `, ` -> ${this.source}`];
    const before = of.slice(begin.length, of.length - end.length);
    return of === begin + before + end && !before.includes(" -> ");
  }

  /** What a phase record means for this way: the phase, and whether it goes the other way; null: it is of another
   * migration, or no record. */
  recorded(record) {
    if (record === null) return { phase: "source", turned: false };
    const lines = new RegExp("^(evenkey-phase/1\\nversion: (?:0|[1-9]\\d{0,18})\\nmigration: ([^\\n]*)\\nphase: (\\w+)\\n" +
      "changed_at: [^\\n]*\\nchanged_by: [^\\n]*\\n)checksum: ([0-9a-f]{16})\\n$").exec(record);
    if (!lines || !PHASES.includes(lines[3])) return null;
    if (xxh3.xxh64(Buffer.from(lines[1], "utf8")) !== BigInt(`0x${lines[4]}`)) return null;
    const of = lines[2].replace(/%([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
    const ended = lines[3] === "destination";
    if (of === this.id) return { phase: lines[3], turned: false };
    if (of === this.reversed().id) return { phase: mirrored(lines[3]), turned: true };
    if (ended && this.endsAtSource(of)) return { phase: "source", turned: false };
    return ended && this.reversed().endsAtSource(of) ? { phase: "destination", turned: true } : null;
  }

  recordedPhase(record) {
    return this.recorded(record)?.phase ?? null;
  }

  /** Whether an instance may run in this phase: in the record's, or in the one that the rollout leaves. */
  mayRun(record, phase) {
    const recorded = this.recorded(record);
    if (recorded === null) return false;
    const behind = PHASES.indexOf(recorded.phase) - PHASES.indexOf(phase);
    return behind === 0 || behind === (recorded.turned ? -1 : 1);
  }
}

/** DynamoDB's order, which is that of UTF-8's bytes; `<` would compare UTF-16. */
export const compareBytes = (a, b) => Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"));

async function* allPages(query, partition, begin, end, descending) {
  for (let start = null; ; ) {
    const page = await query(partition, begin, end, descending, start);
    yield page.rows;
    start = page.start;
    if (start === null) return;
  }
}

/**
 * Gives every row once, by sort key and then primary key, also those that move meanwhile.
 *
 * `query(partition, begin, end, descending, start)` gives a page's `{ rows, start }`, `start` null at the end. It reads
 * from `begin` on, up to `end` and without it, both in the direction of reading; null: all. `wait()` waits until what
 * moved before now shows: visible_within, or not at all.
 */
export async function* read(groups, query, wait, descending = false) {
  const toward = descending ? -1 : 1;
  const compare = (a, b) => toward * compareBytes(a, b);
  const byPlace = (a, b) => compare(a.sort_key, b.sort_key) || compare(a.primary_key, b.primary_key);
  const collect = async (partitions, begin, end) => {
    const of = async (partition) => {
      const rows = [];
      for await (const page of allPages(query, partition, begin, end, descending)) rows.push(...page);
      return rows;
    };
    return (await Promise.all(partitions.map(of))).flat();
  };
  if (groups.length === 1) {
    yield* (await collect(groups[0], null, null)).sort(byPlace);
    return;
  }
  const source = groups[0].map((partition) => (
    { pages: allPages(query, partition, null, null, descending), held: [], last: null, ended: false }));
  for (let begin = null; ; ) {
    // Before any page of the destination is asked for a range, the source's pages of that range have been answered.
    const isRead = ({ ended, last }) => ended || (last !== null && (begin === null || compare(begin, last) < 0));
    for (const partition of source) {
      while (!isRead(partition)) {
        const { value: rows, done } = await partition.pages.next();
        partition.ended = done;
        if (done || rows.length === 0) continue;
        partition.held.push(...rows);
        partition.last = rows[rows.length - 1].sort_key;
      }
    }
    const lastKeys = source.filter(({ ended }) => !ended).map(({ last }) => last).sort(compare);
    const end = lastKeys[0] ?? null;
    const window = new Map();
    for (const partition of source) {
      const later = [];
      for (const row of partition.held) {
        if (end === null || compare(row.sort_key, end) < 0) window.set(row.primary_key, row);
        else later.push(row);
      }
      partition.held = later;
    }
    await wait();
    // The destination's copy is the newer one.
    for (const row of await collect(groups[1], begin, end)) window.set(row.primary_key, row);
    yield* [...window.values()].sort(byPlace);
    if (end === null) return;
    begin = end;
  }
}
