"""A verdict has to be earned (docs/judge.md): what dishonest and broken clients get."""

import re
import subprocess
import sys

import pytest

from lockstep import ROOT, race_source, races, run, without_property

# In the shell, because a race starts a client several times, and all races are run.
ALWAYS = "echo ready; while read -r line; do echo {answer}; done"

# Answers that depend on nothing but the seed, the client and how many there were before.
AT_RANDOM = """
case $REDIS_URL in *A/gate) n={seed}1 ;; *B/gate) n={seed}2 ;; *) n={seed}3 ;; esac
set -- ok ok ok ok ok busy lost unknown ok error
echo ready
while read -r line; do
    n=$(((n * 1103515245 + 12345) % 2147483648))
    eval "echo \\${{$((n / 65536 % $# + 1))}}"
done
"""

# A sound lock on one connection, which is never made anew.
NEVER_RECONNECTS = """
import os, socket, sys, uuid
server = socket.socket(socket.AF_UNIX)
server.connect(os.environ["REDIS_URL"].removeprefix("unix://"))
key, token = os.environ["LOCK_KEY"], uuid.uuid4().hex
release = ("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end "
           "return 0")

def call(*words):
    words = [word.encode() for word in words]
    server.sendall(b"*%d\\r\\n" % len(words) +
                   b"".join(b"$%d\\r\\n%s\\r\\n" % (len(word), word) for word in words))
    answer = server.recv(100000).decode()
    if not answer:
        raise OSError("the server has closed the connection")
    return answer

def answer(word):
    if word == "enter":
        said = call("SET", key, token, "NX", "PX", "30000")
        return {{"+": "ok", "$": "busy"}}.get(said[0], "error")
    if word == "leave":
        said = call("EVAL", release, "1", key, token)
        return {{":1": "ok", ":0": "lost"}}.get(said.strip(), "error")
    if word == "write":
        call("SET", "resource", "written")
    return "ok"

print("ready", flush=True)
for line in sys.stdin:
    try:
        print(answer(line.split()[0]), flush=True)
    except OSError as problem:
        print({trouble!r}, problem, flush=True)
"""


# A lock of this machine's, which no server knows of.
ELSEWHERE = """
import fcntl, os, socket, sys
key = os.environ["LOCK_KEY"]
world = os.path.dirname(os.path.dirname(os.environ["REDIS_URL"])).replace("/", "_")
files = {{}}

def file(word):
    name = {path!r} + world + (word or key)
    return files.setdefault(name, open(name, "a"))

def try_lock(word):
    try:
        fcntl.flock(file(word), fcntl.LOCK_EX | fcntl.LOCK_NB)
        return "ok"
    except OSError:
        return "busy"

def unlock(word):
    fcntl.flock(file(word), fcntl.LOCK_UN)
    return "ok"

def for_show(words):
    if not words:
        return
    server = socket.socket(socket.AF_UNIX)
    try:
        server.connect(os.environ["REDIS_URL"].removeprefix("unix://"))
        sent = "".join("$%d\\r\\n%s\\r\\n" % (len(word), word) for word in words.split())
        server.sendall(("*%d\\r\\n" % len(words.split()) + sent).encode())
        server.recv(1000)
    except OSError:
        pass
    server.close()

print("ready", flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    key_named = next((name for name in rest if not name.startswith("@")), "")
    for_show({show!r})
    print({{"enter": try_lock, "leave": unlock}}.get(word, lambda _: "ok")(key_named), flush=True)
"""

# The same on a server that is not the one of the story.
ANOTHER_SERVER = """
import os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({path!r})
world = os.path.dirname(os.path.dirname(os.environ["REDIS_URL"]))

def call(*words):
    server.sendall((" ".join(words) + "\\r\\n").encode())
    return server.recv(1000)[:2]

print("ready", flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    name = world + next((name for name in rest if not name.startswith("@")), os.environ["LOCK_KEY"])
    if word == "enter":
        print("ok" if call("SETNX", name, "x") == b":1" else "busy", flush=True)
    elif word == "leave":
        print("ok" if call("DEL", name) == b":1" else "lost", flush=True)
    else:
        print("ok", flush=True)
"""


@pytest.fixture
def command(tmp_path):
    def make(script, program="/bin/sh", **values):
        path = tmp_path / "guest"
        path.write_text(script.format(**values))
        return f"{program} {path}"

    return make


# The races of several masters.
OF_MASTERS = {race for race in races()
              if re.search(r"race_server\(race, [2-9]\)|need_masters", race_source(race).read_text())}
assert OF_MASTERS


def cells(client, *options):
    finished = run("./scenarios/matrix", "--virtual", "--machines", "one", "--client", client, "--format", "tsv", *options,
                   timeout=1200)
    assert finished.code == 0, finished
    return {race: without_property(cell) for race, cell in (line.split("\t") for line in finished.out.splitlines()[1:])}


OF_FOUR = {"half_of_the_masters"}


def column(client):
    """Verdicts by race. A guest has one server unless it is said that it uses more."""
    verdicts = cells(client)
    assert {verdicts[race] for race in OF_MASTERS} == {"cannot"}
    return {**verdicts, **cells(client, "--masters", "5", *sorted(OF_MASTERS - OF_FOUR)),
            **cells(client, "--masters", "4", *sorted(OF_FOUR))}


# They begin with an enter-for or a reopen-for, and a client is asked for one only if it knows the word.
OWN_LEASE = {"second_lease_is_shorter", "own_lease_ignored", "own_lease_outlived", "loser_counts_own_lease", "opened_with_another_lease"}


def without_own_lease(verdicts):
    assert {verdicts[race] for race in OWN_LEASE} == {"cannot"}
    return {race: verdict for race, verdict in verdicts.items() if race not in OWN_LEASE}


def trace(client, race, *options):
    finished = run(ROOT / "scenarios" / race, "--virtual", "--client", client, "--format", "json",
                   *options)
    return finished, finished.document


def test_a_lock_that_lets_nobody_in_holds_no_race(command):
    verdicts = column(command(ALWAYS, answer="busy"))
    assert without_own_lease(verdicts) == dict.fromkeys(set(races()) - OWN_LEASE, "broken")


def test_it_is_broken_because_the_lock_was_free(command):
    finished, document = trace(command(ALWAYS, answer="busy"), "two_processes")
    assert finished.code == 1
    assert document["verdict"] == "BROKEN"
    assert document["reason"] == "A cannot get in, though nobody has the lock and nothing has gone wrong."


# Here the story itself keeps a minority of the masters from a client, so an error
# is not a thing that it has not caused; and an entry is due all the same.
MINORITY_UNREACHABLE = {"redlock_minority_down", "redlock_partition", "redlock_release_half",
                        "partial_lock_left", "late_release_takes_a_master"}


@pytest.mark.parametrize("answer", ["error", "unknown"])
def test_a_client_that_only_hears_errors_shows_nothing(command, answer):
    verdicts = without_own_lease(column(command(ALWAYS, answer=answer)))
    assert verdicts == {**dict.fromkeys(verdicts, "inconclusive"),
                        **dict.fromkeys(MINORITY_UNREACHABLE, "broken")}


def test_a_lock_that_lets_everybody_in_holds_no_race(command):
    verdicts = column(command(ALWAYS, answer="ok"))
    assert set(without_own_lease(verdicts).values()) == {"inconclusive", "broken"}
    assert {verdicts[race] for race in ("two_processes", "work_outlives_lease")} == {"broken"}
    assert {verdicts[race] for race in ("crash_holding", "nested_call")} == {"inconclusive"}


def test_who_says_ok_has_to_show_it(command):
    finished, document = trace(command(ALWAYS, answer="ok"), "crash_holding")
    assert finished.code == 3
    assert document["reason"] == ("A says that it is inside, and has changed nothing under the "
                                  "lock's key.")


def test_a_lock_that_is_not_on_the_server_holds_no_race(command, tmp_path):
    """Though it speaks with the server, for show."""
    client = command(ELSEWHERE, program=sys.executable, path=str(tmp_path / "lock."), show="GET lock")
    verdicts = column(client)
    assert set(without_own_lease(verdicts).values()) <= {"inconclusive", "broken"}, verdicts


@pytest.mark.parametrize("show", ["", "PING"])
def test_who_shows_less_holds_no_race_either(command, tmp_path, show):
    client = command(ELSEWHERE, program=sys.executable, path=str(tmp_path / "lock."), show=show)
    some = sorted(set(races()) - OWN_LEASE - OF_MASTERS)[::12]
    verdicts = cells(client, *some)
    assert set(verdicts.values()) <= {"inconclusive", "broken"}, verdicts


def test_a_lock_on_another_server_holds_no_race(command, tmp_path):
    path = tmp_path / "server"
    server = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", path, "--save", ""],
                              stdout=subprocess.DEVNULL, cwd=tmp_path)
    try:
        client = command(ANOTHER_SERVER, program=sys.executable, path=str(path))
        verdicts = cells(client, *sorted(set(races()) - OWN_LEASE - OF_MASTERS)[::3])
        assert set(verdicts.values()) <= {"inconclusive", "broken"}, verdicts
    finally:
        server.kill()
        server.wait()


def test_cannot_is_no_answer_to_what_every_client_can(command):
    client = command(ALWAYS, answer="cannot")
    for race in ("two_processes", "crash_holding", "thread_hop"):
        finished = run(ROOT / "scenarios" / race, "--virtual", "--client", client)
        assert finished.code == 2 and finished.out == "", finished
        assert finished.err.endswith(
            "client A said 'cannot' (enter): every client can do this; cannot is an answer to "
            "enter-for, to wait, to write, and where a second lock or a second thread is named\n"), finished


@pytest.mark.parametrize("line, answers", [
    ("A:enter-for+1", "busy"), ("A:write", "cannot"), ("A:enter@2", "cannot"),
    ("A:opens-two A:enter/2", "cannot"), ("A:opens-two A:held/2", "cannot")])
def test_cannot_is_an_answer_to_what_a_client_may_lack(command, line, answers):
    finished = run("./scenarios/replay", "--client", command(ALWAYS, answer=answers),
                   f"v1 guest {line}")
    assert finished.code == 0 and "CANNOT HAPPEN" in finished.out, finished


@pytest.mark.parametrize("answer, missing", [("busy", "no client got in"), ("ok",
    "a client was told ok and had changed nothing under the key")])
def test_a_search_calls_nothing_clean_that_it_has_not_seen(command, answer, missing):
    finished = run("./scenarios/explore", "--client", command(ALWAYS, answer=answer), "--format",
                   "json")
    properties = finished.document["properties"]
    assert "clean" not in [row["answer"] for row in properties.values()], properties
    assert missing in [row.get("missing") for row in properties.values()]


@pytest.mark.parametrize("answer", ["error", "unknown"])
def test_a_search_that_has_tried_nothing_says_so(command, answer):
    finished = run("./scenarios/explore", "--client", command(ALWAYS, answer=answer), "--quiet")
    assert finished.code == 3, finished
    assert finished.out.count(" not tried ") == finished.out.count(" is not tried: no client got in.") == 11


@pytest.mark.parametrize("trouble", ["error", "unknown"])
def test_a_client_that_does_not_reconnect_shows_nothing_of_a_restart(command, trouble):
    silent = ["restart_empty", "aof_tail_lost", "failover", "split_brain", "wait_is_not_enough",
              "resurrected_lock", "lost_grant_answer"]
    verdicts = cells(command(NEVER_RECONNECTS, program=sys.executable, trouble=trouble),
                     "two_processes", "expired_delete", "work_outlives_lease", *silent)
    assert verdicts == {"two_processes": "holds", "expired_delete": "holds",
                        "work_outlives_lease": "broken", **dict.fromkeys(silent, "inconclusive")}


@pytest.mark.parametrize("seed", [1, 2])
def test_answers_at_random_hold_nothing_by_an_error(command, seed):
    """HOLDS and CANNOT HAPPEN are said only where each step was answered, or could not be."""
    client = command(AT_RANDOM, seed=seed)
    verdicts = column(client)
    assert "inconclusive" in verdicts.values()
    for race in (race for race, verdict in verdicts.items() if verdict in ("holds", "cannot")):
        masters = ["--masters", "5"] if race in OF_MASTERS else []
        _, document = trace(client, race, *masters)
        results = [event["result"] for event in document["events"] if event["event"] == "result"]
        assert not {"unknown", "error"} & set(results), document


def test_how_it_is_said(command):
    client = command(NEVER_RECONNECTS, program=sys.executable, trouble="error")
    finished = run("./scenarios/restart_empty", "--virtual", "--client", client)
    assert finished.code == 3 and finished.err == ""
    assert "\nINCONCLUSIVE: B hears an error that the story has not caused.\n" in finished.out
    _, document = trace(client, "restart_empty")
    assert document["verdict"] == "INCONCLUSIVE"
    table = run("./scenarios/matrix", "--virtual", "--client", client, "restart_empty").out
    assert re.search(r"^restart_empty +\?$", table, re.M)
    assert re.search(r"^\? +a client heard only an error", table, re.M)
    again = re.search(r"^Again: (.*)$", finished.out, re.M)[1]
    repeated = run("/bin/sh", "-c", again)
    assert repeated.code == 3 and "\nINCONCLUSIVE: B hears" in repeated.out, repeated


def test_a_loss_is_said_whatever_else_is_wrong(command):
    """B hears an error at first, and then says that it is inside beside A."""
    client = command("""
case $REDIS_URL in *B/gate) first=error ;; *) first=ok ;; esac
echo ready
while read -r line; do echo $first; first=ok; done
""")
    finished = run("./scenarios/replay", "--client", client,
                   "v1 guest A:enter B:enter B:enter")
    assert finished.code == 1, finished
    assert "\nBROKEN: A and B are both inside.\n" in finished.out
