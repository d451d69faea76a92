"""The exercises: a lock with a bug, a story, and the races that have to turn.

    docs/exercises/NAME/exercise.md     the story; what has to turn; three hints
    docs/exercises/NAME/starter.diff    what is wrong with the starter, as in common/course/mutants
                                        (often a link to a mutant); none: the lock is sound
    docs/exercises/NAME/starter.c       instead of it in a class's copy (make handout): the starter
    common/course/exercises/NAME.txt    why the solution is one. The solution is the lock that the
                                        exercise names as its goal
    common/course/exercises/NAME.diff   another solution, as a change to the starter

    /usr/bin/python3 common/course/exercises.py list               (make exercises)
    /usr/bin/python3 common/course/exercises.py begin NAME [HINT]  (make exercise EX=NAME)
    /usr/bin/python3 common/course/exercises.py check [NAME [HINT [VARIABLE=VALUE...]]]
    /usr/bin/python3 common/course/exercises.py solution NAME      (make solution EX=NAME)
    /usr/bin/python3 common/course/exercises.py mine               (make mine)
    /usr/bin/python3 common/course/exercises.py pages              writes what has to turn and the list

A check ends with 0 if the lock passes, 1 if it does not yet, 2 if nothing can be said. It
needs the races and the matrix of this tree, and no package of Python."""

import difflib
import functools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import textwrap

import leaks
import mutants
from tree import ROOT, compile_client, lock_code, lock_source, locks, races, read_matrix, run, short

FOLDER = ROOT / "docs/exercises"
PAGE = ROOT / "docs/exercises.md"
SOLUTIONS = ROOT / "common/course/exercises"
FREE = "lock"  # stages/my_lock: make mine
CRASH = ROOT / "build/crash"
WIDTH = 96
MOST_NAMES = 8  # of races that a student gets to see at once


class Refused(Exception):
    """One line: what is wrong, and what would be right."""


# --- an exercise -------------------------------------------------------------

class Exercise:
    def __init__(self, folder):
        self.name = folder.name
        self.path = folder / "exercise.md"
        text = self.path.read_text()
        self.title = re.match(r"# (.*)\n", text)[1]
        story, rest = text.split("## What has to turn\n")
        self.story = story.split("\n", 1)[1].strip()
        data = dict(re.findall(r"^    (\w+) +(.+)$", re.sub(r"\n {12,}", " ", rest), re.M))
        self.level = int(data["level"])
        self.rung = data["rung"]
        self.start = data["from"]
        self.goal = data.get("goal", self.start)
        self.turn = data.get("turn", "").split()
        self.property, _, self.bounds = data.get("search", "").partition(": ")
        self.hints = [" ".join(hint.split()) for hint in
                      re.findall(r"<summary>Hint \d</summary>\n(.*?)</details>", rest, re.S)]
        bug = folder / "starter.diff"
        self.bug = mutants.Mutant(bug.resolve()) if bug.exists() else None

    @property
    def told(self):
        """The races that have to turn, in the order of the table: the well-known ones come first."""
        return sorted(self.turn, key=list(column(self.goal)).index)

    @property
    def lock(self):
        return f"my_{self.name}"

    @property
    def file(self):
        return lock_source(self.lock)

    @property
    def mark(self):
        return self.file.with_name("done")

    @property
    def state(self):
        return "done" if self.mark.exists() else "begun" if self.file.exists() else ""

    @property
    def can_begin(self):
        """Or was the lock that it comes from taken out of this tree (docs/instructors.md)?"""
        return self.ready.exists() or lock_source(self.start).exists()

    @property
    def ready(self):
        """The starter as make handout has written it."""
        return self.path.with_name("starter.c")

    def starter(self):
        """The lock with the bug, and the exercise in place of its head."""
        if not self.can_begin:
            raise Refused(f"{self.name} begins with {self.start}, which is not in this tree")
        if self.ready.exists():
            return self.ready.read_text()
        text = self.bug.source() if self.bug else lock_code(self.start)
        head = HEAD.match(text)[0]
        said = [f"// Yours: {self.title}.\n//\n// The story is in {self.path.relative_to(ROOT)},\n"
                f"// and make check EX={self.name} looks at what you have made of it.\n"]
        said += [line for line in head.splitlines(True) if re.match(r"// (Local|Masters): ", line)]
        return "".join(said) + text[len(head):]

    @property
    def why(self):
        return SOLUTIONS / f"{self.name}.txt"

    @property
    def has_solution(self):
        """Or was it taken out of this tree?"""
        return self.why.exists() and lock_source(self.goal).exists()


HEAD = re.compile(r"(?://.*\n)*")


@functools.cache
def exercises():
    """In the order in which they are meant to be done."""
    some = [Exercise(path.parent) for path in FOLDER.glob("*/exercise.md")]
    return sorted(some, key=lambda exercise: (exercise.level, exercise.rung, exercise.name))


def find(name):
    for exercise in exercises():
        if exercise.name == name:
            return exercise
    what = f"there is no exercise '{name}'" if name else "EX names the exercise"
    raise Refused(f"{what}: make exercises shows them all")


# --- what make prints --------------------------------------------------------

def wrapped(text, indent=""):
    return textwrap.fill(" ".join(text.split()), WIDTH, initial_indent=indent,
                         subsequent_indent=indent, break_on_hyphens=False)


def paragraph(text):
    """Of a story; what it quotes is indented."""
    quoted = text.startswith("> ")
    return wrapped(re.sub(r"^> ", "", text, flags=re.M), "    " if quoted else "")


def table():
    """Its rows: (level, rung, name, title, state)."""
    return [(str(each.level), each.rung, each.name, each.title, each.state)
            for each in exercises() if each.can_begin]


def show_list():
    rows = [("level", "rung", "exercise", "", ""), *table()]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        words = [word.ljust(width) for word, width in zip(row, widths)]
        print("  ".join([*words, row[4]]).rstrip())
    done = sum(row[4] == "done" for row in rows)
    print(f"\n{done} of {len(rows) - 1} done. make exercise EX={rows[1][2]} begins one; "
          "docs/exercises.md explains.")


def show_hint(exercise, number):
    if number not in [str(n + 1) for n in range(len(exercise.hints))]:
        raise Refused(f"HINT is a number from 1 to {len(exercise.hints)}, not '{number}'")
    print(f"Hint {number} of {len(exercise.hints)}\n\n{wrapped(exercise.hints[int(number) - 1])}")


def what_to_do(exercise):
    words = [f"make check EX={exercise.name}"]
    if exercise.property:
        words = [f"make && make my_{exercise.name} && ./scenarios/explore", *words]
    if exercise.turn:
        words = [f"make my_{exercise.name} && ./scenarios/{exercise.told[0]}", *words]
    return "\n".join(f"    {word}" for word in words)


def begin(name, hint=""):
    exercise = find(name)
    if hint:
        return show_hint(exercise, hint)
    place = exercise.file.relative_to(ROOT)
    if exercise.file.exists():
        raise Refused(f"{place} is there already and stays as it is: work on, or remove "
                      f"stages/{exercise.lock} to begin anew")
    exercise.file.parent.mkdir(exist_ok=True)
    exercise.file.write_text(exercise.starter())
    others = len(exercise.turn) - MOST_NAMES
    turn = f"Has to turn: {' '.join(exercise.told[:MOST_NAMES])}" \
        f"{f' and {others} others' if others > 0 else ''}" if exercise.turn else \
        f"Has to turn: the search must not lose '{exercise.property}' any more"
    print(f"{exercise.title} (level {exercise.level})\n")
    print("\n\n".join(map(paragraph, exercise.story.split("\n\n"))))
    print(f"\n{wrapped(turn)}\n\nThe lock is in {place}. Change it, then:\n\n"
          f"{what_to_do(exercise)}\n\nStuck? make exercise EX={name} HINT=1 (2, 3)")


def steps(old, new, name):
    """What changes, without the heads."""
    old, new = (HEAD.sub("", text, count=1).splitlines(True) for text in (old, new))
    return "".join(difflib.unified_diff(old, new, "the starter", name))


def solution(name):
    exercise = find(name)
    if not exercise.has_solution:
        raise Refused(f"the solution of {name} is not in this tree")
    print(f"{exercise.title} (level {exercise.level})\n")
    print("\n\n".join(map(paragraph, exercise.why.read_text().split("\n\n"))) + "\n")
    place = lock_source(exercise.goal).relative_to(ROOT)
    print(steps(exercise.starter(), lock_code(exercise.goal), str(place)), end="")
    other = exercise.why.with_suffix(".diff")
    if other.exists():
        change = mutants.Mutant(other)
        print(f"\n{wrapped(change.sentence)}\n")
        print(steps(exercise.starter(), change.applied(exercise.starter()), "the other way"), end="")


TEMPLATE = FOLDER / "lock.c"


def mine():
    file = lock_source(f"my_{FREE}")
    if file.exists():
        raise Refused(f"{file.relative_to(ROOT)} is there already and stays as it is: make check "
                      "says which stage it is by now")
    file.parent.mkdir(exist_ok=True)
    shutil.copy(TEMPLATE, file)
    print(f"{file.relative_to(ROOT)} is a lock that never says yes. Write yours, then:\n\n"
          "    make check\n\ncommon/lock/lock.h is the interface, common/lock/redis.h the "
          "connection. stages/ has\nlocks to compare it with.")


# --- building a lock of a student's ------------------------------------------

def make(lock, variables):
    """Builds its client. Refused: it does not compile, and the compiler has said why."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    built = subprocess.run(["make", "-s", f"build/clients/{lock}", *variables], cwd=ROOT, env=clean,
                           stdout=subprocess.DEVNULL, check=False)
    if built.returncode:
        raise Refused(f"stages/{lock}/lock.c does not compile: the lines above say where")


def verdicts(lock, some):
    """({race: verdict, as in common/catalogue/matrix.txt}, why races could not be run)"""
    finished = run(ROOT / "scenarios/matrix", "--format", "tsv", "--stage", lock, *some,
                   timeout=None)
    rows = [line.split("\t") for line in finished.out.splitlines()[1:]]
    if finished.code and not rows:
        raise Refused(finished.err.strip().removeprefix("matrix: "))
    words = {"broken": "BROKEN", "not-run": "not run"}
    return {race: words.get(word, word) for race, cell in rows for word in cell.split()[:1]}, finished.err


def where_it_crashes(lock, race):
    """What AddressSanitizer says about a crash: its line in lock.c, and how it came there."""
    mutants.plant(CRASH)
    source = lock_source(lock, CRASH)
    source.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(lock_source(lock), source)
    static = [] if "clang" in (ROOT / "build/flags").read_text().split()[0] else ["-static-libasan"]
    built = compile_client(source, CRASH / "build/clients" / lock, "-w", "-Wno-error", "-O0",
                           "-fsanitize=address,undefined", *static)
    if built.code:
        return ""
    said = run(CRASH / "scenarios" / race, "--stage", lock, timeout=None).err
    what = re.search(r"AddressSanitizer: (.*?)(?: \(|$)", said, re.M)
    error = re.search(r"lock\.c:(\d+):\d+: runtime error: (.*)", said)
    frames = re.findall(r"^ *#\d+ \S+ in (\w+) \S*/lock\.c:(\d+)", said, re.M)
    if error:
        return f"stages/{lock}/lock.c:{error[1]}: {error[2]}"
    if not frames:
        return ""
    calls = ", called from ".join(f"{name}() in line {line}" for name, line in frames[:3])
    return f"stages/{lock}/lock.c:{frames[0][1]}: {what[1] if what else 'a crash'}, in {calls}"


def tell_failures(lock, said, errors):
    """What could not be run, and where it has crashed. Refused, if there is such a race."""
    failed = [race for race, verdict in said.items() if verdict == "not run"]
    if not failed:
        return
    why = re.search(r"was not run: (.*)", errors)
    why = why[1] if why else "it did not say why"
    crashed = re.search("ended by signal|exited with", why)
    where = where_it_crashes(lock, failed[0]) if crashed else ""
    print(f"{len(failed)} of {len(said)} races could not be run, {failed[0]} first: {why}")
    raise Refused(where or f"./scenarios/{failed[0]} --stage {lock} shows it")


def tell_leaks(lock, variables):
    """Of a lock that was built with sanitizers. A leak loses no race."""
    told = leaks.of(lock) if "SAN=1" in variables else []
    if told:
        print("\nLeaks:", *told, sep="\n    ")


# --- looking at one ----------------------------------------------------------

@functools.cache
def column(lock):
    """{race: verdict} of a lock of this repository."""
    return {race: verdict for race, name, verdict in read_matrix() if name == short(lock)}


def is_worse(verdict, than):
    """Is a verdict worse than one that is wanted? A race that cannot happen to a lock is
    not lost by it."""
    return verdict not in ("holds", "cannot") and than != "BROKEN"


def show_trace(command):
    print(f"\n$ {shlex.join(command)}")
    print(run(*command, timeout=None).out)


def show_cells(title, said, some, left):
    """Of many those that are left, and of these the first."""
    print(title)
    shown = sorted(some, key=lambda race: race not in left)[:MOST_NAMES] if len(some) > MOST_NAMES else some
    for race in shown:
        print(f"    {race:32} {said[race]:13}{'not yet' if race in left else ''}".rstrip())
    if len(some) > len(shown):
        more = sum(race in left for race in some) - sum(race in left for race in shown)
        print(f"    and {len(some) - len(shown)} others{f', {more} of them not yet' if more else ''}")


def check_races(exercise):
    """Has everything turned that has to, and nothing else?"""
    said, errors = verdicts(exercise.lock, exercise.turn)
    tell_failures(exercise.lock, said, errors)
    goal = column(exercise.goal)
    left = [race for race in exercise.told if said[race] not in ("holds", goal[race])]
    show_cells("Have to turn:", said, exercise.told, left)
    if left:
        show_trace([f"./scenarios/{left[0]}", "--stage", exercise.lock])
        return False
    return True


def check_rest(exercise):
    """Does it keep what the lock that it comes from holds?"""
    goal = column(exercise.goal)
    rest = [race for race in races() if race not in exercise.turn and goal[race] != "BROKEN"]
    print(f"Must not turn: {len(rest)} other races", flush=True)
    said, errors = verdicts(exercise.lock, rest)
    tell_failures(exercise.lock, said, errors)
    worse = [race for race in rest if is_worse(said[race], goal[race])]
    print(f"    {len(rest) - len(worse)} of them hold or cannot happen")
    if worse:
        show_cells("Lost:", said, worse, ())
        show_trace([f"./scenarios/{worse[0]}", "--stage", exercise.lock])
    return not worse


def check_search(exercise):
    """Does the search not lose it any more?"""
    words = ["--stage", exercise.lock, *exercise.bounds.split()]
    finished = run("./scenarios/explore", "--quiet", "--format", "json", "--positions",
                   mutants.POSITIONS, *words, timeout=None)
    if finished.code == 2:
        raise Refused(finished.err.strip().removeprefix("explore: "))
    found = finished.document["properties"][exercise.property]
    print(f"The search (./scenarios/explore {' '.join(words)}):\n"
          f"    {exercise.property:32} {'LOST         not yet' if found['lost'] else 'clean'}")
    if found["lost"]:
        show_trace(["./scenarios/replay", found["schedule"]])
    return not found["lost"]


def check(name="", hint="", *variables):
    if not name:
        return check_mine(variables)
    exercise = find(name)
    if hint:
        return show_hint(exercise, hint)
    if not exercise.file.exists():
        raise Refused(f"{name} is not begun: make exercise EX={name}")
    exercise.mark.unlink(missing_ok=True)
    make(exercise.lock, variables)
    print(f"{name}: stages/{exercise.lock}/lock.c\n", flush=True)
    passed = ((not exercise.turn or check_races(exercise))
              and (not exercise.property or check_search(exercise)) and check_rest(exercise))
    tell_leaks(exercise.lock, variables)
    if passed:
        exercise.mark.touch()
        another = f"make solution EX={name} shows the course's own. " * exercise.has_solution
        print(f"\nDone. {another}make exercises shows what is next.")
    else:
        print(f"Not yet. make check EX={name} HINT=1 (2, 3) helps.")
    return passed


# --- a lock from scratch -----------------------------------------------------

# By the table: in a class's copy (make handout) some of them are not there.
LADDER = sorted({lock for _, lock, _ in read_matrix() if lock.startswith("stage")},
                key=lambda lock: int(lock.removeprefix("stage")))


def full_name(stage):
    return next((lock for lock in locks() if short(lock) == stage), stage)


def not_yet(said, number):
    """The races that a lock with these verdicts does not hold and stage NUMBER does, those
    that the stage before does not hold first."""
    this, before = column(LADDER[number]), column(LADDER[number - 1]) if number else {}
    gained = [race for race in said if this[race] == "holds" != before.get(race)]
    rest = [race for race in said if race not in gained]
    return ([race for race in gained if said[race] != "holds" and before.get(race) != "holds"]
            + [race for race in rest if is_worse(said[race], this[race])])


def check_mine(variables):
    lock = f"my_{FREE}"
    if not lock_source(lock).exists():
        raise Refused("there is no stages/my_lock: make mine begins it, and EX=NAME checks an "
                      "exercise")
    make(lock, variables)
    said, errors = verdicts(lock, [])
    tell_failures(lock, said, errors)
    tell_leaks(lock, variables)
    missing = [not_yet(said, number) for number in range(len(LADDER))]
    for name, lacks in zip(LADDER, missing):
        wanted = sum(verdict != "BROKEN" for verdict in column(name).values())
        print(f"{full_name(name):22} {wanted - len(lacks):4} of {wanted}   "
              f"{'next: ' + lacks[0] if lacks else 'all'}")
    best = max((number for number, lacks in enumerate(missing) if not lacks), default=-1)
    # Stage 0 asks no server: a lock that does begins with stage 1.
    higher = missing[max(best + 1, 1):]
    after = higher[0][0] if higher else ""
    print(f"\nYour lock is {f'a stage {best} now' if best >= 0 else 'no stage yet'}; "
          + (f"next: ./scenarios/{after} --stage {lock}" if after else "there is no further one."))
    return best == len(LADDER) - 1


# --- the pages ---------------------------------------------------------------

def lost_by(exercise):
    """The races that its starter does not hold and its goal does."""
    if exercise.bug:
        return mutants.read_table()[exercise.bug.name].races
    start, goal = column(exercise.start), column(exercise.goal)
    return [race for race in goal if goal[race] == "holds" != start[race]]


def write_pages():
    """What has to turn, where a race or a mutant is new; and the list."""
    for each in exercises():
        turn = textwrap.fill(" ".join(lost_by(each)), 110, initial_indent="    turn    ",
                             subsequent_indent=12 * " ", break_on_hyphens=False)
        text = each.path.read_text()
        each.path.write_text(re.sub(r"^    turn .*(\n {12}.*)*", turn, text, flags=re.M))
    PAGE.write_text(page())


def page():
    """docs/exercises.md with the table of today."""
    rows = ["| level | rung | exercise | what happened |", "|---|---|---|---|"]
    rows += [f"| {each.level} | {each.rung} | [{each.name}](exercises/{each.name}/exercise.md) "
             f"| {each.title} |" for each in exercises()]
    text = PAGE.read_text()
    return re.sub(r"^\| level .*\n(\|.*\n)*", "\n".join(rows) + "\n", text, flags=re.M)


def main(what="", *words):
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the programs that it runs, too
    commands = {"list": show_list, "begin": begin, "check": check, "solution": solution,
                "mine": mine, "pages": write_pages}
    try:
        passed = commands[what](*words)
    except Refused as refused:
        sys.stdout.flush()
        print(f"exercises: {refused}", file=sys.stderr)
        return 2
    return 1 if passed is False else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
