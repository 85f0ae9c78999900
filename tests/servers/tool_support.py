# SPDX-License-Identifier: BSL-1.0
"""What the scripts that try the command-line tool share: the tool, checks, a client of the server, and servers that
misbehave. Needs nothing but Python; AWS_ENDPOINT_URL names the server, where there is one. SEED repeats a run.
"""
import http.client
import http.server
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
import zlib

TOOL = sys.argv[1]
SEED = int(os.environ.get("SEED", time.time()))
RANDOM = random.Random(SEED)
LAYOUT = ["--prefix", "RenewalSaga", "--shards", "4"]
LAG = ["--visible-within-ms", "30"]
failures = []


def names_of(table):
    return ["--table", table, "--index", "by-type", "--shard-by", "person"] + LAYOUT


def check(what, holds, detail=""):
    if not holds:
        failures.append(what)
        print("FAIL  %s %s" % (what, detail))


def tool(*arguments, stdin="", env=None, timeout=120):
    return subprocess.run([TOOL, *arguments], input=stdin, capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, **(env or {})})


def run(what, *arguments, status=0, stdin="", env=None):
    done = tool(*arguments, stdin=stdin, env=env)
    check(what, done.returncode == status, "status %d: %s %s" % (done.returncode, done.stdout[-600:], done.stderr))
    return done


def report(what, *arguments, status=0, stdin="", env=None):
    done = run(what, *arguments, "--json", status=status, stdin=stdin, env=env)
    try:
        return json.loads(done.stdout)
    except ValueError:
        check(what + ": JSON", False, done.stdout[:200])
        return {}


def start(*arguments, env=None):
    """The tool as a process that goes on meanwhile. A shell's background job would leave it deaf to SIGINT."""
    return subprocess.Popen([TOOL, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env={**os.environ, **(env or {})},
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def finish():
    print("      seed %d" % SEED)
    sys.exit(1 if failures else 0)


# The server.

def call(operation, body):
    endpoint = urllib.parse.urlparse(os.environ["AWS_ENDPOINT_URL"])
    connection = http.client.HTTPConnection(endpoint.hostname, endpoint.port, timeout=60)
    connection.request("POST", "/", json.dumps(body), {
        "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810." + operation,
        "X-Amz-Date": "20260101T000000Z",
        "Authorization": "AWS4-HMAC-SHA256 Credential=tests/20260101/us-east-1/dynamodb/aws4_request, "
                         "SignedHeaders=host, Signature=0"})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    if answer.status != 200:
        raise RuntimeError("%s: %s" % (operation, text[:300]))
    return json.loads(text)


def index_definition(name, partition_key, sort_key):
    return {"IndexName": name, "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": partition_key, "KeyType": "HASH"},
                          {"AttributeName": sort_key, "KeyType": "RANGE"}]}


def create(table, sort_type="S", indexes=None, **more):
    indexes = indexes or [index_definition("by-type", "gsi_pk", "gsi_sk")]
    attributes = {"id": "S"}
    for index in indexes:
        attributes[index["KeySchema"][0]["AttributeName"]] = "S"
        attributes[index["KeySchema"][1]["AttributeName"]] = sort_type
    call("CreateTable", {
        "TableName": table, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, kind in attributes.items()],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "GlobalSecondaryIndexes": indexes, **more})
    while call("DescribeTable", {"TableName": table})["Table"]["TableStatus"] != "ACTIVE":
        time.sleep(0.05)


def item(number, key):
    return {"id": {"S": "row-%05d" % number}, "person": {"S": "person-%d" % (number % 37)},
            "gsi_pk": {"S": key}, "gsi_sk": {"S": "t%03d" % (number % 50)}}


def fill(table, items):
    for first in range(0, len(items), 25):
        left = {table: [{"PutRequest": {"Item": each}} for each in items[first:first + 25]]}
        while left:
            left = call("BatchWriteItem", {"RequestItems": left})["UnprocessedItems"]


def scan(table):
    """All rows of the table's own; the tool's state items are none."""
    rows, start = [], {}
    while True:
        page = call("Scan", {"TableName": table, "ConsistentRead": True, **start})
        rows += [row for row in page["Items"] if "evenkey_state" not in row]
        if not page.get("LastEvaluatedKey"):
            return rows
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def states(table):
    """The tool's own state items, by their keys."""
    return {row["id"]["S"]: row["evenkey_state"]["S"]
            for row in call("Scan", {"TableName": table, "ConsistentRead": True})["Items"] if "evenkey_state" in row}


# Servers that misbehave.

class Misbehaving:
    """A server on a free port of 127.0.0.1, for as long as a `with` lasts.

    answer(operation, body) gives (status, headers, bytes) or one of the names below; it may ask `forward`.
    hang: says nothing. half: half of what Content-Length says. drop: closes without a word.
    """

    def __init__(self, answer):
        outer = self
        self.requests = 0
        self.done = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.requests += 1
                made = answer(self.headers["X-Amz-Target"].split(".")[-1], body)
                if made == "hang":
                    outer.done.wait(20)
                if made in ("hang", "drop"):
                    self.close_connection = True
                    return
                if isinstance(made, tuple) and made[0] == "half":
                    made = (made[1][0], {**made[1][1], "Content-Length": str(len(made[1][2]) + 100)}, made[1][2])
                    self.close_connection = True
                status, headers, data = made
                self.send_response(status)
                for name, value in {"Content-Length": str(len(data)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True  # the client has gone

            def log_message(self, *arguments):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *arguments):
                pass  # a client that was killed is none

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *arguments):
        self.done.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def ok(body, **headers):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return 200, headers, data


def forward(operation, body):
    """The answer of the real server."""
    endpoint = urllib.parse.urlparse(os.environ["AWS_ENDPOINT_URL"])
    connection = http.client.HTTPConnection(endpoint.hostname, endpoint.port, timeout=60)
    connection.request("POST", "/", body, {
        "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810." + operation,
        "X-Amz-Date": "20260101T000000Z",
        "Authorization": "AWS4-HMAC-SHA256 Credential=tests/20260101/us-east-1/dynamodb/aws4_request, "
                         "SignedHeaders=host, Signature=0"})
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer.status, {}, data


def crc(data, off=0):
    return {"x-amz-crc32": str((zlib.crc32(data) + off) % 2 ** 32)}
