"""Nothing outlives a run: no server, no client, no folder."""

import contextlib
import os
import random
import signal
import subprocess
from pathlib import Path

import pytest

from lockstep import ROOT, heard, run
from plain import Server
from world import executable, left_behind

# Tells the test that it has been asked, and is silent from then on.
SILENT = """
print("ready", flush=True)
input()
open(os.environ["ASKED"], "w").write("asked")
sys.stdin.read()
"""


def test_a_server_would_be_seen(temporary):
    """Started as a world starts it; it writes over its environment."""
    server = Server(temporary)
    assert left_behind(temporary, limit_s=0.1) == [str(server.process.pid)]
    server.end()
    (temporary / "redis.sock").unlink()


@pytest.mark.parametrize("command, code", [
    (["scenarios/two_processes", "--stage", "7"], 0),
    (["scenarios/restart_empty", "--stage", "7"], 1),
    (["scenarios/check_then_delete", "--stage", "7"], 0),
    (["scenarios/stop_the_world", "--all"], 1),
    (["scenarios/matrix", "two_processes"], 0),
    (["scenarios/two_processes", "--stage", "99"], 2),
], ids=lambda value: " ".join(value) if isinstance(value, list) else str(value))
def test_after_a_run(temporary, command, code):
    assert run(*command).code == code


def start_and_interrupt(scratch, folder, signal_number, whole_group, *command):
    """Runs until a client has been asked to enter, then sends the signal."""
    asked = scratch.top / "asked"
    os.mkfifo(asked)
    # Who runs the tests in the background may have left Ctrl-C ignored.
    runner = subprocess.Popen(command, start_new_session=True, text=True,
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                              env={**os.environ, "ASKED": str(asked)},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert heard(asked, runner) == "asked"
    assert any(folder.iterdir())  # there is something to leave behind
    if whole_group:
        os.killpg(runner.pid, signal_number)
    else:
        os.kill(runner.pid, signal_number)
    runner.communicate(timeout=1200)
    assert runner.returncode == -signal_number


@pytest.mark.parametrize("signal_number, whole_group", [
    (signal.SIGINT, True),  # Ctrl-C
    (signal.SIGTERM, False),
    (signal.SIGKILL, False),
], ids=["ctrl-c", "sigterm", "sigkill"])
@pytest.mark.parametrize("program", ["two_processes", "matrix", "two_processes --all"])
def test_after_a_signal(scratch, temporary, signal_number, whole_group, program):
    scratch.client("stage1_silent", SILENT)
    if program.endswith("--all"):  # two locks: a process for each
        scratch.client("stage2_silent", SILENT)
    scratch.take("matrix")
    name, *options = program.split()
    start_and_interrupt(scratch, temporary, signal_number, whole_group,
                        scratch.top / "scenarios" / name, *(options or ["--stage", "1"]))


# Whoever makes a temporary folder, the run ends at that moment.
ENDS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>
static pid_t runner;
__attribute__((constructor)) static void remember(void) { runner = getpid(); }
char *mkdtemp(char *name) {
    char *(*real)(char *) = (char *(*)(char *))dlsym(RTLD_NEXT, "mkdtemp");
    char *made = real(name);
    kill(runner, SIGKILL);
    return made;
}
"""


def test_a_run_that_dies_with_its_folder_just_made(tmp_path, temporary):
    (tmp_path / "ends.c").write_text(ENDS)
    library = tmp_path / "ends.so"
    assert run("cc", "-shared", "-fPIC", "-o", library, tmp_path / "ends.c").code == 0
    finished = subprocess.run([ROOT / "scenarios/two_processes", "--stage", "4"], timeout=1200,
                              env={**os.environ, "LD_PRELOAD": str(library)})
    assert finished.returncode == -signal.SIGKILL


def test_a_stopped_client_does_not_outlive_its_runner(scratch, temporary):
    """SIGKILL reaches what SIGSTOP holds."""
    scratch.client("stage1_stopped", SILENT.replace("sys.stdin.read()", "os.kill(os.getpid(), 19)"))
    start_and_interrupt(scratch, temporary, signal.SIGKILL, False, scratch.program, "--stage", "1")


def test_a_keeper_that_is_killed(scratch, temporary):
    """The process that removes the folder. Then the runner does it."""
    scratch.client("stage1_silent", SILENT)
    asked = scratch.top / "asked"
    os.mkfifo(asked)
    runner = subprocess.Popen([scratch.program, "--stage", "1"], env={**os.environ, "ASKED": str(asked)},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert heard(asked, runner) == "asked"
    children = [int(word) for word in Path(f"/proc/{runner.pid}/task/{runner.pid}/children").read_text().split()]
    keepers = [child for child in children if os.getsid(child) == child]
    assert len(keepers) == 1 and any(temporary.iterdir())
    for child in keepers + [child for child in children if child not in keepers]:
        # A runner that has seen one of them die ends the others itself.
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    assert runner.wait(timeout=1200) == 2


def test_a_reader_that_goes_away(temporary):
    """As in ./scenarios/two_processes --all | head -1"""
    subprocess.run("scenarios/two_processes --all | head -1 > /dev/null", shell=True, cwd=ROOT,
                   timeout=1200)


# --- what children have started ----------------------------------------------

# Beside a process in its own session, one whose parent is gone, and one that has lost
# its environment too: that one is known to the test by its folder.
LEAVES = """sleep 1000 &
setsid sleep 1000 &
(setsid sh -c 'sleep 1000 & setsid sleep 1000 &') &
(cd "$TMPDIR" && env -i setsid sh -c 'sleep 1000 & setsid sleep 1000 &') &
"""


@pytest.mark.parametrize("then", ["exit 3", 'exec redis-server "$@"', 'redis-server "$@"'])
def test_a_wrapper_that_has_started_more(tmp_path, temporary, then):
    server = executable(tmp_path, LEAVES + then)
    finished = run("scenarios/two_processes", "--stage", "4", env={"REDIS_SERVER": server})
    assert finished.code == (0 if then.startswith("exec") else 2), finished


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGKILL],
                         ids=["ctrl-c", "sigkill"])
def test_a_client_that_has_started_more(scratch, temporary, signal_number):
    leaves = f"import subprocess; subprocess.run(['sh', '-c', {LEAVES!r}])\n"
    scratch.client("stage1_leaves", leaves + SILENT)
    start_and_interrupt(scratch, temporary, signal_number, False, scratch.program, "--stage", "1")


HAS_A_CHILD = f"""
import subprocess
subprocess.Popen(["sleep", "{10**6 + os.getpid()}"])
def answer(word):
    return "ok" if word == "leave" or "OK" in call("SET", os.environ["LOCK_KEY"], "mine", "NX") else "busy"
"""


def is_running(line):
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            yield Path(f"/proc/{process}/cmdline").read_text() == line.replace(" ", "\0") + "\0"


@pytest.mark.parametrize("ends", [
    [(os.kill, signal.SIGKILL)],
    [(os.killpg, signal.SIGKILL)],
    [(os.kill, signal.SIGTERM), (os.killpg, signal.SIGCONT)],  # fg
    [(os.killpg, signal.SIGHUP), (os.killpg, signal.SIGCONT)],  # the terminal is closed
], ids=["sigkill", "sigkill of the group", "sigterm and fg", "hangup"])
def test_a_search_that_was_stopped_at_the_terminal(guest, temporary, ends):
    """Its clients have children, and several workers are at it."""
    runner = subprocess.Popen([ROOT / "scenarios/explore", "--client", guest(HAS_A_CHILD), "--faults", "crash,stop,cut"],
                              process_group=0, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not any(is_running(f"sleep {10**6 + os.getpid()}")):  # its clients are there
        assert runner.poll() is None
    os.killpg(runner.pid, signal.SIGTSTP)
    os.waitid(os.P_PID, runner.pid, os.WSTOPPED)
    for send, signal_number in ends:
        send(runner.pid, signal_number)
    assert runner.wait(timeout=1200) not in (0, 1)  # the search has not come to its end


# --- the end at any moment ---------------------------------------------------

# By hand: KILLS=500 SEED=7 pytest tests/test_cleanup.py -k moment
KILLS = int(os.environ.get("KILLS", "12"))
SEED = int(os.environ.get("SEED", "1"))

PROGRAMS = [
    ["scenarios/stop_the_world", "--all"],
    ["scenarios/wait_is_not_enough", "--stage", "7"],
    ["scenarios/matrix", "two_processes", "crash_holding"],
    ["scenarios/explore", "--stage", "4"],
    ["scenarios/replay", "--shorten", "v1 stage4 A:enter A>< t+31 B:enter B>< A:leave A><"],
]


def test_the_end_at_any_moment(temporary):
    """However a runner ends, and whenever: nothing is left."""
    chance = random.Random(SEED)
    for number in range(KILLS):
        command = PROGRAMS[number % len(PROGRAMS)]
        how = chance.choice([signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP,
                             signal.SIGQUIT, signal.SIGSEGV])
        after_s = chance.uniform(0, 0.2)
        runner = subprocess.Popen(command, cwd=ROOT, start_new_session=True,
                                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            runner.wait(after_s)  # a moment, not one that anything waits for
        except subprocess.TimeoutExpired:
            runner.send_signal(how)
        runner.wait()
        left = left_behind(temporary), list(temporary.iterdir())
        assert left == ([], []), f"SEED={SEED}, end {number}: {how.name} after {after_s} s: {command}"
