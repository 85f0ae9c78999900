# SPDX-License-Identifier: BSL-1.0
"""A service in Python, over boto3, and one in JavaScript read and write a table while the tool migrates it: they find
the rows that the tool finds. Shards are those of docs/other-languages.md's functions, and what is read and stamped in a
phase is what tests/languages/python/migration.py says. AWS_ENDPOINT_URL names the server.

usage: sdk_test.py PATH_OF_EVENKEY PATH_OF_SDK_ROWS_MJS
"""
import json
import os
import subprocess
import sys
import time

import boto3
from botocore.validate import ParamValidator

from migration import Keys, Migration, read
from shard import shard_of

TOOL, ROWS_MJS = sys.argv[1:]
TABLE = "sdk-%d-%d" % (os.getpid(), time.time())
SHARDS, LAG = 4, 30
NAMES = ["--table", TABLE, "--index", "by-type", "--shard-by", "person", "--prefix", "RenewalSaga", "--shards",
         str(SHARDS)]
LAGGING = ["--visible-within-ms", str(LAG)]
CUTOVER = Migration("by-type", Keys(key="RenewalSaga"), Keys(prefix="RenewalSaga", shards=SHARDS), LAG)
client = boto3.client("dynamodb", region_name=os.environ["AWS_REGION"])
failures = 0


def check(what, holds, detail=""):
    global failures
    if not holds:
        failures += 1
        print("FAIL  %s %s" % (what, str(detail)[:600]))


def tool(*arguments):
    done = subprocess.run([TOOL, *arguments, *NAMES, "--json"], capture_output=True, text=True, timeout=120)
    check("evenkey " + " ".join(arguments), done.returncode == 0, done.stdout + done.stderr)
    return json.loads(done.stdout or "{}")


def create():
    client.create_table(
        TableName=TABLE, BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("id", "gsi_pk", "gsi_sk")],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        GlobalSecondaryIndexes=[{"IndexName": "by-type", "Projection": {"ProjectionType": "ALL"},
                                 "KeySchema": [{"AttributeName": "gsi_pk", "KeyType": "HASH"},
                                               {"AttributeName": "gsi_sk", "KeyType": "RANGE"}]}])
    client.get_waiter("table_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1})


def write(phase, numbers):
    for number in numbers:
        person = "persön-%d" % (number % 37)
        client.put_item(TableName=TABLE, Item={
            "id": {"S": "row-%05d" % number}, "person": {"S": person}, "gsi_sk": {"S": "t%03d" % (number * 7 % 50)},
            "amount": {"N": str(number)}, "open": {"BOOL": number % 2 == 0},
            "gsi_pk": {"S": CUTOVER.stamp(phase, person)}})


def query(partition, begin, end, descending, start):
    low, high = (end, begin) if descending else (begin, end)
    bounds = {":low": low, ":high": high}
    values = {name: {"S": value.decode()} for name, value in bounds.items() if value is not None}
    condition = {(False, False): "", (True, False): " AND gsi_sk >= :low", (False, True): " AND gsi_sk <= :high",
                 (True, True): " AND gsi_sk BETWEEN :low AND :high"}[low is not None, high is not None]
    if values and low is not None and high is not None and low > high:
        return [], None
    page = client.query(TableName=TABLE, IndexName="by-type", Limit=40, ScanIndexForward=not descending,
                        KeyConditionExpression="gsi_pk = :key" + condition,
                        ExpressionAttributeValues={":key": {"S": partition}, **values},
                        **({"ExclusiveStartKey": start} if start else {}))
    rows = [{"sort_key": item["gsi_sk"]["S"], "primary_key": item["id"]["S"], "item": item} for item in page["Items"]]
    return [row for row in rows if row["sort_key"].encode() != end], page.get("LastEvaluatedKey")


def boto3_rows(phase, id=None, descending=False):
    groups = CUTOVER.list_plan(phase) if id is None else CUTOVER.find_plan(phase, id)
    rows = read(groups, query, lambda: time.sleep(CUTOVER.wait_ms(groups) / 1000), descending)
    return [row["item"] for row in rows if id in (None, row["item"]["person"]["S"])]


def javascript_rows(*id):
    done = subprocess.run(["node", ROWS_MJS, TABLE, "RenewalSaga", str(SHARDS), *id], capture_output=True, text=True,
                          timeout=120)
    check("the JavaScript SDK lists", done.returncode == 0, done.stderr)
    return json.loads(done.stdout or "[]")


def tool_rows(phase, *more):
    return tool("read", "--phase", phase, *LAGGING, *more)["items"]


def same_rows(phase):
    """boto3 finds what the tool finds: all attributes, in the same order."""
    expected = tool_rows(phase)
    check("boto3 lists what the tool lists in " + phase, boto3_rows(phase) == expected)
    check("boto3 lists it downward in " + phase,
          boto3_rows(phase, descending=True) == tool_rows(phase, "--descending"))
    for id in ("persön-5", "persön-31", "nobody"):
        check("boto3 finds %s in %s" % (id, phase), boto3_rows(phase, id) == tool_rows(phase, "--id", id))
    return expected


def may_run(phase):
    """The tool's phase record is in the table, and a service in Python heeds it."""
    records = [item["evenkey_state"]["S"] for item in client.scan(TableName=TABLE, ConsistentRead=True)["Items"]
               if item.get("evenkey_state", {"S": ""})["S"].startswith("evenkey-phase/")]
    check("there is one phase record at most", len(records) < 2, records)
    return CUTOVER.may_run(records[0] if records else None, phase)


def step(phase, *more):
    check("not yet in " + phase, not may_run(phase))
    check(phase + " is taken", tool("advance", phase, *LAGGING, "--execute", *more).get("allowed") is True)
    check("may run in " + phase, may_run(phase))


def migrate():
    write("source", range(400))
    same_rows("source")
    step("dual_read")
    write("dual_read", range(400, 450))
    same_rows("dual_read")
    step("destination_writes")
    write("destination_writes", range(450, 550))
    same_rows("destination_writes")
    time.sleep(1.1)
    drained = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    command = [TOOL, "backfill", *NAMES, "--execute", "--writers-drained-at", drained, "--page-limit", "20",
               "--index-write-units", "120", "--json"]
    mover = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    lists = 0
    try:
        while mover.poll() is None or lists == 0:
            ids = [item["id"]["S"] for item in boto3_rows("destination_writes", descending=lists % 2 == 1)]
            check("rows that move are each listed once", sorted(ids) == ["row-%05d" % each for each in range(550)],
                  len(ids))
            lists += 1
    finally:
        if mover.poll() is None:
            mover.kill()
        error = mover.communicate()[1]
    check("the backfill ends well", mover.returncode == 0, error)
    same_rows("destination_writes")
    step("destination", "--writers-drained-at", drained)
    expected = same_rows("destination")
    check("all rows are there", len(expected) == 550, len(expected))
    wrong = [item for item in expected
             if item["gsi_pk"]["S"] != "RenewalSaga#%d" % shard_of(item["person"]["S"], SHARDS)]
    check("every row is where the function says", not wrong, wrong[:3])
    check("the JavaScript SDK lists what the tool lists", javascript_rows() == expected)
    for id in ("persön-5", "persön-31", "nobody"):
        check("the JavaScript SDK finds " + id, javascript_rows(id) == tool_rows("destination", "--id", id))
    print("      550 rows alike by the tool, boto3 %s and the JavaScript SDK; listed %d times by boto3 while they moved"
          % (boto3.__version__, lists))


def emitted_input():
    """What `plan --emit cli` prints is, to AWS's own model of the service, an input of UpdateTable."""
    shape = client.meta.service_model.operation_model("UpdateTable").input_shape
    for more in ([], ["--existing"]):
        done = subprocess.run(
            [TOOL, "plan", "--writes", "3500", "--write-bytes", "1500", "--distinct-ids", "150", "--emit", "cli",
             "--table", TABLE, "--index", "by-type", "--pk-attribute", "gsi_pk", "--sk-attribute", "gsi_sk", *more],
            capture_output=True, text=True, timeout=60)
        check("plan --emit cli", done.returncode == 0, done.stderr)
        found = ParamValidator().validate(json.loads(done.stdout or "{}"), shape)
        check("it is an input of UpdateTable", not found.has_errors(), found.generate_report())


create()
try:
    emitted_input()
    migrate()
finally:
    client.delete_table(TableName=TABLE)
sys.exit(1 if failures else 0)
