"""Races that no lock here loses, or none for this reason: what they are for, shown
by a lock of ours with one line taken out."""


def test_renewal_after_release(scratch):
    """A watchdog that is not stopped before the release, and makes what it does not
    find."""
    scratch.mutant("detour_extend_retakes", "    watchdog_stop(lock);\n", "", "lock_release")
    finished = scratch.replay("renewal_after_release", "1")
    assert "BROKEN: B cannot get in though A has released." in finished.out, finished
