"""Wrong guests that the judge must accuse, and honest ones that it must not. Each is the lock of
stage 5 in a few lines, with one thing that is done otherwise."""

import re
import shlex
import sys

import pytest

from lockstep import ROOT, run

REPLAY = ROOT / "scenarios/replay"

LOCK = """
import mmap, os, select, struct, sys, threading, time, uuid
KEY, LEASE_MS = os.environ["LOCK_KEY"], os.environ["LOCK_LEASE_MS"]
DELETE = "if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('DEL',KEYS[1]) end return 0"
WRITE = "if redis.call('GET','lock')==ARGV[1] then redis.call('SET',KEYS[1],'w') return 1 end return 0"
token, asked = "none", 0
def take(*only):
    global token
    new = uuid.uuid4().hex
    taken = call("SET", KEY, new, *only, "PX", LEASE_MS) == "+OK\\r\\n"
    token = new if taken else token
    return taken
def enter():
    global asked
    asked = time.monotonic()
    return "ok" if take("NX") else "busy"
def is_over():
    return time.monotonic() >= asked + int(LEASE_MS) / 1000
def held():
    return "ok" if token in call("GET", KEY) else "lost"
def leave():
    return "ok" if call("EVAL", DELETE, "1", KEY, token) == ":1\\r\\n" else "lost"
def write():
    call("SET", "resource", "w")
    return "ok"
def answer(word):
    return {"enter": enter, "held": held, "leave": leave, "write": write}[word]()
"""

ROBS = LOCK + "def enter(): return 'ok' if take() else 'busy'\n"
WITHOUT_END = """
def take(*only):
    global token
    new = uuid.uuid4().hex
    taken = call("SET", KEY, new, *only) == "+OK\\r\\n"
    token = new if taken else token
    return taken
"""
ROBS_FOR_EVER = ROBS + WITHOUT_END
NEVER_WRITES = LOCK + "def write(): return 'lost'\n"
BY_ITS_OWN_CLOCK = LOCK + """
def held(): return "lost" if is_over() else "ok"
old_leave = leave
def leave(): return "lost" if is_over() else old_leave()
"""
# A thread that wakes in an hour: it renews nothing.
WITH_A_TIMER = BY_ITS_OWN_CLOCK + """
old_enter = enter
def enter():
    said = old_enter()
    if threading.active_count() == 1:
        threading.Thread(target=lambda: select.poll().poll(3600000), daemon=True).start()
    return said
"""
CHECKS_THE_LOCK = LOCK + """
def write(): return "ok" if call("EVAL", WRITE, "1", "resource", token) == ":1\\r\\n" else "lost"
"""
REENTRANT = LOCK + """
TAKE = ("local v=redis.call('GET',KEYS[1]) if v and v~=ARGV[1] then return 0 end "
        "redis.call('SET',KEYS[1],ARGV[1],'PX',ARGV[2]) return 1")
token, count = uuid.uuid4().hex, 0
def ask(*words):
    global server
    try:
        server.sendall(request(*words))
        said = server.recv(100000).decode()
    except OSError:
        said = ""
    if not said:
        server = connect()
    return said
def enter():
    global count
    said = ask("EVAL", TAKE, "1", KEY, token, LEASE_MS)
    count += said == ":1\\r\\n"
    return {":1\\r\\n": "ok", "": "unknown no answer"}.get(said, "busy")
def leave():
    global count
    count = 0
    return "ok" if ask("EVAL", DELETE, "1", KEY, token) == ":1\\r\\n" else "lost"
"""
# Its key stays for a minute; the lock is over when the deadline in its value is.
DEADLINE = """
TAKE = ("local t=redis.call('TIME') local now=t[1]*1000+math.floor(t[2]/1000) "
        "local v=redis.call('GET',KEYS[1]) if v and now<tonumber(v:match('%d+')) then return 0 end "
        "redis.call('SET',KEYS[1],(now+tonumber(ARGV[2]))..' '..ARGV[1],'PX',2*ARGV[2]) return 1")
def take(*only):
    return call("EVAL", TAKE, "1", KEY, token, LEASE_MS) == ":1\\r\\n"
token = uuid.uuid4().hex
"""
BY_DEADLINE = BY_ITS_OWN_CLOCK + DEADLINE
BY_CLIENTS_DEADLINE = BY_ITS_OWN_CLOCK + """
TAKE = ("local v=redis.call('GET',KEYS[1]) if v and tonumber(ARGV[1])<tonumber(v:match('%d+')) then "
        "return 0 end redis.call('SET',KEYS[1],ARGV[1]+30000 ..' '..ARGV[2],'PX',60000) return 1")
def take(*only):
    return call("EVAL", TAKE, "1", KEY, str(int(time.time() * 1000)), token) == ":1\\r\\n"
token = uuid.uuid4().hex
"""
WITHOUT_PX = BY_CLIENTS_DEADLINE.replace(",'PX',60000", "")
ASKS_FOR_THE_DEADLINE = LOCK + DEADLINE + """
OURS = ("local t=redis.call('TIME') local now=t[1]*1000+math.floor(t[2]/1000) "
        "local v=redis.call('GET',KEYS[1]) if not v or not v:find(ARGV[1],1,true) then return 0 end "
        "if ARGV[2]=='leave' then redis.call('DEL',KEYS[1]) end "
        "return now<tonumber(v:match('%d+')) and 1 or 0")
def ours(word):
    return "ok" if call("EVAL", OURS, "1", KEY, token, word) == ":1\\r\\n" else "lost"
def held(): return ours("held")
def leave(): return ours("leave")
"""
ROBS_TWICE = LOCK + "def enter(): return 'ok' if take() and take() else 'busy'\n"
SAYS_LOST = REENTRANT + "def leave(): return 'lost'\n"
# Tries to write to the clock's page, and to another client's page: by a file that a variable names,
# by a client's descriptors, by the sockets at which processes ask for their pages, and by what is
# mapped already. It says which of these ways lead there.
WRITES_PAGES = LOCK + """
import ctypes, glob, socket
def can_write(fd):
    try:
        mmap.mmap(os.open(f"/proc/self/fd/{fd}", os.O_RDWR), 8).close()
        return True
    except (OSError, ValueError):
        return False
    finally:
        os.close(fd)
OWN = os.environ["LOCKSTEP_WAITS"]
RUN = os.path.dirname(os.path.dirname(OWN))
def by_variables():
    for name, path in os.environ.items():
        if name.startswith("LOCKSTEP") and os.path.isfile(path):
            yield "variable", os.open(path, os.O_RDWR)
def by_descriptors():
    for process in glob.glob("/proc/[0-9]*"):
        try:
            if RUN.encode() in open(process + "/environ", "rb").read():
                for link in glob.glob(process + "/fd/*"):
                    if "memfd:lockstep" in os.readlink(link):
                        yield "descriptor", os.open(link, os.O_RDWR)
        except OSError:
            pass
def by_sockets():
    for path in glob.glob(RUN + "/*/waits"):
        with socket.socket(socket.AF_UNIX) as asks:
            asks.connect(path)
            asks.send(struct.pack("qqq", 0, -1, 0))
            pages = socket.recv_fds(asks, 1, 2)[1]
            if path == OWN:
                os.close(pages.pop())
            for fd in pages:
                yield "socket", fd
def by_mappings():
    libc = ctypes.CDLL(None)
    for line in open("/proc/self/maps"):
        if "memfd:lockstep" in line and "r--s" in line:
            start, end = (int(number, 16) for number in line.split()[0].split("-"))
            if libc.mprotect(ctypes.c_void_p(start), end - start, 3) == 0:
                yield "mapping"
def enter():
    for ways in (by_variables, by_descriptors, by_sockets):
        for name, fd in ways():
            if can_write(fd):
                return "error " + name
    return " ".join(["error", *by_mappings(), "none"])
"""


def races(command, *names):
    found = [run(ROOT / "scenarios" / name, "--virtual", "--client", command) for name in names]
    return [finished.verdict for finished in found], found


def test_nobody_is_let_in_over_a_holder(guest):
    """Whatever the one says that was robbed."""
    said, (finished,) = races(guest(ROBS), "two_processes")
    assert said == ["BROKEN"], finished
    assert "its lease is not over: it is B's." in " ".join(finished.out.split())


def test_nobody_is_let_in_over_a_lock_without_an_end(guest):
    said, (finished,) = races(guest(ROBS_FOR_EVER), "two_processes")
    assert said == ["BROKEN"], finished
    assert "its lease is not over: it is B's." in " ".join(finished.out.split())


def test_nobody_robs_by_writing_twice(guest):
    said, (finished,) = races(guest(ROBS_TWICE), "two_processes")
    assert said == ["BROKEN"], finished


def test_a_story_that_cannot_happen_hides_no_lie(scratch, guest):
    """Also where something else was found before it, which counts only where the story goes on to its end."""
    lies = guest(LOCK + WITHOUT_END + "def leave(): return 'ok'\n")
    for more, said in (("", "B cannot get in: the lock of A, who was killed, is still in the way"),
                       ("begin_renewal(b);", 'B releases, is told "ok", and has released no lock of its own.\n')):
        race = scratch.race("enter(a); crash(a); advance(race, 40 * SECOND); enter(b); leave(b);" + more,
                            opening='struct client *b = race_client(race, "B");')
        finished = run(race, "--virtual", "--client", lies)
        assert f"\nBROKEN: {said}" in finished.out, finished


def test_the_lock_itself_is_not_accused(guest):
    said, found = races(guest(LOCK), "two_processes", "crash_holding")
    assert said == ["HOLDS", "HOLDS"], found


def test_who_does_not_write_protects_nothing(guest):
    said, found = races(guest(NEVER_WRITES), "stop_the_world", "stale_write", "check_then_act")
    assert said == ["BROKEN"] * 3, found
    assert "says that its lock is lost, and has it." in found[0].out


def test_a_late_timer_renews_nothing(guest):
    for lock in (BY_ITS_OWN_CLOCK, WITH_A_TIMER):
        said, found = races(guest(lock), "work_outlives_lease")
        assert said == ["HOLDS"], found


@pytest.mark.parametrize("lock, schedule", [pytest.param(*case, id=case[1]) for case in [
    # Its lease counts from when it asked; the server's from ten seconds later.
    (BY_ITS_OWN_CLOCK, "A:enter t+10 A>< t+20.5 A:held A:leave"),
    # What it has lost, it may not write.
    (CHECKS_THE_LOCK, "server:writes-count A:enter A>< t+31 A:write A><"),
    # An attempt that comes late is no renewal.
    (REENTRANT, "A:enter A>< t+5 A:enter A:gives-up A> A:leave A2>< B:enter B>< t+31"),
    # The key outlives the lease, and is no proof of it. The deadline may be by the client's clock.
    (BY_DEADLINE, "A:enter A>< t+31 B:enter B><"),
    (BY_CLIENTS_DEADLINE, "A:enter t+10 A>< t+21 B:enter B><"),
    (WITHOUT_PX, "A:enter t+10 A>< t+21 B:enter B><"),
    (ASKS_FOR_THE_DEADLINE, "A:enter A>< t+31 A:held A><"),
    (ASKS_FOR_THE_DEADLINE, "A:enter A>< t+31 A:leave A><"),
]])
def test_an_honest_lock_is_not_accused(guest, lock, schedule):
    finished = run(REPLAY, "--client", guest(lock), f"v1 client {schedule}")
    assert finished.verdict == "HOLDS", finished


@pytest.mark.parametrize("race", ["delayed_delete", "check_then_delete"])
def test_a_script_is_known_by_what_it_does(guest, race):
    """One that goes on after a refused write (pcall) writes as much as one that ends (call)."""
    caught = LOCK.replace("return redis.call('DEL',KEYS[1])", "redis.pcall('DEL',KEYS[1]) return 1")
    found = [races(guest(lock), race)[1][0] for lock in (LOCK, caught)]
    assert found[0].verdict == found[1].verdict, found
    assert race != "delayed_delete" or found[0].verdict == "HOLDS"


# Once a server knows the script, one command is enough.
BY_SCRIPT = LOCK + """
import hashlib
SCRIPT = "return redis.call('SET',KEYS[1],ARGV[1],'NX','PX',ARGV[2]) and 1 or 0"
def take(*only):
    global token
    new = uuid.uuid4().hex
    said = call("EVALSHA", hashlib.sha1(SCRIPT.encode()).hexdigest(), "1", KEY, new, LEASE_MS)
    if said.startswith("-NOSCRIPT"):
        said = call("EVAL", SCRIPT, "1", KEY, new, LEASE_MS)
    token = new if said == ":1\\r\\n" else token
    return said == ":1\\r\\n"
"""
WARM = BY_SCRIPT.replace("\"EVALSHA\", hashlib.sha1(SCRIPT.encode()).hexdigest()", "\"EVAL\", SCRIPT")


@pytest.mark.parametrize("race", ["late_grant", "late_undo", "slow_grant_then_release", "second_answer_lost"])
def test_a_script_that_the_server_does_not_know_is_no_step(guest, race):
    """Who came first has loaded it for all."""
    cold, warm = (races(guest(lock), race)[1][0] for lock in (BY_SCRIPT, WARM))
    assert cold.verdict == warm.verdict, (cold, warm)
    assert race != "late_grant" or "NOSCRIPT" in cold.out and cold.verdict == "HOLDS", cold


def test_a_cell_says_what_was_lost(guest):
    """Who is told "ok" where the lock was lost harms nobody, and is not mixed up with who lets two in."""
    command = guest(LOCK + "old_leave = leave\ndef leave(): return old_leave() and 'ok'\n")
    table = [ROOT / "scenarios/matrix", "--virtual", "--client", command, "expired_delete", "stop_the_world"]
    assert run(*table, "--format", "tsv").out == (
        "race\tclient\nexpired_delete\tbroken told\nstop_the_world\tbroken resource\n")
    text = run(*table).out
    assert re.search(r"^expired_delete +told\n", text, re.M) and re.search(r"^stop_the_world +BROKEN\n", text, re.M)
    assert "\ntold    nor here, but no more was lost than that a client was told what is not true\n" in text
    assert ": loses told\n" in run(*table, "--format", "tap").out
    assert '<failure type="told"' in run(*table, "--format", "junit").out


# A free lock is an empty value here, and no absent key.
FREE_IF_EMPTY = LOCK + """
TAKE = ("local v=redis.call('GET',KEYS[1]) if v and v~='' then return 0 end "
        "redis.call('SET',KEYS[1],ARGV[1],'PX',ARGV[2]) return 1")
FREE = "if redis.call('GET',KEYS[1])==ARGV[1] then redis.call('SET',KEYS[1],'') return 1 end return 0"
def take(*only):
    global token
    new = uuid.uuid4().hex
    taken = call("EVAL", TAKE, "1", KEY, new, LEASE_MS) == ":1\\r\\n"
    token = new if taken else token
    return taken
def leave():
    said = call("EVAL", FREE, "1", KEY, token)
    return {":1\\r\\n": "ok", ":0\\r\\n": "lost"}.get(said, "error")
"""


def test_a_free_lock_need_not_be_an_absent_key(guest):
    """Whether it is free the next attempt finds out."""
    names = ("refused_release", "hold_after_extra_release", "expired_delete", "release_twice", "crash_holding")
    said, found = races(guest(FREE_IF_EMPTY), *names)
    assert said == ["HOLDS"] * len(names), found
    stays = FREE_IF_EMPTY.replace("redis.call('SET',KEYS[1],'') return 1", "return 1")
    said, found = races(guest(stays), "refused_release")
    assert said == ["BROKEN"], found


AT = ("--at", "app:{%s}:mutex")
# What a library puts around the name of its lock.
WRAPPED = """
import os, sys
os.environ["LOCK_KEY"] = "app:{%s}:mutex" % os.environ["LOCK_KEY"]
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.fixture
def wrapped(tmp_path):
    (tmp_path / "wrapped.py").write_text(WRAPPED)
    return f"{sys.executable} {tmp_path}/wrapped.py {ROOT}/build/clients/stage7_reentrant"


def test_a_lock_that_lies_elsewhere_is_not_accused(wrapped):
    """The world sees nothing under the key: so it knows nothing that a lock must answer for."""
    names = ("refused_release", "release_lost_for_good", "release_refused_everywhere", "nested_call_after_a_break",
             "slow_renewal_of_another_lock", "nested_call_unheard", "expired_delete")
    said, found = races(wrapped, *names)
    assert said == ["INCONCLUSIVE"] * len(names), found
    for finished in found[:-1]: # the last one's story has a key of its own
        assert 'The commands name "app:{lock}:mutex": --at \'app:{%s}:mutex\' says' in " ".join(finished.out.split())


def test_a_place_may_be_another_one_than_the_key(wrapped):
    """An operator means the place, and so does the line that replays."""
    for name, verdict in (("expired_delete", "HOLDS"), ("nested_call_unheard", "HOLDS"), ("forced_unlock", "BROKEN"),
                          ("stop_the_world", "BROKEN")):
        found = run(ROOT / "scenarios" / name, "--virtual", "--client", wrapped, *AT)
        assert found.verdict == verdict, found
        again = shlex.split(found.out.splitlines()[-1].removeprefix("Again: "))
        assert run(ROOT / again[0], *again[1:]).verdict == verdict
    table = run(ROOT / "scenarios/matrix", "--virtual", "--client", wrapped, *AT, "expired_delete", "stop_the_world")
    assert table.code == 0 and re.search(r"expired_delete +holds\n", table.out), table


def test_a_lease_that_was_prolonged_is_not_over(guest):
    finished = run(REPLAY, "--client", guest(SAYS_LOST),
                   "v1 client A:enter A>< t+20 A:enter A>< t+10 A:leave")
    assert finished.verdict == "BROKEN", finished
    assert "releases, is told \"lost\", and its lock is still there." in finished.out


def test_no_client_writes_to_the_clock_or_to_another_client_s_page(guest):
    finished = run(REPLAY, "--client", guest(WRITES_PAGES), "--machines", "one", "v1 client A:enter B:enter")
    assert finished.out.count("error: none") == 2, finished


# It asks the kernel itself, so no library of ours can take the call's place.
SLEEPS_UNSEEN = LOCK + """
import ctypes
libc, hour = ctypes.CDLL(None), (ctypes.c_long * 2)(3600, 0)
NANOSLEEP = {"x86_64": 35, "aarch64": 101}[os.uname().machine]
threading.Thread(target=lambda: libc.syscall(NANOSLEEP, hour, None), daemon=True).start()
"""


def test_a_wait_that_the_world_does_not_see_is_refused(guest):
    """It would last in real time, and no verdict would mean anything."""
    finished = run(ROOT / "scenarios/two_processes", "--virtual", "--client", guest(SLEEPS_UNSEEN))
    assert (finished.code, finished.err) == (
        2, "two_processes: client A waits with a time limit in {}(), of which the world knows nothing: "
           "run it in real time, without --virtual\n".format("nanosleep")), finished
