"""Unmodified libraries from packages, put through the races: what docs/guests.md
says of them. In real time; so only races without an exact instant."""

import json
import shutil
import subprocess

import pytest

from lockstep import ROOT, TESTS, run

HOLDS, BROKEN, CANNOT = "holds", "broken", "cannot"

REDIS_PY = {
    "two_processes": HOLDS, "crash_holding": HOLDS, "expired_delete": HOLDS,
    "delayed_delete": HOLDS, "check_then_delete": CANNOT, "stranger_releases": HOLDS,
    "release_twice": HOLDS, "half_of_two_locks": HOLDS, "loss_untold": HOLDS,
    "script_flush": HOLDS, "hung_worker": HOLDS, "renewal_steals": CANNOT,
    "thread_hop": CANNOT, "client_clock_fast": CANNOT, "lost_release_answer": HOLDS,
    "same_second_deadline": HOLDS, "late_retry_kills_next_hold": CANNOT, "delayed_write": BROKEN,
    "work_outlives_lease": BROKEN, "stop_the_world": BROKEN, "cut_off_holder": BROKEN,
    "nested_call": BROKEN, "restart_empty": BROKEN, "forced_unlock": BROKEN, "failover": BROKEN,
}

REDIS_SEMAPHORE = {
    "two_processes": HOLDS, "crash_holding": HOLDS, "work_outlives_lease": HOLDS,
    "expired_delete": HOLDS, "stranger_releases": HOLDS, "release_twice": HOLDS,
    "script_flush": HOLDS, "check_then_delete": CANNOT, "delayed_write": BROKEN,
    "lost_release_answer": HOLDS, "same_second_deadline": HOLDS,
    "stop_the_world": BROKEN, "hung_worker": BROKEN, "cut_off_holder": BROKEN,
    "nested_call": BROKEN, "restart_empty": BROKEN, "forced_unlock": BROKEN, "failover": BROKEN,
}


def table(races, *options):
    finished = run("./scenarios/matrix", "--format", "tsv", *options, *races, timeout=600)
    assert finished.code == 0, finished
    _, *rows = (line.split("\t") for line in finished.out.splitlines())
    return dict(rows)


def python_with_redis():
    for python in ("python3", "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import redis.lock"], capture_output=True).returncode == 0:
            return python
    pytest.skip("redis-py is not installed")


def test_redis_py():
    assert table(REDIS_PY, "--client", f"{python_with_redis()} tests/guests/redis_py.py") == REDIS_PY


def test_redis_py_only_reads_the_clock():
    """So it can live in the world's time, and prints the same bytes twice."""
    command = ["./scenarios/expired_delete", "--virtual", "--client",
               f"{python_with_redis()} tests/guests/redis_py.py"]
    first = run(*command)
    assert first.code == 0, first
    assert "\nHOLDS\n" in first.out
    assert run(*command).out == first.out


def test_redis_semaphore():
    if not shutil.which("node") or not (TESTS / "guests/node_modules").exists():
        pytest.skip("npm install --prefix tests/guests has not been run")
    assert table(REDIS_SEMAPHORE, "--key", "mutex:lock", "--client",
                 "node tests/guests/redis_semaphore.mjs") == REDIS_SEMAPHORE


def test_a_guest_is_named_in_the_trace():
    finished = run("./scenarios/two_processes", "--format", "json", "--client",
                   f"{python_with_redis()} {ROOT}/tests/guests/redis_py.py")
    assert json.loads(finished.out)["lock"] == "client"
