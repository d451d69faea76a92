"""docs/atlas.md: written from the heads of scenarios/*.c, from common/catalogue/matrix.txt,
and from a run of each race, so that it says what they say. `make docs` writes it
anew; a test holds it against this."""

import re

import pictures
from tree import ROOT, race_sources, read_matrix, replay, run

PAGE = ROOT / "docs/atlas.md"
GROUPS = {int(number): title for number, title in
          re.findall(r"^(\d+) (.+)$", run("./scenarios/list").out, re.M)}

INTRODUCTION = """\
# The atlas of races

These are the ways in which a lock on a server, on copies of one, or on several masters is known to fail. They are
told in Redis's words, and are run against locks on Redis, in [MariaDB](mysql.md) and in [ZooKeeper](zookeeper.md).
They come from manuals, from the literature, and from the issue trackers of the libraries that people use. Each one
is a program in `scenarios/`, and a row of [the matrix](matrix.md).

An entry tells the story of a race, and then shows the program that runs it. Below stand:

- [the picture](pictures.md) of a run in which the race is lost. If no lock on Redis here loses it, the picture is of
  a run that holds it. If the story can happen to none of them, there is no picture;
- "Usually lost by": the property by which the locks here lose this race. Another lock may lose it in another
  way: the trace of your own run says what happened there ("Lost because");
- the verdicts: which stages, detours and roads lose it, and which stages and roads hold it. "Cannot happen to"
  means that the lock never does what the story needs. Locks in MariaDB and ZooKeeper have a line of their own,
  "Elsewhere";
- the source, where somebody has met this failure;
- a line that [replays the story](schedules.md) step for step, on the lock of the picture.

Three things can be seen when you compare the entries. Stage 1, plain SETNX, is the simplest lock with a
server. It survives every race in which a lease ends, because it has no lease. The price is that the lock of a
dead client stays for ever. Stage 6, with its watchdog, no longer has to guess how long work takes. The price is
two races that stage 5 holds, `hung_worker` and `ab_ba_deadlock`: the watchdog renews the lock, whatever the
worker does. Stage 0 has no server. Each process has a mutex of its own and asks nobody, and so it loses.

(`make docs` writes this page from the heads of the programs, from `common/catalogue/matrix.txt` and
`common/catalogue/roads.txt`.)
"""

# What a group has in common.
ABOUT = {
    9: "Stages 0 to 7 wait by asking: they try every 100 ms. Stages 8 and 9 are woken by the release. Every lock is "
       "put through these stories, because whoever waits must be let in, whatever way it waits.",
    12: "Most stories that people tell about ZooKeeper are races of other sections, because they happen to other locks "
        "too: a session ends while its client works (`stop_the_world`), a node without a name is nobody's "
        "(`lost_grant_answer`), one release wakes everybody (`thundering_herd`), the leader dies (`failover`), and a "
        "client does not listen to the end of its session (`cut_off_holder`). [The page on the locks in "
        "ZooKeeper](zookeeper.md) shows them.",
    13: "These stories come from [locks in a database](mysql.md). The locks on Redis hold nearly all of them. "
        "They are told to every lock all the same, because a lock of your own may be built in another way. Three "
        "more stories of databases stand elsewhere: a row outlives its holder in `crash_holding`, dead rows are "
        "removed by a clock that is ahead in `client_clock_fast`, and a copy has not heard of the lock in "
        "`failover`.",
    14: "A lock can follow the right algorithm and be coded wrongly. These stories are for such bugs. The stages "
        "and detours hold nearly all of them, and that is the point: they are for libraries, for your own lock, "
        "and for tomorrow's change to a stage."}

# What the run showed where the sources say otherwise, or where a reader will wonder.
REMARKS = {
    "loss_told_by_release":
        "Stage 0 knows nothing of the operator's command.",
    "nested_answer_lost":
        "The two detours that lose this count what the server heard, and not what the client was told.",
    "one_lost_of_two":
        "`detour_extend_retakes` takes the lock again, and its holder never learns that it was lost in between.",
    "slow_second_try":
        "No lock here tries a second time by itself: it says \"unknown\", and its caller decides. Many libraries "
        "do. This race and the three others with a second try are for them.",
    "taken_anew_after_loss":
        "Stage 0 knows nothing of the operator's command, and lets B in beside A, as always. The same is true of "
        "the two races that follow.",
    "nested_after_loss":
        "`detour_reentrant_uncounted` and `detour_redisson` know an owner by something that outlives the hold. So "
        "the server cannot see that this is not a new attempt.",
    "late_renewal_kills_next_hold":
        "Stages 6 and 7 wait for the renewal that is under way before they release. So the old answer is there "
        "before a new hold begins.",
    "late_grant":
        "Stages 6 and 7 measure how long an attempt took. If it took a whole lease, they do not believe "
        "the OK. They release the lock, in case it still stands, and answer \"lost\".",
    "downtime_eats_lease":
        "The manuals say that every lock with a lease loses this. But a holder that keeps a deadline of "
        "its own knows when its lease is over, and stops. So stages 6 and 7 hold.",
    "server_stall":
        "A watchdog cannot renew while the server stands still, and it knows that: A's own deadline is "
        "past when A asks itself. Nobody gets in before the server goes on, so A stops in time. What a "
        "late renewal can do to B's lock is another story, told by `renewal_revives_a_stranger` and "
        "`renewal_steals`.",
    "loser_blocks_release":
        "Stage 3 and `detour_getset_greater` hold because their release asks for less: for a deadline "
        "that is not past, or for one that is not before their own. `detour_timestamp_del` loses for the "
        "reason shown in `double_takeover`: C does not lose there, it takes the lock from B.",
    "reply_desync":
        "All locks here behave alike, because hiredis does not allow this mistake: after a time-out its "
        "connection stays in error, and the lock has to make a new one. A library that goes on with the "
        "old connection, as redis-py did, would lose. It would need a time-out of its own for that, which "
        "no world here has.",
    "renewal_after_release":
        "Every lock with a watchdog stops it first, and its release waits until a renewal on its way is "
        "answered. Without this `detour_extend_retakes` would be BROKEN. A test takes the line out and "
        "checks that.",
    "expiry_boundary":
        "It cannot happen to stage 1, which has no lease, nor to stage 3 and its detours, whose lease is "
        "not ended by the server. The two detours lose it because B's first attempt gives the dead A's "
        "lock a new lease. In production, Redis 8.0 may let B in a millisecond early: its own search for "
        "expired keys removes a key in a millisecond in which clients are still told that it exists. [In a "
        "world](world.md) this search is switched off.",
    "check_then_act":
        "Stage 1 holds because B never gets in.",
    "ab_ba_deadlock":
        "Where a lease ends the deadlock, it also ends the exclusion: A gets the second lock while B, "
        "which still waits, has never released it. This counts as held, because a client that hangs is "
        "not inside for [the judge](judge.md).",
    "late_retry_kills_next_hold":
        "It cannot happen to stage 3: its second try reads first, finds nothing to delete, and sends "
        "nothing more. Stages 5 to 7 hold because they have a new token for each hold. "
        "`detour_redisson` uses one name of the owner for all holds, and loses.",
    "late_release_meets_next_hold":
        "Stages 5 to 9 have a new token for each hold, and their release compares it and deletes in one step. "
        "`detour_redisson` and `detour_thread_id` have one name for all holds of a thread. `detour_get_del` and "
        "`detour_reentrant_unscripted` compare first: what comes late is the DEL, which compares nothing.",
    "loser_overwrites_deadline":
        "To `detour_timestamp_del` it cannot happen: C does not lose there. It deletes B's lock and gets "
        "in, and so it keeps D out rightly. (`double_takeover` shows what is wrong with that.)",
    "lost_grant_answer":
        "Stages 3 to 6 hold, but A has to wait until its own lock ends. Stage 3 takes up to a second "
        "longer, because its deadline is a whole number of seconds. Stage 7 repeats the attempt with the "
        "same token, and lets A in at once.",
    "reentry_shrinks_lease":
        "In all other locks an acquire has no lease of its own, so it cannot shorten the outer one. "
        "`detour_reentrant_lease` would hold if a nested acquire never moved the end of the key closer; a "
        "test changes that line and checks it. When A is asked it knows that its lock is lost, but B has "
        "got in all the same. (Redisson adds the new lease to the rest of the old one in its write lock, "
        "but not in its plain lock.)",
    "thread_hop":
        "Stage 7 refuses on purpose. If every thread could release a lock, every thread could release it "
        "by mistake.",
    "another_thread_leaves":
        "Stages 7 to 9 refuse the release, and A is inside twice. Where the owner is a process, as in the locks on "
        "MariaDB, the release counts, and A is inside once. Stage 0 lets B in, as always.",
    "clock_set_while_waiting":
        "Stages 8 and 9 measure with a clock that counts from the start of the machine. So does the waiting by "
        "which the other stages try every 100 ms.",
    "reordered_set":
        "The lock that nobody waits for stays for one lease; with plain SETNX, for ever.",
    "key_of_another_type":
        "Stage 0 lets A in, because it asks nobody. No other lock lets A in, but three detours change the "
        "list: `detour_expire_anyway` and `detour_incr_multi` set an end for it, and `detour_ttl_repair` "
        "overwrites it.",
    "resurrected_lock":
        "In a dump the end of a lease is a time of day. So the key comes back with the end that it had, "
        "and is gone when that has passed.",
    "repair_makes_a_phantom":
        "Stage 0 loses because it lets B in beside A, as always.",
    "wait_is_not_enough":
        "WAIT says how many replicas have the write. It does not say which of them will be promoted.",
    "connection_dies":
        "The locks on Redis hold because a key does not know who has set it. So it does not end with a connection.",
    "missing_row":
        "The locks on Redis look at a free lock and take it in one step: with SETNX, SET NX, INCR or a script. Two "
        "of the [locks in MariaDB](mysql.md#four-mistakes) lose this.",
    "old_snapshot":
        "Redis always shows what is there now. One of the [locks in MariaDB](mysql.md#four-mistakes) loses this.",
    "watchdog_dies":
        "It is enough that a watchdog tries again at its next renewal, because it renews after a third of "
        "the lease.",
}

# Where a source can be read: a project's issues and pull requests, and pages.
PROJECTS = {
    "Helix": "apache/helix",
    "Hilary": "oaeproject/Hilary", "RedLock.net": "samcook/RedLock.net",
    "Redisson": "redisson/redisson", "ShedLock": "lukas-krecan/ShedLock",
    "Symfony": "symfony/symfony", "YiiRedis": "phpnode/YiiRedis", "etcd": "etcd-io/etcd",
    "hiredis-locker": "vitek/hiredis-locker", "node-redlock": "mike-marcacci/node-redlock",
    "orleans": "dotnet/orleans",
    "python-redis-lock": "ionelmc/python-redis-lock", "redis-py": "redis/redis-py",
    "redis-semaphore": "swarthy/redis-semaphore", "redlock-rb": "leandromoreira/redlock-rb",
    "spring-integration": "spring-projects/spring-integration"}
REDIS = "https://redis.io/docs/latest"
PAGES = {
    "page on SETNX": f"{REDIS}/commands/setnx/",
    "page on SET": f"{REDIS}/commands/set/",
    "documentation on SET": f"{REDIS}/commands/set/",
    "documentation on EXPIRE": f"{REDIS}/commands/expire/",
    "documentation on WAIT": f"{REDIS}/commands/wait/",
    "documentation on persistence": f"{REDIS}/operate/oss_and_stack/management/persistence/",
    "documentation on distributed locks": f"{REDIS}/develop/use/patterns/distributed-locks/",
    "on distributed locks": f"{REDIS}/develop/use/patterns/distributed-locks/",
    "Redis cluster specification": f"{REDIS}/operate/oss_and_stack/reference/cluster-spec/",
    "How to do distributed locking":
        "https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html",
    "Kleppmann's delayed packet":
        "https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html",
    "MySQL manual on automatic reconnection":
        "https://dev.mysql.com/doc/c-api/8.4/en/c-api-auto-reconnect.html",
    "MySQL manual on locks set by statements":
        "https://dev.mysql.com/doc/refman/8.4/en/innodb-locks-set.html",
    "MySQL manual on error handling":
        "https://dev.mysql.com/doc/refman/8.4/en/innodb-error-handling.html",
    "Curator Tech Note 10": "https://cwiki.apache.org/confluence/display/CURATOR/TN10",
    "Curator Tech Note 14": "https://cwiki.apache.org/confluence/display/CURATOR/TN14",
    "source of Redis": "https://github.com/redis/redis/blob/7.0/src/db.c"}


def linked(source):
    """A race's source, with links to what it names."""
    project = "|".join(re.escape(name) for name in PROJECTS)
    page = "|".join(re.escape(words) for words in sorted(PAGES, key=len, reverse=True))

    def link(match):
        words = match[0]
        if words in PAGES:
            return f"[{words}]({PAGES[words]})"
        kind = {"issue": "/issues/", "pull request": "/pull/"}.get(match["kind"], "")
        return f"[{words}](https://github.com/{PROJECTS[match['name']]}{kind}{match['number'] or ''})"

    return re.sub(rf"\b(?:{page})\b|\b(?P<name>{project})"
                  r"(?: (?P<kind>issue|pull request) (?P<number>\d+))?\b", link, source)


def scenario(path):
    """(group, place, name, title, story, lost_by, source, verbs) of a race."""
    text = path.read_text()
    head, body = text.split('#include "race.h"', 1)
    lines = [line[3:] if len(line) > 2 else "" for line in head.splitlines()]
    paragraphs = "\n".join(lines).split("\n\n")
    group, place, title = re.match(r"Race (\d+)\.(\d+): (.*)\.", paragraphs[0]).groups()
    ends = re.match(r"Usually lost by: (.*)\nSource: (.*)", paragraphs[-1], re.S)
    assert ends, f"{path}: the head ends with 'Usually lost by: …' and 'Source: …'"
    lost_by, source = ends.groups()
    statements = re.findall(r"^    \S.*?[;:]$", body, re.M | re.S)
    verbs = "\n".join(statement for statement in statements
                      if "race_" not in statement).splitlines()
    verbs = [line[4:] for line in verbs]
    return (int(group), int(place), path.stem, title, "\n".join(paragraphs[1:-1]),
            " ".join(lost_by.split()), " ".join(source.split()), verbs)


def verdicts(race):
    """Stages and roads by verdict, and the detours that lose it."""
    said = [(lock, verdict) for name, lock, verdict in read_matrix() if name == race]
    for verdict, words in (("BROKEN", "Lost by"), ("holds", "Held by"),
                           ("cannot", "Cannot happen to")):
        stages = [lock.removeprefix("stage") for lock, what in said
                  if what == verdict and lock.startswith("stage")]
        roads = [f"`{lock}`" for lock, what in said
                 if what == verdict != "cannot" and lock.startswith("road_")]
        detours = [lock for lock, what in said
                   if what == "BROKEN" == verdict and lock.startswith("detour_")]
        both = [f"stage{'s' * (len(stages) > 1)} {', '.join(stages)}"] * bool(stages)
        all_detours = len(detours) > 1 and len(detours) == sum(
            lock.startswith("detour_") for lock, _ in said)
        both += [", ".join(roads)] * bool(roads)
        both += ["all detours" if all_detours else ", ".join(f"`{lock}`" for lock in detours)] \
            * bool(detours)
        if both:
            yield f"- {words} {'; '.join(both)}"


ELSEWHERE = read_matrix("roads.txt")


def verdicts_elsewhere(race):
    """The same, in one line, of the locks in MariaDB and ZooKeeper: roads and the detours that lose it."""
    said = [(lock, verdict) for name, lock, verdict in ELSEWHERE if name == race]
    lost = [f"`{lock}`" for lock, verdict in said if verdict == "BROKEN"]
    held = [f"`{lock}`" for lock, verdict in said if verdict == "holds" and lock.startswith("road_")]
    both = [f"lost by {', '.join(lost)}"] * bool(lost) + [f"held by {', '.join(held)}"] * bool(held)
    return [f"- Elsewhere {'; '.join(both)}"] * bool(both)


def schedule(path):
    """The paragraph with the line that replays the run of this picture."""
    document = replay(*pictures.run_of(path), "--format", "json").document
    assert "'" not in document["schedule"]
    return f"\n\n    ./scenarios/replay '{document['schedule']}'"


def picture(path, title):
    """The fold with this picture: docs/pictures/RACE.LOCK.svg, drawn by make pictures."""
    lock = pictures.run_of(path)[1]
    return (f"<details>\n<summary>The picture, on {lock}</summary>\n\n"
            f"![{title[0].upper()}{title[1:]}: the run on {lock}](pictures/{path.name})\n\n</details>\n")


def page():
    races = sorted(map(scenario, race_sources().values()))
    out = [INTRODUCTION]
    last = None
    for group, place, name, title, story, lost_by, source, verbs in races:
        if group != last:
            out.append(f"\n## {group} {GROUPS[group]}\n")
            out += [f"{line}\n" for line in [ABOUT.get(group)] if line]
        last = group
        out.append(f"\n### {group}.{place} {name}: {title}\n\n{story}\n\n```c")
        out.extend(verbs)
        out.append("```\n")
        shown = pictures.of_race(name)
        out += [picture(shown, title)] if shown else []
        out.append(f"Usually lost by {lost_by}\n")
        out.extend(verdicts(name))
        out.extend(verdicts_elsewhere(name))
        if name in REMARKS:
            out.append(f"\n{REMARKS[name]}")
        out.append(f"\nSource: {linked(source)}{schedule(shown) if shown else ''}")
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
