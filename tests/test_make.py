"""The Makefile: what a goal builds, and what it says meanwhile."""

import os
import re

from lockstep import ROOT, locks, make, races


def would_make(folder, *words):
    """The files and links of a make that only says what it would do."""
    said = make(folder, "-n", *words).out
    return re.findall(r"echo '  (\S+)'", said) + re.findall(r"ln -sf \S+ (\S+)", said)


def test_a_lock_brings_the_races_and_no_other_lock(copy):
    files = would_make(copy, "stage3")
    assert [name for name in files if name.startswith("build/clients/")] == [
        "build/clients/stage3_getset"]
    programs = {name for name in files if re.fullmatch(r"scenarios/\w+", name)}
    assert programs == {f"scenarios/{name}" for name in (*races(), "guest-check", "matrix", "list", "replay")}
    assert not [name for name in files if "libsearch" in name or "common/lab" in name]


def test_everything_is_made_without_a_goal(copy):
    files = would_make(copy)
    for lock in locks():
        assert f"build/clients/{lock}" in files
    for program in (*races(), "matrix", "explore", "play"):
        assert f"scenarios/{program}" in files


def test_what_is_made_is_not_made_again(copy):
    flags = "CFLAGS=-std=c11 -O0"
    build = make(copy, "build/clients/stage3_getset", flags)
    assert build.code == 0 and "\n  build/clients/stage3_getset\n" in build.out, build
    again = make(copy, "build/clients/stage3_getset", flags)
    assert not re.search(r"^  build/", again.out, re.M)


def test_a_new_race_is_in_the_program(copy):
    """Its file is enough: the program's list of races is made of them. So is it where one gets another name:
    what was compiled and linked under the old one goes."""
    shelf = ("build/stories.inc", "build/scenarios/12_zookeeper.o", "CFLAGS=-std=c11 -O0")
    made, renamed = (copy / f"scenarios/12_zookeeper/{name}.c" for name in ("made_for_this", "renamed_since"))
    links = [copy / "scenarios" / name for name in ("made_for_this", "explore")]
    assert f"scenarios/{races()[0]}" in would_make(copy, "stage3")
    made.write_text("#include \"race.h\"\nvoid made_for_this(struct race *race) { (void)race; }\n")
    assert make(copy, *shelf).code == 0
    assert "STORY(made_for_this)\n" in (copy / "build/stories.inc").read_text()
    links[0].symlink_to("../build/lockstep")
    links[1].symlink_to("../build/lab")
    made.rename(renamed)
    finished = make(copy, *shelf)
    assert finished.code == 0, finished
    listed = (copy / "build/stories.inc").read_text()
    assert "made_for_this" not in listed and "STORY(renamed_since)\n" in listed
    assert [link.is_symlink() for link in links] == [False, True]


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
