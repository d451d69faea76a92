"""The runs of the races: what ./scenarios/RACE --format json --drawn prints. A server of another
engine takes long to start, so there the table is asked for several races at once."""

import json
import tempfile
from pathlib import Path

from tree import ELSEWHERE, has_engine, locks, roads
from programs import Refused, ask

# A server has to be installed, and its locks to be built (make roads).
LEFT_OUT = [engine for engine in ELSEWHERE if not has_engine(engine)]
BUILT = {engine: roads(engine) for engine in ELSEWHERE if engine not in LEFT_OUT}


def shown_locks():
    return [*locks(), *(lock for on_engine in BUILT.values() for lock in on_engine)]


def documents(text):
    """The JSON documents that stand one after the other."""
    decoder, at, found = json.JSONDecoder(), 0, []
    while (at := text.find("{", at)) >= 0:
        document, at = decoder.raw_decode(text, at)
        found.append(document)
    return found


def play(race, on_locks):
    """The runs of this race, one after the other in one process and on one server."""
    named = [word for lock in on_locks for word in ("--stage", lock)]
    found = documents(ask(race, *named, "--format", "json", "--drawn"))
    if [one["lock"] for one in found] != on_locks:
        raise Refused(f"{race} has not told all of its runs")
    return found


AT_ONCE = 16  # races


def play_several(some, on_locks):
    """{race: its runs on these locks}"""
    named = [word for lock in on_locks for word in ("--stage", lock)]
    with tempfile.TemporaryDirectory() as folder:
        ask("matrix", *named, "--documents", folder, *some)
        return {race: [json.loads(Path(folder, f"{race}.{lock}.json").read_text()) for lock in on_locks]
                for race in some}


def all_of(wanted, pool):
    """(race, its runs on all locks), one race after the other. A race runs its locks one after
    the other, so races are run side by side."""
    jobs = {race: pool.submit(play, race, locks()) for race in wanted}
    parts = [wanted[at:at + AT_ONCE] for at in range(0, len(wanted), AT_ONCE)]
    elsewhere = [{race: job for part in parts for job in [pool.submit(play_several, part, on_locks)] for race in part}
                 for on_locks in BUILT.values()]
    try:
        for race in wanted:
            yield race, [*jobs[race].result(), *(run for job in elsewhere for run in job[race].result()[race])]
    finally:  # the first that fails ends it
        for job in (*jobs.values(), *(job for some in elsewhere for job in some.values())):
            job.cancel()
