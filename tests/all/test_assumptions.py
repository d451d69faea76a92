"""./scenarios/assumptions: what has to be taken for granted, beside what is given."""

import functools
import json
import re

import pytest

import samples
from lockstep import MATRIX, ROOT, document_text, locks, run, short

ASSUMPTIONS = ROOT / "scenarios/assumptions"


def table_in_the_docs():
    """{lock: {property: sets of assumptions, or the one word that stands there}}, in words."""
    head, *lines = samples.block_of("./scenarios/assumptions").splitlines()[1:]
    table, legend = (part.splitlines() for part in "\n".join(lines).split("\n\n", 1))
    words = dict(re.findall(r"^  (\w)  ([\w-]+) ", "\n".join(legend), re.M))
    starts = [match.start() for match in re.finditer(r"\S+", head)][2:]
    long = {short(lock): lock for lock in locks()}
    cells = {long[line.split()[0]]: [line[start:end].strip() for start, end in zip(starts, [*starts[1:], None])]
             for line in table}
    return {lock: dict(zip(head.split()[2:], (in_words(cell, words) for cell in row), strict=True))
            for lock, row in cells.items()}


def in_words(cell, words):
    if cell in ("always", "never", "-"):
        return "not tried" if cell == "-" else cell
    return {frozenset(words[letter] for letter in letters) for letters in cell.split()}


def answers(lock, *options):
    finished = run(ASSUMPTIONS, "--stage", lock, "--format", "tsv", *options, timeout=None)
    assert finished.code == 0, finished
    head, row = (line.split("\t") for line in finished.out.splitlines()[-2:])
    return {name: cell if cell in ("always", "never", "not tried") else
            {frozenset(assumed.split("+")) for assumed in cell.split()}
            for name, cell in zip(head[1:], row[1:], strict=True)}


TABLE = table_in_the_docs()
# A search with a restart in it takes these half a minute. That it loses them exclusion, and no
# other property, test_explore.py knows; so here the server keeps its memory.
RENEWED = [lock for lock in TABLE if "stage6" <= lock]


def test_the_table_in_the_docs_is_of_the_ladder():
    """And of the road on several servers."""
    assert list(TABLE) == [*(lock for lock in locks() if lock.startswith("stage")), "road_redlock"]


@pytest.mark.parametrize("lock", [lock for lock in TABLE if lock not in RENEWED])
def test_the_table_in_the_docs(lock):
    assert answers(lock) == TABLE[lock]


@pytest.mark.parametrize("lock", [RENEWED[0], RENEWED[-1]])
def test_the_table_in_the_docs_where_the_server_keeps_its_memory(lock):
    kept = "server-keeps-memory"
    assert answers(lock, "--assume", kept) == {
        name: cell if isinstance(cell, str) else {assumed - {kept} for assumed in cell}
        for name, cell in TABLE[lock].items()}


def test_only_writes_tell_the_numbers_of_stage_9():
    """Where nobody writes, stages 7 to 9 are one lock."""
    assert TABLE[RENEWED[1]] == TABLE[RENEWED[2]]
    assert {name for name in TABLE[RENEWED[3]] if TABLE[RENEWED[3]][name] != TABLE[RENEWED[2]][name]} == {
        "resource"}


def test_the_moral_of_the_course():
    """What the numbers replace: nothing about time, but the server must keep its memory."""
    assert TABLE[RENEWED[2]]["resource"] == {frozenset(
        ["prompt-wire", "no-stops", "server-keeps-memory", "no-give-ups"])}
    assert frozenset(["server-keeps-memory", "new-holder-writes"]) in TABLE[RENEWED[3]]["resource"]
    assert TABLE["road_redlock"]["exclusion"] == {frozenset(["equal-clocks", "server-keeps-memory"])}


# --- the races disagree with no "always" --------------------------------------

# What a story asks for stands in other columns: there a client "cannot get in" as the story says,
# and here somebody new does not get in, or not soon enough behind a dead client.
COLUMNS = {"entry": ["entry", "recovery", "bounded"], "wakeup": ["wakeup", "recovery", "bounded"]}
DEAD = re.compile(r"\b(dead|died)\b")
# The page names the only race that needs what no search tries.
NOT_TRIED = "server_clock_back"


@functools.cache
def losses():
    """{(race, lock): (property, sentence)} of all races, documented or not, that the ladder loses."""
    finished = run(MATRIX, "--ladder", "--format", "tsv", timeout=None)
    assert (finished.code, finished.err) == (0, ""), finished
    head, *rows = (line.split("\t") for line in finished.out.splitlines())
    found = {}
    for race, *cells in rows:
        for lock, cell in zip(head[1:], cells, strict=True):
            if cell.startswith("broken "):
                found[race, lock] = (cell.split()[1], json.loads(document_text(race, lock))["reason"])
    return found


@pytest.mark.parametrize("lock", [lock for lock in TABLE if lock.startswith("stage")])
def test_no_race_disagrees_with_an_always(lock):
    row = TABLE[lock]
    lost = {race: found for (race, stage), found in losses().items() if stage == lock}
    assert lost
    for race, (name, sentence) in lost.items():
        if name == "entry" and " gets in " in sentence:
            name = "exclusion"
        columns = [column for column in COLUMNS.get(name, [name]) if column in row]
        if DEAD.search(sentence) and race != NOT_TRIED:
            columns = ["recovery", "bounded"]
            assert all(row[column] != "always" for column in columns), (race, sentence)
        assert not columns or any(row[column] != "always" for column in columns), (race, name, sentence)


def test_the_page_names_the_race_that_needs_more():
    assert f"`{NOT_TRIED}`" in (ROOT / "docs/assumptions.md").read_text()
