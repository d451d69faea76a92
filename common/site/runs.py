"""The runs of the races: what ./scenarios/RACE --format json --drawn prints."""

import json

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


def all_of(wanted, pool):
    """(race, its runs on all locks), one race after the other. A race runs its locks one after
    the other, so races are run side by side."""
    jobs = [[pool.submit(play, race, on_locks) for on_locks in (locks(), *BUILT.values())] for race in wanted]
    try:
        for race, some in zip(wanted, jobs, strict=True):
            yield race, [document for job in some for document in job.result()]
    finally:  # the first that fails ends it
        for job in (job for some in jobs for job in some):
            job.cancel()
