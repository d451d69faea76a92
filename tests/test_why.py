"""Why a property was lost: what the sentence says is held against the events of
the same run, by a reader that shares nothing with the program that wrote it."""

import re

import pytest

import mutants
from lockstep import ROOT, head_of, played, read_matrix, replay, replay_real, run
from world import needs_zookeeper

BROKEN = [(race, lock) for race, lock, verdict in read_matrix() if verdict == "BROKEN"]


class Wrong(Exception):
    pass


def need(fact, *what):
    if not fact:
        raise Wrong(*what)


class Run:
    """The events of a run, asked in the words of a sentence."""

    def __init__(self, document):
        self.document = document
        self.events = [{**event, "at": at} for at, event in enumerate(document["events"])]

    def find(self, **wanted):
        return [event for event in self.events
                if all(event.get(name) == value for name, value in wanted.items())]

    def need(self, time=None, **wanted):
        found = self.find(**wanted)
        if time is not None:
            found = [event for event in found if event["time_ms"] == ms(time)]
        need(found, time, wanted)
        return found

    def lock(self, event):
        races_of_two = ("ab_ba_deadlock", "half_of_two_locks")
        second = self.document["race"] in races_of_two and \
            "second lock" in self.document["reason"]
        return event["lock2" if second else "lock"]

    def before(self, event):
        return self.lock(self.events[event["at"] - 1]) if event["at"] else None

    def last_attempt(self):
        """Where the attempt began that did not get in."""
        return self.find(event="asked", operation="enter")[-1]["at"]

    def sent(self, client, command, time=None):
        whole = not command.endswith("...")
        found = [event for event in self.find(event="request", actor=client)
                 if (event["command"] == command if whole
                     else event["command"].startswith(command[:-3]))
                 and (time is None or event["time_ms"] == ms(time))]
        need(found, client, "never sent", command, time)
        return found

    def ran(self, client, command, time):
        self.sent(client, command)
        whole = not command.endswith("...")
        found = [event for event in self.find(event="ran", actor=client)
                 if event["time_ms"] == ms(time) and
                 (event["command"] == command if whole
                  else event["command"].startswith(command[:-3]))]
        need(found, client, "never ran", command, time)
        return found


def ms(time):
    seconds, thousandths = time.split(".")
    return int(seconds) * 1000 + int(thousandths)


def between(run, client, begin, end, time):
    """Has `begin` happened to the client by then, and `end` not since?"""
    state = False
    for event in run.events:
        if event.get("actor") == client and event["time_ms"] < time:
            state = True if event["event"] == begin else False if event["event"] == end else state
    return state or any(event["time_ms"] == time for event in run.find(event=begin, actor=client))


TIME, NAME, COMMAND = r"(\d+\.\d{3})", r"([A-Z])", r'"([^"]*(?:""[^"]*)?)"'


# --- what is said of a command -----------------------------------------------

def made(run, client, command, time, endless):
    need(not endless or run.lock(run.events[run.last_attempt()])["ttl_ms"] is None)
    need(not endless or not [event for event in run.events[run.last_attempt():]
                             if run.lock(event) and run.lock(event)["ttl_ms"] is not None], "it ends")
    need(any(run.before(event) is None and run.lock(event) for event in
             run.ran(client, command, time)))


def removed(run, client, command, time, whose=None):
    need(any(run.before(event) and not run.lock(event) for event in
             run.ran(client, command, time)), "nothing was removed")


def overwrote(run, client, command, time, whose=None):
    need(any(run.before(event) and run.lock(event) and
             run.before(event)["value"] != run.lock(event)["value"]
             for event in run.ran(client, command, time)), "nothing was overwritten")


def leased(run, client, command, time):
    def changed(event):
        old, new = run.before(event), run.lock(event)
        return old and new and old["value"] == new["value"] and old["ttl_ms"] != new["ttl_ms"]

    last = run.ran(client, command, time)
    need(any(changed(event) for event in last), "no new lease")
    later = [event for event in run.events[last[-1]["at"] + 1:run.last_attempt()]
             if event["event"] == "ran" and changed(event)]
    need(not later, "not the last one")


def late(run, client, command, sent, other, ran, what):
    run.sent(client, command, sent)
    {"removed": removed, "overwrote": overwrote}[what](run, client, command, ran)
    request = run.sent(client, command, sent)[0]
    entered = [event for event in run.find(event="result", actor=other, operation="enter",
                                           result="ok")
               if event["at"] > request["at"]]
    need(entered, other, "did not get in after that")


def late_plain(run, client, command, sent, ran, what):
    run.sent(client, command, sent)
    {"removed": removed, "overwrote": overwrote}[what](run, client, command, ran)
    need(ms(sent) < ms(ran))


def answered(run, client, command, answer, time):
    need(any(event["answer"] == answer for event in run.ran(client, command, time)), answer)


def let_in(run, client, command):
    """On a second thread: the command is the one whose attempt got in."""
    (request,) = run.sent(client, command)
    result = next(event for event in run.find(event="result", actor=client) if event["at"] > request["at"])
    need((result["operation"], result["result"]) == ("enter", "ok"), "it did not get in")


def showed(run, text, command, client, value):
    need(any(event["command"] == command and event["answer"] == value
             for event in run.find(event="ran", actor=client)), "no such answer")


def past(run, text, command, client, value, clock):
    showed(run, text, command, client, value)
    skew = ([0] + [event["skew_ms"] for event in run.find(event="skewed", actor=client)])[-1]
    read = [event for event in run.find(event="ran", actor=client)
            if event["command"] == command and event["answer"] == value][-1]
    need(client == clock and int(value) < 1_000_000_000 + (read["time_ms"] + skew) / 1000)


def is_of(run, text, command, client, value, owner, own=None):
    showed(run, text, command, client, value)
    need(any(event["lock"] and event["lock"]["value"] == value
             for event in run.find(event="ran", actor=owner)), value, "is not of", owner)
    if own:
        need(any(event["lock"] and event["lock"]["value"] == value
                 for event in run.find(event="ran", actor=client)))


def then_got(run, text, command, client, value, owner):
    showed(run, text, command, client, value)
    read = next(event for event in run.find(event="ran", actor=client)
                if event["command"] == command and event["answer"] == value)
    need(any(event["at"] > read["at"] for event in
             run.find(event="ran", actor=owner) if run.lock(event)))


def bare(run, text):
    need(re.fullmatch(r"\w+ \S+", re.search(COMMAND, text)[1]))


def names(run, text, value, owner):
    need(value in re.search(COMMAND, text)[1].split())
    need(any(event["lock"] and event["lock"]["value"].split("=")[0] == value
             for event in run.find(event="ran", actor=owner)))


# --- of a lease, a server, a client ------------------------------------------

def lease_ended(run, client, time):
    """Some state of the lock was to end just then, and it was gone when next seen."""
    for now, after in zip(run.events, run.events[1:]):
        lock = run.lock(now)
        if lock and lock["ttl_ms"] is not None and not run.lock(after) and \
                now["time_ms"] + lock["ttl_ms"] + 1 == ms(time) <= after["time_ms"]:
            return
    ends = {event["time_ms"] + run.lock(event)["ttl_ms"] + 1 for event in run.events
            if run.lock(event) and run.lock(event)["ttl_ms"] is not None}
    down = [event for event in run.find(event="server")
            if re.search("is killed|is stopped", event["text"])]
    need(down and ms(time) in ends, "the lease did not end then")


def meanwhile_client(run, text, client, begin, end):
    time = ms(re.search(r"(?:ended|lock) at " + TIME, text)[1])
    need(between(run, client, begin, end, time), client, "was not", begin)


def at_work(run, text, client):
    time = ms(re.search(r"(?:ended at|lock at|ran at) " + TIME, text)[1])
    need(not between(run, client, "stopped", "continued", time))
    need(not any(event["time_ms"] <= time for event in run.find(event="work done", actor=client)))
    need(any(event["time_ms"] <= time for event in
             run.find(event="result", actor=client, operation="enter", result="ok")))


def grant_on_its_way(run, text, client):
    time = ms(re.search(r"(?:ended|lock) at " + TIME, text)[1])
    need(any(event["time_ms"] >= time for event in
             run.find(event="result", actor=client, operation="enter", result="ok")))
    need(any(event["time_ms"] < time for event in run.find(event="ran", actor=client)))


def server_is(run, text, what):
    """At the time of the sentence; and a server that runs a command is neither."""
    time = ms(re.search(r"lease ended at " + TIME, text)[1])
    begins, ends = {"down": ("is killed", "starts again"),
                    "stopped": ("is stopped", "continues")}[what]
    done = [event["text"] for event in run.find(event="server") if event["time_ms"] <= time and
            re.search(f"{begins}|{ends}", event["text"])]
    need(done and begins in done[-1], "the server was not", what)


def believed(run, client, time, other=None):
    need(any(event["time_ms"] == ms(time) for event in
             run.find(event="result", actor=client, operation="held", result="ok")))


def still_said(run, text, client):
    need(run.find(event="result", actor=client, operation="held", result="ok"))


def silent_since(run, text, client):
    time = ms(re.search(r"at " + TIME, text)[1])
    need(not [event for event in run.find(event="request", actor=client)
              if event["time_ms"] > time])


def found_free(run, text, client):
    need("overwrote" not in text or "removed the lock" in text, "who made it free?")
    need(any(run.before(event) is None and run.lock(event)
             for event in run.find(event="ran", actor=client)))


def values(event):
    """What each master holds: of a lock on several."""
    return [master["value"] if master else None for master in event["masters"]]


def moved_one(run, server, by, time, client, left, masters):
    server_said(run, f"server {server} has its clock moved by {by}", time)
    left_with(run, client, left, masters)


def restarted_one(run, server, time, client, left, masters):
    for what in ("is killed", "finds its disk empty", "starts again"):
        server_said(run, f"server {server} {what}", time)
    left_with(run, client, left, masters)


def left_with(run, client, left, masters):
    """After something was done to a server: one less than before, and no majority."""
    def count(event):
        return sum(re.fullmatch(rf"{client}\d+", value or "") is not None for value in values(event))

    done = [event for event in run.find(event="server")
            if count(event) == int(left) == count(run.events[event["at"] - 1]) - 1]
    need(done and 2 * int(left) < len(values(done[0])) == int(masters))


def stood_on(run, client, result, counts, down):
    asked = run.find(event="asked", actor=client, operation="enter")[-1]
    need(any(event["at"] > asked["at"] for event in
             run.find(event="result", actor=client, operation="enter", result=result)))
    there = values(asked)
    told = re.findall(r"(\w+)(?: stood)? on (\d)", counts)
    need(sorted((value, str(there.count(value))) for value in {*there} - {None}) == sorted(told))
    need(set(re.findall(r"of (\d) masters", counts)) == {str(len(there))})
    need(int(down or 0) == sum("is killed" in event["text"] for event in run.find(event="server")))


def without_server(run, client):
    asked = [i for i, event in enumerate(run.events) if event.get("actor") == client and
             event["event"] == "asked" and event["operation"] == "enter"][-1]
    result = next((i for i in range(asked, len(run.events))
                   if run.events[i].get("actor") == client and
                   run.events[i]["event"] == "result"), len(run.events))
    need(not any(event["event"] == "request" and event.get("actor") == client
                 for event in run.events[asked:result]), client, "did ask")


def put_nothing(run, client):
    """Before it was told something untrue: no answer to an attempt had let it in, or no
    command of that attempt had reached a server."""
    last = next(i for i, event in enumerate(run.events) if event.get("actor") == client and
                event["event"] == "result" and event["operation"] == "leave")
    got_in = [event for event in run.events[:last] if event.get("actor") == client and
              event["event"] == "result" and event["operation"] == "enter" and
              event["result"] == "ok"]
    if got_in:
        without_server(run, client)


def operator(run, command, time):
    done = [event for event in run.find(event="server")
            if f": {command} -> " in event["text"] and event["time_ms"] == ms(time)]
    need(any(run.before(event) and not run.lock(event) for event in done))


def server_said(run, what, time):
    need([event for event in run.find(event="server")
          if what in event["text"] and event["time_ms"] == ms(time)], what)


def two_servers(run, one, first, killed, two, second):
    def reached(client):
        reaches = [re.search(rf"{client} reaches server (\d+)", event["text"])
                   for event in run.find(event="server")]
        return [each[1] for each in reaches if each] or ["1"]

    need(one == "1" and reached(second)[-1] == two != one)
    need(bool(killed) == any(event["text"] == f"server {one} is killed"
                             for event in run.find(event="server")))
    for client in (first, second):
        run.need(event="result", actor=client, operation="enter", result="ok")


def written(run, client, command, sent, other, reached):
    request = run.sent(client, command, sent)[0]
    run.ran(client, command, reached)
    entered = run.need(event="asked", actor=other, operation="enter")[-1] if other else None
    need(not other or request["at"] < entered["at"])


def written_first(run, client, command, sent, other, reached, silent):
    written(run, client, command, sent, other, reached)
    write = run.ran(client, command, reached)[-1]
    need(not [event for event in run.find(event="ran", actor=silent)
              if event["at"] < write["at"] and "resource" in event["command"]])


def written_under(run, client, command, sent, other, reached, next, before, at):
    written(run, client, command, sent, other, reached)
    write, earlier = run.ran(client, command, reached)[-1], run.ran(next, before, at)[0]
    need(earlier["at"] < write["at"] and earlier["answer"] == write["answer"] == "OK")
    need(int(command.split()[-1]) >= int(before.split()[-1]))


def written_apart(run, client, command, sent, other, reached, next, before, at, checked_of):
    """The number was compared before the other write."""
    need(checked_of == client)
    written(run, client, command, sent, other, reached)
    write, earlier = run.ran(client, command, reached)[-1], run.ran(next, before, at)[0]
    checked = run.need(event="ran", actor=client, command="GET resource:fence")[-1]
    need(checked["at"] < earlier["at"] < write["at"])
    need(int(command.split()[-1]) < int(before.split()[-1]))


def told_busy(run, text, client):
    run.need(event="result", actor=client, operation="enter", result="busy")


def no_end(run, text):
    need(run.lock(run.events[run.last_attempt()])["ttl_ms"] is None)


def gave_up(run, client, command, time, *names):
    need(set(names) == {client})
    ran = run.ran(client, command, time)[-1]
    over = run.need(event="result", actor=client, operation="enter", result="unknown")[0]
    need(over["at"] < ran["at"])


def own_lock(run, client, time, command, answer):
    need(any(run.lock(event) and not run.before(event) for event in
             run.find(event="ran", actor=client) if event["time_ms"] == ms(time)))
    need(any(event["command"] == command and event["answer"] == answer
             for event in run.find(event="ran", actor=client)))
    run.need(event="result", actor=client, operation="enter", result="busy")


def untouched(run, time, left):
    end = run.need(time, event="result", operation="held", result="lost")[-1]
    need(run.lock(end)["ttl_ms"] == 1000 * int(left))
    last = max(event["at"] for event in run.events[1:end["at"]]
               if event["event"] == "ran" and run.before(event) != run.lock(event))
    need(run.events[last]["actor"] == end["actor"])


def on_thread(run, client, operation, thread):
    """The client's last operation of this kind, made by this thread (None: by its first)."""
    asked = run.need(event="asked", actor=client, operation=operation)[-1]
    need(asked.get("thread", 1) == int(thread or 1), "another thread")
    return asked


def unsent_release(run, client, thread):
    asked = on_thread(run, client, "leave", thread)
    run.need(event="result", actor=client, operation="leave", result="lost")
    need(not [sent for sent in run.find(event="request", actor=client) if sent["at"] > asked["at"]])


def made_on(run, client, command, time, thread):
    made(run, client, command, time, False)
    need(on_thread(run, client, "enter", thread)["at"] < run.ran(client, command, time)[-1]["at"])


def made_endless(run, client, command, time):
    made(run, client, command, time, False)
    need(run.lock(run.events[run.last_attempt()])["ttl_ms"] is None)


def first_lease(run, client, command, time):
    need(any(run.before(event)["ttl_ms"] is None and run.lock(event)["ttl_ms"] is not None
             for event in run.ran(client, command, time)))
    need(not [event for event in run.events[:run.last_attempt()]
              if run.lock(event) and run.lock(event)["ttl_ms"] is not None])


def release(run, client, thread, command, answer, time, left=None):
    answered(run, client, command, answer, time)
    on_thread(run, client, "leave", thread)
    after = [run.lock(event) for event in run.ran(client, command, time)]
    need(any(lock and (left is None or lock["value"] == left) for lock in after))


def inside_times(run, text, client, times):
    need(len(run.find(event="result", actor=client, operation="enter", result="ok")) >= int(times))


def happened(kind):
    def check(run, text, client, time):
        run.need(time, event=kind, actor=client)
    return check


def was_gone(run, text, client, time):
    need(any(run.before(event) and not run.lock(event) for event in run.need(time)))
    need(run.find(event="result", actor=client, operation="enter", result="ok"))


def skewed(run, by, time):
    server_said(run, f"clock moved by {by}", time)


def cut_lease(run, text, client, command, to):
    need(any(run.lock(event) and run.lock(event)["ttl_ms"] == int(to) * 1000
             for event in run.find(event="ran", actor=client) if event["command"] == command))


# --- of those that wait ------------------------------------------------------

def freed(run):
    """Since when there has been no lock, at the end."""
    return [event["at"] for event in run.events[1:] if run.before(event) and not run.lock(event)][-1]


def waits(run, client):
    """Where it began to wait; it has not been told how that ended."""
    asked = run.need(event="asked", actor=client, operation="enter")[-1]
    need("patience_ms" in asked)
    need(not [event for event in run.find(event="result", actor=client) if event["at"] > asked["at"]])
    return asked["at"]


def lock_ended(run, time):
    lease_ended(run, None, time)


def not_woken(run, text, client):
    waits(run, client)
    since = freed(run)
    for kind in ("woke", "heard"):
        need(not [event for event in run.find(event=kind, actor=client) if event["at"] > since])


def ran_after(run, client, command, time):
    need(run.ran(client, command, time)[-1]["at"] > freed(run))


def told_another(run, other, client):
    waits(run, client)
    told = {event["actor"] for event in run.events[freed(run):] if event["event"] in ("pushed", "ran")
            and event["command" if event["event"] == "ran" else "event"].split()[0] in ("BLPOP", "pushed")}
    need(told == {other})


def told_one_who_died(run, other, time, client):
    told_another(run, other, client)
    run.need(time, event="killed", actor=other)


def did_not_get_it(run, text, client):
    need(run.find(event="sleeps", actor=client))
    waits(run, client)


def ran_first(run, client, command, time, waiter):
    made = [event for event in run.ran(client, command, time)
            if run.lock(event) and not run.before(event)]
    need(made)
    ran = made[-1]
    gone = [event for event in run.events[:ran["at"]] if event["at"] and run.before(event) and
            not run.lock(event)][-1]
    need(not [event for event in run.find(event="request", actor=waiter)
              if gone["at"] < event["at"] < ran["at"]])
    need(waits(run, waiter) < run.find(event="asked", actor=client, operation="enter")[-1]["at"])


def each_sent(run, names):
    gone = [event["at"] for event in run.events[1:] if run.before(event) and not run.lock(event)][0]
    sent = {event["actor"] for event in run.find(event="request") if event["at"] > gone}
    need(sent == set(re.findall("[A-Z]", names)))
    got = [event for event in run.find(event="result", result="ok", operation="enter")
           if event["at"] > gone]
    need(len(got) <= 1)


# Longest first: what a pattern has read is gone for the others. A check whose
# first argument after the run is `text` is given the whole sentence.
OWN = r"(?:its own|[A-Z]'s)"
THREAD = r"(?: on thread (\d))?"
GRAMMAR = [
    (rf"{NAME}'s {COMMAND}, sent at {TIME} before {NAME} got the lock, ran at {TIME} and "
     rf"(removed|overwrote) {OWN} lock", late),
    (rf"{NAME}'s {COMMAND}, sent at {TIME}, ran at {TIME} and (removed|overwrote) {OWN} lock",
     late_plain),
    (rf"{NAME}'s {COMMAND}, sent at {TIME}(?: before {NAME} got in)?, reached the resource at "
     rf"{TIME}, and nothing in it says which hold of the lock it belongs to", written),
    (rf"{NAME}'s {COMMAND}, sent at {TIME}(?: before {NAME} got in)?, reached the resource at "
     rf"{TIME}, before {NAME} had written anything: the resource had seen no higher number",
     written_first),
    (rf"{NAME}'s {COMMAND}, sent at {TIME}(?: before {NAME} got in)?, reached the resource at "
     rf"{TIME}, and its number is not lower than that of {NAME}'s {COMMAND} at {TIME}",
     written_under),
    (rf"{NAME}'s {COMMAND}, sent at {TIME}(?: before {NAME} got in)?, reached the resource at "
     rf"{TIME}, after {NAME}'s {COMMAND} at {TIME}. The resource had checked {NAME}'s number before that, and "
     "does not check it again", written_apart),
    (rf"{NAME}'s release{THREAD}, {COMMAND}, was answered (.+?) at {TIME} and left the lock as it was",
     release),
    (rf"{NAME}'s release{THREAD}, {COMMAND}, was answered (.+?) at {TIME} and left (\S+) under the key",
     release),
    (rf"{NAME}'s release{THREAD} was refused, and sent nothing", unsent_release),
    (rf"{NAME}'s {COMMAND} had made the lock at {TIME}{THREAD}", made_on),
    (rf"{NAME}'s {COMMAND} made a lock without a lease at {TIME}", made_endless),
    (rf"Only {NAME}'s {COMMAND} gave it a lease, at {TIME}", first_lease),
    (rf"{NAME}'s {COMMAND} ran at {TIME}, before anything that {NAME} sent", ran_first),
    (rf"{NAME}'s {COMMAND} ran only after that, at {TIME}", ran_after),
    (rf"{NAME}'s {COMMAND} removed the lock at {TIME}", removed),
    (rf"the lock ended on the server at {TIME}", lock_ended),
    (rf"nothing has woken {NAME} since", not_woken),
    (rf"The server told {NAME}, who was killed at {TIME}, and nobody else; {NAME} still sleeps",
     told_one_who_died),
    (rf"The server told {NAME}, and nobody else; {NAME} still sleeps", told_another),
    (r"((?:[A-Z], )*[A-Z] and [A-Z]) each sent a command after that, and only one of them could get "
     "the lock", each_sent),
    (rf"{NAME}'s {COMMAND} removed (?:its own|[A-Z]'s) lock at {TIME}", removed),
    (rf"{NAME}'s {COMMAND} overwrote (?:[A-Z]'s lock|\[precious\]) at {TIME}", overwrote),
    (rf"{NAME}'s {COMMAND} gave (?:{OWN} lock|\[precious\]) a new lease,? (?:last )?at {TIME}",
     leased),
    (rf"nobody has touched the lock since: at {TIME} there are (\d+) s left", untouched),
    (rf"{NAME}'s {COMMAND} made a lock at {TIME}( that the server never ends)?", made),
    (rf"{NAME}'s {COMMAND} ran at {TIME}, when {NAME} waited for it no more: the lock is "
     rf"{NAME}'s, and {NAME} does not know", gave_up),
    (rf"the server keeps {NAME}'s {COMMAND}, sent at {TIME}",
     lambda run, client, command, time: need(
         run.need(time, event="waits", actor=client, command=command)[-1]["at"] >
         max((event["at"] for event in run.find(event="ran", actor=client)), default=-1))),
    (rf"{NAME}'s {COMMAND} was answered (.+?) at {TIME}", answered),
    (rf"{NAME}'s {COMMAND} let it in(?=\.$)", let_in),
    (rf"{NAME}'s {COMMAND} was lost on its way at {TIME}",
     lambda run, client, command, time: run.need(time, event="cut", actor=client,
                                                 command=command)),
    (rf"; {NAME}'s {COMMAND} had cut it to (\d+) s", cut_lease),
    (rf"while {NAME}'s {COMMAND} was on its way",
     lambda run, client, command: run.sent(client, command)),
    (rf"Its {COMMAND} had shown {NAME} the value (\S+), a time that was past by {NAME}'s clock",
     past),
    (rf"Its {COMMAND} had shown {NAME} the value (\S+), which is {NAME}'s( and was its own before)?",
     is_of),
    (rf"Its {COMMAND} had shown {NAME} the value (\S+), and then {NAME} got the lock", then_got),
    (r"The command does not say whose lock it means", bare),
    (rf"The command names (\S+), and so does {NAME}'s lock", names),
    (rf"{NAME}'s lease ended at {TIME}", lease_ended),
    (rf"while {NAME} was (stopped|cut off from the server)",
     lambda run, text, client, what: meanwhile_client(
         run, text, client, *{"stopped": ("stopped", "continued")}.get(
             what, ("isolated", "reconnected")))),
    (rf"while {NAME} was still at work", at_work),
    (rf"while the answer that granted it was on its way to {NAME}", grant_on_its_way),
    (r"while the server was (down|stopped)", server_is),
    (rf"{NAME} was asked at {TIME} and said that it still held the lock", believed),
    (rf"{NAME} still said that it held the lock", still_said),
    (rf"{NAME} has asked the server nothing since", silent_since),
    (rf"{NAME}'s lock was gone at {TIME}", was_gone),
    (rf"{NAME} found the key free", found_free),
    (rf"{NAME} got a majority", found_free),
    (rf"server (\d)'s clock was moved by ([+-]\d+ s) at {TIME}, and {NAME} was left with (\d) of "
     r"(\d) masters", moved_one),
    (rf"server (\d) was killed at {TIME} and started again with an empty disk, and {NAME} was left "
     r"with (\d) of (\d) masters", restarted_one),
    (rf"{NAME} was told (busy|unknown): (\w+ stood on \d of \d masters(?:, \w+ on \d)*)"
     r"(?:, and (\d) was down)?", stood_on),
    (rf"{NAME} went in without asking a server: what a process keeps in its own memory keeps no "
     r"other process out", without_server),
    (rf"{NAME} did not ask the server", without_server),
    (rf"{NAME} has nothing under the key, and asks no server whether it still holds the lock",
     without_server),
    (rf"{NAME} had put nothing under the key", put_nothing),
    (rf"an operator's {COMMAND} removed [A-Z]'s lock at {TIME}", operator),
    (rf"after an operator's {COMMAND} at {TIME} the server no longer had [A-Z]'s lock", operator),
    (rf"the server was killed at {TIME} and started again with an empty disk, without [A-Z]'s lock",
     lambda run, time: (server_said(run, "is killed", time),
                        server_said(run, "finds its disk empty", time),
                        server_said(run, "starts again", time))),
    (rf"the server was killed at {TIME} before [A-Z]'s lock was safe on its disk, and started "
     r"again without it",
     lambda run, time: (server_said(run, "is killed", time),
                        server_said(run, "finds what it wrote last gone", time))),
    (rf"server (\d) gave the lock to {NAME}( and was killed)?, and server (\d), (?:which had not "
     rf"heard of that|a master of its own), gave it to {NAME}", two_servers),
    (rf"the server's clock was moved by ([+-]\d+ s) at {TIME}, and (?:[A-Z]'s lease was over by "
     r"that clock|by that clock [A-Z]'s lease is not over)", skewed),
    (rf"the lock came back when the server started again at {TIME}",
     lambda run, time: server_said(run, "starts again", time)),
    (r"the server never ends it by itself", no_end),
    (rf"the lock in {NAME}'s way is its own, taken at {TIME}: its {COMMAND} was answered (.+?)"
     r"(?=\.$)", own_lock),
    (rf"though {NAME} was told busy", told_busy),
    (rf"though {NAME} did not get it", did_not_get_it),
    (rf"though {NAME} was inside (\d+) times", inside_times),
    (rf"{NAME} was killed at {TIME}", happened("killed")),
    (rf"{NAME}'s worker hung at {TIME}", happened("hung")),
    (rf"{NAME} never heard that it had got it",
     lambda run, client: run.need(event="result", actor=client, operation="enter",
                                  result="unknown")),
]


def check(document):
    """Raises Wrong if the sentence says something that is not in the events."""
    told, text = Run(document), document["because"]
    named = set(re.findall(r"\b[A-Z]\b", re.sub(COMMAND, "", text)))
    need(named <= {event.get("actor") for event in told.events}, named)
    rest = text
    for pattern, fact in GRAMMAR:
        for found in list(re.finditer(pattern, rest)):
            wants_text = fact.__code__.co_varnames[1:2] == ("text",)
            fact(told, *([text] if wants_text else []), *found.groups())
        rest = re.sub(pattern, "", rest)
    need(re.fullmatch(r"(and|though|Then|[ ,.])*", rest), "not understood", rest)


def hold(document):
    assert document["verdict"] == "BROKEN"
    check(document)
    # And what is not true is caught: another time, another client.
    for wrong in wrong_sentences(document["because"]):
        with pytest.raises(Wrong):
            check({**document, "because": wrong})


@pytest.mark.parametrize("race, lock", BROKEN, ids=lambda value: value)
def test_why_is_true(race, lock):
    hold(played(race, lock))


def test_why_is_true_of_a_holder_that_gives_up_for_nothing():
    """No lock in the matrix does that."""
    mutant = next(one for one in mutants.mutants() if one.name == "belief/not_moved_by_renewals")
    assert mutants.build([mutant]) == {mutant.name: ""}
    finished = run(mutant.top / "scenarios/renewals_not_believed", "--stage", mutant.brief, "--format", "json")
    document = finished.document
    assert document["reason"] == "A says that its lock is lost, and it still has it."
    hold(document)


@needs_zookeeper
@pytest.mark.parametrize("race", ["server_stall", "cut_off_holder"])
def test_why_is_true_of_a_session_that_ended(race):
    """In server_stall B's attempt sends its command again on a new connection. That one runs."""
    finished = run(ROOT / "scenarios" / race, "--stage", "detour_zookeeper_deaf", "--format", "json")
    hold(finished.document)


def wrong_sentences(text):
    for found in re.finditer(TIME, text):
        yield text[:found.start()] + "7.777" + text[found.end():]
    if re.search(r"\b[A-D]\b(?='s|[ ,.])", text):
        yield re.sub(r"\b[A-D]\b(?='s|[ ,.])", "Y", text, count=1)
    yield text[:-1] + ", and the moon was full."


# --- which stage answers it --------------------------------------------------

MATRIX = {(race, lock): verdict for race, lock, verdict in read_matrix()}
RUNGS = [lock for lock in dict.fromkeys(lock for _, lock in MATRIX) if lock.startswith("stage")]


def rung(lock):
    """Its number; a detour's is that of the stage it leaves from."""
    if lock in RUNGS:
        return int(lock[5:])
    return int(re.match(r"// Detour from stage (\d+)", head_of(lock))[1])


def answer(race, lock):
    own = rung(lock)
    first = own + 1 if lock in RUNGS else own
    holds = [int(stage[5:]) for stage in RUNGS if MATRIX[race, stage] == "holds"]
    later = [n for n in holds if n >= first]
    if later and later[0] == own:
        return f"Stage {own} answers this: make diff LOCK={lock}"
    if later and lock in RUNGS and later[0] == own + 1:
        return f"Stage {own + 1} answers this: make diff N={own + 1}"
    if later:
        return f"Stage {later[0]} answers this: ./scenarios/{race} --stage {later[0]}"
    numbers = [int(stage[5:]) for stage in RUNGS]
    cannot = [n for n in numbers if n >= first and all(
        MATRIX[race, f"stage{m}"] == "cannot" for m in numbers if m >= n)]
    if cannot:
        return f"From stage {cannot[0]} on this cannot happen: ./scenarios/{race} --stage {cannot[0]}"
    if lock in RUNGS and own - 1 in holds:
        return f"No later stage answers this. Stage {own - 1} still holds: make diff N={own}"
    return "No later stage answers this."


# Each kind of answer, on each rung and some detours.
ANSWERED = [cell for cell in BROKEN if "redlock" not in cell[1] and cell[0] in (
    "expired_delete", "late_grant", "hung_worker", "check_then_delete", "forced_unlock")]
ANSWERED = [cell for i, cell in enumerate(ANSWERED) if cell[1] in RUNGS or i % 4 == 0]


@pytest.mark.parametrize("race, lock", ANSWERED, ids=lambda value: value)
def test_the_answer_is_in_the_table(race, lock):
    assert f"\n{answer(race, lock)}\n" in replay(race, lock).out


@pytest.mark.parametrize("lock", ["detour_redisson", "detour_reentrant_uncounted"])
def test_who_gets_in_again_had_lost_its_lock(lock):
    """And not: whoever came between has released."""
    said = replay("nested_after_loss", lock).out
    assert "Lost because A's lease ended at 30.001 while A was cut off from the server. A's " in said


def test_a_guest_and_a_replay_have_a_cause_too():
    said = run(ROOT / "scenarios/replay", "v1 stage4 A:enter A>< t+31 B:enter B><").out
    assert "Lost because A's lease ended at 30.001 while A was still at work, and B found the key " \
        "free." in " ".join(said.split())
    assert "answers this" not in said


def test_in_real_time_no_instant_is_named():
    """The story's lease is 30 seconds, the server's is one."""
    said = replay_real("work_outlives_lease", 4).out
    assert "Lost because A's lease ended while A was still at work, and B found the key free." in \
        " ".join(said.split())
