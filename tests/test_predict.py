"""A student says what will come out, and is told who was right."""

import re

import pytest

from lockstep import ROOT, race_source, races, replay, run


def asked(answer, race, lock, *options):
    finished = replay(race, lock, "--ask", *options, input=answer)
    assert finished.err == ""
    return finished


@pytest.mark.parametrize("answer, race, lock, said", [
    ("holds\n", "expired_delete", "4", "You said HOLDS. It is BROKEN."),
    ("B\n", "expired_delete", "4", "You said BROKEN, and you were right."),
    ("cannot\n", "check_then_delete", "4", "You said CANNOT HAPPEN, and you were right."),
    ("", "expired_delete", "5", "You did not say."),
    ("perhaps\n\nhold", "expired_delete", "5", "You said HOLDS, and you were right."),
], ids=["wrong", "right", "cannot", "end of input", "second try"])
def test_a_race_asks_and_says_who_was_right(answer, race, lock, said):
    finished = asked(answer, race, lock)
    before, question, after = finished.out.partition("\nWhat comes now? ")
    assert question and after.endswith(f"\n{said}\n"), finished
    assert not any(word in before for word in ("HOLDS", "BROKEN:", "CANNOT", "Again:"))
    # Nothing of the trace is left out, and nothing stands there twice.
    told = replay(race, lock)
    assert finished.code == told.code
    story, rows = before[:before.index(f"{race} on ")], before[before.index(f"{race} on "):]
    rest = after.split("\n\n", 1)[1].removesuffix(f"\n{said}\n")
    assert story and (rows + rest).splitlines() == told.out.splitlines()


@pytest.mark.parametrize("race, lock, last, next", [
    ("expired_delete", "4", "-- C tries", "SET lock locked NX EX 30"),
    ("expired_delete", "5", "-- C tries", "SET lock"),
    ("late_grant", "4", "-- A hears that it was let in", "OK <delivered>, inside"),
    ("crash_holding", "4", None, "SET lock locked NX EX 30"),
])
def test_the_trace_stops_before_the_last_step(race, lock, last, next):
    before, _, after = asked("", race, lock).out.partition("\nWhat comes now? ")
    assert last in (None, before.splitlines()[-1])
    assert next in after.splitlines()[2], after


# --- a table to fill in ------------------------------------------------------

BLANK = """\
# Say holds, broken or cannot (happen) in place of each ?, and then:
#     ./scenarios/matrix --check FILE
race               stage4  stage5
expired_delete     ?       ?
check_then_delete  ?       ?
"""


def test_a_blank_table_is_filled_in_and_checked(tmp_path):
    blank = run("./scenarios/matrix", "--blank", "--stage", "4", "--stage", "5",
                "expired_delete", "check_then_delete")
    assert (blank.code, blank.out, blank.err) == (0, BLANK, "")
    page = tmp_path / "mine.txt"
    page.write_text(BLANK.replace("delete     ?       ?", "delete  Broken BROKEN\n\n")
                    .replace("check_then_delete  ?", "check_then_delete -"))
    checked = run("./scenarios/matrix", "--check", page)
    assert (checked.code, checked.err) == (0, "")
    assert checked.out == (
        "you said broken  it is holds         ./scenarios/expired_delete --stage stage5\n"
        "\n2 of 3 right; 1 not said\n")


def test_the_page_shows_a_score(tmp_path):
    """docs/predict.md; its other samples are run with those of all pages."""
    page = (ROOT / "docs/predict.md").read_text()
    blank = re.findall(r"```console\n\$ [^\n]*--blank[^\n]*\n(.*?)```", page, re.S)[0]
    filled = tmp_path / "mine.txt"
    filled.write_text(blank.replace("delete  ?       ?", "delete broken holds")
                      .replace("call     ?       ?", "call broken holds"))
    checked = run("./scenarios/matrix", "--check", filled)
    assert checked.out == re.findall(r"```text\n(.*?)```", page, re.S)[0], checked


def test_a_blank_table_of_everything():
    lines = run("./scenarios/matrix", "--blank").out.splitlines()[2:]
    assert lines[0].split() == ["race", *(f"stage{n}" for n in range(10))]
    assert sorted(line.split()[0] for line in lines[1:]) == [
        race for race in races() if "bugs" not in race_source(race).parts]
    assert all(line.split()[1:] == ["?"] * 10 for line in lines[1:])
    assert f"the whole ladder: {10 * len(lines[1:]):,} cells" in (ROOT / "docs/predict.md").read_text()


@pytest.mark.parametrize("text, error", [
    ("", " has no row: --blank prints a table to fill in"),
    ("race stage4\n", " has no row: --blank prints a table to fill in"),
    ("two_processes holds\n", ":1: the first line begins with 'race' and names the locks; "
     "--blank prints such a table"),
    ("race\n", ":1: behind 'race' stand the locks: race stage4 stage5"),
    ("# mine\nrace stage77\n", ":2: there is no lock 'stage77'"),
    ("race 4\ntwo_process holds\n", ":2: there is no race 'two_process'"),
    ("race 4\ntwo_processes perhaps\n",
     ":2: 'perhaps' is no verdict: say holds, broken, cannot or ?"),
    ("race 4 5\ntwo_processes holds\n", ":2: 1 verdicts stand here, for 2 locks"),
    ("race 4\n\ntwo_processes holds holds\n", ":3: 2 verdicts stand here, for 1 locks"),
    ("race 4\ntwo_processes ?\ntwo_processes ?\n",
     ":3: the race 'two_processes' stands here twice"),
    ("race 4\nrace 5\n", ":2: a second line that begins with 'race'"),
    ("race 4\ntwo_processes ho\0lds\n", ":2: a zero byte"),
])
def test_a_file_that_is_no_such_table(text, error, tmp_path):
    page = tmp_path / "mine.txt"
    page.write_text(text)
    finished = run("./scenarios/matrix", "--check", page)
    assert (finished.code, finished.out) == (2, "")
    assert finished.err == f"matrix: {page}{error}\n"


PAGES = [*sorted((ROOT / "docs").glob("stage*.md")), ROOT / "docs/redlock.md",
         *sorted((ROOT / "docs").glob("mysql_*.md")), ROOT / "docs/zookeeper.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_asks_before_it_shows(page):
    """Its question has a run that asks, and the verdict of that run is folded away."""
    text = page.read_text()
    predict, show = re.search(r"^## Predict\n(.*?)^## Run it\n(.*?)^## ", text, re.M | re.S).groups()
    race, lock = re.search(r"^    \./scenarios/(\w+) --stage (\w+) --ask$", predict, re.M).groups()
    assert f"    ./scenarios/{race} --stage {lock}\n" in show
    unfolded = re.sub(r"<details>.*?</details>", "", predict + show, flags=re.S)
    assert not re.search(r"^(HOLDS$|BROKEN: |CANNOT HAPPEN)", unfolded, re.M)
    assert asked("holds\n", race, lock).out.splitlines()[-1].startswith("You said HOLDS")
