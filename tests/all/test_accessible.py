"""Each kind of page of the site, by the rules of axe-core: nothing serious is wrong."""

import pytest

from lockstep import ROOT

pytest.importorskip("selenium", reason="python3-selenium is missing: common/setup.sh install browser")

import browser  # noqa: E402

AXE = ROOT / "tests/formats/node_modules/axe-core/axe.min.js"
pytestmark = [browser.NEEDED,
              pytest.mark.skipif(not AXE.exists(), reason="axe-core is missing: common/setup.sh install formats node")]

VIEWS = ["start", "table", "table?show=road+detour", "cell/expired_delete/stage3", "cell/expired_delete/stage3@end",
         "cell/expired_delete/stage4/stage5@end", "race/nested_call", "lock/stage3", "diff/4/5", "quiz/2/1",
         "play/stage4/exclusion/111141111", "search", "search/stage2/exclusion@3", "nowhere"]
PAGES = ["docs/index.html", "docs/stage3.html", "docs/matrix.html", "docs/trace.html", "docs/start.html"]
# What is serious, and an empty head, which axe-core calls minor.
ASK = """const done = arguments[0];
    axe.run(document, {resultTypes: ["violations"], preload: false}).then(({violations}) => done(violations.filter(
        ({id, impact}) => ["serious", "critical"].includes(impact) || id === "empty-table-header").flatMap(
        ({id, nodes}) => nodes.map(({target, html}) => `${id}: ${target.join(" ")}: ${html.slice(0, 80)}`))));"""


def wrong(page):
    page.run(AXE.read_text())
    page.driver.set_script_timeout(browser.LIMIT_S)
    return page.driver.execute_async_script(ASK)


@pytest.mark.parametrize("width, dark", [(1280, False), (390, True)], ids=["1280-light", "390-dark"])
@pytest.mark.parametrize("address", [*VIEWS, *PAGES])
def test_nothing_serious_is_wrong(page, address, width, dark):
    page.look_like(width, 900, dark)
    page.open("", page=address) if address in PAGES else page.open(address)
    assert wrong(page) == []
