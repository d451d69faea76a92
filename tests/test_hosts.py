"""Each guest runs on a host of its own: what two processes of one machine share is no lock."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from lockstep import ROOT, run

# It decides by something of this machine, and each time also sets the lock's key.
CHEAT = """
import fcntl, mmap, os, socket, struct, sys, uuid
KEY, LEASE_MS = os.environ["LOCK_KEY"], os.environ["LOCK_LEASE_MS"]
taken = None
def enter():
    global taken
    try:
        taken = take()
    except OSError:
        return "busy"
    call("SET", KEY, uuid.uuid4().hex, "PX", LEASE_MS)
    return "ok"
def leave():
    call("DEL", KEY)
    give(taken)
    return "ok"
def give(what):
    what.close()
def held():
    return "ok"
def answer(word):
    return {"enter": enter, "leave": leave, "held": held}.get(word, lambda: "cannot")()
def lock(file):
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return file
"""
SHARED = {
    "a file in /tmp": """
def take():
    return lock(open("/tmp/lockstep-cheat-OWN.lock", "w"))
""",
    "a new file in /tmp": """
def take():
    return os.open("/tmp/lockstep-cheat-OWN.new", os.O_CREAT | os.O_EXCL)
def give(what):
    os.unlink("/tmp/lockstep-cheat-OWN.new")
""",
    "its own file": """
def take():
    return lock(open(sys.argv[0]))
""",
    "a file of the system": """
def take():
    return lock(open("/etc/passwd"))
""",
    "the folder of the run": """
def take():
    return lock(open(os.path.dirname(os.path.dirname(os.environ["REDIS_URL"][7:])) + "/lock", "w"))
""",
    "shared memory": """
def take():
    return os.open("/dev/shm/lockstep-cheat-OWN", os.O_CREAT | os.O_EXCL)
def give(what):
    os.unlink("/dev/shm/lockstep-cheat-OWN")
""",
    "an abstract socket": """
def take():
    own = socket.socket(socket.AF_UNIX)
    own.bind("\\0lockstep-cheat-OWN")
    return own
""",
    "a port": """
def take():
    own = socket.socket()
    own.bind(("127.0.0.1", PORT))
    return own
""",
    "System V memory": """
import ctypes
def take():
    made = ctypes.CDLL(None, use_errno=True).shmget(PORT, 8, 0o3600) # IPC_CREAT, IPC_EXCL
    if made < 0:
        raise OSError(ctypes.get_errno(), "")
    return made
def give(what):
    ctypes.CDLL(None).shmctl(what, 0, None)
""",
    "a process's name": """
import ctypes, glob
def name_of(process):
    try:
        return open(process + "/comm").read()
    except OSError:
        return "" # it has ended
def take():
    if "taken-OWN\\n" in map(name_of, glob.glob("/proc/[0-9]*")):
        raise OSError
    ctypes.CDLL(None).prctl(15, b"taken-OWN")
def give(what):
    ctypes.CDLL(None).prctl(15, b"python3")
""",
}
# Other processes of this run of the tests are at it at the same time.
OWN, PORT = os.getpid(), 20000 + os.getpid() % 10000
SHARED = {kind: code.replace("OWN", str(OWN)).replace("PORT", str(PORT)) for kind, code in SHARED.items()}


def two_processes(command, *more):
    return run(ROOT / "scenarios/two_processes", "--client", command, *more)


@pytest.fixture
def tidy():
    yield
    subprocess.run(["ipcrm", "-M", str(PORT)], capture_output=True)
    for left in (f"/tmp/lockstep-cheat-{OWN}.new", f"/tmp/lockstep-cheat-{OWN}.lock", f"/dev/shm/lockstep-cheat-{OWN}"):
        Path(left).unlink(missing_ok=True)


@pytest.mark.parametrize("kind", SHARED)
def test_what_one_machine_shares_is_no_lock(guest, tidy, kind):
    cheat = guest(CHEAT + SHARED[kind])
    apart = two_processes(cheat, "--virtual")
    assert apart.verdict == "BROKEN" and "both inside" in apart.out, apart
    together = two_processes(cheat, "--virtual", "--machines", "one")
    assert together.verdict == "HOLDS", together


def test_in_a_search_it_is_no_lock_either(guest, tidy):
    finished = run(ROOT / "scenarios/explore", "--client", guest(CHEAT + SHARED["a file in /tmp"]), "--clients", "2",
                   "--faults", "none", "--leases", "0", "--time", "0")
    assert re.search("^  exclusion +LOST", finished.out, re.M), finished


LOOKS = """
import os, socket
def answer(word):
    folder = os.path.dirname(os.path.dirname(os.environ["REDIS_URL"][7:]))
    processes = [name for name in os.listdir("/proc") if name.isdigit()]
    first = open("/proc/1/cmdline").read()
    return " ".join(["error", socket.gethostname(), os.getcwd(), *sorted(os.listdir(folder)),
                     *sorted(processes), str("two_processes" in first)])
"""


def test_a_guest_sees_its_own_part_of_the_run(guest):
    finished = two_processes(guest(LOOKS))
    for name in "AB":
        assert f"error: machine-{name} {os.getcwd()} {name} 1 2 False" in " ".join(finished.out.split()), finished


def test_its_machine_has_a_name_and_a_network(guest):
    """And on its loopback is its gate."""
    finished = two_processes(guest("""
import socket
def answer(word):
    assert socket.gethostbyname(socket.gethostname()).startswith("127.")
    port = int(os.environ["REDIS_LOOPBACK_URL"].rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as gate:
        gate.sendall(request("SET", "lock", "x", "NX", "PX", "1000"))
        return "ok" if gate.recv(100) == b"+OK\\r\\n" else "busy"
"""))
    assert finished.verdict == "HOLDS", finished


def test_what_a_guest_writes_is_gone(guest, tmp_path):
    """Also where it may write on this machine."""
    own = tmp_path / "kept"
    own.write_text("old")
    finished = two_processes(guest(f"""
def answer(word):
    old = open({str(own)!r}).read()
    open({str(own)!r}, "w").write("new")
    return "error " + old + " " + open({str(own)!r}).read()
"""))
    assert finished.out.count("error: old new") == 2 and own.read_text() == "old", finished


# The kernel's answer where namespaces are forbidden, as in many containers.
FORBIDS = """
#define _GNU_SOURCE
#include <errno.h>
int unshare(int spaces) {
    (void)spaces;
    errno = EPERM;
    return -1;
}
"""


def test_where_it_is_forbidden_one_line_says_so(guest, tidy, tmp_path):
    """On one core, for the clients of two races at once would share the file."""
    library = tmp_path / "forbids.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], check=True, input=FORBIDS.encode())
    core = min(os.sched_getaffinity(0))
    finished = run("taskset", "-c", core, ROOT / "scenarios/matrix", "--virtual", "--client",
                   guest(CHEAT + SHARED["a file in /tmp"]), "two_processes", "crash_holding",
                   env={"LD_PRELOAD": str(library)})
    assert finished.code == 0 and re.search("^two_processes +holds$", finished.out, re.M), finished
    assert re.fullmatch(
        "[a-z_]+: the clients share this machine, because the kernel gives them none of their own "
        r"\(cannot make namespaces: Operation not permitted\): docs/guests.md\n", finished.err), finished


def test_the_line_that_replays_a_run_says_so(guest):
    finished = two_processes(guest(CHEAT + SHARED["a port"]), "--virtual", "--machines", "one")
    assert "--machines one 'v1 client " in finished.out, finished
    finished = run(ROOT / "scenarios/two_processes", "--stage", "4", "--machines", "own")
    assert "Again: ./scenarios/replay --machines own 'v1 stage4 " in finished.out, finished


def test_there_are_two_ways(guest):
    finished = two_processes(guest(CHEAT), "--machines", "two")
    assert (finished.code, finished.err) == (2, "two_processes: --machines is own or one, not 'two'\n")
