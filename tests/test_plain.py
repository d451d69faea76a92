"""The stages as programs of their own, on an ordinary redis-server, in real
time: no gate, no virtual clock."""

import os
import re
import select
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

from lockstep import ROOT, locks, run
from plain import LIMIT_S, Client, Server, client, server  # noqa: F401 (fixtures)

SHARED = [lock for lock in locks() if lock != "stage0_mutex"]
# In the last two, trying keeps a dead lock alive: losers_keep_it_alive.
LEASED = [lock for lock in SHARED if lock not in (
    "stage1_setnx", "detour_expire_anyway", "detour_incr_multi")]
OWNED = ["stage5_token_lua", "stage6_watchdog", "stage7_reentrant"]
WATCHED = ["stage6_watchdog", "stage7_reentrant"]
LEASE_MS = 300


@pytest.fixture
def own(tmp_path):
    """A server that a test may break."""
    server = Server(tmp_path)
    yield server
    server.end()


@pytest.fixture(autouse=True)
def empty(server):
    server.command("FLUSHALL")

@pytest.mark.parametrize("lock", SHARED)
def test_one_at_a_time(client, lock):
    a, b = client(lock), client(lock)
    assert a.say("enter") == "ok"
    assert b.say("enter") == "busy"
    assert a.say("held") == "ok"
    assert a.say("leave") == "ok"
    assert b.say("enter") == "ok"
    assert b.say("leave") == "ok"
    assert a.quit() == b.quit() == 0


def test_mutex_is_recursive_and_local(client):
    a = client("stage0_mutex", url="unix:///nowhere")
    assert [a.say(word) for word in ("enter", "enter", "leave", "leave", "leave")] == [
        "ok", "ok", "ok", "ok", "lost"]


def test_each_key_has_a_mutex_of_its_own(client):
    a = client("stage0_mutex", url="unix:///nowhere", key=["one", "other"])
    assert [a.say(line) for line in ("enter one", "enter other @2", "enter one @2", "leave other @2",
                                     "enter other")] == ["ok", "ok", "busy", "ok", "ok"]


@pytest.mark.parametrize("lock", LEASED)
def test_a_dead_holder_is_forgotten(client, lock):
    a, b = client(lock, lease_ms=LEASE_MS), client(lock, lease_ms=LEASE_MS)
    assert a.say("enter") == "ok"
    a.kill()
    b.until("enter", "ok")


def test_without_a_lease_a_dead_holder_stays(server, client):
    a, b = client("stage1_setnx"), client("stage1_setnx")
    assert a.say("enter") == "ok"
    a.kill()
    assert b.say("enter") == "busy"
    assert server.command("TTL", "lock") == ":-1"


@pytest.mark.parametrize("lock", WATCHED)
def test_the_watchdog_keeps_the_lock(server, client, lock):
    lease_ms = 3000  # the machine may not stand still for two thirds of it
    a, b = client(lock, lease_ms=lease_ms), client(lock, lease_ms=lease_ms)
    assert a.say("enter") == "ok"
    left_ms, renewals = lease_ms, 0
    while renewals < 2:
        assert b.say("enter") == "busy"
        before_ms, left_ms = left_ms, int(server.command("PTTL", "lock")[1:])
        renewals += left_ms > before_ms
    assert a.say("held") == "ok"
    assert a.say("leave") == "ok"


@pytest.mark.parametrize("lock", WATCHED)
def test_the_holder_hears_that_its_lock_is_gone(server, client, lock):
    a = client(lock, lease_ms=LEASE_MS)
    assert a.say("enter") == "ok"
    server.command("DEL", "lock")
    a.until("held", "lost")
    assert a.say("leave") == "lost"


@pytest.mark.parametrize("lock", WATCHED)
def test_the_holder_knows_without_a_server(tmp_path, client, lock):
    own = Server(tmp_path)
    a = client(lock, url=own.url, lease_ms=LEASE_MS)
    assert a.say("enter") == "ok"
    own.end()
    a.until("held", "lost")
    assert a.say("leave").startswith("unknown cannot connect")


def test_nested_calls_are_counted(client):
    a, b = client("stage7_reentrant"), client("stage7_reentrant")
    assert [a.say(word) for word in ("enter", "enter", "leave")] == ["ok", "ok", "ok"]
    assert b.say("enter") == "busy"
    assert a.say("leave") == "ok"
    assert b.say("enter") == "ok"


def test_a_lock_without_an_end_is_somebody_elses(server, client):
    """Not "lost": a client that has never been inside has nothing to lose."""
    server.command("HSET", "lock", "somebody:1", "1")
    a = client("stage7_reentrant")
    assert a.say("enter") == "busy"
    assert server.command("HGET", "lock", "somebody:1") == "1"


def test_a_nested_call_hears_that_the_lock_is_gone(server, client):
    a = client("stage7_reentrant", lease_ms=60000)
    assert a.say("enter") == "ok"
    server.command("DEL", "lock")
    assert a.say("enter") == "lost"
    assert a.say("enter") == "ok"


def library(what, url):
    return run(ROOT / "build/tests/library", what, env={"REDIS_URL": url}).out.split()


def test_two_handles_are_two_owners(server):
    """Also in one thread of one process, and for the stage that knows its owner."""
    assert library("handles", server.url) == ["ok", "busy", "lost", "ok", "ok"]


def test_a_signal_does_not_end_a_wait(server):
    assert library("signals", server.url) == ["raised"]


def test_a_library_raises_no_signal_when_the_server_goes(listener):
    program = subprocess.Popen([ROOT / "build/tests/library", "goes"], text=True,
                               env={**os.environ, "REDIS_URL": f"unix://{listener.getsockname()}"},
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    wires = [listener.accept()[0] for _ in range(2)]
    for _ in range(3):  # the scripts of stage 7
        assert b"SCRIPT" in wires[0].recv(4096)
        wires[0].sendall(b"$40\r\n" + b"0" * 40 + b"\r\n")
    assert program.stdout.readline() == "open\n"
    for wire in wires:
        wire.shutdown(socket.SHUT_RD)
    out, _ = program.communicate("\n", timeout=LIMIT_S)
    assert (out, program.returncode) == ("unknown\n", 0)


@pytest.mark.parametrize("lock", WATCHED)
def test_the_watchdog_takes_no_signals(client, lock):
    """They are the program's: its handlers run where they ran before."""
    a = client(lock)
    assert a.say("enter") == "ok"
    main = str(a.process.pid)
    masks = {task.name: int(re.search(r"^SigBlk:\s+(\w+)$", (task / "status").read_text(), re.M)[1], 16)
             for task in Path(f"/proc/{main}/task").iterdir()}
    assert masks.pop(main) == 0
    [mask] = masks.values()
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        assert mask >> (number - 1) & 1, number


SLEPT = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, id, now);
    if (id == CLOCK_BOOTTIME && access(getenv("SUSPENDED"), F_OK) == 0)
        now->tv_sec += 3600;
    return result;
}
"""


@pytest.mark.parametrize("lock", WATCHED)
def test_a_machine_that_was_suspended_has_lost_the_lock(tmp_path, client, lock):
    """CLOCK_BOOTTIME has gone on meanwhile, CLOCK_MONOTONIC has not."""
    (tmp_path / "slept.c").write_text(SLEPT)
    assert run("cc", "-shared", "-fPIC", "-o", tmp_path / "slept.so", tmp_path / "slept.c").code == 0
    a = client(lock, LD_PRELOAD=str(tmp_path / "slept.so"), SUSPENDED=str(tmp_path / "suspended"))
    assert a.say("enter") == "ok"
    assert a.say("held") == "ok"
    (tmp_path / "suspended").touch()
    assert a.say("held") == "lost"


@pytest.fixture
def listener(tmp_path):
    """In the place of a server, for what no server does."""
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "socket"))
        made.listen()
        made.settimeout(LIMIT_S)
        yield made


def connected(client, listener):
    """A client with one connection, and our end of it."""
    a = client("stage1_setnx", url=f"unix://{listener.getsockname()}")
    wire, _ = listener.accept()
    wire.settimeout(LIMIT_S)
    return a, wire


@pytest.mark.parametrize("answer", ["$3\r\nyes\r\n", "*1\r\n:1\r\n", ",1.5\r\n", "#t\r\n"])
def test_an_answer_of_another_type_is_no_answer(client, listener, answer):
    """The last two are RESP3's, which nobody has asked for."""
    a, wire = connected(client, listener)
    a.tell("enter")
    assert b"SETNX" in wire.recv(4096)
    wire.sendall(answer.encode())
    assert a.line().startswith("unknown not understood: ")


def test_a_connection_that_broke_is_never_used_again(client, listener):
    """An answer that comes too late would be taken for that of the next command."""
    a, wire = connected(client, listener)
    a.tell("enter")
    assert b"SETNX" in wire.recv(4096)
    assert a.line() == "unknown no answer in time"
    a.tell("enter")
    again, _ = listener.accept()
    again.settimeout(LIMIT_S)
    assert wire.recv(1) == b""  # closed
    assert b"SETNX" in again.recv(4096)
    again.sendall(b":0\r\n")
    assert a.line() == "busy"


def test_a_connection_that_breaks_under_a_command_does_not_end_the_client(client, listener):
    """Writing to a closed connection raises SIGPIPE in a program that does not ignore it."""
    a, wire = connected(client, listener)
    wire.shutdown(socket.SHUT_RD)
    assert a.say("enter") == "unknown connection lost before the answer"


def waiting(listener):
    return select.select([listener], [], [], 0)[0]


def answer_the_worker(listener, wires):
    """All that a worker asks for is granted; its watchdog hears nothing."""
    wires += [listener.accept()[0] for _ in range(2)]
    while request := wires[0].recv(4096):
        wires[0].sendall(b"$40\r\n" + b"0" * 40 + b"\r\n" if b"SCRIPT" in request else b"+OK\r\n")


@pytest.mark.parametrize("lock", WATCHED)
def test_a_renewal_without_an_answer_leaves_time_for_another(client, listener, lock):
    """The lease is not over when the watchdog gives its first renewal up."""
    def given_up_after_s(lease_ms):
        wires = []
        server = threading.Thread(target=answer_the_worker, args=(listener, wires), daemon=True)
        server.start()
        a = client(lock, url=f"unix://{listener.getsockname()}", lease_ms=lease_ms)
        begin = time.monotonic()
        assert a.say("enter") == "ok"
        watchdog = wires[1]
        watchdog.settimeout(LIMIT_S)
        assert b"EVALSHA" in watchdog.recv(4096)
        assert watchdog.recv(1) == b""  # closed
        said = a.say("held")
        passed_s = time.monotonic() - begin
        a.kill()
        server.join(LIMIT_S)
        while waiting(listener):  # it may have connected again
            listener.accept()
        return passed_s, said

    for _ in range(5):  # on a machine that stands still for a second, again
        passed_s, said = given_up_after_s(2900)
        if passed_s < 2.9:
            break
    assert said == "ok"


def test_a_token_is_128_random_bits(server, client):
    """No two are the same, and no bit is constant or follows from the others."""
    a = client("stage5_token_lua", lease_ms=60000)
    tokens = []
    for _ in range(1000):
        assert a.say("enter") == "ok"
        tokens.append(server.command("GET", "lock"))
        assert a.say("leave") == "ok"
    assert {len(token) for token in tokens} == {32}
    assert len(set(tokens)) == len(tokens)

    first, *others = (int(token, 16) for token in tokens)
    basis = []  # of the space that their differences span, a bit being a dimension
    for other in others:
        rest = other ^ first
        for vector in basis:
            rest = min(rest, rest ^ vector)
        if rest:
            basis.append(rest)
    assert len(basis) == 128


def test_key_and_lease_from_the_environment(server, client):
    a = client("stage5_token_lua", key="named", lease_ms=3600000, by_environment=True)
    assert a.say("enter") == "ok"
    assert int(server.command("PTTL", "named")[1:]) > 1800000


@pytest.mark.parametrize("lock", OWNED)
def test_scripts_come_back_after_a_flush(server, client, lock):
    a = client(lock)
    assert a.say("enter") == "ok"
    server.command("SCRIPT", "FLUSH")
    assert a.say("leave") == "ok"


@pytest.mark.parametrize("lock", SHARED)
def test_a_restarted_server_is_found_again(tmp_path, client, lock):
    own = Server(tmp_path)
    a = client(lock, url=own.url)
    own.end()
    assert a.say("enter").startswith("unknown cannot connect")
    again = Server(tmp_path)
    assert a.say("enter") == "ok"
    again.end()


def test_what_was_not_sent_is_said(own, client):
    """The server takes connections, but none that this client may use any more."""
    own.command("ACL", "SETUSER", "owner", "on", ">secret", "~*", "+@all")
    a = client("stage5_token_lua", url=f"redis://owner:secret@127.0.0.1:{own.port}")
    assert a.say("enter") == "ok"
    own.command("ACL", "DELUSER", "owner")
    a.until("leave", "unknown cannot connect to the server: WRONGPASS")


@pytest.mark.parametrize("form", ["redis://127.0.0.1:{port}", "redis://:secret@127.0.0.1:{port}/1",
                                  "redis://default:secret@localhost:{port}", "unix://{path}"])
def test_addresses(tmp_path, client, form):
    password = ["--requirepass", "secret"] if "secret" in form else []
    own = Server(tmp_path, *password)
    a = client("stage5_token_lua", url=form.format(port=own.port, path=own.path))
    assert a.say("enter") == "ok"
    assert a.say("leave") == "ok"
    own.end()


def test_a_database_has_its_own_locks(server, client):
    a, b, c = (client("stage5_token_lua", url=f"redis://127.0.0.1:{server.port}/{database}",
                      lease_ms=60000) for database in (1, 2, 1))
    assert a.say("enter") == "ok"
    assert b.say("enter") == "ok"
    assert c.say("enter") == "busy"


def refused(url, *options):
    finished = run(ROOT / "build/clients/stage5_token_lua", *options, env={"REDIS_URL": url})
    assert finished.code == 2
    assert finished.out == ""
    assert finished.err.count("\n") == 1, finished.err
    return finished.err


def test_a_wrong_password_is_said_and_not_shown(tmp_path):
    own = Server(tmp_path, "--requirepass", "secret")
    said = refused(f"redis://:wrong-one@127.0.0.1:{own.port}")
    assert "WRONGPASS" in said or "invalid password" in said
    assert "wrong-one" not in said
    own.end()


@pytest.mark.parametrize("url", ["http://x", "unix://relative", "redis://127.0.0.1:0",
                                 "redis://127.0.0.1:port", "redis://127.0.0.1:6379/x",
                                 "redis://password@127.0.0.1"])
def test_a_wrong_address_is_said(url):
    assert "REDIS_URL is not unix:///path or redis://" in refused(url)


def test_a_wrong_address_among_several_is_said():
    finished = run(ROOT / "build/clients/road_redlock", env={"REDIS_URLS": "redis://127.0.0.1 http://x"})
    assert (finished.code, finished.out) == (2, "")
    assert "a URL in REDIS_URLS is not unix:///path or redis://" in finished.err


def test_no_server_is_said():
    assert "cannot connect to the server" in refused("unix:///nowhere/redis.sock")


@pytest.mark.parametrize("lease", ["0", "-1", "abc", "", "1.5", "10s", "86400001",
                                   "99999999999999999999"])
def test_a_wrong_lease_is_said(server, lease):
    assert f"the lease '{lease}' is not a number of milliseconds from 1 to 86400000" in refused(
        server.url, f"--lease-ms={lease}")


@pytest.mark.parametrize("key, what", [("", "is empty"), ("a b", "has a space"),
                                       ("a\nb", "has a space or a control character"),
                                       ("a\x7fb", "control character")])
def test_a_wrong_key_is_said(server, key, what):
    assert what in refused(server.url, f"--key={key}")


def test_a_zero_byte_is_said(server, client):
    a = client("stage5_token_lua")
    _, said = a.process.communicate("enter\0now\n", timeout=LIMIT_S)
    assert a.process.returncode == 2
    assert said == ("stage5_token_lua: a zero byte in 'enter': say enter, enter-for, wait, leave, held, "
                    "write, write-apart, reopen, reopen-for or quit\n")


def test_an_unknown_command_is_said(server, client):
    a = client("stage5_token_lua")
    _, said = a.process.communicate("lock\n", timeout=LIMIT_S)
    assert a.process.returncode == 2
    assert said == ("stage5_token_lua: 'lock' is not a command: say enter, enter-for, wait, leave, held, write, "
                    "write-apart, reopen, reopen-for or quit\n")


@pytest.mark.parametrize("word, why", [
    ("@5", "is not a thread: say @1 to @4"), ("@99", "is not a thread: say @1 to @4"),
    ("@0", "is not a thread: say @1 to @4"), ("@", "is not a thread: say @1 to @4"),
    ("/99", "is not one of the keys that this client was started with")])
def test_a_thread_or_key_that_there_is_not_is_said(client, word, why):
    a = client("stage0_mutex", url="unix:///nowhere")
    _, said = a.process.communicate(f"enter {word}\n", timeout=LIMIT_S)
    assert (a.process.returncode, said) == (2, f"stage0_mutex: '{word}' {why}\n")


@pytest.mark.parametrize("lock", [lock for lock in locks() if lock.startswith("stage")])
def test_a_lock_without_leases_for_one_acquire_says_so(server, client, lock):
    a = client(lock, lease_ms=60000)
    for line in ("enter-for 1000", "enter-for 1 lock", "enter-for 86400000 lock @2"):
        assert a.say(line) == "cannot this lock cannot take a lease for a single acquire"
    assert server.command("EXISTS", "lock") == ":0"
    assert a.say("enter") == "ok"  # and is none the worse for it
    assert a.say("enter-for 1000") == "cannot this lock cannot take a lease for a single acquire"
    assert a.quit() == 0


def left_ms(server):
    return int(server.command("PTTL", "lock")[1:])


def test_a_lease_of_its_own_is_obeyed(server, client):
    """Also where it cuts the outer one: that is the detour. A release gives it back."""
    a, b = (client("detour_reentrant_lease", lease_ms=60000) for _ in "ab")
    assert a.say("enter") == "ok" and left_ms(server) > 30000
    assert b.say("enter-for 1000") == "busy" and left_ms(server) > 30000
    assert a.say("enter-for 20000 lock") == "ok" and 0 < left_ms(server) <= 20000
    assert a.say("enter-for 20000 @2") == "busy"
    assert a.say("leave") == "ok" and left_ms(server) > 30000
    assert a.say("leave") == "ok"
    assert b.say("enter-for 300 @2") == "ok"
    a.until("enter", "ok")
    assert b.say("held") == "lost"
    assert b.say("leave @2") == "lost"


@pytest.mark.parametrize("rest, lease", [("", ""), (" lock", "lock"), (" 0", "0"), (" -1", "-1"),
                                         (" 1.5", "1.5"), (" 1s lock", "1s"), (" @2", "@2"),
                                         (" 86400001", "86400001")])
def test_a_wrong_lease_for_one_acquire_is_said(server, client, rest, lease):
    a = client("stage7_reentrant")
    _, said = a.process.communicate(f"enter-for{rest}\n", timeout=LIMIT_S)
    assert a.process.returncode == 2
    assert said == (f"stage7_reentrant: the lease '{lease}' is not a number of milliseconds from 1 to "
                    "86400000\n")


def test_a_wrong_option_is_said(server):
    assert "'--lock' is not an option" in refused(server.url, "--lock")
    assert "'lock' is one word too many" in refused(server.url, "lock")


@pytest.mark.parametrize("lock", ["stage3_getset", "stage7_reentrant"])
def test_a_key_of_another_type_is_said(server, client, lock):
    """Redis 6 says before it in which script: "ERR Error running script (…)"."""
    server.command("LPUSH", "lock", "a")
    a = client(lock)
    said = a.say("enter")
    assert said.startswith("error ") and "WRONGTYPE " in said
    assert a.quit() == 2
    assert server.command("LLEN", "lock") == ":1"


@pytest.mark.parametrize("lock", ["stage1_setnx", "stage2_setnx_expire", "stage4_set_nx_ex",
                                  "stage5_token_lua", "stage6_watchdog"])
def test_a_key_of_another_type_is_somebody_elses(server, client, lock):
    """SETNX and SET NX ask only whether there is a key: taken is all they can say."""
    server.command("LPUSH", "lock", "a")
    a = client(lock)
    assert a.say("enter") == "busy"
    assert server.command("LLEN", "lock") == ":1"


def test_a_handle_that_is_closed_releases_nothing(server, client):
    a, b = client("stage5_token_lua"), client("stage5_token_lua")
    assert [a.say("enter"), a.say("reopen"), b.say("enter"), a.say("leave")] == [
        "ok", "ok", "busy", "lost"]


def test_a_handle_is_opened_with_another_lease(server, client):
    """Until it is opened anew."""
    a = client("stage5_token_lua", lease_ms=30000)
    assert [a.say("reopen-for 60000"), a.say("enter")] == ["ok", "ok"]
    assert 30000 < left_ms(server) <= 60000
    assert [a.say("leave"), a.say("reopen"), a.say("enter")] == ["ok", "ok", "ok"]
    assert left_ms(server) <= 30000
