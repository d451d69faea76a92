"""The documents of runs and searches, field by field, against docs/json.md."""

import json
import re

import pytest

from lockstep import ROOT, read_matrix, replay, run, short

PAGE = (ROOT / "docs/json.md").read_text()
# Between them they have every field, every event and every word.
RUNS = {
    "a lock that is lost": ("expired_delete", "stage4_set_nx_ex"),
    "a watchdog": ("work_outlives_lease", "stage6_watchdog"),
    "nobody reachable": ("cut_off_holder", "stage6_watchdog"),
    "a clock ahead": ("client_clock_fast", "stage3_getset"),
    "two locks": ("ab_ba_deadlock", "stage1_setnx"),
    "two threads": ("thread_hop", "stage7_reentrant"),
    "a resource": ("check_then_act", "stage4_set_nx_ex"),
    "a lost answer": ("lost_grant_answer", "stage2_setnx_expire"),
    "given up": ("reordered_set", "stage5_token_lua"),
    "a killed holder": ("crash_holding", "stage1_setnx"),
    "a server that restarts": ("restart_empty", "stage7_reentrant"),
    "a copy": ("failover", "stage5_token_lua"),
    "an error": ("key_of_another_type", "stage3_getset"),
    "cannot happen": ("check_then_delete", "stage5_token_lua"),
    "no server": ("two_processes", "stage0_mutex"),
    "a refused command": ("one_renewal_refused", "stage6_watchdog"),
    "reachable again": ("three_renewals_lost", "stage6_watchdog"),
    "a message": ("false_alarm", "stage8_wakeup"),
    "a kept request": ("chosen_waiter_dies", "detour_blpop"),
    "several masters": ("redlock_partition", "road_redlock"),
    "a lease of its own": ("reentry_shrinks_lease", "detour_reentrant_lease"),
    "closed": ("closed_while_held", "stage5_token_lua"),
}
VERDICTS = {"holds": "HOLDS", "BROKEN": "BROKEN", "cannot": "CANNOT HAPPEN"}

TEXT, WHOLE = str, int
DOCUMENT = {"format": WHOLE, "race": TEXT, "lock": TEXT, "versions": dict, "lease_ms": WHOLE,
            "verdict": TEXT, "reason": TEXT, "because": TEXT, "answered_by": TEXT, "decided_at": WHOLE,
            "schedule": TEXT, "events": list, "trace": TEXT, "picture": TEXT}
EVENT = {"time_ms": WHOLE, "actor": TEXT, "event": TEXT, "operation": TEXT, "lock_number": WHOLE,
         "thread": WHOLE, "lease_ms": WHOLE, "patience_ms": WHOLE, "result": TEXT, "text": TEXT, "says": TEXT,
         "connection": WHOLE,
         "command": TEXT, "answer": TEXT, "command_bytes": TEXT, "answer_bytes": TEXT, "skew_ms": WHOLE,
         "server": WHOLE, "masters": list, "lock": (dict, type(None)), "lock2": (dict, type(None))}
# Which fields an event always has, and which it may have.
WIRE = {"actor", "connection", "command", "command_bytes"}
ANSWERED = WIRE | {"answer", "answer_bytes"}
PUSHED = {"actor", "connection", "answer", "answer_bytes"}
FIELDS = {
    "asked": ({"actor", "operation"}, {"lock_number", "thread", "lease_ms", "patience_ms"}),
    "request": (WIRE, set()),
    "refused": (WIRE, set()),
    "ran": (ANSWERED, set()),
    "waits": (WIRE, set()),
    "pushed": (PUSHED, WIRE),
    "heard": (PUSHED, WIRE),
    "sleeps": ({"actor", "operation", "patience_ms"}, {"thread"}),
    "answer": (ANSWERED, set()),
    "cut": ({"actor", "connection"}, ANSWERED),
    "result": ({"actor", "operation", "result"}, {"text", "lock_number", "thread", "lease_ms",
                                                   "patience_ms"}),
    "clock": (set(), set()),
    "woke": ({"actor"}, set()),
    "gave up": (WIRE, set()),
    "killed": ({"actor"}, set()),
    "crashed": ({"actor", "text"}, set()),
    "quit": ({"actor", "text"}, set()),
    "stopped": ({"actor"}, {"text"}),
    "continued": ({"actor"}, set()),
    "isolated": ({"actor"}, set()),
    "reconnected": ({"actor"}, set()),
    "skewed": ({"actor", "skew_ms"}, set()),
    "server": ({"text"}, set()),
    "note": ({"text"}, set()),
    "work done": ({"actor"}, set()),
    "hung": ({"actor"}, set()),
}


def table(heading):
    """{name: the rest of its row} of the table below a line of the page."""
    rows = PAGE[PAGE.index(heading):].split("|---|---|\n", 1)[1].split("\n\n", 1)[0]
    return {name: text for names, text in re.findall(r"^\| (.*?) \| (.*) \|$", rows, re.M)
            for name in re.findall(r"`(\w+)`", names)}


def words(text):
    """The quoted words that a sentence lists, without what it says in brackets."""
    return set(re.findall(r"`([\w ]+)`", re.sub(r"\([^()]*\)", "", text)))


CRASHES = "/usr/bin/python3 -c 'import os; print(\"ready\", flush=True); input(); os.abort()'"

QUITS = "/usr/bin/python3 -c 'import select, sys; print(\"ready\", flush=True); input(); print(\"ok\", flush=True); select.select([], [], [], 9)'"


@pytest.fixture(scope="module")
def documents():
    return {name: replay(race, lock, "--format", "json", "--wire", "--drawn").document
            for name, (race, lock) in RUNS.items()}


@pytest.fixture(scope="module")
def events(documents):
    ended = [run(ROOT / "scenarios" / race, "--virtual", "--client", guest, "--format", "json").document
             for race, guest in (("two_processes", CRASHES), ("cut_off_holder", QUITS))]
    return [event for document in [*documents.values(), *ended] for event in document["events"]]


def assert_types(fields, types):
    for name, value in fields.items():
        assert isinstance(value, types[name]) and not isinstance(value, bool), (name, value)


def test_every_field_of_the_page_is_there_and_no_other(documents, events):
    assert set(table("# JSON")) - {"server"} == set(DOCUMENT)
    assert set().union(*documents.values()) == set(DOCUMENT)
    assert set(table("An event:")) - {"value", "ttl_ms"} == set(EVENT)
    assert set().union(*events) == set(EVENT)


def test_every_word_of_the_page_is_there_and_no_other(events):
    rows = PAGE[PAGE.index("The events:"):].split("|---|---|\n", 1)[1].split("\n\n", 1)[0]
    listed = words(" ".join(re.findall(r"^\| (.*?) \|", rows, re.M)))
    assert {event["event"] for event in events} == set(FIELDS) == listed
    rows = table("An event:")
    assert {event["operation"] for event in events if "operation" in event} == words(
        rows["operation"].split(":")[0])
    assert {event["result"] for event in events if "result" in event} == words(
        rows["result"].split(": with")[0]) - {"cannot"}


def test_types(documents, events):
    for document in documents.values():
        assert_types(document, DOCUMENT)
        assert set(document["versions"]) == {"server"}
        assert re.fullmatch(r"(redis|valkey) \d+\.\d+\.\d+", document["versions"]["server"])
    for event in events:
        assert_types(event, EVENT)
        always, sometimes = FIELDS[event["event"]]
        has = set(event) - {"time_ms", "event", "lock", "lock2", "server", "masters", "says"}
        assert always <= has <= always | sometimes, event
        if event["lock"] is not None:
            assert set(event["lock"]) == {"value", "ttl_ms"}
            assert_types(event["lock"], {"value": str, "ttl_ms": (int, type(None))})


def test_who_uses_two_locks_shows_two(documents):
    for name, document in documents.items():
        assert all(("lock2" in event) == (name == "two locks") for event in document["events"])


def test_of_several_masters_each_is_shown(documents):
    for name, document in documents.items():
        several = name == "several masters"
        assert all(len(event.get("masters", [])) == (5 if several else 0) for event in document["events"])
        servers = {event.get("server") for event in document["events"] if "command" in event}
        assert servers == {1, 2, 3, 4, 5} if several else servers <= {None}


def test_a_document_says_what_it_is_of(documents):
    matrix = {(race, lock): verdict for race, lock, verdict in read_matrix()}
    for name, (race, lock) in RUNS.items():
        document = documents[name]
        verdict = VERDICTS[matrix[race, short(lock)]]
        assert (document["race"], document["lock"]) == (race, lock)
        assert document["verdict"] == verdict
        assert document["format"] == 1
        assert document["lease_ms"] == 30_000
        assert bool(document["reason"]) == (verdict != "HOLDS")
        assert ("answered_by" in document) == (verdict == "BROKEN")
        assert ("decided_at" in document) == ("because" in document and verdict == "HOLDS")
        assert verdict != "CANNOT HAPPEN" or "because" not in document
        assert verdict != "BROKEN" or "because" in document
    assert {document["verdict"] for document in documents.values()} == set(VERDICTS.values())


def test_times_are_milliseconds_of_the_story(documents):
    document = documents["a lock that is lost"]
    times = [event["time_ms"] for event in document["events"]]
    assert times == sorted(times)
    assert {0, 29_000, 30_001, 60_000} <= set(times)
    locks = [event["lock"] for event in document["events"]]
    assert {"value": "locked", "ttl_ms": 30_000} in locks and None in locks
    assert {"value": "locked", "ttl_ms": 1_000} in locks  # at 29 s


def test_some_events_in_full(documents):
    def of(name, kind):
        return [event for event in documents[name]["events"] if event["event"] == kind]

    bytes_sent = "\\r\\n".join(["*6", "$3", "SET", "$4", "lock", "$6", "locked", "$2", "NX", "$2",
                                "EX", "$2", "30", ""])
    assert of("a lock that is lost", "request")[0] == {
        "time_ms": 0, "actor": "A", "event": "request", "connection": 1,
        "command": "SET lock locked NX EX 30", "command_bytes": bytes_sent, "lock": None,
        "says": 'A asks Redis: "SET lock locked NX EX 30".'}
    assert of("a lock that is lost", "answer")[0] == {
        "time_ms": 0, "actor": "A", "event": "answer", "connection": 1,
        "command": "SET lock locked NX EX 30", "command_bytes": bytes_sent,
        "answer": "OK", "answer_bytes": "+OK\\r\\n", "lock": {"value": "locked", "ttl_ms": 30_000},
        "says": 'Redis answers A: "OK". Now the lock is taken, for 30 s.'}
    assert of("a clock ahead", "skewed")[0] == {
        "time_ms": 0, "actor": "B", "event": "skewed", "skew_ms": 40_000, "lock": None,
        "says": "B's clock now is 40 s fast."}
    lost = of("a lost answer", "cut")[0]
    assert (lost["command"], lost["answer"]) == ("SETNX lock locked", "1")
    assert lost["lock"] == {"value": "locked", "ttl_ms": None}
    assert of("a lost answer", "result")[0] == {
        "time_ms": 0, "actor": "A", "event": "result", "operation": "enter", "result": "unknown",
        "text": "connection lost before the answer", "lock": lost["lock"],
        "says": "A does not know whether it has the lock: connection lost before the answer."}
    assert [(event["actor"], event["operation"], event.get("lock_number", 1))
            for event in of("two locks", "asked")][:2] == [("A", "enter", 1), ("B", "enter", 2)]
    assert {event.get("thread") for event in of("two threads", "asked")} == {None, 2}
    for kind in ("asked", "result"):  # A, A with a lease of its own, B, and what A says of it
        assert [event.get("lease_ms") for event in of("a lease of its own", kind)] == [
            None, 1000, None, None]
    assert [event["connection"] for event in of("a lost answer", "request")[:2]] == [1, 2]
    assert [event["text"] for event in of("a server that restarts", "server")] == [
        "the server is killed", "the server finds its disk empty", "the server starts again"]
    assert any("REPLICAOF NO ONE" in event["text"] for event in of("a copy", "server"))
    assert not any("command" in event for event in documents["no server"]["events"])


def test_the_bytes_are_there_only_with_wire():
    said = replay("expired_delete", "stage4", "--format", "json").out
    assert '"command"' in said and "_bytes" not in said


def test_trace_and_picture_are_those_of_the_other_formats(documents):
    for name in ("a lock that is lost", "cannot happen", "several masters"):
        document, cell = documents[name], RUNS[name]
        assert document["trace"] == replay(*cell).out
        assert document["picture"] == replay(*cell, "--format", "svg").out
        assert document.get("answered_by", "") in document["trace"]
    said = replay("expired_delete", "stage4", "--format", "json").out
    assert '"trace"' not in said and '"picture"' not in said


def test_several_locks_are_several_documents():
    said = run("./scenarios/two_processes", "--format", "json", "--stage", "4", "--stage", "5").out
    first, end = json.JSONDecoder().raw_decode(said)
    second = json.loads(said[end:])
    assert [first["lock"], second["lock"]] == ["stage4_set_nx_ex", "stage5_token_lua"]


# --- searches ----------------------------------------------------------------

EXPLORE = "`./scenarios/explore"
ASSUMPTIONS = "`./scenarios/assumptions"
SEARCH = {"format": WHOLE, "lock": TEXT, "lease_ms": WHOLE, "bounds": dict, "end": TEXT, "positions": WHOLE,
          "transitions": WHOLE, "depth": WHOLE, "runs": WHOLE, "steps_seen": WHOLE, "table_bytes": WHOLE,
          "level_bytes": WHOLE, "remembered_bytes": WHOLE, "pending_bytes": WHOLE, "seen": list, "nested": dict,
          "halfway": dict, "rare": dict, "two_rounds": dict, "alone": dict, "writes": dict, "own_lease": dict,
          "two_locks": dict, "turned_locks": dict,
          "properties": dict}
BOUNDS = {"clients": WHOLE, "wait_s": WHOLE, "rounds": WHOLE, "nested": WHOLE, "leases": WHOLE, "halfway": WHOLE,
          "faults": dict, "at_most": WHOLE, "assumed": list, "masters": WHOLE, "own_lease_s": WHOLE,
          "locks": WHOLE, "turned": bool, "asks": WHOLE, "writes": WHOLE, "time_s": WHOLE}
TABLE = {"format": WHOLE, "lease_ms": WHOLE, "bounds": dict, "nested_bounds": dict,
         "waiting_bounds": dict, "writing_bounds": dict, "wider_bounds": dict, "locks": dict}
PROPERTIES = {"exclusion", "recovery", "entry", "loser", "foreign", "count", "kept", "told",
              "bounded", "resource", "progress"}


def document_of(tool, *options):
    return run(ROOT / "scenarios" / tool, "--format", "json", *options).document


def assert_bounds(bounds):
    """How many masters and locks, and a lease of one's own, stand there only if there are several, or one."""
    assert set(bounds) | {"masters", "own_lease_s", "locks", "turned", "asks"} == set(BOUNDS)
    assert_types(bounds, BOUNDS)


def test_the_document_of_a_search():
    document = document_of("explore", "--stage", "4", "--faults", "crash:2,stop", "--leases", "1",
                           "--assume", "prompt-wire,no-hangs")
    assert set(document) | {"rare", "own_lease"} == set(SEARCH) == set(table(EXPLORE))
    assert_types({**document, "rare": {}}, SEARCH)
    assert (document["format"], document["lock"], document["lease_ms"]) == (1, "stage4_set_nx_ex", 30_000)
    assert set(BOUNDS) == set(table("The bounds:"))
    assert_bounds(document["bounds"])
    several = document_of("explore", "--stage", "road_redlock", "--depth", "2")["bounds"]
    assert several["masters"] == 3
    assert_bounds(several)
    assert document["bounds"]["faults"] == {"crash": 2, "stop": 1}
    assert document["bounds"]["assumed"] == ["prompt-wire", "no-hangs"]
    assert "a client got in" in document["seen"]
    for part in "nested", "halfway", "two_rounds", "alone", "writes", "two_locks", "turned_locks":
        assert set(document[part]) == set(SEARCH) - {"format", "lock", "lease_ms", "nested", "halfway", "rare",
                                                     "two_rounds", "alone", "writes", "own_lease", "two_locks",
                                                     "turned_locks", "properties"}
    assert set(document["properties"]) == PROPERTIES
    assert document["properties"]["loser"] == {"answer": "clean", "lost": False,
                                               "meaning": "who is told busy has changed nothing"}
    lost = document["properties"]["exclusion"]
    assert set(lost) == words(table(EXPLORE)["properties"])
    assert lost["lost"] is True and lost["steps"] > 0 and lost["schedule"].startswith("v1 stage4 strict ")


@pytest.mark.parametrize("options, end", [([], "empty"), (["--depth", "3"], "depth"),
                                          (["--positions", "3"], "full")])
def test_how_a_search_ended(options, end):
    document = document_of("explore", "--stage", "5", "--leases", "0", *options)
    assert document["end"] == end
    assert words(table(EXPLORE)["end"]) == {"empty", "endless", "depth", "full", "memory", "time", "signal"}


def test_the_document_of_assumptions():
    document = document_of("assumptions", "--stage", "4", "--stage", "5", "--faults", "crash",
                           "--assume", "prompt-wire")
    assert set(document) == set(TABLE) == set(table(ASSUMPTIONS))
    assert_types(document, TABLE)
    assert (document["format"], document["lease_ms"]) == (1, 30_000)
    for bounds, faults, nested in (("bounds", {"crash": 1}, 0), ("nested_bounds", {}, 1), ("wider_bounds", {"crash": 2}, 0)):
        assert_bounds(document[bounds])
        assert (document[bounds]["faults"], document[bounds]["nested"]) == (faults, nested)
        assert document[bounds]["assumed"] == ["prompt-wire"]
    assert list(document["locks"]) == ["stage4_set_nx_ex", "stage5_token_lua"]
    answers = document["locks"]["stage4_set_nx_ex"]
    assert set(answers) == PROPERTIES | {"wakeup"}
    assert answers["exclusion"] == {"clean": "under", "sets": [["work-fits-lease"]]}
    assert (answers["loser"], answers["entry"]) == ({"clean": "always"}, {"clean": "never"})
    assert words(PAGE[PAGE.index("`clean` is"):].split(":")[0]) == {"clean", "always", "never", "not tried", "under"}


def test_what_is_no_utf_8_stays_in_the_document(guest):
    """A value, an answer and a reason with bytes that JSON cannot have."""
    command = guest(r"""
def answer(word):
    server.sendall(b"*3\r\n$3\r\nSET\r\n$4\r\nlock\r\n$6\r\na\xff\xc3\xa9\x1b!\r\n")
    server.recv(100)
    sys.stdout.buffer.write(b"error n\xe9n ")
    return ""
""")
    shown = run(ROOT / "scenarios/two_processes", "--client", command, "--format", "json")
    said = shown.document
    assert {"a\\xffé\x1b!"} == {event["lock"]["value"] for event in said["events"] if event["lock"]}
    assert "n\\xe9n " in [event.get("text") for event in said["events"]], said
    shown = run(ROOT / "scenarios/two_processes", "--client", command)
    assert "a\\xffé\\x1b!, no TTL" in shown.out, shown
