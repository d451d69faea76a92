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


def copy_tree(top, *left_out):
    """Times are kept: what is built in a copy is as new as here."""
    for name in ("Makefile", "common", "scenarios", "stages", "tests", "build"):
        source = lockstep.ROOT / name
        if name in left_out:
            continue
        if source.is_dir():
            shutil.copytree(source, top / name, symlinks=True, ignore=shutil.ignore_patterns(
                *(["mutants", "exercises", "crash"] if name == "build" else []), "my_*",
                "__pycache__", ".pytest_cache"))
        else:
            shutil.copy2(source, top)


@pytest.fixture
def copy(tmp_path):
    """A copy of the tree in which nothing is built."""
    copy_tree(tmp_path, "build")
    for program in (tmp_path / "scenarios").iterdir():
        if program.suffix != ".c":
            program.unlink()
    yield tmp_path
    shutil.rmtree(tmp_path)


@pytest.fixture
def built_copy(tmp_path):
    """A copy of the tree and of all that is built in it."""
    copy_tree(tmp_path)
    yield tmp_path
    shutil.rmtree(tmp_path)
