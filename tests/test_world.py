"""The world on its own: whatever surrounds it or whatever a client does, a run
ends with a verdict that means something, or with one clear line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lockstep import ROOT, refused, replay, run
from world import executable, wrapper

RACE = ROOT / "scenarios/two_processes"


def stage4_in(scratch, top):
    """A copy of the tree with nothing but stage 4 and one race in it."""
    scratch.lock("stage4_set_nx_ex")
    scratch.take("expired_delete")
    scratch.top.rename(top)
    return top / "scenarios/expired_delete"


# --- time --------------------------------------------------------------------

def test_a_tree_whose_path_has_spaces_and_colons(scratch, tmp_path):
    """The loader splits LD_PRELOAD there."""
    program = stage4_in(scratch, tmp_path / "a tree: mine")
    finished = run(program, "--stage", "4")
    assert "BROKEN: B and C are both inside." in finished.out, finished


def test_without_the_clock_there_is_no_verdict(scratch, tmp_path):
    program = stage4_in(scratch, tmp_path / "tree")
    (tmp_path / "tree/build/clock.so").unlink()
    assert "build/clock.so is not built: run make" in refused(program, "--stage", "4")


def test_a_server_on_another_clock(tmp_path):
    said = refused(RACE, "--stage", "4", env=wrapper(tmp_path, before="unset LD_PRELOAD"))
    assert "does not live on the world's clock" in said


def test_a_clock_that_is_not_there():
    environment = {**os.environ, "LD_PRELOAD": str(ROOT / "build/clock.so"),
                   "LOCKSTEP_CLOCK_SLOT": "0"}
    finished = subprocess.run(["true"], env=environment, capture_output=True, text=True)
    assert finished.returncode == 1
    assert finished.stderr == "lockstep: the world's clock cannot be mapped\n"


# --- the machine -------------------------------------------------------------

# In the shell: a world leaves its core for a client that takes long to start.
TELLS_ITS_CORES = """#!/bin/sh
while read -r name cores; do
    [ "$name" = Cpus_allowed_list: ] && echo "$cores" >> "$CORES"
done < /proc/self/status
echo ready
while read -r line; do echo ok; done
"""


def numbers(text):
    """Of "0-1,3": 0, 1 and 3."""
    parts = [part.split("-") for part in text.split(",")]
    return [number for part in parts for number in range(int(part[0]), int(part[-1]) + 1)]


def cores_of_clients(scratch, *options):
    told = scratch.top / "cores"
    finished = run(scratch.program, *options, env={"CORES": str(told)})
    assert finished.code < 2, finished
    return [numbers(line) for line in told.read_text().splitlines()]


def running():
    """How many want to run on this machine just now."""
    return int(re.match(r"\S+ \S+ \S+ (\d+)/", Path("/proc/loadavg").read_text())[1])


def test_a_world_stays_on_one_core(scratch):
    """Unless the machine is crowded just then. Where it is all the time, nobody can tell."""
    scratch.client("stage1_tells", TELLS_ITS_CORES)
    most = 0
    for _ in range(100):
        most = max(most, running())
        cores = cores_of_clients(scratch, "--stage", "1")
        (scratch.top / "cores").unlink()
        if all(len(own) == 1 for own in cores):
            break
    else:
        # A short moment is easily missed: so the last minute counts, too.
        cpus = len(os.sched_getaffinity(0))
        assert most > 2 * cpus + 1 or os.getloadavg()[0] > cpus
        return
    assert len(cores) > 1 and cores == [cores[0]] * len(cores)


def test_real_time_has_all_cores(scratch):
    scratch.client("stage1_tells", TELLS_ITS_CORES)
    for cores in cores_of_clients(scratch, "--stage", "1", "--real"):
        assert cores == sorted(os.sched_getaffinity(0))


def test_a_temporary_folder_with_a_space(tmp_path):
    folder = tmp_path / "a b"
    folder.mkdir()
    short = f"/tmp/{os.getpid()} x"
    os.symlink(folder, short)
    try:
        said = refused(RACE, "--stage", "4", env={"TMPDIR": short})
    finally:
        os.unlink(short)
    assert "set TMPDIR to a" in said
    assert not list(folder.iterdir())


def test_a_temporary_folder_named_from_here(temporary):
    finished = run(RACE, "--stage", "4", cwd=temporary, env={"TMPDIR": "."})
    assert finished.out == replay("two_processes", 4).out


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-"])
def test_closed_standard_files(closed):
    finished = run("sh", "-c", f"exec {RACE} --stage 4 {closed}")
    assert (finished.code, finished.out) == (0, replay("two_processes", 4).out), finished


def test_closed_standard_output():
    finished = run("sh", "-c", f"exec {RACE} --stage 4 >&-")
    assert finished.code in (0, 2), finished  # /dev/null took its place
    assert finished.out == ""


@pytest.mark.parametrize("silent", ["", " > /dev/null"])
def test_a_wrapper_that_becomes_the_server(tmp_path, silent):
    finished = run(RACE, "--stage", "4", env=wrapper(tmp_path, silent))
    assert finished.out == replay("two_processes", 4).out, finished


def test_a_wrapper_that_only_starts_the_server(tmp_path, temporary):
    """SIGKILL would end the wrapper and leave the server."""
    server = executable(tmp_path, 'redis-server "$@"')
    said = refused(RACE, "--stage", "4", env={"REDIS_SERVER": server})
    assert "is not the server but has started it: a wrapper must end with 'exec redis-server" in said


# --- what a run is started with ----------------------------------------------

# Each told to a client or a server by the world, and set here for nobody.
LEAKS = {"LOCK_KEY": "other", "LOCK_SECOND_KEY": "second", "LOCK_LEASE_MS": "x",
         "LOCKSTEP_FORK_SERVER": "1", "LOCKSTEP_CLOCK_SLOT": "7",
         "LOCKSTEP_WAITS": "/nowhere", "REDIS_URL": "nonsense", "REDIS_LOOPBACK_URL": "nonsense"}


@pytest.mark.parametrize("race", ["two_processes", "work_outlives_lease"])
def test_own_variables_are_not_taken_from_outside(race):
    finished = replay(race, 6, env=LEAKS)
    assert (finished.err, finished.out) == ("", replay(race, 6).out)


def test_own_variables_do_not_reach_a_client(scratch):
    scratch.client("stage1_made", """
print("ready", flush=True)
for line in sys.stdin:
    print("error", *sorted(n for n in os.environ if n.startswith("LOCK")), flush=True)
""")
    finished = run(scratch.program, "--stage", "1", "--format", "json",
                   env={**LEAKS, "LOCKSTEP_OTHER": "x"})
    assert '"LOCKSTEP_CLOCK_SLOT LOCKSTEP_WAITS LOCK_KEY LOCK_LEASE_MS"' in finished.out, finished


@pytest.mark.parametrize("command", [
    [RACE, "--stage", "4"],
    [ROOT / "scenarios/failover", "--stage", "4"],
    [ROOT / "scenarios/matrix", "two_processes", "--stage", "4"],
    [ROOT / "scenarios/explore", "--stage", "4", "--depth", "4"],
    [ROOT / "scenarios/replay", "--shorten",
     "v1 stage4 A:enter A>< t+31 B:enter B>< A:leave A><"],
], ids=lambda command: Path(command[0]).name)
def test_a_server_has_no_descriptors_but_its_own(command, tmp_path):
    """Neither the runner's nor those with which the runner was started."""
    seen = tmp_path / "seen"
    server = executable(tmp_path, f"#!{sys.executable}\nimport os, sys\n"
                       f"fds = sorted(fd for fd in os.listdir('/proc/self/fd') if int(fd) > 2\n"
                       "       and os.path.exists(f'/proc/self/fd/{fd}'))\n"
                       f"open({str(seen)!r}, 'a').write(f'{{fds}}\\n')\n"
                       "os.execvp('redis-server', ['redis-server', *sys.argv[1:]])\n")
    with open(os.devnull) as other:
        os.set_inheritable(other.fileno(), True)
        finished = subprocess.run(
            [str(word) for word in command], pass_fds=[other.fileno()], capture_output=True,
            timeout=1200, env={**os.environ, "REDIS_SERVER": server})
    assert finished.returncode in (0, 1, 3), finished
    assert set(seen.read_text().splitlines()) == {"['3', '4']"}  # its pages


# --- clients -----------------------------------------------------------------

def answers_of(scratch, script, race="two_processes"):
    """What clients made of this script answer, as [(result, reason)]."""
    scratch.client("stage1_made", script)
    finished = run(scratch.top / "scenarios" / race, "--stage", "1", "--format", "json")
    assert finished.code in (0, 1, 3), finished
    return [(event["result"], event.get("text", ""))
            for event in finished.document["events"] if event["event"] == "result"]


def test_a_client_has_no_descriptors_but_its_own(scratch):
    answers = answers_of(scratch, """
print("ready", flush=True)
for line in sys.stdin:
    print("error has", *sorted(os.listdir("/proc/self/fd"), key=int)[:-1], flush=True)
""")
    assert answers and set(answers) == {("error", "has 0 1 2")}


def test_an_answer_arrives_though_the_server_closes_the_connection(scratch):
    answers = answers_of(scratch, """
print("ready", flush=True)
for line in sys.stdin:
    server = socket.socket(socket.AF_UNIX)
    server.connect(os.environ["REDIS_URL"].removeprefix("unix://"))
    server.sendall(b"QUIT\\r\\n".join([b"*1\\r\\n$4\\r\\n", b""]))
    print("error heard", server.recv(100), server.recv(100), flush=True)
""")
    assert answers and set(answers) == {("error", "heard b'+OK\\r\\n' b''")}


def test_a_connection_may_end_before_the_client_is_ready(scratch):
    answers = answers_of(scratch, """
wire(b"*1\\r\\n$4\\r\\nQUIT\\r\\n")
print("ready", flush=True)
for line in sys.stdin:
    print("error fine", flush=True)
""")
    assert answers and set(answers) == {("error", "fine")}


def test_a_release_without_an_answer_is_a_release():
    """A client whose release had no answer is not inside again."""
    out = replay("late_retry_kills_next_hold", 7).out
    assert "unknown" in out and "inside again" not in out


WAITS = "import select; select.poll().poll({ms})"

BAD = {
    "closes its output": ("print('ready', flush=True); input(); os.close(1); input()",
                          "client A closed its standard output (enter)"),
    "waits before it is ready": (WAITS.format(ms=1000),
                                 "client A waits before it says that it is ready"),
    "waits when asked": ("print('ready', flush=True); input(); " + WAITS.format(ms=1000),
                         "client A is still busy with enter and sends nothing"),
    "sends on and on": ("print('ready', flush=True); input()\n"
                        "server = socket.socket(socket.AF_UNIX)\n"
                        "server.connect(os.environ['REDIS_URL'].removeprefix('unix://'))\n"
                        "while True: server.sendall(b'*1\\r\\n$4\\r\\nPING\\r\\n' * 1000)",
                        "A sends on and on and waits for no answer"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_client_that_goes_astray(scratch, temporary, name):
    script, said = BAD[name]
    scratch.client("stage1_bad", script)
    assert said in refused(scratch.program, "--stage", "1")


# What would wait for ever for a server that stands still.
CONNECTS = """
for _ in range(1000):
    server = socket.socket(socket.AF_UNIX)
    server.connect(os.environ["REDIS_URL"].removeprefix("unix://"))
    server.close()
"""
SENDS = """
server = socket.socket(socket.AF_UNIX)
server.connect(os.environ["REDIS_URL"].removeprefix("unix://"))
server.sendall(b"*2\\r\\n$4\\r\\nECHO\\r\\n$900000\\r\\n" + b"x" * 900000 + b"\\r\\n")
server.recv(1)
"""


@pytest.mark.parametrize("script, said", [
    (CONNECTS, "the server has accepted no connection of A's within 10 s"),
    (SENDS, "the server has not taken 900025 bytes of A's connection within 10 s"),
])
def test_a_server_that_stands_still_is_not_waited_for_for_ever(scratch, script, said):
    body = "".join(f"    {line}\n" for line in script.splitlines())
    scratch.client("stage1_made", f"print('ready', flush=True)\nfor line in sys.stdin:\n{body}")
    race = scratch.race("stop_server(race_server(race, 1)); begin_enter(a); run_command(a);", "stage1_made")
    finished = run(race, "--stage", "1", timeout=1200)
    assert finished.code == 2 and f"made: {said}\n" in finished.err, finished


# Two threads that wake each other by turns: whoever looks at one after the other
# can find both asleep, and neither is for long.
PING_PONG = """
import threading
def play(mine, other):
    for _ in range(3000):
        os.read(mine, 1)
        os.write(other, b"x")
print("ready", flush=True)
for line in sys.stdin:
    (a, to_a), (b, to_b) = os.pipe(), os.pipe()
    players = [threading.Thread(target=play, args=ends) for ends in ((a, to_b), (b, to_a))]
    for player in players: player.start()
    os.write(to_a, b"x")
    for player in players: player.join()
    for end in (a, to_a, b, to_b): os.close(end)
    print("error played", flush=True)
"""


def test_threads_that_wake_each_other_are_not_at_rest(scratch):
    answers = answers_of(scratch, PING_PONG)
    assert answers and set(answers) == {("error", "played")}


# --- verbs -------------------------------------------------------------------

WRONG = {
    "enter": "A is dead",
    "stop": "A is dead",
    "resume": "A is dead",
}


@pytest.mark.parametrize("verb", WRONG)
def test_a_verb_for_a_dead_client(scratch, temporary, verb):
    race = scratch.race(f"crash(a); {verb}(a);")
    assert WRONG[verb] in refused(race, "--stage", "4")
