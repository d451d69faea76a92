"""Ordinary Redis servers and clients, without the harness: real time."""

import os
import select
import socket
import subprocess

from lockstep import ROOT

LIMIT_S = 20  # for anything that should take a moment


class Server:
    """A redis-server as anybody would start it, on a socket and a port."""

    def __init__(self, folder, *options):
        self.path = folder / "redis.sock"
        self.port = free_port()
        self.process = subprocess.Popen(
            [os.environ.get("REDIS_SERVER") or "redis-server", "--port", str(self.port),
             "--unixsocket", self.path, "--dir", folder, "--save", "", *options],
            stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "eady to accept connections" in line:
                break
        else:
            raise AssertionError("the server did not start")
        self.url = f"unix://{self.path}"

    def command(self, *words):
        """One command; the first line of the answer, or the string that it announces."""
        with socket.socket(socket.AF_UNIX) as wire:
            wire.settimeout(LIMIT_S)
            wire.connect(str(self.path))
            wire.sendall(b"*%d\r\n" % len(words) + b"".join(
                b"$%d\r\n%s\r\n" % (len(word), word) for word in map(str.encode, words)))
            answer = wire.makefile("rb")
            line = answer.readline().decode().strip()
            text = line[0] == "$" and line != "$-1"
            return answer.read(int(line[1:])).decode() if text else line

    def end(self):
        self.process.kill()
        self.process.communicate()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Client:
    """A stage's client as a plain program."""

    def __init__(self, lock, url, lease_ms=300, key="lock", by_environment=False):
        options = ["--key", key, "--lease-ms", str(lease_ms)]
        environment = {**os.environ, "REDIS_URL": url}
        if by_environment:
            options = []
            environment |= {"LOCK_KEY": key, "LOCK_LEASE_MS": str(lease_ms)}
        self.process = subprocess.Popen(
            [ROOT / "build/clients" / lock, *options], env=environment, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.line() == "ready"

    def line(self):
        ready, _, _ = select.select([self.process.stdout], [], [], LIMIT_S)
        assert ready, "no answer"
        return self.process.stdout.readline().strip()

    def tell(self, word):
        self.process.stdin.write(word + "\n")

    def say(self, word):
        self.tell(word)
        return self.line()

    def until(self, word, answer):
        """Says it again and again until the answer begins like this."""
        import time
        end = time.monotonic() + LIMIT_S
        while not (said := self.say(word)).startswith(answer):
            assert time.monotonic() < end, f"{word} was answered with {said}, never with {answer}"

    def kill(self):
        self.process.kill()
        self.process.communicate()

    def quit(self):
        self.process.communicate("quit\n", timeout=LIMIT_S)
        return self.process.returncode
