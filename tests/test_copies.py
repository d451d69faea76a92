"""A guest that says when it is loaded is copied from there. Nothing that a run shows tells that."""

import os
import re
import subprocess

import pytest

from lockstep import ROOT, run
from world import left_behind

RACES = "two_processes crash_holding expired_delete forced_unlock eviction nested_call delayed_delete late_grant".split()

# "loads" is written before that, and "lives" after it.
LOADED = """
import os, sys, uuid
print("loads", file=sys.stderr, flush=True)
WITHIN
with open(os.environ["LOCK_LOADED"]) as file:
    os.environ.update(variable.split("=", 1) for variable in file.read().split("\\0")[:-1])
print("lives", file=sys.stderr, flush=True)
AFTER
def answer(word):
    if word == "enter":
        return "ok" if "OK" in call("SET", os.environ["LOCK_KEY"], TOKEN, "NX", "PX", os.environ["LOCK_LEASE_MS"]) else "busy"
    if word == "leave":
        return "ok" if ":1" in call("DEL", os.environ["LOCK_KEY"]) else "lost"
    return "ok" if TOKEN in call("GET", os.environ["LOCK_KEY"]) else "lost"
"""


def table(command, *options):
    finished = run(ROOT / "scenarios/matrix", "--virtual", "--format", "tsv", "--digests", *options, "--client", command,
                   *RACES, timeout=None)
    return finished, finished.err.count("loads"), finished.err.count("lives")


def script(within="", after="TOKEN = uuid.uuid4().hex"):
    return LOADED.replace("WITHIN", within).replace("AFTER", after)


@pytest.mark.parametrize("within, after", [
    ("", "TOKEN = uuid.uuid4().hex"),
    ("TOKEN = uuid.uuid4().hex", ""),  # drawn before that: still each client's own
    ("import random, time; started = time.monotonic()", "TOKEN = f'{random.random()} {os.getpid()} {started}'"),
    ("import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()", "TOKEN = uuid.uuid1().hex"),
], ids=["after", "before", "clock", "thread"])
def test_a_copy_is_as_if_started_anew(guest, within, after):
    command = guest(script(within, after))
    copied, loads, lives = table(command)
    fresh, fresh_loads, fresh_lives = table(command, "--fresh")
    assert copied.out == fresh.out and copied.code == 0, (copied, fresh)
    assert "not-run" not in copied.out, copied
    assert fresh_loads == fresh_lives == lives > len(RACES), (fresh, copied)
    assert loads < lives, copied


WAS_HERE = """
TOKEN = uuid.uuid4().hex
if os.path.exists(FILE):
    print("was here", file=sys.stderr, flush=True)
open(FILE, "w").close()
"""


@pytest.mark.parametrize("file", ["'/tmp/lockstep-was-here'", "'/dev/shm/lockstep-was-here'",
                                  "os.path.dirname(os.environ['REDIS_URL'][7:]) + '/was-here'",
                                  "os.path.dirname(os.path.dirname(os.environ['REDIS_URL'][7:])) + '/was-here'"],
                         ids=["tmp", "shm", "its part of the run's folder", "the run's folder"])
def test_it_finds_no_file_of_an_earlier_life(guest, file):
    finished, _, _ = table(guest(script(after=WAS_HERE.replace("FILE", file))))
    assert "was here" not in finished.err and "not-run" not in finished.out, finished


# Each can be made once, and outlives its process.
LEFT = {
    "memory": "ctypes.CDLL(None).shmget(4711, 4096, 0o3600)",
    "semaphores": "ctypes.CDLL(None).semget(4711, 1, 0o3600)",
    "a queue": "ctypes.CDLL(None).msgget(4711, 0o3600)",
    "a named queue": "ctypes.CDLL('librt.so.1').mq_open(b'/was-here', os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600, None)",
}


@pytest.mark.parametrize("left", LEFT.values(), ids=LEFT)
def test_it_finds_nothing_else_of_an_earlier_life(guest, left):
    finished, _, _ = table(guest(script(after=f"""
TOKEN = uuid.uuid4().hex
import ctypes
print("made" if {left} >= 0 else "was here", file=sys.stderr, flush=True)
""")))
    assert "made" in finished.err and "was here" not in finished.err and "not-run" not in finished.out, finished


def test_it_is_not_told_its_race(guest):
    command = guest(script(after="TOKEN = uuid.uuid4().hex\nprint('told' if 'RUNS' in os.environ else 'not a word', file=sys.stderr)"))
    env = {**os.environ, "RUNS": " ".join(RACES)}
    for options in ((), ("--fresh",)):
        finished = run(ROOT / "scenarios/matrix", "--virtual", *options, "--client", command, *RACES, env=env, timeout=None)
        assert "not a word" in finished.err and "told" not in finished.err, finished


def test_it_has_the_environment_of_a_fresh_one(guest):
    command = guest(script(after="TOKEN = 'A' + str(len(os.environ)) + ''.join(sorted(os.environ))"))
    assert table(command)[0].out == table(command, "--fresh")[0].out


def test_one_that_cannot_be_loaded_alone_is_started_anew(guest):
    command = guest(script(within="lease = os.environ['LOCK_LEASE_MS']"))
    finished, _, lives = table(command)
    assert finished.out == table(command, "--fresh")[0].out and finished.code == 0, finished
    said = "lockstep: this guest cannot be loaded for its copies, and is started anew each time: docs/ci.md\n"
    assert finished.err.count(said) == 1 and lives > len(RACES), finished


def test_the_reason_of_a_cell_is_another_line(guest):
    command = guest(script(within="lease = os.environ['LOCK_LEASE_MS']", after="TOKEN = 'A'").replace("return \"ok\"", "return \"hmm\""))
    finished, _, _ = table(command, "--reasons")
    assert re.search(r"^two_processes\tnot-run \S+ client A said 'hmm' \(enter\)", finished.out, re.M), finished


@pytest.mark.parametrize("more", ["", ", start_new_session=True", ", close_fds=False"], ids=["plain", "session", "descriptors"])
def test_one_that_has_started_others_is_not_copied(guest, more):
    """What these have drawn no copy has."""
    command = guest(script("import subprocess; said = subprocess.run([sys.executable, '-c', 'import uuid; print(uuid.uuid4())'], "
                           f"check=True, stdout=subprocess.PIPE{more}).stdout", "TOKEN = said.decode().strip() + uuid.uuid4().hex"))
    (copied, loads, lives), fresh = table(command), table(command, "--fresh")[0]
    assert copied.out == fresh.out and copied.code == 0, (copied, fresh)
    assert loads > lives > len(RACES) and copied.err.count("cannot be loaded for its copies") == 1, copied


# Joins a thread before it is loaded, and then one that has the same name.
THREADS = """
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *quick(void *it) { return it; }
static void *work(void *it) { for (volatile long i = 0; i < 20000000; i++); return (char *)it + 1; }
int main(void) {
    char line[99];
    void *result = NULL;
    pthread_t thread;
    pthread_create(&thread, NULL, quick, NULL);
    pthread_join(thread, NULL);
    close(open(getenv("LOCK_LOADED"), O_RDONLY));
    pthread_create(&thread, NULL, work, line);
    pthread_join(thread, &result);
    fputs(result == line + 1 ? "joined" : "left", stderr);
    for (puts("ready"), fflush(stdout); fgets(line, sizeof line, stdin); puts("busy"), fflush(stdout));
}
"""


# Two threads wait for a condition when it is loaded, one of them anew. Then it wakes all: so libuv ends its threads.
WAITERS = """
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int begun;
static void *wait(void *nothing) {
    for (pthread_mutex_lock(&mutex), begun++;; begun++) pthread_cond_wait(&condition, &mutex);
    return nothing;
}
static void await(int count) {
    for (int seen = 0; seen < count; pthread_mutex_unlock(&mutex)) pthread_mutex_lock(&mutex), seen = begun;
}
int main(void) {
    char line[99];
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    pthread_create(&thread, NULL, wait, NULL);
    await(2);
    pthread_cond_signal(&condition);
    await(3);
    close(open(getenv("LOCK_LOADED"), O_RDONLY));
    pthread_cond_broadcast(&condition);
    fputs("woken", stderr);
    for (puts("ready"), fflush(stdout); fgets(line, sizeof line, stdin); puts("busy"), fflush(stdout));
}
"""


def built(folder, text):
    (folder / "guest.c").write_text(text)
    subprocess.run(["cc", "-pthread", "-o", folder / "guest", folder / "guest.c"], check=True)
    return str(folder / "guest")


def test_a_copy_waits_for_its_own_threads(tmp_path):
    finished, _, _ = table(built(tmp_path, THREADS))
    assert "left" not in finished.err and finished.err.count("joined") > len(RACES), finished


def test_nobody_waits_for_a_copy_s_condition(tmp_path):
    finished, _, _ = table(built(tmp_path, WAITERS))
    assert "not-run" not in finished.out and finished.err.count("woken") > len(RACES), finished


def test_no_fork_server_outlives_its_run(temporary, tmp_path, guest):
    """Killed when copies are made."""
    seen = tmp_path / "seen"
    os.mkfifo(seen)
    runner = subprocess.Popen([ROOT / "scenarios/matrix", "--virtual", "--machines", "own", "--client", guest(script()), *RACES],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    lives = 0
    while lives < 8:
        lives += "lives" in runner.stderr.readline()
    runner.kill()
    runner.wait()
    runner.stderr.close()
    assert left_behind(temporary) == [] and not any(temporary.iterdir())


def test_a_search_copies_it(guest):
    command = guest(script())
    finished = run(ROOT / "scenarios/explore", "--client", command, "--clients", "2", timeout=None)
    assert finished.err.count("loads") < 20 < finished.err.count("lives"), finished


def test_in_real_time_there_is_no_such_file(guest):
    command = guest("import os, sys\nprint('LOCK_LOADED' in os.environ, file=sys.stderr, flush=True)\n" + "def answer(word): return 'ok'\n")
    finished = run(ROOT / "scenarios/two_processes", "--client", command, timeout=None)
    assert set(finished.err.split()) == {"False"}, finished
