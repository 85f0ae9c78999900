# SPDX-License-Identifier: BSL-1.0
"""What the command-line tool does without a table: usage, shards, spread, plans and what they print for Terraform,
CDK and AWS's command line (golden texts in tests/golden/plan). UPDATE_GOLDEN=1 writes these anew.

usage: tool_plan_test.py PATH_OF_EVENKEY
"""
import json
import os
import pathlib
import time

from tool_support import LAYOUT, check, finish, report, run, tool

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
    done = run("help", "--help")
    check("all commands in --help", all(each in done.stdout for each in COMMANDS))
    for wrong in ([], ["nonsense"], ["shard"], ["shard", "--prefix", "x", "--shards", "0", "a"],
                  ["shard", *LAYOUT, "--hash", "md5", "a"], ["drift", *LAYOUT], ["plan", "--emit", "yaml"],
                  ["plan", *LOAD, "--emit", "cdk"], ["plan", *LOAD, "--ids", "-", "--distinct-ids", "3"]):
        done = run("usage: %s" % wrong, *wrong, status=2, stdin="a\n")
        check("usage: %s: nothing on stdout" % wrong, not done.stdout, done.stdout)


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
    one_line("a load below zero", "plan", "--writes", "-1")
    one_line("a target of zero", "plan", *LOAD, "--target", "0")
    one_line("a load that is no number", "plan", "--writes", "nan")


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


def start_up():
    times = []
    for _ in range(20):
        started = time.perf_counter()
        tool("--version")
        times.append((time.perf_counter() - started) * 1000)
    times.sort()
    print("      start to end of `evenkey --version`, 20 runs: median %.1f ms, %.1f to %.1f ms" % (
        times[10], times[0], times[-1]))


for part in (usage, shards, spreads, plans, emits, start_up):
    part()
finish()
