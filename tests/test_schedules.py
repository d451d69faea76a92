"""A schedule replays its trace; what is none is refused with one line."""

import re

import pytest

from lockstep import ROOT, locks, played, read_matrix, replay, run

REPLAY = ROOT / "scenarios/replay"

CELLS = [(race, lock) for race, lock, _ in read_matrix()
         if lock in ("stage3", "stage8")]


def events(document):
    """What happened, without the story's sentences."""
    return [event for event in document["events"] if event["event"] != "note"]


@pytest.mark.parametrize("race, lock", CELLS)
def test_a_schedule_replays_its_race(race, lock):
    first = played(race, lock)
    finished = run(REPLAY, "--format", "json", "--wire", first["schedule"])
    assert finished.code == (1 if first["verdict"] == "BROKEN" else 0), finished
    again = finished.document
    assert events(again) == events(first)
    assert again["schedule"] == first["schedule"]
    if first["verdict"] == "BROKEN":
        assert again["verdict"] == "BROKEN"


def test_the_last_line_of_a_trace_is_the_schedule():
    told = replay("expired_delete", 4)
    document = replay("expired_delete", 4, "--format", "json").document
    assert told.out.endswith(f"\nAgain: ./scenarios/replay '{document['schedule']}'\n")


def test_on_another_lock():
    schedule = "v1 stage4 A:enter A>< A:leave t+30.001 B:enter B>< A> C:enter C><"
    assert run(REPLAY, schedule).verdict == "BROKEN"
    held = run(REPLAY, "--stage", "5", schedule)
    assert (held.code, held.verdict) == (0, "HOLDS")
    missing = run(REPLAY, "--stage", "0", schedule)
    assert missing.code == 0
    assert ("CANNOT HAPPEN: step 2, A>, does not exist here: A has sent nothing on connection 1."
            in missing.out)


@pytest.mark.parametrize("step, why", [
    ("A:enter A:enter", "step 2, A:enter, does not exist here: A is still busy."),
    ("A:enter A> A>", "step 3, A>, does not exist here: A has sent nothing on connection 1."),
    ("A:enter A<", "step 2, A<, does not exist here: A has no answer on its way on connection 1."),
    ("A:refuse",
     "step 1, A:refuse, does not exist here: A has sent nothing on connection 1."),
    ("A:enter server:stop A:refuse", "step 3, A:refuse, does not exist here: "
     "server 1 is stopped or dead, and refuses nothing."),
    ("A:cut", "step 1, A:cut, does not exist here: A has nothing on its way on connection 1."),
    ("A:crash A:enter", "step 2, A:enter, does not exist here: A is dead."),
    ("A:stop A:enter", "step 2, A:enter, does not exist here: A is stopped."),
    ("A:stop A:stop", "step 2, A:stop, does not exist here: A is stopped already."),
    ("A:continue", "step 1, A:continue, does not exist here: A is not stopped."),
    ("A:wake", "step 1, A:wake, does not exist here: A waits for nothing."),
    ("server:start", "step 1, server:start, does not exist here: server 1 runs."),
    ("server2:crash", "step 1, server2:crash, does not exist here: there is no server 2."),
    ("A:reaches2", "step 1, A:reaches2, does not exist here: there is no server 2."),
    ("server2:hears-nothing",
     "step 1, server2:hears-nothing, does not exist here: there is no server 2."),
    ("server:hears-nothing",
     "step 1, server:hears-nothing, does not exist here: server 1 replicates nobody."),
    ("server9:ahead+5", "step 1, server9:ahead+5, does not exist here: there is no server 9."),
    ("server:continue", "step 1, server:continue, does not exist here: server 1 is not stopped."),
    ("server:stop server:stop",
     "step 2, server:stop, does not exist here: server 1 is stopped already."),
    ("server:stop server:start",
     "step 2, server:start, does not exist here: server 1 is stopped, and not dead."),
    ("server:stop server:does\"PING\"",
     "step 2, server:does\"PING\", does not exist here: server 1 is stopped."),
    ("server:crash server:sync-disk",
     "step 2, server:sync-disk, does not exist here: server 1 does not run."),
    ("server:crash server2:replicates",
     "step 2, server2:replicates, does not exist here: server 1 does not run."),
    ("server3:replicates",
     "step 1, server3:replicates, does not exist here: the next server is server 2."),
    ("A:reachable", "step 1, A:reachable, does not exist here: A is not cut off."),
    ("A:cut-off A:cut-off", "step 2, A:cut-off, does not exist here: A is cut off already."),
    ("A:crash A:cut-off", "step 2, A:cut-off, does not exist here: A is dead."),
    ("A:must-know", "step 1, A:must-know, does not exist here: A has not asked."),
    ("A:must-believe", "step 1, A:must-believe, does not exist here: A has not asked."),
    ("A:must-have-no-more", "step 1, A:must-have-no-more, does not exist here: nobody has counted what A has open."),
    ("A:must-hear-lost", "step 1, A:must-hear-lost, does not exist here: A has not tried."),
    ("A:must-be-outside", "step 1, A:must-be-outside, does not exist here: A has not tried."),
    ("A:enter t-1", "step 2, t-1, does not exist here: time goes forward."),
    ("A:enter A>< A:enter-for+1 A><",
     "step 3, A:enter-for+1, does not exist here: A has no such operation."),
])
def test_a_step_that_does_not_exist(step, why):
    finished = run(REPLAY, f"v1 stage4 {step}")
    assert finished.code == 0, finished
    assert f"CANNOT HAPPEN: {why}" in finished.out


@pytest.mark.parametrize("schedule, said", [
    ("stage5 A:enter A>< t+31 A:must-hold",
     "BROKEN: A no longer has its lock.\nLost because A's lease ended at 30.001 while A was still at "
     "work."),
    ("stage4 A:enter A>< A:work-done t+31 B:enter B>< A:must-hold",
     "BROKEN: A no longer has its lock: it is B's.\nLost because A's lease ended at 30.001"),
    ('stage4 A:enter A>< server:does"SET lock 1" A:must-hold', "BROKEN: A no longer has its lock.\n"),
    ("stage6 A:enter A>< t+10 A:wake A2>< t+25 A:must-hold", "HOLDS"),
    # B has written over the deadline, and is told that it is not enough.
    ("stage3 A:enter A>< A:work-done t+31 B:enter B>< B>< C:enter C>< C>< C>< A:must-hold",
     "BROKEN: A no longer has its lock: it is C's.\n"),
    ("stage3 A:enter A>< A:work-done t+31 B:enter B>< B>< C:enter C>< C>< C>< B>< C:must-hold",
     "HOLDS"),
    # A's lock has only a new lease, from B.
    ("detour_expire_anyway A:enter A>< A>< t+10 B:enter B>< B>< A:must-hold", "HOLDS"),
    ("stage7 A:enter A>< A:stop t+31 A:continue A:wake A2>< A:enter A>< A:must-hear-lost", "HOLDS"),
    ("stage6 A:enter A>< t+10 A:wake A2>< t+5 A:held A:must-believe", "HOLDS"),
    ("stage4 A:wait+0 A>< A:must-be-inside B:wait+0 B>< B:must-be-outside", "HOLDS"),
    # A still waits, with its first attempt or for its second lock.
    ("detour_blpop A:enter A>< B:wait+60 B>< B> B:must-be-outside", "BROKEN: B still waits where it must not.\n"),
    ("stage8 A:opens-two B:opens-two A:enter A>< B:enter/2 B3>< A:wait+5/2 A3>< A5>< A:must-be-outside",
     "BROKEN: A still waits where it must not.\n"),
    ("stage8 A:enter A>< A:connections-are-counted A:leave A>< A:must-have-no-more", "HOLDS"),
    # It does say so, and it is true.
    ("stage6 A:enter A>< A:stop t+31 A:continue A:held A:must-believe", "HOLDS"),
    ("stage5 A:enter A>< A:work-done t+31 B:enter B>< A:enter A>< A:must-hear-lost",
     'BROKEN: A\'s lock is lost, and A is told "busy".\n'),
])
def test_what_a_story_asks_of_a_lock(schedule, said):
    assert said in run(REPLAY, f"v1 {schedule}").out


@pytest.mark.parametrize("schedule", [
    "v1 stage4 A:enter A>< t+29.999 B:enter B>< B:must-be-inside",
    "v1 stage6 A:enter A>< t+10 A:wake A2>< t+20 B:enter B>< B:must-be-inside",
    "v1 stage1 A:enter A>< t+1 A:stop B:enter B>< B:must-be-inside",
    "v1 detour_blpop A:enter A>< B:wait+60 B>< B> C:wait+60 C>< C> A:leave A>< B< B>< t+1 C:must-be-inside",
])
def test_nobody_must_be_inside_beside_a_client_that_is_rightly_inside(schedule):
    finished = run(REPLAY, schedule)
    client, holder = ("C", "B") if "C:" in schedule else ("B", "A")
    assert (f":must-be-inside, does not exist here: {client} is kept out by {holder}, which is "
            "rightly inside.") in " ".join(finished.out.split()), finished
    assert finished.code == 0


@pytest.mark.parametrize("schedule", [
    "v1 stage1 A:enter A>< t+30 B:enter B>< B:must-be-inside",  # a lease later
    "v1 stage1 A:enter A>< A:crash B:enter B>< B:must-be-inside",  # not inside any more
    "v1 stage1 A:enter A>< A:hangs B:enter B>< B:must-be-inside",
    "v1 stage1 A:enter A>< A:work-done B:enter B>< B:must-be-inside",
    "v1 stage2 A:opens-two B:opens-two B:enter B>< B>< B:enter/2 B2>< B2>< B:work-done A:enter/2 A2>< "
    "A:must-be-inside",
    "v1 stage4 A:enter A>< server:does\"SET lock other\" B:enter B>< B:must-be-inside",  # not its own
])
def test_who_is_not_rightly_inside_keeps_nobody_out(schedule):
    finished = run(REPLAY, schedule)
    assert finished.code == 1 and "cannot get in where it must." in finished.out, finished


def test_who_hangs_is_asked_nothing_more():
    said = run(REPLAY, "v1 stage4 A:enter A>< A:hangs t+1 A:leave A><").out
    assert "CANNOT HAPPEN: step 5, A:leave, does not exist here: A's worker hangs." in said


def test_two_locks_have_two_columns():
    said = run(ROOT / "scenarios/ab_ba_deadlock", "--stage", "4").out
    assert re.search(r"^  time  lock +lock2 +A +B$", said, re.M)
    assert re.search(r"^30\.001  expired +expired$", said, re.M)


def test_a_timer_that_is_not_due():
    finished = run(REPLAY, "v1 stage6 A:enter A>< t+9 A:wake")
    assert "step 4, A:wake, does not exist here: A does not wake yet." in finished.out


@pytest.mark.parametrize("schedule, said", [
    ("", "a schedule begins with v1 and a lock"),
    ("v2 stage4 A:enter", "a schedule begins with v1 and a lock"),
    ("v1", "the schedule names no lock"),
    ("v1 stage99 A:enter", "there is no lock 'stage99'"),
    ("v1 stage4 A:entr", "step 1 of the schedule, 'A:entr', is nothing that can happen to it"),
    ("v1 stage4 A:enterx", "step 1 of the schedule, 'A:enterx', does not end where it should"),
    ("v1 stage4 A:enter B", "step 2 of the schedule, 'B', is no step"),
    ("v1 stage4 a:enter", "a client is one capital letter"),
    ("v1 stage4 t30", "step 1 of the schedule, 't30', needs seconds: +30.001"),
    ("v1 stage4 t+x", "needs seconds: +30.001"),
    ("v1 stage4 t+99999999999", "is more than three years"),
    ("v1 stage4 A:enter+1", "step 1 of the schedule, 'A:enter+1', does not end where it should"),
    ("v1 stage4 A:leave-for+1", "does not end where it should"),
    ("v1 stage4 A:enter-for", "step 1 of the schedule, 'A:enter-for', needs seconds: +30.001"),
    ("v1 stage4 A:enter-for/2+1", "needs seconds: +30.001"),
    ("v1 stage4 A:enter-for+0", "needs a lease of whole milliseconds, at most a day: +0.5"),
    ("v1 stage4 A:enter-for-1", "needs a lease of whole milliseconds, at most a day: +0.5"),
    ("v1 stage4 A:enter-for+0.0005", "needs a lease of whole milliseconds, at most a day: +0.5"),
    ("v1 stage4 A:enter-for+86400.001", "needs a lease of whole milliseconds, at most a day: +0.5"),
    ("v1 stage4 A:reopen-for", "step 1 of the schedule, 'A:reopen-for', needs seconds: +30.001"),
    ("v1 stage4 A:reopen-for+0", "needs a lease of whole milliseconds, at most a day: +0.5"),
    ("v1 stage4 A:wait", "step 1 of the schedule, 'A:wait', needs seconds: +30.001"),
    ("v1 stage4 A:wait+0.0005", "needs a patience of whole milliseconds, at most a day: +0.5"),
    ("v1 stage4 A:wait+86401", "needs a patience of whole milliseconds, at most a day: +0.5"),
    ("v1 stage4 (A:enter A><)*0", "step 2 of the schedule, ')*0', is not from 1 to 9999 times"),
    ("v1 stage4 (A:enter A><)*10000", "')*10000', is not from 1 to 9999 times"),
    ("v1 stage4 (A:enter A><)*2x", "')*2x', does not end where it should"),
    ("v1 stage4 (A:enter A><)", "')', needs a number of times: )*5"),
    ("v1 stage4 (A:enter A><", "is in parentheses that do not end: (A:wake A><)*5"),
    ("v1 stage4 A:enter)*3", "'A:enter)*3', does not end where it should"),
    ("v1 stage4 A:enter )*3", "')*3', ends no repetition: it is written (A:wake A><)*5"),
    ("v1 stage4 ()*3", "step 1 of the schedule, '()*3', is no step"),
    ("v1 stage4 (A:enter (A><)*2)*2", "'(A><)*2)*2', begins a repetition inside another"),
    ("v1 stage4 lease+0 A:enter", "'lease+0', needs a lease of whole milliseconds"),
    ("v1 stage4 keyhole A:enter", "'keyhole', needs a text in quotation marks"),
    ('v1 stage4 key"two words" A:enter', "needs a name of at most 127 characters without a space"),
    ("v1 stage4 lease+2.5s A:enter", "'lease+2.5s', does not end where it should"),
    ("v1 stage4 A:enter lease+2.5", "step 2 of the schedule, 'lease+2.5', is no step"),
    ("v1 stage4 A:enter/2", "is of a second lock: such a client begins with opens-two"),
    ("v1 stage4 A:opens-two A:enter/3", "is of a lock that no client has: they are /1 and /2"),
    ("v1 stage4 A:enter/99", "is of a lock that no client has: they are /1 and /2"),
    ("v1 stage4 A:enter@5", "is of a thread that no client has: they are @1 to @4"),
    ("v1 stage4 A:enter@99", "is of a thread that no client has: they are @1 to @4"),
    ("v1 stage4 A0>", "has a number in it that is not from 1 to 99"),
    ("v1 stage4 server:does", "needs a text in quotation marks"),
    ("v1 stage4 server:does\"FLUSHALL", "needs a text in quotation marks"),
    ("v1 stage4 server:does\"\"", "has nothing between its quotation marks"),
    ("v1 stage4 server:does-in-vain\" \"", "has nothing between its quotation marks"),
    ("v1 stage4 A:opens A:opens", "step 2 of the schedule, 'A:opens', opens a client a second time"),
    ("v1 stage4 A:opens A:enter A:opens-two", "opens a client a second time"),
    ("v1 stage4 A2:enter", "'A2:enter', is of the whole client, and of no connection: no number"),
    ("v1 stage4 server2:writes-count", "is of no server in particular: no number"),
    ("v1 stage4 strictA:enter", "step 1 of the schedule, 'strictA:enter', is no step"),
    ("v1 stage4 A:enter server:options\"--appendonly yes\"",
     "comes too late: options are the first step"),
    ("v1 stage4 A:crash B:crash C:crash D:crash E:crash F:crash G:crash H:crash I:crash",
     "is of one client too many: there can be 8"),
])
def test_what_is_no_schedule(schedule, said):
    finished = run(REPLAY, schedule)
    assert (finished.code, finished.out) == (2, ""), finished
    assert finished.err.count("\n") == 1
    assert said in finished.err


# Redis 8 takes what it does not know for a module's.
NONSENSE = """before it was ready: 'nonsense "?yes"?': (Bad directive|Module Configuration detected)"""


@pytest.mark.parametrize("options, said", [
    ("--nonsense yes", NONSENSE),
    ("--appendonly maybe", "before it was ready: 'appendonly \"maybe\"': argument must be"),
    ("--save " + "1 " * 120, "the server's options are too long: at most 2"),
])
def test_options_that_the_server_refuses(temporary, options, said):
    finished = run(REPLAY, f"v1 stage4 server:options\"{options}\" A:enter")
    assert (finished.code, finished.out) == (2, ""), finished
    assert finished.err.count("\n") == 1 and re.search(said, finished.err), finished
    assert not list(temporary.iterdir())


def test_any_white_space_separates():
    said = [run(REPLAY, white.join(["v1", "stage4", "strict", "A:enter", "A>", "A<", "A:enter/3"]))
            for white in (" ", "\t", "\n", " \r\n\v\f")]
    assert said[0].out == said[1].out == said[2].out == said[3].out, said
    assert {finished.err for finished in said} == {said[0].err}
    finished = run(REPLAY, "v1\tstage4\tA:enter\tA:entr\tA>")
    assert "step 2 of the schedule, 'A:entr', is nothing" in finished.err


def test_no_schedule_and_two():
    assert "which schedule?" in run(REPLAY).err
    assert "put the schedule in quotes" in run(REPLAY, "v1", "stage4").err


@pytest.mark.parametrize("step", ["A:enter-for+1", "A:enter-for+0.001", "A:enter-for+86400",
                                  "A:enter-for+1.5@2", "A:enter-for+1/2", "A:enter-for+29.5/2@4"])
def test_a_lease_is_written_as_it_was_read(step):
    finished = run(REPLAY, f"v1 stage4 A:opens-two {step}")
    assert f"CANNOT HAPPEN: step 2, {step}, does not exist here" in finished.out
    assert f"Again: ./scenarios/replay 'v1 stage4 A:opens-two {step}'" in finished.out


def test_a_lease_of_a_handle_is_written_as_it_was_read():
    schedule = "v1 stage4 A:opens-two A:reopen-for+5 A:reopen-for+2/2 A:enter A3><"
    finished = run(REPLAY, schedule)
    assert "closed and opened anew for 5 s" in finished.out and " EX 5" in finished.out, finished
    assert finished.out.endswith(f"\nHOLDS\n\nAgain: ./scenarios/replay '{schedule}'\n"), finished


def test_strict_asks_for_more():
    schedule = "stage4 {} A:enter A>< A:leave t+30.001 B:enter B>< A>"
    assert run(REPLAY, "v1 " + schedule.format("")).verdict == "HOLDS"
    strict = run(REPLAY, "v1 " + schedule.format("strict"))
    assert strict.code == 1
    assert "BROKEN: A's release changes the lock of B, who is inside." in strict.out


def test_every_lock_has_a_short_name():
    for lock in locks():
        finished = run(REPLAY, f"v1 {lock} A:enter")
        assert finished.code == 0, finished
        name = lock.split("_")[0] if lock.startswith("stage") else lock
        assert f"'v1 {name} A:enter'" in finished.out


LONG = ("v1 stage3 Z:enter Z>< Z:crash t+31 B:enter B>< B>< C:enter C>< C> B>< B:crash t+15 C< C>< "
        "t+16 D:enter D>< D>< D:must-be-inside")


def steps(text):
    """With what stands in parentheses counted as often as it happens."""
    whole = re.sub(r"\(([^()]*)\)\*(\d+)", lambda found: int(found[2]) * f"{found[1]} ", text)
    return len(whole.replace("><", "> A<").split())


TWO_INSIDE = ("v1 stage3 A:enter A>< t+29 A:work-done A:stop t+31 B:enter B>< B>< B>< A:continue "
              "A:leave A>< A>< C:enter C><")


# The last step does not exist. The lock has lost something before, beside the story.
LOST_BEFORE = "v1 detour_reentrant_uncounted B:opens A:enter A>< A:enter A>< A:leave A>< B>"


@pytest.mark.parametrize("long, reason", [
    (LONG, "D cannot get in where it must."),
    (TWO_INSIDE, "B and C are both inside."),
    (LOST_BEFORE, "A no longer has its lock, though it is inside and was never late."),
])
def test_a_shortened_schedule_loses_the_same(long, reason):
    finished = run(REPLAY, "--shorten", long, "--format", "json")
    assert finished.code == 1, finished
    short = finished.document["schedule"]
    assert finished.document["reason"] == reason
    assert steps(short) < steps(long)
    again = run(REPLAY, "--shorten", short, "--format", "json")
    assert again.document["schedule"] == short


def test_a_shortened_schedule_needs_every_step():
    finished = run(REPLAY, "--shorten", TWO_INSIDE, "--format", "json")
    words = finished.document["schedule"].split()
    for i in range(2, len(words)):
        if words[i].endswith(":held"):
            continue  # a replay asks by itself
        fewer = run(REPLAY, " ".join(words[:i] + words[i + 1:]))
        assert "BROKEN: B and C are both inside." not in fewer.out, fewer


@pytest.mark.parametrize("schedule, short", [
    ("v1 stage4 A:opens-two C:opens-two B:opens-two A:enter A>< C:enter C>< t+31 B:enter B><",
     "v1 stage4 A:enter A>< t+31 B:enter B>< A:held B:held"),
    ("v1 stage4 A:opens-two B:opens-two A:enter/2 A2>< t+31 B:enter B>< B:enter/2 B2><",
     "v1 stage4 A:opens-two B:opens-two A:enter/2 A2>< t+31 B:enter/2 B2>< A:held/2 B:held/2"),
])
def test_a_second_lock_that_is_not_needed_is_left_out(schedule, short):
    finished = run(REPLAY, "--shorten", "--format", "json", schedule)
    assert finished.document["schedule"] == short


@pytest.mark.parametrize("schedule, short", [
    # A may not be left alive, nor the lease be spared.
    ("v1 stage1 A:enter A>< A:crash t+31 C:enter C>< C:must-be-inside",
     "v1 stage1 A:enter A> A:crash t+31 C:enter C>< C:must-be-inside"),
    # It is A that has to get in, and not somebody else.
    ("v1 stage1 A:enter A>< A:enter A>< A:must-be-inside A:leave A>< B:enter B>< B:must-be-inside",
     "v1 stage1 A:enter A>< A:enter A>< A:must-be-inside"),
    # Nobody has to know what is not so.
    ('v1 stage1 B:opens A:enter A>< server:does"DEL lock" t+11 A:held A:must-know',
     'v1 stage1 A:enter A>< server:does"DEL lock" t+11 A:held A:must-know'),
])
def test_what_must_be_keeps_its_reason(schedule, short):
    finished = run(REPLAY, "--shorten", schedule, "--format", "json")
    assert finished.document["schedule"] == short


LATE_RELEASE = r"^v1 \w+ A:enter .* B:enter .*A:leave A>(<| A>)* C:enter( C><)+ B:held C:held$"


@pytest.mark.parametrize("lock", ["stage2", "stage3", "stage4"])
def test_a_shortened_late_release_is_still_a_late_release(lock):
    """And not work that has outlived its lease, which takes fewer steps."""
    told = replay("expired_delete", lock, "--format", "json").document
    short = run(REPLAY, "--shorten", told["schedule"], "--format", "json").document
    assert short["reason"] == told["reason"] == "B and C are both inside."
    assert re.search(LATE_RELEASE, short["schedule"]), short["schedule"]
    assert "A:stop" not in short["schedule"]  # A may as well be slow


# Some of the table, and not all of the same lock.
SHORTENED = [(race, lock) for race, lock, verdict in read_matrix()
             if verdict == "BROKEN" and lock.startswith("stage")][::29]


@pytest.mark.parametrize("race, lock", SHORTENED)
def test_a_shortened_race_keeps_its_sentence(race, lock):
    whole = played(race, lock)["schedule"]
    again = run(REPLAY, whole, "--format", "json").document
    short = run(REPLAY, "--shorten", whole, "--format", "json").document
    assert (short["verdict"], short["reason"]) == ("BROKEN", again["reason"])
    assert steps(short["schedule"]) <= steps(whole)


def test_a_loss_before_a_step_that_does_not_exist_is_shortened():
    finished = run(REPLAY, "--shorten", "v1 stage4 A:enter A>< t+31 B:enter B>< B:wake",
                   "--format", "json")
    assert finished.document["schedule"] == \
        "v1 stage4 A:enter A>< t+31 B:enter B>< A:held B:held"


def test_a_schedule_that_is_too_long_to_shorten():
    schedule = "v1 stage4" + " t+1" * 4090 + " A:enter A>< t+31 B:enter B><"
    finished = run(REPLAY, "--shorten", schedule)
    assert (finished.code, finished.out) == (2, ""), finished
    assert finished.err == ("replay: this schedule has more than 4096 steps (A>< is two), too many "
                            "for --shorten: replay it without\n")


def test_nothing_to_shorten():
    finished = run(REPLAY, "--shorten", "v1 stage5 A:enter A><")
    assert (finished.code, finished.out) == (2, "")
    assert "this schedule loses nothing on stage5_token_lua" in finished.err


@pytest.mark.parametrize("words", ["lease+2.5", "strict lease+2.5"])
def test_a_schedule_can_have_another_lease(words):
    schedule = f"v1 stage6 {words} A:enter A>< t+0.834 A:wake A2>< t+1.666 A:held"
    finished = run(REPLAY, schedule)
    assert f"Again: ./scenarios/replay '{schedule}'\n" in finished.out, finished
    assert finished.out.split("\n")[0].endswith(", lease 2.500 s")
    assert "SET lock A1 NX PX 2500\n" in finished.out and "A1, 0.834 s" in finished.out
    assert run(REPLAY, "--format", "json", schedule).document["lease_ms"] == 2500


def test_a_schedule_can_have_another_key():
    schedule = 'v1 stage4 key"orders:1" A:opens-two A:enter A>< A:enter/2 A2><'
    finished = run(REPLAY, schedule)
    assert f"Again: ./scenarios/replay '{schedule}'\n" in finished.out, finished
    assert "SET orders:1 locked" in finished.out and "SET orders:12 locked" in finished.out
    # A name on the command line counts more.
    named = run(REPLAY, "--key", "mine", schedule).out
    assert "SET mine locked" in named and "--key 'mine'" in named and "orders" not in named
    usual = run(REPLAY, "--key", "lock", schedule).out
    assert "SET lock locked" in usual and "key" not in usual.split("Again:")[1]


REFUSED = "v1 {} {} A:enter {} A< B:enter B>< B:must-be-inside"


@pytest.mark.parametrize("lock", ["stage1", "stage4", "stage5", "stage7"])
def test_a_refused_command_changes_nothing(lock):
    """The server itself refuses it: a command that writes, alone and in a script."""
    refused = run(REPLAY, REFUSED.format(lock, "", "A:refuse"))
    assert refused.verdict == "HOLDS", refused
    assert "** the server refuses writes for a moment\n" in refused.out
    assert re.search(r"^ +NOREPLICAS, error$", refused.out, re.M), refused
    taken = run(REPLAY, REFUSED.format(lock, "", "A>"))
    assert "B is kept out by A, which is rightly inside." in " ".join(taken.out.split()), taken


def test_a_refused_command_that_only_reads_is_answered():
    finished = run(REPLAY, "v1 stage3 A:enter A>< B:enter B>< B:refuse B< C:enter C>< C><")
    assert "GET lock <delivered>" in finished.out and "NOREPLICAS" not in finished.out, finished


@pytest.mark.parametrize("before, setting", [
    ("", 0), ('server:does"CONFIG SET min-replicas-to-write 1"', 1),
    ("server2:replicates", 0), ('server2:replicates server2:does"REPLICAOF NO ONE" A:reaches2', 0)])
def test_the_server_has_its_setting_back_after_it_has_refused(before, setting):
    number = "2" if "A:reaches2" in before else ""
    asks = f'server{number}:does"CONFIG GET min-replicas-to-write"'
    finished = run(REPLAY, f"v1 stage4 {before} A:enter A{number}:refuse A{number}< {asks}")
    said = " ".join(finished.out.split())
    assert "NOREPLICAS, error" in said, finished
    assert f"CONFIG GET min-replicas-to-write -> [min-replicas-to-write, {setting}]" in said


def test_each_server_has_a_number():
    schedule = "v1 stage4 server2:replicates server3:replicates server4:replicates"
    finished = run(REPLAY, schedule)
    assert finished.out.endswith(f"\nHOLDS\n\nAgain: ./scenarios/replay '{schedule}'\n"), finished
    finished = run(REPLAY, f"{schedule} server5:replicates")
    assert "server5:replicates, does not exist here: there are 4 servers, and no more." in finished.out


def test_a_client_that_is_not_there():
    finished = run(REPLAY, "v1 stage4 A:enter A:crash B:enter B:opens")
    assert "CANNOT HAPPEN: step 3, B:enter, does not exist here: there is no B yet." in finished.out
    finished = run(REPLAY, "v1 stage4 A:must-be-inside")
    assert "A has not tried." in finished.out
