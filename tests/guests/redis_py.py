"""A guest: redis-py's own Lock, unmodified, in the client protocol.

    ./scenarios/expired_delete --client '/usr/bin/python3 tests/guests/redis_py.py'
"""

import os
import sys

import redis
from redis.exceptions import LockError, RedisError

server = redis.Redis.from_url(os.environ["REDIS_URL"])
locks = {os.environ[name]: server.lock(os.environ[name], blocking=False,
                                       timeout=int(os.environ["LOCK_LEASE_MS"]) / 1000)
         for name in ("LOCK_KEY", "LOCK_SECOND_KEY") if name in os.environ}


def enter(lock):
    return "ok" if lock.acquire() else "busy"


def leave(lock):
    try:
        lock.release()
    except LockError:  # LockNotOwnedError too
        return "lost"
    return "ok"


def held(lock):
    return "ok" if lock.owned() else "lost"


def write(_):
    server.set("resource", "written")
    return "ok"


server.ping()
print("ready", flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    keys = [key for key in rest if not key.startswith("@")]
    lock = locks[keys[0] if keys else os.environ["LOCK_KEY"]]
    if word == "quit":
        break
    if len(keys) < len(rest):
        answer = "cannot its Lock has no life in another thread here"
    else:
        try:
            answer = {"enter": enter, "leave": leave, "held": held, "write": write}[word](lock)
        except (redis.ConnectionError, redis.TimeoutError) as error:
            answer = f"unknown {error}"
        except RedisError as error:
            answer = f"error {error}"
    print(answer, flush=True)
