"""Ordinary Redis servers and clients, without the harness: real time."""

import os
import select
import socket
import subprocess
import time

import pytest

from lockstep import ROOT

LIMIT_S = 600  # for what should take a moment: a limit for hangs only
LONG_MS = 60_000  # a lease that no busy machine lets run out within a test


class Server:
    """A redis-server as anybody would start it, on a socket and a port."""

    def __init__(self, folder, *options):
        self.path = folder / "redis.sock"
        self.port = free_port()
        self.process = subprocess.Popen(
            [os.environ.get("REDIS_SERVER") or "redis-server", "--port", str(self.port),
             "--unixsocket", self.path, "--dir", folder, "--save", "", *options],
            stdout=subprocess.PIPE)
        self.wait_for("eady to accept connections")
        self.url = f"unix://{self.path}"

    def wait_for(self, words):
        """Until they stand in its log."""
        log, seen, end = self.process.stdout.fileno(), "", time.monotonic() + LIMIT_S
        while words not in seen:
            ready, _, _ = select.select([log], [], [], max(0, end - time.monotonic()))
            piece = os.read(log, 4096) if ready else b""
            if not piece:
                self.end()
                how = "ended" if ready else f"was silent for {LIMIT_S} s"
                raise AssertionError(f"the server {how} before it said '{words}': {seen}")
            seen += piece.decode()

    def command(self, *words):
        """One command; the first line of the answer, or the string that it announces."""
        with socket.socket(socket.AF_UNIX) as wire:
            wire.settimeout(LIMIT_S)
            wire.connect(str(self.path))
            wire.sendall(b"*%d\r\n" % len(words) + b"".join(
                b"$%d\r\n%s\r\n" % (len(word), word) for word in map(str.encode, words)))
            answer = wire.makefile("rb")
            try:
                line = answer.readline().decode().strip()
                text = line[0] == "$" and line != "$-1"
                return answer.read(int(line[1:])).decode() if text else line
            except TimeoutError:
                raise AssertionError(f"no answer to {' '.join(words)} for {LIMIT_S} s") from None

    def end(self):
        self.process.kill()
        self.process.communicate(timeout=LIMIT_S)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Client:
    """A stage's client as a plain program."""

    def __init__(self, lock, url, lease_ms=LONG_MS, key="lock", by_environment=False, **variables):
        keys = [key] if isinstance(key, str) else key
        options = [*(f"--key={each}" for each in keys), "--lease-ms", str(lease_ms)]
        environment = {**os.environ, "REDIS_URL": url, **variables}
        if by_environment:
            options = []
            environment |= {"LOCK_KEY": key, "LOCK_LEASE_MS": str(lease_ms)}
        self.process = subprocess.Popen(
            [ROOT / "build/clients" / lock, *options], env=environment, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.line("its start") == "ready enter-for wait write-apart reopen reopen-for"

    def line(self, what="what it was told"):
        ready, _, _ = select.select([self.process.stdout], [], [], LIMIT_S)
        assert ready, f"no answer to {what} for {LIMIT_S} s"
        return self.process.stdout.readline().strip()

    def tell(self, word):
        self.process.stdin.write(word + "\n")

    def say(self, word):
        self.tell(word)
        return self.line(word)

    def until(self, word, answer):
        """Says it again and again until the answer begins like this."""
        end = time.monotonic() + LIMIT_S
        while not (said := self.say(word)).startswith(answer):
            assert time.monotonic() < end, f"{word} was answered with {said}, never with {answer}"

    def kill(self):
        self.process.kill()
        self.process.communicate(timeout=LIMIT_S)

    def quit(self):
        self.process.communicate("quit\n", timeout=LIMIT_S)
        return self.process.returncode


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("redis"))
    yield server
    server.end()


@pytest.fixture
def client(server):
    made = []

    def make(lock, **more):
        made.append(Client(lock, more.pop("url", server.url), **more))
        return made[-1]

    yield make
    for each in made:
        each.kill()
