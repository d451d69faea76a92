"""The runs of the races: what ./scenarios/RACE --format json --drawn prints."""

import json

from tree import ELSEWHERE, has_engine, locks, roads
from programs import Refused, ask

# A server has to be installed, and its locks to be built (make roads).
LEFT_OUT = [engine for engine in ELSEWHERE if not has_engine(engine)]
BUILT = {engine: roads(engine) for engine in ELSEWHERE if engine not in LEFT_OUT}

# So many races share a server that is slow to start: few starts, and work for all cores to the end.
LONGEST_CHAIN = 16


def shown_locks():
    return [*locks(), *(lock for on_engine in BUILT.values() for lock in on_engine)]


def documents(text):
    """The JSON documents that stand one after the other."""
    decoder, at, found = json.JSONDecoder(), 0, []
    while (at := text.find("{", at)) >= 0:
        document, at = decoder.raw_decode(text, at)
        found.append(document)
    return found


def play(chain, on_locks):
    """The runs of these races, one after the other in one process (common/race/chain.h)."""
    named = [word for lock in on_locks for word in ("--stage", lock)]
    found = documents(ask(chain[0], *named, "--format", "json", "--drawn",
                          env={"LOCKSTEP_CHAIN": " ".join(["0", *chain[1:]])} if chain[1:] else {}))
    if [(one["race"], one["lock"]) for one in found] != [(race, lock) for race in chain for lock in on_locks]:
        raise Refused(f"{chain[0]} and the races after it have not told all of their runs")
    return found


def all_of(wanted, pool):
    """(race, its runs on all locks), one race after the other. A race runs its locks one after
    the other, so races are run side by side."""
    chains = [wanted[at:at + LONGEST_CHAIN] for at in range(0, len(wanted), LONGEST_CHAIN)]
    elsewhere = [pool.submit(play, chain, on_locks) for on_locks in BUILT.values() for chain in chains]
    here = [pool.submit(play, [race], locks()) for race in wanted]
    try:
        others = {race: [] for race in wanted}
        for job in elsewhere:
            for document in job.result():
                others[document["race"]].append(document)
        for race, job in zip(wanted, here, strict=True):
            yield race, [*job.result(), *others.pop(race)]
    finally:  # the first that fails ends it
        for job in [*elsewhere, *here]:
            job.cancel()
