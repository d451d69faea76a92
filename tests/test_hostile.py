"""What a client can find out about its run, and what it can do past its gate: as little
as the kernel allows."""

import os
import re

import pytest

from lockstep import ROOT, run

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
    paths = set(glob.glob(os.path.dirname(gate) + "/**", recursive=True))
    paths = {path for path in paths if not path.endswith((".gate", ".waits"))}
    if LOOKS_AT_PARENT:
        paths |= set(glob.glob(f"/proc/{os.getppid()}/fd/*"))
    return "unknown reached " + str(sum(map(reach, sorted(paths))))
"""


@pytest.mark.parametrize("race", ["two_processes", "restart_empty", "failover"])
def test_the_server_s_socket_is_not_to_be_found(guest, race):
    command = guest("LOOKS_AT_PARENT = False" + PAST_THE_GATE)
    finished = run(ROOT / "scenarios" / race, "--client", command, "--virtual")
    assert "reached 0" in finished.out and "past its gate" not in finished.out, finished


@pytest.mark.parametrize("way", [["--virtual"], []], ids=["virtual", "real"])
def test_who_speaks_to_the_server_past_the_gate_is_seen(guest, way):
    """Only root can: for others the runner's descriptors are closed."""
    command = guest("LOOKS_AT_PARENT = True" + PAST_THE_GATE)
    finished = run(ROOT / "scenarios/two_processes", "--client", command, *way)
    reached = int(re.search(r"reached (\d)", finished.out)[1])
    assert (reached > 0) == (os.geteuid() == 0), finished
    if reached:
        assert finished.code == 3, finished
        assert "INCONCLUSIVE: A client has spoken to the server past its gate.\n" in finished.out


def test_a_search_sees_it_too(guest):
    command = guest("LOOKS_AT_PARENT = True" + PAST_THE_GATE)
    finished = run(ROOT / "scenarios/explore", "--client", command, "--faults", "none")
    if os.geteuid() == 0:
        assert finished.code == 2, finished
        assert finished.err == "explore: a client has spoken to the server past its gate\n"


@pytest.mark.parametrize("race, way", [("crash_holding", ["--virtual"]), ("restart_empty", ["--virtual"]),
                                       ("failover", ["--virtual"]), ("two_processes", [])])
def test_a_race_counts_its_own_connections(race, way):
    command = "build/clients/stage6_watchdog"
    finished = run(ROOT / "scenarios" / race, "--client", command, *way)
    assert "past its gate" not in finished.out, finished
