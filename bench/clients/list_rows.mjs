// SPDX-License-Identifier: BSL-1.0
// Lists a table of bench/clients.sh's by AWS's SDK for JavaScript, and says what processor time it took.
// usage: node list_rows.mjs TABLE ROUNDS FILE
import { readFileSync, writeFileSync } from "node:fs";
import { DynamoDBClient, QueryCommand } from "@aws-sdk/client-dynamodb";

const [table, rounds, file] = process.argv.slice(2);
const client = new DynamoDBClient({ region: process.env.AWS_REGION });

function processorTime() {
  const used = process.resourceUsage();
  return used.userCPUTime + used.systemCPUTime;
}

async function rowsOf(shard) {
  const rows = [];
  for (let start; ; ) {
    const page = await client.send(new QueryCommand({
      TableName: table, IndexName: "by-type", KeyConditionExpression: "gsi_pk = :key",
      ExpressionAttributeValues: { ":key": { S: `Row#${shard}` } }, ExclusiveStartKey: start,
    }));
    rows.push(...page.Items);
    start = page.LastEvaluatedKey;
    if (start === undefined) return rows;
  }
}

async function enumerate() {
  const rows = (await Promise.all(Array.from({ length: 16 }, (_, shard) => rowsOf(shard)))).flat();
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0); // these keys are ASCII
  return rows.sort((a, b) => compare(a.gsi_sk.S, b.gsi_sk.S) || compare(a.id.S, b.id.S));
}

const micros = [processorTime()];
let rows = [];
for (let round = 0; round < Number(rounds); ++round) {
  const before = processorTime();
  const listed = await enumerate();
  micros.push(processorTime() - before);
  rows = listed;
}
const { version } = JSON.parse(readFileSync(new URL("node_modules/@aws-sdk/client-dynamodb/package.json", import.meta.url)));
console.log(JSON.stringify({ client: `SDK for JavaScript ${version}; Node ${process.version.slice(1)}`, micros }));
writeFileSync(file, rows.map((row) => `${row.gsi_sk.S}\t${row.id.S}\n`).join(""));
