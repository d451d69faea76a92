"""The course: the races to know first (common/catalogue/course.txt)."""

import re
from collections import Counter

import pytest

from lockstep import MATRIX, ROOT, head_of, locks, race_source, read_matrix, refused, run, stages
from tree import course

TABLE = {(race, lock): verdict for race, lock, verdict in read_matrix()}
LAST = 9
COURSE = course()
NAMES = [race for race, _, _ in COURSE]


def detours_from(rung):
    return [lock for lock in locks() if head_of(lock).startswith(f"// Detour from stage {rung}:")]


def test_it_is_short_and_in_the_order_of_the_ladder():
    assert 12 <= len(NAMES) <= 18 and len(set(NAMES)) == len(NAMES)
    rungs = [rung for _, rung, _ in COURSE]
    assert rungs == sorted(rungs) and set(rungs) == set(range(1, LAST + 1))


@pytest.mark.parametrize("race, rung, mark", COURSE, ids=NAMES)
def test_a_race_of_the_course_belongs_to_its_rung(race, rung, mark):
    """The head of course.txt says what the marks mean."""
    assert "bugs" not in race_source(race).parts
    said = [TABLE[race, f"stage{number}"] for number in range(LAST + 1)]
    if mark == "open":
        assert set(said[rung:]) == {"BROKEN"}
    elif mark == "trap":
        assert said[rung] == "holds" and "BROKEN" in [TABLE[race, lock] for lock in detours_from(rung)]
    else:
        assert mark == "" and said[rung - 1:rung + 1] == ["BROKEN", "holds"]


def test_a_rung_without_a_reason_has_a_trap():
    reasons = {rung for _, rung, mark in COURSE if not mark}
    assert {rung for _, rung, mark in COURSE if mark == "trap"} == set(range(1, LAST + 1)) - reasons


def test_the_table_of_the_course():
    head, *rows = run(MATRIX, "--course").out.partition("\n\n")[0].splitlines()
    assert head.split() == ["race", *map(str, range(LAST + 1))]
    marks = {"holds": ".", "BROKEN": "X", "cannot": "-"}
    assert [row.split() for row in rows] == [
        [race, *(marks[TABLE[race, f"stage{number}"]] for number in range(LAST + 1))] for race in NAMES]


def test_the_course_goes_with_locks_and_formats():
    head, *rows = run(MATRIX, "--course", *stages("4", "detour_get_del"), "--format", "tsv").out.splitlines()
    assert head.split() == ["race", "stage4_set_nx_ex", "detour_get_del"]
    assert [row.split("\t")[0] for row in rows] == NAMES
    blank = run(MATRIX, "--blank", "--course").out.splitlines()
    assert [line.split()[0] for line in blank[3:]] == NAMES
    assert f" {len(NAMES) * (LAST + 1)} cells" in (ROOT / "docs/predict.md").read_text()


def test_each_table_names_the_other():
    """And a table of named races names none."""
    documented = sum(1 for race in {race for race, _ in TABLE} if "bugs" not in race_source(race).parts)
    course_s, whole, one = (run(MATRIX, "--stage", "4", *words).out.splitlines()[-1]
                            for words in (["--course"], [], ["expired_delete"]))
    assert course_s == f"{documented - len(NAMES)} more documented races: ./scenarios/matrix"
    assert whole == f"Begin with the {len(NAMES)} races of the course: ./scenarios/matrix --course"
    assert one.startswith("- ")


def test_list_shows_the_course_first():
    first = run("./scenarios/list").out.partition("\n\n")[0].splitlines()
    assert first[0] == "The course, in the order of the ladder (./scenarios/matrix --course)"
    assert [line.split()[0] for line in first[1:]] == NAMES


def test_a_tree_without_a_course(scratch):
    assert run(scratch.take("list")).out.startswith("1 Taking the lock\n")
    scratch.client("stage1_made", "")
    assert refused(scratch.take("matrix"), "--course") == (
        "matrix: --course is a list of races in common/catalogue/course.txt, and it has none\n")


def test_the_readme_counts_its_races():
    text = (ROOT / "README.md").read_text()
    assert f"\n{len(NAMES)} of the documented races are the races of the course" in text
    no_answer = re.search(r"The\nladder has no answer to (.*?)\.\n", text, re.S)[1]
    assert re.findall(r"`(\w+)`", no_answer) == [race for race, _, mark in COURSE if mark == "open"]
    assert [race for race, _, mark in COURSE if mark == "trap"] == re.findall(r"`(\w+)` is the mistake that this", text)


def test_no_constant_answer_wins_lab_1():
    """docs/instructors.md: the first races of the course; nobody gets more than half by saying one word everywhere."""
    page = (ROOT / "docs/instructors.md").read_text()
    command = re.search(r"(--blank .*?) >predict.txt", page, re.S)[1].replace("\\\n", "")
    words = command.split()
    rungs = [words[place + 1] for place, word in enumerate(words) if word == "--stage"]
    named = [word for word in words if word in NAMES]
    assert named == NAMES[:len(named)] and len(named) > 5
    said = Counter(TABLE[race, f"stage{stage}"] for race in named for stage in rungs)
    assert f"and {said.total()} cells" in page and f"right in {max(said.values())} of them at most" in page
    assert 2 * max(said.values()) <= said.total()
    blank = run(MATRIX, *words).out
    assert blank.count("?") == said.total() + 1  # one in the sentence above it
