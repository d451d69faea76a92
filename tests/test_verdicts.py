"""A verdict has to be earned (docs/judge.md): what dishonest and broken clients get."""

import json
import re
import sys

import pytest

from lockstep import ROOT, races, run

# In the shell, because a race starts a client several times, and all races are run.
ALWAYS = "echo ready; while read -r line; do echo {answer}; done"

# Answers that depend on nothing but the seed, the client and how many there were before.
AT_RANDOM = """
case $REDIS_URL in *A.gate) n={seed}1 ;; *B.gate) n={seed}2 ;; *) n={seed}3 ;; esac
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


@pytest.fixture
def command(tmp_path):
    def make(script, program="/bin/sh", **values):
        path = tmp_path / "guest"
        path.write_text(script.format(**values))
        return f"{program} {path}"

    return make


def column(client, *races):
    """Verdicts by race; of all races if none is named."""
    finished = run("./scenarios/matrix", "--virtual", "--client", client, "--format", "tsv", *races,
                   timeout=1200)
    assert finished.code == 0, finished
    return dict(line.split("\t") for line in finished.out.splitlines()[1:])


def trace(client, race):
    finished = run(ROOT / "scenarios" / race, "--virtual", "--client", client, "--format", "json")
    return finished, json.loads(finished.out)


def test_a_lock_that_lets_nobody_in_holds_no_race(command):
    verdicts = column(command(ALWAYS, answer="busy"))
    assert verdicts == dict.fromkeys(races(), "broken")


def test_it_is_broken_because_the_lock_was_free(command):
    finished, document = trace(command(ALWAYS, answer="busy"), "two_processes")
    assert finished.code == 1
    assert document["verdict"] == "BROKEN"
    assert document["reason"] == "A cannot get in, though the lock is free and nothing is wrong."


@pytest.mark.parametrize("answer", ["error", "unknown"])
def test_a_client_that_only_hears_errors_shows_nothing(command, answer):
    verdicts = column(command(ALWAYS, answer=answer))
    assert verdicts == dict.fromkeys(races(), "inconclusive")


def test_a_lock_that_lets_everybody_in_holds_where_everybody_may_get_in(command):
    """It can hold only the races that ask for no exclusion, no knowledge and no write."""
    verdicts = column(command(ALWAYS, answer="ok"))
    assert {race for race, verdict in verdicts.items() if verdict == "holds"} == {
        "crash_holding", "losers_keep_it_alive", "half_of_two_locks", "release_never_arrives",
        "hung_worker", "nested_call", "thread_hop", "resurrected_lock", "script_flush",
        "server_clock_back"}
    assert {race for race, verdict in verdicts.items() if verdict == "inconclusive"} == {
        "check_then_act", "delayed_write"}  # the writes that it reports never arrive


@pytest.mark.parametrize("trouble", ["error", "unknown"])
def test_a_client_that_does_not_reconnect_shows_nothing_of_a_restart(command, trouble):
    silent = ["restart_empty", "aof_tail_lost", "failover", "split_brain", "wait_is_not_enough",
              "resurrected_lock", "lost_grant_answer"]
    verdicts = column(command(NEVER_RECONNECTS, program=sys.executable, trouble=trouble),
                      "two_processes", "expired_delete", "work_outlives_lease", *silent)
    assert verdicts == {"two_processes": "holds", "expired_delete": "holds",
                        "work_outlives_lease": "broken", **dict.fromkeys(silent, "inconclusive")}


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_answers_at_random_hold_nothing_by_an_error(command, seed):
    """HOLDS and CANNOT HAPPEN are said only where each step was answered, or could not be."""
    client = command(AT_RANDOM, seed=seed)
    verdicts = column(client)
    assert "inconclusive" in verdicts.values()
    for race in (race for race, verdict in verdicts.items() if verdict in ("holds", "cannot")):
        _, document = trace(client, race)
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
case $REDIS_URL in *B.gate) first=error ;; *) first=ok ;; esac
echo ready
while read -r line; do echo $first; first=ok; done
""")
    finished = run("./scenarios/replay", "--client", client,
                   "v1 guest A:enter B:enter B:enter")
    assert finished.code == 1, finished
    assert "\nBROKEN: A and B are both inside.\n" in finished.out
