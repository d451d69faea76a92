"""A run told in sentences (`says` in JSON): in good English, and true of the event that it stands at."""

import json
import re

import pytest

from lockstep import ROOT, run

NOTES = {"note", "server"}  # a story's own words
NAMELESS = NOTES | {"refused", "waits"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """{(race, lock): its document}: the documented races on the ladder."""
    folder = tmp_path_factory.mktemp("documents")
    races = sorted(path.stem for path in (ROOT / "scenarios").glob("[0-9]*/*.c"))
    assert run(ROOT / "scenarios/matrix", "--documents", folder, *races).code == 0
    found = [json.loads(path.read_text()) for path in folder.iterdir()]
    assert len(found) >= 10 * len(races)
    return {(document["race"], document["lock"]): document for document in found}


def told(runs):
    for document in runs.values():
        for event in document["events"]:
            if "says" in event:
                yield document, event, event["says"]


def test_every_sentence_is_whole(runs):
    """It begins with a capital or a number, and ends with a full stop; no word stands twice."""
    count = 0
    for _, event, says in told(runs):
        outside = re.sub(r'"[^"]*"', "…", says)
        assert re.fullmatch(r"[A-Z0-9*].*[.?!]", says, re.S), says
        assert not re.search(r"\b(\w+) \1\b", outside) and "A its" not in says and ".." not in outside, says
        assert "(null)" not in says and "  " not in outside, says
        assert event["event"] in NAMELESS or not event.get("actor") or event["actor"] in says, says
        count += 1
    assert count > 10000


def test_who_is_inside(runs):
    """"A is inside." stands where an attempt was answered with ok, and nowhere else; and it names the
    others that are inside then."""
    for document, event, says in told(runs):
        got_in = event["event"] == "result" and (event["operation"], event["result"]) == ("enter", "ok")
        if event["event"] not in NOTES:
            assert got_in == bool(re.match(rf"{event.get('actor')} is inside\b", says)), says
    lost = [document for document in runs.values() if re.search("are both inside", document["reason"])]
    assert len(lost) > 50
    for document in lost:
        assert any("is inside, too." in event.get("says", "") for event in document["events"]), document["race"]


def test_what_a_command_did(runs):
    """Held against the lock before and after it."""
    seen = set()
    for document in runs.values():
        if document["events"] and "masters" in document["events"][0] or any("lock2" in one for one in document["events"]):
            continue
        before = None
        for at, event in enumerate(document["events"]):
            lock, says = event["lock"], event.get("says", "")
            if event["event"] == "ran":
                said = says or next((one["says"] for one in document["events"][at + 1:]
                                     if one["event"] == "answer" and one["actor"] == event["actor"]), "")
                happened = ("taken" if before is None else "kept" if before == lock else
                            "value" if before["value"] != lock["value"] else "lease") if lock else "free" if before else "none"
                words = {"taken": "the lock is taken", "free": "the lock is free", "value": "another value|overwritten",
                         "lease": "lease (ends in|has no end)"}
                for name, pattern in words.items():
                    assert (name == happened) == bool(re.search(pattern, said)), (document["race"], document["lock"], said)
                seen.add(happened)
            before = lock
    assert seen == {"taken", "kept", "value", "lease", "free", "none"}


def test_a_lock_that_is_lost():
    """expired_delete on stage 4, from its first word to its last."""
    document = json.loads(run(ROOT / "scenarios/expired_delete", "--stage", "4", "--format", "json").out)
    assert [event["says"] for event in document["events"] if "says" in event and event["event"] != "note"] == [
        'A asks Redis: "SET lock locked NX EX 30".',
        'Redis answers A: "OK". Now the lock is taken, for 30 s.',
        "A is inside.",
        "Time passes: A's lease has 1 s left.",
        "A has done its work.",
        "A is stopped, and does not notice that time passes.",
        "Time passes: A's lease has ended.",
        "Time passes.",
        'B asks Redis: "SET lock locked NX EX 30".',
        'Redis answers B: "OK". Now the lock is taken, for 30 s.',
        "B is inside.",
        "A continues where it was.",
        'A asks Redis: "DEL lock".',
        "Redis answers A: \"1\". B's lock is gone: now the lock is free.",
        "A is outside.",
        'C asks Redis: "SET lock locked NX EX 30".',
        'Redis answers C: "OK". Now the lock is taken, for 30 s.',
        "C is inside. B is inside, too.",
        "B says that it still holds the lock.",
        "C says that it still holds the lock.",
    ]
