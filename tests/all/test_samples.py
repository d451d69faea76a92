"""The samples in the pages that need another server than Redis, or spin."""

import pytest

import samples
from lockstep import comparable
from test_guards import BLOCKS, IS_LONG, of_samples


@of_samples([sample for sample in BLOCKS if IS_LONG.search(sample[1])])
def test_samples_are_fresh(page, block):
    """`make docs` writes them anew."""
    if not samples.runs_here(block):
        pytest.skip("its server is not installed: make roads")
    assert comparable(samples.again(block)) == comparable(block)
