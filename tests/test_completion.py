"""common/completion.sh, with the tab key, in a shell on a terminal."""

import re
import shutil

import pytest

from lockstep import ROOT, run, tools
from terminal import Session

SHELLS = {"bash": "bash --norc -i", "zsh": "zsh -f -i"}


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.skipif(
    not shutil.which(name), reason=f"no {name}")) for name in SHELLS])
def shell(request):
    session = Session(f"exec env PS1='prompt>' {SHELLS[request.param]}", columns=200)
    session.wait_for("prompt>")
    session.type(". common/completion.sh\r")
    session.wait_until(lambda: session.screen.text.count("prompt>") == 2)
    yield session
    session.type("\x15exit\r")
    session.end()


@pytest.mark.parametrize("typed, completed", [
    ("./scenarios/matrix expired_d\t", "./scenarios/matrix expired_delete"),
    ("./scenarios/matrix --detou\t", "./scenarios/matrix --detours"),
    ("./scenarios/matrix --format jun\t", "./scenarios/matrix --format junit"),
    ("./scenarios/two_processes --stage detour_bl\t", "./scenarios/two_processes --stage detour_blpop"),
    ("./scenarios/two_processes --format merm\t", "./scenarios/two_processes --format mermaid"),
    ("./scenarios/matrix --engine mar\t", "./scenarios/matrix --engine mariadb"),
    ("./scenarios/play --goal fo\t", "./scenarios/play --goal foreign"),
    ("make FEED\t", "make FEEDBACK="),
    ("make exercise EX=late_g\t", "make exercise EX=late_grant"),
    ("make diff LOCK=detour_bl\t", "make diff LOCK=detour_blpop"),
    ("make muta\t", "make mutants"),
])
def test_tab(shell, typed, completed):
    shell.press(typed, completed)


PROGRAMS = [*tools(), "two_processes"]


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_option_is_completed_and_nothing_else(program):
    """An option begins a line of --help."""
    listed = re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", run(f"./scenarios/{program}", "--help").out, re.M)
    completed = run("bash", "-c", f"""
        . common/completion.sh
        COMP_WORDS=(./scenarios/{program} --) COMP_CWORD=1
        _lockstep_program ./scenarios/{program} && printf '%s\\n' "${{COMPREPLY[@]}}" """)
    assert "--help" in listed
    assert sorted(completed.out.split()) == sorted(listed)
