"""The app of the site in a headless Chromium: the table."""

import pytest

pytest.importorskip("selenium", reason="python3-selenium is missing: common/setup.sh install browser")

import browser  # noqa: E402
from site_of_tests import RACES, shown_locks, site  # noqa: E402

pytestmark = pytest.mark.skipif(not (browser.CHROMIUM and browser.DRIVER),
                                reason="chromium is missing: common/setup.sh install browser")

LEFT, UP, RIGHT, DOWN = "\ue012", "\ue013", "\ue014", "\ue015"
HOME, END, ENTER, ESCAPE = "\ue011", "\ue010", "\ue007", "\ue00c"
SHOWN = "return document.getElementById('view').dataset.shows === arguments[0]"
EVERYTHING = "table?show=road+detour+bugs"


@pytest.fixture(scope="module")
def chromium():
    with browser.opened(site()) as opened:
        yield opened


@pytest.fixture
def page(chromium):
    chromium.look_like()
    yield chromium
    assert chromium.errors() == []


def with_a_bug(page):
    """The site has no check of scenarios/bugs: one more race, as if it were one. Then the table."""
    page.open("start")
    page.run("""lockstep.keepSite({...lockstep.site, races: [...lockstep.site.races,
            {name: "a_check", group: "bugs/owner", title: "a check"}]});
        lockstep.site.verdicts.a_check = "B".repeat(lockstep.site.locks.length);""")


def go(page, address):
    page.run("location.hash = arguments[0]", address)
    page.wait(SHOWN, address)


def seen(page, selector):
    return page.run("""return [...document.querySelectorAll(arguments[0])].filter(
        element => element.checkVisibility()).map(element => element.textContent)""", selector)


def columns(page):
    return page.run("""return [...document.querySelectorAll(".heat thead th")].filter(
        head => head.checkVisibility()).map(head => head.dataset.lock)""")


# --- the table -------------------------------------------------------------------------------------


def test_the_ladder_and_the_documented_races_come_first(page):
    with_a_bug(page)
    go(page, "table")
    assert columns(page) == [f"stage{number}" for number in range(10)]
    assert seen(page, ".heat tbody [data-race] th") == RACES
    kinds = [{"stage"}]
    for name in ("road", "detour"):
        page.run("document.querySelector(`.box input[name=${arguments[0]}]`).click()", name)
        kinds.append(kinds[-1] | {name})
        locks = [name for name in shown_locks() if name.split("_")[0].rstrip("0123456789") in kinds[-1]]
        assert len(columns(page)) == len(locks)
    page.run("document.querySelector('.box input[name=bugs]').click()")
    assert seen(page, ".heat tbody [data-race] th") == [*RACES, "a_check"]
    lines = page.run("""return [...document.querySelectorAll(".heat thead .first, .heat .first[data-shelf] .group")].map(
        element => { const {boxShadow, borderTopWidth} = getComputedStyle(element);
                     return boxShadow !== "none" || borderTopWidth !== "0px"; })""")
    assert lines == [False, True, True, False, True]  # stages, roads, detours, documented, bugs
    page.wait(SHOWN, EVERYTHING)


def test_a_filter_builds_no_row_again(page):
    page.open(EVERYTHING)
    page.run("""window.changes = [];
        new MutationObserver((records) => changes.push(...records)).observe(document.querySelector(".heat"),
            {childList: true, subtree: true});
        window.cells = [...document.querySelectorAll(".heat td")];""")
    found = []
    for words in ("l", "la", "late", "", "no such race", ""):
        page.run("""const find = document.querySelector("input[type=search]");
            find.value = arguments[0]; find.dispatchEvent(new Event("input"));""", words)
        found.append(len(seen(page, "tr[data-race] th")))
    assert found == [3, 1, 1, 3, 0, 3]
    page.run("""const verdict = document.querySelectorAll(".filters select")[2];
        verdict.value = "B"; verdict.dispatchEvent(new Event("change"));
        document.querySelectorAll(".box input").forEach(box => { box.click(); box.click(); });""")
    assert page.run("return changes.length") == 0
    assert page.run("return cells.every(cell => cell.isConnected) && document.querySelectorAll('.heat td').length === cells.length")


@pytest.mark.parametrize("address", ["table", EVERYTHING])
@pytest.mark.parametrize("width", [1920, 1280, 768, 390])
def test_head_and_names_stay_in_sight(page, width, address):
    """Scrolled to the end, down and right: the locks' names and the race's name are what one sees there."""
    page.look_like(width, 500)
    page.open(address)
    page.run("""document.querySelector(".frame").scrollIntoView();
        [...document.querySelectorAll(".heat td a")].filter(cell => cell.checkVisibility()).at(-1).scrollIntoView();""")
    seen_there = page.run("""const at = (element) => {
            const box = element.getBoundingClientRect();
            return element.contains(document.elementFromPoint(box.left + 8, box.bottom - 8));
        };
        const heads = [...document.querySelectorAll(".heat thead th a")].filter(head => head.checkVisibility());
        return [at(heads.at(-1)), at([...document.querySelectorAll("tr[data-race] th")].at(-1))];""")
    assert seen_there == [True, True]
    assert page.run("return document.documentElement.scrollWidth <= innerWidth")
