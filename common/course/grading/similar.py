"""Which submissions are similar: a hint for the instructor, and no proof.

Winnowing, as in Moss (Schleimer, Wilkerson, Aiken, SIGMOD 2003): a file becomes a list of tokens,
every GRAM tokens in a row become a number, and of every WINDOW numbers in a row the least is kept.
Two files with GRAM + WINDOW - 1 tokens in common share such a number, wherever they stand.

Comments and layout are no tokens, and a name that a student has chosen is the same token as any
other. What was given out is left out: the starter of an exercise, or the lock that make mine writes.

Debian's sherlock and similarity-tester were the alternative: neither leaves out a starter."""

import re
import zlib

import exercises
from tree import ROOT

from .assignment import Missing

GRAM, WINDOW = 10, 5
LEAST = 20  # numbers of one's own: with fewer, any two repairs of a line would be similar

TOKEN = re.compile(r"""//.*|/\*(?:.|\n)*?\*/|[A-Za-z_]\w*|\d[\w.]*|"(?:\\.|[^"\\\n])*"|\S""")
NAME = re.compile(r"[A-Za-z_]\w*")


def given_names():
    """The functions and constants that every lock may use, by the headers."""
    headers = sorted((ROOT / "common/lock").glob("*.h"))
    return {name for path in headers
            for name in re.findall(r"\b(?:[a-z]\w*(?=\()|[A-Z][A-Z_]+\b)", path.read_text())}


def tokens(text, known):
    """A text between quotation marks counts word by word: the commands of a lock stand there."""
    some = []
    for token in TOKEN.findall(text):
        if token.startswith(("//", "/*")):
            continue
        if token.startswith('"'):
            some += re.findall(r"\w+|[^\w\s]", token)
        elif NAME.fullmatch(token):
            some.append(token if token in known or token in KEYWORDS else "NAME")
        else:
            some.append(token)
    return some


KEYWORDS = set("""
    auto bool break case char const continue default do double else enum extern float for goto if inline
    int long register restrict return short signed sizeof static struct switch typedef union unsigned
    void volatile while NULL true false
""".split())


def grams(some):
    return [zlib.crc32(" ".join(some[place:place + GRAM]).encode(errors="replace"))
            for place in range(len(some) - GRAM + 1)]


def winnowed(some):
    return {min(some[place:place + WINDOW]) for place in range(max(1, len(some) - WINDOW + 1))
            if some[place:place + WINDOW]}


def given(task):
    return task.exercise.starter() if task.exercise else exercises.TEMPLATE.read_text()


def similar(assignment, submissions):
    """{student: [{task, student, percent}]}: the others to whom a student's lock is similar, and how
    much of the smaller of the two stands in the other."""
    found = {each.student: [] for each in submissions}
    known = given_names()
    for task in assignment.tasks:
        if not task.similar:
            continue
        left_out = set(grams(tokens(given(task), known)))
        prints = {}
        for each in submissions:
            try:
                text = each.lock_of(task, len(assignment.tasks) == 1).decode(errors="replace")
            except Missing:
                continue
            own = winnowed(grams(tokens(text, known))) - left_out
            if len(own) >= LEAST:
                prints[each.student] = own
        for one, own in prints.items():
            for other, others in prints.items():
                percent = round(100 * len(own & others) / min(len(own), len(others)))
                if one != other and percent >= task.similar:
                    found[one].append({"task": task.name, "student": other, "percent": percent})
    return found
