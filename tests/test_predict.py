"""A student says what will come out, and is told who was right."""

import re
from collections import Counter

import pytest

from lockstep import ROOT, locks, race_source, races, read_matrix, replay, run, short
from world import where_it_is

VERDICTS = {(race, lock): verdict for race, lock, verdict in read_matrix()}


def asked(answer, race, lock, *options):
    finished = replay(race, lock, "--ask", *options, input=answer)
    assert finished.err == ""
    return finished


SERVER = "What does the server answer? "
INSIDE = "Who is inside in the end, or when the lock breaks? Say the names, or nobody: "
VERDICT = "Does the lock hold? Say holds, broken, or cannot (happen): "


def parts(finished):
    """What stands before the questions, they themselves with their answers, and what comes after."""
    before, _, rest = re.split(r"\n\n(?=(The next command is |Who is inside in the end))", finished.out, maxsplit=1)
    questions, _, after = rest.partition("\n\n")
    return before + "\n", questions, after


@pytest.mark.parametrize("answers, race, lock, said", [
    ("0\nB\nholds\n", "expired_delete", "4", """\
You said that the server answers 0. It answers 1.
You said that B is inside. In fact B and C are.
You said HOLDS. It is BROKEN.
"""),
    ("1\nc b\nB\n", "expired_delete", "4", """\
You said that the server answers 1, and you were right.
You said that B and C are inside, and you were right.
You said BROKEN, and you were right.
"""),
    ("0\n\nhold", "expired_delete", "5", """\
You said that the server answers 0, and you were right.
You said HOLDS, and you were right.
"""),
    ("\nnobody\nperhaps\n\nhold\n", "expired_delete", "5", """\
You said that nobody is inside. In fact B is.
You said HOLDS, and you were right.
"""),
    ("\nX and B\nholds\n", "two_processes", "1", """\
You named no client: A is inside.
You said HOLDS, and you were right.
"""),
    ("ok\nB, and C\n", "work_outlives_lease", "4", """\
You said that the server answers ok, and you were right.
You named no client: A and B are inside.
You did not say.
"""),
    ("holds\n", "expired_delete", "4", "You said HOLDS. It is BROKEN.\n"),
    ("1\nbroken\n", "expired_delete", "4", """\
You said that the server answers 1, and you were right.
You said BROKEN, and you were right.
"""),
    ("A\ncannot\n", "check_then_delete", "4", """\
You said that A is inside. In fact nobody is.
You said CANNOT HAPPEN, and you were right.
"""),
    ("", "expired_delete", "5", "You did not say.\n"),
])
def test_a_race_asks_and_says_who_was_right(answers, race, lock, said):
    finished = asked(answers, race, lock)
    before, _, after = parts(finished)
    assert after.endswith(f"\n\n{said}"), finished
    assert not any(word in before for word in ("HOLDS", "BROKEN:", "CANNOT", "Again:"))
    # Nothing of the trace is left out, and nothing stands there twice.
    told = replay(race, lock)
    assert finished.code == told.code
    rows = before[before.index(f"{race} on "):]
    assert before.index(f"{race} on ") > 0
    assert (rows + after.removesuffix(f"\n{said}")).splitlines() == told.out.splitlines()


def test_three_questions_stand_there():
    _, questions, _ = parts(asked("0\nB\nholds\n", "expired_delete", "4"))
    assert questions == (f"The next command is A's \"DEL lock\".\n{SERVER}0\n{INSIDE}B\n{VERDICT}HOLDS")


@pytest.mark.parametrize("said, right", [("1000000", False), ("1000000090", True), ("", None)])
def test_the_beginning_of_a_number_is_no_answer(said, right):
    finished = asked(f"{said}\nB\nholds\n", "expired_delete", "3")
    said_so = re.search("You said that the server answers .*(right|It answers)", finished.out)
    assert right is None and not said_so or said_so and (said_so[1] == "right") == right, finished


@pytest.mark.parametrize("race, lock", where_it_is([("two_processes", "road_mysql_row")]))
def test_the_first_word_of_an_answer_is_enough(race, lock):
    finished = asked("error\n\nholds\n", race, lock)
    assert "You said that the server answers error, and you were right.\n" in finished.out, finished


def test_of_several_masters_no_answer_is_asked_for():
    _, questions, _ = parts(asked("B\nholds\n", "redlock_minority_down", "road_redlock"))
    assert questions == f"{INSIDE}B\n{VERDICT}HOLDS"


STEPS = {
    "two_processes": "B, another process, tries while A is inside",
    "crash_holding": "a second after the lease B tries",
    "expired_delete": "A wakes up and releases",  # and not: C tries
    "stranger_releases": "C, who never held the lock, releases it",
    "nested_call": "A calls a function that takes it too",  # A leaves; B tries
    "work_outlives_lease": "a second after the lease B tries",  # A is done
    "cut_off_holder": "a second after the lease: does A know?",  # B tries
    "barging": "A releases, and C asks before B has heard of it",  # and again, and again
    "stop_the_world": "A goes on with its work",
    "loser_overwrites_deadline": "15 seconds later C goes on, and loses",  # D tries
    "late_grant": "A hears that it was let in",
}


@pytest.mark.parametrize("race", STEPS)
def test_where_the_trace_stops_says_nothing_about_the_end(race):
    """Before the step that decides: the same one, whether the lock holds or not."""
    verdicts = set()
    for lock in (lock for lock in locks() if lock.startswith("stage")):
        if (race, short(lock)) in (("barging", "stage0"), ("late_grant", "stage0")):
            continue  # it has let two in before that
        verdict = VERDICTS[race, short(lock)]
        if verdict == "cannot":
            continue  # such a run ends earlier
        verdicts.add(verdict)
        before, _, _ = parts(asked("", race, lock))
        assert before.splitlines()[-1] == f"-- {STEPS[race]}", lock
    assert verdicts <= {"holds", "BROKEN"} and (len(verdicts) == 2 or race == "barging"), verdicts


# --- no constant answer is a good one -----------------------------------------

def assert_mixed(cells):
    verdicts = Counter(VERDICTS[race, short(lock)] for race, lock in cells)
    assert max(verdicts.values()) * 2 <= verdicts.total(), verdicts


def whole_name(lock):
    return next(one for one in locks() if lock in (one, short(one), short(one).removeprefix("stage")))


def blank_tables(page):
    """The cells of each table that a page tells to print."""
    text = re.sub(r" *\\?\n +", " ", (ROOT / "docs" / page).read_text())
    for names in re.findall(r"matrix --blank ((?:\w+ )+--stage [^`\n>]*)", text):
        names, *stages = names.split(" --stage ")
        yield [(race, whole_name(stage.strip())) for race in names.split() for stage in stages]


@pytest.mark.parametrize("page", ["instructors.md", "predict.md"])
def test_a_table_to_fill_in_has_no_answer_for_all(page):
    tables = list(blank_tables(page))
    assert tables
    for cells in tables:
        assert_mixed(cells)


def test_the_questions_of_the_stages_have_no_answer_for_all():
    cells = [(race, whole_name(lock)) for page in sorted((ROOT / "docs").glob("stage*.md")) for race, lock in
             re.findall(r"^    \./scenarios/(\w+) --stage (\w+) --ask$", page.read_text(), re.M)]
    assert len(cells) >= 10
    assert_mixed(cells)


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
        "you said broken  it holds            ./scenarios/expired_delete --stage stage5\n"
        "\n2 of 3 right; 1 not said\n")


def test_the_page_shows_a_score(tmp_path):
    """docs/predict.md; its other samples are run with those of all pages."""
    page = (ROOT / "docs/predict.md").read_text()
    blank = re.findall(r"```console\n\$ [^\n]*--blank[^\n]*\n(.*?)```", page, re.S)[0]
    filled = tmp_path / "mine.txt"
    filled.write_text(blank.replace("delete  ?       ?", "delete broken holds")
                      .replace("call     ?       ?", "call holds holds"))
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
