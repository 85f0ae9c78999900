// SPDX-License-Identifier: BSL-1.0
// Lists rows by AWS's SDK for JavaScript, as JSON: all of PREFIX's shards, or ID's, which the documentation's function finds.
// usage: node sdk_rows.mjs TABLE PREFIX SHARDS [ID]
import { DynamoDBClient, QueryCommand } from "@aws-sdk/client-dynamodb";
import { read } from "./migration.mjs";
import { shardOf } from "./shard.mjs";

const [table, prefix, shards, id] = process.argv.slice(2);
const client = new DynamoDBClient({ region: process.env.AWS_REGION });

async function query(partition, begin, end, descending, start) {
  const page = await client.send(new QueryCommand({
    TableName: table, IndexName: "by-type", KeyConditionExpression: "gsi_pk = :key", ScanIndexForward: !descending,
    ExpressionAttributeValues: { ":key": { S: partition } }, Limit: 40, ExclusiveStartKey: start ?? undefined,
  }));
  const rows = page.Items.map((item) => ({ sort_key: item.gsi_sk.S, primary_key: item.id.S, item }));
  return { rows, start: page.LastEvaluatedKey ?? null };
}

const asked = id === undefined ? Array.from({ length: Number(shards) }, (_, shard) => shard)
  : [shardOf(id, Number(shards))];
const rows = [];
for await (const row of read([asked.map((shard) => `${prefix}#${shard}`)], query))
  if (id === undefined || row.item.person.S === id) rows.push(row.item);
console.log(JSON.stringify(rows));
