"""What is done to servers: by the story, by an operator, and by hand."""

import json

import pytest

from lockstep import replay, run


def wrapper(folder, *options):
    """A server that is started with more options."""
    program = folder / "server"
    program.write_text('#!/bin/sh\nexec redis-server "$@" ' + " ".join(options) + "\n")
    program.chmod(0o755)
    return {"REDIS_SERVER": str(program)}


# --- an operator -------------------------------------------------------------

def test_a_refused_command_is_no_verdict(tmp_path):
    finished = replay("resurrected_lock", 1, env=wrapper(tmp_path, "--rename-command SAVE ''"))
    assert finished.code == 2, finished
    assert finished.out == ""
    assert finished.err.startswith("resurrected_lock: the server refuses SAVE: ERR unknown command")
    assert finished.err.count("\n") == 1


def test_a_command_that_should_be_refused_and_is_not(scratch):
    race = scratch.race('world_do(race->world, (struct choice){.kind = CHOOSE_OPERATE_IN_VAIN, '
                        '.text = "PING"});', includes=["director.h"])
    assert run(race, "--stage", "4").err == "made: the server does not refuse PING\n"


@pytest.mark.parametrize("key", ["a%sb", "a%d%d%n", "k" * 300, "KEY", "100%"])
def test_an_operator_means_this_key(key):
    said = json.loads(replay("forced_unlock", 4, "--key", key, "--format", "json").out)
    assert said["verdict"] == "BROKEN"
    assert f"an operator: DEL {key} -> 1" in [event.get("text") for event in said["events"]]


def test_an_operator_s_answer_is_shown(scratch):
    race = scratch.race('operate(race, "LPUSH KEY a b"); operate(race, "LRANGE KEY 0 -1");')
    assert "** an operator: LRANGE lock 0 -1 -> [b, a]\n" in run(race, "--stage", "4").out


# --- a server that stands still ----------------------------------------------

def test_what_waited_is_told_in_the_order_in_which_it_came():
    """B's attempt was in the server's socket before A's renewal."""
    events = json.loads(replay("server_stall", 6, "--format", "json").out)["events"]
    ran = [(event["actor"], event["event"]) for event in events if event["event"] in ("ran", "answer")]
    assert ran[-4:] == [("B", "ran"), ("A", "ran"), ("B", "answer"), ("A", "answer")]
