"""docs/adding.md, followed to the letter in a copy of the tree."""

import re

from lockstep import ROOT, run


def code_block(text, language):
    return re.search(rf"```{language}\n(.*?)```", text, re.S)[1]


def test_a_race_is_one_file_and_a_lock_is_one_file(copy):
    page = (ROOT / "docs/adding.md").read_text()
    (copy / "scenarios/forgotten_lock.c").write_text(code_block(page, "c"))
    prose = re.sub(r"```.*?```", "", page, flags=re.S)
    commands = re.findall(r"^    (.*)$", prose, re.M)
    assert commands[0] == "make && ./scenarios/forgotten_lock --all"

    built = run("make", "-j2", "all", cwd=copy, timeout=600)
    assert built.code == 0, built
    finished = run("sh", "-c", commands[0], cwd=copy, timeout=600)
    assert finished.code == 1, finished  # plain SETNX is broken
    assert "forgotten_lock on stage7_reentrant" in finished.out
    assert "Lost by a lock without a lease." in finished.out

    for command in commands[1:]:
        finished = run("sh", "-c", command, cwd=copy, timeout=600)
        assert finished.code == 0, finished
    assert "crash_holding on detour_for_ever" in finished.out
    listed = run("./scenarios/list", cwd=copy)
    assert "forgotten_lock" in listed.out and "detour_for_ever" in listed.out
