"""What all guests in this folder share: the client protocol (docs/protocol.md) around a published
lock library for Python, unmodified.

A guest gives guest() a function that makes its library's lock for a key: an object with enter,
leave and held. They do what the library's manual says, and return its answer: True, False (busy,
or lost), or what it throws. redis-py sends no command twice, and connects again by itself."""

import os
import sys

import redis

WAITS = "LOCK_WAITS" in os.environ  # an attempt does, as the library does by itself (for ./bench)
os.environ["XDG_CACHE_HOME"] = os.devnull  # a machine is kept for the next race only if nobody writes there
SILENT = (redis.ConnectionError, redis.TimeoutError)


def loaded():
    """All modules are loaded, and nothing is connected: copies of this process may go on from here.
    Returns the lease in milliseconds, and where the server is."""
    if "LOCK_LOADED" in os.environ:
        with open(os.environ["LOCK_LOADED"]) as variables:
            os.environ.update(variable.split("=", 1) for variable in variables.read().split("\0")[:-1])
    return int(os.environ["LOCK_LEASE_MS"]), os.environ["REDIS_URL"]


def reason(error):
    """No answer, or one in which the server refuses. The client's own error lies inside the library's."""
    inner = error
    while not isinstance(inner, redis.RedisError) and (inner.__cause__ or inner.__context__):
        inner = inner.__cause__ or inner.__context__
    return f"{'unknown' if isinstance(inner, SILENT) else 'error'} {str(inner).splitlines()[0]}"


def answer(lock, word, server, errors):
    try:
        right = server.set("resource", "written") if word == "write" else getattr(lock, word)()
    except errors + (redis.RedisError,) as error:
        return reason(error)
    return "ok" if right else "busy" if word == "enter" else "lost"


def guest(make, *errors):
    """`errors`: what the library throws in place of redis-py's own."""
    server = redis.Redis.from_url(os.environ["REDIS_URL"])
    server.ping()
    locks = {os.environ[name]: make(os.environ[name])
             for name in ("LOCK_KEY", "LOCK_SECOND_KEY") if name in os.environ}
    print("ready", flush=True)
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "quit":
            break
        keys = [key for key in rest if not key.startswith("@")]
        lock = locks.get(keys[0] if keys else os.environ["LOCK_KEY"])
        if len(keys) < len(rest):
            said = "cannot it has one thread"
        elif lock is None or word not in ("enter", "leave", "held", "write"):
            said = f"cannot this guest does not know {line.strip()}"
        else:
            said = answer(lock, word, server, errors)
        print(said, flush=True)
