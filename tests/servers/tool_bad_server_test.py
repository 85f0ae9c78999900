# SPDX-License-Identifier: BSL-1.0
"""The command-line tool where things are not as they should be: servers that hang, send half an answer, a wrong
checksum, HTML, or far too much; tables that are missing, of other types, or on their way out. Of each one clear line
on stderr, exit status 1, in less than 3 seconds, and never a credential. The servers are this script's own.

usage: tool_bad_server_test.py PATH_OF_EVENKEY
"""
import base64
import copy
import json
import os
import signal
import time

from tool_support import Misbehaving, check, crc, finish, names_of, ok, report, run, start, tool

NAMES = names_of("sagas")
SECRETS = {"AWS_ACCESS_KEY_ID": "AKIATHEKEYTHEKEY", "AWS_SECRET_ACCESS_KEY": "the/secret+that=nobody-may-see",
           "AWS_SESSION_TOKEN": "the-token-that-nobody-may-see", "AWS_REGION": "us-east-1"}
QUICK = ["--timeout-ms", "200", "--max-attempts", "2"]
TABLE = {"TableName": "sagas", "TableStatus": "ACTIVE", "ItemCount": 3, "TableSizeBytes": 300,
         "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
         "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("id", "gsi_pk", "gsi_sk")],
         "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
         "GlobalSecondaryIndexes": [{"IndexName": "by-type", "IndexStatus": "ACTIVE",
                                     "Projection": {"ProjectionType": "ALL"},
                                     "KeySchema": [{"AttributeName": "gsi_pk", "KeyType": "HASH"},
                                                   {"AttributeName": "gsi_sk", "KeyType": "RANGE"}]}]}
# As they stand in what is said, and as somebody could have coded them.
shown = list(SECRETS.values())[:3]
shown += [base64.b64encode(each.encode()).decode() for each in shown]


def silent(what, done):
    for secret in shown:
        check(what + ": no credentials", secret not in done.stdout + done.stderr)


def one_line(what, *arguments, names="", env=None, status=1):
    started = time.monotonic()
    done = run(what, *arguments, env={**SECRETS, **(env or {})}, status=status)
    took = time.monotonic() - started
    check(what + ": one line that names it", done.stderr.count("\n") == 1 and names in done.stderr, done.stderr)
    check(what + ": nothing on stdout", not done.stdout, done.stdout)
    check(what + ": in time", took < 3, "%.1f s" % took)
    silent(what, done)


def with_table(then, table=TABLE):
    """A server that describes the table well, and answers all else by `then`."""
    return lambda operation, body: ok({"Table": table}) if operation == "DescribeTable" else then(operation, body)


def always(answer):
    return lambda operation, body: answer


def servers():
    empty = json.dumps({"Items": [], "Count": 0, "ScannedCount": 0}).encode()
    good = ok(empty, **crc(empty))
    deep = b'{"Items":[{"id":' + b'{"L":[' * 20000 + b']}' * 20000 + b'}]}'
    error = {"__type": "com.amazonaws.dynamodb.v20120810#SomethingNew", "message": "line one\nline two\x1b[31m"}
    faults = [
        ("a server that hangs", "hang", "RequestTimeout"),
        ("a server that closes without a word", "drop", "ConnectionLost"),
        ("half an answer", ("half", good), "ConnectionLost"),
        ("a wrong checksum", ok(empty, **crc(empty, 1)), "x-amz-crc32"),
        ("HTML instead of JSON", ok(b"<html><body>Welcome to the hotel</body></html>"), "is this DynamoDB"),
        ("an unknown error", (400, {}, json.dumps(error).encode()), "SomethingNew"),
        ("a refusal in HTML", (403, {}, b"<html>Forbidden</html>"), "HTTP 403"),
        ("an error of the server", (500, {}, b""), "HTTP 500"),
        ("wrong credentials", (400, {}, b'{"__type":"x#UnrecognizedClientException","message":"The security token '
                                        b'included in the request is invalid."}'), "UnrecognizedClient"),
        ("a wrong signature", (400, {}, b'{"__type":"x#InvalidSignatureException","message":"The request signature '
                                        b'we calculated does not match"}'), "InvalidSignature"),
        ("an answer that is nothing", ok(b""), "is this DynamoDB"),
        ("an answer of another kind", ok(b"[1,2]"), "is this DynamoDB"),
        ("items that are none", ok({"Items": "many"}), "Items"),
        ("no items, though none are no end", ok({}), "it has no Items"),
        ("a last key that is none", ok({"Items": [], "LastEvaluatedKey": None}), "LastEvaluatedKey is null"),
        ("values of no type", ok({"Items": [{"id": {"Q": "x"}}]}), "attribute value"),
        ("text that is no text", ok({"Items": [{"id": {"S": 5}}]}), "attribute value"),
        ("lists in lists without end", ok(deep), "nested too deeply"),
        ("a table that is gone meanwhile", (400, {}, b'{"__type":"x#ResourceNotFoundException","message":"Requested '
                                                    b'resource not found: Table: sagas not found"}'),
         "ResourceNotFound"),
    ]
    for what, answer, names in faults:
        with Misbehaving(with_table(always(answer))) as server:
            one_line(what + ", in a scan", "drift", *NAMES, *QUICK, "--endpoint-url", server.url, names=names)
    for what, answer, names in faults[:8]:
        with Misbehaving(always(answer)) as server:
            one_line(what + ", at once", "status", *NAMES, *QUICK, "--endpoint-url", server.url, names=names)
    with Misbehaving(with_table(always(good))) as server:
        done = run("the well-behaved one", "drift", *NAMES, *QUICK, "--endpoint-url", server.url, env=SECRETS)
        silent("the well-behaved one", done)


def huge():
    """A body without end: the tool stops reading at its limit, and its memory stays small."""
    piece = b"x" * (1 << 20)

    def endless():
        class Body(bytes):
            pass
        return Body(b'{"Items":["' + piece * 200)

    with Misbehaving(with_table(always(ok(endless())))) as server:
        done = run("a huge answer", "drift", *NAMES, "--timeout-ms", "60000", "--max-attempts", "2", "--endpoint-url",
                   server.url, env=SECRETS, status=1)
        check("a huge answer: one line", done.stderr.count("\n") == 1 and "longer than" in done.stderr, done.stderr)
        check("it is asked for once by each of the scan's threads", server.requests <= 5, server.requests)
        silent("a huge answer", done)


def signals():
    """A server that hangs keeps nobody: one signal ends what has nothing half-done, a second one all the rest."""
    slow = ["--timeout-ms", "60000", "--max-attempts", "1"]
    with Misbehaving(with_table(always("hang"))) as server:
        def waiting(command):
            asked = server.requests
            process = start(command, *NAMES, *slow, "--endpoint-url", server.url, env=SECRETS)
            while server.requests < asked + 2 and process.poll() is None:  # the description, then what hangs
                time.sleep(0.01)
            check(command + " waits", process.poll() is None)
            return process

        process = waiting("read")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=15)
        check("a signal ends read", process.returncode == -signal.SIGINT, err)
        process = waiting("drift")
        while process.poll() is None:
            process.send_signal(signal.SIGTERM)
            time.sleep(0.01)
        out, err = process.communicate()
        check("a second signal ends drift", process.returncode == -signal.SIGTERM and not out, err)


def tables():
    def changed(change):
        table = copy.deepcopy(TABLE)
        change(table)
        return with_table(always(ok({"Items": [], "Count": 0})), table)

    def set_type(table, number, kind):
        table["AttributeDefinitions"][number]["AttributeType"] = kind

    for what, change, names in (
            ("a table that is being deleted", lambda t: t.update(TableStatus="DELETING"), "sagas is DELETING"),
            ("a table that is being made", lambda t: t.update(TableStatus="CREATING"), "wait until it is ACTIVE"),
            ("an index that is being made", lambda t: t["GlobalSecondaryIndexes"][0].update(IndexStatus="CREATING"),
             "by-type is CREATING"),
            ("a table without indexes", lambda t: t.pop("GlobalSecondaryIndexes"), "it has none"),
            ("a partition key of numbers", lambda t: set_type(t, 1, "N"), "of type N"),
            ("a table's key of numbers", lambda t: set_type(t, 0, "N"), "--state-table")):
        with Misbehaving(changed(change)) as server:
            one_line(what, "status", *NAMES, *QUICK, "--endpoint-url", server.url, names=names)
    with Misbehaving(always(ok({"Table": {}}))) as server:
        one_line("a description of nothing", "status", *NAMES, *QUICK, "--endpoint-url", server.url, names="no table")
    with Misbehaving(always(ok({"Table": {"TableName": "sagas", "KeySchema": 5}}))) as server:
        one_line("a description of another kind", "status", *NAMES, *QUICK, "--endpoint-url", server.url,
                 names="no table")


def preflights():
    def preflight(what, change, status=0):
        table = copy.deepcopy(TABLE)
        change(table)
        with Misbehaving(with_table(always(ok({})), table)) as server:
            return report("preflight: " + what, "preflight", *NAMES, *QUICK, "--endpoint-url", server.url,
                          status=status, env=SECRETS)

    def index(table, **more):
        table["GlobalSecondaryIndexes"][0].update(more)

    def other_indexes(table):
        keys = [{"AttributeName": "other", "KeyType": "HASH"}]
        table["GlobalSecondaryIndexes"] += [
            {"IndexName": "all", "KeySchema": keys, "Projection": {"ProjectionType": "ALL"}},
            {"IndexName": "keys", "KeySchema": keys, "Projection": {"ProjectionType": "KEYS_ONLY"}},
            {"IndexName": "some", "KeySchema": keys, "Projection": {"ProjectionType": "INCLUDE",
                                                                     "NonKeyAttributes": ["gsi_pk"]}}]
        table["LocalSecondaryIndexes"] = [{"IndexName": "local", "KeySchema": keys,
                                           "Projection": {"ProjectionType": "ALL"}}]

    plain = preflight("a plain table", lambda table: None)
    check("it is ready, and a move is three writes", plain["ready"] and plain["writes_of_a_move"] == 3, plain)
    check("what is not told is not known", plain["warm_throughput"] is None and plain["replicas"] == [])
    warm = preflight("warm throughput", lambda table: index(table, WarmThroughput={
        "ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"}))
    check("it is told", warm["warm_throughput"] == {"read_units": 12000, "write_units": 4000}, warm)
    there = preflight("an index that is not ready", lambda table: index(table, IndexStatus="CREATING"), status=1)
    check("it says so", there["problems"] == ["the index is CREATING"], there)
    there = preflight("a table that goes", lambda table: table.update(TableStatus="DELETING"), status=1)
    check("it says that", there["problems"] == ["the table is DELETING"], there)
    there = preflight("keys alone", lambda table: index(table, Projection={"ProjectionType": "KEYS_ONLY"}), status=1)
    check("the id is missing", "person" in there["problems"][0], there)
    there = preflight("a stream", lambda table: table.update(
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}))
    check("its consumers are named", there["stream"] == "NEW_IMAGE" and "MODIFY" in there["notes"][0], there)
    there = preflight("replicas", lambda table: table.update(
        Replicas=[{"RegionName": "eu-west-1"}, {"RegionName": "us-west-2"}]))
    check("they are named, and written", there["replicas"] == ["eu-west-1", "us-west-2"] and
          there["writes_of_a_move"] == 9, there)
    there = preflight("other indexes", other_indexes)
    check("those that hold the key are written", there["other_indexes_written"] == ["all", "some", "local"] and
          there["writes_of_a_move"] == 6, there)


def nobody():
    one_line("nobody listens", "drift", *NAMES, *QUICK, "--endpoint-url", "http://127.0.0.1:1", names="127.0.0.1:1")
    one_line("an endpoint that holds a password", "drift", *NAMES, *QUICK, "--endpoint-url",
             "http://me:%s@127.0.0.1:1" % SECRETS["AWS_SESSION_TOKEN"], names="holds a name or a password")
    one_line("no protocol of the web", "drift", *NAMES, *QUICK, "--endpoint-url", "file:///etc/passwd", names="file:")
    one_line("no credentials", "drift", *NAMES, names="no credentials",
             env={"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "HOME": "/nowhere"})
    one_line("no region", "drift", *NAMES, names="no region",
             env={"AWS_REGION": "", "AWS_DEFAULT_REGION": "", "HOME": "/nowhere"})
    for arguments in (["--help"], ["--version"], ["drift", "--help"], ["backfill", "--help"], ["drift"],
                      ["drift", *NAMES, "--segments", "x"]):
        silent("what %s prints" % arguments, tool(*arguments, env=SECRETS))


started = time.monotonic()
os.environ.pop("AWS_ENDPOINT_URL", None)
for part in (nobody, servers, huge, signals, tables, preflights):
    part()
print("      %d faults, %.1f s" % (19 + 8 + 1 + 8 + 5, time.monotonic() - started))
finish()
