"""What a page needs of a run's events: those that the rows of its picture tell.

A picture draws once what repeats itself, and a run in which clients wait for an hour has thousands
of events behind one row. run.js says what happens in a row; here the same rule says which events
that takes. The others would make the file twenty times as large, and the first click slow.
"""

import re

SAYS = ("actor", "event", "says")
ROWS = re.compile(r'data-rows="([^"]*)"')


def rows_of(picture):
    """([(height, number of its first event)], height of the end)"""
    *rows, end = ROWS.search(picture)[1].split()
    return [tuple(map(int, row.split(":"))) for row in rows], end


def of_a_row(events, first, following, before_ms):
    """The numbers of the events of a row; where time passes, of the event that says so."""
    now_ms = events[first]["time_ms"]
    if now_ms > before_ms:
        return [max(at for at in range(first + 1) if events[at]["event"] == "clock")]
    return [at for at in range(first, max(following, first + 1)) if events[at]["time_ms"] == now_ms]


def without_repetition(events, some):
    """The first of those that say the same; and the last of all, whose state of the lock is shown."""
    said = {}
    for at in some:
        said.setdefault(tuple(map(events[at].get, SAYS)), at)
    return {*said.values(), *some[-1:]}


def deciding_event(document):
    """Its number. Of a loss, the cause names a command or a time; without a cause it is the refusal."""
    events, because = document["events"], document.get("because", "")
    if "decided_at" in document:
        return document["decided_at"]
    named = re.search(r"""(\w+)'s "([^"]+?)(?:\.\.\.)?\"""", because)
    time = re.search(r"\bat (\d+\.\d{3})\b", because)
    tests = [lambda event: named and event["event"] == "ran" and event["actor"] == named[1] and
             event["command"].startswith(named[2]),
             lambda event: time and event["time_ms"] >= round(1000 * float(time[1])),
             lambda event: not because and event.get("result") in ("busy", "lost")]
    return next((at for test in tests for at, event in enumerate(events) if test(event)), len(events) - 1)


def deciding_row(document):
    """The number of the row that shows it; -1 if there are no rows. What a command did is said with
    its answer, if that comes at once."""
    rows, _ = rows_of(document["picture"])
    decided, events = deciding_event(document), document["events"]
    following = events[decided + 1] if decided + 1 < len(events) else {}
    if events and events[decided]["event"] == "ran" and following.get("event") == "answer" and \
            following["actor"] == events[decided]["actor"]:
        decided += 1
    return max((at for at, (_, first) in enumerate(rows) if first <= decided), default=len(rows) - 1)


def each_row(picture, events):
    """The numbers of the events of each row, one row after the other."""
    rows, _ = rows_of(picture)
    before_ms = 0
    for at, (_, first) in enumerate(rows):
        following = rows[at + 1][1] if at + 1 < len(rows) else len(events)
        yield first, without_repetition(events, of_a_row(events, first, following, before_ms))
        before_ms = events[first]["time_ms"]


def told_rows(document):
    """[(milliseconds, sentences)] of each row that has something to say."""
    events, told = document["events"], []
    for _, some in each_row(document["picture"], events):
        words = " ".join(dict.fromkeys(filter(None, (events[at].get("says") for at in sorted(some)))))
        if words:
            told.append((events[min(some)]["time_ms"], words))
    return told


def told_events(picture, events):
    """(the picture with its rows numbered anew, the events that they tell)"""
    rows, end = rows_of(picture)
    kept = {at for first, some in each_row(picture, events) for at in (first, *some)}
    order = sorted(kept)
    number = {at: place for place, at in enumerate(order)}
    words = [f"{height}:{number[first]}" for height, first in rows]
    return ROWS.sub(f'data-rows="{" ".join([*words, end])}"', picture, count=1), [events[at] for at in order]
