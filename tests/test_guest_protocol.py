"""What a guest can be, and what its answers mean. The guests here are a few lines
of Python each, and hold no lock."""

import sys

import pytest

from lockstep import ROOT, run

# Commands to its server as text, and answers by word.
GUEST = """
import os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect(os.environ["REDIS_URL"].removeprefix("unix://"))
def call(*words):
    server.sendall(b"*%d\\r\\n" % len(words) + b"".join(
        b"$%d\\r\\n%s\\r\\n" % (len(word), word) for word in map(str.encode, words)))
    return server.recv(1000).decode()
print("ready", flush=True)
for line in sys.stdin:
    word = line.split()[0]
    print(answer(word), flush=True)
"""


@pytest.fixture
def guest(tmp_path):
    """A command for --client: `script` defines answer(word)."""
    def make(script):
        path = tmp_path / "guest.py"
        path.write_text(script + GUEST)
        return f"{sys.executable} {path}"

    return make


def played(race, command, *options):
    return run(ROOT / "scenarios" / race, "--virtual", "--client", command, *options)


@pytest.mark.parametrize("held, verdict", [("lost", "HOLDS"), ("ok", "BROKEN"),
                                           ("unknown it did not answer", "BROKEN"),
                                           ("error refused", "BROKEN")])
def test_only_lost_is_knowing(guest, held, verdict):
    """The same for the judge of who is inside and of who must know."""
    answers = {"enter": "ok", "leave": "ok", "held": held}
    command = guest(f"answers = {answers}\ndef answer(word): return answers[word]\n")
    assert played("loss_untold", command).verdict == verdict
    assert played("cut_off_holder", command).verdict == verdict


def test_a_function_can_change_the_lock(guest):
    """What FCALL does is not in its flags, so it is what a story holds back."""
    command = guest("""
def answer(word):
    if word == "leave":
        call("GET", "lock")
        call("FCALL", "release", "1", "lock")
    return "ok"
""")
    assert "FCALL release 1 lock <held>" in played("delayed_delete", command).out
