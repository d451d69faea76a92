"""Races that no lock here loses, or none for this reason, or that none holds: what
they are for, shown by a lock of ours with one line changed."""


def test_renewal_after_release(scratch):
    """A watchdog that is not stopped before the release, and makes what it does not
    find."""
    scratch.mutant("detour_extend_retakes", "    watchdog_stop(lock->watchdog);\n", "", "lock_release")
    finished = scratch.replay("renewal_after_release", "1")
    assert ("BROKEN: B cannot get in, though the lock is free and nothing is wrong."
            in finished.out), finished


def test_reentry_shrinks_lease(scratch):
    """A nested acquire that never cuts what the outer one has asked for."""
    scratch.mutant("detour_reentrant_lease", "lock->next, count, lease_ms);",
                   "lock->next, count,\n                   count > 1 ? lock->lease_ms : lease_ms);", "lock_acquire_for")
    finished = scratch.replay("reentry_shrinks_lease", "1")
    assert finished.verdict == "HOLDS", finished
    assert "OK, inside again for 1 s\n" in finished.out
    assert ", busy\n" in finished.out
