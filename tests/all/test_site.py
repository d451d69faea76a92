"""The site without a browser: its files, and what its data say."""

import base64
import html
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import zlib

import pytest

import atlas
from lockstep import ROOT, counted_servers, heard, lock_code, locks, races, run, short
from site_of_tests import (PLAYED, RACES, build, left_out, python_of_site, recordings, rows, run_of, runs, senders,
                           shown_locks, site, verdicts)
from world import wrapper

race_pages = pytest.importorskip("race_pages", reason="Markdown or Pygments is missing: common/setup.sh install site")

pytestmark = pytest.mark.skipif(not run(ROOT / "common/setup.sh", "python", "markdown,pygments").out.strip(),
                                reason="python3-markdown or python3-pygments is missing: common/setup.sh install site")


def brought(name):
    """What a script in data/ brings to the page."""
    text = (site() / "data" / f"{name}.js").read_text()
    return json.loads(re.fullmatch(r'lockstep\.\w+\((?:"[\w/-]+", )?(\{.*\})\);\n', text, re.S)[1])


def unpacked(race):
    """Its story and its runs."""
    return json.loads(zlib.decompress(base64.b64decode(brought(f"runs/{race}")["packed"])))


def test_the_table_is_the_matrix():
    said = brought("site")
    names = [lock["name"] for lock in said["locks"]]
    assert names == shown_locks() and [race["name"] for race in said["races"]] == RACES
    expected = verdicts()
    for race in RACES:
        assert said["verdicts"][race] == "".join(expected[race, short(lock)] for lock in names)


@pytest.mark.parametrize("race", RACES)
def test_the_runs_are_those_of_the_program(race):
    runs = unpacked(race)
    assert {one["lock"] for one in runs["runs"]} == set(shown_locks())
    for one, trace, picture, steps in zip(runs["runs"], runs["traces"], runs["pictures"], runs["steps"], strict=True):
        said = run_of(race, one["lock"])
        assert (one["verdict"], one["schedule"]) == (said["verdict"], said["schedule"])
        assert f"\n{one['verdict']}" in trace and one["reason"] in trace
        assert picture.startswith("<svg ") and "<style" not in picture and "<defs" not in picture
        events = iter([event["time_ms"], event.get("actor", ""), event["event"]] for event in said["events"])
        assert steps and all(step[:3] in events for step in steps)  # some of them, in their order
    assert text_of(runs["code"]).startswith(f"void {race}(") and "<p>" in runs["story"]


@pytest.mark.parametrize("engine", runs.BUILT)
def test_a_server_that_is_slow_to_start_serves_all_locks_of_a_race(engine, tmp_path, monkeypatch):
    path, started = counted_servers(tmp_path)
    monkeypatch.setenv("PATH", path)
    told = runs.play(RACES[0], runs.BUILT[engine])
    assert [(one["race"], one["lock"]) for one in told] == [(RACES[0], lock) for lock in runs.BUILT[engine]]
    assert started.read_text() == "\n"


def said_in_rows(picture, events):
    """What run.js says in each row: (what happens, the lock after it)."""
    numbered, _ = rows.rows_of(picture)
    said, before_ms = [], 0
    for (_, first), (_, following) in zip(numbered, [*numbered[1:], (0, len(events))], strict=True):
        now_ms = events[first]["time_ms"]
        some = ([[event for event in events[:first + 1] if event["event"] == "clock"][-1]] if now_ms > before_ms
                else [event for event in events[first:max(following, first + 1)] if event["time_ms"] == now_ms])
        what = {tuple(map(event.get, rows.SAYS)): None for event in some}
        said.append((now_ms, list(what), some[-1].get("actor"), some[-1]["lock"]))
        before_ms = now_ms
    return said


@pytest.mark.parametrize("race, lock", [("renewed_while_waiting", "detour_incr_multi"), ("barging", "stage4"),
                                        ("nobody_signals", "road_redlock"), ("expired_delete", "stage3")])
def test_the_page_has_the_events_that_its_rows_tell(race, lock):
    """The same words in each row as with all events of a run, which may be thousands."""
    said = run(ROOT / "scenarios" / race, "--stage", lock, "--format", "json", "--drawn").document
    picture, kept = rows.told_events(said["picture"], said["events"])
    assert said_in_rows(picture, kept) == said_in_rows(said["picture"], said["events"])
    drawn = len(rows.rows_of(picture)[0])
    assert len(kept) <= 3 * drawn and (race == "expired_delete" or len(said["events"]) > 10 * drawn)


def test_what_a_row_says_twice_is_there_once():
    """But the lock is shown as it is after the last of them."""
    asks = [{"time_ms": 0, "actor": "A", "event": "request", "command": "GET lock", "lock": left} for left in (3, 2, 1)]
    kept = rows.told_events('<svg data-rows="98:0 119"', asks)[1]
    assert kept == [asks[0], asks[2]]


# What the calls of zookeeper.h are not named after.
IN_ZOOKEEPER = {"create": ["zk_ensure(", "zk_join_queue("], "stat": ["zk_exists(", "zk_watch("],
                "ls": ["zk_find(", "zk_get_place(", "zk_watch_queue(", "zk_leave_queue("], "delete": ["zk_leave_queue("]}


@pytest.mark.parametrize("race", RACES)
def test_a_command_is_in_the_line_that_sent_it(race):
    for one, steps in zip(*(unpacked(race)[name] for name in ("runs", "steps")), strict=True):
        code = lock_code(one["lock"]).splitlines()
        for _, _, event, _, _, _, lines, says in steps:
            command = re.search(r'"(.*)"', says)[1] if event == "request" else "ping"
            if command != "ping":  # which the library sends by itself
                word = command.split()[1 if command.startswith("EVAL") else 0]
                calls = IN_ZOOKEEPER.get(word, [word.lower()])
                assert len(lines) == 1 and any(call in " ".join(code[line - 1:line + 1]).lower() for call in calls
                                               for line in lines), (one["lock"], command, lines)


def test_of_several_lines_with_the_same_words_the_operation_chooses():
    """Stage 3 asks GET when it acquires and when it releases; the detour takes over with a second SETNX and DEL."""
    lock = "detour_timestamp_del"
    code = lock_code(lock).splitlines()

    def function(line):
        return next(text for text in reversed(code[:line]) if re.match(r"\w.*\{$", text)).split("(")[0].split()[-1]

    def sent(operation, *commands):
        events = [{"event": "asked", "actor": "A", "operation": operation},
                  *({"event": kind, "actor": "A", "command": command} for command in commands for kind in ("request", "ran")),
                  {"event": "result", "actor": "A", "operation": operation}]
        found = [event["lines"] for event in senders.with_lines(lock, events)[1:-1]]
        assert found[::2] == found[1::2] and all(len(lines) == 1 for lines in found)
        return [function(lines[0]) for lines in found[::2]]

    assert sent("enter", "SETNX lock 1", "GET lock", "DEL lock", "SETNX lock 1") == [
        "lock_acquire", "take_over_if_past", "take_over", "take_over"]
    assert sent("enter", "SETNX lock 1", "SETNX lock 1") == ["lock_acquire", "take_over"]
    assert sent("leave", "GET lock", "DEL lock") == ["lock_release", "delete_key"]


@pytest.mark.parametrize("stage", PLAYED)
def test_a_recording_is_the_program_s(stage):
    """Its columns, put together again."""
    data = json.loads(zlib.decompress(base64.b64decode(brought(f"play/{stage}")["packed"])))
    said = run(ROOT / "scenarios/play", "--record", *recordings.options(stage)).document
    assert said["bounds"]["at_most"] == 1
    assert [list(shown) for shown in zip(*data["shown"], strict=True)] == said["positions"]
    lost, last, at = {move: pairs for move, *pairs in data["losses"]}, 0, 0
    for count, moves in zip(data["counts"], said["moves"], strict=True):
        for move in moves:
            to = last - data["to"][at]
            last = max(last, to)
            assert [data["words"][at], data["steps"][at], to, *lost.get(at, [])] == move
            at += 1
        assert count == len(moves)
    assert at == len(data["to"]) and data["texts"] == said["texts"]
    page = (ROOT / "docs/site.md").read_text()
    assert f"| `{stage}` | {len(data['counts']):,} |" in page


def test_no_move_on_stage_9_leaves_a_waiter_beside_a_free_lock():
    """docs/play.md says so: all positions within these bounds."""
    said = run(ROOT / "scenarios/play", "--record", *recordings.options("stage9")).document
    assert ["wakeup", "leave a client waiting beside a free lock"] in said["goals"]
    assert all(len(move) == 3 for moves in said["moves"] for move in moves)
    assert f"| `stage9` | {len(said['positions']):,} |" in (ROOT / "docs/site.md").read_text()


def test_nothing_is_loaded_from_elsewhere_and_no_file_is_large():
    files = [path for path in site().rglob("*") if path.is_file()]
    assert max(path.stat().st_size for path in files) < 2_000_000
    for path in files:
        if path.suffix in (".html", ".css", ".js") and "data" not in path.parts:
            assert not re.search(r"(src|@import|url\()\W*https?:|\bfetch\(|XMLHttp", path.read_text()), path


def test_the_first_page_is_small():
    """With all races, data/site.js has a name, a title and a row of the table more for each."""
    names = re.findall(r'(?:src|href)="([\w./]+\.(?:js|css))"', (site() / "index.html").read_text())
    size = sum((site() / name).stat().st_size for name in ["index.html", *names, "data/landing.js"])
    told = brought("site")
    row = max(len(json.dumps([race, told["verdicts"][race["name"]]])) for race in told["races"])
    assert size + 50 + (row + 50) * len(races()) <= 400_000


def test_links_lead_somewhere():
    for page in site().rglob("*.html"):
        text = page.read_text()
        names = set(re.findall(r'id="([^"]*)"', text))
        for target in re.findall(r'(?:href|src)="([^"]+)"', text):
            path, _, part = target.partition("#")
            if re.match(r"https?:|data:|mailto:", target):
                continue
            assert not path or (page.parent / path).exists(), f"{page}: {target}"
            assert path or part in names or page.name == "index.html", f"{page}: {target}"
            if path and part and not path.endswith("../index.html"):
                assert f'id="{part}"' in (page.parent / path).read_text(), f"{page}: {target}"


@pytest.mark.parametrize("path", [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))],
                         ids=lambda path: str(path.relative_to(ROOT)))
def test_a_command_that_runs_a_race_is_a_link_to_the_run(path):
    """As often as the page has the command, but for a lock of the reader's own."""
    import pages
    text = (site() / "docs" / pages.page_of(path)).read_text()
    shown = {short(lock).removeprefix("stage"): short(lock) for lock in shown_locks()}
    expected = []
    for race, lock in re.findall(r"\./scenarios/(\w+) --stage (\w+)", path.read_text()):
        lock = shown.get(lock.removeprefix("stage"))
        expected += [(race, lock)] if race in RACES and lock else []
    links = re.findall(r'<a href="(?:\.\./)+index\.html#cell/(\w+)/(\w+)">\./scenarios/(\w+) --stage (\w+)</a>', text)
    assert sorted(link[:2] for link in links) == sorted(expected)
    assert all(race == program and lock.removeprefix("stage") == name.removeprefix("stage")
               for race, lock, program, name in links)


def test_each_picture_has_its_size_and_only_loads_when_it_comes_near():
    seen = 0
    for page in (site() / "docs").rglob("*.html"):
        for image in re.findall(r"<img [^>]*>", page.read_text()):
            width, height = re.search(r' width="(\d+)" height="(\d+)" loading="lazy"', image).groups()
            picture = page.parent / re.search(r'src="([^"]*)"', image)[1]
            assert f' width="{width}" height="{height}"' in picture.read_text()
            seen += "atlas" in page.parts
    assert seen > 3


def texts_of_blocks(text):
    return [html.unescape(re.sub("<[^>]*>", "", block)) for block in
            re.findall(r'<pre[^>]*><code class="language-(?:c|diff|console)">(.*?)</code></pre>', text, re.S)]


def test_colours_change_no_letter_of_the_code():
    import pages
    for path in sorted((ROOT / "docs").glob("**/*.md")):
        written = texts_of_blocks(pages.to_html(path.read_text().replace("<details>", '<details markdown="1">')))
        assert texts_of_blocks((site() / "docs" / pages.page_of(path)).read_text()) == written, path


def test_code_lua_and_differences_have_colours():
    stage5 = (site() / "docs/stage5.html").read_text()
    lua = re.search(r'<ins class="line">.*KEYS.*== .*\n', stage5)[0]
    assert '<span class="kr">if</span>' in lua and '<span class="s1">&#39;GET&#39;</span>' in lua
    assert '<span class="c1">// of the last hold</span>' in stage5
    assert '<del class="line">' in stage5 and '<span class="k">struct</span>' in stage5
    assert '<span class="k">return</span>' in (site() / "docs/stage4.html").read_text()
    assert 'advance(race, <span class="mi">29</span> * SECOND)' in (site() / "docs/atlas/03_giving_back.html").read_text()
    for class_of_word in ("k", "kr", "kt", "s", "s1", "c1", "mi"):
        assert re.search(rf"\.{class_of_word}\b", (site() / "site.css").read_text())


def test_links_in_remarks_lead_to_pages():
    pytest.importorskip("markdown")
    import pages
    links = [link for remark in atlas.REMARKS.values() for link in re.findall(r'href="([^"#]*)', pages.inline(remark))]
    assert links and all((site() / link).exists() for link in links), links


STEP = {"two_processes": ("stage0", "stage1"), "expired_delete": ("stage4", "stage5"), "nested_call": ("stage6", "stage7")}


@pytest.mark.parametrize("race", RACES)
def test_a_race_has_a_page_that_needs_no_script(race):
    page = (site() / f"races/{race}.html").read_text()
    text = html.unescape(re.sub(r"<[^>]+>", "", page))
    told = next(one for one in atlas.stories() if one.name == race)
    assert "<script" not in page and told.title in text and " ".join(told.story[0].split())[:60] in text
    signs = {"B": "broken", "h": "holds", "c": "cannot"}
    row = re.findall(rf'<td class="(\w+)"><a href="../index.html#cell/{race}/stage(\d)"', page)
    assert row == [(signs[verdicts()[race, f"stage{number}"]], str(number)) for number in range(10)]
    for lock, verdict in zip(STEP[race], ("BROKEN", "HOLDS"), strict=True):
        full = next(name for name in locks() if short(name) == lock)
        said = run_of(race, full)
        assert said["verdict"] == verdict and said["reason"] in text and said.get("because", "") in text
        drawn = run(ROOT / "scenarios" / race, "--stage", lock, "--format", "svg").out
        assert (site() / f"races/{race}.{lock}.svg").read_text() == drawn
        assert re.search(rf'<img src="{race}.{lock}.svg" width="\d+" height="\d+"', page)
    assert f'href="../docs/atlas/{told.of}.html#{race}-' in page


def test_the_card_of_a_stage_has_a_picture_of_its_killer():
    killers = brought("site")["killers"]
    truth = verdicts()
    for number in range(10):
        lost = [race for race in RACES if truth[race, f"stage{number}"] == "B"]
        killer = killers.get(f"stage{number}")
        assert (killer["race"] in lost) if lost else killer is None
        if killer:
            picture = (site() / f"races/{killer['race']}.stage{number}.svg").read_text()
            assert ' width="{}" height="{}"'.format(*killer["size"]) in picture and "BROKEN" in picture
    assert killers["stage4"]["race"] == "expired_delete"  # the first that its lock.c names as open


def text_of(coloured):
    """The code, as base.js reads it."""
    return html.unescape(re.sub("<[^>]*>", "", coloured))


def test_the_code_in_the_app_is_coloured_and_whole():
    for lock in brought("site")["locks"]:
        if lock["kind"] == "stage":
            assert text_of(lock["code"]) == lock_code(lock["name"]) and '<span class="kt">' in lock["code"]


def test_a_pasted_link_shows_something():
    page = (site() / "races/expired_delete.html").read_text()
    tags = dict(re.findall(r'<meta property="og:([\w:]+)" content="(.*)">', page))
    assert tags["title"] == "expired_delete: a late release deletes the next owner&#x27;s lock"
    assert tags["description"].startswith("A finishes its work in time") and tags["image"] == "expired_delete.png"
    picture = (site() / "races" / tags["image"]).read_bytes()
    width, height = struct.unpack(">II", picture[16:24])
    assert (str(width), str(height)) == (tags["image:width"], tags["image:height"])
    start, size = picture.index(b"IDAT") + 4, struct.unpack(">I", picture[picture.index(b"IDAT") - 4:][:4])[0]
    pixels = zlib.decompress(picture[start:start + size])
    assert len(pixels) == height * (width + 1) and set(pixels) == {0, 1, 2, 3}  # page, ink, broken, holds


def fates(*verdicts):
    """Runs of the ladder with these verdicts, a letter for each, and one of Redlock."""
    words = {"B": "BROKEN", "h": "HOLDS", "c": "CANNOT HAPPEN"}
    on = [*race_pages.RUNGS, "road_redlock"]
    return [{"lock": lock, "verdict": words[letter]} for lock, letter in zip(on, "".join(verdicts), strict=True)]


@pytest.mark.parametrize("letters, pair", [
    ("BhBBBhhhhh" "h", ("stage4", "stage5")), ("hBhhhhBBBB" "h", ("stage6", "stage5")),
    ("BBBBBBBBBB" "h", ("stage9", "road_redlock")), ("cccccccccc" "B", ("road_redlock", None)),
    ("hhhhhhhhhh" "h", (None, "stage9")), ("BhhhhhhhhB" "h", ("stage9", "stage8"))])
def test_the_two_locks_of_a_page(letters, pair):
    """The last step that mends the race; or else the step that gives it up."""
    assert tuple(one and short(one["lock"]) for one in race_pages.two_of(fates(letters))) == pair


def test_the_page_says_why_it_held_as_the_terminal_does():
    said = run("./scenarios/expired_delete", "--stage", "5").out
    held = re.search(r"^HOLDS\n(Held because .*?)\n\n", said, re.M | re.S)[1]
    page = (site() / "races/expired_delete.html").read_text()
    assert f"<strong>HOLDS:</strong> {html.escape(' '.join(held.split()), quote=False)}</p>" in page


def test_the_page_of_a_race_tells_its_run_in_words():
    """Each row of the picture, as the app says it; the steps of stage 4 and of stage 5."""
    page = (site() / "races/expired_delete.html").read_text()
    steps = [re.findall(r"<li><time>(.*?)</time> (.*)</li>", some)
             for some in re.findall(r'<ol class="steps">(.*?)</ol>', page, re.S)]
    assert len(steps) == 2 and len(steps[0]) == 21
    assert steps[0][0] == ("0.000", 'A asks Redis: "SET lock locked NX EX 30".')
    assert steps[0][14] == ("60.000", "Redis answers A: \"1\". B's lock is gone: now the lock is free. A is outside.")
    assert steps[1][14][1].startswith('Redis answers A: "0". Nothing is removed. A is outside')


@pytest.mark.parametrize("number", [1, 4])
def test_a_stage_s_page_shows_the_step_to_it(number):
    page = (site() / f"docs/stage{number}.html").read_text()
    step = run("make", "-s", "diff", f"N={number}", "HEAD=1").out.splitlines()[2:]
    for sign, tag in (("-", "del"), ("+", "ins")):
        shown = re.findall(rf'<{tag} class="line">(.*)\n</{tag}>', page)
        assert [html.unescape(re.sub("<[^>]*>", "", line)) for line in shown] == [line for line in step if line[0] == sign]


@pytest.mark.parametrize("number", range(10))
def test_a_stage_s_page_shows_a_step_once_and_leads_to_the_others(number):
    page = (site() / f"docs/stage{number}.html").read_text()
    own = (ROOT / f"docs/stage{number}.md").read_text().count("\n$ make -s diff ")
    assert page.count("<summary>What changes from stage") == (own == 0 and number > 0)
    menu = re.search(r'<nav class="side".*?</nav>', page, re.S)[0]
    links = re.findall(r'href="stage(\d)\.html"( aria-current="page")?>(\d|← Previous|Next →)', menu)
    assert links == [(str(at), ' aria-current="page"' * (at == number), str(at)) for at in range(10)] + [
        (str(to), "", words) for to, words in ((number - 1, "← Previous"), (number + 1, "Next →")) if 0 <= to < 10]


def test_the_atlas_leads_to_the_runs():
    atlas_of = {name: (site() / f"docs/atlas/{name}.html").read_text() for name in ("03_giving_back", "bugs")}
    assert 'href="../../index.html#race/expired_delete">expired_delete</a>: ' in atlas_of["03_giving_back"]
    assert 'href="../../index.html#race/slow_renewal_answer">slow_renewal_answer</a></code>' in atlas_of["bugs"]


def test_the_same_bytes_every_time(tmp_path):
    assert build(tmp_path / "site", RACES[0]).code == 0
    for name in (f"data/runs/{RACES[0]}.js", "docs/atlas/index.html", "picture.css"):
        assert (tmp_path / "site" / name).read_bytes() == (site() / name).read_bytes()


NOT_BUILT = {"MARIADB_SERVER": "/no/such", "ZOOKEEPER_JAR": "/no/such"}


def test_what_is_not_built_is_said_to_be_left_out(tmp_path):
    finished = build(tmp_path / "site", RACES[0], env=NOT_BUILT)
    assert (finished.code, finished.out) == (0, left_out(["mariadb", "zookeeper"]))
    said = re.search(r'"verdicts":\{"\w+":"(\w+)"\}.*"left_out":(\[.*?\])', (tmp_path / "site/data/site.js").read_text())
    assert len(said[1]) == len(locks()) and json.loads(said[2]) == ["mariadb", "zookeeper"]


def test_a_race_that_there_is_not(tmp_path):
    finished = build(tmp_path / "site", "no_such_race")
    assert (finished.code, finished.out) == (2, "")
    assert finished.err.endswith("there is no race no_such_race: ./scenarios/list names them all\n")
    assert not (tmp_path / "site").exists()


def test_a_folder_of_something_else_is_not_written_over(tmp_path):
    (tmp_path / "thesis.txt").write_text("finished")
    finished = build(tmp_path, RACES[0])
    assert (finished.code, finished.out) == (2, "")
    assert finished.err.startswith(f"site: {tmp_path} is no site, and stays as it is: ")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_what_goes_wrong_halfway_leaves_the_old_site(tmp_path):
    shutil.copytree(site(), tmp_path / "site")
    finished = build(tmp_path / "site", RACES[0], env={"REDIS_SERVER": "/no/such/server"})
    assert (finished.code, finished.out) == (2, "")
    assert re.fullmatch(r"site: two_processes: .*/no/such/server.*\n", finished.err), finished
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    assert (tmp_path / "site/data/runs" / f"{RACES[1]}.js").exists()


def test_ctrl_c_leaves_the_old_site(tmp_path):
    shutil.copytree(site(), tmp_path / "site")
    started = tmp_path / "started"
    os.mkfifo(started)
    server = wrapper(tmp_path, before=f"echo started >{started}")
    builder = subprocess.Popen([python_of_site(), ROOT / "common/site/build_site.py", "--into", tmp_path / "site"],
                               start_new_session=True, text=True, stderr=subprocess.PIPE,
                               env={**os.environ, **server, **NOT_BUILT},
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert heard(started, builder).startswith("started") and (tmp_path / "site.new").exists()
    started.unlink()  # a server that starts now writes a file, and waits for nobody
    os.killpg(builder.pid, signal.SIGINT)
    _, said = builder.communicate(timeout=1200)
    assert (builder.returncode, said) == (130, "\nsite: interrupted; what was there before stays\n")
    assert (tmp_path / "site/data/runs" / f"{RACES[1]}.js").exists() and not (tmp_path / "site.new").exists()
