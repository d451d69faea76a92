"""docs/atlas.md: written from the heads of scenarios/*.c, from tests/matrix.txt,
and from a run of each race, so that it says what they say. `make docs` writes it
anew; a test holds it against this."""

import json
import re

from lockstep import ROOT, read_matrix, replay

PAGE = ROOT / "docs/atlas.md"
GROUPS = {1: "Taking the lock", 2: "The lease runs out", 3: "Giving it back", 4: "Renewing it",
          5: "Who is the owner", 6: "Lost answers", 7: "The server's state",
          8: "Copies and clocks"}

INTRODUCTION = """\
# The atlas of races

Every way in which a lock on one Redis, or on copies of it, is known to fail: from the manuals, the
literature, and the issue trackers of the libraries people use. Each is a program in `scenarios/`, and
a row of [the matrix](matrix.md). This page is written from their heads and from `tests/matrix.txt`.
The line at the end of an entry [replays its story](schedules.md), step for step, on the first lock with
a server that loses it; where none does, on the first to which it can happen.

Two things come out by themselves and are worth a thought. Plain SETNX, the simplest lock here,
survives every race in which a lease ends, because it has none; it pays for that whenever a holder
dies. And the watchdog, which ends the guessing about how long work takes, loses two races that stage 5
had won: `hung_worker` and `ab_ba_deadlock`, for it renews whatever its worker does.

"Lost by" is the property that loses it. The lists are the verdicts, stage by stage; "cannot happen"
means that a lock never does what the story needs. Stage 0 has no server: what it loses, it loses
because each process has a mutex of its own and asks nobody.
"""

# What the run showed where the sources say otherwise, or where a reader will wonder.
REMARKS = {
    "late_grant":
        "Stages 6 and 7 compare: an OK that took a whole lease to arrive is not believed. They release "
        "it again, in case it still stands, and answer \"lost\".",
    "downtime_eats_lease":
        "The manuals call this lost by every lock with a lease. With a deadline of its own the holder "
        "knows, and stops: stages 6 and 7 hold.",
    "server_stall":
        "The watchdogs cannot renew, and know it: A's deadline is past when it asks. Before the server "
        "goes on nobody has got in, so A stops in time. What a renewal that comes late can do to B's "
        "lock is the story of `renewal_revives_a_stranger` and `renewal_steals`.",
    "loser_blocks_release":
        "Stage 3 and `detour_getset_greater` ask less and release: a deadline that is not past, or one "
        "not before their own. `detour_timestamp_del` is lost as in `double_takeover`: C does not lose.",
    "reply_desync":
        "No lock here can be told apart by it. hiredis' error is sticky: after a time-out a connection "
        "says nothing more, and all of these make a new one. A library that goes on with the old one, as "
        "redis-py did, would have to be seen with a time-out of its own, which no world here has.",
    "renewal_after_release":
        "All that have a watchdog stop it first, and the release waits for the renewal. Without that, "
        "`detour_extend_retakes` would be BROKEN; a test takes the line out and looks.",
    "expiry_boundary":
        "Stage 3 and its detours have no lease that the server ends, and plain SETNX has none. The two "
        "detours that lose it do so by B's first attempt, which gave the dead A's lock a new lease. In "
        "production Redis 8.0 may let B in a millisecond early: its own search for expired keys takes "
        "those, too, that whoever asks is still told of. [In a world](world.md) it does not search.",
    "check_then_act":
        "Stage 1 holds because B never gets in.",
    "ab_ba_deadlock":
        "Where a lease ends the deadlock, it does so by ending the exclusion: A gets the second lock, and "
        "B, which waits, has never left it. The judge does not count whoever hangs.",
    "late_retry_kills_next_hold":
        "Stage 3 reads before it deletes, so its second try finds nothing to delete and sends nothing. "
        "Stages 5 to 7 have a token for each hold; `detour_redisson` has one owner for all of them.",
    "loser_overwrites_deadline":
        "On `detour_timestamp_del` it is lost for another reason: C does not lose, it deletes B's lock "
        "and is inside, so that D is rightly told no.",
    "lost_grant_answer":
        "Stage 3 needs one more second here, because its deadline is a whole second. Stages 3 to 6 hold, "
        "but A waits for the end of its own lock. Stage 7 repeats the attempt with the same token and lets "
        "A in at once.",
    "reentry_shrinks_lease":
        "With all others an acquire has no lease of its own: nothing could cut the outer one. Were the key's "
        "end never moved closer by a nested acquire, the race would hold; a test changes the line and looks. "
        "Redisson adds the new lease to what is left in its write lock, and in its plain lock does not. "
        "The lock that loses it here knows that it is lost, when it is asked: B gets in all the same.",
    "thread_hop":
        "Stage 7 refuses by design. A lock that can be released by any thread is one that any thread "
        "can release by mistake.",
    "reordered_set":
        "An orphan for one lease; with plain SETNX for ever.",
    "key_of_another_type":
        "Stage 0 lets A in, as it asks nobody. No other lock does, but not every detour leaves the "
        "list alone: `detour_expire_anyway` and `detour_incr_multi` give it an end, and "
        "`detour_ttl_repair` overwrites it.",
    "resurrected_lock":
        "A lease is a time of day: the key comes back with the end it had.",
    "repair_makes_a_phantom":
        "Stage 0 lets B in beside A, as always.",
    "wait_is_not_enough":
        "WAIT counts replicas. It does not say which of them will be promoted.",
    "watchdog_dies":
        "A watchdog that comes back with its next tick is enough, as a tick is a third of the lease.",
}


def scenario(path):
    """(group, place, name, title, story, lost_by, source, verbs) of a race."""
    text = path.read_text()
    head, body = text.split('#include "race.h"', 1)
    lines = [line[3:] if len(line) > 2 else "" for line in head.splitlines()]
    paragraphs = "\n".join(lines).split("\n\n")
    group, place, title = re.match(r"Race (\d+)\.(\d+): (.*)\.", paragraphs[0]).groups()
    lost_by, source = re.match(r"Lost by: (.*)\nSource: (.*)", paragraphs[-1], re.S).groups()
    statements = re.findall(r"^    \S.*?[;:]$", body, re.M | re.S)
    verbs = "\n".join(statement for statement in statements
                      if "race_" not in statement).splitlines()
    verbs = [line[4:] for line in verbs]
    return (int(group), int(place), path.stem, title, "\n".join(paragraphs[1:-1]),
            " ".join(lost_by.split()), " ".join(source.split()), verbs)


def verdicts(race):
    """Stages by verdict, and the detours that lose it."""
    said = [(lock, verdict) for name, lock, verdict in read_matrix() if name == race]
    for verdict, words in (("BROKEN", "Lost by"), ("holds", "Held by"),
                           ("cannot", "Cannot happen to")):
        stages = [lock.removeprefix("stage") for lock, what in said
                  if what == verdict and lock.startswith("stage")]
        detours = [lock for lock, what in said
                   if what == "BROKEN" == verdict and not lock.startswith("stage")]
        both = [f"stage{'s' * (len(stages) > 1)} {', '.join(stages)}"] * bool(stages)
        both += [", ".join(f"`{lock}`" for lock in detours)] * bool(detours)
        if both:
            yield f"- {words} {'; '.join(both)}"


def told_on(race):
    """The lock whose trace shows the race best: the first with a server that loses it,
    else stage 0, else the first to which it can happen."""
    said = [(lock, verdict) for name, lock, verdict in read_matrix() if name == race]
    return next(lock for wanted in ("BROKEN", "holds") for kind in ("stage[1-9]", "detour_", "stage0")
                for lock, verdict in said if verdict == wanted and re.match(kind, lock))


def schedule(race):
    """The line that replays it."""
    document = json.loads(replay(race, told_on(race), "--format", "json").out)
    assert "'" not in document["schedule"]
    return document["schedule"]


def page():
    races = sorted(scenario(path) for path in (ROOT / "scenarios").glob("*.c"))
    out = [INTRODUCTION]
    last = None
    for group, place, name, title, story, lost_by, source, verbs in races:
        if group != last:
            out.append(f"\n## {group} {GROUPS[group]}\n")
        last = group
        out.append(f"\n### {group}.{place} {name}: {title}\n\n{story}\n\n```c")
        out.extend(verbs)
        out.append("```\n")
        out.append(f"Lost by {lost_by}\n")
        out.extend(verdicts(name))
        if name in REMARKS:
            out.append(f"\n{REMARKS[name]}")
        out.append(f"\nSource: {source}\n\n    ./scenarios/replay '{schedule(name)}'")
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
