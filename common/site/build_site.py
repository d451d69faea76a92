"""build/site: the matrix, every run in it, and the pages, for a browser (docs/site.md).

    make site
    python3 common/site/build_site.py [--into FOLDER] [RACE...]

A page on file:// may not fetch anything, so all data are scripts: data/site.js has what the
table needs, and data/runs/RACE.js, which is loaded with the first click on that race, all its
runs. They are packed, because pictures are long and alike.

Everything comes from what the programs print, from the heads of the races and locks, and from
the pages in docs/. The rejected alternative is to draw the runs again in JavaScript: then the
rules of a picture would stand in two places.
"""

import argparse
import base64
import concurrent.futures
import html
import json
import os
import re
import shutil
import signal
import sys
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "course"))

import atlas  # noqa: E402
from tree import ROOT, course, lock_code, race_source, races, short  # noqa: E402

import pages  # noqa: E402
from colours import code_lines  # noqa: E402
import race_pages  # noqa: E402
import recordings  # noqa: E402
import runs  # noqa: E402
import searches  # noqa: E402
import senders  # noqa: E402
from programs import Refused, ask, interrupt  # noqa: E402
from rows import deciding_row, told_events  # noqa: E402

PAGE_FILES = ["index.html", "site.css", "base.js", "matrix.js", "run.js", "cell.js", "diff.js",
              "align.js", "landing.js", "quiz.js", "play.js", "search.js"]
LANDING = "expired_delete", ["stage4_set_nx_ex", "stage5_token_lua"]
VERDICTS = {"HOLDS": "h", "BROKEN": "B", "CANNOT HAPPEN": "c", "INCONCLUSIVE": "i"}


def script(function, *arguments):
    words = ", ".join(json.dumps(argument, ensure_ascii=False, separators=(",", ":"))
                      for argument in arguments)
    return f"lockstep.{function}({words});\n"


def packed(value):
    """Base64 of the deflated JSON; base.js unpacks it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


# --- runs --------------------------------------------------------------------


def bare(picture):
    """The picture without what is the same in all of them, which the page has once."""
    return re.sub(r"<(style|defs|title|desc)\b.*?</\1>\n?", "", picture, flags=re.S).replace(
        ' aria-labelledby="title desc"', "")


def common_parts(picture):
    """(style, definitions) of a picture."""
    return (re.search(r"<style>(.*?)</style>", picture, re.S)[1],
            re.search(r"<defs>(.*?)</defs>", picture, re.S)[1])


def words_of_lock(event):
    """[value, milliseconds left or null] of each lock, null if there is none."""
    return [state and [state["value"], state["ttl_ms"]]
            for state in ([event["lock"], event["lock2"]] if "lock2" in event else [event["lock"]])]


def step(event):
    """What the page says of an event: time, actor, event, operation, result, locks, lines of lock.c,
    the sentences."""
    return [event["time_ms"], event.get("actor", ""), event["event"], event.get("operation", ""),
            event.get("result", ""), words_of_lock(event), event["lines"], event.get("says", "")]


def run_of(document):
    """A run without its picture, trace and events; with the row that decides it."""
    return {**{name: document.get(name, "") for name in
               ("lock", "verdict", "reason", "because", "answered_by", "schedule")},
            "decided": deciding_row(document)}


def family(lock):
    """Locks whose runs are alike stand together, so that they pack well."""
    head = lock_code(lock).split("\n", 1)[0]
    rung = re.search(r"[Ss]tage (\d+)", head)
    return int(rung[1]) if rung else 99, not lock.startswith("stage"), lock


def columns_of(found):
    """Runs, as the page reads them."""
    drawn = [told_events(bare(document["picture"]), senders.with_lines(document["lock"], document["events"]))
             for document in found]
    return {"runs": [run_of(document) for document in found],
            "pictures": [picture for picture, _ in drawn],
            "traces": [document["trace"] for document in found],
            "steps": [[step(event) for event in events] for _, events in drawn]}


def write_runs(folder, race, found, story):
    found = sorted(found, key=lambda document: family(document["lock"]))
    (folder / f"{race}.js").write_text(
        script("keep", f"runs/{race}", {"packed": packed({**story, **columns_of(found)})}))


def write_landing(folder):
    """The two runs of the first page, which needs no other."""
    (folder / "landing.js").write_text(
        script("keep", "landing", {"packed": packed(columns_of(runs.play(*LANDING)))}))


def write_searches(folder, pool, stages):
    found, replays = searches.all_of(stages, pool)
    (folder / "search.js").write_text(script("keep", "search", {
        "searches": found, "assumptions": searches.assumptions(), "packed": packed(columns_of(replays))}))


def write_levels(folder, pool, recorded):
    """The levels of the game, each with a run in the fewest moves."""
    found = recordings.levels(recorded)
    replays = list(pool.map(searches.replayed, [schedule for _, schedule in found]))
    (folder / "levels.js").write_text(script("keep", "levels", {
        "levels": [level for level, _ in found], "packed": packed(columns_of(replays))}))


# --- what is known of races and locks ----------------------------------------


def paragraphs(parts):
    return "".join(f"<p>{html.escape(' '.join(part.split()), quote=False)}</p>" for part in parts)


def stories():
    """{race: (what the table needs, what its own page needs)}, in the order of the atlas."""
    told = {}
    for one in atlas.stories():
        code = race_source(one.name).read_text()
        told[one.name] = ({"name": one.name, "group": atlas.shelf(one), "title": one.title},
                          {"story": paragraphs(one.story), "lost_by": one.lost_by,
                           "remark": pages.inline(atlas.REMARKS.get(one.name, "")),
                           "source": pages.inline(atlas.linked(one.source)),
                           "code": code_lines(code[code.index("\n\n", code.index("Source:")):].strip())})
    return told


def known_locks():
    listed = dict(re.findall(r"^  (\w+) +(.*)$", ask("list").split("The ladder\n", 1)[1], re.M))
    return [{"name": lock, "short": short(lock), "kind": lock.split("_")[0].rstrip("0123456789"),
             "says": listed[lock], **({"code": code_lines(lock_code(lock))} if lock.startswith("stage") else {})}
            for lock in runs.shown_locks()]


def write_codes(folder):
    """The lock.c of the roads and detours, which the first page does not show."""
    (folder / "codes.js").write_text(script("keep", "codes", {"packed": packed(
        {lock: code_lines(lock_code(lock)) for lock in runs.shown_locks() if not lock.startswith("stage")})}))


# --- all of it ---------------------------------------------------------------


def build(into, wanted, play, search):
    told = stories()
    wanted = [race for race in told if race in (wanted or told)]
    for name in ("data/runs", "data/play", "races"):
        (into / name).mkdir(parents=True)
    for name in PAGE_FILES:
        shutil.copy(HERE / name, into)
    verdicts, lost, parts = {}, {}, None
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for race, found in runs.all_of(wanted, pool):
            parts = parts or common_parts(found[0]["picture"])
            said = {document["lock"]: VERDICTS[document["verdict"]] for document in found}
            verdicts[race] = "".join(said[lock] for lock in runs.shown_locks())
            lost |= {(race, document["lock"]): document["picture"] for document in found
                     if document["verdict"] == "BROKEN"}
            write_runs(into / "data/runs", race, found, told[race][1])
            if race_pages.is_documented(race):
                race_pages.write(into / "races", race, found)
        recorded = dict(zip(play, pool.map(recordings.record, play), strict=True))
        for name, table in recorded.items():
            (into / "data/play" / f"{name}.js").write_text(
                script("keep", f"play/{name}", {"packed": packed(table)}))
        write_levels(into / "data", pool, recorded)
        write_searches(into / "data", pool, search)
    write_landing(into / "data")
    write_codes(into / "data")
    (into / "picture.css").write_text(parts[0].strip() + "\n")
    (into / "data/site.js").write_text(script("keepSite", {
        "races": [told[race][0] for race in wanted], "locks": known_locks(),
        "verdicts": verdicts, "definitions": parts[1], "left_out": runs.LEFT_OUT,
        "course": [[race, rung] for race, rung, _ in course() if race in wanted],
        "killers": race_pages.write_killers(into / "races", wanted, lost),
        "play": play}))
    race_pages.write_index(into / "races", [race for race in wanted if race_pages.is_documented(race)], verdicts)
    pages.write(into / "docs", wanted)


def build_beside(into, *what):
    """Beside the old one, which stays until the new one is whole."""
    if into.exists() and not (into / "base.js").exists() and any(into.iterdir()):
        raise Refused(f"{into} is no site, and stays as it is: name a folder that is new or empty")
    new = into.with_name(f"{into.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    try:
        build(new, *what)
        shutil.rmtree(into, ignore_errors=True)
        new.rename(into)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description="Builds the site from what the programs print.")
    parser.add_argument("--into", type=Path, default=ROOT / "build/site", metavar="FOLDER")
    parser.add_argument("races", nargs="*", metavar="RACE", help="only these races (default: all)")
    parser.add_argument("--play", action="append", choices=list(recordings.GAMES), metavar="STAGE",
                        help="record the game against this stage (default: each of them)")
    parser.add_argument("--search", action="append", choices=searches.STAGES, metavar="STAGE",
                        help="search this stage (default: each of them)")
    options = parser.parse_args()
    unknown = set(options.races) - set(races())
    if unknown:
        raise Refused(f"there is no race {sorted(unknown)[0]}: ./scenarios/list names them all")
    build_beside(options.into.absolute(), options.races, options.play or list(recordings.GAMES),
                 options.search or searches.STAGES)
    if runs.LEFT_OUT:
        print(f"Without the locks on {' and '.join(runs.LEFT_OUT)}, which are not built here: make roads")


def begin():
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        main()
    except (Refused, OSError) as error:
        print(f"site: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nsite: interrupted; what was there before stays", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(begin())
