"""What came out, in the formats that others read.

    text, csv, json   for the instructor: everything
    junit             JUnit XML as Jenkins reads it (junit-10.xsd of its xUnit plugin)
    tap               Test Anything Protocol (testanything.org): version 13, because Perl's prove
                      takes 14 for an error, and readers of 14 read it as well
    gradescope        results.json (gradescope-autograders.readthedocs.io, "Autograder
                      Specifications"); for one submission
    classroom         the result of a runner, as base64, for GitHub Classroom's
                      autograding-grading-reporter; for one submission

In the last four, which students see, a hidden race has no name. How long it took is left out
unless it is asked for (then text, csv, json and gradescope have it), so that the same submissions
give the same bytes."""

import base64
import csv
import io
import json
import re
from xml.etree import ElementTree

FORMATS = ["text", "csv", "json", "junit", "tap", "gradescope", "classroom"]
FOR_ONE = ["gradescope", "classroom"]


def safe(text):
    """Printable: the names and compiler errors of students go to terminals and documents."""
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in text)


def number(points):
    return f"{points:g}"


def lost(student):
    """What has cost points, in a few words for each task: in which way, and where."""
    words = []
    for task in student["tasks"]:
        of = f"{task['task']} " if len(student["tasks"]) > 1 else ""
        if task["trouble"]:
            words.append(f"{of}{safe(task['trouble'])}")
            continue
        ways = {}
        for check in task["checks"]:
            if check["points"] < check["of"]:
                ways.setdefault(check["how"], []).append(
                    f"{check['name']}{' (hidden)' if check['hidden'] else ''}")
        if ways:
            words.append(of + "; ".join(f"{how}: {', '.join(names)}" for how, names in ways.items()))
    return "; ".join(words)


# Of a report in JSON, and of what is in it.
REPORT = {"title": str, "students": list}
STUDENT = {"student": str, "points": (int, float), "of": (int, float), "tasks": list}
TASK = {"task": str, "points": (int, float), "of": (int, float), "trouble": str, "checks": list}
CHECK = {"kind": str, "name": str, "hidden": bool, "points": (int, float), "of": (int, float), "how": str,
         "said": str, "command": str}
SIMILAR = {"task": str, "student": str, "percent": (int, float)}


def read(text):
    """(title, students) of a report in JSON. ValueError: it is none."""
    def look(value, kind):
        if not isinstance(value, dict) or not all(
                isinstance(value.get(name), type) for name, type in kind.items()):
            raise ValueError(f"not made of {', '.join(kind)}")
        return value

    document = look(json.loads(text), REPORT)
    for student in document["students"]:
        for task in look(student, STUDENT)["tasks"]:
            for check in look(task, TASK)["checks"]:
                look(check, CHECK)
        for other in student.get("similar", []):
            look(other, SIMILAR)
    if not document["students"]:
        raise ValueError("nobody")
    return document["title"], document["students"]


def report(name, title, students, times=False):
    if not times:
        students = [{key: value for key, value in student.items() if key != "seconds"}
                    for student in students]
    return globals()[f"as_{name}"](title, students)


# --- for the instructor ------------------------------------------------------

def as_text(title, students):
    rows = [("student", "points", "time", "lost")]
    rows += [(safe(student["student"]), f"{number(student['points'])} of {number(student['of'])}",
              f"{student.get('seconds', 0):.1f} s", lost(student)) for student in students]
    columns = [0, 1, *([2] if "seconds" in students[0] else []),
               *([3] if len(students) > 1 else [])]  # of one, what is lost stands below
    widths = [max(len(row[column]) for row in rows) for column in columns]
    lines = [title, ""] if title else []
    lines += ["  ".join(row[column].ljust(width) for column, width in zip(columns, widths)).rstrip()
              for row in rows]
    if len(students) == 1:
        lines += ["", *explained(students[0])]
    pairs = [f"    {each['task']}: {safe(student['student'])} and {safe(each['student'])}, "
             f"{number(each['percent'])} %" for student in students for each in student.get("similar", [])
             if student["student"] < each["student"]]
    if pairs:
        lines += ["", "Similar, apart from what was given out:", *pairs]
    return "\n".join(lines) + "\n"


def explained(student, hidden=True):
    """For the student: what was looked at, what came out, and the command that shows it."""
    lines = []
    for task in student["tasks"]:
        lines.append(f"{task['task']}: {number(task['points'])} of {number(task['of'])}")
        if task["trouble"]:
            lines.append(f"    {safe(task['trouble'])}")
            continue
        for check in shown(task, hidden):
            lines.append(f"    {check['name']:32} {number(check['points'])} of {number(check['of'])}"
                         f"   {safe(check['said'])}".rstrip())
            if check["points"] < check["of"] and check["command"]:
                lines.append(f"        {check['command']}")
    return lines


def shown(task, hidden):
    """Its checks; if `hidden` is not set, those that are hidden without what tells which race
    it was."""
    some, count = [], 0
    for check in task["checks"]:
        if check["hidden"] and not hidden:
            count += 1
            check = {**check, "name": f"hidden {count}", "command": "", "said": ""}
        some.append(check)
    return some


def as_csv(_, students):
    """RFC 4180, but for the ends of lines, which are those of this system. A cell that a
    spreadsheet would take for a formula gets an apostrophe."""
    out = io.StringIO()
    names = [task["task"] for task in students[0]["tasks"]]
    rows = csv.writer(out, lineterminator="\n")
    times = ["seconds"] if "seconds" in students[0] else []
    compared = ["similar"] if "similar" in students[0] else []
    rows.writerow(["student", "points", "of", *names, *times, "lost", *compared])
    for student in students:
        row = [student["student"], number(student["points"]), number(student["of"]),
               *(number(task["points"]) for task in student["tasks"]),
               *(number(student[name]) for name in times), lost(student),
               *("; ".join(f"{each['task']}: {each['student']} {number(each['percent'])} %"
                           for each in student[name]) for name in compared)]
        rows.writerow([f"'{cell}" if cell[:1] in ("=", "+", "-", "@") else safe(cell) for cell in row])
    return out.getvalue()


def as_json(title, students):
    return json.dumps({"title": title, "students": students}, indent=2) + "\n"


# --- for machines that show it to students -----------------------------------

def cases(students):
    """(student, task, check) of each; a lock that cannot be looked at fails in all."""
    return [(student, task, check) for student in students for task in student["tasks"]
            for check in shown(task, False)]


def passed(check):
    return check["points"] >= check["of"] and check["how"] != "not tried"


def why(task, check):
    said = [task["trouble"] or check["said"], check["command"]]
    return safe(": ".join(filter(None, said))) or "lost"


def as_junit(title, students):
    top = ElementTree.Element("testsuites", name=safe(title or "lockstep"))
    for student in students:
        some = cases([student])
        failed = [case for case in some if not passed(case[2])]
        suite = ElementTree.SubElement(top, "testsuite", name=safe(student["student"]),
                                       tests=str(len(some)), failures=str(len(failed)), errors="0")
        for _, task, check in some:
            case = ElementTree.SubElement(suite, "testcase", name=check["name"],
                                          classname=f"{safe(student['student'])}.{task['task']}")
            if not passed(check):
                ElementTree.SubElement(case, "failure", type=check["kind"], message=why(task, check))
    ElementTree.indent(top)
    return f"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{ElementTree.tostring(top, 'unicode')}\n"


def tap_escaped(text):
    return re.sub(r"([\\#])", r"\\\1", safe(text))


def as_tap(title, students):
    some = cases(students)
    lines = ["TAP version 13", f"1..{len(some)}"]
    for place, (student, task, check) in enumerate(some, 1):
        name = tap_escaped(f"{student['student']}: {task['task']}: {check['name']}")
        lines.append(f"{'ok' if passed(check) else 'not ok'} {place} - {name}")
        if not passed(check):  # a string of JSON is one of YAML, too
            lines += ["  ---", f"  message: {json.dumps(why(task, check))}", "  ..."]
    return "\n".join(lines) + "\n"


def as_gradescope(title, students):
    student, = students
    tests = []
    for _, task, check in cases(students):
        test = {"name": f"{task['task']}: {check['name']}", "score": check["points"],
                "max_score": check["of"], "status": "passed" if passed(check) else "failed",
                "output": "" if passed(check) else why(task, check), "output_format": "text",
                "visibility": "hidden" if check["hidden"] else "visible"}
        tests.append(test)
    times = {"execution_time": student["seconds"]} if "seconds" in student else {}
    return json.dumps({"score": student["points"], **times, "visibility": "visible",
                       "stdout_visibility": "hidden",
                       "output": "\n".join(explained(student, False)), "output_format": "text",
                       "tests": tests}, indent=2) + "\n"


def as_classroom(title, students):
    student, = students
    # Of a test that fails, the reporter shows test_code. Line 0 is no line.
    tests = []
    for _, task, check in cases(students):
        said = "" if passed(check) else why(task, check)
        tests.append({"name": f"{task['task']}: {check['name']}", "status": "fail" if said else "pass",
                      "score": check["points"], "message": said, "test_code": said, "line_no": 0})
    whole = student["points"] >= student["of"]
    document = {"version": 1, "status": "pass" if whole else "fail", "max_score": student["of"],
                "tests": tests}
    return base64.b64encode(json.dumps(document).encode()).decode() + "\n"
