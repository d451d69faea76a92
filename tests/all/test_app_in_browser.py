"""The app of the site in a headless Chromium: its table, addresses, code, quiz and levels."""

import re

import pytest

pytest.importorskip("selenium", reason="python3-selenium is missing: common/setup.sh install browser")

import browser  # noqa: E402
from browser import END, ENTER, ESCAPE, RIGHT  # noqa: E402
from lockstep import ROOT, run  # noqa: E402
from tree import course  # noqa: E402
from site_of_tests import PLAYED, RACES, recordings, run_of, shown_locks, verdicts  # noqa: E402

pytestmark = browser.NEEDED

SHOWN = "return document.getElementById('view').dataset.shows === arguments[0]"
EVERYTHING = "table?show=road+detour+bugs"


def with_a_bug(page, more=0):
    """The site has no check of scenarios/bugs: one more race, as if it were one; and more documented ones."""
    page.open("start")
    page.run("""const {races, verdicts, locks} = lockstep.site, more = [...Array(arguments[0]).keys()].map(
            number => ({name: `more_${number}`, group: "1 Taking the lock", title: ""}));
        lockstep.keepSite({...lockstep.site, races: [races[0], ...more, ...races.slice(1),
            {name: "a_check", group: "bugs/owner", title: "a check"}]});
        for (const {name} of lockstep.site.races)
            verdicts[name] ||= "B".repeat(locks.length);""", more)


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


# --- addresses -------------------------------------------------------------------------------------

FOCUS = "return document.activeElement.getAttribute('href')"


def settled(page, address):
    """The address follows what is shown."""
    page.wait("return location.hash.slice(1) === arguments[0]", address)


def test_a_step_is_in_the_address(page):
    for cell in ("cell/expired_delete/stage4", "cell/expired_delete/stage4/stage5", "search/stage2/exclusion"):
        page.open(cell)
        page.press(RIGHT, RIGHT, RIGHT)
        settled(page, f"{cell}@3")
        said = page.all(".says"), page.all(".state"), page.all(".marked")
        page.open(f"{cell}@3")
        assert (page.all(".says"), page.all(".state"), page.all(".marked")) == said and "3/" in said[0][0]
        page.press(END)
        settled(page, f"{cell}@end")
        page.open(f"{cell}@end")
        assert page.run("return document.querySelector('div.verdict').checkVisibility()")


def test_a_filter_is_in_the_address(page):
    page.open("table")
    page.run("""const [section, lock, verdict] = document.querySelectorAll(".filters select");
        lock.value = "stage4_set_nx_ex"; lock.dispatchEvent(new Event("change"));
        verdict.value = "B"; verdict.dispatchEvent(new Event("change"));
        const find = document.querySelector("input[type=search]");
        find.value = "late & <i>"; find.dispatchEvent(new Event("input"));
        find.value = "late release"; find.dispatchEvent(new Event("input"));""")
    address = "table?find=late+release&lock=stage4&verdict=broken"
    settled(page, address)
    for again in (address, "table?section=3+Giving+it+back&lock=stage4"):
        page.open(again)
        assert seen(page, "tr[data-race] th") == ["expired_delete"] and columns(page) == ["stage4"]
    page.open(address)
    assert page.run("return [...document.querySelectorAll('.filters input[type=search], .filters select')].map(one => one.value)") == [
        "late release", "", "stage4_set_nx_ex", "B"]


def test_a_game_position_is_in_the_address(page):
    page.open("play/stage4")
    keys = "111141"
    page.press(*keys)
    settled(page, f"play/stage4/none/{keys}")
    page.run("""const goal = document.querySelector(".filters label:nth-child(2) select");
        goal.value = "0"; goal.dispatchEvent(new Event("change")); goal.blur();""")
    word = page.run("return document.querySelector('.filters label:nth-child(2) select').selectedOptions[0].textContent.split(':')[0]")
    settled(page, f"play/stage4/{word}/{keys}")
    shown = page.all(".log li"), page.text(".line code"), page.all(".move"), page.all(".board div")
    page.open(f"play/stage4/{word}/{keys}")
    assert (page.all(".log li"), page.text(".line code"), page.all(".move"), page.all(".board div")) == shown
    page.press("u")
    settled(page, f"play/stage4/{word}/{keys[:-1]}")


@pytest.mark.parametrize("way", ["back", "escape", "link"])
def test_one_comes_back_to_the_same_place_in_the_table(page, way):
    page.look_like(1280, 500)
    with_a_bug(page, more=60)
    go(page, "table?show=bugs")
    cell = "cell/nested_call/stage5"
    page.run("""const cell = document.querySelector(`.heat a[href="#${arguments[0]}"]`);
        cell.scrollIntoView({block: "center"}); cell.focus();""", cell)
    where = "return [scrollY, document.querySelector('.frame').scrollTop]"
    before = page.run(where)
    page.press(ENTER)
    page.wait(SHOWN, cell)
    page.press(RIGHT)
    settled(page, f"{cell}@1")
    if way == "back":
        page.driver.back()
    elif way == "escape":
        page.press(ESCAPE)
    else:
        page.run("document.querySelector('.where a').click()")
    page.wait(SHOWN, "table?show=bugs")
    assert page.run(FOCUS) == f"#{cell}" and page.run(where) == before and before[1] > 500
    assert page.run("return document.querySelector('.box input[name=bugs]').checked")
    page.press(RIGHT)
    assert page.run(FOCUS) == "#cell/nested_call/stage6"


def test_from_a_copied_address_one_comes_to_its_cell(page):
    page.open("cell/expired_delete/detour_get_del")
    page.press(ESCAPE)
    page.wait(SHOWN, "table?show=detour")
    assert page.run(FOCUS) == "#cell/expired_delete/detour_get_del"
    page.open("race/nested_call")
    page.press(ESCAPE)
    page.wait(SHOWN, "table")
    assert page.run(FOCUS) == "#race/nested_call"


@pytest.mark.parametrize("address, why", [
    ("cell/expired_delete/stage4@99", "This run has 21 steps, and no step 99."),
    ("cell/expired_delete/stage4@x", "This run has 21 steps, and no step x."),
    ("table?verdict=good", "The table has no filter verdict=good."),
    ("table?lock=stage77", "The table has no filter lock=stage77."),
    ("table/x", "The table has no part x."),
    ("search/stage77/exclusion", "The search has no run that loses exclusion on stage77."),
    ("quiz/x", "There is no set x in the quiz."), ("quiz/3/0", "There is no question 0 in the quiz."),
    ("play/stage4/fame", "There is no goal fame in the game against stage4."),
    ("play/stage4/none/11z", "After 2 moves of this game there is no move z."),
    ("50%", "“50%” is no part of this site.")])
def test_an_unknown_address_says_what_is_wrong(page, address, why):
    page.open(address)
    assert page.text("h1") == "There is no such page" and page.text("main p").startswith(why)


# --- code ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1280, 1920])
def test_the_code_opens_at_the_function_that_acts(page, width):
    """The lines of lock.c that are in sight, and those that light up, from step to step."""
    page.look_like(width)
    page.open("cell/expired_delete/stage3")
    in_sight = """const code = document.querySelector(".right .code"), box = code.getBoundingClientRect();
        return [...code.children].filter(line => line.getBoundingClientRect().top >= box.top - 2 &&
            line.getBoundingClientRect().bottom <= box.bottom).map(line => line.textContent).join("")"""
    assert page.run(in_sight).lstrip().startswith("enum lock_result lock_acquire(")
    marked = {}
    for _ in range(page.run("return document.querySelector('.picture svg').dataset.rows.trim().split(' ').length - 1")):
        page.press(RIGHT)
        lines = page.all(".code .marked")
        for sent in ("A asks Redis: GET lock", "B asks Redis: GET lock"):
            if sent in page.text(".says"):
                marked[sent] = page.run("return [...document.querySelectorAll('.code .marked')].map(line => Number(line.dataset.line))")
                assert "lock_release(" in page.run(in_sight) if sent[0] == "A" else len(lines) == 1
        assert len(lines) <= 1, page.text(".says")
        assert not lines or lines[0] in page.run(in_sight)
    assert len(marked) == 2 and marked["A asks Redis: GET lock"] != marked["B asks Redis: GET lock"]


# --- the quiz --------------------------------------------------------------------------------------


def question(page):
    return page.text(".halves h2").split(":")[0], re.search(r"stage (\d)", page.text("h1"))[1]


def test_the_quiz_begins_with_the_course(page):
    asked = []
    for number in range(1, len(RACES) + 1):
        page.open(f"quiz/1/{number}")
        asked.append(question(page))
    rungs = [(race, rung) for race, rung, _ in course() if race in RACES]
    assert page.text(".where") == f"Set 1, question {len(RACES)} of {len(RACES)}" and len(rungs) == len(RACES)
    for (race, stage), (expected, rung) in zip(asked, rungs, strict=True):
        assert race == expected and int(stage) in (rung - 1, rung)
    page.open("quiz/2/1")
    stages = page.run("return lockstep.quizSet(2).map(([, lock]) => Number(lock.short.slice(5)))")
    assert len(stages) == 10 and stages == sorted(stages)


@pytest.mark.parametrize("right", [True, False])
def test_a_wrong_answer_opens_the_run_at_the_step_that_decides(page, right):
    """Of expired_delete, stage 4: A deletes B's lock."""
    keys = {"B": "1", "h": "2", "c": "3"}
    for number in range(1, 11):
        page.open(f"quiz/2/{number}")
        if question(page) == ("expired_delete", "4"):
            break
    race, stage = question(page)
    assert (race, stage) == ("expired_delete", "4")
    letter = verdicts()[race, f"stage{stage}"]
    page.press(keys[letter] if right else "3")
    words = page.text(".says")
    if right:
        assert re.match(r"\d+ steps", words)
        return
    assert "B's lock is gone" in words and "A's \"DEL lock\" removed B's lock" in run_of(race, "stage4_set_nx_ex")["because"]
    step = words.split("/")[0]
    page.run("document.querySelector('.quiz p > a[href^=\"#cell\"]').click()")
    page.wait(SHOWN, f"cell/{race}/stage{stage}@{step}")


# --- the levels of the game ------------------------------------------------------------------------


def test_each_level_is_won_in_the_fewest_moves(page):
    page.open("play/stage1")
    page.run("localStorage.clear()")
    page.open("play/stage1")
    levels = page.run("return [...document.querySelectorAll('.levels a')].map(a => a.getAttribute('href').slice(1))")
    assert levels == [f"play/{lock}/{goal}" for lock, goal in recordings.LEVELS if lock in PLAYED]
    for number, level in enumerate(levels):
        page.open(level)
        assert page.all(".won") == []
        fewest = int(re.search(r"(\d+) moves", page.text(".levels a[aria-current]"))[1])
        page.press("h")
        for _ in range(fewest):
            page.press("h")
            if "Ask again" in page.text(".message"):
                page.press("h")
            page.run("""[...document.querySelectorAll(".move")].find(move =>
                move.textContent.endsWith(" " + arguments[0])).click(); document.activeElement.blur();""",
                     page.text(".message").removeprefix("Next on the way: "))
        assert page.text(".won h2") == f"Level {number + 1} is won in {fewest} moves" and "No way is shorter." in page.text(".won")
        assert len(page.all(".lanes tbody tr")) == fewest
        schedule = re.search(r"'(.*)'", page.text(".line code"))[1]
        assert run(ROOT / "scenarios/replay", schedule).verdict == "BROKEN", schedule
        assert page.text(".won strong") and page.text(".cause").startswith("Lost because ")
        assert "won ✓" in page.text(".levels a[aria-current]")
        next_address = page.run("return document.querySelector('.won .next').getAttribute('href').slice(1)")
        assert next_address == (levels[number + 1] if number + 1 < len(levels) else "table")
    page.open(levels[1])
    assert len(page.all(".levels [data-won]")) == len(levels)


def test_a_won_level_shows_its_run_and_who_survives_it(page):
    page.open("play/stage4/exclusion/111141111")
    assert page.text(".survives") == "Stage 6 answers this: it does not lose by these moves."
    filled = page.run("""return [...document.querySelectorAll(".lanes tbody tr")].map(row =>
        [...row.querySelectorAll("[data-filled]")].map(cell => cell.cellIndex - 2 + cell.className).join(" "))""")
    assert filled == ["", "0a", "0a 1a", "1a", "1a", "0b 1a", "0b 1a 2b", "0b 1a 2b", "0b 1a 2b"]
    assert page.run("return document.querySelector('.board .lock').classList.contains('b')")  # the owner's colour
    page.press(*"uuuuuu")
    assert page.all(".won") == [] and page.run("return document.querySelector('.board .lock').classList.contains('a')")


# --- pictures --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", ["cell/expired_delete/stage4", "cell/expired_delete/road_redlock", "cell/expired_delete/stage4/stage5"])
@pytest.mark.parametrize("width", [1280, 390])
def test_letters_are_large_enough_and_the_lock_s_lane_stays_in_sight(page, width, cell):
    page.look_like(width, 844)
    page.open(cell)
    smallest = page.run("""return Math.min(...[...document.querySelectorAll(".picture svg.whole text")].map(text =>
        parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getScreenCTM().a))""")
    assert smallest >= 11
    assert page.run("return document.documentElement.scrollWidth <= innerWidth")
    lanes = """return [...document.querySelectorAll(".picture")].map(frame => {
        const box = frame.getBoundingClientRect(), lane = frame.querySelector(".lane").getBoundingClientRect();
        return [Math.round(lane.right - box.left) >= 164, lane.right <= box.right];
    })"""
    for _ in range(14):
        page.press(RIGHT)
        assert all(map(all, page.run(lanes)))
    same = page.run("""return [...document.querySelectorAll(".picture")].map(frame => {
        const [lane, whole] = ["lane", "whole"].map(name => frame.querySelector(`.${name} .now`).getBoundingClientRect());
        return [lane.top - whole.top, lane.height - whole.height];
    })""")
    assert all(abs(number) < 1 for pair in same for number in pair)
