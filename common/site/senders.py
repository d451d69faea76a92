"""The line of a lock.c that sent a command.

The text of a command often says it. Where it fits several lines, the operation does: GET in lock_acquire() or in
lock_release(). Within an operation, the lines stand in the order in which the functions call each other."""

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
    """All that may have sent it."""
    return [line for line, expression in calls(lock) if re.fullmatch(expression, command)]


# --- one of several lines ----------------------------------------------------------------

BEGINS = {"enter": ("lock_wait", "lock_acquire_for", "lock_acquire"), "leave": ("lock_release",), "held": ("lock_held",)}
FUNCTION = re.compile(r"^(?:[a-z][\w ]*[ *])?(\w+)\([^;{]*\{\n(.*?)^\}", re.M | re.S)


@functools.cache
def functions(lock):
    """{name: (first line, body)}"""
    text = lock_code(lock)
    return {found[1]: (text.count("\n", 0, found.start(2)) + 1, found[2]) for found in FUNCTION.finditer(text)}


@functools.cache
def order(lock, operation):
    """The lines that send something in this operation, in the order of the calls."""
    known, senders, found, seen = functions(lock), {line for line, _ in calls(lock)}, [], set()

    def walk(name):
        if name in seen:
            return
        seen.add(name)
        first, body = known[name]
        for line, text in enumerate(body.split("\n"), first):
            if line in senders:
                found.append(line)
            for word in re.findall(r"\w+", text.partition("//")[0]):
                if word in known:
                    walk(word)

    for name in BEGINS.get(operation, ()):
        if name in known:
            walk(name)
    return found


def one_of(lock, operation, candidates, before):
    """The first of the candidates after the line `before`; a loop comes to the first one again."""
    ordered = [line for line in order(lock, operation) if line in candidates]
    if len(candidates) < 2 or not ordered:
        return candidates
    at = order(lock, operation).index(before) if before in order(lock, operation) else -1
    return [next((line for line in ordered if order(lock, operation).index(line) > at), ordered[0])]


def with_lines(lock, events):
    """The events, each with the lines that sent its command."""
    operation, before, sent, told = {}, {}, {}, []
    for event in events:
        actor, command, found = event.get("actor"), event.get("command"), []
        wire = actor, event.get("connection"), event.get("server"), command
        if event["event"] in ("asked", "result"):
            operation[actor] = event["operation"] if event["event"] == "asked" else None
            before.pop(actor, None)
        if command and event["event"] == "request":
            found = one_of(lock, operation.get(actor), lines(lock, command), before.get(actor))
            sent[wire] = found
            before[actor] = found[0] if found else before.get(actor)
        elif command:
            found = sent.get(wire) or lines(lock, command)
        told.append({**event, "lines": found})
    return told
