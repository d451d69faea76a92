"""A copy of this repository for a class: what students need, without solutions, hidden races and tests.

    python3 common/course/handout.py FOLDER [ASSIGNMENT...]
    make handout DIR=FOLDER ASSIGNMENT=docs/assignments/repair.toml

With assignments, FOLDER has their exercises, and none of their hidden races. Without one it has all
exercises, and none of the hidden races of docs/assignments. A hidden race that such an exercise
names is no secret, and stays.

The starters stand there as text, because a starter.diff shows the repair, too. These are left out:

    solutions    common/course/exercises, and each lock and page in which the lines of a repair stand;
                 of an assignment that asks for a lock, each lock that would win all its races;
                 each page that makes such a lock
    grading      the grader, the assignments, the mutants, and docs/instructors.md
    the project  its tests, its site, its published libraries

A list of what is left out was chosen, and not a branch of this repository: a branch grows old."""

import difflib
import re
import shutil
import sys
from pathlib import Path

import exercises
from grading import assignment as assignments
from tree import ROOT, lock_code, lock_source, lock_sources, locks, race_source, read_matrix, short

Refused = exercises.Refused

TAKEN = ["Makefile", ".gitignore", "common", "docs", "scenarios", "stages"]
LEFT_OUT = """
    common/course/exercises common/course/mutants common/course/mutants.txt common/course/grading
    common/course/grade.py common/course/handout.py common/course/atlas.py common/course/pictures.py
    common/course/samples.py common/libraries common/site
    docs/assignments docs/instructors.md docs/mutants.md docs/adding.md docs/contributing.md docs/site.md
""".split()
PAGES = ["start", "trace", "stage0", "judge", "predict", "exercises", "explore", "play", "world"]


# --- what gives a solution away ----------------------------------------------

def squeezed(text):
    return " ".join(text.split())


class Repair:
    """The lines that an exercise's solution adds to its starter, and that are new there; or, if it
    only moves or removes lines, what stands around them then."""

    def __init__(self, exercise):
        self.goal = exercise.goal
        old, new = (exercises.HEAD.sub("", text, count=1).splitlines()
                    for text in (exercise.starter(), lock_code(exercise.goal)))
        changes = list(difflib.unified_diff(old, new, lineterm=""))[2:]
        code = re.compile(r"\+\s*(?!//)\S")
        self.added = [squeezed(line[1:]) for line in changes
                      if code.match(line) and squeezed(line[1:]) not in squeezed("\n".join(old))]
        after = "\n".join(line[:2] if line[:2] == "@@" else line[1:] for line in changes if line[0] != "-")
        self.around = [] if self.added else [squeezed(hunk) for hunk in after.split("@@\n")[1:]]

    def is_told(self, text):
        text = squeezed(text)
        return all(part in text for part in self.added or self.around)


class Handout:
    """exercises: those that are in it; hidden: races that are not; solved: locks that are not."""

    def __init__(self, paths):
        tasks = [task for path in paths or sorted(ROOT.glob("docs/assignments/*.toml"))
                 for task in assignments.read(path).tasks]
        asked = {task.exercise.name for task in tasks if task.exercise}
        self.exercises = [each for each in exercises.exercises() if not paths or each.name in asked]
        turn = {race for each in self.exercises for race in each.turn}
        self.hidden = {race for task in tasks for race in task.hidden} - turn
        self.repairs = [Repair(each) for each in self.exercises]
        free = [task for task in tasks if not task.exercise] if paths else []
        self.solved = {lock for lock in lock_sources()
                       if any(lock == repair.goal or repair.is_told(lock_code(lock))
                              for repair in self.repairs)
                       or any(wins(lock, task) for task in free)}

    def is_left_out(self, path):
        """Of a file or folder, by its path in this tree."""
        name = path.name
        return (str(path) in LEFT_OUT or name == "__pycache__" or name.startswith("my_")
                or (name == "starter.diff" and path.parts[:2] == ("docs", "exercises"))
                or path.parent == Path("docs/exercises") and (ROOT / path).is_dir()
                and name not in [each.name for each in self.exercises]
                or path.parent == Path("scenarios") and (ROOT / path).is_symlink()
                or path in [lock_source(lock, Path()).parent for lock in self.solved]
                or path in [race_source(race).relative_to(ROOT) for race in self.hidden])

    def tells(self, text):
        return any(repair.is_told(text) for repair in self.repairs)

    def makes_what_is_left_out(self, text):
        """A page with a command that would fail here, as `make stage4`."""
        made = set(re.findall(r"^    make (\w+)", text, re.M))
        return any(short(lock) in made or lock in made for lock in self.solved)


def wins(lock, task):
    """Would this lock of the ladder or the like have all the points for its races?"""
    verdicts = {race: verdict for race, name, verdict in read_matrix() if name == short(lock)}
    return all(verdicts.get(race) == "holds" for race in task.weights)


# --- its pages ---------------------------------------------------------------

def without_hidden(text, hidden):
    """A page without each row or paragraph that names such a race."""
    names = re.compile(rf"\b({'|'.join(sorted(hidden))})\b")
    if not hidden or not names.search(text):
        return text
    kept = []
    for block in re.split(r"(?<=\n)\n+", text):
        lines = block.splitlines(True)
        if names.search(block):
            lines = [line for line in lines if line.startswith("|") and not names.search(line)]
        kept += ["".join(lines)] * bool(lines)
    return "\n".join(kept)


def without_broken_links(page, top):
    """A page in which a link to what is not there becomes its text, and a row of the list of
    exercises goes with its exercise. (The README is another one here, without sections.)"""
    def linked(found):
        target, _, section = found[2].partition("#")
        there = not target or "://" in target or (
            (page.parent / target).exists() and not (section and Path(target).name == "README.md"))
        return found[0] if there else found[1]

    lines = page.read_text().splitlines(True)
    rows = re.compile(r"\| \d \| .*\]\(exercises/(\w+)/")
    lines = [line for line in lines if not rows.match(line)
             or (top / "docs/exercises" / rows.match(line)[1]).exists()]
    page.write_text(re.sub(r"(?<!!)\[([^\]\n]*(?:\n[^\]\n]+)?)\]\(([^)\s]+)\)", linked, "".join(lines)))


def readme(handout, top):
    some = handout.exercises
    first = some[0].name if some else ""
    stages = [short(lock) for lock in locks() if lock.startswith("stage") and lock not in handout.solved]
    repair = (f"    make exercises                list them\n    make exercise EX={first}\n"
              f"    make check EX={first}\n\n") if some else ""
    links = "\n".join(f"- [{name}](docs/{name}.md)" for name in PAGES if (top / f"docs/{name}.md").exists())
    return (f"# Lockstep\n\nA lock on Redis, and races that show how it fails. Linux is needed.\n\n"
            f"    make                          build all; it installs what is missing\n"
            f"    make matrix                   the races, as a table\n\n"
            f"Locks to read and run: {' '.join(stages)}.\n\n{repair}"
            f"    make mine                     begin a lock of your own\n"
            f"    make check                    see how far it comes\n\nThe pages:\n\n{links}\n")


# --- the copy ----------------------------------------------------------------

def write_table(path, hidden):
    """A table of verdicts without the rows of hidden races."""
    lines = path.read_text().splitlines(True)
    path.write_text("".join(line for line in lines if line.split()[:1] == [] or line.split()[0] not in hidden))


def make_handout(top, paths):
    if top.exists() and (not top.is_dir() or any(top.iterdir())):
        raise Refused(f"{top} is there already: DIR names a folder that is new or empty")
    handout = Handout(paths)

    def ignored(folder, names):
        here = Path(folder).relative_to(ROOT)
        return [name for name in names if handout.is_left_out(here / name)]

    top.mkdir(parents=True, exist_ok=True)
    for name in TAKEN:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, top / name, symlinks=True, ignore=ignored)
        elif (ROOT / name).exists():
            shutil.copy2(ROOT / name, top)
    for each in handout.exercises:
        (top / each.path.relative_to(ROOT)).with_name("starter.c").write_text(each.starter())
    for table in (top / "common/catalogue").glob("*.txt"):
        write_table(table, handout.hidden)
    write_pages(handout, top)
    print(f"{top}: {len(handout.exercises)} exercises, {len(lock_sources()) - len(handout.solved)} of "
          f"{len(lock_sources())} locks; hidden races left out: {len(handout.hidden)}.\n"
          f"It is no git repository yet: git init {top}")


def write_pages(handout, top):
    pages = list(top.glob("docs/**/*.md"))
    for page in pages:
        text = without_hidden(page.read_text(), handout.hidden)
        if handout.tells(text) or handout.makes_what_is_left_out(text):
            page.unlink()
        else:
            page.write_text(text)
    (top / "README.md").write_text(readme(handout, top))
    for page in filter(Path.exists, pages):
        without_broken_links(page, top)


def main(words):
    try:
        if not words or not words[0]:
            raise Refused("DIR names the folder: make handout DIR=../class")
        make_handout(Path(words[0]), [Path(word) for word in words[1:]])
    except Refused as refused:
        print(f"handout: {refused}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"handout: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
