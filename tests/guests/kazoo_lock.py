"""A guest on ZooKeeper: kazoo's own Lock, unmodified, in the client protocol.

    ./scenarios/crash_holding --engine zookeeper --lease 2 --client '/usr/bin/python3 tests/guests/kazoo_lock.py'
"""

import logging
import os
import sys

from kazoo.client import KazooClient
from kazoo.exceptions import (ConnectionClosedError, ConnectionLoss, KazooException, LockTimeout,
                              OperationTimeoutError, SessionExpiredError)
from kazoo.protocol.states import KazooState

logging.disable(logging.CRITICAL)  # it logs what it also raises
session = {"hosts": os.environ["ZOOKEEPER_HOSTS"], "timeout": int(os.environ["LOCK_LEASE_MS"]) / 1000}
zookeeper = KazooClient(**session)
resource = KazooClient(**session)  # as if it were on another server
locks = {os.environ[name]: zookeeper.Lock("/" + os.environ[name])
         for name in ("LOCK_KEY", "LOCK_SECOND_KEY") if name in os.environ}
doubts = 0  # how often the session was not heard for a while, or has ended
doubts_before = {}  # how often before each hold


@zookeeper.add_listener
def listen(state):
    global doubts
    if state != KazooState.CONNECTED:
        doubts += 1


def is_sure(lock):
    return lock.is_acquired and doubts_before[lock] == doubts


def enter(lock, **how):
    if lock.is_acquired and not is_sure(lock):
        return "lost"  # it would say for ever that somebody has the lock
    before = doubts
    try:
        got_in = lock.acquire(**how)
    except LockTimeout:
        got_in = False
    if got_in:
        doubts_before[lock] = before
        return "ok"
    return "busy" if before == doubts else "unknown its node may still be in the queue"


def wait(lock, patience_ms):
    return enter(lock, timeout=int(patience_ms) / 1000)


def leave(lock):
    return "ok" if lock.release() else "lost"


def held(lock):
    return "ok" if is_sure(lock) else "lost"


def write(_):
    if not resource.connected:
        resource.start(timeout=session["timeout"])
    resource.retry(resource.set, "/resource", b"written")
    return "ok"


def do(word, *rest):
    numbers = [text for text in rest if text.isdigit()]
    keys = [text for text in rest if not text.isdigit()]
    lock = locks[keys[0] if keys else os.environ["LOCK_KEY"]]
    if word == "enter":
        return enter(lock, blocking=False)
    return {"wait": wait, "leave": leave, "held": held, "write": write}[word](lock, *numbers)


zookeeper.start()
print("ready wait", flush=True)
for line in sys.stdin:
    words = line.split()
    if words[0] == "quit":
        break
    if words[-1].startswith("@"):
        answer = "cannot this guest uses one thread"
    else:
        try:
            answer = do(*words)
        except (ConnectionLoss, ConnectionClosedError, OperationTimeoutError,
                zookeeper.handler.timeout_exception) as error:
            answer = f"unknown {type(error).__name__}"
        except SessionExpiredError:
            answer = "unknown the session had ended" if words[0] == "write" else "lost"
        except KazooException as error:
            answer = f"error {type(error).__name__}"
    print(answer, flush=True)
zookeeper.stop()
resource.stop()
