// SPDX-License-Identifier: BSL-1.0
// Makes tests/golden's shards.tsv anew of its ids, or the partition keys of keys.tsv; shard.mjs is the documentation's.
// usage: node golden.mjs shards|keys < FILE
import { readFileSync } from "node:fs";
import { isUtf8 } from "node:buffer";
import { xxh3, xxh64 } from "@node-rs/xxhash";
import { createXXHash3 } from "hash-wasm";
import { shardOf } from "./shard.mjs";

const wasm = await createXXHash3();

function jump(hash, shards) {
  let key = hash;
  let found = 0;
  for (let next = 0; next < shards; ) {
    found = next;
    key = BigInt.asUintN(64, key * 2862933555777941757n + 1n);
    next = Math.trunc((found + 1) * (2 ** 31 / (Number(key >> 33n) + 1)));
  }
  return found;
}

const hex = (hash) => hash.toString(16).padStart(16, "0");
const bytesOf = (text) => Buffer.from(text === "-" ? "" : text, "hex");

function cell(column, id) {
  const [, name, shards] = /^(xxh3_64|xxh64|mod|jump)(\d*)$/.exec(column);
  const hash = xxh3.xxh64(id);
  if (wasm.init().update(id).digest() !== hex(hash)) throw new Error("hash-wasm has another hash");
  if (name === "jump") return jump(hash, Number(shards));
  if (name === "mod") return isUtf8(id) ? shardOf(id.toString("utf8"), Number(shards)) : hash % BigInt(shards);
  return hex(name === "xxh64" ? xxh64(id) : hash);
}

function partitionKey(parameter, id) {
  const [, shards, separator, width, generation] = /^(\d+)(\D)(\d+),(\d+)$/.exec(parameter);
  const middle = generation === "0" ? "" : `g${generation}${separator}`;
  return `RenewalSaga${separator}${middle}${String(cell(`mod${shards}`, id)).padStart(Number(width), "0")}`;
}

const lines = readFileSync(0, "utf8").trimEnd().split("\n").map((line) => line.split("\t"));
if (process.argv[2] === "shards") {
  console.log(lines[0].join("\t"));
  for (const [id] of lines.slice(1))
    console.log([id, ...lines[0].slice(1).map((column) => cell(column, bytesOf(id)))].join("\t"));
} else {
  for (const [kind, parameter, id] of lines)
    console.log([kind, parameter, id, partitionKey(parameter, bytesOf(id))].join("\t"));
}
