"""The pages of docs/ and the README as HTML, with their links among each other."""

import html
import re
import shutil

import markdown
from markdown.extensions.toc import slugify

import recordings
import runs
from colours import colour_blocks, diff_lines
from tree import ROOT, locks, run, short

LINK = re.compile(r'(?P<name>href|src)="(?P<target>[^":#]+)(?P<rest>#[^"]*)?"')


def to_html(text):
    return markdown.markdown(text, extensions=["tables", "fenced_code", "toc", "md_in_html", "sane_lists"])


def inline(text):
    """A sentence; its links to pages lead there from the page with the matrix."""
    body = to_html(text).removeprefix("<p>").removesuffix("</p>")
    return LINK.sub(lambda link: f'href="docs/{link["target"].replace(".md", ".html")}{link["rest"] or ""}"', body)


def page_of(path):
    """Where a page of the repository stands on the site, from docs/."""
    if path.name == "README.md":
        path = path.with_name("index.md")
    return path.relative_to(ROOT if path.parent == ROOT else ROOT / "docs").with_suffix(".html").as_posix()


def size_and_lazy(picture):
    """Attributes of an image: its place on the page is known before it is loaded, when it comes near."""
    width, height = re.search(r' width="(\d+)" height="(\d+)"', picture.read_text()).groups()
    return f' width="{width}" height="{height}" loading="lazy"'


def relink(text, page):
    """Links to pages lead to pages, links to a lock or a race to where the site shows it; a link
    to anything else in the repository becomes plain text with its path."""
    def link(match):
        path = (page.parent / match["target"]).resolve()
        up = "../" * page_of(page).count("/")
        if path.suffix == ".svg" and path.exists():
            return f'{match["name"]}="{up}pictures/{path.name}"{size_and_lazy(path) if match["name"] == "src" else ""}'
        if path.suffix == ".md" and path.exists():
            return f'{match["name"]}="{up}{page_of(path)}{match["rest"] or ""}"'
        if path.name == "lock.c" and path.exists():
            return f'{match["name"]}="{up}../index.html#lock/{path.parent.name}"'
        return f'class="elsewhere" title="{path.relative_to(ROOT)} in the repository"'

    return LINK.sub(link, text)


COMMAND = re.compile(r"\./scenarios/(?P<program>\w+) --stage (?P<lock>\w+)")
NO_WORDS = re.compile(r"(<a\b.*?</a>|<h[1-6]\b.*?</h[1-6]>|<[^>]+>)", re.S)  # elements that stay as they are


def link_runs(body, page, wanted):
    """A command that runs a race on a lock leads to that run on the site, and a game to the game."""
    up = "../" * page_of(page).count("/")
    known = {short(lock): short(lock) for lock in runs.shown_locks()}
    known |= {name.removeprefix("stage"): name for name in known.values() if name.startswith("stage")}

    def link(match):
        lock = known.get(match["lock"])
        if match["program"] in wanted and lock:
            return f'<a href="{up}../index.html#cell/{match["program"]}/{lock}">{match[0]}</a>'
        if match["program"] == "play" and lock in recordings.GAMES:
            return f'<a href="{up}../index.html#play/{lock}">{match[0]}</a>'
        return match[0]

    parts = NO_WORDS.split(body)
    return "".join(part if at % 2 else COMMAND.sub(link, part) for at, part in enumerate(parts))


def difference(number):
    """The step to a stage, as `make diff HEAD=1` shows it."""
    lines = run("make", "-s", "diff", f"N={number}", "HEAD=1").out.splitlines()
    return f'<pre class="code diff">{diff_lines(lines[2:])}</pre>'


def stage_of(page):
    """The number of the stage whose page it is, or None."""
    found = re.fullmatch(r"stage(\d+)", page.stem)
    return int(found[1]) if found and page.parent == ROOT / "docs" else None


def side_menu(number):
    """The stages, beside the page of one."""
    def link(to, words):
        here = ' aria-current="page"' if to == number else ""
        return f'<a href="stage{to}.html"{here}>{words}</a>'

    rungs = [lock for lock in locks() if lock.startswith("stage")]
    items = [link(at, f'{at} <span>{lock.partition("_")[2].replace("_", " ")}</span>')
             for at, lock in enumerate(rungs)]
    steps = [link(to, words) for to, words in ((number - 1, "← Previous"), (number + 1, "Next →"))
             if 0 <= to < len(rungs)]
    return (f'<nav class="side" aria-label="Stages"><p class="rungs-list">{" ".join(items)}</p>'
            f'<p>{" ".join(steps)}</p></nav>\n')


def of_a_stage(page, body):
    """The page of a stage has the menu of the stages; below its title its lock.c, the step to it, and
    a game against it. The step is shown only once: where the page has none of its own."""
    number = stage_of(page)
    if number is None:
        return body
    words = [f'<a href="../index.html#lock/stage{number}">lock.c, and the races that it loses</a>']
    if number > 0:
        words.append(f'<a href="../index.html#diff/{number - 1}/{number}">what changes from stage {number - 1}</a>')
    if f"stage{number}" in recordings.GAMES:
        words.append(f'<a href="../index.html#play/stage{number}">play against it</a>')
    shown = number == 0 or "\n$ make -s diff " in page.read_text()
    step = "" if shown else (f"<details><summary>What changes from stage {number - 1}</summary>"
                             f"{difference(number)}</details>")
    return side_menu(number) + body.replace(
        "</h1>", f'</h1>\n<p class="small">On this site: {" · ".join(words)}.</p>\n{step}', 1)


def of_the_atlas(page, body):
    """The name of a race leads to its verdicts and runs."""
    if page.parent.name != "atlas":
        return body
    return re.sub(r"(<h2[^>]*>|<td><code>)(\w+)(:|</code>)", r'\1<a href="../../index.html#race/\2">\2</a>\3', body)


def reachable(body):
    """A sample or a table may be wider than the window: it takes the focus, so that keys scroll it. A head
    without words is a cell."""
    body = re.sub(r"<(pre|table)\b", r'<\1 tabindex="0"', body)
    return re.sub(r"<th\b[^>]*></th>", "<td></td>", body)


def anchor(heading):
    """The id of a heading of a page."""
    return slugify(heading, "-")


def wrap(title, body, depth, about=""):
    """A whole page. `about` are elements for its head."""
    template = (ROOT / "common/site/page.html").read_text()
    for name, text in (("title", title), ("about", about), ("up", "../" * depth), ("body", reachable(body))):
        template = template.replace(f"{{{name}}}", text)
    return template


def write(folder, wanted):
    """All pages. `wanted` are the races whose runs the site has."""
    sources = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
    for page in sources:
        text = page.read_text()
        # A block inside of <details> is Markdown, too.
        body = to_html(text.replace("<details>", '<details markdown="1">'))
        name = page_of(page)
        title = re.sub(r"`", "", re.match(r"#+ (.*)", text)[1])
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        body = link_runs(colour_blocks(relink(body, page)), page, wanted)
        target.write_text(wrap(title, of_a_stage(page, of_the_atlas(page, body)), 1 + name.count("/")))
    shutil.copytree(ROOT / "docs/pictures", folder / "pictures")
