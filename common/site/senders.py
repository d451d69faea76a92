"""Which lines of a lock.c may have sent a command."""

import functools
import re

from lockstep import ROOT

CALL = re.compile(r'redis_(?P<how>call|eval|subscribe)\((?P<rest>(?:[^"();]|\([^()]*\))*?'
                  r'(?:"(?P<words>[^"]*)"|\)))')


def of_words(words):
    """"SET %s %s NX PX %d" as an expression for what the server is sent."""
    return re.sub(r"%\w+", r"\\S+", re.escape(words).replace("%", "%"))


@functools.cache
def calls(lock):
    """[(line, expression)] of a lock.c."""
    text = (ROOT / "stages" / lock / "lock.c").read_text()
    found = []
    for call in CALL.finditer(text):
        line = text.count("\n", 0, call.start()) + 1
        if call["how"] == "subscribe":
            found.append((line, r"(UN)?SUBSCRIBE\b.*"))
        elif call["how"] == "eval":
            script = re.search(r"&\w+->(\w+)", call["rest"])
            if script:
                found.append((line, rf"EVAL(SHA)? {script[1]}\b.*"))
        elif call["words"]:
            found.append((line, of_words(call["words"])))
    return found


def lines(lock, command):
    return [line for line, expression in calls(lock) if re.fullmatch(expression, command)]
