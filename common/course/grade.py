"""Grades locks that students hand in (docs/instructors.md).

    python3 common/course/grade.py --exercise late_grant lock.c
    python3 common/course/grade.py --assignment docs/assignments/repair.toml FOLDER
    make grade SUBMISSION=lock.c EX=late_grant
    make grade SUBMISSIONS=FOLDER ASSIGNMENT=docs/assignments/repair.toml
    make grade FROM=report.json FORMAT=csv

FOLDER has a file or a folder for each student. What is done is kept until all are done: after
Ctrl-C the same command goes on. Nothing but the standard library of Python is needed.

Exit status: 0 everything was graded, whatever came out; 2 wrong use; 130 after Ctrl-C."""

import argparse
import hashlib
import json
import os
import queue
import shutil
import signal
import sys
import tempfile
import threading
from pathlib import Path

from grading import assignment as assignments
from grading import reports
from grading.confine import Confinement, Ended
from grading.marking import Tree, mark
from grading.similar import similar
from tree import ROOT

Refused = assignments.Refused
KEPT = ROOT / "build/grades"


# --- what was done before Ctrl-C ---------------------------------------------

class Journal:
    """The results so far: a line for each student, with a hash of all that they come from."""

    def __init__(self, chosen, submissions):
        self.chosen = chosen
        said = hashlib.sha256(json.dumps([chosen.key, str(submissions)]).encode()).hexdigest()
        self.path = KEPT / f"{said[:16]}.jsonl"
        self.lock = threading.Lock()
        self.known = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                try:
                    kept = json.loads(line)
                    self.known[kept["hash"]] = kept["result"]
                except (ValueError, KeyError):
                    continue  # the last line, half written

    def hash_of(self, submission):
        found = hashlib.sha256(repr((self.chosen.key, submission.student)).encode())
        for task in self.chosen.tasks:
            try:
                found.update(submission.lock_of(task, len(self.chosen.tasks) == 1))
            except assignments.Missing as missing:
                found.update(str(missing).encode())
            found.update(b"|")
        return found.hexdigest()

    def keep(self, hashed, result):
        with self.lock:
            KEPT.mkdir(parents=True, exist_ok=True)
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps({"hash": hashed, "result": result}) + "\n")

    def done(self):
        self.path.unlink(missing_ok=True)


# --- a class -----------------------------------------------------------------

class Progress:
    """On a terminal: how many are done."""

    def __init__(self, all_of_them):
        self.all, self.done = all_of_them, 0

    def one_more(self):
        self.done += 1
        if sys.stderr.isatty():
            end = "\r" + 24 * " " + "\r" if self.done == self.all else ""
            print(f"\r{self.done} of {self.all}{end}", end="", file=sys.stderr, flush=True)


def grade(chosen, submissions, journal, confinement, top, work):
    """{student: result}; those that the journal knows are not graded again."""
    waiting, done, failed = queue.Queue(), queue.Queue(), []
    hashes = {each.student: journal.hash_of(each) for each in submissions}
    results = {name: journal.known[hashed] for name, hashed in hashes.items()
               if hashed in journal.known}
    for each in submissions:
        if each.student not in results:
            waiting.put(each)

    def work_at(place):
        try:
            tree = Tree(top / str(place), work / str(place), confinement, place)
            while True:
                each = waiting.get_nowait()
                done.put((each.student, mark(tree, chosen, each)))
        except (queue.Empty, Ended):
            pass
        except BaseException as error:  # said by the thread that waits for us
            failed.append(error)
        finally:
            done.put(None)

    places = min(confinement.places, waiting.qsize())
    threads = [threading.Thread(target=work_at, args=[place], daemon=True)
               for place in range(places)]
    progress = Progress(waiting.qsize())
    for thread in threads:
        thread.start()
    try:
        while places:
            said = done.get()
            if said is None:
                places -= 1
                continue
            results[said[0]] = said[1]
            journal.keep(hashes[said[0]], said[1])
            progress.one_more()
    finally:
        confinement.end()
        for thread in threads:
            thread.join()
    if failed:
        raise failed[0]
    return [results[each.student] for each in submissions]


def place_for_trees():
    """In build/, unless those that run there may not come that far."""
    if os.geteuid() == 0 and any(not folder.stat().st_mode & 0o001 for folder in (ROOT, *ROOT.parents)):
        return Path(tempfile.mkdtemp(prefix="lockstep-grade-"))
    KEPT.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="trees-", dir=KEPT))


def grade_all(chosen, submissions, journal, bubblewrap):
    top, work = place_for_trees(), Path(tempfile.mkdtemp(prefix="lg", dir="/tmp"))
    try:
        top.chmod(0o711)
        work.chmod(0o711)
        confinement = Confinement(len(submissions), chosen.limits, bubblewrap)
        if confinement.says:
            print(f"grade: not confined: {confinement.says}", file=sys.stderr)
        results = grade(chosen, submissions, journal, confinement, top, work)
        if confinement.one_machine:
            print("grade: the clients of a lock share one machine: the kernel gives them none of "
                  "their own", file=sys.stderr)
        return results
    finally:
        shutil.rmtree(top, ignore_errors=True)
        shutil.rmtree(work, ignore_errors=True)


# --- the command line --------------------------------------------------------

class Words(argparse.ArgumentParser):
    def error(self, message):
        raise Refused(message)


def parse(words):
    parser = Words(prog="grade", description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("submission", metavar="FILE|FOLDER", nargs="*",
                        help="one lock.c; or, with --class, a folder with a file or a folder for "
                             "each student")
    parser.add_argument("--exercise", metavar="NAME", help="what is asked for: this exercise")
    parser.add_argument("--assignment", metavar="FILE", type=Path,
                        help="what is asked for: this assignment (docs/instructors.md)")
    parser.add_argument("--class", dest="many", action="store_true",
                        help="the folder is a class, not one student's")
    parser.add_argument("--from", metavar="FILE", type=Path, dest="report",
                        help="a report with --format json: the same in another format")
    parser.add_argument("--format", choices=reports.FORMATS, default="text")
    parser.add_argument("--output", metavar="FILE", type=Path, help="instead of standard output")
    parser.add_argument("--feedback", metavar="FOLDER", type=Path,
                        help="writes a text for each student there, without what is hidden")
    parser.add_argument("--times", action="store_true",
                        help="how long each student took, in seconds")
    parser.add_argument("--no-bubblewrap", action="store_true", help="only users and limits")
    return parser.parse_args(words)


def look_where_it_goes(output, feedback):
    """Refused before anything is graded, not afterwards."""
    if output and (output.is_dir() or not output.absolute().parent.is_dir()):
        raise Refused(f"cannot write {output}: name a file in a folder that there is")
    if feedback and feedback.exists() and not feedback.is_dir():
        raise Refused(f"{feedback} is no folder: the feedback is a file for each student")


def write_feedback(folder, students):
    folder.mkdir(parents=True, exist_ok=True)
    for student in students:
        (folder / f"{student['student']}.txt").write_text(
            "\n".join(reports.explained(student, False)) + "\n")


def write(said, title, students):
    text = reports.report(said.format, title, students, said.times)
    if said.feedback:
        write_feedback(said.feedback, students)
    if said.output:
        said.output.write_text(text)
    else:
        print(text, end="", flush=True)


def write_again(said):
    """Other formats of a report in JSON, without grading anything."""
    if said.exercise or said.assignment or said.submission or said.many:
        raise Refused("FROM (--from) is a report that is there already: nothing is handed in or asked "
                      "for beside it")
    try:
        title, students = reports.read(said.report.read_text())
    except ValueError as error:
        raise Refused(f"{said.report} is no report of make grade FORMAT=json") from error
    if len(students) > 1 and said.format in reports.FOR_ONE:
        raise Refused(f"{said.format} is for one submission, and {said.report} has {len(students)}")
    if said.times and not all("seconds" in student for student in students):
        raise Refused(f"{said.report} was made without TIMES=1 (--times)")
    look_where_it_goes(said.output, said.feedback)
    write(said, title, students)
    return 0


def main(words):
    said = parse(words)
    if said.report:
        return write_again(said)
    if bool(said.exercise) == bool(said.assignment):
        raise Refused("what is asked for? EX=late_grant (--exercise) or ASSIGNMENT=FILE "
                      "(--assignment), one of them")
    if len(said.submission) != 1 or not said.submission[0]:
        raise Refused("what is handed in? SUBMISSION=lock.c, or SUBMISSIONS=FOLDER with a file or "
                      "a folder for each student, one of them")
    chosen = (assignments.of_exercise(said.exercise) if said.exercise
              else assignments.read(said.assignment))
    one = Path(said.submission[0])
    if not os.path.lexists(one):
        raise Refused(f"there is no {one}")
    if said.many and said.format in reports.FOR_ONE:
        raise Refused(f"{said.format} is for one submission, not for a class (--class, SUBMISSIONS=)")
    look_where_it_goes(said.output, said.feedback)
    some = (assignments.submissions(one) if said.many
            else [assignments.Submission(one.absolute())])
    journal = Journal(chosen, one.absolute())
    students = grade_all(chosen, some, journal, not said.no_bubblewrap)
    if any(task.similar for task in chosen.tasks):
        found = similar(chosen, some)
        for student in students:
            student["similar"] = found[student["student"]]
    write(said, chosen.title, students)
    journal.done()
    return 0


def begin(words):
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return main(words)
    except Refused as refused:
        print(f"grade: {refused}", file=sys.stderr)
        return 2
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"grade: {where}{error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\ngrade: interrupted; the same command goes on where it was", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(begin(sys.argv[1:]))
