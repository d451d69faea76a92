"""A student says what will come out, and is told who was right."""

import pytest

from lockstep import replay, run


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


@pytest.mark.parametrize("options, error", [
    (["--stage", "5"], "--ask is about one lock: --stage names it"),
    (["--all"], "--ask is about one lock: --stage names it"),
    (["--format", "json"], "--ask is for text: no --format with it"),
])
def test_where_no_question_makes_sense(options, error):
    options = ["--stage", "4", *options] if "--all" not in options else options
    finished = run("./scenarios/expired_delete", "--ask", *options)
    assert (finished.code, finished.out) == (2, "")
    assert finished.err == f"expired_delete: {error}\n"
