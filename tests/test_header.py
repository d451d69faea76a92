"""The head of a trace names race, lock, lease and server, Valkey by its own name."""

import os
import sys

import pytest

from lockstep import run
from world import executable

# A server without a key: enough for a race on stage 0, which never asks it.
KEYLESS = rf"""#!{sys.executable}
import os, socket, sys, time
def bulk(text):
    return f"${{len(text)}}\r\n{{text}}\r\n"
info = f"# Server\r\n{{os.environ['INFO']}}\r\nprocess_id:{{os.getpid()}}\r\n"
answers = {{"PING": "+PONG\r\n", "INFO": bulk(info), "TYPE": "+none\r\n", "PTTL": ":-2\r\n", "GETRANGE": "$0\r\n\r\n",
           "HGETALL": "*0\r\n", "DBSIZE": ":0\r\n", "DEBUG": "+OK\r\n"}}
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[sys.argv.index("--unixsocket") + 1])
listener.listen()
print("ready", flush=True)
while True:
    wire, _ = listener.accept()
    asked = wire.makefile("r", newline="\r\n")
    while line := asked.readline():
        words = [(asked.readline(), asked.readline())[1].strip() for _ in range(int(line[1:]))]
        now = f"*2\r\n{{bulk(str(int(time.time())))}}{{bulk('0')}}"  # the world's: it lives in it
        wire.sendall((now if words[0] == "TIME" else answers[words[0]]).encode())
"""


@pytest.mark.parametrize("info, name", [
    ("redis_version:7.4.1", "redis 7.4.1"),
    ("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1", "valkey 8.0.1"),
], ids=["redis", "valkey"])
def test_the_server_has_its_name(tmp_path, info, name):
    finished = run("./scenarios/two_processes", "--stage", "0",
                   env={"REDIS_SERVER": executable(tmp_path, KEYLESS), "INFO": info})
    head = finished.out.splitlines()[0]
    assert head.startswith("two_processes on stage0_mutex  "), finished
    assert head.endswith(f"  {name}, lease 30 s"), finished
    assert len(head) == 100


def test_the_real_server_has_its_name():
    said = run(os.environ.get("REDIS_SERVER") or "redis-server", "--version").out
    kind, version = said.split()[0].lower(), said.split("v=")[1].split()[0]
    finished = run("./scenarios/two_processes", "--stage", "4")
    assert finished.out.splitlines()[0].endswith(f"  {kind} {version}, lease 30 s")
