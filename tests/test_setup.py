"""common/setup.sh: what it says when something is missing. Nothing is installed
here; what a machine does not have is left out of the PATH."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from lockstep import ROOT, run

SETUP = ROOT / "common/setup.sh"
TOOLS = ["cat", "dirname", "id", "sed", "tr"]  # what the script itself calls
NOBODY = 65534


@pytest.fixture
def machine():
    """Runs the script where only the named programs are, as root or as nobody."""
    folder = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))
    folder.chmod(0o755)

    def setup(*words, programs=("cc", "redis-server"), nobody=False, **variables):
        for name in (*TOOLS, *programs):
            real = shutil.which(name)
            assert real, f"{name} is not here"
            if not (folder / name).exists():
                (folder / name).symlink_to(real)
        own = {name: value for name, value in os.environ.items()
               if name not in ("CC", "REDIS_SERVER")}
        # By its text, as nobody may not be allowed to read where it stands.
        return subprocess.run(["/bin/sh", "-c", SETUP.read_text(), "setup.sh", *words],
                              env={**own, "PATH": str(folder), **variables},
                              cwd="/", stdin=subprocess.DEVNULL, text=True, capture_output=True,
                              user=NOBODY if nobody and os.getuid() == 0 else None, timeout=1200)

    yield setup
    shutil.rmtree(folder)


def told(finished, packages):
    """It failed, and named one line to run."""
    assert finished.returncode == 1, finished
    assert finished.stdout == ""
    assert finished.stderr.startswith(f"Missing here: {packages}\n")
    assert f"\n    apt-get install -y {packages}\n" in finished.stderr
    return True


def test_where_everything_is_there_it_is_silent():
    finished = run(SETUP, "install")
    assert (finished.code, finished.out, finished.err) == (0, "", "")


@pytest.mark.parametrize("programs, variables, packages", [
    (["cc"], {}, "redis-server"),
    (["cc"], {"REDIS_SERVER": "valkey-server"}, "valkey-server"),
    (["cc", "redis-server"], {"CC": "cc -nostdinc"}, "libc6-dev libhiredis-dev libjansson-dev"),
    (["cc", "redis-server"], {"CC": "no-such-compiler -m64"}, "no-such-compiler"),
    (["cc"], {"CC": "cc -nostdinc"}, "libc6-dev libhiredis-dev libjansson-dev redis-server"),
], ids=["server", "another server", "headers", "compiler", "all"])
def test_without_apt_it_says_what_is_missing(machine, programs, variables, packages):
    assert told(machine("install", programs=programs, **variables), packages)


def test_without_a_compiler_it_asks_for_one(machine):
    finished = machine("install", programs=["redis-server"])
    assert finished.returncode == 1
    assert finished.stderr.startswith("Missing here: gcc ")


def test_somebody_s_own_server_is_left_to_the_run(machine):
    finished = machine("install", programs=["cc"], REDIS_SERVER="/opt/redis/redis-server")
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")


def test_what_the_tests_need_is_asked_for_only_with_them(machine):
    assert machine("install").returncode == 0
    assert told(machine("install", "node"), "nodejs npm")
    assert told(machine("install", "clang"), "clang")
    assert told(machine("install", "models"), "spin")
    assert told(machine("install", "bubblewrap"), "bubblewrap")
    finished = machine("install", "browser")  # Python's modules are also looked for in /usr/bin
    assert finished.returncode == 1 and finished.stderr.startswith("Missing here: chromium chromium-driver"), finished


@pytest.mark.skipif(not shutil.which("apt-get"), reason="there is no apt-get")
def test_without_root_and_without_sudo_it_says_what_to_run(machine):
    assert told(machine("install", programs=["cc", "apt-get"], nobody=True), "redis-server")


def test_a_python_with_pytest():
    python = run(SETUP, "python").out.strip()
    assert run(python, "-c", "import pytest").code == 0


def test_the_first_python_with_pytest_is_taken(machine, tmp_path):
    """The tests' own, if it is the first; an empty one is passed over."""
    first = tmp_path / "python3"
    first.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    first.chmod(0o755)
    assert machine("python", PATH=f"{tmp_path}:{os.defpath}").stdout == "python3\n"
    first.write_text("#!/bin/sh\nexit 1\n")
    said = machine("python", PATH=f"{tmp_path}:{os.defpath}").stdout
    assert said in ("/usr/bin/python3\n", "")


def test_what_the_tests_leave_out_is_said(tmp_path):
    """A line for each reason: a test that is missing is not one that passed."""
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "def test_a(): pytest.skip('there is no javac here')\n"
        "@pytest.mark.skipif(True, reason='there is no javac here')\n"
        "def test_b(): pass\n"
        "@pytest.mark.skipif(True, reason='no npm')\n"
        "def test_c(): pass\n"
        "def test_d(): pass\n")
    (tmp_path / "test_all.py").write_text("import pytest\npytest.importorskip('no_such_module', reason='no module')\n")
    said = run(sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", tmp_path,
               cwd=ROOT / "tests", env={"PYTHONPATH": str(ROOT / "tests")})
    assert said.code == 0, said
    left_out = [line for line in said.out.splitlines() if re.match("Left out: ([0-9]+ tests?|all of)", line)]
    assert left_out == ["Left out: 1 test: no npm", "Left out: 2 tests: there is no javac here",
                        "Left out: all of test_all.py: no module"]


def test_wrong_use():
    finished = run(SETUP, "instal")
    assert finished.code == 2
    assert finished.err.startswith("usage: ")
