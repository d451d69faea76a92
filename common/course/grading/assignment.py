"""What an instructor asks for, in a file (TOML), and what a student hands in.

    title = "Lab 2"

    [[task]]                        # a lock that was repaired (docs/exercises.md)
    exercise = "one_badge"
    points = 10

    [[task]]                        # a lock, and races with their weights
    name = "ladder"
    points = 20
    [task.races]
    expired_delete = 2

docs/instructors.md explains every word. A file that says something else is refused in one
line, which names the word."""

import os
import re
import stat
import tomllib
from pathlib import Path

import exercises
from tree import ROOT, lock_source, locks, races, short

MOST_BYTES = 256 * 1024  # of one lock.c
LIMITS = {"compile_s": 20, "run_s": 120, "cpu_s": 5, "memory_mb": 1024, "processes": 128, "file_mb": 64}
# What a search looks for (docs/judge.md).
PROMISES = ["exclusion", "recovery", "entry", "loser", "foreign", "count", "kept", "told", "bounded",
            "wakeup"]
Refused = exercises.Refused


class Task:
    """One lock that is handed in, and what it is worth.

    turn, hidden: {race: weight}; rest: races that count together; search: None or
    {bounds, properties, positions, weight}; goal: {race: verdict} of the lock that it is
    compared with; similar: from how many percent on two are named, 0: never."""

    def __init__(self, data, where):
        self.where = where
        take = data.pop
        self.exercise = exercises.find(take("exercise")) if "exercise" in data else None
        self.name = self._text(take("name", self.exercise.name if self.exercise else "lock"))
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,40}", self.name):
            self._refuse("name", "small letters, digits and _, such as ladder")
        self.file = self._text(take("file", f"{self.name}.c"))
        self.points = self._number("points", take("points", None))
        self.local = take("local", False) is True
        goal = take("goal", self.exercise.goal if self.exercise else None)
        self.goal = exercises.column(self._lock(goal)) if goal else {}
        head = lock_source(self.exercise.start if self.exercise else "-")
        masters = re.search(r"^// Masters: (\d)", head.read_text() if head.exists() else "", re.M)
        self.masters = take("masters", int(masters[1]) if masters else 1)
        if self.masters not in range(1, 10):
            self._refuse("masters", "a number from 1 to 9")
        self.races = self._weights("races", take("races", {}))
        self.hidden = self._weights("hidden", take("hidden", {}))
        self.search = self._search(take("search", None))
        self.similar = self._number("similar", take("similar", 0), 0, 100)
        self.rest, self.rest_points = self._rest(data)
        for word in data:
            self._refuse(word, "exercise, name, file, points, rest_points, must_not_turn, goal, "
                         "local, masters, races, hidden, search or similar")
        if not self.weights and not self.search:
            raise Refused(f"{where}: nothing is asked for: exercise = …, or [task.races]")
        lost = [race for race in (*self.weights, *self.rest) if self.goal.get(race) == "BROKEN"]
        if lost:
            raise Refused(f"{where}: {goal} itself does not hold {lost[0]}")

    def _refuse(self, word, right):
        raise Refused(f"{self.where}: {word} is {right}")

    def _text(self, value):
        if not isinstance(value, str) or not value or "/" in value or value.startswith("."):
            self._refuse("name or file", "a word without a folder, such as lock.c")
        return value

    def _number(self, word, value, least=0, most=10000):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
            self._refuse(word, f"a number from {least} to {most}")
        return value

    def _lock(self, value):
        named = [lock for lock in locks() if value in (lock, short(lock))]
        if not named:
            self._refuse("goal", f"a lock of this repository, such as stage5, not '{value}'")
        return named[0]

    def _races(self, word, some):
        for race in some:
            if race not in races():
                self._refuse(word, f"made of races, and '{race}' is none: ./scenarios/list shows them")
        return some

    def _weights(self, word, table):
        if not isinstance(table, dict):
            self._refuse(word, "a table: [task.races], and a line RACE = WEIGHT for each")
        return {race: self._number(f"the weight of {race}", weight)
                for race, weight in self._races(word, table).items()}

    def _search(self, said):
        exercise = self.exercise
        if said is None and exercise and exercise.property:
            said = {"bounds": exercise.bounds, "properties": [exercise.property],
                    "positions": exercises.mutants.POSITIONS}
        if said is None:
            return None
        search = {"bounds": "", "properties": ["exclusion"], "positions": 20000, "weight": 1} | said
        for name in search["properties"]:
            if name not in PROMISES:
                raise Refused(f"{self.where}: there is no promise '{name}': {' '.join(PROMISES)}")
        self._number("the weight of the search", search["weight"])
        self._number("positions", search["positions"], 1, 10 ** 7)
        if len(search) > 4 or not isinstance(search["bounds"], str):
            self._refuse("search", "made of bounds, properties, positions and weight")
        return search

    def _rest(self, data):
        """What must not turn, and the points for it."""
        named = data.pop("must_not_turn", None)
        if not self.exercise:
            if named is not None or "rest_points" in data:
                self._refuse("must_not_turn", "for an exercise; name the races in [task.races]")
            return [], 0
        turn = self.exercise.turn
        self.races = {race: 1 for race in turn} | self.races
        able = [race for race in races() if race not in self.weights and self.goal[race] != "BROKEN"]
        some = able if named is None else [
            race for race in self._races("must_not_turn", named) if race not in self.weights]
        points = self._number("rest_points", data.pop("rest_points", round(self.points * 0.4, 2)))
        if points > self.points:
            self._refuse("rest_points", f"a part of the {self.points} points")
        return some, points if some else 0

    @property
    def weights(self):
        return self.races | self.hidden

    @property
    def lock(self):
        """As a student's own copy is called (make exercise)."""
        return f"my_{self.name}"


class Assignment:
    """key: what a result depends on, beside the submission."""

    def __init__(self, data, where):
        programs = [ROOT / "scenarios/matrix", ROOT / "scenarios/explore", ROOT / "build/liblock.a",
                    *sorted(Path(__file__).parent.glob("*.py"))]
        self.key = repr([data, [(path.name, path.stat().st_mtime_ns) for path in programs]])
        self.title = data.pop("title", "")
        self.may_use = data.pop("may_use", [])
        self.limits = LIMITS | data.pop("limits", {})
        if set(self.limits) != set(LIMITS):
            raise Refused(f"{where}: limits are {', '.join(LIMITS)}")
        tasks = data.pop("task", [])
        if data or not isinstance(tasks, list) or not tasks:
            raise Refused(f"{where}: an assignment is made of title, limits, may_use and [[task]], "
                          f"{f'not of {next(iter(data))}' if data else 'and this has no task'}")
        self.tasks = [Task(task, f"{where}, task {number}") for number, task in enumerate(tasks, 1)]
        names = [task.name for task in self.tasks]
        if len(set(names)) < len(names):
            raise Refused(f"{where}: two tasks have the same name")
        self.points = sum(task.points for task in self.tasks)


def read(path):
    try:
        return Assignment(tomllib.loads(path.read_text()), str(path))
    except (TypeError, ValueError, AttributeError) as error:
        if isinstance(error, (tomllib.TOMLDecodeError, UnicodeDecodeError)):
            raise Refused(f"{path} is no TOML: {error}") from error
        raise Refused(f"{path}: a value is of another kind than it should be: {error}") from error
    except OSError as error:
        raise Refused(f"cannot read {path}: {error.strerror}") from error


def of_exercise(name):
    return Assignment({"task": [{"exercise": name, "points": 10}]}, f"EX={name}")


# --- what is handed in -------------------------------------------------------

class Missing(Exception):
    """Why there is no lock to look at, in words for the student."""


def read_lock(parts):
    """The text of a student's file. No link is followed on the way, and nothing but a file of
    a bearable size is read: a link could lead to another student's work."""
    top, *rest = parts
    folder = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for name in rest[:-1]:
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        about = os.stat(rest[-1], dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISREG(about.st_mode):
            raise Missing(f"{rest[-1]} is no file")
        if about.st_size > MOST_BYTES:
            raise Missing(f"{rest[-1]} has more than {MOST_BYTES // 1024} KB")
        with open(os.open(rest[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK,
                          dir_fd=folder), "rb") as file:
            return file.read(MOST_BYTES)
    finally:
        os.close(folder)


class Submission:
    """A student's file, or a folder with a file for each task."""

    def __init__(self, path):
        self.folder, self.entry = path.parent, path.name
        self.is_folder = path.is_dir() and not path.is_symlink()
        self.student = self.entry if self.is_folder else re.sub(r"\.c$", "", self.entry)

    def lock_of(self, task, alone):
        """Missing: there is none. `alone`: the task is the only one."""
        if not self.is_folder:
            if not alone:
                raise Missing("one file, where a folder with a file for each task is expected")
            ways = [[self.entry]]
        else:
            ways = [[task.file], [f"my_{task.name}", "lock.c"], [task.name, "lock.c"],
                    ["stages", f"my_{task.name}", "lock.c"]] + ([["lock.c"]] if alone else [])
            ways = [[self.entry, *way] for way in ways]
        for way in ways:
            try:
                return read_lock([self.folder, *way])
            except FileNotFoundError:
                continue
            except OSError as error:  # a link, or not to be read
                raise Missing(f"{way[-1]} cannot be read: {error.strerror}") from error
        raise Missing(f"{task.file} is missing")


def submissions(folder):
    """One for each file that ends with .c and each folder, in order."""
    if not folder.is_dir():
        raise Refused(f"{folder} is no folder: SUBMISSIONS names one with a file or a folder for "
                      "each student")
    found = [Submission(path) for path in sorted(folder.iterdir())
             if not path.name.startswith(".") and (path.suffix == ".c" or path.is_dir())]
    if not found:
        raise Refused(f"{folder} has no file NAME.c and no folder: one for each student")
    names = [each.student for each in found]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise Refused(f"{folder} has both {twice[0]}.c and a folder {twice[0]}: which is it?")
    return found
