"""Why a lock held: the sentence below HOLDS is held against the events of the same run, as test_why.py
does it with the sentence below BROKEN, and so is the number of the event that it names."""

import functools
import re

import pytest

from lockstep import ROOT, played, race_source, read_matrix, replay, run
from test_why import COMMAND, GRAMMAR, NAME, TIME, Run, Wrong, lease_ended, ms, need, past, wrong_sentences

HOLDS = [(race, lock) for race, lock, verdict in read_matrix() if verdict == "holds"]
DOCUMENTED = [(race, lock) for race, lock in HOLDS if lock.startswith("stage") and
              "bugs" not in race_source(race).parts]
# Some of the others: the detours, and the checks for a lock of one's own.
OTHERS = [cell for cell in HOLDS if cell not in set(DOCUMENTED)][::25]


class Held(Run):
    def lock(self, event):
        """The one that the sentence is about."""
        second = re.search(r'"[^"]*\block2\b', self.document["because"])
        return event["lock2" if second else "lock"]

    def one(self, client, command, time, answer=None, lock=...):
        """The last such command; with this answer, and with this value of the lock after it."""
        found = [event for event in self.ran(client, command, time) if answer in (None, event["answer"]) and
                 (lock is ... or (self.lock(event) or {}).get("value") == lock)]
        need(found, client, command, answer, lock)
        return found[-1]

    def same(self, event):
        """Did the lock stay as it was?"""
        return self.lock(event) is not None and self.lock(event) == self.before(event)

    @functools.cached_property
    def owners(self):
        """After each event: the client whose command gave the lock its value, and that got it or may get it."""
        owners = [None]
        for event in self.events:
            lock, before = self.lock(event), self.before(event)
            new = event["event"] == "ran" and lock and (before is None or before["value"] != lock["value"])
            owners.append(event["actor"] if new and (before is None or self.gets_in(event)) else owners[-1])
        return owners[1:]

    def owner(self, event):
        return self.owners[event["at"] - 1] if event["at"] else None

    def gets_in(self, command):
        asked = self.operation(command)
        slept = asked and any(command["at"] < event["at"] for event in
                              self.find(event="sleeps", actor=command["actor"]))
        result = asked and self.result(asked)
        return not slept and (not result or (result["operation"], result["result"]) == ("enter", "ok"))

    def operation(self, event):
        """With which the client was busy when it sent this command, or None: then it is its watchdog's."""
        sent = max(one["at"] for one in self.sent(event["actor"], event["command"]) if one["at"] < event["at"])
        own = [one for one in self.events[:sent] if one.get("actor") == event["actor"] and
               one["event"] in ("asked", "result")]
        return own[-1] if own and own[-1]["event"] == "asked" else None

    def result(self, asked):
        return next((one for one in self.find(event="result", actor=asked["actor"])
                     if one["at"] > asked["at"]), None)


def refused_write(run, client, command, time, number, seen):
    write = run.one(client, command, time)
    need(command.endswith(f" {number}") and int(number) < int(seen))
    need(any(event["command"].endswith(f" {seen}") and event["answer"] == "OK" and
             event["actor"] != client for event in run.find(event="ran") if event["at"] < write["at"]))
    need(write["answer"] != "OK")


def left_alone(run, client, command, answer, time, owner):
    found = [event for event in run.ran(client, command, time)
             if event["answer"] == answer and run.same(event) and run.owner(event) == owner]
    need(found and owner != client)
    return found[-1]


def released_in_vain(run, client, command, answer, time, owner):
    asked = run.operation(left_alone(run, client, command, answer, time, owner))
    need(asked and asked["operation"] == "leave")


def renewed_in_vain(run, client, command, answer, time, owner):
    ran = left_alone(run, client, command, answer, time, owner)
    need(any(event["at"] < ran["at"] for event in run.find(event="woke", actor=client)))


def made_no_phantom(run, client, command, time):
    ran = run.one(client, command, time)
    need(run.lock(ran) is None and run.before(ran) is None)
    need(any(event["at"] < ran["at"] for event in run.find(event="woke", actor=client)))


def late_for_its_own(run, client, command, sent, again, answer, time):
    ran, request = run.one(client, command, time), run.sent(client, command, sent)[0]
    need(client == again == run.owner(ran) and run.same(ran) and ran["answer"] == answer)
    need(any(request["at"] < event["at"] < ran["at"] and run.before(event) is None and run.lock(event)
             for event in run.find(event="ran", actor=client)))


def lock_stood(run, client, command, answer, time, owner, endless):
    found = [event for event in run.ran(client, command, time)
             if event["answer"] == answer and run.before(event) and run.owner(event) == owner]
    need(found and owner != client, "it did not stand there")
    need(not endless or run.lock(found[-1])["ttl_ms"] is None)
    asked = run.operation(found[-1])
    result = run.result(asked)
    need(asked["operation"] == "enter" and (not result or result["result"] != "ok" or
         any(asked["at"] < event["at"] < result["at"] for event in run.find(event="sleeps", actor=client))))
    need(not any(event["at"] < found[-1]["at"] for kind in ("killed", "hung")
                 for event in run.find(event=kind, actor=owner)), "its owner is dead")


def renewed_in_time(run, owner, command, renewed, client, asked):
    ran = run.one(owner, command, renewed)
    old, new = run.before(ran), run.lock(ran)
    need(old["value"] == new["value"] and run.owner(ran) == owner != client)
    need(ms(renewed) + old["ttl_ms"] < ms(asked) <= ms(renewed) + new["ttl_ms"], "it was not needed")
    need(any(event["time_ms"] == ms(asked) and run.lock(event) and event["at"] > ran["at"]
             for event in run.find(event="ran", actor=client)))
    need(any(event["result"] == "busy" and event["time_ms"] == ms(asked) for event in
             run.find(event="result", actor=client, operation="enter")))


def knew(run, client, time, alone):
    result = run.need(time, event="result", actor=client, operation="held", result="lost")[-1]
    asked = [event["at"] for event in run.find(event="asked", actor=client) if event["at"] < result["at"]][-1]
    sent = any(asked < event["at"] < result["at"] for event in run.find(event="request", actor=client))
    need(not alone or not sent)
    need(run.lock(result) is None or run.owner(result) != client, "it was not lost")


def stayed_outside(run, client, time):
    run.need(time, event="result", actor=client, operation="enter", result="lost")


def grant_came_late(run, text, client, again):
    (lost,) = run.find(event="result", actor=client, operation="enter", result="lost")
    time = ms(re.search(r"lease ended at " + TIME, text)[1])
    need(client == again and any(run.lock(event) for event in run.find(event="ran", actor=client)
                                 if event["time_ms"] < time <= lost["time_ms"]))


def inner(run, client, command, answer, time, value):
    ran = run.one(client, command, time, answer, value)
    need(run.operation(ran)["operation"] == "leave")
    need(sum(event["result"] == "ok" and event["operation"] == "enter" for event in
             run.find(event="result", actor=client) if event["at"] < ran["at"]) > 1)


def past_value(run, text, value, client):
    past(run, text, "GET lock" + "2" * ('lock2' in text), client, value, client)


def not_there(run, client, command, time):
    made = [event for event in run.ran(client, command, time) if run.before(event) is None and run.lock(event)]
    need(made and not [event for event in run.events[:made[0]["at"]] if run.lock(event)])


def free_for(run, client, heard, time):
    awake = run.need(time, event="heard" if heard else "woke", actor=client)
    need(not heard or any(event["answer"] == heard for event in awake))
    need(any(run.before(event) is None and run.lock(event) and event["at"] > awake[0]["at"]
             for event in run.find(event="ran", actor=client)))


def key_left(run, client, command, answer, time, value):
    ran = run.one(client, command, time, answer, value)
    need(run.same(ran) and any(event["at"] > ran["at"] and event["result"] != "ok"
             for event in run.find(event="result", actor=client, operation="enter")))


def happens(kind):
    return lambda run, client, time: run.need(time, event=kind, actor=client)


# Longest first, and then what a cause of a loss can say, too.
HELD_GRAMMAR = [
    (rf"the resource refused {NAME}'s {COMMAND} at {TIME}: its number is (\d+), and the resource had seen (\d+)",
     refused_write),
    (rf"{NAME}'s release, {COMMAND}, was answered (.+?) at {TIME} and left {NAME}'s lock as it was",
     released_in_vain),
    (rf"{NAME}'s watchdog's {COMMAND} was answered (.+?) at {TIME} and left {NAME}'s lock as it was",
     renewed_in_vain),
    (rf"{NAME}'s watchdog's {COMMAND} found no lock at {TIME} and made none", made_no_phantom),
    (rf"{NAME}'s {COMMAND}, sent at {TIME} before {NAME} got the lock again, was answered (.+?) at {TIME} and "
     r"left the new lock as it was", late_for_its_own),
    (rf"{NAME}'s watchdog renewed the lease with {COMMAND} at {TIME}, so it had not ended when {NAME} asked at "
     rf"{TIME}", renewed_in_time),
    (rf"{NAME}'s {COMMAND} was answered ([^:]+?) at {TIME}: {NAME}'s lock stood there(, and no lease ends it)?",
     lock_stood),
    (rf"{NAME} was asked at {TIME} and knew( without asking a server)? that its lock was lost", knew),
    (rf"while the answer that granted it was on its way to {NAME}(?=, and {NAME} did not go in)", grant_came_late),
    (rf"{NAME} did not go in when it heard of its grant at {TIME}", stayed_outside),
    (rf"{NAME}'s inner release, {COMMAND}, was answered (.+?) at {TIME} and left (\S+) under the key", inner),
    (rf"{NAME}'s {COMMAND} was answered (.+?) at {TIME} and left (\S+) under the key", key_left),
    (rf"{NAME}'s attempt ended with \"unknown\" at {TIME}",
     lambda run, client, time: run.need(time, event="result", actor=client, operation="enter", result="unknown")),
    (rf": its value, (\S+), was a time that was past by {NAME}'s clock", past_value),
    (rf"no lock stood under the key when {NAME}'s {COMMAND} ran at {TIME}", not_there),
    (rf"{NAME} (?:heard {COMMAND}|woke) at {TIME} and found the key free", free_for),
    (rf"{NAME} was killed at {TIME}, its(?= lease)", happens("killed")),
    (rf"(?<!'s) lease ended at {TIME}", lambda run, time: lease_ended(run, None, time)),
    *GRAMMAR,
]


def check(told, text):
    """Raises Wrong if the sentence says something that is not in the events."""
    named = set(re.findall(r"\b[A-Z]\b", re.sub(COMMAND, "", text)))
    need(named <= {event.get("actor") for event in told.events}, named)
    rest = text
    for pattern, fact in HELD_GRAMMAR:
        for found in list(re.finditer(pattern, rest)):
            wants_text = fact.__code__.co_varnames[1:2] == ("text",)
            fact(told, *([text] if wants_text else []), *found.groups())
        rest = re.sub(pattern, "", rest)
    need(re.fullmatch(r"(and|[ ,.])*", rest), "not understood", rest)


def is_a_sentence(text):
    assert re.fullmatch(r"[^\n]*[^ .]\.", text), text
    assert not re.search(r"\b(\w+) \1\b|  | [,.]|,,", re.sub(COMMAND, "X", text)), text
    assert not re.search(r"\. ", re.sub(COMMAND, "X", text)), f"not one sentence: {text}"


def names_its_event(document):
    text, event = document["because"], document["events"][document["decided_at"]]
    times = [ms(time) for time in re.findall(TIME, text)]
    assert event["event"] in ("ran", "result", "clock", "server"), event
    if event["event"] == "ran":
        assert event["time_ms"] in times and f"{event['actor']}'s " in text, (text, event)
        cut = re.findall(COMMAND, text)
        assert any(event["command"] == one or (one.endswith("...") and event["command"].startswith(one[:-3]))
                   for one in cut), (text, event)
    elif event["event"] == "clock":
        assert max(time for time in times if time <= event["time_ms"]) and "lease ended" in text, (text, event)
    elif event["event"] == "result":
        assert event["time_ms"] in times or "without asking a server" in text, (text, event)
        assert re.search(rf"\b{event['actor']}\b", text), (text, event)


def hold(document):
    assert document["verdict"] == "HOLDS"
    is_a_sentence(document["because"])
    names_its_event(document)
    told = Held(document)
    check(told, document["because"])
    # And what is not true is caught: another time, another client.
    for wrong in wrong_sentences(document["because"]):
        with pytest.raises(Wrong):
            check(told, wrong)


@pytest.mark.parametrize("race, lock", DOCUMENTED, ids=lambda value: value)
def test_each_documented_race_that_holds_says_why(race, lock):
    hold(played(race, lock))


@pytest.mark.parametrize("race, lock", OTHERS, ids=lambda value: value)
def test_where_another_one_says_why_that_is_true(race, lock):
    document = played(race, lock)
    if "because" in document:
        hold(document)
