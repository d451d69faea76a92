"""What a client can find out about its run, and what it can do past its gate: as little
as the kernel allows."""

import os
import re

import pytest

from lockstep import ROOT, run, run_real

# Every socket that is to be found, but for the client's own: in the folder of its gate,
# and among the descriptors of the process that has started it.
PAST_THE_GATE = """
import glob
def reach(path):
    other = socket.socket(socket.AF_UNIX)
    try:
        other.connect(path)
        other.sendall(request("SET", "lock", "mine"))
        return other.recv(100) == b"+OK\\r\\n"
    except OSError:
        return False
def answer(word):
    gate = os.environ["REDIS_URL"].removeprefix("unix://")
    paths = set(glob.glob(os.path.dirname(os.path.dirname(gate)) + "/**", recursive=True))
    paths = {path for path in paths if not path.endswith(("/gate", "/waits"))}
    if LOOKS_AT_PARENT:
        paths |= set(glob.glob(f"/proc/{os.getppid()}/fd/*"))
    return "unknown reached " + str(sum(map(reach, sorted(paths))))
"""


ON_ONE_MACHINE = ["--machines", "one"] # where there is something to be found


@pytest.mark.parametrize("machines", [[], ON_ONE_MACHINE], ids=["own", "one"])
@pytest.mark.parametrize("race", ["two_processes", "restart_empty", "failover"])
def test_the_server_s_socket_is_not_to_be_found(guest, race, machines):
    command = guest("LOOKS_AT_PARENT = False" + PAST_THE_GATE)
    finished = run(ROOT / "scenarios" / race, "--client", command, "--virtual", *machines)
    assert "reached 0" in finished.out and "past its gate" not in finished.out, finished


@pytest.mark.parametrize("way", [["--virtual"], []], ids=["virtual", "real"])
def test_who_speaks_to_the_server_past_the_gate_is_seen(guest, way):
    """Only root can: for others the runner's descriptors are closed."""
    command = guest("LOOKS_AT_PARENT = True" + PAST_THE_GATE)
    finished = run(ROOT / "scenarios/two_processes", "--client", command, *way, *ON_ONE_MACHINE)
    reached = int(re.search(r"reached (\d)", finished.out)[1])
    assert (reached > 0) == (os.geteuid() == 0), finished
    if reached:
        assert finished.code == 3, finished
        assert "INCONCLUSIVE: A client has spoken to the server past its gate.\n" in finished.out


def test_a_search_sees_it_too(guest):
    command = guest("LOOKS_AT_PARENT = True" + PAST_THE_GATE)
    finished = run(ROOT / "scenarios/explore", "--client", command, "--faults", "none",
                   *ON_ONE_MACHINE)
    if os.geteuid() == 0:
        assert finished.code == 2, finished
        assert finished.err == "explore: a client has spoken to the server past its gate\n"


@pytest.mark.parametrize("race, way", [("crash_holding", ["--virtual"]), ("restart_empty", ["--virtual"]),
                                       ("failover", ["--virtual"]), ("two_processes", [])])
def test_a_race_counts_its_own_connections(race, way):
    command = "build/clients/stage6_watchdog"
    finished = run(ROOT / "scenarios" / race, "--client", command, *way)
    assert "past its gate" not in finished.out, finished


# --- the race's name ---------------------------------------------------------

# What it can read about itself, the process that has started it, that one's parent
# if it is a program of ours, and its siblings: all of it in one line.
READS = """
import glob
def read(path):
    try:
        return open(path, "rb").read().replace(b"\\0", b" ").decode(errors="replace")
    except OSError:
        return ""
def about(process):
    files = ["cmdline", "comm", "stat", "status"] + ["environ"] * (process == "self")
    return " ".join(read(f"/proc/{process}/{file}") for file in files)
def parent(process):
    return read(f"/proc/{process}/status").split("PPid:")[1].split()[0]
def answer(word):
    runner = str(os.getppid())
    family = ["self", runner, *read(f"/proc/{runner}/task/{runner}/children").split()]
    if "lockstep" in read(f"/proc/{parent(runner)}/comm"):
        family.append(parent(runner))
    said = " ".join(map(about, family)) + os.getcwd()
    folder = os.path.dirname(os.path.dirname(os.environ["REDIS_URL"].removeprefix("unix://")))
    said += " ".join(glob.glob(folder + "/**", recursive=True))
    return "error " + ("it is this race" if "two_processes" in said else "it is any race")
"""


@pytest.mark.parametrize("way", [["--virtual"], []], ids=["virtual", "real"])
def test_a_client_cannot_read_the_race_s_name(guest, way):
    finished = run(ROOT / "scenarios/two_processes", "--client", guest(READS), *way, *ON_ONE_MACHINE,
                   env={"SOME_VARIABLE": "./scenarios/two_processes"})
    assert "error: it is any race" in finished.out, finished
    assert "it is this race" not in finished.out


# --- output ------------------------------------------------------------------

@pytest.mark.parametrize("way", [["--virtual"], []], ids=["virtual", "real"])
def test_a_client_that_writes_and_writes(guest, way):
    """500 MB of it came through once."""
    command = guest("def answer(word):\n    sys.stderr.write('x' * 999999)\n    return 'ok'\n")
    finished = run_real(ROOT / "scenarios/two_processes", "--client", command, *way)
    assert finished.code == 1, finished.err[-1000:]
    said = ("\ntwo_processes: the rest of what this client writes to its standard error is left "
            "out\n")
    assert finished.err == ("x" * 65536 + said) * 2


def test_a_client_s_last_words_come_through(guest):
    finished = run(ROOT / "scenarios/two_processes", "--virtual", "--client",
                   guest("def answer(word):\n    sys.exit('these are my last words')\n"))
    assert finished.err == ("these are my last words\n"
                            "two_processes: client A exited with 1 (enter)\n"), finished


def test_a_line_without_an_end(guest):
    finished = run(ROOT / "scenarios/two_processes", "--virtual", "--client",
                   guest("def answer(word):\n    while True: sys.stdout.write('x' * 9999)\n"))
    assert (finished.code, finished.out) == (2, "")
    assert finished.err.startswith("two_processes: client A wrote something that is not a line of text "
                                   "(enter)\n"), finished
