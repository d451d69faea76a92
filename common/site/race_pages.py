"""A page for each documented race: what one shares. It tells story, verdicts, pictures and causes without
JavaScript, and its title, description and picture stand where a program looks that shows a preview of a link."""

import html
import itertools
import re
from string import Template

import atlas
from pages import inline
from tree import short

FOLDER = "races"
WORDS = {"HOLDS": "holds", "BROKEN": "broken", "CANNOT HAPPEN": "cannot", "INCONCLUSIVE": "inconclusive"}
PAGE = Template("""<p class="where"><a href="../docs/atlas/$of.html">$chapter</a></p>
<h1>$title</h1>
$story
<table class="rungs"><caption>The ten stages in this race</caption>
<thead><tr>$heads</tr></thead><tbody><tr>$cells</tr></tbody></table>
$runs
<p>$source</p>
<p><a href="../index.html#race/$name">This race with all locks</a> ·
<a href="../docs/atlas/$of.html#$anchor">in the atlas</a> · <a href="../docs/index.html">what Lockstep is</a></p>""")
PREVIEW = Template("""<meta name="description" content="$description">
<meta property="og:type" content="article">
<meta property="og:title" content="$title">
<meta property="og:description" content="$description">
<meta property="og:image" content="$picture">
""")


def text(words):
    return html.escape(words, quote=False)


def shown(ladder):
    """The last stage that loses the race before one that holds, and that one; or what there is of them."""
    steps = [pair for pair in itertools.pairwise(run for run in ladder if run["verdict"] in ("BROKEN", "HOLDS"))
             if [run["verdict"] for run in pair] == ["BROKEN", "HOLDS"]]
    lost = [run for run in ladder if run["verdict"] == "BROKEN"]
    return [*steps[-1]] if steps else lost[-1:] or [run for run in ladder if run["verdict"] == "HOLDS"][:1]


def preview_words(runs):
    """"Stage 4 loses the lock: B and C are both inside. Stage 5 holds it.\""""
    said = {"BROKEN": "loses the lock", "HOLDS": "holds it"}
    return " ".join(f'Stage {short(run["lock"]).removeprefix("stage")} {said[run["verdict"]]}'
                    f'{": " + run["reason"] if run["reason"] else "."}' for run in runs)


def why(run):
    said = " ".join(part for part in (run["reason"], run.get("because") and f"Lost because {run['because']}", run.get("answered_by")) if part)
    return f"<strong>{run['verdict']}</strong>{': ' if said else '.'}{text(said)}"


def figure(name, run):
    lock = short(run["lock"])
    width, height = re.search(r'<svg [^>]*?width="(\d+)" height="(\d+)"', run["picture"]).groups()
    return (f'<h2>Stage {lock.removeprefix("stage")}</h2>\n<p>{why(run)}</p>\n'
            f'<p class="wide" tabindex="0"><a href="../index.html#cell/{name}/{lock}"><img src="{name}.{lock}.svg" loading="lazy" width="{width}" '
            f'height="{height}" alt="The run of {name} on {lock}, step by step"></a></p>')


def anchor_of(told):
    return re.sub(r"[^\w\s-]", "", f"{told.name} {told.title}").strip().lower().replace(" ", "-")


def page_of(told, ladder):
    """(its body, what it says for a preview)"""
    runs = shown(ladder)
    heads = "".join(f'<th scope="col">{short(run["lock"]).removeprefix("stage")}</th>' for run in ladder)
    cells = "".join(f'<td class="{WORDS[run["verdict"]]}"><a href="../index.html#cell/{told.name}/{short(run["lock"])}">'
                    f'{WORDS[run["verdict"]]}</a></td>' for run in ladder)
    story = "".join(f"<p>{text(' '.join(part.split()))}</p>\n" for part in told.story)
    body = PAGE.substitute(
        of=told.of, chapter=text(atlas.chapter_title(told.of)), title=text(f"{told.name}: {told.title}"), story=story,
        heads=heads, cells=cells, runs="\n".join(figure(told.name, run) for run in runs), name=told.name,
        anchor=anchor_of(told), source="Source: " + inline(atlas.linked(told.source), "../docs/"))
    picture = f'{told.name}.{short(runs[0]["lock"])}.svg' if runs else ""
    description = preview_words(runs) or " ".join(told.story[0].split())
    return body, PREVIEW.substitute(title=html.escape(f"{told.title} · Lockstep"),
                                    description=html.escape(description), picture=picture)


def write(folder, told, found, wrap):
    """Of one race, whose runs are `found`."""
    ladder = [run for run in found if run["lock"].startswith("stage")]
    body, preview = page_of(told, ladder)
    (folder / FOLDER).mkdir(exist_ok=True)
    for run in shown(ladder):
        (folder / FOLDER / f'{told.name}.{short(run["lock"])}.svg').write_text(run["picture"])
    page = wrap(f"{told.name}: {told.title}", body, 1)
    (folder / FOLDER / f"{told.name}.html").write_text(page.replace("</title>\n", f"</title>\n{preview}", 1))
