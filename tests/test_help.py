"""--help is an answer, not an error, of every program; and a true one."""

import re

import pytest

from lockstep import ROOT, run, tools

PROGRAMS = [ROOT / "scenarios/two_processes", ROOT / "build/clients/stage5_token_lua"]
PROGRAMS += [ROOT / "scenarios" / tool for tool in tools()]


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_help(program, option):
    finished = run(program, option)
    assert finished.code == 0, finished
    assert finished.err == ""
    assert finished.out.startswith(f"Usage: {program.name} ")
    assert "show this text" in finished.out
    lines = finished.out.splitlines()
    assert [line for line in lines if line != line.rstrip() or len(line) > 80] == []


def help_of(tool):
    """{option: its text, in one line}."""
    said = run(ROOT / "scenarios" / tool, "--help").out
    return {name: " ".join(text.split())
            for name, text in re.findall(r"^ {2}(?:-\w,|   ) --([\w-]+)\S* +((?:.*\n {20,})*.*)", said, re.M)}


def defaults_of(tool):
    found = {name: re.search(r"\(default:? (.*)\)$", text) for name, text in help_of(tool).items()}
    return {name: words[1] for name, words in found.items() if words and name != "jobs"}


def test_the_defaults_of_the_searches():
    assert defaults_of("explore") == {"clients": "2", "leases": "1", "time": "0",
                                      "rounds": "1, and 2 in a further search",
                                      "locks": "1, and 2 in a further search",
                                      "nested": "0, and 1 in a further search",
                                      "halfway": "0, and 1 in a further search",
                                      "asks": "0, and 1 in a further search",
                                      "writes": "0, and 1 in a further search",
                                      "faults": "crash,stop,lose-answer,stranger", "at-most": "1; with --faults all",
                                      "positions": "8000000", "memory": "4096"}
    assert defaults_of("assumptions") == {"clients": "2", "rounds": "1", "nested": "1", "leases": "1", "halfway": "0",
                                          "faults": "each once", "at-most": "1; with --faults all"}
    assert defaults_of("play") == {"clients": "2", "rounds": "3", "nested": "0", "leases": "4", "halfway": "0",
                                   "faults": "crash:2,stop:2,cut:2,lose-answer:2", "at-most": "all"}


def test_the_defaults_are_those_of_a_search():
    """And those that are given do not become defaults."""
    document = run(ROOT / "scenarios/explore", "--stage", "4", "--format", "json").document
    bounds, said = document["bounds"], defaults_of("explore")
    assert {name: str(bounds[name]) for name in ("clients", "leases")}.items() <= said.items()
    assert all(said[name].startswith(f"{bounds[name]}, and ") for name in ("rounds", "nested", "halfway"))
    assert ",".join(bounds["faults"]) == said["faults"] and str(bounds["at_most"]) == said["at-most"][0]
    assert "enter (default 1, and 2 in a further search)" in " ".join( run(ROOT / "scenarios/explore", "--rounds", "5", "--help").out.split())


def test_what_is_refused_is_not_listed():
    for tool, option in (("assumptions", "client"), ("assumptions", "depth"), ("play", "depth")):
        assert option not in help_of(tool) and option in help_of("explore")


def test_no_option_is_listed_twice():
    for tool in ("explore", "assumptions", "play"):
        said = run(ROOT / "scenarios" / tool, "--help").out
        assert said.count("--stage") == 1


def test_a_short_option_means_one_thing_in_all_programs():
    meanings = {}
    for program in PROGRAMS:
        for letter, name in re.findall(r"^ {2}-(\w), --([\w-]+)", run(program, "--help").out, re.M):
            meanings.setdefault(letter, set()).add(name)
    assert {"a", "c", "f", "h", "s"} <= set(meanings)
    assert {letter: names for letter, names in meanings.items() if len(names) > 1} == {}


def test_every_property_is_a_goal():
    """But resource, for nobody writes in a game, and progress, for nobody plays long enough."""
    lost = run(ROOT / "scenarios/explore", "--stage", "4", "--format", "json").document["properties"]
    assert lost.pop("resource") and lost.pop("progress")
    words = help_of("play")["goal"].removeprefix("something to play for: ")
    assert words == f"{', '.join(lost)} or, where clients wait, wakeup"
    page = (ROOT / "docs/play.md").read_text()
    assert f"`--goal exclusion` (or {', '.join(list(lost)[1:])}, wakeup)" in page
