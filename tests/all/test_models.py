"""The search of ./scenarios/explore against models of the same locks, searched by
spin: the same states, transitions and losses, and the same shortest schedules, step
for step. `python3 tests/spin.py` prints the figures that stand in docs/models.md."""

import shutil

import pytest

from lockstep import run
from spin import MODELS, STAGES, Bounds, Model, explored, modelled, steps

BOUNDS = [
    Bounds(),
    Bounds(clients=1, rounds=3, cut=1),
    Bounds(clients=3),
    Bounds(rounds=2, cut=1, lose_answer=1),
    Bounds(leases=3, crash=2, work_fits_lease=True),
]

# What a model could have wrong, each in a stage where that must be noticed.
MISTAKES = {
    "anybody's lock is deleted": (5, "stage5.pml", "&& mine[i] == token[i]", ""),
    "no lease": (4, "stage4.pml", "ends = now + LEASE;", ""),
    "a lease without a key": (2, "stage2.pml", "sends[i] == LEND && key", "sends[i] == LEND"),
    "the dead are silent": (1, "moves.inc", "at[i] = DEAD;", "at[i] = DEAD; sends[i] = NONE;"),
    "a millisecond too early": (4, "moves.inc", "ends + 1 - now", "ends - now"),
    "time ends early": (1, "moves.inc", "now + UNTIL_NEXT <= ", "now + UNTIL_NEXT < "),
    "no faults": (1, "moves.inc", "    ANY(FAULTS)\n", ""),
    "nobody is asked": (4, "moves.inc", "HOW_MANY(IS_UNASKED) == 0", "HOW_MANY(IS_UNASKED) == 2"),
    "nobody is the owner": (4, "state.inc", "made[i] = 1", "made[i] = 0"),
}


# Each stage with the usual bounds and with half of the others.
PAIRS = [(stage, bounds) for i, stage in enumerate(STAGES) for j, bounds in enumerate(BOUNDS)
         if j == 0 or (i + j) % 2 == 0]


@pytest.mark.parametrize("stage, bounds", PAIRS, ids=str)
def test_model_and_search_agree(stage, bounds):
    model, real = modelled(stage, bounds), explored(stage, bounds)
    assert model.lost == real.lost
    assert model.schedules == real.schedules
    assert (model.states, model.transitions) == (real.states, real.transitions)


@pytest.mark.parametrize("stage", STAGES)
def test_what_the_model_loses_is_lost(stage):
    for line in Model(stage, Bounds()).search().schedules.values():
        finished = run("./scenarios/replay", line)
        assert finished.verdict == "BROKEN", finished


@pytest.mark.parametrize("stage", STAGES)
def test_what_the_model_does_can_happen(stage):
    """Runs by chance, on real clients and a real server: no step diverges, and what
    the model loses is lost, and nothing else."""
    model = Model(stage, Bounds(clients=3, rounds=2, cut=1, lose_answer=1))
    verdicts = set()
    for seed in range(1, 13):
        line, lost = model.run(f"-n{seed}")
        finished = run("./scenarios/replay", line)
        assert finished.verdict == ("BROKEN" if lost else "HOLDS"), finished
        assert steps(line) > 5
        verdicts.add(finished.verdict)
    assert len(verdicts) == 2


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_noticed(tmp_path, mistake):
    stage, name, right, wrong = MISTAKES[mistake]
    shutil.copytree(MODELS, tmp_path, dirs_exist_ok=True)
    text = (tmp_path / name).read_text()
    assert text.count(right) == 1
    (tmp_path / name).write_text(text.replace(right, wrong))
    assert vars(modelled(stage, Bounds(), tmp_path)) != vars(explored(stage, Bounds()))
