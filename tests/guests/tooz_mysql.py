"""A guest on MariaDB: tooz's own lock, unmodified, in the client protocol.

    ./scenarios/crash_holding --engine mariadb --client '/usr/bin/python3 tests/guests/tooz_mysql.py'
"""

import logging
import os
import sys
import urllib.parse

import pymysql
from tenacity import RetryError
from tooz import ToozError, coordination

logging.disable(logging.CRITICAL)  # it logs what it also raises
url = urllib.parse.urlsplit(os.environ["MYSQL_URL"])
coordinator = coordination.get_coordinator(url.geturl(), b"guest")
coordinator.start()
locks = {os.environ[name]: coordinator.get_lock(os.environ[name])
         for name in ("LOCK_KEY", "LOCK_SECOND_KEY") if name in os.environ}
resource = pymysql.connect(unix_socket=urllib.parse.parse_qs(url.query)["unix_socket"][0],
                           user=url.username, database=url.path[1:], autocommit=True)


def enter(lock):
    return "ok" if lock.acquire(blocking=False) else "busy"


def wait(lock, patience_ms):
    try:
        return "ok" if lock.acquire(blocking=int(patience_ms) / 1000) else "busy"
    except RetryError:
        return "busy"


def leave(lock):
    return "ok" if lock.release() else "lost"


def held(lock):  # it has no way to ask the server
    return "ok" if lock.acquired else "lost"


def write(_):
    resource.ping(reconnect=True)
    resource.cursor().execute("REPLACE INTO resource VALUES (1, 'written')")
    return "ok"


def do(word, *rest):
    numbers = [text for text in rest if text.isdigit()]
    keys = [text for text in rest if not text.isdigit()]
    lock = locks[keys[0] if keys else os.environ["LOCK_KEY"]]
    return {"enter": enter, "wait": wait, "leave": leave, "held": held, "write": write}[word](lock, *numbers)


def reason(error):
    """No answer, or one in which the server refuses."""
    number = error.args[0] if isinstance(error.args[0], int) else 0
    lost = isinstance(error, (pymysql.err.InterfaceError, pymysql.err.OperationalError))
    return ("unknown " if lost and (number == 0 or number >= 2000) else "error ") + type(error).__name__


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
        except ToozError as error:
            answer = reason(error.cause)
        except pymysql.MySQLError as error:
            answer = reason(error)
    print(answer, flush=True)
