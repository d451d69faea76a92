"""From a lock.c to points: it is compiled, run through the races of its task, and searched.

Nothing of this is believed because the student's client says so. The verdicts are the judge's
(docs/judge.md), who sees what goes over the wire, and the programs that print them are closed
to the client (common/base/arguments.h). What a lock.c says about itself in its head is not
used: whether a lock is local, or uses several masters, is for the assignment to say."""

import json
import os
import re
import shutil
import stat
import time

import exercises
from tree import ROOT, lock_source, programs

from .assignment import Missing, Refused

SEARCH_MEMORY_MB = 512

# What a client has no use for. All clients of a run are on one machine: a lock that keeps a file
# there could do without its server, and a process could stay behind. This is for a clear word to
# the student and costs the points; what gets around it is confined all the same.
NO_LOCK_NEEDS = set("""
    fork vfork _Fork clone posix_spawn posix_spawnp system popen daemon
    execl execle execlp execv execve execvp execvpe execveat fexecve dlopen dlmopen dlsym
    kill killpg tgkill sigqueue pidfd_open pidfd_getfd pidfd_send_signal
    open open64 openat openat64 creat fopen fopen64 freopen flock lockf shm_open sem_open shmget
    semget msgget socket connect bind
    ptrace process_vm_readv process_vm_writev syscall unshare setns mprotect memfd_create
""".split())


class Check:
    """One thing that is worth points."""

    def __init__(self, kind, name, of, hidden=False):
        self.kind, self.name, self.of, self.hidden = kind, name, of, hidden
        self.won, self.how, self.said, self.command = False, "not tried", "not tried", ""

    def as_json(self):
        return {"kind": self.kind, "name": self.name, "hidden": self.hidden,
                "points": self.of if self.won else 0, "of": self.of, "how": self.how,
                "said": self.said, "command": self.command}


class Outcome:
    """What came out of a race. how: the verdict in lower case; or, of a lock that does not come as
    far as to a verdict, a word of FAILURES. why: the runner's sentence on such a lock."""

    def __init__(self, how, why=""):
        self.how, self.why = how, why

    @property
    def said(self):
        return f"{self.how}: {self.why}" if self.why else self.how


# Words for a lock that does not come as far as to a verdict, and what the runner says of it.
# Signal 24 is SIGXCPU: it has computed without end.
FAILURES = {
    "hangs": r"ended by signal 24\b|neither answers|still busy|closed its standard output|within \d+ s",
    "crashes": r"ended by signal (4|5|6|7|8|11)\b",
    "prints": r" said '",
    "exits": r"exited with|ended by signal",
    "fails": r"",
}


def outcome(cell):
    """From a cell of the table (./scenarios/matrix --reasons)."""
    verdict, _, rest = cell.partition(" ")
    if verdict == "not-run":
        how = next(word for word, said in FAILURES.items() if re.search(said, rest))
        # What an answer looks like is for those who write a guest.
        return Outcome(how, rest.split(": an answer is ")[0])
    return Outcome("crashes" if rest.endswith(" crashed") else verdict)


def rows(text):
    """{race: its outcome} of the whole lines in a table."""
    cells = (line.split("\t") for line in text.split("\n")[1:-1] if line.count("\t") == 1)
    return {race: outcome(cell) for race, cell in cells}


def hangs(said):
    return any(each.how == "hangs" for each in said.values())


def shares(points, weights):
    """Points in hundredths, in parts by weight, whose sum is exactly the whole."""
    whole, so_far, given, parts = sum(weights) or 1, 0, 0, []
    for weight in weights:
        so_far += weight
        until = round(points * 100 * so_far / whole)
        parts.append((until - given) / 100)
        given = until
    return parts


def checks_of(task):
    """([races], search or None, rest or None)"""
    weights = [*task.races.values(), *task.hidden.values()]
    search = task.search or {}
    parts = shares(task.points - task.rest_points, [*weights, search.get("weight", 0)])
    some = [Check("race", race, part, race in task.hidden)
            for race, part in zip(task.weights, parts)]
    return (some, Check("search", "the search", parts[-1]) if search else None,
            Check("rest", "what must not turn", task.rest_points) if task.rest else None)


class Tree:
    """A tree of the programs for each place: they find theirs from where they are."""

    def __init__(self, top, work, confinement, place):
        self.top, self.work, self.confinement, self.place = top, work, confinement, place
        for folder in ("scenarios", "build/clients", "stages"):
            (top / folder).mkdir(parents=True)
        for name in [*programs(), "build/liblock.a"]:
            self.bring(name)
        for header in ROOT.glob("common/**/*.h"):
            self.bring(header.relative_to(ROOT))

    def bring(self, name):
        """The same file under another name, where the file system and its rights allow that."""
        old, new = ROOT / name, self.top / name
        if not old.exists():
            raise Refused(f"{name} is not built: run make")
        new.parent.mkdir(parents=True, exist_ok=True)
        try:
            if old.stat().st_mode & 0o004 == 0:
                raise PermissionError
            os.link(old, new)
        except OSError:
            shutil.copy(old, new)
            new.chmod(old.stat().st_mode | 0o555 & (0o444 | old.stat().st_mode >> 6 & 0o111))

    def run(self, command, seconds, folder=None, **more):
        """A compiler, in self.work, where it leaves its file; or, in no folder of its own, a program
        that runs the lock. With bubblewrap a lock can write into memory only. more: as of
        Confinement.run."""
        if not folder:
            self.empty()
        needs = [] if self.confinement.bwrap and not folder else [self.work]
        return self.confinement.run(self.place, command, seconds, folder or self.top,
                                    readable=[self.top], writable=needs, **more)

    def empty(self):
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()
        self.confinement.owns(self.place, self.work)

    def compile(self, task, text, may_use):
        """Missing: it does not compile, and where; or it uses what no lock needs."""
        self.empty()
        (self.work / "lock.c").write_bytes(text)
        flags = (ROOT / "build/flags").read_text().split()
        seconds = self.confinement.limits["compile_s"]
        done = self.run(["sh", "-c", '"$@" && readelf -W --dyn-syms client', "sh", *flags, "-O0", "-w",
                         "-Wno-error", "-D_GNU_SOURCE", f"-I{self.top}/common",
                         f"-I{self.top}/common/lock", "-o", "client", "lock.c",
                         self.top / "build/liblock.a", "-lhiredis", "-pthread"], seconds, self.work)
        if done.late:
            raise Missing(f"the compiler has not ended within {seconds} s")
        if done.code:
            where = re.search(r"lock\.c:\d+(?::\d+)?: .*", done.err)
            raise Missing(f"does not compile: {where[0]}" if where else "does not compile")
        used = set(re.findall(r" UND (\w+)", done.out)) & NO_LOCK_NEEDS - set(may_use)
        if used:
            raise Missing(f"uses {sorted(used)[0]}: no lock needs that")
        self.plant(task)

    def plant(self, task):
        client, made = self.top / "build/clients" / task.lock, self.work / "client"
        if not stat.S_ISREG(made.lstat().st_mode):
            raise Missing("does not compile")
        shutil.copyfile(made, client)
        client.chmod(0o755)
        head = lock_source(task.lock, self.top)
        head.parent.mkdir(exist_ok=True)
        head.write_text(f"// {task.name}: a lock that was handed in.\n"
                        + (f"// Masters: {task.masters}\n" if task.masters > 1 else "")
                        + ("// Local: its assignment says so.\n" if task.local else ""))

    def clean(self, task):
        (self.top / "build/clients" / task.lock).unlink(missing_ok=True)
        shutil.rmtree(self.top / "stages" / task.lock, ignore_errors=True)
        shutil.rmtree(self.work, ignore_errors=True)

    # --- what it is put through ---

    def verdicts(self, task, some):
        """{race: its outcome}. A lock that hangs costs ten seconds in a race: so its first such
        race ends the run, and those after it are not tried."""
        if not some:
            return {}
        seconds = self.confinement.limits["run_s"]
        done = self.run([self.top / "scenarios/matrix", "--format", "tsv", "--reasons",
                         "--machines", "own", "--stage", task.lock, *some], seconds, enough=lambda text: hangs(rows(text)))
        self.confinement.one_machine |= "clients share this machine" in done.err
        said = rows(done.out)
        left = [race for race in some if race not in said]
        if left and not done.late and not hangs(said):
            return {race: Outcome("fails", "something has ended the run") for race in some}
        for race in left:
            said[race] = Outcome("not tried", "the lock hangs in another race")
        if done.late and left:
            said[left[0]] = Outcome("hangs", f"its races have not ended within {seconds} s")
        return said

    def search(self, task):
        """({property: its schedule, of those that are lost}, why nothing can be said)"""
        seconds = self.confinement.limits["run_s"]
        done = self.run([self.top / "scenarios/explore", "--quiet", "--format", "json", "--machines", "own",
                         "--memory", str(SEARCH_MEMORY_MB), "--positions",
                         str(task.search["positions"]), "--stage", task.lock,
                         *task.search["bounds"].split()], seconds, cpu_s=seconds)
        if done.late:
            return {}, f"the search has not ended within {seconds} s"
        try:
            found = json.loads(done.out)["properties"]
            return {name: found[name]["schedule"] for name in task.search["properties"]
                    if name in found and found[name]["lost"]}, ""
        except (ValueError, KeyError, TypeError):
            why = re.findall(r"^explore: (.*)$", done.err, re.M)
            return {}, why[-1] if why else "something has ended the search"


def judge_races(tree, task, checks):
    said = tree.verdicts(task, [check.name for check in checks])
    for check in checks:
        came = said[check.name]
        check.won = came.how == "holds" or (came.how == "cannot"
                                            and task.goal.get(check.name) == "cannot")
        check.how, check.said = came.how, came.said
        check.command = f"./scenarios/{check.name} --stage {task.lock}"


def judge_search(tree, task, check, some):
    """A lock that lets nobody in loses nothing there: so it has to hold a race first."""
    shown = [each.won for each in some if each.name == "two_processes"] or [
        tree.verdicts(task, ["two_processes"])["two_processes"].how == "holds"]
    if not shown[0]:
        check.said = "not tried: the lock does not hold two_processes"
        check.command = f"./scenarios/two_processes --stage {task.lock}"
        return
    lost, why = tree.search(task)
    check.won = not lost and not why
    came = outcome(f"not-run {why}") if why else Outcome("broken" if lost else "holds")
    check.how = came.how
    check.said = came.said if why else f"loses {', '.join(lost)}" if lost else "clean"
    if lost:
        check.command = f"./scenarios/replay '{next(iter(lost.values()))}'"


def judge_rest(tree, task, check):
    said = tree.verdicts(task, task.rest)
    untried = [race for race in task.rest if said[race].how == "not tried"]
    worse = [race for race in task.rest
             if race not in untried and exercises.is_worse(said[race].how, task.goal[race])]
    check.won = not worse
    check.how = said[worse[0]].how if worse else "holds"
    if not worse:
        check.said = f"{len(task.rest)} races hold"
        return
    names = [race if said[race].how == "broken" else f"{race} ({said[race].how})"
             for race in worse[:3]]
    check.said = (f"{len(worse)} of {len(task.rest)} races turned: {' '.join(names)}"
                  f"{' …' if len(worse) > 3 else ''}"
                  f"{f', {len(untried)} not tried' if untried else ''}")
    check.command = f"./scenarios/{worse[0]} --stage {task.lock}"


def judge_exercise(tree, task, some, search, rest):
    """First the repair. All else is what the lock that was given out holds already: it counts when
    the repair is done, so that a lock that comes back as it was given out gets nothing."""
    turn = [check for check in some if check.name in task.exercise.turn]
    others = [check for check in some if check not in turn]
    judge_races(tree, task, turn)
    if search and all(check.won for check in turn):
        judge_search(tree, task, search, turn)
    repair = turn + [search] * bool(task.exercise.property)
    if all(check.won for check in repair):
        judge_races(tree, task, others)
    if rest and all(check.won for check in [*some, *filter(None, [search])]):
        judge_rest(tree, task, rest)


def mark_task(tree, assignment, task, submission):
    """{name, points, of, trouble, checks}"""
    some, search, rest = checks_of(task)
    trouble = ""
    try:
        tree.compile(task, submission.lock_of(task, len(assignment.tasks) == 1),
                     assignment.may_use)
        if task.exercise:
            judge_exercise(tree, task, some, search, rest)
        else:
            judge_races(tree, task, some)
            if search:
                judge_search(tree, task, search, some)
    except Missing as missing:
        trouble = str(missing)
    finally:
        tree.clean(task)
    checks = [*some, *filter(None, [search, rest])]
    return {"task": task.name, "points": round(sum(check.of for check in checks if check.won), 2),
            "of": task.points, "trouble": trouble, "checks": [check.as_json() for check in checks]}


def mark(tree, assignment, submission):
    begun = time.monotonic()
    tasks = [mark_task(tree, assignment, task, submission) for task in assignment.tasks]
    return {"student": submission.student, "points": round(sum(task["points"] for task in tasks), 2),
            "of": assignment.points, "tasks": tasks, "seconds": round(time.monotonic() - begun, 1)}
