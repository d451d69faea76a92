"""./scenarios/guest-check: each mistake of a guest has its sentence."""

import sys

import pytest

from lockstep import ROOT, SCENARIOS, run, words

CHECK = SCENARIOS / "guest-check"

# A sound guest around a sound lock. Each mistake changes one line of it.
SOUND = """
import os, select, socket, sys, uuid
LEASE = os.environ["LOCK_LEASE_MS"]
RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"
server, tokens = None, {}

def connected():
    global server
    server = socket.socket(socket.AF_UNIX)
    server.connect(os.environ["REDIS_URL"].removeprefix("unix://"))

def call(*words):
    server.sendall(b"*%d\\r\\n" % len(words) + b"".join(
        b"$%d\\r\\n%s\\r\\n" % (len(word), word) for word in map(str.encode, words)))
    answer = server.recv(100000).decode()
    if not answer:
        raise OSError("no answer")
    return answer

def enter(key):
    tokens[key] = uuid.uuid4().hex
    return "ok" if call("SET", key, tokens[key], "NX", "PX", LEASE).startswith("+OK") else "busy"

def leave(key):
    if call("EVAL", RELEASE, "1", key, tokens.get(key, "")) == ":0\\r\\n":
        return "lost"
    tokens.pop(key, None)
    return "ok"

def held(key):
    return "ok" if tokens.get(key, "?") in call("GET", key) else "lost"

def write(_):
    return "ok" if call("SET", "resource", "written") else "error"

def answer(word, key="lock"):
    global server
    try:
        if not server or select.select([server], [], [], 0)[0]:  # its end
            connected()
        return globals()[word](key)
    except OSError as error:
        server = None
        return f"unknown {error}"

connected()
print("ready", flush=True)
for line in sys.stdin:
    print(answer(*line.split()), flush=True)
"""

# What is changed, into what; the check that finds it, and its sentence.
MISTAKES = {
    "returns nothing": ("return redis.call('del', KEYS[1])", "return 1",
        "takes a free lock and gives it back",
        "it has given the lock back and takes it again: it should say 'ok', and said 'busy'"),
    "another key": ('return globals()[word](key)', 'return globals()[word]("my:" + key)',
        "takes a free lock and gives it back",
        "it got in, and nothing lies under the key 'lock': --key or --at says where its lock lies"),
    "ok for busy": ('else "busy"', 'else "ok"', "says busy while somebody else has the lock",
        "somebody else has the lock: it should say 'busy', and said 'ok'"),
    "no lease": (', "PX", LEASE', "", "keeps to the lease that it is told",
        "a lease (LOCK_LEASE_MS) after its holder was killed the lock is free: it should say 'ok', and said 'busy'"),
    "seconds for milliseconds": ('"PX", LEASE', '"PX", LEASE[:-3]', "keeps to the lease that it is told",
        "half of the lease (LOCK_LEASE_MS) is over, and the lock is held: it should say 'busy', and said 'ok'"),
    "no new connection": ("        if not server or select.select([server], [], [], 0)[0]:", "        if not server:", "connects again after its connection broke",
        "its connection broke, and it can connect again: it should say 'ok', and said 'unknown [Errno 32] Broken pipe'"),
    "busy for unknown": ('return f"unknown {error}"', 'return "busy"', "says unknown when no answer came",
        "the answer to its attempt was lost. It cannot know whether it has the lock, and said 'busy' in place of "
        "'unknown'"),
    "dropped handle": ('tokens.get(key, "")', 'tokens.pop(key, "")', "keeps its handle until the release is done",
        "its first release has not reached the server, and it releases again: it should say 'ok', and said 'lost'"),
    "a timer": ("connected()\nprint(", "import threading\nthreading.Thread(target=threading.Event().wait, args=[7], "
                                       "daemon=True).start()\nconnected()\nprint(", "sets no timer but its library's",
        "it has set a timer while it holds the lock, and the lock is not renewed: it is taken for a lock that renews "
        "itself (Node.js sets none with --no-memory-reducer)"),
    "one key": ('def answer(word, key="lock"):', 'def answer(word, key="lock"):\n    key = "lock"', "has a second lock",
        "it holds one lock and takes another (LOCK_SECOND_KEY): it should say 'ok', and said 'busy'"),
}


@pytest.fixture
def checked(tmp_path):
    def check(text, *options):
        path = tmp_path / "guest.py"
        path.write_text(text)
        return run(CHECK, "--client", f"{sys.executable} {path}", *words(options))

    return check


def test_a_sound_guest_has_no_fault(checked):
    finished = checked(SOUND)
    assert finished.code == 0 and finished.err == ""
    *lines, empty, last = finished.out.splitlines()
    assert [line[:7] for line in lines] == 13 * ["ok     "] and (empty, last) == ("", "0 of 13 checks found a fault")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_has_its_sentence(checked, mistake):
    old, new, check, sentence = MISTAKES[mistake]
    assert old in SOUND
    finished = checked(SOUND.replace(old, new, 1))
    assert finished.code == 1 and f"FAULT  {check}: {sentence}\n" in finished.out, finished


def test_a_fault_of_every_check_is_told_once(checked):
    finished = checked("raise SystemExit(3)")
    assert finished.code == 1 and finished.out.count("client A exited with 3 (before it was ready)\n") == 1, finished
    assert finished.out.count(": the same fault\n") == 12 and "13 of 13 checks found a fault\n" in finished.out


def test_a_guest_that_is_never_the_same(checked):
    """Its commands differ from run to run, and not by their tokens."""
    finished = checked(SOUND.replace("def enter(key):\n", 'def enter(key):\n    call("PING", open("/proc/self/stat").read())\n'))
    assert "FAULT  does the same on every run: two runs of one story are not the same bytes\n" in finished.out, finished


def test_a_guest_of_several_servers_speaks_with_them(checked):
    finished = checked(SOUND, "--masters 3")
    assert ("FAULT  speaks with a majority of its servers: it speaks with 1 of 3 servers: their addresses are in "
            "REDIS_URLS\n") in finished.out, finished
    ours = run(CHECK, "--client", ROOT / "build/clients/road_redlock", "--masters", "3")
    assert ours.code == 0 and "ok     speaks with a majority of its servers\n" in ours.out, ours


def test_a_trace_is_shown(checked):
    assert "SET resource written" in checked(SOUND, "--trace").out


def test_wrong_use_is_one_line():
    finished = run(CHECK)
    assert (finished.code, finished.out) == (2, "")
    assert finished.err == "guest-check: which guest? ./scenarios/guest-check --client 'COMMAND'\n"
