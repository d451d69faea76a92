"""docs/ci.md, and the files to copy: what they say is run, with a guest and a short table."""

import re
import subprocess
import sys

import pytest

from lockstep import MATRIX, ROOT, run
from test_guest_check import SOUND

WORKFLOW = (ROOT / "common/libraries/ci/github.yml").read_text()
CONTAINER = (ROOT / "common/libraries/ci/Containerfile").read_text()
PAGE = (ROOT / "docs/ci.md").read_text()
RACES = ["two_processes", "expired_delete", "late_grant", "restart_empty"]


@pytest.fixture(scope="module")
def locks(tmp_path_factory):
    """The folder in which somebody has a guest and its table."""
    folder = tmp_path_factory.mktemp("somebody") / "locks"
    folder.mkdir()
    (folder / "guest.py").write_text(SOUND)
    made = run(MATRIX, "--virtual", "--format", "tsv", "--client", f"{sys.executable} {folder}/guest.py", *RACES)
    assert made.code == 0, made
    (folder / "expected.tsv").write_text(made.out)
    return folder


def done(command, locks, turned=False):
    """In Lockstep's folder, which is not beside `locks` here."""
    guest = f"{sys.executable} {locks}/guest.py"
    table = locks / "turned.tsv" if turned else locks / "expected.tsv"
    command = re.sub(r"(\.\.)?/locks/expected\.tsv", str(table), command)
    command = re.sub(r"python3 (\.\.)?/locks/guest\.py", guest, command)
    return subprocess.run(command, shell=True, cwd=ROOT, text=True, capture_output=True,
                          env={"PATH": "/usr/bin:/bin", "GUEST": guest}, check=False)


def test_the_workflow(locks):
    check, compare = (command for command in re.findall(r"- run: (\./.*)", WORKFLOW))
    finished = done(check, locks)
    assert finished.returncode == 0 and "0 of 13 checks found a fault" in finished.stdout, finished
    rows = set()
    for part in re.search(r"part: \[(.*)\]", WORKFLOW)[1].split(", "):
        finished = done(compare.replace("${{ matrix.part }}", part), locks)
        assert (finished.returncode, finished.stderr.split()[0]) == (0, "1"), finished
        rows |= {race for race in RACES if f"\n{race} " in finished.stdout}
    assert rows == set(RACES)


@pytest.mark.parametrize("text", [PAGE, CONTAINER], ids=["the page", "the container"])
def test_a_cell_that_turns_fails_the_job(text, locks):
    """Also one that turns for the better."""
    command = re.search(r"(\./scenarios/matrix --virtual .*--expect \S+)", text.replace("\\\n", ""))[1]
    finished = done(command, locks)
    assert (finished.returncode, finished.stderr.split(" as ")[0]) == (0, "4 of 4 cells are"), finished
    (locks / "turned.tsv").write_text((locks / "expected.tsv").read_text().replace(
        "expired_delete\tholds", "expired_delete\tbroken exclusion"))
    finished = done(command, locks, turned=True)
    assert finished.returncode == 1, finished
    assert finished.stderr.startswith("expired_delete on client: holds; expected: broken exclusion\n3 of 4 cells"), finished


def test_the_page_says_what_its_guests_are_like():
    rows = re.findall(r"`(common/libraries/\S+)` and .*\| (\d+) \|", PAGE)
    assert len(rows) == 3 and all(len((ROOT / path).read_text().splitlines()) == int(lines) for path, lines in rows)


def test_a_guests_table_says_how_a_run_is_shown(locks):
    guest = f"{sys.executable} {locks}/guest.py"
    told = run(MATRIX, "--virtual", "--client", guest, "restart_empty").out
    assert "\nBROKEN  it did not: ./scenarios/RACE with the same --client shows how\n" in told, told
