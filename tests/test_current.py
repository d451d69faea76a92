"""A scenario without --stage runs on the lock last made."""

import shutil

import pytest

from lockstep import ROOT, of_other_tests, run


@pytest.fixture(scope="module")
def built_copy(tmp_path_factory):
    """A copy of the tree as it is built: making a lock again costs nothing."""
    top = tmp_path_factory.mktemp("built") / "lockstep"
    shutil.copytree(ROOT, top, symlinks=True, ignore=of_other_tests)
    (top / "build/current").unlink(missing_ok=True)
    yield top
    shutil.rmtree(top)


def runs_on(top):
    finished = run(top / "scenarios/two_processes")
    return finished.out.split()[2] if finished.out else finished.err


def test_the_lock_last_made_is_the_current_one(built_copy):
    for target, lock in [("stage3", "stage3_getset"), ("stage5", "stage5_token_lua"),
                         ("stage4_set_nx_ex", "stage4_set_nx_ex"),
                         ("detour_get_del", "detour_get_del"), ("stage3", "stage3_getset")]:
        made = run("make", target, cwd=built_copy, timeout=1200)
        assert made.code == 0, made
        assert runs_on(built_copy) == lock
    # Building is not making one.
    assert run("make", cwd=built_copy, timeout=1200).code == 0
    assert runs_on(built_copy) == "stage3_getset"
    # From any folder, and only where nothing is named.
    assert run(built_copy / "scenarios/two_processes", cwd="/").out.split()[2] == "stage3_getset"
    named = run(built_copy / "scenarios/two_processes", "--stage", "7")
    assert named.out.split()[2] == "stage7_reentrant"


def test_a_lock_that_is_gone_is_not_the_current_one(built_copy):
    (built_copy / "build/current").write_text("stage3_gone\n")
    assert "there is no lock 'stage3_gone'" in runs_on(built_copy)
    (built_copy / "build/current").write_text("")
    assert "which lock? make one (make stage3), or name one (--stage 3)" in runs_on(built_copy)
