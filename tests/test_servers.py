"""What is done to servers: by the story, by an operator, and by hand."""

import re
import socket
import struct
import threading

import pytest

from lockstep import ROOT, replay, run
from world import wrapper


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


def test_what_has_expired_stays_until_it_is_asked_for(scratch):
    """A server goes and looks for it by itself, when it does in the machine's time."""
    race = scratch.race('operate(race, "SET other x PX 1000"); advance(race, 2 * SECOND);'
                        'for (int i = 0; i < 200; i++) operate(race, "DBSIZE");'
                        'operate(race, "EXISTS other"); operate(race, "DBSIZE");')
    finished = run(race, "--stage", "4")
    assert re.findall(r"operator: (?!SET)(.*)", finished.out) == (
        ["DBSIZE -> 1"] * 200 + ["EXISTS other -> 0", "DBSIZE -> 0"]), finished


@pytest.mark.parametrize("end", [
    "refuse_writes(race);", 'operate(race, "SCRIPT FLUSH");', "crash_server(race_server(race, 1));",
    "crash_server(race_server(race, 1)); start_server(race_server(race, 1));", "stop_server(race_server(race, 1));",
    "refuse_writes(race); crash_server(race_server(race, 1)); start_server(race_server(race, 1));",
    'operate(race, "CONFIG SET maxmemory 1");',
    'operate(race, "CONFIG SET min-replicas-to-write 0 maxmemory 1");'])
def test_the_next_story_knows_nothing_of_how_one_has_ended(scratch, end):
    """It is told on the same server, or on a new one if that cannot forget."""
    race = scratch.race("enter(a); " + end)
    scratch.lock("stage7_reentrant")
    locks = ["stage4_set_nx_ex", "stage7_reentrant", "stage4_set_nx_ex"]
    alone = [run(race, "--stage", lock) for lock in locks]
    several = run(race, *[word for lock in locks for word in ("--stage", lock)])
    assert several.err == "" and several.out == "\n".join(one.out for one in alone)
    assert several.out.count("inside\n") == len(locks), several


@pytest.mark.parametrize("more", [[], ["--stage", "5"]])
def test_a_server_that_does_not_start_again_says_why(tmp_path, more):
    """Also one that is forked, where several locks have their stories."""
    started = tmp_path / "started"
    server = wrapper(tmp_path, before=f"[ ! -e {started} ] || {{ echo its disk is gone >&2; exit 1; }}\n"
                                      f"touch {started}")
    finished = run("./scenarios/restart_empty", "--stage", "4", *more, env=server)
    assert finished.code == 2
    assert finished.err.startswith(
        f"restart_empty: {server['REDIS_SERVER']} exited with 1 before it was ready: its disk is gone\n"), finished


# A server that has just been started goes and looks within a millisecond or two.
BACK = "server:options\"--appendonly yes --appendfsync always\" {} server:crash {} server:start {}"


def test_what_has_expired_while_it_was_down_stays_until_it_is_asked_for():
    schedule = BACK.format('server:does"SET other x PX 1000" t+0.5', "t+2", 'server:does"DBSIZE"')
    finished = run(ROOT / "scenarios/replay", "v1 stage4 " + schedule)
    assert "an operator: DBSIZE -> 1\n" in finished.out, finished


def test_the_last_millisecond_of_a_lease_after_a_restart():
    schedule = BACK.format("A:enter A><", "t+30", "B:enter B2><")
    finished = run(ROOT / "scenarios/replay", "v1 stage4 " + schedule)
    assert finished.code == 0 and "nil, busy" in finished.out, finished


@pytest.mark.parametrize("key", ["a%sb", "a%d%d%n", "k" * 300, "KEY", "100%"])
def test_an_operator_means_this_key(key):
    said = replay("forced_unlock", 4, "--key", key, "--format", "json").document
    assert said["verdict"] == "BROKEN"
    assert f"an operator: DEL {key} -> 1" in [event.get("text") for event in said["events"]]


def test_an_operator_s_answer_is_shown(scratch):
    race = scratch.race('operate(race, "LPUSH KEY a b"); operate(race, "LRANGE KEY 0 -1");')
    assert "** an operator: LRANGE lock 0 -1 -> [b, a]\n" in run(race, "--stage", "4").out


def replayed(steps):
    return run(ROOT / "scenarios/replay", f"v1 stage4 {steps}")


# What an operator can do to a server, and what becomes of a run: a trace (the
# empty string), or this line.
NASTY = {
    'server:does"CLIENT KILL TYPE normal"': "",
    'server:does"CLIENT KILL TYPE normal SKIPME no"': "",
    'server:does"CONFIG SET requirepass x"': "",
    'server:does"CONFIG SET maxclients 1"': "",
    'server:does"REPLICAOF 127.0.0.1 1"': "",
    'server:does"DEBUG RELOAD"': "",
    'server:does"SETRANGE lock 300000000 x"': "",
    'server:does"RENAME lock other" server:does"RPUSH lock a"': "",
    'server:does"SHUTDOWN NOSAVE"':
        "server 1 exited with 0 (an operator typed SHUTDOWN NOSAVE)",
    'server:does"DEBUG SEGFAULT"':
        "server 1 was ended by signal 11 (an operator typed DEBUG SEGFAULT)",
    'server:does"ACL SETUSER default -@all"':
        "server 1 answers the world's TYPE with 'NOPERM this user has no permissions to run "
        "the 'type' command' (an operator typed ACL SETUSER default -@all)",
    'server:does"CONFIG SET requirepass x" server:does"CLIENT KILL TYPE normal"':
        "server 1 answers the world's TYPE with 'NOAUTH Authentication required.' "
        "(an operator typed CLIENT KILL TYPE normal)",
    'server:does"CLIENT PAUSE 1000"':
        "server 1 has not answered for 10 s (an operator typed CLIENT PAUSE 1000)",
    'server:does"BLPOP nothing 0"':
        "server 1 has not answered for 10 s (an operator typed BLPOP nothing 0)",
    'server:does"MONITOR"': "an operator cannot type MONITOR: its answer is not one answer",
    'server:does"client reply off"':
        "an operator cannot type CLIENT REPLY: its answer is not one answer",
}


@pytest.mark.parametrize("steps", NASTY)
def test_a_nasty_operator(steps, temporary):
    """He may do what he likes: the run ends, with a trace or with one line."""
    finished = replayed(f"A:enter A>< {steps}")
    said = NASTY[steps]
    # Redis and Valkey name the command in NOPERM in different words.
    assert finished.err.split("NOPERM")[0] == (f"replay: {said}\n" if said else "").split(
        "NOPERM")[0], finished
    assert finished.err.count("\n") == bool(said), finished
    assert finished.code in ((2,) if said else (0, 1)), finished


# --- a server that stands still ----------------------------------------------

def test_what_waited_is_told_in_the_order_in_which_it_came():
    """B's attempt was in the server's socket before A's renewal."""
    events = replay("server_stall", 6, "--format", "json").document["events"]
    goes_on = next(number for number, event in enumerate(events)
                   if event.get("text") == "the server continues")
    told = [(event["actor"], event["event"]) for event in events[goes_on:]
            if event["event"] in ("ran", "answer")]
    assert told[:3] == [("B", "ran"), ("A", "ran"), ("B", "answer")]
    assert told[-1] == ("A", "answer")


def test_a_replica_that_stands_still_stops_nobody_else():
    """More is written than its connection takes: the relay keeps the rest."""
    write = "EVAL redis.call('set',KEYS[1],('x'):rep(3e7)) 1 big"
    finished = replayed(f'server2:replicates server2:stop server:does"{write}" '
                        + 't+0.001 server:does"PING" ' * 60 + "B:enter B><")
    assert finished.code == 0, finished
    assert finished.out.count("PING -> PONG") == 60, finished
    assert "SET lock locked NX EX 30" in finished.out, finished


# --- what cannot be done -----------------------------------------------------

CANNOT = {
    "crash_server(race_server(race, 1)); crash_server(race_server(race, 1))": "server 1 does not run",
    "crash_server(race_server(race, 1)); operate(race, \"PING\")": "server 1 does not run",
    "stop_server(race_server(race, 1)); operate(race, \"PING\")": "server 1 is stopped",
    "start_server(race_server(race, 1))": "server 1 runs",
    "crash_server(race_server(race, 1)); stop_server(race_server(race, 1))": "server 1 does not run",
    "stop_server(race_server(race, 1)); stop_server(race_server(race, 1))": "server 1 is stopped already",
    "resume_server(race_server(race, 1))": "server 1 is not stopped",
    "crash_server(race_server(race, 1)); resume_server(race_server(race, 1))": "server 1 does not run",
    "crash(a); crash(a)": "A is dead",
    "stop(a); stop(a)": "A is stopped already",
    "stop(a); enter(a)": "A is stopped",
    "resume(a)": "A is not stopped",
    "world_do(race->world, (struct choice){.kind = CHOOSE_ASK, .operation = OPERATION_ENTER, .thread = 5})": "A has no thread 5: they are 1 to 4",
    "enter(second_lock_of(a))": "A has no lock 2: it was opened with 1",
    "world_do(race->world, (struct choice){.kind = CHOOSE_WIPE_DISK})": "server 1 runs",
    "world_do(race->world, (struct choice){.kind = CHOOSE_HOLD_REPLICATION})":
        "server 1 replicates nobody",
    "world_do(race->world, (struct choice){.kind = CHOOSE_RECONNECT})": "A is not cut off",
    "world_do(race->world, (struct choice){.kind = CHOOSE_KILL, .client = 1})":
        "there is no client 2",
}


@pytest.mark.parametrize("story", CANNOT)
def test_a_choice_that_is_not_possible(scratch, temporary, story):
    finished = run(scratch.race(story + ";", includes=["director.h"]), "--stage", "4", timeout=1200)
    assert finished.code == 2, finished
    assert finished.err == f"made: what comes next is not possible: {CANNOT[story]}\n", finished


# --- traces of several servers -----------------------------------------------

def test_a_trace_says_which_server():
    out = replay("split_brain", 4).out
    assert "** an operator of server 2: REPLICAOF NO ONE -> OK\n" in out
    assert "** B reaches server 2, whose lock is shown from here on\n" in out
    assert " ** B reaches server 2\n" in replay("failover", 4).out


def test_who_has_given_up_hears_nothing():
    out = replay("delayed_write", 4).out
    assert re.search(r"SET resource written <delivered>\n +OK <lost>\n", out)
    events = replay("delayed_write", 4, "--format", "json").document["events"]
    assert [event["event"] for event in events][-2:] == ["ran", "cut"]


# --- by hand -----------------------------------------------------------------

# Ends the server with this socket, and goes on when it is gone.
KILLS = """
import select
print("ready", flush=True)
input()
folder = os.path.dirname(os.path.dirname(os.environ["REDIS_URL"].removeprefix("unix://")))
for process in filter(str.isdigit, os.listdir("/proc")):
    try:
        command = open(f"/proc/{process}/cmdline").read()
        if f"{folder}/redis%d.sock" in command or f"unixsocket:{folder}/redis%d.sock" in command:
            handle = os.pidfd_open(int(process))
            os.kill(int(process), 9)
            select.select([handle], [], [])  # all its threads are gone
    except OSError:
        continue
print("ok", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("number", [1, 2])
def test_a_server_of_two_is_killed_by_hand(scratch, temporary, number):
    scratch.client("stage1_bad", KILLS % (number, number))
    race = scratch.race("enter(a); advance(race, SECOND);", lock="stage1_bad",
                        opening="race_replica(race);")
    finished = run(race, "--stage", "1", timeout=1200)
    assert (finished.code, finished.out) == (2, "")
    assert finished.err == f"made: server {number} was ended by signal 9\n"


def test_a_server_that_is_stopped_by_hand(scratch, temporary):
    """Who does not answer is named, with the request and what its threads do."""
    race = scratch.race("kill(race->world->engine->servers[0]->process.pid, SIGSTOP); enter(a);",
                        lock="stage1_setnx",
                        includes=["director.h", "world/world_state.h", "signal.h"])
    finished = run(race, "--stage", "1", timeout=1200)
    assert (finished.code, finished.out) == (2, "")
    assert finished.err.startswith(
        'made: server 1 has not answered client A\'s "SETNX lock locked", for 10 s; '
        'its thread "redis-server" is stopped; of its log: "'), finished


# --- a server that sleeps on -------------------------------------------------

class Sleeper(threading.Thread):
    """Speaks ZooKeeper's protocol, and overlooks what comes until more comes. It begins a session
    when another one is asked for, answers a request when a ping has come, and then closes."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()

    def run(self):
        connection, waker = (self.listener.accept()[0] for _ in range(2))
        connection.sendall(self.frame(struct.pack(">iiqi", 0, 30000, 1, 16) + bytes(16)))
        while (number := self.number(connection)) != -2:  # not a ping
            answer = self.frame(struct.pack(">iqi", number, 1, 0) + b"\0\0\0\2/x")
        connection.sendall(answer + self.pong())
        while self.number(connection) == -2:
            connection.sendall(self.pong())
        waker.close()
        connection.close()

    @staticmethod
    def frame(record):
        return struct.pack(">i", len(record)) + record

    def pong(self):
        return self.frame(struct.pack(">iqi", -2, 1, 0))

    @staticmethod
    def number(connection):
        """Of the next request; the record with which a session is asked for has a 0 there."""
        (length,) = struct.unpack(">i", connection.recv(4, socket.MSG_WAITALL))
        record = connection.recv(length, socket.MSG_WAITALL)
        return struct.unpack(">i", record[:4])[0]


def test_a_server_that_sleeps_on_is_woken(scratch, tmp_path):
    """By another session, and then by a ping, whose answer may come late."""
    path = tmp_path / "2181"
    Sleeper(path).start()
    race = scratch.race("""
        struct door door = {.fd = -1};
        int32_t error = -1;
        door_take(&door, getenv("SLEEPER"));
        struct zoo_session *session = zoo_open(&door, true);
        bool created = zoo_create(session, "/x", &error);
        printf("%d %d %d\\n", session != NULL, created, (int)error);
        printf("%d %d\\n", zoo_ping(session), zoo_ping(session));
        created = zoo_create(session, "/y", &error); // it closes instead
        printf("%d %d %d\\n", created, zoo_ping(session), zoo_is_open(session));
        exit(0);
    """, lock="stage1_setnx", includes=["engines/zookeeper/zoo_session.h", "stdio.h", "stdlib.h"])
    finished = run(race, "--stage", "1", env={"SLEEPER": str(path)}, timeout=1200)
    assert (finished.code, finished.out, finished.err) == (0, "1 1 0\n1 1\n0 0 0\n", "")


# --- replicas ----------------------------------------------------------------

def test_a_replica_that_hears_nothing_never_does(scratch):
    """A minute later both sides think that the other has gone, and the replica comes
    back on a new line; a server looks once in a second of its own."""
    race = scratch.race("""
        struct client *b = race_client(race, "B");
        hold_replication(replica); enter(a); advance(race, 3 * MINUTE);
        for (int turns = 0; turns < 2500; turns++)
            loop_turn(1000);
        operate(race, "PING"); promote(replica); reach(b, replica); enter(b);
    """, lock="stage1_setnx", opening="struct server *replica = race_replica(race);",
                        includes=["machine/loop.h"])
    finished = run(race, "--stage", "1")
    assert "BROKEN: A and B are both inside." in finished.out, finished


def test_what_is_done_to_a_server_shows_its_effect():
    """In its own row, and not beside the next request."""
    assert re.search(r"^ +- +\*\* an operator: DEL lock -> 1$", replay("forced_unlock", 4).out, re.M)
    assert re.search(r"^ +- +\*\* an operator: CONFIG SET maxmemory 1 -> OK$",
                     replay("eviction", 4).out, re.M)
    assert re.search(r"^ +locked, no TTL +\*\* the server starts again$",
                     replay("resurrected_lock", 1).out, re.M)
    # A lease that has ended while the server was stopped has ended when it goes on.
    assert re.search(r"^ +- +\*\* the server continues$", replay("server_stall", 4).out, re.M)
