import os
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import lockstep  # noqa: E402
from world import GUEST, Scratch, left_behind  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--tap", metavar="FILE", help="write the results there, in TAP (version 13)")


# Minutes of one core each. What begins last ends last, on one core: so these begin first.
LONG = {"test_verdicts.py", "test_world.py", "test_accusations.py", "test_explore.py"}


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.name not in LONG)


class Tap:
    """The results of all tests, in the order of their names: xdist runs them in another one each
    time. (JUnit XML is pytest's own: --junitxml FILE.)"""

    def __init__(self, path):
        self.path, self.results = Path(path).absolute(), {}

    def pytest_runtest_logreport(self, report):
        """There is one for the set-up, one for the test, one for what comes after it."""
        if report.when == "call" or not report.passed:
            self.results[report.nodeid] = report.outcome

    def pytest_sessionfinish(self):
        lines = ["TAP version 13", f"1..{len(self.results)}"]
        for place, (name, outcome) in enumerate(sorted(self.results.items()), 1):
            name = name.encode("unicode_escape").decode().replace("\\", "\\\\").replace("#", "\\#")
            lines.append(f"{'not ok' if outcome == 'failed' else 'ok'} {place} - {name}"
                         f"{' # SKIP' if outcome == 'skipped' else ''}")
        self.path.write_text("\n".join(lines) + "\n")


def runs_folder():
    """A new folder. Those of suites that were killed go away."""
    build = lockstep.ROOT / "build"
    for folder in build.glob("runs-*"):
        if not Path("/proc", folder.name.partition("-")[2]).exists():
            shutil.rmtree(folder, ignore_errors=True)
    new = build / f"runs-{os.getpid()}"
    new.mkdir(parents=True)
    return new


def pytest_configure(config):
    """Where all_runs() keeps what it has run: one folder for all of xdist's workers."""
    if not hasattr(config, "workerinput"):
        os.environ["LOCKSTEP_RUNS"] = str(runs_folder())
        if config.getoption("--tap"):
            config.pluginmanager.register(Tap(config.getoption("--tap")))


def pytest_terminal_summary(terminalreporter):
    for name, packages in lockstep.ELSEWHERE.items():
        if not lockstep.has_engine(name):
            terminalreporter.write_line(f"Left out: the locks on {name}. make roads installs what "
                                        f"they need ({packages})")
    skipped = [(report, report.longrepr[2].removeprefix("Skipped: "))
               for report in terminalreporter.stats.get("skipped", [])]
    tests = Counter(reason for report, reason in skipped if report.when != "collect")
    files = {(Path(report.nodeid).name, reason) for report, reason in skipped if report.when == "collect"}
    for reason, count in sorted(tests.items()):
        terminalreporter.write_line(f"Left out: {count} {'test' if count == 1 else 'tests'}: {reason}")
    for name, reason in sorted(files):
        terminalreporter.write_line(f"Left out: all of {name}: {reason}")


def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ["LOCKSTEP_RUNS"], ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def built():
    """Tests read what is built; they do not build it."""
    missing = [lock for lock in lockstep.locks()
               if not (lockstep.ROOT / "build/clients" / lock).exists()]
    missing += [race for race in lockstep.races() if not (lockstep.SCENARIOS / race).exists()]
    if missing:
        pytest.exit(f"not built: {', '.join(missing)}; run make test", 2)


@pytest.fixture
def temporary(monkeypatch):
    """A TMPDIR of the test's own, short enough for Unix sockets. At the end nothing is left in it,
    and no process that belongs to it."""
    folder = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    left = left_behind(folder), list(folder.iterdir())
    shutil.rmtree(folder)
    assert left == ([], [])


@pytest.fixture
def scratch(tmp_path):
    return Scratch(tmp_path / "top")


@pytest.fixture
def guest(tmp_path):
    """A command for --client: `script` defines answer(word)."""
    def make(script):
        path = tmp_path / "guest.py"
        path.write_text(script + GUEST)
        return f"{sys.executable} {path}"

    return make


@pytest.fixture
def copy(tmp_path):
    """A copy of the tree in which nothing is built."""
    lockstep.copy_tree(tmp_path, "build")
    for program in (tmp_path / "scenarios").iterdir():
        if program.is_symlink():
            program.unlink()
    yield tmp_path
    shutil.rmtree(tmp_path)


@pytest.fixture
def built_copy(tmp_path):
    """A copy of the tree and of all that is built in it."""
    lockstep.copy_tree(tmp_path)
    yield tmp_path
    shutil.rmtree(tmp_path)
