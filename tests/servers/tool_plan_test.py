# SPDX-License-Identifier: BSL-1.0
"""What the command-line tool does without a table: usage, shards, spread, plans and what they print for Terraform,
CDK and AWS's command line (golden texts in tests/golden/plan). UPDATE_GOLDEN=1 writes these anew.

usage: tool_plan_test.py PATH_OF_EVENKEY
"""
import json
import os
import pathlib
import signal
import tempfile
import time

from tool_support import LAG, LAYOUT, check, finish, names_of, report, run, start, tool

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden" / "plan"
COMMANDS = ("shard", "spread", "plan", "preflight", "read", "drift", "parity", "backfill", "status", "advance",
            "rollback", "watch")
LOAD = ["--writes", "3500", "--write-bytes", "1500"]
INDEX = ["--table", "sagas", "--index", "by-type", "--pk-attribute", "gsi_pk", "--sk-attribute", "gsi_sk"]


def golden(name, *arguments, status=0):
    done = run(name, *arguments, status=status)
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(done.stdout)
    check(name + " is as in the golden file", path.exists() and path.read_text() == done.stdout, done.stdout)
    return done


def usage():
    for command in COMMANDS:
        done = run("help of " + command, command, "--help")
        check("an example of " + command, "evenkey " + command in done.stdout.split("Example")[-1], done.stdout)
        check("--json of " + command, "--json" in done.stdout)
        check("words are told in words: " + command, "ENUM" not in done.stdout and "{" not in done.stdout, done.stdout)
    done = run("help", "--help")
    check("all commands in --help", all(each in done.stdout for each in COMMANDS))
    for wrong in ([], ["nonsense"], ["shard"], ["shard", "--prefix", "x", "--shards", "0", "a"],
                  ["shard", *LAYOUT, "--hash", "md5", "a"], ["drift", *LAYOUT], ["plan", "--emit", "yaml"],
                  ["plan", *LOAD, "--emit", "cdk"], ["plan", *LOAD, "--ids", "-", "--distinct-ids", "3"],
                  ["plan", *LOAD, "--existing"], ["plan", *LOAD, *INDEX, "--emit", "terraform", "--existing"],
                  ["shard", *LAYOUT, "--separator", "##", "a"], ["shard", *LAYOUT, "--width", "3000", "a"],
                  ["shard", "--prefix", "", "--shards", "4", "a"], ["shard", *LAYOUT, "--placement", "0", "a"],
                  ["spread", *LAYOUT, "--ids", "-", "a"]):
        refused("usage: %s" % wrong, *wrong)
    check("an unknown command is named", "nonsense" in refused("an unknown command", "nonsense").stderr)
    check("an unknown option is named", "--nonsense" in refused("an unknown option", "shard", *LAYOUT, "--nonsense").stderr)


def refused(what, *arguments, env=None):
    """Wrong usage: one line, exit status 2, whatever else is there."""
    done = run(what, *arguments, status=2, stdin="a\n", env=env)
    check(what + ": one line, nothing on stdout", done.stderr.count("\n") == 1 and not done.stdout, done.stderr)
    return done


def before_any_request():
    """Where nobody listens, a request fails with status 1: wrong usage is found before it."""
    dead = {"AWS_ACCESS_KEY_ID": "tests", "AWS_SECRET_ACCESS_KEY": "tests", "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
    names = [*names_of("sagas"), "--max-attempts", "1", "--timeout-ms", "500"]

    def but(option, value):
        at = names.index(option)
        return [*names[:at + 1], value, *names[at + 2:]]

    move = ["backfill", *names, "--execute", "--writers-drained-at", "now"]
    for right in (["drift", *names], move, ["read", *names, "--phase", "dual_read", *LAG],
                  ["advance", "dual_read", *names, *LAG], ["rollback", *names, *LAG], ["watch", *names]):
        run("nobody listens to %s" % right[0], *right, status=1, env=dead)
    tomorrow = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86400))
    for wrong, names_it in (
            ([*move, "--hosts", "0"], "--hosts"), ([*move, "--lease-ms", "99"], "--lease-ms"),
            ([*move, "--lease-ms", "3600001"], "--lease-ms"), ([*move, "--segments", "0"], "--segments"),
            ([*move, "--concurrency", "0"], "--concurrency"), ([*move, "--read-units", "0"], "--read-units"),
            ([*move, "--read-units", "nan"], "--read-units"), ([*move, "--index-write-units", "-1"], "--index-write-"),
            ([*move, "--table-write-units", "inf"], "--table-write-units"), ([*move, "--page-limit", "-1"], "--page"),
            (["backfill", *names, "--execute", "--writers-drained-at", "yesterday"], "yesterday"),
            (["backfill", *names, "--execute", "--writers-drained-at", "2026-02-30T00:00:00Z"], "2026-02-30"),
            (["backfill", *names, "--execute", "--writers-drained-at", tomorrow], "future"),
            (["advance", "destination", *names, *LAG, "--writers-drained-at", tomorrow], "future"),
            (["backfill", *names, "--execute", "--restart"], "--writers-drained-at"),
            (["advance", "dual_read", *names], "--visible-within-ms"),
            (["rollback", *names], "--visible-within-ms"), (["rollback", *names, "--visible-within-ms", "0"], "0"),
            (["rollback", *names, "--visible-within-ms", "86400001"], "--visible-within-ms"),
            (["advance", "next", *names, *LAG], "next"), (["read", *names, "--phase", "next"], "next"),
            (["read", *names, "--phase", "dual_read"], "--visible-within-ms"),
            (["read", *names, "--token", "nonsense"], "token"), (["read", *names, "--id", ""], "--id"),
            (["read", *names, "--sk-begins-with", "a", "--sk-from", "b"], "--sk-begins-with"),
            (["read", *names, "--second-index", "--phase", "source"], "--second-index"),
            (["drift", *names, "--second-index", "--back"], "--second-index"),
            (["drift", *names, "--second-index", "--from", "x"], "--second-index"),
            (["drift", *names, "--separator", ""], "--separator"), (["drift", *names, "--from-shards", "-1"], "--from"),
            (["parity", *names, "--width", "3000"], "2048"), (["drift", *but("--shard-by", "")], "--shard-by"),
            (["status", *but("--table", "")], "--table"), (["status", *but("--index", "")], "--index"),
            (["status", *but("--shards", "0")], "--shards"), (["status", *but("--prefix", "")], "empty"),
            (["watch", *names, "--polls", "0"], "--polls"), (["watch", *names, "--interval-ms", "x"], "--interval-ms"),
            (["preflight", *but("--timeout-ms", "0")], "--timeout-ms")):
        done = refused("before any request: %s" % [each for each in wrong if each not in names], *wrong, env=dead)
        check("it names what is wrong: %s" % names_it, names_it in done.stderr, done.stderr)


def shards():
    done = run("shard", "shard", "--prefix", "RenewalSaga", "--shards", "16", "person-42")
    check("the shard of person-42", done.stdout == "person-42\t13\tRenewalSaga#13\n", done.stdout)
    done = run("shard of stdin", "shard", *LAYOUT, stdin="a\nb\r\n")
    check("a line an id", len(done.stdout.splitlines()) == 2 and "\r" not in done.stdout)
    run("an empty line is refused", "shard", *LAYOUT, status=1, stdin="a\n\nb\n")
    keys = report("shard --json", "shard", *LAYOUT, "x")
    check("JSON of shard", keys and keys[0]["id"] == "x")


def spreads():
    spread = report("spread", "spread", *LAYOUT, "a", "b", "c")
    check("spread counts", spread["ids"] == 3 and len(spread["per_shard"]) == 4)
    check("no load, no recommendation", "recommended" not in spread)
    ids = "".join("person-%d\n" % number for number in range(150))
    loaded = report("spread with a load", "spread", "--prefix", "RenewalSaga", "--shards", "16", *LOAD, stdin=ids)
    check("it tells the utilisation", 0.5 < loaded["utilisation_of_the_hottest"] < 1, loaded)
    check("and what would do", loaded["recommended"]["advice"] == "shard" and
          loaded["recommended"]["shards_measured"] > 9, loaded["recommended"])
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(ids)
        file.flush()
        by_file = ["--prefix", "RenewalSaga", "--shards", "16", "--ids", file.name]
        check("a file of ids is as stdin", report("spread of a file", "spread", *by_file, *LOAD) == loaded)
        check("also for shard", len(run("shard of a file", "shard", *by_file).stdout.splitlines()) == 150)
    run("a file that is not there, for spread", "spread", *LAYOUT, "--ids", "/nowhere/ids", status=1)
    run("a weight that is none", "spread", *LAYOUT, status=1, stdin="a\tx\n")
    run("a weight below zero", "spread", *LAYOUT, status=1, stdin="a\t-1\n")


def plans():
    plan = report("plan", "plan", *LOAD)
    check("plan recommends 10", plan["shards"] == 10 and plan["advice"] == "shard")
    ids = "".join("person-%d\n" % number for number in range(150))
    plan = report("plan by ids", "plan", *LOAD, "--ids", "-", stdin=ids)
    measured = plan["measured"]
    check("the ids are counted", measured["distinct_ids"] == 150 and measured["shards_expected"] == 16, plan)
    check("what they need is measured", measured["utilisation_of_the_hottest"] <= 0.7 and
          plan["shards"] >= measured["fewest"] >= 10, plan)
    twice = report("ids that come twice are one", "plan", *LOAD, "--ids", "-", stdin=ids + ids)
    check("rows of an id add up", twice["measured"]["distinct_ids"] == 150 and twice["shards"] == plan["shards"])
    hot = report("one id that is hot", "plan", *LOAD, "--ids", "-", stdin="hot\t1000\n" + ids)
    check("no N helps one id", hot["advice"] == "split_hot_id", hot)
    one_line("no ids", "plan", *LOAD, "--ids", "-")
    one_line("ids without weight", "plan", *LOAD, "--ids", "-", stdin="a\t0\n")
    one_line("a file that is not there", "plan", *LOAD, "--ids", "/nowhere/ids")
    refused("a load below zero", "plan", "--writes", "-1")
    refused("a target of zero", "plan", *LOAD, "--target", "0")
    refused("a load that is no number", "plan", "--writes", "nan")


def one_line(what, *arguments, stdin=""):
    done = run(what, *arguments, status=1, stdin=stdin)
    check(what + ": one line", done.stderr.count("\n") == 1 and not done.stdout, done.stderr)


def emits():
    sixteen = ["plan", *LOAD, "--distinct-ids", "150", *INDEX]
    golden("index.tf", *sixteen, "--emit", "terraform")
    golden("index.ts", *sixteen, "--emit", "cdk")
    cli = json.loads(golden("index.json", *sixteen, "--emit", "cli").stdout)
    create = cli["GlobalSecondaryIndexUpdates"][0]["Create"]
    check("its warm throughput is of whole partitions", create["WarmThroughput"]["WriteUnitsPerSecond"] % 1000 == 0)
    cli = json.loads(golden("existing-index.json", *sixteen, "--emit", "cli", "--existing").stdout)
    check("the same for an index that is there", create["WarmThroughput"] ==
          cli["GlobalSecondaryIndexUpdates"][0]["Update"]["WarmThroughput"])
    small = ["plan", "--writes", "30", "--write-bytes", "900", "--table", "t${x}", "--index", "i\"x", "--pk-attribute",
             "a%{b}"]
    golden("one-key.tf", *small, "--emit", "terraform")
    golden("number.ts", *sixteen, "--sk-type", "N", "--emit", "cdk")
    reads = golden("read-heavy.json", "plan", "--queries", "9000", "--query-bytes", "8192", *INDEX, "--emit", "cli")
    check("of reads, read units make the partitions", json.loads(reads.stdout)["GlobalSecondaryIndexUpdates"][0][
        "Create"]["WarmThroughput"]["ReadUnitsPerSecond"] % 3000 == 0)
    done = run("nothing is printed where no index helps", "plan", "--writes", "4000", "--write-bytes", "700",
               "--hottest-id-share", "0.4", *INDEX, "--emit", "cli", status=1)
    check("and it is said why", not done.stdout and "one id" in done.stderr, done.stderr)


def signals():
    """Where nothing is half-done, a signal ends the tool, whatever it waits for."""
    for each in (signal.SIGINT, signal.SIGTERM):
        process = start("shard", *LAYOUT)
        process.stdin.write("person\n" * 5000)  # more than it keeps before it prints
        process.stdin.flush()
        check("it reads and prints", process.stdout.read(1) == "p")
        process.send_signal(each)
        check("a signal ends shard", process.wait(timeout=30) == -each, process.returncode)
        process.stdin.close()
        process.stdout.close()
        process.stderr.close()


def start_up():
    times = []
    for _ in range(20):
        started = time.perf_counter()
        tool("--version")
        times.append((time.perf_counter() - started) * 1000)
    times.sort()
    print("      start to end of `evenkey --version`, 20 runs: median %.1f ms, %.1f to %.1f ms" % (
        times[10], times[0], times[-1]))


for part in (usage, before_any_request, shards, spreads, plans, emits, signals, start_up):
    part()
finish()
