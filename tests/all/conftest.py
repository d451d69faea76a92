"""What the tests of the site in a browser share."""

import pytest


@pytest.fixture(scope="module")
def chromium():
    import browser  # selenium may be missing; then no test asks for it
    from site_of_tests import site
    with browser.opened(site()) as opened:
        yield opened


@pytest.fixture
def page(chromium):
    chromium.look_like()
    yield chromium
    assert chromium.errors() == []
