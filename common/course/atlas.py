"""docs/atlas: a page for each chapter of the races, and a table of the checks in scenarios/bugs.

All is written from the heads of the races, from the tables of common/catalogue, and from a run of
each race, so that it says what they say. `make docs` writes it anew; a test holds it against this."""

import functools
import re
import textwrap
from collections import namedtuple

import pictures
from tree import ROOT, locks, race_sources, read_matrix, replay, roads, run, short

FOLDER = ROOT / "docs/atlas"
TITLES = dict(re.findall(r"^(\d+) (.+)$", run("./scenarios/list").out, re.M))
WIDTH = 117

INTRODUCTION = """\
# The atlas of races

These are the known ways to lose a lock on one server, on its copies, or on several masters. They come from manuals,
from the literature, and from the issue trackers of libraries. They are told in Redis's words, and are also run against
the locks in [MariaDB](../mysql.md) and in [ZooKeeper](../zookeeper.md).

{chapters}
Beside the chapters stand [the checks](bugs.md) for a lock of your own, and [what each stage loses](stages.md).

## How to read an entry

An entry tells the story of a race, and shows the lines of its program, `scenarios/CHAPTER/NAME.c`. Below stand:

- what usually loses it. Another lock may lose it in another way: the trace of your own run says how ("Lost because");
- which stages, detours and roads lose it, and which stages and roads hold it. "Cannot happen to" means that the lock
  never does what the story needs. Where many detours lose a race, `./scenarios/matrix --all NAME` says which;
- where somebody has met this failure;
- a line that [replays the story](../schedules.md) on a lock that loses it, or else on one that holds it.
  `--format svg` draws that run as [a picture](../pictures.md); a few are shown.

Compare the entries. Stage 1, plain SETNX, has no lease, and loses nothing when a lease ends. But the lock of a dead
client stays for ever. Stage 6 renews its lease for as long as its process lives. So it loses two races that stage 5
holds, `hung_worker` and `ab_ba_deadlock`. Stage 0 has no server: each process has a mutex of its own.

(`make docs` writes these pages from the heads of the programs and from the tables in `common/catalogue/`.)
"""

BUGS = """\
# The checks for a lock of your own

A lock can follow the right algorithm and be coded wrongly. These races are for such bugs: in a library, in your own
lock, in tomorrow's change to a stage. Each is there because a wrong lock once passed all the others. They stand in
`scenarios/bugs/`, a folder for each kind.

    ./scenarios/{example}
    ./scenarios/matrix --client COMMAND

The first line runs one of them, the second [a lock of yours](../guests.md) in all documented races; with `--bugs`, in
the checks. The head of each file tells the story. Behind some titles stands a remark.

| folder | check | what happens | who loses it here |
|---|---|---|---|
"""

STAGES = """\
# What each stage loses

The pages of the [stages](../stage0.md) tell a few races each. Here stands the whole list: what a stage wins back from
the stage before it, what it gives up, and all that it loses. A race is lost if its verdict is `BROKEN`. The chapters
tell the stories, and `./scenarios/NAME --stage 4` shows how stage 4 loses one. Stage 0 loses nearly every race for one
reason: two processes have two mutexes.

"""

# The chapters, by their numbers.
CHAPTERS = {
    1: "A client takes the lock, and dies, is late, or writes over what another one wrote.",
    2: "The holder works, sleeps or writes for longer than its lease.",
    3: "A release is late, is lost, comes twice, or deletes somebody else's lock.",
    4: "A watchdog renews what it should not, or stops and tells nobody.",
    5: "Nested calls, two threads, and two clients with one name.",
    6: "A command has run, and its client does not know.",
    7: "The server restarts, forgets, is full, or is changed by an operator.",
    8: "A copy takes over that has not heard of the lock, or a clock jumps.",
    9: "A client waits, and is woken too late, in vain, or never.",
    10: "Each hold has a number, and a resource refuses an old one.",
    11: "A lock on the majority of several masters.",
    12: "A queue of nodes that live as long as their sessions.",
    13: "A row, a transaction, and the connection that they belong to."}

# More on some of them.
ABOUT = {
    9: "Stages 0 to 7 wait by asking: they try every 100 ms. Stages 8 and 9 are woken by the release. Every lock is "
       "put through these stories, because whoever waits must be let in, whatever way it waits.",
    12: "Most stories that people tell about ZooKeeper are races of other chapters, because they happen to other locks "
        "too: a session ends while its client works (`stop_the_world`), a node without a name is nobody's "
        "(`lost_grant_answer`), one release wakes everybody (`thundering_herd`), the leader dies (`failover`), and a "
        "client does not listen to the end of its session (`cut_off_holder`). [The page on the locks in "
        "ZooKeeper](zookeeper.md) shows them.",
    13: "These stories come from [locks in a database](mysql.md). The locks on Redis hold nearly all of them. "
        "They are told to every lock all the same, because a lock of your own may be built in another way. Three "
        "more stories of databases stand elsewhere: a row outlives its holder in `crash_holding`, dead rows are "
        "removed by a clock that is ahead in `client_clock_fast`, and a copy has not heard of the lock in "
        "`failover`."}

# What the run showed where the sources say otherwise, or where a reader will wonder.
REMARKS = {
    "release_hides_a_loss":
        "Stage 0 knows nothing of the operator's command.",
    "nested_answer_lost":
        "The two detours that lose this count what the server heard, and not what the client was told.",
    "one_lost_of_two":
        "`detour_extend_retakes` takes the lock again, and its holder never learns that it was lost in between.",
    "slow_second_try":
        "The locks on Redis do not try again by themselves: they say \"unknown\", and the caller decides. Many "
        "libraries do.",
    "hold_after_loss":
        "Stage 0 knows nothing of the operator's command, and lets B in beside A, as always. The same is true of "
        "`nested_after_loss` and `nested_finds_a_stranger`.",
    "nested_after_loss":
        "`detour_reentrant_uncounted` and `detour_redisson` know an owner by something that outlives the hold. So "
        "the server cannot see that this is not a new attempt.",
    "late_renewal_kills_next_hold":
        "Stages 6 to 9 wait for the renewal that is under way before they release. So the old answer is there "
        "before a new hold begins.",
    "late_grant":
        "Stages 6 to 9 measure how long an attempt took. If it took a whole lease, they do not believe "
        "the OK. They release the lock, in case it still stands, and answer \"lost\".",
    "downtime_eats_lease":
        "The manuals say that every lock with a lease loses this. But a holder that keeps a deadline of "
        "its own knows when its lease is over, and stops. So stages 6 to 9 hold.",
    "server_stall":
        "A watchdog cannot renew while the server stands still. But A's own deadline is past when A asks "
        "itself, and nobody gets in before the server goes on. So A stops in time.",
    "loser_blocks_release":
        "Stage 3 releases any lock whose deadline is not past, and `detour_getset_greater` any that does not "
        "end before its own. So both hold. In `detour_timestamp_del` C takes the lock from B, as in "
        "`double_takeover`.",
    "reply_desync":
        "hiredis does not allow this mistake: after a time-out its connection stays in error, and the lock has to "
        "make a new one. redis-py went on with the old connection. This race cannot show that, because whoever "
        "gives up in a world has lost the connection.",
    "renewal_after_release":
        "Every lock with a watchdog stops it first, and its release waits until a renewal on its way is "
        "answered. Without this `detour_extend_retakes` would be BROKEN. A test takes the line out and "
        "checks that.",
    "expiry_boundary":
        "Stage 1 has no lease, and the lease of stage 3 is not ended by the server: it cannot happen to them. In "
        "the two detours B's first attempt gives the dead A's lock a new lease. In production, Redis 8.0 may let "
        "B in a millisecond early ([why](world.md#time)).",
    "check_then_act":
        "Stage 1 holds because B never gets in.",
    "ab_ba_deadlock":
        "Where a lease ends the deadlock, it also ends the exclusion: A gets the second lock, which B has never "
        "released. This counts as held, because [the judge](judge.md) does not count a client that hangs.",
    "late_retry_kills_next_hold":
        "It cannot happen to stage 3: its second try reads first, finds nothing to delete, and sends "
        "nothing more. Stages 5 to 9 hold because they have a new token for each hold. `detour_redisson` has one "
        "name of the owner for all holds.",
    "late_release_meets_next_hold":
        "Stages 5 to 9 have a new token for each hold, and their release compares it and deletes in one step. "
        "`detour_redisson` and `detour_thread_id` have one name for all holds of a thread. In `detour_get_del` and "
        "`detour_reentrant_unscripted` a DEL comes late, which compares nothing.",
    "loser_overwrites_deadline":
        "In `detour_timestamp_del` C does not lose: it deletes B's lock and gets in, as in `double_takeover`. So "
        "the story cannot happen there.",
    "lost_grant_answer":
        "In stages 3 to 6, A has to wait until its own lock ends. Stage 3 takes up to a second longer, because "
        "its deadline is a whole number of seconds. Stages 7 to 9 repeat the attempt with the same token, and let "
        "A in at once.",
    "reentry_shrinks_lease":
        "In all other locks an acquire has no lease of its own. `detour_reentrant_lease` would hold if a nested "
        "acquire never moved the end of the key closer; a test changes that line and checks it. (Redisson adds "
        "the new lease to the rest of the old one in its write lock, but not in its plain lock.)",
    "thread_hop":
        "Stages 7 to 9 refuse on purpose. If every thread could release a lock, every thread could release it "
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
    "npm-lockfile": "npm/lockfile",
    "redis-lock": "errorception/redis-lock",
    "redis-objects": "nateware/redis-objects",
    "redlock-php": "ronnylt/redlock-php",
    "redlock-py": "SPSCommerce/redlock-py",
    "rediscala": "etaty/rediscala",
    "single-beat": "ybrs/single-beat",
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
    "documentation on latency": f"{REDIS}/operate/oss_and_stack/management/optimization/latency/",
    "documentation on FLUSHALL": f"{REDIS}/commands/flushall/",
    "documentation on MULTI": f"{REDIS}/commands/multi/",
    "recursive mutexes in POSIX":
        "https://pubs.opengroup.org/onlinepubs/9699919799/functions/pthread_mutex_lock.html",
    "MySQL manual on GET_LOCK":
        "https://dev.mysql.com/doc/refman/8.4/en/locking-functions.html",
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


# of: the folder, "01_taking" or "bugs/owner".
Story = namedtuple("Story", "of place name title story lost_by source verbs")


@functools.cache
def stories():
    """Of all races: the chapters, then the checks."""
    told = map(story_of, race_sources().values())
    return sorted(told, key=lambda one: (one.of.startswith("bugs/"), one.of, one.place, one.name))


def story_of(path):
    head, body = re.split(r'#include "race(?:_more)?\.h"', path.read_text(), maxsplit=1)
    lines = [line[3:] if len(line) > 2 else "" for line in head.splitlines()]
    paragraphs = "\n".join(lines).split("\n\n")
    place, title = re.match(r"Race(?: \d+\.(\d+))?: (.*)\.", paragraphs[0]).groups()
    ends = re.match(r"Usually lost by: (.*)\nSource: (.*)", paragraphs[-1], re.S)
    assert ends, f"{path}: the head ends with 'Usually lost by: …' and 'Source: …'"
    lost_by, source = (" ".join(words.split()) for words in ends.groups())
    statements = re.findall(r"^    \S.*?[;:]$", body, re.M | re.S)
    verbs = "\n".join(each for each in statements if "race_" not in each).splitlines()
    return Story(str(path.parent.relative_to(ROOT / "scenarios")), int(place or 0), path.stem, title,
                 paragraphs[1:-1], lost_by, source, [line[4:] for line in verbs])


def chapter_title(folder):
    number = folder.partition("_")[0].lstrip("0")
    return f"{number} {TITLES.get(number, folder[3:].capitalize())}"


def shelf(told):
    """As the site names the folder."""
    return told.of if told.of.startswith("bugs/") else chapter_title(told.of)


# --- verdicts ----------------------------------------------------------------

@functools.cache
def table():
    """{race: {lock: verdict}}, of all locks, on whatever server."""
    found = {}
    for race, lock, verdict in read_matrix() + read_matrix("roads.txt"):
        found.setdefault(race, {})[lock] = verdict
    return found


# The detours, by the server that holds the lock.
DETOURS = {"on Redis": [lock for lock in locks() if lock.startswith("detour_")],
           "in MariaDB": [lock for lock in roads("mariadb") if lock.startswith("detour_")],
           "in ZooKeeper": [lock for lock in roads("zookeeper") if lock.startswith("detour_")]}
FEW = 3  # so many are named; of more the table says which they are


def stages(numbers):
    """"stages 0, 2 to 5"."""
    runs = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return [f"stage{'s' * (len(numbers) > 1)} {', '.join(words)}"] * bool(numbers)


def with_verdict(race, verdict):
    """Stages; roads, of a race that can happen to them; and the detours that lose it."""
    some = [lock for lock, said in table()[race].items() if said == verdict]
    parts = stages([int(lock[5:]) for lock in some if lock.startswith("stage")])
    for server, detours in DETOURS.items() if verdict == "BROKEN" else ():
        these = [lock for lock in some if lock in detours]
        count = f"all {len(these)}" if these == detours else len(these)
        parts.append(f"{count} detours {server}" if len(these) > FEW else named(these))
    parts.append(named(lock for lock in some if lock.startswith("road_") and verdict != "cannot"))
    return "; ".join(filter(None, parts))


def named(some):
    return ", ".join(f"`{lock}`" for lock in some)


def verdicts(race):
    for verdict, words in (("BROKEN", "Lost by"), ("holds", "Held by"), ("cannot", "Cannot happen to")):
        if said := with_verdict(race, verdict):
            yield f"{words} {said}."


def shown_on(race):
    """The lock whose run shows most: the first that loses the race, or the last rung that holds it. Stage 0 has no
    server, and little to show. None: the race can happen to no lock on Redis."""
    names = sorted(map(short, locks()[1:]), key=lambda name: name.startswith("detour_"))
    rungs = [name for name in names if name.startswith("stage")]
    order = [("BROKEN", names), ("holds", [*reversed(rungs), *names]), ("BROKEN", ["stage0"]), ("holds", ["stage0"])]
    return next((name for verdict, some in order for name in some if table()[race].get(name) == verdict), None)


def schedule(race, lock):
    said = replay(race, lock, "--format", "json").document["schedule"]
    assert "'" not in said
    return f"    ./scenarios/replay '{said}'"


# --- the pages ---------------------------------------------------------------

def wrapped(text, indent="", hanging=""):
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=hanging, break_long_words=False,
                         break_on_hyphens=False)


def from_here(text):
    """Its links to pages of docs/, which are written as from there."""
    return re.sub(r"\]\((\w+\.md)", r"](../\1", text)


def entry(told):
    out = [f"## {told.name}: {told.title}", *map(wrapped, told.story), "```c\n" + "\n".join(told.verbs) + "\n```"]
    lines = [f"Usually lost by {told.lost_by}", *verdicts(told.name), f"Source: {linked(told.source)}"]
    out.append("\n".join(wrapped(line, "- ", "  ") for line in lines))
    if told.name in REMARKS:
        out.append(wrapped(from_here(REMARKS[told.name])))
    lock, picture = pictures.of_race(told.name) or (shown_on(told.name), "")
    if picture:
        out.append(f"![{told.title[0].upper()}{told.title[1:]}: the run on {lock}](../pictures/{picture})")
    out += [schedule(told.name, lock)] if lock else []
    return "\n\n".join(out) + "\n"


def chapter(folder):
    some = [told for told in stories() if told.of == folder]
    number = int(folder.partition("_")[0])
    about = [wrapped(from_here(words)) for words in (CHAPTERS[number], ABOUT.get(number)) if words]
    foot = "Next: [the atlas](README.md), with all chapters and how to read an entry.\n"
    return "\n".join([f"# {chapter_title(folder)}\n", "\n\n".join(about) + "\n", *map(entry, some), foot])


def contents():
    folders = list(dict.fromkeys(told.of for told in stories() if not told.of.startswith("bugs/")))
    count = {folder: sum(told.of == folder for told in stories()) for folder in folders}
    rows = [f"| [{chapter_title(folder)}]({folder}.md) | {count[folder]} | {CHAPTERS[int(folder[:2])]} |\n"
            for folder in folders]
    return folders, "| chapter | races | |\n|---|---|---|\n" + "".join(rows)


def checks():
    rows = []
    for told in stories():
        if told.of.startswith("bugs/"):
            remark = f" ({from_here(REMARKS[told.name])})" if told.name in REMARKS else ""
            rows.append((told.of.removeprefix("bugs/"), f"`{told.name}`", told.title + remark,
                         with_verdict(told.name, "BROKEN")))
    return BUGS.format(example=rows[0][1].strip("`")) + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def losses(number):
    """What a stage wins and gives up, against the stage before it, and all that it loses, by chapter."""
    before, lock = f"stage{number - 1}", f"stage{number}"
    step = {"Wins": ("BROKEN", "holds"), "Gives up": ("holds", "BROKEN")}
    out = [f"## Stage {number}"]
    for word, verdicts_of_both in step.items():
        some = [told.name for told in stories()
                if (table()[told.name][before], table()[told.name][lock]) == verdicts_of_both]
        out.append(wrapped(f"{word}: {named(some) or 'nothing'}."))
    lost = {}
    for told in stories():
        if table()[told.name][lock] == "BROKEN":
            checked = told.of.startswith("bugs/")
            link = "[checks](bugs.md)" if checked else f"[{chapter_title(told.of)}]({told.of}.md)"
            lost.setdefault(link, []).append(told.name)
    rows = [wrapped(f"- {link}: {named(some)}", hanging="  ") for link, some in lost.items()]
    return "\n\n".join([*out, "Loses:", "\n".join(rows)]) + "\n"


def ladder():
    rungs = sum(lock.startswith("stage") for lock in locks())
    return STAGES + "\n".join(losses(number) for number in range(1, rungs))


def pages():
    """{its file: a page's text}"""
    folders, chapters = contents()
    return {FOLDER / "README.md": INTRODUCTION.format(chapters=chapters), FOLDER / "bugs.md": checks(),
            FOLDER / "stages.md": ladder(),
            **{FOLDER / f"{folder}.md": chapter(folder) for folder in folders}}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, text in pages().items():
        file.write_text(text)
