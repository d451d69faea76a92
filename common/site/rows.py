"""What a page needs of a run's events: those that the rows of its picture tell.

A picture draws once what repeats itself, and a run in which clients wait for an hour has thousands
of events behind one row. run.js says what happens in a row; here the same rule says which events
that takes. The others would make the file twenty times as large, and the first click slow.
"""

import re

SAYS = ("actor", "event", "command", "operation", "text", "answer", "result", "server")
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


def told_events(picture, events):
    """(the picture with its rows numbered anew, the events that they tell)"""
    rows, end = rows_of(picture)
    kept, before_ms = set(), 0
    for at, (_, first) in enumerate(rows):
        following = rows[at + 1][1] if at + 1 < len(rows) else len(events)
        kept |= {first} | without_repetition(events, of_a_row(events, first, following, before_ms))
        before_ms = events[first]["time_ms"]
    order = sorted(kept)
    number = {at: place for place, at in enumerate(order)}
    words = [f"{height}:{number[first]}" for height, first in rows]
    return ROWS.sub(f'data-rows="{" ".join([*words, end])}"', picture, count=1), [events[at] for at in order]
