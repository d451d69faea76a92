"""Sentences that are read once: what a program can see of them, in the pages and in comments.

tests/prose.txt lists the sentences that still offend. A new one fails; so does a line of the list
whose sentence has been mended: take it off.

    /usr/bin/python3 tests/test_prose.py    prints the sentences that offend now, as in the list
"""

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LONG = 28
MANY = 14  # lines of the list, at most; lower it when the list gets shorter
GENERATED = ("docs/atlas/", "docs/matrix.md", "docs/LICENSE.md")

RELATIVE = r"(?:who|whom|whose|which|that)"
# A relative clause with another one inside it, or right behind it.
CLAUSES = re.compile(rf"\b{RELATIVE}\b[^,;:.()]*?\b{RELATIVE}\b", re.I)
# These are none: a clause behind a verb of saying, an indirect question, a demonstrative.
VERBS = (r"admit|ask|assume|believe|check|claim|condition|decide|depends on|enough|except|explain|find|find out|found"
         r"|hear|heard|hope|knew|know|known|learn|learnt|look|matter|mean|meant|note|notice|promise|prove|remember"
         r"|report|require|said|saw|say|see|seen|sense|show|so|such|sure|tell|think|told|true|warn|way|write|wrote")
NO_CLAUSE = re.compile(
    rf"\b(?:{VERBS})(?:s|d|ed|ing|shown)?,? (?:\w+ )?(?:that|who|whose|which)\b"
    r"|\b(?:after|before|at|by|for|from|in|into|of|on|to|with|without|than|until|since|like|does|do|is) that\b"
    r"|\bthat (?:is (?:to say|why|how|all|what)|much|many|of|one|time|moment|order|lock|client|number)\b", re.I)
# A subject without a noun: "Who comes late waits", "What it holds is gone".
SUBJECT = re.compile(r"(?:^(?:Who|What|Which|Whose|Whoever|Whatever)"
                     r"|, (?:but|so) (?:who|what)(?:ever)?|, (?:and|or) who(?:ever)?"
                     r"|\b(?:lets in|that|if|than|against|for|of|by|from) who(?:ever)?) ")
OPENING = re.compile(r"(?:What|Who|Whose|Which)\b")


# Behind a full stop: a capital letter, a number, or a name such as race.h, argv[0] and mix().
ENDS = re.compile(r"(?<=[.!?])[\")]?\s+(?=[\"(]?(?:[A-Z0-9]|\w+[._(\[]\w?))")


def plain(text):
    """A paragraph without its markup; a word in place of each name in backticks, no title before a list."""
    text = re.sub(r"^\[[^\]]*\]\([^)]*\):", "", text)
    text = re.sub(r"``?[^`]+``?", "X", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(re.sub(r"\*\*([^*]+)\*\*|\*([^*]+)\*", r"\1\2", text).split())


def sentences(paragraph):
    return [part for part in ENDS.split(plain(paragraph)) if part]


def paragraphs_of_page(text):
    """Without runs, commands and headings; a cell of a table and an item of a list are paragraphs."""
    text = re.sub(r"^```.*?^```$", "\n", text, flags=re.M | re.S)
    text = re.sub(r"^(?:    .*|#.*|---.*)$", "", text, flags=re.M)
    text = re.sub(r"^( *)(?:[-*]|\d+\.) ", "\n", text, flags=re.M)
    for paragraph in re.split(r"\n\s*\n", text):
        rows = [line for line in paragraph.splitlines() if line.startswith("|") and not line.startswith("|--")]
        for row in rows:
            yield from (cell.strip() for cell in row.strip("|").split(" | "))
        yield "\n".join(line for line in paragraph.splitlines() if not line.startswith("|"))


def paragraphs_of_source(text):
    """Its comments, on lines of their own and at the ends of lines; without commands and tables."""
    blocks, last = [], None
    for number, line in enumerate(text.splitlines()):
        found = re.match(r'((?:"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[^"\'/]|/(?!/))*)// ?(.*)', line)
        if not found:
            last = None
            continue
        column, comment = len(found[1]), found[2]
        if found[1].strip() or last is None or column != last:
            blocks.append([])
        blocks[-1].append("" if re.search(r"^    |\S   +\S", comment) else re.sub(r"^[-*] ", "\n", comment))
        last = column
    for block in blocks:
        yield from re.split(r"\n\s*\n", "\n".join(block))


def faults(sentence, opens_comment):
    words = [word for word in sentence.split() if re.search(r"\w", word)]
    if len(words) > LONG:
        yield "long"
    if sentence.endswith("?"):
        return
    if CLAUSES.search(NO_CLAUSE.sub("", sentence)):
        yield "clauses"
    if opens_comment and OPENING.match(sentence):
        yield "opening"
    elif SUBJECT.search(sentence):
        yield "noun"


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.split()


def offences():
    found = []
    for name in tracked("README.md", "docs/*.md", "*.c", "*.h"):
        if name.startswith(GENERATED):
            continue
        of_source = not name.endswith(".md")
        text = (ROOT / name).read_text()
        for paragraph in (paragraphs_of_source if of_source else paragraphs_of_page)(text):
            for place, sentence in enumerate(sentences(paragraph)):
                found += [(name, fault, sentence) for fault in faults(sentence, of_source and place == 0)]
    return found


def listed():
    return [tuple(line.split("\t")) for line in (ROOT / "tests/prose.txt").read_text().splitlines()]


def test_each_sentence_is_read_once():
    """Mend the sentence. The list grows for no new one, and a mended one is taken off it."""
    found, known = Counter(offences()), Counter(listed())
    assert sorted(found - known) == [], "mend these sentences"
    assert sorted(known - found) == [], "mended: take these lines off tests/prose.txt"


def test_the_list_is_short():
    files = [name for name, _, _ in listed()]
    assert len(files) <= MANY
    assert not [name for name in files if name in ("README.md", "docs/start.md") or name.startswith("docs/stage")]


@pytest.mark.parametrize("fault, sentence", [
    ("long", " ".join(["word"] * 29) + "."),
    ("clauses", "It tells the client that has a lock which is free."),
    ("clauses", "A release deletes the lock of a client that the server that died has let in."),
    ("noun", "Who comes late waits."),
    ("noun", "It lets in who asks."),
    ("noun", "What A holds is gone."),
])
def test_a_fault_is_seen(fault, sentence):
    assert list(faults(sentence, False)) == [fault]


@pytest.mark.parametrize("sentence", [
    " ".join(["word"] * 28) + ".",
    "The release does not ask whose lock that is.",
    "A client that is told that its lock is lost stops.",
    "Who is inside?",
    "The judge asks who is inside.",
    "A, who had the lock, has left.",
])
def test_a_good_sentence_passes(sentence):
    assert list(faults(sentence, False)) == []


def test_only_a_comment_may_not_open_so():
    assert list(faults("What the server has answered.", True)) == ["opening"]
    assert list(faults("Whose lock is it?", True)) == []


def test_a_page_is_read_without_its_runs():
    page = ("# Who has a head\n\nOne *lock*\nhas `a b c`. Two.\n\n```console\n$ Who runs\n```\n\n    Who types\n\n"
            "- item\n- [Who is it](a.md): `x`\n\n| cell one | [b](c.md) |\n|---|---|\n")
    assert [sentence for paragraph in paragraphs_of_page(page) for sentence in sentences(paragraph)] == [
        "One lock has X.", "Two.", "item", "X", "cell one", "b"]


def test_a_source_is_read_for_its_comments():
    source = ('// Two lines\n// of one. More.\n//\n//     ./a command\n// - an item\nint a; // the first\n'
              'int b; // the second, and\n       // its rest\nchar *c = "// no comment";\n//   a    table\n')
    assert [sentence for paragraph in paragraphs_of_source(source) for sentence in sentences(paragraph)] == [
        "Two lines of one.", "More.", "an item", "the first", "the second, and its rest"]


if __name__ == "__main__":
    for offence in offences():
        print("\t".join(offence))
