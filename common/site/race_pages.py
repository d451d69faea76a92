"""A page for each documented race, races/RACE.html, which one can share: it needs no JavaScript.

It has the story in short, the verdicts of the ladder, and two pictures: of a lock that the race
kills and of one that holds. What it says of a run is what the run's document says.
"""

import functools
import html
import re

import atlas
import pages
import preview
from rows import told_rows
from tree import lock_code, locks, short

RUNGS = [lock for lock in locks() if lock.startswith("stage")]
SIGNS = {"BROKEN": ("B", "broken", "✕"), "HOLDS": ("h", "holds", "✓"), "CANNOT HAPPEN": ("c", "cannot", "–"),
         "INCONCLUSIVE": ("i", "cannot", "?")}


def is_documented(race):
    return not story(race).of.startswith("bugs/")


@functools.cache
def all_stories():
    return {told.name: told for told in atlas.stories()}


def story(race):
    return all_stories()[race]


def sentences(told, most=2):
    """The first sentences of a story, without the marks of code."""
    text = " ".join(told.story[0].split()).replace("`", "")
    return " ".join(re.split(r"(?<=[.?!]) (?=[A-Z])", text)[:most])


# --- the two runs ------------------------------------------------------------


def two_of(found):
    """(the run that is lost, the run that holds): two rungs near each other, with the step that
    mends the loss if there is one. Another lock stands in for a missing one; None if there is none."""
    by_lock = {document["lock"]: document for document in found}
    rungs = [by_lock[lock] for lock in RUNGS]
    lost = [at for at, one in enumerate(rungs) if one["verdict"] == "BROKEN"]
    held = [at for at, one in enumerate(rungs) if one["verdict"] == "HOLDS"]
    if lost and held:
        after = [at for at in held if at > lost[-1]]
        before = after[0] if after else held[-1]
        loser = lost[-1] if after else next((at for at in lost if at > before), lost[-1])
        return rungs[loser], rungs[before]
    others = sorted(found, key=lambda one: (not one["lock"].startswith("road"), one["lock"]))
    return tuple(rungs[some[-1]] if some else next((one for one in others if one["verdict"] == verdict), None)
                 for some, verdict in ((lost, "BROKEN"), (held, "HOLDS")))


def cause(document):
    """As the terminal says it."""
    because = document.get("because")
    word = "Lost" if document["verdict"] == "BROKEN" else "Held"
    return " ".join(filter(None, [document["reason"], because and f"{word} because {because}"])) or \
        "Each client did what the story asks."


def killer(lock, wanted, lost):
    """The race that the card of a rung shows: the first that its lock.c names as open, or else the
    first documented one that it loses; None if it loses none of these."""
    named = re.findall(r"\./scenarios/(\w+)", lock_code(lock).split("\n\n#")[0])
    some = [*(race for race in named if race in wanted), *filter(is_documented, wanted)]
    return next((race for race in some if (race, lock) in lost), None)


def write_killers(folder, wanted, lost):
    """{rung: its race and the size of the picture of that run}. `lost` has the pictures of all lost
    runs by race and lock."""
    found = {}
    for lock in RUNGS:
        race = killer(lock, wanted, lost)
        if race:
            picture = lost[race, lock]
            (folder / picture_name(race, lock)).write_text(picture)
            found[short(lock)] = {"race": race, "size": list(map(int, size_of(picture)))}
    return found


# --- the page ----------------------------------------------------------------


def escaped(text):
    return html.escape(text, quote=False)


def name_of(lock):
    if lock in RUNGS:
        return f"Stage {RUNGS.index(lock)}, {lock.split('_', 1)[1].replace('_', ' ')}"
    kind, _, name = lock.partition("_")
    return f"{kind.capitalize()} {name.replace('_', ' ')}"


def picture_name(race, lock):
    return f"{race}.{short(lock)}.svg"


def size_of(picture):
    return re.search(r' width="(\d+)" height="(\d+)"', picture).groups()


def address(race, lock):
    return f"../index.html#cell/{race}/{short(lock)}"


def ladder(race, by_lock):
    """The verdicts of the rungs in one row; each leads to its run."""
    head = "".join(f'<th scope="col">{number}</th>' for number in range(len(RUNGS)))
    cells = []
    for number, lock in enumerate(RUNGS):
        _, kind, sign = SIGNS[by_lock[lock]["verdict"]]
        words = by_lock[lock]["verdict"].lower()
        cells.append(f'<td class="{kind}"><a href="{address(race, lock)}" '
                     f'aria-label="Stage {number}: {words}" title="Stage {number}: {words}">{sign}</a></td>')
    return (f'<div class="scroll-table" tabindex="0" role="region" aria-label="Verdicts">'
            f'<table class="rungs"><thead><tr>'
            f'<th scope="row">Stage</th>{head}</tr></thead>'
            f'<tbody><tr><th scope="row">Verdict</th>{"".join(cells)}</tr></tbody></table></div>')


def step_by_step(document):
    """The run in words: for whoever does not see the picture, or has no JavaScript."""
    steps = "\n".join(f"<li><time>{ms / 1000:.3f}</time> {escaped(words)}</li>" for ms, words in told_rows(document))
    return f'<details><summary>Step by step</summary><ol class="steps">\n{steps}\n</ol></details>\n' if steps else ""


def section(race, document, lazy):
    lock = document["lock"]
    _, kind, _ = SIGNS[document["verdict"]]
    width, height = size_of(document["picture"])
    loading = ' loading="lazy"' if lazy else ""
    words, why = f'{name_of(lock)}: {document["verdict"]}', cause(document)
    return (f'<section>\n<h2>{escaped(words)}</h2>\n'
            f'<div class="verdict {kind}"><p><strong>{document["verdict"]}:</strong> {escaped(why)}</p></div>\n'
            f'<p><a href="{address(race, lock)}">Step through this run</a> · '
            f'<a href="../index.html#lock/{short(lock)}">lock.c</a> · '
            f'<code>./scenarios/{race} --stage {short(lock).removeprefix("stage")}</code></p>\n'
            f'<div class="picture" tabindex="0" role="region" aria-label="Picture of {escaped(name_of(lock))}">'
            f'<img src="{picture_name(race, lock)}" width="{width}" height="{height}"{loading} '
            f'alt="{html.escape(words)}. {html.escape(why)}"></div>\n{step_by_step(document)}</section>')


def social(told, title):
    words = {"og:type": "article", "og:site_name": "Lockstep", "og:title": title,
             "og:description": sentences(told), "og:image": f"{told.name}.png",
             "og:image:width": preview.WIDTH, "og:image:height": preview.HEIGHT}
    tags = [f'<meta property="{name}" content="{html.escape(str(value))}">' for name, value in words.items()]
    return "\n".join([f'<meta name="description" content="{html.escape(sentences(told))}">', *tags,
                      '<meta name="twitter:card" content="summary_large_image">'])


def body_of(told, found):
    by_lock = {document["lock"]: document for document in found}
    shown = [document for document in two_of(found) if document]
    chapter = f"../docs/atlas/{told.of}.html"
    anchor = pages.anchor(f"{told.name}: {told.title}")
    return "\n".join([
        f'<p class="where"><a href="index.html">All races</a> › '
        f'<a href="{chapter}">{escaped(atlas.shelf(told))}</a></p>',
        f'<h1>{told.name}<small> {escaped(told.title)}</small></h1>',
        f'<p class="lead">{escaped(sentences(told))}</p>', ladder(told.name, by_lock),
        f'<p><a href="{chapter}#{anchor}">The whole story in the atlas</a> · '
        f'<a href="../index.html#race/{told.name}">its runs on all locks</a></p>',
        *(section(told.name, document, at > 0) for at, document in enumerate(shown))])


def write(folder, race, found):
    """The page, its pictures and its preview."""
    told = story(race)
    by_lock = {document["lock"]: document for document in found}
    title = f"{race}: {told.title}"
    (folder / f"{race}.html").write_text(pages.wrap(html.escape(title), body_of(told, found), 1, social(told, title)))
    (folder / f"{race}.png").write_bytes(preview.png("".join(SIGNS[by_lock[lock]["verdict"]][0] for lock in RUNGS)))
    for document in filter(None, two_of(found)):
        (folder / picture_name(race, document["lock"])).write_text(document["picture"])


def write_index(folder, wanted, verdicts):
    """races/index.html: the table of the ladder, which needs no JavaScript either."""
    signs = {letter: (kind, sign) for letter, kind, sign in SIGNS.values()}
    numbers = range(len(RUNGS))
    head = "".join(f'<th scope="col"><a href="../docs/stage{number}.html">{number}</a></th>' for number in numbers)
    rows = []
    for race in wanted:
        cells = "".join('<td class="{}">{}</td>'.format(*signs[letter]) for letter in verdicts[race][:len(RUNGS)])
        rows.append(f'<tr><th scope="row"><a href="{race}.html">{race}</a></th>{cells}</tr>')
    (folder / "index.html").write_text(pages.wrap(
        "All races", '<h1>All documented races</h1>\n<p class="lead">A row for each race, a column for each stage. '
        "✕ broken, ✓ holds, – cannot happen. The name of a race leads to its page.</p>\n"
        f'<div class="scroll-table" tabindex="0" role="region" aria-label="All races"><table class="rungs"><thead><tr>'
        f'<th scope="col">Race</th>{head}</tr></thead>\n<tbody>\n' + "\n".join(rows) + "\n</tbody></table></div>", 1))
