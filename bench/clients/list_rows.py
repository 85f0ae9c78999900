# SPDX-License-Identifier: BSL-1.0
"""Lists a table of bench/clients.sh's by boto3, and says what processor time it took.

usage: list_rows.py list TABLE ROUNDS FILE
       list_rows.py fill TABLE            makes the table
"""
import json
import os
import resource
import sys
from concurrent.futures import ThreadPoolExecutor

import boto3
from botocore.config import Config
from shard import shard_of

SHARDS, ROWS = 16, 10_000
client = boto3.client("dynamodb", region_name=os.environ["AWS_REGION"], config=Config(max_pool_connections=SHARDS))


def processor_time():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return (used.ru_utime + used.ru_stime) * 1e6


def rows_of(table, shard):
    rows, start = [], {}
    while True:
        page = client.query(TableName=table, IndexName="by-type", KeyConditionExpression="gsi_pk = :key",
                            ExpressionAttributeValues={":key": {"S": "Row#%d" % shard}}, **start)
        rows += page["Items"]
        if "LastEvaluatedKey" not in page:
            return rows
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def enumerate_rows(table, executor):
    rows = [row for of_shard in executor.map(lambda shard: rows_of(table, shard), range(SHARDS)) for row in of_shard]
    return sorted(rows, key=lambda row: (row["gsi_sk"]["S"], row["id"]["S"]))


def fill(table):
    types = [{"AttributeName": name, "AttributeType": "S"} for name in ("id", "gsi_pk", "gsi_sk")]
    client.create_table(
        TableName=table, BillingMode="PAY_PER_REQUEST", AttributeDefinitions=types,
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        GlobalSecondaryIndexes=[{"IndexName": "by-type", "Projection": {"ProjectionType": "ALL"},
                                 "KeySchema": [{"AttributeName": "gsi_pk", "KeyType": "HASH"},
                                               {"AttributeName": "gsi_sk", "KeyType": "RANGE"}]}])
    client.get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 1})
    for first in range(0, ROWS, 25):
        puts = []
        for number in range(first, first + 25):
            person = "person-%05d" % (number * 7919 % 4001)
            puts.append({"PutRequest": {"Item": {
                "id": {"S": "SAGA#%08d" % number}, "person": {"S": person}, "amount": {"N": str(number * 17)},
                "gsi_pk": {"S": "Row#%d" % shard_of(person, SHARDS)}, "open": {"BOOL": number % 3 == 0},
                "gsi_sk": {"S": "%s#2026-07-%02dT12:00:00.000Z" % (person, number % 28 + 1)},
                "state": {"S": "WAITING_FOR_SIGNATURE"}, "note": {"S": "n" * 80}}}})
        left = {table: puts}
        while left:
            left = client.batch_write_item(RequestItems=left)["UnprocessedItems"]


if sys.argv[1] == "fill":
    fill(sys.argv[2])
    sys.exit()
table, rounds, file = sys.argv[2], int(sys.argv[3]), sys.argv[4]
micros = [processor_time()]
with ThreadPoolExecutor(SHARDS) as executor:
    for _ in range(rounds):
        before = processor_time()
        rows = enumerate_rows(table, executor)
        micros.append(processor_time() - before)
print(json.dumps({"client": "boto3 %s, 16 threads; Python %s" % (boto3.__version__, sys.version.split()[0]),
                  "micros": micros}))
with open(file, "w") as out:
    out.writelines("%s\t%s\n" % (row["gsi_sk"]["S"], row["id"]["S"]) for row in rows)
