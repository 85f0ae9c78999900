# SPDX-License-Identifier: BSL-1.0
"""The command-line tool against a server: every command, bad input, and a live table moved there and back while
the tool is killed at random moments. Needs nothing but Python; AWS_ENDPOINT_URL names the server.

usage: tool_test.py PATH_OF_EVENKEY
"""
import http.client
import http.server
import json
import os
import random
import subprocess
import sys
import threading
import time
import urllib.parse

TOOL = sys.argv[1]
ENDPOINT = urllib.parse.urlparse(os.environ["AWS_ENDPOINT_URL"])
SEED = int(os.environ.get("SEED", time.time()))
RANDOM = random.Random(SEED)
TABLE = "tool-%d-%d" % (os.getpid(), SEED)
LAYOUT = ["--prefix", "RenewalSaga", "--shards", "4"]
NAMES = ["--table", TABLE, "--index", "by-type", "--shard-by", "person"] + LAYOUT
LAG = ["--visible-within-ms", "30"]
failures = []


def call(operation, body):
    connection = http.client.HTTPConnection(ENDPOINT.hostname, ENDPOINT.port, timeout=60)
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


def create(table, sort_type="S"):
    call("CreateTable", {
        "TableName": table, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"},
                                 {"AttributeName": "gsi_pk", "AttributeType": "S"},
                                 {"AttributeName": "gsi_sk", "AttributeType": sort_type}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [{"IndexName": "by-type", "Projection": {"ProjectionType": "ALL"},
                                    "KeySchema": [{"AttributeName": "gsi_pk", "KeyType": "HASH"},
                                                  {"AttributeName": "gsi_sk", "KeyType": "RANGE"}]}]})
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


def tool(*arguments, stdin="", env=None):
    return subprocess.run([TOOL, *arguments], input=stdin, capture_output=True, text=True, timeout=120,
                          env={**os.environ, **(env or {})})


def check(what, holds, detail=""):
    if not holds:
        failures.append(what)
        print("FAIL  %s %s" % (what, detail))


def run(what, *arguments, status=0, stdin="", env=None):
    done = tool(*arguments, stdin=stdin, env=env)
    check(what, done.returncode == status, "status %d: %s %s" % (done.returncode, done.stdout[-600:], done.stderr))
    return done


def report(what, *arguments, status=0):
    done = run(what, *arguments, "--json", status=status)
    try:
        return json.loads(done.stdout)
    except ValueError:
        check(what + ": JSON", False, done.stdout[:200])
        return {}


def offline():
    done = run("shard", "shard", "--prefix", "RenewalSaga", "--shards", "16", "person-42")
    check("the shard of person-42", done.stdout == "person-42\t13\tRenewalSaga#13\n", done.stdout)
    done = run("shard of stdin", "shard", *LAYOUT, stdin="a\nb\r\n")
    check("a line an id", len(done.stdout.splitlines()) == 2 and "\r" not in done.stdout)
    run("an empty line is refused", "shard", *LAYOUT, status=1, stdin="a\n\nb\n")
    keys = report("shard --json", "shard", *LAYOUT, "x")
    check("JSON of shard", keys and keys[0]["id"] == "x")
    spread = report("spread", "spread", *LAYOUT, "a", "b", "c")
    check("spread counts", spread["ids"] == 3 and len(spread["per_shard"]) == 4)
    plan = report("plan", "plan", "--writes", "3500", "--write-bytes", "1500")
    check("plan recommends 10", plan["shards"] == 10 and plan["advice"] == "shard")
    names = ("--table", "sagas", "--index", "by-type", "--pk-attribute", "gsi_pk", "--sk-attribute", "gsi_sk")
    load = ("--writes", "3500", "--write-bytes", "1500")
    emitted = {language: run("plan --emit " + language, "plan", *load, "--emit", language, *names).stdout
               for language in ("terraform", "cdk", "cli")}
    check("terraform's block", "write_units_per_second = 10000" in emitted["terraform"], emitted["terraform"])
    check("CDK's call", "writeUnitsPerSecond: 10000" in emitted["cdk"], emitted["cdk"])
    update = [line for line in emitted["cli"].splitlines() if "index-updates" in line][0].split("'")[1]
    check("the CLI's JSON", json.loads(update)[0]["Create"]["WarmThroughput"]["WriteUnitsPerSecond"] == 10000, update)
    run("plan --emit without names", "plan", *load, "--emit", "cdk", status=2)
    ids = "".join("person-%d\n" % number for number in range(1, 151))
    plan = json.loads(run("plan --ids", "plan", *load, "--ids", "-", "--json", stdin=ids).stdout)
    check("N is measured", plan["measured"]["shards"] == 16 and plan["measured"]["below_target"] is True, plan)
    plan = json.loads(run("plan of a hot id", "plan", *load, "--ids", "-", "--json", stdin="a\t9\nb\n").stdout)
    check("a hot id is not sharded", plan["advice"] == "split_hot_id", plan["advice"])
    for command in ("shard", "spread", "plan", "preflight", "read", "drift", "parity", "backfill", "status",
                    "advance", "rollback", "watch"):
        done = run("help of " + command, command, "--help")
        check("an example of " + command, "Example: evenkey " + command in done.stdout)
    for wrong in ([], ["nonsense"], ["shard"], ["shard", "--prefix", "x", "--shards", "0", "a"],
                  ["shard", *LAYOUT, "--hash", "md5", "a"], ["drift", *LAYOUT],
                  ["read", *NAMES, "--phase", "nowhere"]):
        run("usage: %s" % wrong, *wrong, status=2)
    times = []
    for _ in range(9):
        started = time.perf_counter()
        tool("shard", *LAYOUT, "x")
        times.append(time.perf_counter() - started)
    print("      start to end of `evenkey shard`: median %.1f ms" % (sorted(times)[4] * 1000))


def bad_input():
    def one_line(what, *arguments, env=None, status=1, names=""):
        done = run(what, *arguments, env=env, status=status)
        check(what + ": one line that names it", done.stderr.count("\n") == 1 and names in done.stderr, done.stderr)
        for secret in ("the-secret", "AKIATHEKEY"):
            check(what + ": no credentials", secret not in done.stderr + done.stdout)

    one_line("nobody listens", "drift", *NAMES, "--endpoint-url", "http://127.0.0.1:1", names="127.0.0.1:1",
             env={"AWS_SECRET_ACCESS_KEY": "the-secret", "AWS_ACCESS_KEY_ID": "AKIATHEKEY"})
    one_line("no credentials", "drift", *NAMES, names="no credentials",
             env={"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "HOME": "/nowhere"})
    other = list(NAMES)
    other[1] = "no-such-table"
    one_line("no such table", "drift", *other, names="ResourceNotFound")
    other = list(NAMES)
    other[3] = "by-nothing"
    one_line("no such index", "drift", *other, names="has no global index by-nothing; it has by-type")
    one_line("another key attribute", "drift", *NAMES, "--pk-attribute", "pk", names="gsi_pk")
    other = list(NAMES)
    other[5] = "no_such_attribute"
    done = run("rows without the id", "drift", *other, status=1)
    check("rows without the id are told", "no_such_attribute" in done.stderr, done.stderr)
    run("a backfill without drained writers", "backfill", *NAMES, "--execute", status=1)
    run("a time that is none", "backfill", *NAMES, "--execute", "--writers-drained-at", "yesterday", status=2)
    run("a damaged token", "read", *NAMES, "--token", "nonsense", status=1)
    run("no assumption of visibility", "advance", "dual_read", *NAMES, status=2)


class Broken(http.server.BaseHTTPRequestHandler):
    """A server that answers every request in one wrong way."""

    how = ""

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        body = b'{"Table":{}}'
        if Broken.how == "hangs":
            return time.sleep(1.5)
        if Broken.how == "is a web page":
            body = b"<html>503</html>"
        if Broken.how == "denies":
            body = b'{"__type":"com.amazonaws.dynamodb.v20120810#AccessDeniedException","message":"not you"}'
        self.send_response(400 if Broken.how == "denies" else 503 if Broken.how == "is a web page" else 200)
        if Broken.how == "has a wrong checksum":
            self.send_header("x-amz-crc32", "1")
        self.send_header("content-length", str(len(body) + (10 if Broken.how == "is half" else 0)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def broken_answers():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Broken)
    threading.Thread(target=server.serve_forever).start()
    try:
        for how in ("hangs", "is half", "has a wrong checksum", "is a web page", "denies"):
            Broken.how = how
            done = run("an answer that " + how, "backfill", *NAMES, "--execute", "--writers-drained-at", "now",
                       "--endpoint-url", "http://127.0.0.1:%d" % server.server_address[1], "--timeout-ms", "200",
                       status=1, env={"AWS_SECRET_ACCESS_KEY": "the-secret", "AWS_ACCESS_KEY_ID": "AKIATHEKEY"})
            check("an answer that " + how + ": one line", done.stderr.count("\n") == 1, done.stderr)
            check("an answer that " + how + ": no secret", "the-secret" not in done.stderr + done.stdout)
    finally:
        server.shutdown()
        server.server_close()


class Live:
    """Writers that create rows as instances of a phase, and readers that list them by the tool."""

    def __init__(self):
        self.lock = threading.Lock()
        self.key, self.read_phase, self.back = "RenewalSaga", "source", []
        self.committed, self.made, self.reads, self.disorders, self.stop = set(), 100000, 0, 0, False
        self.threads = [threading.Thread(target=self.guard, args=(each,)) for each in (self.write, self.read)]
        self.busy = {each.name: 0 for each in self.threads}
        for each in self.threads:
            each.start()

    def guard(self, work):
        name = threading.current_thread().name
        try:
            while not self.stop:
                work()
                self.busy[name] += 1
        except Exception as error:  # a thread's error must not be lost
            check("live traffic", False, repr(error))

    def write(self):
        with self.lock:
            self.made += 1
            number, key = self.made, self.key
        row = item(number, "")
        if key != "RenewalSaga":
            key = tool("shard", *LAYOUT, row["person"]["S"]).stdout.split("\t")[2].strip()
        row["gsi_pk"]["S"] = key
        call("PutItem", {"TableName": TABLE, "Item": row})
        with self.lock:
            self.committed.add(row["id"]["S"])
        time.sleep(0.01)

    def read(self):
        with self.lock:
            before, phase, back = set(self.committed), self.read_phase, list(self.back)
        command = ["read", *NAMES, *LAG, "--phase", phase, *back]
        if os.environ.get("EVENKEY_SERVER") == "moto":
            # moto sorts a page after rows of it may have moved, by what they are then; the tool finds that out.
            while "answered its items out of order" in (done := tool(*command, "--json")).stderr:
                self.disorders += 1
            check("a live read", done.returncode == 0, done.stderr)
            listed = json.loads(done.stdout)
        else:
            listed = report("a live read", *command)
        ids = [each["id"]["S"] for each in listed.get("items", [])]
        order = [(each["gsi_sk"]["S"], each["id"]["S"]) for each in listed.get("items", [])]
        missed = before - set(ids)
        check("no row is missed in " + phase, not missed, sorted(missed)[:5])
        check("no row comes twice in " + phase, len(ids) == len(set(ids)))
        check("in order in " + phase, order == sorted(order))
        self.reads += 1

    def deploy(self, read_phase, key, back):
        with self.lock:
            self.read_phase, self.key, self.back = read_phase, key, back
        seen = dict(self.busy)
        while any(self.busy[name] < count + 2 for name, count in seen.items()) and not failures:
            time.sleep(0.01)


def killed_backfill(back):
    """Runs the backfill again and again, killing it at random moments, until one run comes to its end."""
    kills = 0
    command = [TOOL, "backfill", *NAMES, *back, "--execute", "--writers-drained-at", DRAINED, "--page-limit", "20",
               "--index-write-units", "400", "--json"]
    while True:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = process.communicate(timeout=RANDOM.uniform(0.02, 0.6) if kills < 12 else 110)
        except subprocess.TimeoutExpired:
            process.send_signal(RANDOM.choice([9, 15]))
            out, err = process.communicate()
            if process.returncode != 0:
                kills += 1
                continue
        check("the backfill ends well", process.returncode == 0, err)
        done = json.loads(out)
        check("the backfill is finished", done["finished"] is True, out)
        print("      backfill%s: killed %d times, %d rows moved by all runs" % (
            " of the way back" if back else "", kills, done["moved_by_all_runs"]))
        return


def hosts_together(back):
    """Two hosts share a backfill by leases; one is killed at a random moment, and another takes its place."""
    command = [TOOL, "backfill", *NAMES, *back, "--execute", "--writers-drained-at", DRAINED, "--page-limit", "10",
               "--index-write-units", "300", "--segments", "8", "--lease-ms", "600", "--json", "--host"]

    def start(name):
        return subprocess.Popen([*command, name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    first, second = start("host-1"), start("host-2")
    time.sleep(RANDOM.uniform(0.1, 0.5))
    first.kill()
    killed = first.wait() != 0
    first.communicate()
    third = start("host-3")
    done = []
    for each in (second, third):
        out, err = each.communicate(timeout=110)
        check("a host ends well", each.returncode == 0, err)
        done.append(json.loads(out))
    check("all hosts say that it is finished", all(each["finished"] is True for each in done), done)
    print("      hosts that share a backfill: %s, %d and %d rows moved by the others, %d by all" % (
        "one killed" if killed else "none killed in time", done[0]["moved"], done[1]["moved"],
        done[1]["moved_by_all_runs"]))


def step(what, *arguments):
    dry = report(what + ", dry run", *arguments, *NAMES, *LAG)
    check(what + " is allowed", dry.get("allowed") is True and dry.get("dry_run") is True, dry.get("reasons"))
    done = report(what, *arguments, *NAMES, *LAG, "--execute")
    check(what + " is taken", done.get("allowed") is True, done.get("reasons"))


def migration():
    global DRAINED
    fill(TABLE, [item(number, "RenewalSaga") for number in range(600)])
    check("preflight", report("preflight", "preflight", *NAMES)["ready"] is True)
    dry = report("backfill, dry run", "backfill", *NAMES)
    check("all rows are to move", dry["to_move"] == 600 and dry["moved"] == 0)
    check("a dry run writes nothing", report("drift before", "drift", *NAMES, status=1)["on_source"] == 600)
    check("status at first", report("status", "status", *NAMES)["stands_in"] == "source")
    done = report("a phase cannot be skipped", "advance", "destination_writes", *NAMES, *LAG, "--execute", status=1)
    check("why not", done["allowed"] is False and done["reasons"])

    live = Live()
    try:
        live.committed.update("row-%05d" % number for number in range(600))
        live.deploy("source", "RenewalSaga", [])
        step("to dual_read", "advance", "dual_read")
        live.deploy("dual_read", "RenewalSaga", [])
        step("to destination_writes", "advance", "destination_writes")
        live.deploy("destination_writes", "sharded", [])
        DRAINED = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        done = report("not before it is proven", "advance", "destination", *NAMES, *LAG, "--execute",
                      "--writers-drained-at", DRAINED, status=1)
        check("why it is not proven", any("on the source" in each for each in done["reasons"]), done["reasons"])
        killed_backfill([])
        check("drift is clean", report("drift", "drift", *NAMES)["clean"] is True)
        check("parity is identical", report("parity", "parity", *NAMES)["identical"] is True)
        step("to destination", "advance", "destination", "--writers-drained-at", DRAINED)
        live.deploy("destination", "sharded", [])
        check("watch is quiet", report("watch", "watch", *NAMES)["quiet"] is True)
        late = item(99999, "RenewalSaga")
        call("PutItem", {"TableName": TABLE, "Item": late})
        check("a late row is seen", report("watch", "watch", *NAMES, status=1)["late"] == 1)
        check("and moved", report("watch", "watch", *NAMES, "--execute", status=1)["moved"] == 1)
        check("then it is quiet", report("watch", "watch", *NAMES)["quiet"] is True)

        # And back again, from the last phase.
        step("back to dual_read", "rollback")
        live.deploy("dual_read", "sharded", ["--back"])
        step("back to destination_writes", "rollback")
        live.deploy("destination_writes", "RenewalSaga", ["--back"])
        DRAINED = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        time.sleep(0.1)
        hosts_together(["--back"])
        step("back to the source", "rollback", "--writers-drained-at", DRAINED)
        live.deploy("destination", "RenewalSaga", ["--back"])
        status = report("status at last", "status", *NAMES)
        check("it stands where it began", status["stands_in"] == "source", status)
    finally:
        live.stop = True
        for each in live.threads:
            each.join()
    print("      %d reads by the tool while rows moved%s" % (
        live.reads, ", %d made again since a page was out of order" % live.disorders if live.disorders else ""))
    check("rows were read while they moved", live.reads > 10)


def paging():
    token, ids = "", []
    while True:
        page = report("a page", "read", *NAMES, "--phase", "source", "--limit", "170", "--descending",
                      *(["--token", token] if token else []))
        ids += [each["id"]["S"] for each in page["items"]]
        token = page["next_token"]
        if not token:
            break
    whole = report("the whole list", "read", *NAMES, "--phase", "source")
    check("pages make the whole", ids == [each["id"]["S"] for each in reversed(whole["items"])])
    one = report("one person's rows", "read", *NAMES, "--phase", "source", "--id", "person-5")
    check("only that person's", {each["person"]["S"] for each in one["items"]} == {"person-5"})


def numbers():
    table = TABLE + "-n"
    create(table, "N")
    rows = []
    for number in range(40):
        row = item(number, "RenewalSaga#0")
        row["gsi_pk"]["S"] = tool("shard", *LAYOUT, row["person"]["S"]).stdout.split("\t")[2].strip()
        row["gsi_sk"] = {"N": str(number * 37 % 40 - 20)}
        rows.append(row)
    fill(table, rows)
    names = list(NAMES)
    names[1] = table
    listed = report("numbers as sort keys", "read", *names)
    order = [int(each["gsi_sk"]["N"]) for each in listed["items"]]
    check("numbers are in order", order == list(range(-20, 20)), order)
    check("drift of numbers", report("drift", "drift", *names)["clean"] is True)
    call("DeleteTable", {"TableName": table})


print("      seed %d" % SEED)
create(TABLE)
try:
    fill(TABLE, [item(1, "RenewalSaga")])
    for part in (offline, bad_input, broken_answers, migration, paging, numbers):
        part()
finally:
    call("DeleteTable", {"TableName": TABLE})
sys.exit(1 if failures else 0)
