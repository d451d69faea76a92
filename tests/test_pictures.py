"""Runs as pictures: the documents are well-formed, and show what the JSON says."""

import functools
import html.parser
import re
import xml.etree.ElementTree as xml

import pytest

import atlas
import pictures
from lockstep import ROOT, played, race_source, races, read_matrix, replay, run

# Of each race one that shows it.
DRAWN = [(race, atlas.shown_on(race)) for race in races() if atlas.shown_on(race)]
# Clients that are killed, held and lost messages, waiting in a server, two locks, a copy.
MORE = [("thundering_herd", "stage8"), ("chosen_waiter_dies", "detour_blpop"), ("lost_grant_answer", "stage2"),
        ("loser_overwrites_deadline", "stage3"), ("ab_ba_deadlock", "stage1"), ("failover", "stage5"),
        ("redlock_partition", "road_redlock"), ("thread_hop", "stage7")]
# The documented races, each with the locks that lose it.
LOST = [(race, lock) for race, lock, verdict in read_matrix()
        if verdict == "BROKEN" and "bugs" not in race_source(race).parts]
POLLER = ("nobody_signals", "stage5")
SVG = "{http://www.w3.org/2000/svg}"

drawn = functools.cache(pictures.drawn)


def with_class(document, name, tag="*"):
    return [element for element in document.iter(tag) if name in element.get("class", "").split()]


def words(element):
    return " ".join("".join(element.itertext()).split())


def kinds(events):
    return [event["event"] for event in events]


@pytest.mark.parametrize("race, lock", DRAWN + MORE)
def test_a_picture_shows_what_the_document_says(race, lock):
    text, said = drawn(race, lock, "svg"), played(race, lock)
    document, events = xml.fromstring(text), said["events"]
    whole = words(document)
    unseen = kinds(events).count("request") - len(with_class(document, "request"))
    answers = kinds(events).count("ran") + kinds(events).count("pushed")
    assert len(with_class(document, "answer")) + unseen == answers
    # Of what repeats itself, so many commands are not drawn again; in these runs they are one or two each time, and
    # ten where five servers are asked and what they gave is taken back.
    again = sum(int(times) for times in re.findall(r"… (\d+) times more like this", whole))
    assert unseen in (again, 2 * again, 10 * again)
    for event in events:
        if event["event"] == "note":
            assert event["text"] in whole
    assert f"{race} on " in whole and said["reason"] in whole and said.get("because", "") in whole
    assert words(document.find(f"{SVG}title")) == f"{race} on {said['lock']}: {said['verdict']}"
    overlaps = with_class(document, "overlap")
    assert len(overlaps) == len(with_class(document, "alarm"))
    # The reason names what was lost first; that two are inside may come later.
    if re.search(r" are (both|all) inside\.", said["reason"]) or said["verdict"] != "BROKEN":
        assert bool(overlaps) == (said["verdict"] == "BROKEN")
    happens = {"killed", "stopped", "continued", "isolated", "reconnected", "work done", "hung", "skewed"}
    assert len(with_class(document, "happens")) == sum(kind in happens for kind in kinds(events))
    heading = replay(race, lock).out.splitlines()[2]
    assert [words(name) for name in with_class(document, "name")] == re.findall(r"\b[A-Z]\b", heading)
    assert int(document.get("width")) <= 1000 and "<script" not in text and "http" not in text.replace(
        "http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize("race, lock", DRAWN[:2] + MORE)
def test_a_picture_says_where_its_rows_are(race, lock):
    document, events = xml.fromstring(drawn(race, lock, "svg")), played(race, lock)["events"]
    *rows, end = document.get("data-rows").split()
    tops = [int(row.split(":")[0]) for row in rows] + [int(end)]
    shown = [int(row.split(":")[1]) for row in rows]
    assert tops == sorted(tops) and tops[-1] < int(document.get("height"))
    assert shown == sorted(shown) and shown[-1] < len(events)
    # Every note, and everything that is sent, has a row: unless it repeats what is shown.
    wanted = {at for at, event in enumerate(events) if event["event"] in ("request", "note")}
    repeats = any("times more like this" in words(text) for text in document.iter(f"{SVG}text"))
    assert wanted <= set(shown) or repeats


def test_every_command_is_there():
    """But for the ends of long ones, which a tooltip shows."""
    document = xml.fromstring(drawn("thundering_herd", "stage8", "svg"))
    shown = [words(text) for text in document.iter(f"{SVG}text")]
    for event in played("thundering_herd", "stage8")["events"]:
        if event["event"] == "request":
            assert any(event["command"] in text for text in shown), event


def test_the_lease_gets_shorter_and_the_lock_ends():
    """Of 30 s, one is left; then it is over."""
    document = xml.fromstring(drawn("expired_delete", "stage4", "svg"))
    edges = [[int(x) for x in re.findall(r"L(\d+) ", lease.get("d"))[:-1]]
             for lease in with_class(document, "lease")]
    right = int(re.match(r"M(\d+)", with_class(document, "lease")[0].get("d"))[1])
    first = edges[0]
    assert len(edges) == 3 and first == sorted(first) and first[-1] == right
    whole = right - first[0]
    assert {right - x for x in first} == {whole, whole * 1000 // 30_000, 0}
    assert all(set(edge) == {first[0]} for edge in edges[1:])
    endless = xml.fromstring(drawn("expired_delete", "stage3", "svg"))
    assert len(with_class(endless, "endless")) == 3 and not with_class(endless, "lease")


def test_a_message_that_is_held_leans():
    def fall(path):
        start, end = re.match(r"M\d+ (\d+)L\d+ (\d+)$", path.get("d")).groups()
        return int(end) - int(start)

    document = xml.fromstring(drawn("lost_wakeup", "stage8", "svg"))
    falls = [fall(path) for path in with_class(document, "request")]
    held = [fall(path) for path in with_class(document, "request") if "late" in path.get("class")]
    assert len(held) == 1 and held[0] > 50 and sorted(falls)[:-1] == [9] * (len(falls) - 1)


@pytest.mark.parametrize("race, lock", [("split_brain", "road_redlock"), ("redlock_partition", "road_redlock"),
                                        ("failover", "stage5")])
def test_a_message_begins_or_ends_at_the_line_of_a_server(race, lock):
    """A replica's is the line of the server whose place it takes."""
    document = xml.fromstring(drawn(race, lock, "svg"))
    lines = {re.match(r"M(\d+) ", axis.get("d"))[1] for axis in with_class(document, "axis")}
    for arrow in with_class(document, "arrow", f"{SVG}path"):
        if "marker-end" in arrow.attrib:
            from_x, to_x = re.match(r"M(\d+) \d+L(\d+) ", arrow.get("d")).groups()
            assert (to_x if "request" in arrow.get("class") else from_x) in lines


def check_bars(text):
    """Each bar that a diagram begins is ended: Mermaid does not draw it otherwise. Where several
    clients are inside, two have one by then."""
    inside = {}
    for line in text.splitlines():
        word, _, client = line.strip().partition(" ")
        if word == "activate":
            inside[client] = inside.get(client, 0) + 1
        elif word == "deactivate":
            inside[client] -= 1
            assert inside[client] >= 0, text
        elif overlap := re.match(r"    Note over [A-Z],[A-Z]: (.*) are (?:both|all) inside$", line):
            assert sum(inside.get(client, 0) > 0 for client in re.findall(r"\b[A-Z]\b", overlap[1])) > 1, text
    assert not any(inside.values()), text


@pytest.mark.parametrize("race", sorted({race for race, _ in LOST}))
def test_each_bar_of_a_diagram_ends(race):
    """Of each documented race on each stage that loses it. (tests/all: on the other locks.)"""
    for lock in (lock for lost, lock in LOST if lost == race and lock.startswith("stage")):
        check_bars(drawn(race, lock, "mermaid"))


@pytest.mark.parametrize("race, lock", MORE)
def test_a_diagram_has_each_message_once(race, lock):
    text, events = drawn(race, lock, "mermaid"), played(race, lock)["events"]
    sent = len(re.findall(r"^    [A-Z](->>|-x|-\))lock\d?: ", text, re.M))
    answered = len(re.findall(r"^    lock\d?-(->>|-x|-\))[A-Z]: ", text, re.M))
    assert sent == kinds(events).count("request"), text
    assert answered == kinds(events).count("ran") + kinds(events).count("pushed"), text
    check_bars(text)
    for line in text.splitlines()[2:]:
        said = line.partition(": ")[2].replace("<br/>", "")
        assert not re.search(r"[<>&{}%\\;#]", re.sub(r"#\d+;", "", said)), line


def test_the_committed_pictures_are_fresh():
    """`make pictures` draws them anew. So the same run gives the same bytes, on every machine."""
    for path in pictures.pictures():
        assert path.read_text() == drawn(*pictures.run_of(path), "svg"), path.name
    race, lock, text = pictures.diagram()
    assert text == drawn(race, lock, "mermaid")


def test_every_picture_stands_in_a_page():
    shown = set()
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for alternative, path in re.findall(r"!\[(.*?)\]\((\S+\.svg)\)", page.read_text()):
            assert len(alternative) > 20
            shown.add((page.parent / path).resolve())
    assert shown == set(pictures.pictures())


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.texts = [], [], {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        tag = self.open[-1] if self.open else ""
        self.texts[tag] = self.texts.get(tag, "") + data


def test_a_page_has_story_picture_and_trace():
    text = drawn("expired_delete", "stage4", "html")
    page = Page(text)
    assert page.open == [] and "script" not in page.tags and page.tags.count("svg") == 1
    assert "B and C are both inside." in page.texts["p"] and "a laptop is closed" in page.texts["p"]
    assert "Source" not in page.texts["p"] and "Usually lost" not in page.texts["p"]
    assert page.texts["pre"] == replay("expired_delete", "stage4").out
    assert drawn("expired_delete", "stage4", "svg") in text


def test_a_schedule_can_be_drawn():
    schedule = played("expired_delete", "stage4")["schedule"]
    shown = run(ROOT / "scenarios/replay", "--format", "svg", schedule)
    document = xml.fromstring(shown.out)
    assert shown.code == 1 and len(with_class(document, "overlap")) == 1
    assert len(with_class(document, "request")) == kinds(played("expired_delete", "stage4")["events"]).count("request")


HOSTILE = r"""
def answer(word):
    if word == "enter":
        call("SET", "lock", "</text><script>&\"'\x1b\x00;#%{}")
        return "ok"
    sys.stdout.buffer.write("error <b>&amp; \x1b[31m \ufffe\uffff ]]> é ".encode() + b"\xff ;#35;")
    return ""
"""


@pytest.mark.parametrize("form", ["svg", "mermaid", "html"])
def test_what_a_guest_says_is_text(guest, form):
    shown = run(ROOT / "scenarios/two_processes", "--client", guest(HOSTILE), "--virtual", "--format", form)
    assert "<script" not in shown.out and "<b>" not in shown.out and "\x1b" not in shown.out
    assert shown.err == "" and ("\ufffe" in shown.out) == (form == "mermaid")
    if form == "mermaid":
        assert "#60;b#62;#38;amp#59;" in shown.out and "é" in shown.out
        return
    whole = words(xml.fromstring(shown.out)) if form == "svg" else " ".join(Page(shown.out).texts.values())
    assert "</text>" in whole and "<script>&" in whole.replace(" ", "")
    assert "<b>&amp;" in whole and r"\x1b[31m" in whole and r"\xef\xbf\xbe" in whole and "]]> é" in whole


def test_what_repeats_itself_is_drawn_once():
    document = xml.fromstring(drawn(*POLLER, "svg"))
    assert "times more like this, the last at " in words(document)
    assert 0 < len(with_class(document, "request")) < kinds(played(*POLLER)["events"]).count("request")
    assert int(document.get("width")) <= 1000


def test_in_real_time_too():
    shown = run(ROOT / "scenarios/two_processes", "--stage", "5", "--real", "--format", "svg")
    document = xml.fromstring(shown.out)
    assert len(with_class(document, "lease")) > 0 and len(with_class(document, "request")) > 1
