"""The site in a headless Chromium: every cell opens, keys suffice, nothing complains."""

import re
import struct
import zlib

import pytest

from lockstep import ROOT, race_source, read_matrix, run, short

pytest.importorskip("selenium", reason="python3-selenium is missing: common/setup.sh install browser")

import browser  # noqa: E402
from browser import DOWN, END, ENTER, ESCAPE, HOME, LEFT, RIGHT, TAB  # noqa: E402
from site_of_tests import RACES, recordings, run_of, shown_locks, verdicts  # noqa: E402

pytestmark = browser.NEEDED

SIGNS = {"h": "✓", "B": "✕", "c": "–", "i": "?"}
VIEWS = ["start", "table", "cell/expired_delete/stage3", "cell/expired_delete/stage4/stage5", "race/nested_call",
         "lock/stage3", "diff/4/5", "quiz/2/1", "play/stage4", "play/road_redlock",
         "search", "search/stage2/exclusion"]


# --- the first page --------------------------------------------------------------------------------


def played(page, guess):
    """The first page, played until it asks, answered, and played to its end."""
    page.open("")
    page.run("lockstep.pace_ms = 1")
    page.press(" ")  # Play has the focus
    page.wait("return document.querySelector('[data-say]') !== null")
    assert page.text(".sentence") == "C tries next. Will C get in?"
    assert hidden_words(page) >= {"C tries", "B and C are both inside"} and "BROKEN" not in page.text("main")
    page.press(RIGHT, END)  # nothing leads past the question
    assert page.text(".player .count") == "15/21"
    page.press(guess)
    page.wait("return document.querySelector('.mend') !== null")


def hidden_words(page):
    """Of the picture: what is not seen."""
    return set(page.run("""return [...document.querySelectorAll(".film svg.whole text")].filter(
        text => getComputedStyle(text).visibility === "hidden").map(text => text.textContent)"""))


@pytest.mark.parametrize("guess, told", [("1", "You guessed that the lock holds. It does not."), ("2", "You guessed right.")])
def test_the_first_page_is_played_to_its_end(page, guess, told):
    played(page, guess)
    said = run_of("expired_delete", "stage4_set_nx_ex")
    assert page.text(".sentence") == f"BROKEN: {said['reason']}"
    assert page.text(".cause") == f"Lost because {said['because']}" and page.text(".told") == told
    assert "B and C are both inside" not in hidden_words(page)
    assert page.all(".film [data-inside=yes] b") == ["B", "C"]
    page.run("document.querySelector('.mend').focus()")
    page.press(ENTER)
    assert page.all(".mending .sentence") == ["A asks Redis: DEL lock.", "A asks Redis: EVALSHA release 1 lock A1."]
    lines = page.all(".mending .diff .line")
    assert [line[0] for line in lines] == ["+", "+", "-", "+"] and '"DEL %s", lock->key' in lines[2]
    page.press(RIGHT)
    assert page.all(".mending .sentence") == [
        "Redis answers A: 1. B's lock is gone: now the lock is free. A is outside.",
        "Redis answers A: 0. Nothing is removed. A is outside, and hears that the lock is not its own."]
    page.press(END)
    assert page.all(".mending .sentence") == ["BROKEN: B and C are both inside.", "HOLDS: only B is inside."]


def test_the_keys_go_through_the_run_that_has_the_focus(page):
    played(page, "2")
    page.run("document.querySelector('.mend').click()")
    counts = page.all(".player .count")
    page.run("document.querySelector('.film .play').focus()")
    page.press(LEFT)
    assert page.all(".player .count") == ["20/21", counts[1]]
    page.run("document.querySelector('.mending .play').focus()")
    page.press(HOME)
    assert page.all(".player .count") == ["20/21", "0/21"]


@pytest.mark.parametrize("width", [1920, 1280, 768, 390])
def test_the_letters_of_its_pictures_are_large_enough(page, width):
    page.look_like(width)
    played(page, "2")
    page.run("document.querySelector('.mend').click()")
    sizes = page.run("""return [...document.querySelectorAll("svg.whole")].map(svg =>
        11.5 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)""")
    assert len(sizes) == 3 and min(sizes) >= 11
    assert page.run("return document.documentElement.scrollWidth <= innerWidth")


def test_before_the_first_step_nothing_is_seen(page):
    page.open("start")
    assert "SET lock locked NX EX 30" in hidden_words(page) and page.text(".player .count") == "0/21"
    said = []
    for _ in range(15):
        said.append(page.text(".sentence"))
        page.press(RIGHT)
    assert said[1:4] == ["A asks Redis: SET lock locked NX EX 30.", "Redis answers A: OK. Now the lock is taken, for 30 s. A is inside.",
                         "Time passes: A's lease has 1 s left."]
    assert all(re.fullmatch(r"[A-Z0-9].*[.?!]", words) for words in said) and len(set(said)) == 15
    page.press(LEFT)
    assert page.text(".sentence") == said[14]
    assert page.all(".film .marked") == ['    struct reply reply = redis_call(lock->redis, "DEL %s", lock->key);\n']
    page.press(HOME)
    assert page.text(".sentence") == said[0]


def test_the_cards_count_what_the_table_has(page):
    page.open("start")
    truth, documented = verdicts(), [race for race in RACES if not race_source(race).parts[-3] == "bugs"]
    cards = page.run("""return [...document.querySelectorAll(".card")].map(card => [card.dataset.lock,
        card.querySelector(".lost").textContent, card.querySelector(".small a")?.getAttribute("href")])""")
    assert [lock for lock, _, _ in cards] == [f"stage{number}" for number in range(10)]
    for lock, words, killer in cards:
        lost = [race for race in documented if truth[race, lock] == "B"]
        assert words == f"{len(lost)} of {len(documented)} races lost"
        assert killer in [f"#cell/{race}/{lock}" for race in lost] or (killer is None and not lost)
    pictures = page.wait("""const all = [...document.querySelectorAll(".card img")];
        all.forEach(image => { image.loading = "eager"; });
        return all.every(image => image.complete) && all.map(image => [image.naturalWidth, image.width > 100,
            image.parentNode.getAttribute("href"), Number(image.getAttribute("width"))])""")
    assert [href for _, _, href, _ in pictures] == [killer for _, _, killer in cards if killer]
    assert all(seen and shown and seen == told for seen, shown, _, told in pictures)
    assert dict((lock, killer) for lock, _, killer in cards)["stage4"] == "#cell/expired_delete/stage4"
    assert f"{len(documented)} documented ways to lose it" in page.text(".lead")
    # A check of scenarios/bugs is not counted, and a race that cannot happen is not lost.
    page.run("""for (const [name, group, letter] of [["a_check", "bugs/owner", "B"], ["a_race", "1 Taking it", "c"]]) {
            lockstep.site.races.push({name, group, title: ""});
            lockstep.site.verdicts[name] = letter.repeat(lockstep.site.locks.length);
        }
        lockstep.show();""")
    page.wait("return document.querySelector('.lost').textContent.includes(arguments[0])", f"of {len(documented) + 1} ")
    assert page.all(".lost") == [words.replace(f"of {len(documented)}", f"of {len(documented) + 1}") for _, words, _ in cards]


def test_the_doors_lead_where_they_say(page):
    page.open("start")
    doors = page.run("return [...document.querySelectorAll('.door')].map(door => [door.getAttribute('href'), door.querySelector('h3').textContent])")
    assert [title for _, title in doors] == ["Break it yourself", "Predict", "All races"]
    shown = []
    for address, _ in doors:
        page.open(address[1:])
        shown.append(page.text("h1"))
    assert shown == ["Play against Stage 4, set nx ex", shown[1], "Every race against every lock"]
    assert shown[1].startswith("Does stage ")
    page.open(doors[0][0][1:])
    assert page.run("""const goal = document.querySelector(".filters label:nth-child(2) select");
        return goal.selectedOptions[0].textContent""").startswith("exclusion: ")
    page.press("h")
    assert re.match(r"The goal is \d+ moves away", page.text(".message"))


def test_the_menu_leads_where_it_says(page):
    page.open("start")
    menu = page.run("""return [...document.querySelectorAll("header nav > *")].map(part =>
        (part.querySelector("summary") || part).textContent)""")
    assert menu == ["Start", "Course", "Races", "Play", "Quiz", "Search"]
    assert page.all(".menu p a") == ["Overview", *map(str, range(10)), "Roads"]
    for address in page.run("return [...document.querySelectorAll('header nav > a')].map(a => a.getAttribute('href'))"):
        page.open(address[1:])
        assert page.all("[aria-current]") and page.text("h1") != "There is no such page"


def test_old_addresses_lead_to_the_same(page):
    page.open("table")
    cells = page.all(".heat td a")
    page.open("matrix")
    assert cells and page.all(".heat td a") == cells and page.all("[aria-current]") == ["Races"]


# --- the table, and its runs -------------------------------------------------------------------------


def test_the_table_is_the_matrix(page):
    page.open("table")
    page.run("[...document.querySelectorAll('.box input:not(:checked)')].forEach(box => box.click())")
    shown = page.run("""return [...document.querySelectorAll("tr[data-race]")].filter(row => row.checkVisibility()).map(row =>
        [row.dataset.race, [...row.querySelectorAll("td a")].map(a => [a.getAttribute("href"), a.textContent])])""")
    ordered = sorted(shown_locks(), key=lambda lock: ["stage", "road", "detour"].index(re.match("[a-z]+", lock)[0]))
    truth = verdicts()
    expected = [[race, [[f"#cell/{race}/{short(lock)}", SIGNS[truth[race, short(lock)]]] for lock in ordered]]
                for race in RACES]
    assert shown == expected
    counts = dict(re.findall(r"(BROKEN|holds|cannot happen) +(\d+)", page.text(".counts")))
    for word, verdict in (("BROKEN", "B"), ("holds", "h"), ("cannot happen", "c")):
        assert int(counts.get(word, 0)) == sum(row.count(SIGNS[verdict]) for row in
                                               ([sign for _, sign in cells] for _, cells in shown))


def test_filters(page):
    page.open("table")
    page.run("""const [section, lock, verdict] = document.querySelectorAll(".filters select");
        lock.value = "stage4_set_nx_ex"; lock.dispatchEvent(new Event("change"));
        verdict.value = "B"; verdict.dispatchEvent(new Event("change"));""")
    assert page.all("tr[data-race]:not([hidden]) th") == ["expired_delete", "nested_call"]
    page.run("""const find = document.querySelector("input[type=search]");
        find.value = "late release"; find.dispatchEvent(new Event("input"));""")
    assert page.all("tr[data-race]:not([hidden]) th") == ["expired_delete"]
    assert page.run("return [...document.querySelectorAll('.heat td a')].filter(cell => cell.checkVisibility()).length") == 1


def test_every_cell_opens(page):
    page.open("table")
    for race in RACES:
        for lock in shown_locks():
            words = f"cell/{race}/{short(lock)}"
            page.run("location.hash = arguments[0]", words)
            page.wait("return document.getElementById('view').dataset.shows === arguments[0]", words)
            said = run_of(race, lock)
            assert page.text(".picture .title") == f"{race} on {lock}"
            assert said["reason"] in page.text("div.verdict") and said["schedule"] in page.text(".copyable code")
            assert said.get("because", "") in page.text("div.verdict")


def test_the_arrow_keys_go_through_a_run(page):
    page.open("cell/expired_delete/stage3")
    rows = page.run("return document.querySelector('.picture svg').dataset.rows.trim().split(' ').length - 1")
    veil = "return Number(document.querySelector('.veil').getAttribute('height'))"
    assert page.run(veil) > 400
    heights, said = [], []
    for _ in range(rows):
        page.press(RIGHT)
        heights.append(page.run(veil))
        said.append(page.text(".says"))
    assert heights == sorted(heights, reverse=True) and len(set(heights)) == rows
    assert said[0].startswith(f"1/{rows} 0.000 A asks Redis: SETNX lock 1000000030.")
    assert any("Redis answers A: 1. B's lock is gone: now the lock is free. A is outside." in words for words in said)
    passes = [words.split(" ", 1)[1] for words in said if "Time passes" in words]
    assert passes == ["29.000 Time passes.", "60.000 Time passes."]
    assert sum("B asks Redis: SETNX" in words for words in said) == 1
    page.press(RIGHT, RIGHT)
    assert page.run(veil) == 0
    page.press(HOME, RIGHT, LEFT)
    assert page.text(".says") == said[0] and page.text(".state") == "lock: -"
    assert ["SETNX" in line for line in page.all(".code .marked")] == [True]
    page.press(END)
    assert page.run(veil) == 0


def test_two_locks_step_together(page):
    page.open("cell/expired_delete/stage4/stage5")
    page.press(RIGHT, RIGHT)
    assert [words.split()[0] for words in page.all(".says")] == ["2/21", "2/18"]
    assert page.all(".pair .badge") == ["✕ BROKEN", "✓ holds"]


SHOWN = "return [...document.querySelectorAll('div.verdict')].map(words => words.checkVisibility())"


@pytest.mark.parametrize("view", ["cell/expired_delete/stage4", "cell/expired_delete/stage4/stage5", "search/stage2/exclusion"])
def test_the_verdict_comes_with_the_last_step(page, view):
    page.open(view)
    count = len(page.all("div.verdict"))
    options = page.all(".filters option")
    assert count and page.run(SHOWN) == [False] * count and not any(re.match("[✕✓–]", words) for words in options)
    page.press(END)
    assert page.run(SHOWN) == [True] * count
    page.press(LEFT)
    assert page.run(SHOWN) == [False] * count
    page.press(RIGHT, RIGHT)  # the end stays
    assert page.run(SHOWN) == [True] * count
    switch = "document.querySelector('main .box input').click()"
    page.run(switch)
    page.open(view)
    page.wait("return document.querySelector('main .box input').checked")
    assert page.run(SHOWN) == [True] * count
    page.press(RIGHT)
    assert page.run(SHOWN) == [False] * count and page.text(".says").startswith("1/")
    page.run(switch)


def test_two_runs_are_aligned_by_the_steps_of_the_race(page):
    """Of each race on each two neighbouring stages: no row is left out, and a note, or a time that both
    runs have, comes in both at once."""
    page.open("table")
    for race in RACES:
        found = page.run("""return (async (race) => {
            const told = await lockstep.load(`runs/${race}`), stages = lockstep.site.locks.filter(lock => lock.kind === "stage");
            return stages.slice(1).map((lock, i) => {
                const runs = [stages[i], lock].map(one => lockstep.run(told, lockstep.runOn(told, one)));
                const begins = runs.map(run => run.rows.map((_, at) => run.events(at)[0]).map(
                    ([ms, , event, , , , , says]) => event === "note" ? says : event === "clock" ? String(ms) : ""));
                return [lockstep.align(...runs), begins];
            });
        })(arguments[0])""", race)
        for pairs, begins in found:
            assert pairs[0] == [-1, -1] and pairs[-1] == [len(rows) - 1 for rows in begins]
            for (one, other), (next_one, next_other) in zip(pairs, pairs[1:]):
                assert {next_one - one, next_other - other} in ({1}, {0, 1})
            first = [{name: [row for row, _ in pairs].index(at) if not side else [row for _, row in pairs].index(at)
                      for at, name in enumerate(rows) if name and rows.count(name) == 1} for side, rows in enumerate(begins)]
            both = first[0].keys() & first[1].keys()
            assert both and [first[0][name] for name in both] == [first[1][name] for name in both], race


def test_the_keyboard_suffices(page):
    page.open("table")
    for _ in range(20):  # the links above, and the filters
        page.press(TAB)
        if page.run("return document.activeElement.closest('td') !== null"):
            break
    address = "return document.activeElement.getAttribute('href')"
    assert page.run(address) == "#cell/two_processes/stage0"
    page.press(DOWN, RIGHT, RIGHT, RIGHT)
    assert page.run(address) == "#cell/expired_delete/stage3"
    page.press(ENTER)
    page.wait("return document.getElementById('view').dataset.shows === 'cell/expired_delete/stage3'")
    page.press(RIGHT)
    assert page.text(".says").startswith("1/")
    page.press(ESCAPE)
    page.wait("return document.getElementById('view').dataset.shows === 'table'")
    assert page.run(address) == "#cell/expired_delete/stage3"


def test_the_search_shows_what_it_finds(page):
    page.open("search")
    said = run(ROOT / "scenarios/explore", "--stage", "2", "--format", "json").document["properties"]
    shown = page.run("return [...document.querySelector('.answers-table').querySelectorAll('tbody tr:first-child td')]"
                     ".map(cell => cell.textContent)")
    assert shown == [str(one["steps"]) if one["lost"] else {"clean": "✓", "not tried": "–"}[one["answer"]]
                     for name, one in said.items() if name != "progress"]  # nobody loses that here
    text = (ROOT / "docs/assumptions.md").read_text().partition("$ ./scenarios/assumptions\n")[2]
    cells = page.run("""return [...document.querySelectorAll('.answers-table')[1].querySelectorAll('tbody tr')].map(row =>
        [...row.querySelectorAll('td')].map(cell => cell.textContent))""")
    lines = re.findall(r"^(?:stage\d|road_\w+) +(.*)$", text.partition("\n\n")[0], re.M)
    assert len(cells) == len(lines)
    for row, line in zip(cells, lines):
        assert " ".join(row).replace(" or ", " ").replace("–", "-").split() == line.split()
    page.open("search/stage2/exclusion")
    assert page.text(".copyable code") == f"./scenarios/replay '{said['exclusion']['schedule']}'"
    assert "A and B are both inside." in page.text("div.verdict")
    page.press(RIGHT)
    assert page.text(".says").startswith("1/")


QUIZ = 4


def test_the_quiz_counts(page):
    matrix = {(race, lock): verdict for race, lock, verdict in read_matrix()}
    words = {"holds": "holds", "BROKEN": "BROKEN", "cannot": "cannot happen"}
    right = 0
    for number in range(1, 4):
        page.run("location.hash = arguments[0]", f"quiz/{QUIZ}/{number}") if number > 1 else page.open(f"quiz/{QUIZ}/1")
        page.wait("return document.getElementById('view').dataset.shows === arguments[0]", f"quiz/{QUIZ}/{number}")
        assert page.all(".picture") == []
        lock = re.search(r"stage (\d)", page.text("h1"))[1]
        race = page.text(".halves h2").split(":")[0]
        page.press("1")
        verdict = matrix[race, f"stage{lock}"]
        right += verdict == "BROKEN"
        assert words[verdict] in page.text(".verdict .badge") and page.all(".picture .title") != []
        assert page.text(".told") == ("Right." if verdict == "BROKEN" else "You said: BROKEN.")
        assert page.text(".score") == f"Right: {right} of {number}"


def moves_of(page):
    return page.all(".move")


def test_a_game_in_the_browser_is_that_of_the_terminal(page):
    page.open("play/stage4")
    keys = ["1", "1", "1", "1", "4", "1", "1", "1", "1"]  # docs/play.md
    for key in keys[:3]:
        page.press(key)
    typed = "".join(f"{key}\n" for key in keys[:3])
    said = run(ROOT / "scenarios/play", *recordings.options("stage4"), input=f"{typed}s\n").out
    listed = re.findall(r"^ +\d+  (.*)$", said.split("What happens next?")[-1], re.M)
    assert [re.sub(r"^\w ", "", words) for words in moves_of(page)] == listed
    replays = re.findall(r"^Again: (.*)$", said, re.M)
    assert page.text(".line code") == replays[0]
    for key in keys[3:]:
        page.press(key)
    assert page.text(".message").startswith("LOST: exclusion. A and B are both inside.")
    line = page.text(".line code")
    assert line == "./scenarios/replay 'v1 stage4 strict A:enter A>< t+30.001 B:enter B>< A:held B:held'"
    page.press("u", "u")
    assert page.text(".message") == "" and len(page.all(".log li")) == len(keys) - 2
    page.press("r", "r")
    assert page.text(".line code") == line and "LOST: exclusion" in page.text(".message")
    page.press("n")
    assert page.all(".log li") == []


def test_the_moves_in_the_browser(page):
    """What the page offers is what the game in the terminal does within these bounds."""
    page.open("play/stage1")
    assert "Faults left: 1 crash, 1 stop, 1 lose-answer, 1 stranger; 1 in all." in page.text(".choices")
    typed = "1\n1\n"
    page.press(*typed.split())
    for fault in ("A is stopped", "B"):
        said = run(ROOT / "scenarios/play", *recordings.options("stage1"), input=typed).out
        listed = re.findall(r"^ +\d+  (.*)$", said.split("What happens next?")[-1], re.M)
        assert [re.sub(r"^\w ", "", words) for words in moves_of(page)] == listed
        number = next(i for i, words in enumerate(listed, 1) if words.startswith(fault))
        typed += f"{number}\n"
        page.press(str(number))


@pytest.mark.parametrize("address, reached", [("play/stage4", "exclusion"),
                                              ("play/detour_subscribe_once", "wakeup"),
                                              ("play/road_redlock", "exclusion")])
def test_hints_lead_to_each_goal_in_the_fewest_moves(page, address, reached):
    page.open(address)
    lost = set()
    for goal, title in enumerate(page.all(".filters label:nth-child(2) option")[1:]):
        page.run("""const goal = document.querySelector(".filters label:nth-child(2) select");
            goal.value = arguments[0]; goal.dispatchEvent(new Event("change")); goal.blur();""", str(goal))
        if "Out of reach" in page.text(".message"):
            continue
        page.press("n", "h")
        least = int(re.search(r"The goal is (\d+) moves? away", page.text(".message"))[1])
        for left in range(least, 0, -1):
            page.press("h")
            if "Ask again" in page.text(".message"):
                page.press("h")
            words = page.text(".message").removeprefix("Next on the way: ")
            page.run("""[...document.querySelectorAll(".move")].find(
                move => move.textContent.endsWith(" " + arguments[0])).click()""", words)
            page.run("document.activeElement.blur()")
        assert f"Goal reached in {least} move" in page.text(".message") and "no way is shorter" in page.text(".message")
        word = title.partition(":")[0]
        assert f"LOST: {word}." in page.text(".message")
        schedule = re.search(r"'(.*)'", page.text(".line code"))[1]
        assert run(ROOT / "scenarios/replay", schedule).verdict == "BROKEN", (word, schedule)
        lost.add(word)
    assert reached in lost


def pixels(png):
    """The bytes of the picture, each as its difference to a neighbour: a blank page has few but 0."""
    at, data = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        data += png[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += length + 12
    return zlib.decompress(data)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_views_fit_the_window_and_are_not_blank(page, width, dark):
    page.look_like(width, 900, dark)
    for view in VIEWS:
        page.open(view)
        assert page.run("return document.documentElement.scrollWidth <= innerWidth"), view
        assert page.run("return getComputedStyle(document.body).backgroundColor") == (
            "rgb(13, 17, 23)" if dark else "rgb(255, 255, 255)")
        shot = pixels(page.driver.get_screenshot_as_png())
        assert len(shot) - shot.count(0) > len(shot) // 100, view
    for text in ("docs/stage3.html", "docs/stage4.html", "races/expired_delete.html", "races/index.html"):
        page.open("", page=text)
        assert page.run("return document.documentElement.scrollWidth <= innerWidth"), text


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("path", ["docs/stage5.html", "docs/stage4.html", "docs/atlas/03_giving_back.html"])
def test_the_colours_of_code_can_be_read(page, path, dark):
    """A contrast of 4.5, as WCAG asks for, on the page, in a block and in a line of a difference."""
    page.look_like(1280, 900, dark)
    page.open("", page=path)
    seen = page.run("""
        const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
        const light = (colour) => numbers(colour).slice(0, 3).map(part => part / 255).map(part =>
            part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4).reduce((sum, part, at) =>
                sum + part * [0.2126, 0.7152, 0.0722][at], 0);
        const behind = (element) => {
            const colour = getComputedStyle(element).backgroundColor;
            return numbers(colour)[3] === 0 ? behind(element.parentNode) : colour;
        };
        return [...document.querySelectorAll("pre span[class]")].map(span => {
            const [high, low] = [light(getComputedStyle(span).color), light(behind(span))].sort((a, b) => b - a);
            return [(high + 0.05) / (low + 0.05), span.className, span.parentNode.tagName];
        });""")
    assert len(seen) > 20 and min(seen)[0] >= 4.5, min(seen)


def test_on_a_phone_names_are_whole_and_a_finger_meets_a_cell(page):
    page.look_like(390, 844)
    page.open("table")
    names = page.run("""return [...document.querySelectorAll("tr[data-race] th")].map(
        name => [name.textContent, name.scrollWidth <= name.clientWidth])""")
    assert names == [[race, True] for race in RACES]
    sides = page.run("""return [...document.querySelectorAll("tr[data-race] td a")].filter(cell => cell.checkVisibility()).map(
        cell => Math.min(cell.clientWidth, cell.clientHeight))""")
    assert min(sides) >= 24
    page.open("search")
    assert page.run("return document.querySelector('.wide').scrollWidth <= document.querySelector('.wide').clientWidth")


def test_nothing_beside_a_picture_is_cut(page):
    page.open("cell/expired_delete/stage3")
    assert page.run("""const code = document.querySelector(".right .code");
        return code.scrollWidth <= code.clientWidth""")


def test_print(page):
    page.look_like(media="print")
    page.open("cell/expired_delete/stage3")
    assert page.run("return getComputedStyle(document.querySelector('.controls')).display") == "none"
    assert page.run("return document.querySelector('.picture').getBoundingClientRect().height") > 400
    page.look_like(width=718, media="print")  # A4
    page.open("table")
    assert page.run('''return [...document.querySelectorAll("tbody th, .heat .title")].filter(
        cell => cell.scrollWidth > cell.clientWidth).length''') == 0


@pytest.mark.parametrize("address", ["nowhere", "cell/expired_delete/stage77", "cell/expired_delete/stage4/stage77", "race/nowhere",
                                     "lock/road_nowhere", "diff/4/77", "play/stage0", "cell"])
def test_an_address_that_there_is_not_says_so(page, address):
    page.open(address)
    assert page.text("h1") == "There is no such page"
    assert page.run("return [...document.querySelectorAll('main a')].map(a => a.getAttribute('href'))") == ["#table", "#start"]


def test_an_address_that_there_is_not(page):
    page.open("cell/no_such_race/stage3")
    assert "no_such_race on stage3 is not in the table" in page.text("main")
