"""--help is an answer, not an error, of every program."""

import pytest

from lockstep import ROOT, run

PROGRAMS = [ROOT / "scenarios/two_processes", ROOT / "build/clients/stage5_token_lua"]
PROGRAMS += [ROOT / "scenarios" / tool.stem for tool in sorted(ROOT.glob("common/tools/*.c"))]


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_help(program, option):
    finished = run(program, option)
    assert finished.code == 0, finished
    assert finished.err == ""
    assert finished.out.startswith(f"Usage: {program.name} ")
    assert "show this text" in finished.out
