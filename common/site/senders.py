"""Which lines of a lock.c may have sent a command."""

import functools
import re

from tree import lock_code

CALL = re.compile(r'redis_(?P<how>call|eval|subscribe)\((?P<rest>(?:[^"();]|\([^()]*\))*?'
                  r'(?:"(?P<words>[^"]*)"|\)))')
SQL = re.compile(r'sql_call\w*\([^";)]*(?P<words>(?:"[^"]*"\s*)+)(?::\s*(?P<other>"[^"]*"))?')
ZOOKEEPER = re.compile(r"\bzk_(?P<how>\w+)\(")
# What the calls of zookeeper.h send. What the library sends by itself has no line.
SENDS = {"ensure": r"create /\S+", "join_queue": r"create (-e -s )?/\S+", "leave_queue": r"(delete .*|ls /\S+)",
         "set": r"set .*", "get": r"get \S+", "find": r"ls /\S+", "get_place": r"ls /\S+",
         "watch_queue": r"ls -w \S+", "exists": r"stat /\S+", "watch": r"stat -w \S+"}


def of_words(words):
    """"SET %s %s NX PX %d" as an expression for what the server is sent."""
    return re.sub(r"%\w+", r"\\S+", re.escape(words))


@functools.cache
def calls(lock):
    """[(line, expression)] of a lock.c."""
    text = lock_code(lock)
    return [(text.count("\n", 0, at) + 1, expression)
            for of_engine in (of_redis, of_sql, of_zookeeper) for at, expression in of_engine(text)]


def of_sql(text):
    """A call may have two texts: which ? "COMMIT" : "ROLLBACK"."""
    return [(call.start(name), of_words("".join(re.findall('"([^"]*)"', call[name]))))
            for call in SQL.finditer(text) for name in ("words", "other") if call[name]]


def of_zookeeper(text):
    return [(call.start(), SENDS[call["how"]]) for call in ZOOKEEPER.finditer(text) if call["how"] in SENDS]


def of_redis(text):
    found = []
    for call in CALL.finditer(text):
        if call["how"] == "subscribe":
            found.append((call.start(), r"(UN)?SUBSCRIBE\b.*"))
        elif call["how"] == "eval":
            script = re.search(r"&\w+->(\w+)", call["rest"])
            if script:
                found.append((call.start(), rf"EVAL(SHA)? {script[1]}\b.*"))
        elif call["words"]:
            found.append((call.start(), of_words(call["words"])))
    return found


def lines(lock, command):
    return [line for line, expression in calls(lock) if re.fullmatch(expression, command)]
