"""The pages of docs/ and the README as HTML, with their links among each other."""

import re
import shutil

import markdown

from lockstep import ROOT

SOURCES = "https://github.com"  # only where a page itself has such a link
LINK = re.compile(r'(?P<name>href|src)="(?P<target>[^":#]+)(?P<rest>#[^"]*)?"')


def to_html(text):
    return markdown.markdown(text, extensions=["tables", "fenced_code", "toc", "md_in_html", "sane_lists"])


def inline(text):
    """A sentence; its links to pages lead there from the page with the matrix."""
    body = to_html(text).removeprefix("<p>").removesuffix("</p>")
    return LINK.sub(lambda link: f'href="docs/{link["target"].replace(".md", ".html")}{link["rest"] or ""}"', body)


def page_of(path):
    """Where a page of the repository stands on the site, from docs/."""
    if path == ROOT / "README.md":
        return "index.html"
    return path.relative_to(ROOT / "docs").with_suffix(".html").as_posix()


def relink(text, page):
    """Links to pages lead to pages, links to a lock or a race to where the site shows it; a link
    to anything else in the repository becomes plain text with its path."""
    def link(match):
        path = (page.parent / match["target"]).resolve()
        up = "../" * page_of(page).count("/")
        if path.suffix == ".svg" and path.exists():
            return f'{match["name"]}="{up}pictures/{path.name}"'
        if path.suffix == ".md" and path.exists():
            return f'{match["name"]}="{up}{page_of(path)}{match["rest"] or ""}"'
        if path.name == "lock.c" and path.exists():
            return f'{match["name"]}="{up}../index.html#lock/{path.parent.name}"'
        return f'class="elsewhere" title="{path.relative_to(ROOT)} in the repository"'

    return LINK.sub(link, text)


def wrap(title, body, depth):
    template = (ROOT / "common/site/page.html").read_text()
    return template.replace("{title}", title).replace("{up}", "../" * depth).replace("{body}", body)


def write(folder):
    sources = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
    for page in sources:
        text = page.read_text()
        # A block inside of <details> is Markdown, too.
        body = to_html(text.replace("<details>", '<details markdown="1">'))
        name = page_of(page)
        title = re.sub(r"`", "", re.match(r"#+ (.*)", text)[1])
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(wrap(title, relink(body, page), 1 + name.count("/")))
    shutil.copytree(ROOT / "docs/pictures", folder / "pictures")
