"""Wrong use and broken worlds: one clear line, exit status 2, nothing left."""

import fcntl
import os
import re
import resource
import select
import shlex
import signal
import subprocess
import sys
import time

import pytest

from lockstep import MATRIX, ROOT, SCENARIOS, TESTS, has_engine, refused, run, stages
from world import executable, wrapper

SCENARIO = ROOT / "scenarios/two_processes"


REFUSED = re.findall(r"^(\w.*)\n    (.*)$", (TESTS / "refused.txt").read_text(), re.M)


@pytest.mark.parametrize("command, said", REFUSED, ids=[command for command, _ in REFUSED])
def test_wrong_use(command, said):
    program, *words = shlex.split(command)
    line = refused(SCENARIOS / program, *words)
    assert line == f"{program}: {said}\n" or said[-1] == "…" and line.startswith(f"{program}: {said[:-1]}")


def test_a_word_on_the_command_line_does_not_reach_the_terminal_raw():
    assert "'\\x1b[31m7' is not a format" in refused(SCENARIO, "--format", "\033[31m7")
    assert "the key 'a\\x09b' is empty or has a space in it" in refused(MATRIX, "--client", "x", "--key", "a\tb")


def test_no_lock_was_made(scratch):
    scratch.client("stage1_a", "")
    assert "which lock? make one (make stage3), or name one (--stage 3)" in refused(scratch.program)


def test_a_lock_that_is_not_built(scratch):
    scratch.client("stage1_a", "")
    (scratch.top / "build/clients/stage1_a").unlink()
    assert "stage1_a is not built: run make stage1" in refused(scratch.program, "--stage", "1")


def test_no_lock_at_all(scratch):
    assert "there is no lock in stages/" in refused(scratch.program, "--stage", "1")
    assert "no lock is built yet: run make" in refused(scratch.program, "--all")


def test_no_server():
    said = refused(SCENARIO, "--stage", "4", env={"REDIS_SERVER": "no-such-server"})
    assert said == ("two_processes: there is no no-such-server here: 'make setup' installs one, "
                    "or name yours in REDIS_SERVER\n")


def test_a_server_that_ends(tmp_path):
    said = refused(SCENARIO, "--stage", "4", env={"REDIS_SERVER": "false"})
    assert "false exited with 1 before it was ready: it said nothing" in said


def test_what_a_server_says_does_not_reach_the_terminal_raw(tmp_path):
    server = executable(tmp_path, "printf '\\033[2Jgone\\377 caf\\303\\251\\302\\233\\n'\nexit 1")
    said = refused(SCENARIO, "--stage", "4", env={"REDIS_SERVER": server})
    assert said.endswith("before it was ready: \\x1b[2Jgone\\xff café\\xc2\\x9b\n"), said


OLD_SERVER = f"""#!{sys.executable}
import socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[sys.argv.index("--unixsocket") + 1])
listener.listen()
print("ready", flush=True)
while True:
    wire, _ = listener.accept()
    while asked := wire.recv(4096):
        answer = b"# Server\\r\\nredis_version:VERSION\\r\\n"
        wire.sendall(b"+PONG\\r\\n" if b"PING" in asked else b"$%d\\r\\n%s\\r\\n" % (len(answer), answer))
"""


@pytest.mark.parametrize("version", ["2.8.24", "6.2.20", "6", ""])
def test_a_server_that_is_too_old(tmp_path, version):
    old = executable(tmp_path, OLD_SERVER.replace("VERSION", version))
    said = refused(SCENARIO, "--stage", "4", env={"REDIS_SERVER": old})
    assert f"is version '{version}', too old: 7 or newer is needed" in said


REDIS_6 = f'''#!{sys.executable}
print("""*** FATAL CONFIG FILE ERROR (Redis 6.2.14) ***
>>> 'enable-debug-command "local"'
Bad directive or wrong number of arguments""")
raise SystemExit(1)
'''


def test_a_server_that_is_too_old_for_our_options(tmp_path):
    said = refused(SCENARIO, "--stage", "4", env={"REDIS_SERVER": executable(tmp_path, REDIS_6)})
    assert "is version '6 or older', too old: 7 or newer is needed" in said


def test_no_temporary_folder(tmp_path):
    said = refused(SCENARIO, "--stage", "4", env={"TMPDIR": str(tmp_path / "nothing")})
    assert "cannot make a temporary folder in" in said
    assert "set TMPDIR to a folder with room" in said


def test_no_room_in_the_temporary_folder(temporary):
    """No process here may make a file longer than nothing."""
    def full():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    finished = subprocess.run([SCENARIO, "--stage", "4"], preexec_fn=full, text=True,
                              capture_output=True, timeout=1200)
    assert finished.returncode == 2
    assert finished.stderr.startswith("two_processes: no room for the clock: ")
    assert finished.stderr.count("\n") == 1


def test_a_path_too_long_for_a_socket(tmp_path):
    deep = tmp_path / ("x" * 90)
    deep.mkdir()
    said = refused(SCENARIO, "--stage", "4", env={"TMPDIR": str(deep)})
    assert "the temporary folder's path is too long for a Unix socket: set TMPDIR" in said
    assert not list(deep.iterdir())


# Clients that break the protocol. {python} is a script told "enter" once.
CLIENTS = {
    "dies at once": ("sys.exit(3)", "client A exited with 3 (before it was ready)"),
    "dies of a signal": ("os.kill(os.getpid(), 9)",
                         "client A was ended by signal 9 (before it was ready)"),
    "dies when asked": ("print('ready', flush=True); input(); sys.exit(4)",
                        "client A exited with 4 (enter)"),
    "answers rubbish": ("print('ready', flush=True); input(); print('maybe', flush=True); input()",
                        "client A said 'maybe' (enter): an answer is ok, busy, lost, unknown, "
                        "error or cannot"),
    "answers twice": ("print('ready', flush=True); input(); print('ok\\nok', flush=True); input()",
                      "client A said 'ok' (without being asked anything)"),
    "answers again": ("print('ready', flush=True); input(); print('ok', flush=True); "
                      "print('ok', flush=True); input()",
                      "client A said 'ok' (without being asked anything)"),
    "talks too much": ("print('ready', flush=True); input(); print('x' * 1000, flush=True); input()",
                       "client A wrote something that is not a line of text (enter)"),
    "sends rubbish": ("wire(b'hello\\r\\n')", "A sent something that is not a request"),
    "hangs at once": ("sys.stdin.read()", "client A neither answers nor sends anything (before it "
                                          "was ready), for 10 s"),
    "hangs when asked": ("print('ready', flush=True); sys.stdin.read()",
                         "client A neither answers nor sends anything (enter), for 10 s"),
}


# Ends the server that it finds behind its gate, as somebody might by hand.
KILLS_THE_SERVER = """
print("ready", flush=True)
input()
folder = os.path.dirname(os.path.dirname(os.environ["REDIS_URL"].removeprefix("unix://")))
for process in filter(str.isdigit, os.listdir("/proc")):
    try:
        command = open(f"/proc/{process}/cmdline").read()
    except OSError:
        continue
    if folder in command and "--unixsocket" in command or f"unixsocket:{folder}" in command:
        os.kill(int(process), 9)
print("ok", flush=True)
sys.stdin.read()
"""


def test_a_server_that_is_killed_by_hand(scratch, temporary):
    scratch.client("stage1_bad", KILLS_THE_SERVER)
    said = refused(scratch.take("crash_holding"), "--stage", "1")
    assert said == "crash_holding: server 1 was ended by signal 9\n"


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_that_breaks_the_protocol(scratch, temporary, name):
    script, said = CLIENTS[name]
    scratch.client("stage1_bad", script)
    assert said in refused(scratch.program, "--stage", "1")


# What a process causes by its own mistake, and what somebody else must have done to it.
CRASHES = {"SIGSEGV": 11, "SIGABRT": 6, "SIGFPE": 8, "SIGBUS": 7, "SIGILL": 4, "SIGTRAP": 5}


@pytest.mark.parametrize("name", CRASHES)
def test_a_client_that_crashes_when_asked_is_broken(scratch, temporary, name):
    """It has sent its command: that is in the trace, and what comes of it is not waited for."""
    scratch.client("stage1_crashes", f"""
import signal
print("ready", flush=True)
input()
server = socket.socket(socket.AF_UNIX)
server.connect(os.environ["REDIS_URL"].removeprefix("unix://"))
server.sendall(b"*3\\r\\n$5\\r\\nSETNX\\r\\n$4\\r\\nlock\\r\\n$1\\r\\n1\\r\\n")
os.kill(os.getpid(), signal.{name})
""")
    one, again = (run(scratch.program, "--stage", "1") for _ in range(2))
    assert (one.code, one.err, one.verdict) == (1, "", "BROKEN"), one
    assert (f"BROKEN: A's process crashes (signal {CRASHES[name]})."
            in one.out.splitlines()), one
    assert "SETNX lock 1" in one.out and "crashes" in one.out
    assert one.out == again.out


@pytest.mark.parametrize("name, number", [("SIGKILL", 9), ("SIGTERM", 15)])
def test_a_client_that_somebody_ends_has_proved_nothing(scratch, name, number):
    scratch.client("stage1_ended", "print('ready', flush=True); input()\n"
                                   f"import signal; os.kill(os.getpid(), signal.{name})")
    assert f"client A was ended by signal {number} (enter)" in refused(scratch.program, "--stage", "1")


def test_the_longest_reason_fits(scratch, temporary):
    scratch.client("stage1_wordy", "print('ready', flush=True)\n"
                                   "for line in sys.stdin: print('unknown', 'x' * 255, flush=True)")
    finished = run(scratch.program, "--stage", "1")
    assert finished.err == ""
    assert "x" * 255 in "".join(finished.out.split()), finished


def test_a_matrix_cell_that_cannot_be_run(scratch, temporary):
    scratch.client("stage1_bad", "sys.exit(3)")
    finished = run(scratch.take("matrix"), "--format", "tsv")
    assert finished.code == 2
    assert finished.out == "race\tstage1_bad\ntwo_processes\tnot-run\n"
    assert finished.err == ("matrix: two_processes on stage1_bad was not run: client A exited with 3 "
                            "(before it was ready)\n")


def test_a_matrix_with_the_reasons_for_other_programs(scratch, temporary):
    scratch.client("stage1_bad", "sys.exit(3)")
    finished = run(scratch.take("matrix"), "--format", "tsv", "--reasons")
    assert finished.out == ("race\tstage1_bad\ntwo_processes\tnot-run client A exited with 3 "
                            "(before it was ready)\n")
    refused = run(scratch.take("matrix"), "--reasons")
    assert (refused.code, refused.err) == (2, "matrix: --reasons are for --format tsv\n")


@pytest.mark.parametrize("words", [["--stage", "4", "--engine", "mariadb"], ["--engine", "mariadb", "--stage", "4"]])
def test_an_engine_s_locks_and_others(words):
    if has_engine("mariadb"):
        assert run(MATRIX, *words).err == (
            "matrix: --engine names all locks of an engine: leave out --stage, or --engine\n")


def test_a_cell_that_fails_ends_alone(scratch, temporary):
    """The cells after it are run, and what a guest has said comes through."""
    scratch.client("stage1_bad", "print('a guest says this', file=sys.stderr); sys.exit(3)")
    scratch.lock("stage4_set_nx_ex")
    scratch.take("expired_delete")
    finished = run(scratch.take("matrix"), "--format", "tsv")
    assert finished.code == 2
    assert finished.out == ("race\tstage1_bad\tstage4_set_nx_ex\n"
                            "two_processes\tnot-run\tholds\nexpired_delete\tnot-run\tbroken exclusion\n")
    assert finished.err == ("a guest says this\n" * 2 + "matrix: two_processes on stage1_bad (and 1 more) "
                            "was not run: client A exited with 3 (before it was ready)\n")


def test_a_race_goes_on_with_the_lock_after_one_that_fails(scratch, temporary):
    """As for it alone, before and after."""
    scratch.client("stage1_bad", "sys.exit(3)")
    scratch.lock("stage4_set_nx_ex")
    alone = run(scratch.program, "--stage", "4")
    assert alone.code == 0
    several = run(scratch.program, *stages(*"4414"))
    assert (several.code, several.out) == (2, "\n".join(3 * [alone.out]))
    assert several.err == "two_processes: client A exited with 3 (before it was ready)\n"


# Begins when the test lets go of a file, and fails.
FAILS_WHEN_TOLD = """
import fcntl
fcntl.flock(open(os.environ["GO"]), fcntl.LOCK_SH)
sys.exit(3)
"""


def test_all_matrix_cells_fail_at_once(scratch, temporary):
    """As many as run at a time, ended before the matrix looks at the first."""
    for number in range(9):
        scratch.client(f"stage{number}_bad", FAILS_WHEN_TOLD)
    at_once = min(os.cpu_count(), 9)
    program = scratch.take("matrix")
    with open(scratch.top / "go", "w") as go:
        fcntl.flock(go, fcntl.LOCK_EX)
        matrix = subprocess.Popen([program], text=True,
                                  env={**os.environ, "GO": go.name},
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        runs = children(matrix.pid, at_once)
        os.kill(matrix.pid, signal.SIGSTOP)
    for each in runs:
        assert select.select([each], [], [], 60)[0], "a run does not end"
        os.close(each)
    os.kill(matrix.pid, signal.SIGCONT)
    try:
        _, said = matrix.communicate(timeout=1200)
    finally:
        matrix.kill()
    assert matrix.returncode == 2
    assert said == ("matrix: two_processes on stage0_bad (and 8 more) was not run: "
                    "client A exited with 3 (before it was ready)\n")


def children(parent, count, limit_s=600):
    """Handles of a process's children, as soon as there are so many."""
    end = time.monotonic() + limit_s
    while True:
        with open(f"/proc/{parent}/task/{parent}/children") as listed:
            found = listed.read().split()
        if len(found) == count:
            return [os.pidfd_open(int(child)) for child in found]
        assert time.monotonic() < end, f"{len(found)} children, and not {count}"


PRINTERS = [("two_processes", "--stage", "4"), ("matrix", "two_processes", "--stage", "4"), ("list",),
            ("explore", "--stage", "4", "--quiet"), ("explore", "--stage", "4", "--format", "json"),
            ("assumptions", "--stage", "4", "--faults", "none"), ("play", "--stage", "4"),
            ("replay", "v1 stage4 A:enter A><"), ("bench", "--help")]


@pytest.mark.parametrize("command", PRINTERS, ids=" ".join)
def test_an_output_without_room(command, temporary):
    program, *options = command
    with open("/dev/full", "w") as full:
        finished = subprocess.run([ROOT / "scenarios" / program, *options], stdout=full,
                                  stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=1200)
    assert (finished.returncode, finished.stderr) == (
        2, f"{program}: cannot write the output: No space left on device\n")


@pytest.mark.parametrize("command", PRINTERS, ids=" ".join)
def test_an_output_that_nobody_reads(command, temporary):
    reader, writer = os.pipe()
    os.close(reader)
    finished = subprocess.run([ROOT / "scenarios" / command[0], *command[1:]], stdout=writer,
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=1200)
    os.close(writer)
    assert (finished.returncode, finished.stderr) == (-signal.SIGPIPE, "")


@pytest.mark.parametrize("command, seen", [(("explore", "--stage", "3", "--nested", "1"), b"no more.\n\n"),
                                           (("two_processes", "--all"), b"HOLDS")])
def test_a_reader_who_goes_before_the_end(command, seen, temporary):
    """The trace comes from a child, which dies of it."""
    runner = subprocess.Popen([ROOT / "scenarios" / command[0], *command[1:]],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    fcntl.fcntl(runner.stdout, fcntl.F_SETPIPE_SZ, 4096)
    said = b""
    while seen not in said:
        more = os.read(runner.stdout.fileno(), 4096)
        assert more, (said, runner.stderr.read(), runner.wait(timeout=1200))
        said += more
    runner.stdout.close()
    assert (runner.stderr.read(), runner.wait(timeout=1200)) == (b"", -signal.SIGPIPE)


def test_a_schedule_that_cannot_be_replayed(tmp_path, temporary):
    """There is a server for the search, and none for the trace."""
    started = tmp_path / "started"
    server = wrapper(tmp_path, before=f"[ -e {started} ] && exit 3\ntouch {started}")
    finished = run(ROOT / "scenarios/explore", "--stage", "4", "--jobs", "1", env=server)
    assert finished.code == 2 and finished.out.startswith("explore stage4"), finished
    assert "is not lost" not in finished.err
    assert "exited with 3 before it was ready" in finished.err and finished.err.count("\n") == 1


@pytest.mark.parametrize("guest", ["true", "no-such-program"])
@pytest.mark.parametrize("program", ["explore", "play"])
def test_a_bad_guest_is_told_of_once(program, guest, temporary):
    finished = run(ROOT / "scenarios" / program, "--client", guest)
    assert finished.code == 2
    assert finished.err.startswith(f"{program}: client A ") or guest != "true", finished
    assert finished.err.count(f"{program}: ") == 1, finished.err


def test_no_server_for_a_search():
    """Each of the workers has none."""
    said = refused(ROOT / "scenarios/explore", "--stage", "4", "--jobs", "3", env={"REDIS_SERVER": "false"})
    assert "false exited with 1 before it was ready" in said
