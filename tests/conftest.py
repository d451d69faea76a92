import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import lockstep  # noqa: E402


def pytest_configure(config):
    """Where all_runs() keeps what it has run: one folder for all of xdist's workers."""
    if not hasattr(config, "workerinput"):
        os.environ["LOCKSTEP_RUNS"] = tempfile.mkdtemp(prefix="lockstep-runs-")


def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ["LOCKSTEP_RUNS"], ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def built():
    """Tests read what is built; they do not build it."""
    missing = [lock for lock in lockstep.locks()
               if not (lockstep.ROOT / "build/clients" / lock).exists()]
    missing += [race for race in lockstep.races()
                if not (lockstep.ROOT / "scenarios" / race).exists()]
    if missing:
        pytest.exit(f"not built: {', '.join(missing)}; run make test", 2)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A TMPDIR of the test's own, short enough for Unix sockets, which must be
    empty at the end."""
    import tempfile
    folder = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def scratch(tmp_path):
    from world import Scratch
    return Scratch(tmp_path / "top")


@pytest.fixture
def guest(tmp_path):
    """A command for --client: `script` defines answer(word)."""
    from world import GUEST

    def make(script):
        path = tmp_path / "guest.py"
        path.write_text(script + GUEST)
        return f"{sys.executable} {path}"

    return make


@pytest.fixture
def copy(tmp_path):
    """A copy of the tree in which nothing is built."""
    made = shutil.ignore_patterns("build", ".git", "__pycache__", ".pytest_cache")
    for name in ("Makefile", "common", "scenarios", "stages", "tests"):
        source = lockstep.ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=made)
        else:
            shutil.copy(source, tmp_path)
    for program in (tmp_path / "scenarios").iterdir():
        if program.suffix != ".c":
            program.unlink()
    yield tmp_path
    shutil.rmtree(tmp_path)
