"""A schedule replays its trace; what is none is refused with one line."""

import re

import pytest

from lockstep import REPLAY, ROOT, TESTS, locks, played, read_matrix, refused, replay, run, told

CELLS = [(race, lock) for race, lock, _ in read_matrix()
         if lock in ("stage3", "stage8")]


def events(document):
    """What happened, without the story's sentences. What is said of an event depends on what stands
    beside it."""
    return [{name: value for name, value in event.items() if name != "says"}
            for event in document["events"] if event["event"] != "note"]


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
    trace = replay("expired_delete", 4).out
    document = replay("expired_delete", 4, "--format", "json").document
    assert trace.endswith(f"\nAgain: ./scenarios/replay '{document['schedule']}'\n")


def test_on_another_lock():
    schedule = "v1 stage4 A:enter A>< A:leave t+30.001 B:enter B>< A> C:enter C><"
    assert run(REPLAY, schedule).verdict == "BROKEN"
    held = run(REPLAY, "--stage", "5", schedule)
    assert (held.code, held.verdict) == (0, "HOLDS")
    missing = run(REPLAY, "--stage", "0", schedule)
    assert missing.code == 0
    assert ("CANNOT HAPPEN: step 2, A>, does not exist here: A has sent nothing on connection 1."
            in missing.out)


TOLD = re.findall(r"^(\w.*)\n((?:    .*\n)+)", (TESTS / "told.txt").read_text(), re.M)


@pytest.mark.parametrize("schedule, lines", TOLD, ids=[schedule for schedule, _ in TOLD])
def test_what_comes_of_a_schedule(schedule, lines):
    finished = told(schedule)
    verdict, *others = (line.strip() for line in lines.splitlines())
    found = re.search(r"^(HOLDS$|[A-Z ]+: .*?)(?=\n\n|\n(?:Lost|Held) because|\nStage)", finished.out, re.M | re.S)
    assert (" ".join(found[1].split()), finished.err) == (verdict, ""), finished
    assert finished.code == verdict.startswith("BROKEN")
    rest = finished.flat
    for line in others:
        if line.startswith("> "):
            assert line[2:] in rest, (line, finished)
            rest = rest.partition(line[2:])[2]
        else:
            times, text = line.split(" x ", 1)
            rows = re.sub(r" Held because .*?(?= Again:|$)", "", finished.flat)
            assert rows.count(text) == int(times), (line, finished)


def test_two_locks_have_two_columns():
    said = run(ROOT / "scenarios/ab_ba_deadlock", "--stage", "4").out
    assert re.search(r"^  time  lock +lock2 +A +B$", said, re.M)
    assert re.search(r"^30\.001  expired +expired$", said, re.M)


# Redis 8 takes what it does not know for a module's.
NONSENSE = """before it was ready: 'nonsense "?yes"?': (Bad directive|Module Configuration detected)"""


@pytest.mark.parametrize("options, said", [
    ("--nonsense yes", NONSENSE),
    ("--appendonly maybe", "before it was ready: 'appendonly \"maybe\"': argument must be"),
    ("--save " + "1 " * 120, "the server's options are too long: at most 2"),
])
def test_options_that_the_server_refuses(temporary, options, said):
    assert re.search(said, refused(REPLAY, f'v1 stage4 server:options"{options}" A:enter'))


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


def shortened(schedule):
    finished = run(REPLAY, "--shorten", "--format", "json", schedule)
    assert finished.code == 1, finished
    return finished.document


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
    short = shortened(long)
    assert short["reason"] == reason and steps(short["schedule"]) < steps(long)
    assert shortened(short["schedule"])["schedule"] == short["schedule"]


def test_a_shortened_schedule_needs_every_step():
    words = shortened(TWO_INSIDE)["schedule"].split()
    for i in range(2, len(words)):
        if words[i].endswith(":held"):
            continue  # a replay asks by itself
        fewer = run(REPLAY, " ".join(words[:i] + words[i + 1:]))
        assert "BROKEN: B and C are both inside." not in fewer.out, fewer


@pytest.mark.parametrize("schedule, short", [
    # A second lock that is not needed is left out.
    ("A:opens-two C:opens-two B:opens-two A:enter A>< C:enter C>< t+31 B:enter B><",
     "A:enter A>< t+31 B:enter B>< A:held B:held"),
    ("A:opens-two B:opens-two A:enter/2 A2>< t+31 B:enter B>< B:enter/2 B2><",
     "A:opens-two B:opens-two A:enter/2 A2>< t+31 B:enter/2 B2>< A:held/2 B:held/2"),
    # What must be keeps its reason: A may not be left alive, nor the lease be spared.
    ("A:enter A>< A:crash t+31 C:enter C>< C:must-be-inside", "A:enter A> A:crash t+31 C:enter C>< C:must-be-inside"),
    # It is A that has to get in, and not somebody else.
    ("A:enter A>< A:enter A>< A:must-be-inside A:leave A>< B:enter B>< B:must-be-inside",
     "A:enter A>< A:enter A>< A:must-be-inside"),
    # Nobody has to know what is not so.
    ('B:opens A:enter A>< server:does"DEL lock" t+11 A:held A:must-know',
     'A:enter A>< server:does"DEL lock" t+11 A:held A:must-know'),
    # A loss before a step that does not exist.
    ("A:enter A>< t+31 B:enter B>< B:wake", "A:enter A>< t+31 B:enter B>< A:held B:held"),
])
def test_a_schedule_is_shortened(schedule, short):
    lock = "v1 stage1" if "must" in schedule else "v1 stage4"
    assert shortened(f"{lock} {schedule}")["schedule"] == f"{lock} {short}"


LATE_RELEASE = r"^v1 \w+ A:enter .* B:enter .*A:leave A>(<| A>)* C:enter( C><)+ B:held C:held$"


@pytest.mark.parametrize("lock", ["stage2", "stage3", "stage4"])
def test_a_shortened_late_release_is_still_a_late_release(lock):
    """And not work that has outlived its lease, which takes fewer steps."""
    whole = replay("expired_delete", lock, "--format", "json").document
    short = shortened(whole["schedule"])
    assert short["reason"] == whole["reason"] == "B and C are both inside."
    assert re.search(LATE_RELEASE, short["schedule"]), short["schedule"]
    assert "A:stop" not in short["schedule"]  # A may as well be slow


# Some of the table, and not all of the same lock.
SHORTENED = [(race, lock) for race, lock, verdict in read_matrix()
             if verdict == "BROKEN" and lock.startswith("stage")][::29]


@pytest.mark.parametrize("race, lock", SHORTENED)
def test_a_shortened_race_keeps_its_sentence(race, lock):
    whole = played(race, lock)["schedule"]
    again = run(REPLAY, whole, "--format", "json").document
    short = shortened(whole)
    assert (short["verdict"], short["reason"]) == ("BROKEN", again["reason"])
    assert steps(short["schedule"]) <= steps(whole)


def test_a_schedule_that_is_too_long_to_shorten():
    schedule = "v1 stage4" + " t+1" * 4090 + " A:enter A>< t+31 B:enter B><"
    assert refused(REPLAY, "--shorten", schedule) == (
        "replay: this schedule has more than 4096 steps (A>< is two), too many "
        "for --shorten: replay it without\n")


def test_nothing_to_shorten():
    assert "loses nothing on stage5_token_lua" in refused(REPLAY, "--shorten", "v1 stage5 A:enter A><")


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
