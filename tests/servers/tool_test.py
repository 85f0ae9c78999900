# SPDX-License-Identifier: BSL-1.0
"""The command-line tool against a server: every command, and a live table moved by two hosts at once, aborted
half-way, moved again and moved back, while hosts are killed at random moments and writers and readers go on. Needs
nothing but Python; AWS_ENDPOINT_URL names the server, SEED repeats the kills.

usage: tool_test.py PATH_OF_EVENKEY
"""
import json
import os
import signal
import subprocess
import threading
import time

from tool_support import (LAG, LAYOUT, RANDOM, SEED, TOOL, Misbehaving, call, check, crc, create, failures, fill, finish,
                          forward, index_definition, item, names_of, report, run, scan, start, states, tool)

TABLE = "tool-%d-%d" % (os.getpid(), SEED)
NAMES = names_of(TABLE)


def bad_input():
    def one_line(what, *arguments, env=None, status=1, names=""):
        done = run(what, *arguments, env=env, status=status)
        check(what + ": one line that names it", done.stderr.count("\n") == 1 and names in done.stderr, done.stderr)
        for secret in ("the-secret", "AKIATHEKEY"):
            check(what + ": no credentials", secret not in done.stderr + done.stdout)

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
    done = report("rows without the id, in JSON", "drift", *other, status=1)
    check("they would vanish with the source", done.get("stranded") == 1 and done.get("regressed") == 0, done)
    run("a backfill without drained writers", "backfill", *NAMES, "--execute", status=1)
    run("a time that is none", "backfill", *NAMES, "--execute", "--writers-drained-at", "yesterday", status=2)
    run("a damaged token", "read", *NAMES, "--token", "nonsense", status=2)
    run("no assumption of visibility", "advance", "dual_read", *NAMES, status=2)
    for each in (["rollback", *NAMES, *LAG], ["rollback", *NAMES, *LAG, "--execute"]):
        one_line("nothing was begun", *each, names="nothing to roll back")
    check("and nothing is stored by all this", not states(TABLE), states(TABLE))


class Live:
    """Writers that create rows as instances of a phase, and readers that list them by the tool."""

    def __init__(self):
        self.lock = threading.Lock()
        self.key, self.read_phase, self.back = "RenewalSaga", "source", []
        self.committed, self.made, self.reads, self.stop = set(), 100000, 0, False
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


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class Hosts:
    """Processes that share a backfill; any can be killed, and is then started again under another name."""

    def __init__(self, names, back, drained, count=2, lease_ms=400, units=600):
        self.command = [TOOL, "backfill", *names, *back, "--execute", "--writers-drained-at", drained, "--page-limit",
                        "20", "--index-write-units", str(units), "--hosts", str(count), "--lease-ms", str(lease_ms),
                        "--json"]
        self.kills = 0
        self.processes = [self.start() for _ in range(count)]

    def start(self):
        return subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def kill(self, number, signal=None):
        """@returns whether it was still running"""
        process = self.processes[number]
        process.send_signal(signal or RANDOM.choice([9, 9, 15]))
        process.communicate()
        return process.returncode != 0

    def kill_some(self, most):
        """Kills at random moments, until so many were killed or one has come to its end by itself."""
        while self.kills < most:
            time.sleep(RANDOM.uniform(0.02, 0.5))
            if any(each.poll() is not None for each in self.processes):
                return
            number = RANDOM.randrange(len(self.processes))
            if self.kill(number):
                self.kills += 1
                self.processes[number] = self.start()

    def end(self, what):
        """Waits for all that were not killed for good; each must say that all is finished."""
        reports = []
        for process in self.processes:
            out, err = process.communicate(timeout=110)
            if process.returncode < 0:  # killed for good
                continue
            check(what + " ends well", process.returncode == 0, "%s %s" % (out, err))
            if process.returncode == 0:
                reports.append(json.loads(out))
                check(what + " is finished", reports[-1]["finished"] is True, out)
        check(what + ": some host ends", reports)
        return reports


def moved_by_hosts(what, back, drained):
    hosts = Hosts(NAMES, back, drained)
    hosts.kill_some(10)
    reports = hosts.end(what)
    print("      %s by two hosts: killed %d times, %d rows moved by all" % (
        what, hosts.kills, max([each["moved_by_all_runs"] for each in reports] or [0])))


def killed_backfill(back, drained):
    """One host alone: runs the backfill again and again, killing it at random moments, until one run ends."""
    kills = 0
    command = [TOOL, "backfill", *NAMES, *back, "--execute", "--writers-drained-at", drained, "--page-limit", "20",
               "--index-write-units", "600", "--json"]
    while True:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = process.communicate(timeout=RANDOM.uniform(0.02, 0.6) if kills < 8 else 110)
        except subprocess.TimeoutExpired:
            process.send_signal(RANDOM.choice([9, 15]))
            out, err = process.communicate()
            if process.returncode != 0:
                kills += 1
                continue
        check("the backfill ends well", process.returncode == 0, err)
        done = json.loads(out)
        check("the backfill is finished", done["finished"] is True, out)
        print("      backfill%s by one host: killed %d times, %d rows moved by all runs" % (
            " of the way back" if back else "", kills, done["moved_by_all_runs"]))
        return


def step(what, *arguments):
    dry = report(what + ", dry run", *arguments, *NAMES, *LAG)
    check(what + " is allowed", dry.get("allowed") is True and dry.get("dry_run") is True, dry.get("reasons"))
    done = report(what, *arguments, *NAMES, *LAG, "--execute")
    check(what + " is taken", done.get("allowed") is True, done.get("reasons"))


def go_forward(live):
    """From the source to destination_writes, deployed. @returns since when writers are drained"""
    live.deploy("source", "RenewalSaga", [])
    step("to dual_read", "advance", "dual_read")
    live.deploy("dual_read", "RenewalSaga", [])
    step("to destination_writes", "advance", "destination_writes")
    live.deploy("destination_writes", "sharded", [])
    time.sleep(1.1)  # a later second than any before: the backfill then begins anew
    return now()


def migration():
    fill(TABLE, [item(number, "RenewalSaga") for number in range(600)])
    check("preflight", report("preflight", "preflight", *NAMES)["ready"] is True)
    dry = report("backfill, dry run", "backfill", *NAMES, "--hosts", "2")
    check("all rows are to move", dry["to_move"] == 600 and dry["moved"] == 0)
    check("a dry run writes nothing", report("drift before", "drift", *NAMES, status=1)["on_source"] == 600)
    status = report("status", "status", *NAMES)
    check("status at first", status["stands_in"] == "source" and status["layout"] == "not recorded" and
          status["backfill"] == "none" and status["rows_left"] == 600, status)
    done = report("a phase cannot be skipped", "advance", "destination_writes", *NAMES, *LAG, "--execute", status=1)
    check("why not", done["allowed"] is False and done["reasons"])

    live = Live()
    try:
        live.committed.update("row-%05d" % number for number in range(600))
        drained = go_forward(live)
        done = report("not before it is proven", "advance", "destination", *NAMES, *LAG, "--execute",
                      "--writers-drained-at", drained, status=1)
        check("why it is not proven", any("on the source" in each for each in done["reasons"]), done["reasons"])
        status = report("status before the backfill", "status", *NAMES)
        check("the source's layout is recorded", "unsharded" in status["layout"], status["layout"])

        # Two hosts begin, and all is given up half-way.
        hosts = Hosts(NAMES, [], drained, units=300)
        hosts.kill_some(RANDOM.randint(1, 3))
        for _ in range(400):  # a host that is killed as it starts has moved nothing
            begun = report("status while rows move", "status", *NAMES)["backfill"]
            if begun != "none" and begun["moved"]:
                break
            time.sleep(0.02)
        for number in range(2):
            hosts.kill(number, 9)
        status = report("status half-way", "status", *NAMES)
        check("the leases are shown", len(status["backfill"]["leases"]) == 16 and
              any(each["token"] for each in status["backfill"]["leases"]), status["backfill"])
        print("      given up when %d rows were moved, %d left" % (status["backfill"]["moved"],
                                                                    status["rows_left_at_least"]))
        time.sleep(0.1)  # until the last moved row shows: --visible-within-ms
        live.deploy("dual_read", "sharded", ["--back"])
        step("turn back", "rollback")
        live.deploy("destination_writes", "RenewalSaga", ["--back"])
        run("no mover of the way there now", "backfill", *NAMES, "--execute", "--writers-drained-at", drained, status=1)
        time.sleep(0.1)
        drained = now()
        moved_by_hosts("the abort", ["--back"], drained)
        time.sleep(0.1)
        step("back to the source", "rollback", "--writers-drained-at", drained)
        live.deploy("destination", "RenewalSaga", ["--back"])
        status = report("status after the abort", "status", *NAMES)
        check("it stands in the source", status["stands_in"] == "source" and "unsharded" in status["layout"], status)

        # Forward, to the end.
        drained = go_forward(live)
        moved_by_hosts("the move", [], drained)
        check("drift is clean", report("drift", "drift", *NAMES)["clean"] is True)
        check("parity is identical", report("parity", "parity", *NAMES)["identical"] is True)
        step("to destination", "advance", "destination", "--writers-drained-at", drained)
        live.deploy("destination", "sharded", [])
        status = report("status at the end", "status", *NAMES)
        check("all is over", status["rows_left"] == 0 and status["backfill"]["finished"] is True and
              "unsharded" not in status["layout"] and
              all(each["state"] == "finished" for each in status["backfill"]["leases"]), status)
        check("watch is quiet", report("watch", "watch", *NAMES)["quiet"] is True)
        late = item(99999, "RenewalSaga")
        call("PutItem", {"TableName": TABLE, "Item": late})
        check("a late row is seen", report("watch", "watch", *NAMES, status=1)["late"] == 1)
        check("and moved", report("watch", "watch", *NAMES, "--execute", status=1)["moved"] == 1)
        check("then it is quiet", report("watch", "watch", *NAMES)["quiet"] is True)

        # And back again, from the last phase, by one host.
        step("back to dual_read", "rollback")
        live.deploy("dual_read", "sharded", ["--back"])
        step("back to destination_writes", "rollback")
        live.deploy("destination_writes", "RenewalSaga", ["--back"])
        time.sleep(1.1)
        drained = now()
        time.sleep(0.1)
        killed_backfill(["--back"], drained)
        step("back to the source", "rollback", "--writers-drained-at", drained)
        live.deploy("destination", "RenewalSaga", ["--back"])
        status = report("status at last", "status", *NAMES)
        check("it stands where it began", status["stands_in"] == "source", status)
        done = report("nothing is left to go back", "rollback", *NAMES, *LAG)
        check("it says so", done["stands_in"] == "destination", done)
    finally:
        live.stop = True
        for each in live.threads:
            each.join()
    print("      %d reads by the tool while rows moved" % live.reads)
    check("rows were read while they moved", live.reads > 10)
    check("no row was lost", live.committed <= {row["id"]["S"] for row in scan(TABLE)})


def advanced(names):
    for phase in ("dual_read", "destination_writes"):
        report("to " + phase, "advance", phase, *names, *LAG, "--execute")


def hosts():
    """What hosts do among themselves, on a table without traffic."""
    table = TABLE + "-h"
    names = names_of(table)
    create(table)
    fill(table, [item(number, "RenewalSaga") for number in range(300)])
    advanced(names)
    before = states(table)
    for shared in ([], ["--hosts", "2"]):
        run("since when is it safe", "backfill", *names, "--execute", *shared, status=2)
    check("nothing is settled by what was refused", states(table) == before, states(table))
    # One is killed for good while it holds a segment; the other goes on with what it left.
    crew = Hosts(names, [], now(), units=100)
    for _ in range(200):
        leases = report("status", "status", *names)["backfill"]
        if leases != "none" and sum(each["state"] == "held" for each in leases["leases"]) == 2:
            break
        time.sleep(0.01)
    crew.kill(0, 9)
    done = crew.end("the one that is left")
    check("it moves what the other left", done and done[0]["moved_by_all_runs"] >= 300 - 20, done)
    check("all rows are where they belong", report("drift", "drift", *names)["clean"] is True)
    done = report("again there is nothing to do", "backfill", *names, "--execute", "--host", "late")
    check("it says that all is finished", done["finished"] and done["moved"] == 0, done)
    done = run("other segments are refused", "backfill", *names, "--execute", "--hosts", "2", "--segments", "3", status=1)
    check("and it is said what to do", "--restart" in done.stderr and "16" in done.stderr, done.stderr)
    before = states(table)
    tomorrow = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86400))
    for wrong in ([], ["--writers-drained-at", tomorrow], ["--writers-drained-at", now(), "--read-units", "0"]):
        run("not begun anew: %s" % wrong[:1], "backfill", *names, "--execute", "--hosts", "2", "--restart", *wrong,
            status=2)
    check("nothing is forgotten by what was refused", len(before) > 16 and states(table) == before)
    done = report("begun anew", "backfill", *names, "--execute", "--hosts", "2", "--segments", "3", "--restart",
                  "--writers-drained-at", now())
    check("with other segments", done["finished"] and done["scanned"] == 300, done)
    check("which all hosts now share", len(report("status", "status", *names)["backfill"]["leases"]) == 3)

    # A mover that outlives the turn to the way back ends by itself.
    for row in scan(table):
        call("UpdateItem", {"TableName": table, "Key": {"id": row["id"]}, "UpdateExpression": "SET gsi_pk = :p",
                            "ExpressionAttributeValues": {":p": {"S": "RenewalSaga"}}})
    time.sleep(1.1)
    late = subprocess.Popen([TOOL, "backfill", *names, "--execute", "--writers-drained-at", now(), "--hosts", "2",
                             "--page-limit", "2", "--index-write-units", "20", "--lease-ms", "400"],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(500):
        held = [each for each in report("status", "status", *names)["backfill"]["leases"] if each["state"] == "held"]
        if held:
            break
        time.sleep(0.01)
    turn = run("turn back", "rollback", *names, *LAG, "--execute")
    check("whoever still moves is named", held and held[0]["host"] in turn.stderr, turn.stderr)
    out, err = late.communicate(timeout=60)
    check("the late mover ends", late.returncode == 1 and "end this mover" in err, err)
    call("DeleteTable", {"TableName": table})


def late_movers():
    """A mover that outlives the turn ends between two rows, not after a page of many."""
    for name, hosts in (("alone", []), ("shared", ["--host", "late"])):
        table = TABLE + "-" + name
        names = names_of(table)
        create(table)
        fill(table, [item(number, "RenewalSaga") for number in range(60)])
        advanced(names)
        late = start("backfill", *names, "--execute", "--writers-drained-at", now(), "--page-limit", "100",
                     "--segments", "1", "--index-write-units", "2", "--lease-ms", "400", *hosts)

        def moved():
            return sum(row["gsi_pk"]["S"] != "RenewalSaga" for row in scan(table))

        while not moved() and late.poll() is None:
            time.sleep(0.01)
        run("turn back", "rollback", *names, *LAG, "--execute")
        out, err = late.communicate(timeout=100)
        check("the late mover ends, " + name, late.returncode == 1 and "end this mover" in err and not out, err)
        check("with one line, " + name, err.count("\n") == 1, err)
        check("between two rows, " + name, 0 < moved() < 60, moved())
        status = report("status", "status", *names, "--back")["backfill_of_the_way_back"]
        check("no row failed by it, " + name, status["failed"] == 0 and not status["finished"], status)
        call("DeleteTable", {"TableName": table})


def stopped_watch():
    """A watch that is stopped has proven nothing: between two polls it says how far it came, in one with an error."""
    table = TABLE + "-w"
    create(table)
    polled = threading.Event()

    def answer(operation, body):
        made = forward(operation, body)
        if operation == "Query":
            polled.set()
        return made

    with Misbehaving(answer) as server:
        for pause in (0, 0.02, 0.1, 0.5, 2, 10):
            polled.clear()
            watch = start("watch", *names_of(table), "--endpoint-url", server.url, "--polls", "100", "--interval-ms",
                          "3600000", "--json")
            check("it polls", polled.wait(timeout=60))
            time.sleep(pause)  # until the poll has ended, at last
            watch.send_signal(signal.SIGINT)
            out, err = watch.communicate(timeout=60)
            check("a stopped watch is no proof", watch.returncode == 1 and err.count("\n") == 1, (out, err))
            if out:
                break
    done = json.loads(out or "{}")
    check("it was quiet, and not whole", done.get("quiet") is True and done.get("whole") is False and
          done.get("polls") == 1 and "stopped after 1 of 100" in err, (out, err))
    call("DeleteTable", {"TableName": table})


def faults():
    """Answers are lost, cut, or damaged on the way, after the server did what was asked: each run ends with one line,
    and the next goes on."""
    table = TABLE + "-f"
    names = names_of(table)
    create(table)
    fill(table, [item(number, "RenewalSaga") for number in range(200)])
    advanced(names)
    drained = now()
    lock = threading.Lock()
    rate = 0.0

    def answer(operation, body):
        made = forward(operation, body)
        with lock:
            fault = RANDOM.random() < rate
            kind = RANDOM.choice(["hang", "drop", "half", "crc", "html", "busy"])
        if not fault:
            return made
        if kind == "half":
            return "half", made
        if kind == "crc":
            return made[0], crc(made[2], 1), made[2]
        if kind == "html":
            return 502, {}, b"<html>Bad gateway</html>"
        if kind == "busy":
            return 500, {}, b'{"__type":"x#InternalServerError","message":"try again"}'
        return kind

    ended, unfinished = False, 0
    with Misbehaving(answer) as server:
        through = [*names, "--endpoint-url", server.url, "--timeout-ms", "150", "--max-attempts", "2", "--segments", "2",
                   "--page-limit", "10"]
        for number in range(60):
            rate = 0.5 if number < 12 else 0.0
            hosts = ["--host", "host-%d" % number, "--lease-ms", "100"] if number % 2 else []
            done = tool("backfill", *through, *hosts, "--execute", "--writers-drained-at", drained,
                        env={"AWS_SECRET_ACCESS_KEY": "the-secret"})
            check("no credentials", "the-secret" not in done.stdout + done.stderr)
            if done.returncode == 0:
                ended = True
                break
            unfinished += 1
            check("ends with status 1", done.returncode == 1, done.returncode)
            check("with one line, or a report", done.stderr.count("\n") == 1 or "end: " in done.stdout, done.stderr)
    print("      a backfill among faults: %d runs ended unfinished, %d requests" % (unfinished, server.requests))
    check("it came to its end", ended)
    rows = scan(table)
    check("no row is lost", len(rows) == 200, len(rows))
    check("all rows are where they belong", report("drift", "drift", *names)["clean"] is True)
    check("and in the index", report("parity", "parity", *names)["identical"] is True)
    call("DeleteTable", {"TableName": table})


def second_index():
    table = TABLE + "-s"
    create(table, indexes=[index_definition("by-type", "gsi_pk", "gsi_sk"),
                           index_definition("by-shard", "gsi2_pk", "gsi_sk")])
    fill(table, [item(number, "RenewalSaga") for number in range(120)])
    names = names_of(table)
    names[3] = "by-shard"
    both = [*names, "--second-index"]
    dry = report("dry run", "backfill", *both)
    check("all rows are to be stamped", dry["to_move"] == 120 and dry["moved"] == 0, dry)
    advanced(both)
    drained = now()
    done = report("the second index is filled", "backfill", *both, "--execute", "--writers-drained-at", drained,
                  "--host", "one")
    check("every row is stamped once", done["moved"] == 120 and done["finished"], done)
    check("drift of a second index", report("drift", "drift", *both)["clean"] is True)
    check("parity of a second index", report("parity", "parity", *both)["identical"] is True)
    report("to destination", "advance", "destination", *both, "--execute", "--writers-drained-at", drained)
    status = report("status of a second index", "status", *both)
    check("it stands in destination", status["stands_in"] == "destination" and "RenewalSaga" in status["layout"], status)
    read = report("read it", "read", *both)
    check("all rows are read", len({each["id"]["S"] for each in read["items"]}) == 120)
    check("the old index is as it was", len(report("read the old one", "read", *names_of(table), "--phase", "source")[
        "items"]) == 120)
    for wrong in (["rollback", *both, *LAG], ["watch", *both], ["drift", *both, "--back"],
                  ["backfill", *both, "--from", "x"], ["read", *both, "--phase", "source"]):
        done = run("not with a second index: " + wrong[0], *wrong, status=2)
        check("and why", "--second-index" in done.stderr, done.stderr)
    call("DeleteTable", {"TableName": table})


def next_migration():
    """A finished migration's record is where the next one begins: 4 shards, then 3 of a new generation."""
    table = TABLE + "-x"
    create(table)
    fill(table, [item(number, "RenewalSaga") for number in range(40)])
    first = names_of(table)

    def move(names):
        time.sleep(0.1)
        drained = now()
        done = report("the move", "backfill", *names, "--execute", "--writers-drained-at", drained)
        check("every row moves", done["finished"] and done["moved"] == 40, done)
        report("to destination", "advance", "destination", *names, *LAG, "--execute", "--writers-drained-at", drained)

    at = first.index("--shards")
    second = [*first[:at], "--shards", "3", *first[at + 2:], "--generation", "2", "--from", "RenewalSaga",
              "--from-shards", first[at + 1]]
    advanced(first)
    done = run("not before the first has ended", "advance", "dual_read", *second, *LAG, "--execute", status=1)
    check("and why", "of another migration" in done.stderr + done.stdout, done.stderr)
    move(first)
    status = report("the next one", "status", *second)
    check("it stands in source", status["stands_in"] == "source" and status["rows_left"] == 40, status)
    done = report("nothing to go back", "rollback", *second, *LAG)
    check("it has not begun", done["stands_in"] == "destination", done)
    advanced(second)
    move(second)
    run("the first is over", "status", *first, status=1)
    listed = report("all rows by the next one", "read", *second)
    check("all rows are read", len({each["id"]["S"] for each in listed["items"]}) == 40)
    call("DeleteTable", {"TableName": table})


def paging():
    token, ids = "", []
    while True:
        page = report("a page", "read", *NAMES, "--phase", "source", "--limit", "170", "--descending",
                      *(["--token", token] if token else []))
        ids += [each["id"]["S"] for each in page["items"]]
        token = page["next_token"]
        if not token:
            break
    token = report("a page", "read", *NAMES, "--phase", "source", "--limit", "20")["next_token"]
    for wrong in (["--descending"], ["--id", "person-5"], ["--sk-from", "t001"]):
        done = run("a token of another query: %s" % wrong[0], "read", *NAMES, "--phase", "source", "--token", token,
                   *wrong, status=2)
        check("it is told in one line", done.stderr.count("\n") == 1 and "token" in done.stderr, done.stderr)
    whole = report("the whole list", "read", *NAMES, "--phase", "source")
    check("pages make the whole", ids == [each["id"]["S"] for each in reversed(whole["items"])])
    def sort_keys(what, *arguments):
        listed = report(what, "read", *NAMES, "--phase", "source", *arguments)["items"]
        return [each["gsi_sk"]["S"] for each in listed]

    every = [each["gsi_sk"]["S"] for each in whole["items"]]
    check("a range, both ends in it", sort_keys("a range", "--sk-from", "t010", "--sk-to", "t012") ==
          [key for key in every if "t010" <= key <= "t012"])
    check("what begins so, from the end", sort_keys("a prefix", "--sk-begins-with", "t04", "--descending") ==
          [key for key in reversed(every) if key.startswith("t04")])
    check("from a key on", sort_keys("from on", "--sk-from", "t049") == [key for key in every if key >= "t049"])
    run("one or the other", "read", *NAMES, "--sk-begins-with", "t", "--sk-to", "t1", status=2)
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
    some = report("a range of numbers", "read", *names, "--sk-from", "-3", "--sk-to", "4", "--descending")
    check("both ends are in it", [int(each["gsi_sk"]["N"]) for each in some["items"]] == list(range(4, -4, -1)))
    run("a bound that is no number", "read", *names, "--sk-from", "x", status=2)
    run("a number has no beginning", "read", *names, "--sk-begins-with", "1", status=2)
    check("drift of numbers", report("drift", "drift", *names)["clean"] is True)
    call("DeleteTable", {"TableName": table})


def streams():
    """What the server itself tells of a table with a stream, for preflight."""
    table = TABLE + "-p"
    create(table, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
           indexes=[index_definition("by-type", "gsi_pk", "gsi_sk"), index_definition("other", "other", "gsi_sk")])
    seen = report("preflight of a stream", "preflight", *names_of(table))
    check("the other index is written", seen["other_indexes_written"] == ["other"] and seen["writes_of_a_move"] == 4, seen)
    told = "StreamSpecification" in call("DescribeTable", {"TableName": table})["Table"]
    check("the stream is told where the server tells it", bool(seen["stream"]) == told, seen)
    print("      streams: %s" % ("told" if told else "this server does not tell of them"))
    call("DeleteTable", {"TableName": table})


create(TABLE)
try:
    fill(TABLE, [item(1, "RenewalSaga")])
    for part in (bad_input, migration, paging, numbers, hosts, late_movers, stopped_watch, faults, second_index,
                 next_migration, streams):
        part()
finally:
    call("DeleteTable", {"TableName": TABLE})
finish()
