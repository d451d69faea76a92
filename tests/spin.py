"""The models in tests/models, run by spin, against ./scenarios/explore.

`python3 tests/spin.py` prints what both have found, or where they differ.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from lockstep import ROOT, TESTS

MODELS = TESTS / "models"
STAGES = (1, 2, 4, 5)


class Bounds:
    """Within which both search: no nested calls, which the models do not have."""

    def __init__(self, clients=2, rounds=1, leases=2, crash=1, cut=0, lose_answer=0,
                 work_fits_lease=False):
        self.clients = clients
        faults = ",".join(f"{word}:{count}" for word, count in
                          (("crash", crash), ("cut", cut), ("lose-answer", lose_answer)))
        self.options = ["--clients", clients, "--rounds", rounds, "--nested", 0,
                        "--halfway", 0, "--writes", 0, "--leases", leases,
                        "--faults", faults]
        if work_fits_lease:
            self.options += ["--assume", "work-fits-lease"]
        self.defines = [f"-DCLIENTS={clients}", f"-DROUNDS={rounds}", f"-DLEASES={leases}",
                        f"-DCRASHES={crash}", f"-DCUTS={cut}", f"-DLOST_ANSWERS={lose_answer}",
                        f"-DWORK_FITS_LEASE={int(work_fits_lease)}"]

    def __str__(self):
        return " ".join(str(word) for word in self.options)


def obey(*command, cwd=None):
    finished = subprocess.run([str(word) for word in command], cwd=cwd, text=True, timeout=1200,
                              stdin=subprocess.DEVNULL, capture_output=True)
    if finished.returncode != 0:
        raise RuntimeError(f"{command}: {finished.stdout}{finished.stderr}")
    return finished.stdout


class Model:
    def __init__(self, stage, bounds, *defines, models=MODELS):
        self.path = Path(models) / f"stage{stage}.pml"
        self.head = f"v1 stage{stage} strict"
        self.fresh = "ABCD"[bounds.clients]
        self.defines = [*bounds.defines, *defines]

    def search(self):
        """Every state, breadth first."""
        with tempfile.TemporaryDirectory() as folder:
            obey("spin", "-a", *self.defines, self.path, cwd=folder)
            obey(*shlex.split(os.environ.get("CC", "cc")), "-w", "-DBFS", "-DSAFETY",
                 "-DNOREDUCE", "-o", "pan", "pan.c", cwd=folder)
            said = obey("./pan", "-c0", "-e", "-w18", cwd=folder)
            assert "error: " not in said and "max search depth" not in said, said
            first = {}
            for number, lost in re.findall(r"^pan:(\d+): assertion violated (\w+) ", said, re.M):
                first.setdefault(lost, Path(folder) / f"{self.path.name}{number}.trail")
            schedules = {lost: self.run("-k", trail)[0] for lost, trail in first.items()}
        # The first state is counted as a transition, too.
        return Found(int(re.search(r"^ *(\d+) states, stored$", said, re.M)[1]),
                     int(re.search(r"^ *(\d+) transitions ", said, re.M)[1]) - 1, schedules)

    def run(self, *options):
        """One run, along a trail or by chance: as ./scenarios/explore would write it,
        and what is lost at its end."""
        with tempfile.TemporaryDirectory() as folder:  # spin writes where it stands
            said = subprocess.run(["spin", *self.defines, *map(str, options), "-T", "-B",
                                   self.path], cwd=folder, text=True, capture_output=True,
                                  stdin=subprocess.DEVNULL, timeout=1200).stdout
        words = re.findall(r"^[A-Z]\d?[:<>]\S*$|^t\+\S+$", said, re.M)
        line = re.sub(r"\b(\w\d?)> \1<", r"\1><", " ".join([self.head, *words]))
        if f"{self.fresh}:enter" in words:
            line += f" {self.fresh}:must-be-inside"
        lost = re.search(r"text of failed assertion: assert\((\w+)\)", said)
        return line, lost and lost[1]


def steps(schedule):
    """How many things happen in a schedule."""
    words = schedule.split()[3:]
    return sum(2 if word.endswith("><") else not word.endswith(":must-be-inside")
               for word in words)


class Found:
    """What a search has found, whoever searched."""

    def __init__(self, states, transitions, schedules):
        self.states = states
        self.transitions = transitions
        self.schedules = schedules
        self.lost = {lost: steps(line) for lost, line in sorted(schedules.items())}

    def __str__(self):
        lost = ", ".join(f"{lost} in {length}" for lost, length in self.lost.items())
        return f"{self.states:>8}{self.transitions:>13}  {lost or 'nothing'}"


def modelled(stage, bounds, models=MODELS):
    """Counts states in which clients have no names, and schedules in which they have."""
    alike = Model(stage, bounds, "-DALIKE", models=models).search()
    named = Model(stage, bounds, models=models).search()
    assert alike.lost == named.lost
    return Found(alike.states, alike.transitions, named.schedules)


def explored(stage, bounds, explore=ROOT / "scenarios/explore"):
    said = subprocess.run([str(explore), "--stage", str(stage), "--format", "json",
                           *map(str, bounds.options)], text=True, capture_output=True, timeout=1200)
    document = json.loads(said.stdout)
    assert document["end"] == "empty"
    return Found(document["positions"], document["transitions"],
                 {lost: entry["schedule"] for lost, entry in document["properties"].items()
                  if entry["lost"]})


def main():
    if not shutil.which("spin"):
        sys.exit("spin is not here: make setup installs it")
    print("stage  states  transitions  lost, and in how many steps")
    differ = False
    for stage in STAGES:
        model, real = modelled(stage, Bounds()), explored(stage, Bounds())
        same = vars(model) == vars(real)
        print(f"{stage:<5}{model}" + ("" if same else f"\n     {real} on real clients"))
        differ = differ or not same
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
