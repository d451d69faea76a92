"""The Makefile: what a goal builds, and what it says meanwhile."""

import os
import re

from lockstep import ROOT, locks, make, races


def made(output):
    """The files that a make names, [1/187] file."""
    return re.findall(r"\[ *\d+/\d+\] (\S+)", output)


def would_make(folder, *words):
    """The same of a make that only says what it would do."""
    lines = re.findall(r"^.*printf '\[%3d/%d\] %s.*$", make(folder, "-n", *words).out, re.M)
    return [re.search(r" '([^']+)'", line.split(r"\n'")[1])[1] for line in lines]


def test_a_lock_brings_the_races_and_no_other_lock(copy):
    files = would_make(copy, "stage3")
    assert [name for name in files if name.startswith("build/clients/")] == [
        "build/clients/stage3_getset"]
    programs = {name for name in files if re.fullmatch(r"scenarios/\w+", name)}
    assert programs == {f"scenarios/{name}" for name in (*races(), "matrix", "list", "replay")}
    assert not [name for name in files if "libsearch" in name or "common/lab" in name]


def test_everything_is_made_without_a_goal(copy):
    files = would_make(copy)
    for lock in locks():
        assert f"build/clients/{lock}" in files
    for program in (*races(), "matrix", "explore", "play"):
        assert f"scenarios/{program}" in files


def test_progress_counts_to_the_end(copy):
    build = make(copy, "build/clients/stage3_getset", "CFLAGS=-std=c11 -O0")
    assert build.code == 0, build
    lines = re.findall(r"^\[ *(\d+)/(\d+)\] \S+$", build.out, re.M)
    assert {int(number) for number, _ in lines} == set(range(1, len(lines) + 1)), build
    assert {int(all) for _, all in lines} == {len(lines)}
    again = make(copy, "build/clients/stage3_getset", "CFLAGS=-std=c11 -O0")
    assert made(again.out) == []


def test_goals_in_a_row_are_made_in_a_row():
    finished = make(ROOT, "-n", "clean", "stage3", "stage5")
    removed = finished.out.index("rm -rf build")
    third, fifth = (finished.out.index(f"echo {name} > build/current")
                    for name in ("stage3_getset", "stage5_token_lua"))
    assert removed < third < fifth, finished


def test_several_jobs_without_being_told():
    jobs = make(ROOT, "-n", "--print-data-base", "help").out
    assert re.search(rf"^MAKEFLAGS = .*-j{len(os.sched_getaffinity(0))}\b", jobs, re.M)
    several = make(ROOT, "-n", "--print-data-base", "help", "setup").out
    assert not re.search(r"^MAKEFLAGS = .*-j", several, re.M)


def test_the_help_is_one_screen():
    lines = make(ROOT, "-s", "help").out.splitlines()
    assert len(lines) < 24 and max(map(len, lines)) <= 80
    targets = {word for line in lines for word in re.findall(r"^make (\w+)", line)}
    assert targets >= {"stage3", "matrix", "test", "site", "exercises", "mine", "grade"}
