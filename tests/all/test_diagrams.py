"""Diagrams of the documented races on all locks but the stages, which tests/test_pictures.py has."""

import pytest

from pictures import drawn
from test_pictures import LOST, check_bars


@pytest.mark.parametrize("race", sorted({race for race, _ in LOST}))
def test_each_bar_of_a_diagram_ends(race):
    for lock in (lock for lost, lock in LOST if lost == race and not lock.startswith("stage")):
        check_bars(drawn(race, lock, "mermaid"))
