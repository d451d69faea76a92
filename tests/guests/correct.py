"""Correct locks, built in other ways than those of the stages: correct.py NAME is a guest for one of them.

Each class is one way. It changes what is different, and no more: where the lock lies, what it is made of, with which
commands it is taken and given back, how a holder knows that it has it. tests/all/test_correct_locks.py holds their
verdicts against those of the stage that promises the same."""

import json
import os
import socket
import sys
import threading
import time

KEY, LEASE_MS = os.environ.get("LOCK_KEY", "lock"), int(os.environ.get("LOCK_LEASE_MS", "30000"))
PATH = os.environ.get("REDIS_URL", "").removeprefix("unix://")


class Silent(Exception):
    """No answer came."""


class Refused(Exception):
    """The server has answered with an error."""


class Late(Exception):
    """The grant came when the lease was over."""


class Server:
    """A connection, opened when it is needed; no command is sent twice."""

    def __init__(self):
        self.socket, self.input = None, None

    def close(self, why):
        if self.socket:
            self.socket.close()
        self.socket = None
        raise Silent(why)

    def open(self):
        self.socket = socket.socket(socket.AF_UNIX)
        try:
            self.socket.connect(PATH)
        except OSError as error:
            self.close(error.strerror)
        self.input = self.socket.makefile("rb")

    def has_ended(self):
        try:
            return self.socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def send(self, *commands):
        if self.socket is None or self.has_ended():
            self.open()
        parts = []
        for command in commands:
            words = [str(word).encode() for word in command]
            parts.append(b"*%d\r\n" % len(words))
            parts += [b"$%d\r\n%s\r\n" % (len(word), word) for word in words]
        try:
            self.socket.sendall(b"".join(parts))
        except OSError as error:
            self.close(error.strerror)

    def answer(self):
        try:
            line = self.input.readline()
        except OSError as error:
            self.close(error.strerror)
        if not line.endswith(b"\r\n"):
            self.close("the connection was closed")
        kind, rest = line[:1], line[1:-2].decode()
        if kind == b"-":
            return Refused(rest)
        if kind == b"+":
            return rest
        if kind == b":":
            return int(rest)
        if int(rest) < 0:
            return None
        if kind == b"$":
            return self.input.read(int(rest) + 2)[:-2].decode()
        return [self.answer() for _ in range(int(rest))]

    def one(self, *command):
        return self.all(command)[0]

    def all(self, *commands):
        """Sent together."""
        self.send(*commands)
        answers = [self.answer() for _ in commands]
        for answer in answers:
            if isinstance(answer, Refused):
                raise answer
        return answers


server = Server()


class Lock:
    """SET NX PX with a token, and a script that compares before it deletes. The other locks differ from this one."""

    key = KEY
    place = "%s"    # where the lock lies, for --at
    like = "stage5"  # promises the same
    more = ()        # races that it holds as well

    def __init__(self):
        self.end, self.made = 0, 0
        self.values = []  # of holds that may be ours

    def token(self):
        return os.urandom(16).hex()

    def take(self, value):
        return server.one("SET", self.key, value, "NX", "PX", LEASE_MS) == "OK"

    def give(self, value):
        return server.one("EVAL", "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) "
                          "else return 0 end", 1, self.key, value) == 1

    def enter(self):
        asked = time.monotonic()
        value = self.token()
        try:
            if not self.take(value):
                return False
        except Silent:
            self.values.append(value)
            raise
        self.values = [value]
        return self.got_in(asked)

    def got_in(self, asked):
        self.end = asked + LEASE_MS / 1000
        if not self.held():
            raise Late
        return True

    def leave(self):
        ours = [self.give(value) for value in self.values]
        self.values, self.end = [], 0
        return any(ours)

    def held(self):
        return time.monotonic() < self.end

    def write(self):
        return server.one("SET", "resource", "written") == "OK"


class Prefixed(Lock):
    """Under a hash tag, with words before and after the name."""
    key, place = f"app:{{{KEY}}}:mutex", "app:{%s}:mutex"


class Counter(Lock):
    """The token is a number that the server counts."""
    def token(self):
        return f"n{server.one('INCR', self.key + ':tokens')}"


class Named(Lock):
    """The token is a host, a process and a number; here the host is drawn at the start."""
    host = os.urandom(4).hex()

    def token(self):
        self.made += 1
        return f"{self.host}:{os.getpid()}:{self.made}"


class Evaluated(Lock):
    """A script takes it: SETNX, then PEXPIRE."""
    def take(self, value):
        return server.one("EVAL", "if redis.call('SETNX', KEYS[1], ARGV[1]) == 0 then return 0 end "
                          "return redis.call('PEXPIRE', KEYS[1], ARGV[2])", 1, self.key, value, LEASE_MS) == 1


class Library(Lock):
    """A library of functions in the server takes it and gives it back."""
    CODE = """#!lua name=mutex
redis.register_function('take', function(keys, args)
    return redis.call('SET', keys[1], args[1], 'NX', 'PX', args[2]) and 1 or 0
end)
redis.register_function('give', function(keys, args)
    if redis.call('GET', keys[1]) ~= args[1] then return 0 end
    return redis.call('UNLINK', keys[1])
end)"""

    def call(self, *words):
        try:
            return server.one("FCALL", *words)
        except Refused as refused:
            if "not found" not in str(refused):
                raise
        server.one("FUNCTION", "LOAD", "REPLACE", self.CODE)
        return server.one("FCALL", *words)

    def take(self, value):
        return self.call("take", 1, self.key, value, LEASE_MS) == 1

    def give(self, value):
        return self.call("give", 1, self.key, value) == 1


class Watched(Lock):
    """WATCH, GET, MULTI, DEL, EXEC gives it back."""
    def give(self, value):
        if server.all(("WATCH", self.key), ("GET", self.key))[1] != value:
            server.one("UNWATCH")
            return False
        return server.all(("MULTI",), ("DEL", self.key), ("EXEC",))[2] == [1]


class WithDeadline(Lock):
    """The value tells people, too, when it ends."""
    def token(self):
        return f"{super().token()}:{int(time.time()) + LEASE_MS // 1000}"


class Json(Lock):
    """The value is a document; the script compares its owner."""
    def token(self):
        return json.dumps({"owner": super().token(), "purpose": "nightly job"})

    def give(self, value):
        return server.one("EVAL", "local value = redis.call('GET', KEYS[1]) if not value or cjson.decode(value).owner ~= "
                          "ARGV[1] then return 0 end return redis.call('DEL', KEYS[1])", 1, self.key,
                          json.loads(value)["owner"]) == 1


class Emptied(Lock):
    """An empty value is free: a release writes one, for a lease."""
    def take(self, value):
        return server.one("EVAL", "local value = redis.call('GET', KEYS[1]) if value and value ~= '' then return 0 end "
                          "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1", 1, self.key, value,
                          LEASE_MS) == 1

    def give(self, value):
        return server.one("EVAL", "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end "
                          "redis.call('SET', KEYS[1], '', 'PX', ARGV[2]) return 1", 1, self.key, value, LEASE_MS) == 1


class SetGet(Lock):
    """SET NX GET: it answers with what stood there, and nil is yes."""
    def take(self, value):
        return server.one("SET", self.key, value, "NX", "GET", "PX", LEASE_MS) is None


class Hash(Lock):
    """A hash with the owner in a field."""
    def take(self, value):
        return server.one("EVAL", "if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end redis.call('HSET', KEYS[1], "
                          "'owner', ARGV[1]) return redis.call('PEXPIRE', KEYS[1], ARGV[2])", 1, self.key, value,
                          LEASE_MS) == 1

    def give(self, value):
        return server.one("EVAL", "if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end "
                          "return redis.call('DEL', KEYS[1])", 1, self.key, value) == 1


class Seconds(Lock):
    """EX, in whole seconds, rounded up."""
    def take(self, value):
        return server.one("SET", self.key, value, "NX", "EX", (LEASE_MS + 999) // 1000) == "OK"


class AtATime(Lock):
    """It ends at a time of the server's clock."""
    def take(self, value):
        return server.one("EVAL", "if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end local now = redis.call('TIME') "
                          "redis.call('SET', KEYS[1], ARGV[1], 'PXAT', now[1] * 1000 + math.floor(now[2] / 1000) + "
                          "ARGV[2]) return 1", 1, self.key, value, LEASE_MS) == 1


class Pipelined(Lock):
    """Sends SET and GET together, and believes the GET."""
    def take(self, value):
        return server.all(("SET", self.key, value, "NX", "PX", LEASE_MS), ("GET", self.key))[1] == value


class TwoConnections(Lock):
    """Takes it on one connection, and gives it back on another."""
    other = Server()

    def give(self, value):
        global server
        server, self.other = self.other, server
        try:
            return super().give(value)
        finally:
            server, self.other = self.other, server


class Asking(Lock):
    """A holder that asks the server whether it still has the lock, and its own clock if no answer comes."""
    def held(self):
        try:
            return self.values != [] and server.one("GET", self.key) in self.values
        except Silent:
            return super().held()


class Words(Lock):
    """The script answers in words."""
    def give(self, value):
        return server.one("EVAL", "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.status_reply('NO') end "
                          "redis.call('DEL', KEYS[1]) return redis.status_reply('YES')", 1, self.key, value) == "YES"


class Ended(Lock):
    """A release lets the lock end at once, with PEXPIRE 0."""
    def give(self, value):
        return server.one("EVAL", "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end "
                          "return redis.call('PEXPIRE', KEYS[1], 0)", 1, self.key, value) == 1


class Renewed(Lock):
    """A thread with a connection of its own renews it, three times a lease."""
    like = "stage6"

    def __init__(self):
        super().__init__()
        self.changed, self.wire = threading.Condition(), Server()
        threading.Thread(target=self.renew, daemon=True).start()

    def renew(self):
        while True:
            with self.changed:
                if self.end == 0:
                    self.changed.wait()
                    continue
                value = self.values[-1]
                if self.changed.wait(LEASE_MS / 3000):
                    continue
            asked = time.monotonic()
            try:
                ours = self.wire.one("EVAL", "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end "
                                     "return redis.call('PEXPIRE', KEYS[1], ARGV[2])", 1, self.key, value, LEASE_MS)
            except (Silent, Refused):
                continue
            with self.changed:
                if self.end and value in self.values:
                    self.end = asked + LEASE_MS / 1000 if ours else 0

    def enter(self):
        if not super().enter():
            return False
        with self.changed:
            self.changed.notify()
        return True

    def leave(self):
        with self.changed:
            self.end = 0
            self.changed.notify()
        return super().leave()


class Reentrant(Lock):
    """A hash with a count, as several libraries have it. A hold has a token, from its first entry to its last release."""
    more = ("nested_call", "inner_release")
    owner, depth = None, 0

    def enter(self):
        asked = time.monotonic()
        self.owner = self.owner or self.token()
        count = server.one("EVAL", "if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 "
                           "then return 0 end local count = redis.call('HINCRBY', KEYS[1], ARGV[1], 1) "
                           "redis.call('PEXPIRE', KEYS[1], ARGV[2]) return count", 1, self.key, self.owner, LEASE_MS)
        self.depth = count or self.depth
        return count > 0 and self.got_in(asked)

    def give(self, owner):
        return server.one("EVAL", "if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return -1 end local count = "
                          "redis.call('HINCRBY', KEYS[1], ARGV[1], -1) if count < 1 then redis.call('DEL', KEYS[1]) end "
                          "return count", 1, self.key, owner)

    def leave(self):
        if self.depth > 1:
            left = self.give(self.owner)
        else:  # with what an earlier release may have left
            if self.owner:
                self.values.append(self.owner)
            self.owner, self.depth = None, 0
            left = max([self.give(value) for value in self.values], default=-1)
            self.values = []
        if left <= 0:
            self.owner, self.depth, self.end = None, 0, 0
        else:
            self.depth = left
        return left >= 0


class Fenced(Lock):
    """One counter of fencing tokens for all locks; the resource refuses a smaller number."""
    more = ("stop_the_world", "stale_write", "write_after_told_lost")
    number = 0

    def take(self, value):
        got = server.one("EVAL", "if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end "
                         "return redis.call('INCR', 'fences')", 1, self.key, value, LEASE_MS)
        if got:
            self.number = got
        return got > 0

    def write(self):
        return server.one("EVAL", "local seen = tonumber(redis.call('GET', 'seen') or 0) if tonumber(ARGV[1]) < seen then "
                          "return 0 end redis.call('SET', 'seen', ARGV[1]) redis.call('SET', KEYS[1], ARGV[2]) return 1",
                          1, "resource", self.number, "written") == 1


LOCKS = {cls.__name__: cls for cls in (
    Lock, Prefixed, Counter, Named, Evaluated, Library, Watched, WithDeadline, Json, Emptied, SetGet, Hash, Seconds,
    AtATime, Pipelined, TwoConnections, Asking, Words, Ended, Renewed, Reentrant, Fenced)}


def answer(lock, word):
    try:
        right = getattr(lock, word)()
    except Silent as silent:
        return f"unknown {silent}"
    except Refused as refused:
        return f"error {refused}"
    except Late:
        return "lost"
    return "ok" if right else "busy" if word == "enter" else "lost"


def main():
    lock = LOCKS[sys.argv[1]]()
    print("ready", flush=True)
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "quit":
            break
        known = word in ("enter", "leave", "held", "write") and not rest
        print(answer(lock, word) if known else "cannot", flush=True)


if __name__ == "__main__":
    main()
