"""Locks of ours with one bug each: how they are made, and what catches them.

    common/course/mutants/CLASS/NAME.diff    one bug: a sentence, and what changes in which lock
    common/course/mutants.txt                for each of them, what catches it

    /usr/bin/python3 common/course/mutants.py            tries everything, writes the table anew
    /usr/bin/python3 common/course/mutants.py NAME...    only these rows
    /usr/bin/python3 common/course/mutants.py --search   only the searches
    /usr/bin/python3 common/course/mutants.py --print    prints the table (make mutants), or
                                                         the rows that are named

A diff here has no line numbers, so that it follows its lock: after "@@" stands the
function (or the script, or the struct) in which the change is made, and the lines of a
hunk must be found there exactly once. docs/mutants.md tells the rest."""

import concurrent.futures
import fcntl
import functools
import os
import re
import sys
import textwrap
from pathlib import Path

from tree import (ROOT, compile_client, engine, has_engine, lock_code, lock_source, programs, race_source, races,
                  read_matrix, run, short)

FOLDER = ROOT / "common/course/mutants"
TABLE = ROOT / "common/course/mutants.txt"
BUILT = ROOT / "build/mutants"

# The searches that a mutant is tried with, each of a few seconds: the one that explore makes by
# itself; and the same under what a lock takes for granted, because what the lock itself loses
# there says nothing about its bug. What is counted is positions, so that the table is the same
# on every machine.
BOUNDS = [
    "",
    "--assume no-stops",
    "--assume work-fits-lease,prompt-wire",
]
POSITIONS = 30000


# --- the patches -------------------------------------------------------------

class Misfit(Exception):
    """A patch that says more about its lock than is true."""


class Mutant:
    def __init__(self, path):
        self.path = path
        self.name = f"{path.parent.name}/{path.stem}"
        # A tree for each class: programs find theirs from where they are.
        self.top = BUILT / path.parent.name
        self.brief = path.stem
        text, _, rest = path.read_text().partition("\n--- ")
        said = [" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n")]
        self.sentence, self.reason = said[0], said[1] if len(said) > 1 else ""
        source, self.patch = rest.split("\n", 1)
        self.lock = Path(source).parent.name

    def source(self):
        """The lock with the bug. Misfit: which hunk does not fit any more."""
        return self.applied(lock_code(self.lock))

    def applied(self, text):
        for hunk in re.split(r"^(?=@@)", self.patch, flags=re.M)[1:]:
            head, *lines = hunk.splitlines()
            old, new = ("".join(f"{line[1:]}\n" for line in lines if line[:1] != sign)
                        for sign in "+-")
            start, end = scope(text, head[2:].strip())
            if text.count(old, start, end) != 1:
                lock = lock_source(self.lock).relative_to(ROOT)
                raise Misfit(f"{self.path.relative_to(ROOT)} does not fit {lock} any more: "
                             f"not found exactly once below \"{head}\":\n{old}")
            at = text.index(old, start, end)
            text = text[:at] + new + text[at + len(old):]
        return text


def scope(text, name):
    """Where the definition of `name` stands; of no name, the whole file."""
    if not name:
        return 0, len(text)
    found = re.search(rf"^(?!//)\S[^\n;]*\b{name}\b[^;]*?(?:=|\{{)$(?:.|\n)*?(?:^\}};?$|\";$)\n+",
                      text, re.M)
    return found.span() if found else (0, 0)


def mutants():
    return [Mutant(path) for path in sorted(FOLDER.glob("*/*.diff"))]


# --- their tree --------------------------------------------------------------

def compile_mutant(mutant):
    """Compiles it if its text is another one than the last time. Returns what is wrong
    with it: nothing, if it compiles."""
    source = mutant.top / "stages" / mutant.brief / "lock.c"
    client = mutant.top / "build/clients" / mutant.brief
    try:
        text = mutant.source()
    except Misfit as misfit:
        return str(misfit)
    made_of = [source, ROOT / "build/liblock.a", ROOT / "build/flags"]
    if (source.exists() and source.read_text() == text and client.exists()
            and all(path.stat().st_mtime <= client.stat().st_mtime for path in made_of)):
        return ""
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(text)
    built = compile_client(source, client, "-O0", "-g0")
    return f"{mutant.path.relative_to(ROOT)} does not compile:\n{built.err}" if built.code else ""


def link(path, to):
    """The same file under another name, which is what a program goes by."""
    if not to.exists() or not path.samefile(to):
        to.unlink(missing_ok=True)
        os.link(path, to)


def plant(top):
    """The programs, in a tree of their own."""
    for folder in ("build/clients", "stages"):
        (top / folder).mkdir(parents=True, exist_ok=True)
    for name in programs():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        link(ROOT / name, top / name)


def build(some):
    """Their clients, and beside them the programs that run them. Returns what is wrong with
    each: {name: text}."""
    BUILT.mkdir(parents=True, exist_ok=True)
    with open(BUILT / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for top in {mutant.top for mutant in some}:
            plant(top)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return dict(zip([mutant.name for mutant in some], pool.map(compile_mutant, some)))


# --- what catches them -------------------------------------------------------

@functools.cache
def for_bugs():
    """The races for bugs inside a right idea."""
    return {race for race in races() if race_source(race).parents[1].name == "bugs"}


def bug_races(mutant):
    return [race for race in held_races(mutant) if race in for_bugs()]


def verdicts(mutant, names):
    """{race: verdict, as the matrix writes it}"""
    finished = run(mutant.top / "scenarios/matrix", "--format", "tsv", "--stage", mutant.brief,
                   *names, timeout=None)
    said = {race: cell.split()[0] for race, cell in (line.split("\t") for line in finished.out.splitlines()[1:])}
    assert set(said) == set(names), (mutant.name, finished)
    return said


class Refused(Exception):
    """A search that ends with exit status 2, and why."""


def lost_properties(top, lock, bounds, *limits):
    """{property: steps} of what a search within these bounds finds lost."""
    finished = run(top / "scenarios/explore", "--quiet", "--format", "json", "--stage", lock,
                   *bounds.split(), *limits, timeout=None)
    if finished.code == 2:
        assert top != ROOT and "no worker has finished" not in finished.err, finished
        raise Refused(finished.err.removeprefix("explore: ").strip())
    document = finished.document
    return {name: found["steps"] for name, found in document["properties"].items()
            if found["lost"]}


@functools.cache
def lost_by_the_lock(lock, bounds, *limits):
    """The same of an unmutated lock."""
    return lost_properties(ROOT, lock, bounds, *limits)


def lost_by_the_bug(mutant, bounds, *limits):
    """What the mutant loses and the lock that it is made of does not."""
    found = lost_properties(mutant.top, mutant.brief, bounds, *limits)
    return {name: steps for name, steps in found.items()
            if name not in lost_by_the_lock(mutant.lock, bounds, *limits)}


def search_that_catches(mutant):
    """(bounds, {property: steps}, refusal) of the first search that shows a loss, or that is
    refused. A lock on another server than Redis is not searched."""
    for bounds in BOUNDS if engine(mutant.lock) == "redis" else ():
        try:
            lost = lost_by_the_bug(mutant, bounds, "--positions", POSITIONS)
        except Refused as refused:
            return bounds, {}, str(refused)
        if lost:
            return bounds, lost, ""
    return "", {}, ""


# What a lock that is in the matrix holds, or cannot lose.
HELD = {(race, lock) for table in ("matrix.txt", "roads.txt") for race, lock, verdict in read_matrix(table)
        if verdict != "BROKEN"}


def held_races(mutant):
    """What its bug could make it lose."""
    return [race for race in races() if (race, short(mutant.lock)) in HELD]


# --- the table ---------------------------------------------------------------

class Row:
    """What the table says about a mutant: the races that it loses; one that could not be
    run, if it loses none; a search, and what that loses, or why it was refused."""

    def __init__(self, said, bounds="", lost=(), refused=""):
        self.races = [race for race, verdict in said.items() if verdict == "broken"]
        stopped = [race for race, verdict in said.items() if verdict == "not-run"]
        self.stopped = [] if self.races else stopped[:1]
        self.bounds, self.lost, self.refused = bounds, dict(lost), refused

    @property
    def named(self):
        return self.races or self.stopped

    @property
    def words(self):
        """Its lines as (what, value)."""
        lost = ", ".join(f"{name} {steps}" for name, steps in self.lost.items())
        lines = {"races": " ".join(self.races), "not-run": " ".join(self.stopped),
                 "search": lost and f"{lost}: {self.bounds or 'as explore does by itself'}",
                 "refused": self.refused}
        return [(what, value) for what, value in lines.items() if value]


WORDS = {"races": "broken", "not-run": "not-run"}
HEAD = """\
# What catches each mutant of common/course/mutants: the races that it loses and the lock that it
# is made of holds; and the properties that a search loses, each with the length of a
# shortest schedule, within the bounds behind the colon. The same search of the lock itself
# does not lose them. "refused" is why a search ends at once. make mutants prints the table with the sentences, and
# /usr/bin/python3 common/course/mutants.py writes it anew.
"""


def indented(what, value, width=116):
    return textwrap.fill(value, width, initial_indent=f"    {what:<7} ",
                         subsequent_indent=12 * " ", break_on_hyphens=False)


def read_table():
    """{mutant: Row}"""
    rows = {}
    text = TABLE.read_text() if TABLE.exists() else ""
    for name, body in re.findall(r"^(\w+/\w+)\n((?: .*\n)*)", text, re.M):
        lines = dict(re.findall(r"^    (\S+) +(.*)", re.sub(r"\n {8,}", " ", body), re.M))
        lost, _, bounds = lines.get("search", "").partition(": ")
        rows[name] = Row({race: verdict for what, verdict in WORDS.items()
                          for race in lines.get(what, "").split()},
                         bounds if "--" in bounds else "",
                         ((word.split()[0], int(word.split()[1]))
                          for word in lost.split(", ") if word),
                         lines.get("refused", ""))
    return rows


def write_table(rows):
    parts = [HEAD, "\n"]
    for mutant in mutants():
        lines = rows[mutant.name].words or [("nothing", mutant.reason)]
        parts.append("\n".join([mutant.name, *(indented(*line) for line in lines)]) + "\n")
    TABLE.write_text("".join(parts))


def try_all(mutant, row, only_search):
    said = ({race: verdict for verdict, some in (("broken", row.races), ("not-run", row.stopped))
             for race in some} if only_search else verdicts(mutant, held_races(mutant)))
    return Row(said, *search_that_catches(mutant))


def regenerate(names, only_search):
    some = [mutant for mutant in mutants() if not names or mutant.name in names]
    absent = {engine(mutant.lock) for mutant in some if not has_engine(engine(mutant.lock))}
    if absent:
        sys.exit(f"{' and '.join(sorted(absent))}: not here: make roads")
    rows = {mutant.name: Row({}) for mutant in mutants()} | read_table()
    wrong = "\n".join(filter(None, build(some).values()))
    if wrong:
        sys.exit(wrong)
    for number, mutant in enumerate(some, 1):
        rows[mutant.name] = try_all(mutant, rows[mutant.name], only_search)
        print(f"[{number}/{len(some)}] {mutant.name}", rows[mutant.name].words, flush=True)
        write_table(rows)


def print_table(names):
    rows = read_table()
    for mutant in mutants():
        if names and mutant.name not in names:
            continue
        print(f"{mutant.name}  (in {short(mutant.lock)})")
        print(textwrap.fill(mutant.sentence, 96, initial_indent="    ", subsequent_indent="    "))
        lines = rows[mutant.name].words or [("nothing", mutant.reason)]
        print("\n".join(indented(*line, 96) for line in lines) + "\n")
    if not names:
        print(summary(rows))


def summary(rows):
    by_races = sum(bool(row.races) for row in rows.values())
    by_searches = sum(bool(row.lost or row.refused) for row in rows.values())
    caught = sum(bool(row.words) for row in rows.values())
    reasons = [mutant.reason.split(":")[0] for mutant in mutants() if mutant.reason]
    rest = ", ".join(f"{reasons.count(word)} {word.lower()}" for word in dict.fromkeys(reasons))
    return (f"{len(rows)} mutants: {caught} are caught, {by_races} by races"
            f"{f' and {by_searches} by a search' if by_searches else ''}; of the others, {rest or 'none'}.")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--print"]:
        print_table(sys.argv[2:])
    else:
        only_search = sys.argv[1:2] == ["--search"]
        regenerate(sys.argv[2 if only_search else 1:], only_search)
