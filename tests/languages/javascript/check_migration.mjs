// SPDX-License-Identifier: BSL-1.0
// Holds migration.mjs against tests/golden/migration_vectors.json. usage: node check_migration.mjs PATH_OF_THE_VECTORS
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { Keys, Migration, PHASES, compareBytes, read } from "./migration.mjs";

let faults = 0;
function same(what, found, expected) {
  if (isDeepStrictEqual(found, expected)) return;
  ++faults;
  console.log(`not so: ${what}\n  expected ${JSON.stringify(expected)}\n  found    ${JSON.stringify(found)}`);
}

/** The index of a read vector, its time too. */
class Store {
  constructor(entries, pageRows) {
    this.entries = [...entries].sort((a, b) => compareBytes(a.sort_key, b.sort_key)); // stable: ties as they are
    this.pageRows = pageRows;
    this.answered = {};
    this.now = 0;
  }

  hasCome(when, otherwise) {
    if (when === null) return otherwise;
    const at = this.answered[when.partition]?.[when.answers - 1];
    return at !== undefined && at + when.ms <= this.now;
  }

  shows(entry, partition, begin, end, descending) {
    const toward = descending ? -1 : 1;
    return entry.partition === partition &&
      (begin === null || toward * compareBytes(entry.sort_key, begin) >= 0) &&
      (end === null || toward * compareBytes(entry.sort_key, end) < 0) &&
      this.hasCome(entry.appears, true) && !this.hasCome(entry.vanishes, false);
  }

  query(partition, begin, end, descending, start) {
    const rows = [];
    let place = start ?? (descending ? this.entries.length - 1 : 0);
    for (; place >= 0 && place < this.entries.length && rows.length < this.pageRows; place += descending ? -1 : 1)
      if (this.shows(this.entries[place], partition, begin, end, descending)) rows.push(this.entries[place]);
    (this.answered[partition] ??= []).push(this.now);
    return { rows, start: rows.length === this.pageRows ? place : null };
  }
}

function migrationOf(vector, reversed) {
  const made = new Migration(vector.index, new Keys(vector.source), new Keys(vector.destination),
    vector.visible_within_ms);
  return reversed ? made.reversed() : made;
}

const vectors = JSON.parse(readFileSync(process.argv[2], "utf8"));
same("the format", vectors.format, "evenkey-migration-vectors/1");
const byName = new Map(vectors.migrations.map((each) => [each.name, each]));

let checked = 0;
const leftOut = new Set();
for (const vector of vectors.migrations) {
  for (const way of vector.ways) {
    const made = migrationOf(vector, way.reversed);
    same(`the id of ${vector.name}`, made.id, way.id);
    for (const { phase, list, ids } of way.phases) {
      const where = `${vector.name}, reversed: ${way.reversed}, ${phase}`;
      same(`what a listing reads, ${where}`, made.listPlan(phase), list);
      for (const { id, stamp, find } of ids) {
        let found;
        try {
          found = { stamp: made.stamp(phase, id), find: made.findPlan(phase, id) };
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
          leftOut.add(vector.name);
          continue;
        }
        same(`stamp and reads of ${id}, ${where}`, found, { stamp, find });
        ++checked;
      }
    }
  }
}
for (const { migration, reversed, record, means, may_run } of vectors.instances) {
  const made = migrationOf(byName.get(migration), reversed);
  same(`what a record means: ${record}`, made.recordedPhase(record), means);
  same(`who may run under ${record}`, PHASES.filter((phase) => made.mayRun(record, phase)), may_run);
}
for (const vector of vectors.reads) {
  const made = migrationOf(byName.get(vector.migration), vector.reversed);
  const plan = vector.find === null ? made.listPlan(vector.phase) : made.findPlan(vector.phase, vector.find);
  const store = new Store(vector.entries, vector.page_rows);
  const rows = [];
  const query = (...asked) => store.query(...asked);
  for await (const row of read(plan.groups, query, () => (store.now += plan.wait_ms), vector.descending))
    if (vector.find === null || row.id === vector.find) rows.push([row.sort_key, row.primary_key, row.note]);
  same(`the rows of: ${vector.name} (${vector.phase}, descending: ${vector.descending})`, rows, vector.rows);
}
console.log(`${checked} stamps and plans, ${vectors.instances.length} records, ${vectors.reads.length} reads; ` +
  `ids left out (another hash): ${leftOut.size} of ${byName.size} migrations`);
process.exit(faults === 0 ? 0 : 1);
