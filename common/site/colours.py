"""The colours of C, Lua and differences in the pages, made by Pygments when the site is built.

Each line is coloured by itself, because a difference has lines of two files. Nothing in this tree
needs more: its comments end with their line. site.css has the colours, for light and dark.
"""

import html
import re

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CLexer, LuaLexer

FORMATTER = HtmlFormatter(nowrap=True)
LEXERS = {lexer: lexer(stripnl=False) for lexer in (CLexer, LuaLexer)}
# A line of a script, as a C string: "return 0\\n"
SCRIPT = re.compile(r'(?P<before>\s*")(?P<lua>(?:[^"\\]|\\[^n])*)(?P<after>\\n"[;,]?)$')
BLOCK = re.compile(r'<pre><code class="language-(?P<language>\w+)">(?P<text>.*?)</code></pre>', re.S)
# Commands of a console block whose output is code.
OF_DIFF, OF_C = re.compile(r"\$ make (-s )?diff\b"), re.compile(r"\$ (sed|cat|grep) [^|]*\.[ch]$")


NO_COLOUR = re.compile(r'<span class="(?:w|p|n|o|nc|nl)">(.*?)</span>')  # blanks, signs and most names


def coloured(lexer, text):
    return NO_COLOUR.sub(r"\1", highlight(text, LEXERS[lexer], FORMATTER)).rstrip("\n")


def c_line(line):
    script = SCRIPT.fullmatch(line)
    if script:
        before, after = (f'<span class="s">{html.escape(script[name], quote=False)}</span>'
                         for name in ("before", "after"))
        return before + coloured(LuaLexer, script["lua"]) + after
    return coloured(CLexer, line)


def diff_lines(lines):
    """A difference, a row for each line."""
    return "".join(
        '<span class="line gap">⋯\n</span>' if line.startswith("@") else
        diff_line(line) if line[:1] in ("-", "+") else f'<span class="line"> {code_line(line[1:])}</span>'
        for line in lines)


def of_console(lines):
    """Commands and their output; the output of `make diff` or of a look into C is coloured."""
    rows, colour = [], None
    for line in lines:
        if line.startswith("$ "):
            colour = diff_line if OF_DIFF.match(line) else code_line if OF_C.match(line) else None
            rows.append(html.escape(line, quote=False) + "\n")
        else:
            rows.append((colour or plain)(line))
    return "".join(rows)


def plain(line):
    return html.escape(line, quote=False) + "\n"


def code_line(line):
    return c_line(line) + "\n"


def code_lines(text):
    """The lines of a file, as base.js reads them."""
    return "\n".join(map(c_line, text.split("\n")))


def diff_line(line):
    tag = {"-": "del", "+": "ins"}.get(line[:1])
    if not tag or line.startswith(("---", "+++")):
        return plain(line)
    return f'<{tag} class="line">{line[0]}{c_line(line[1:])}\n</{tag}>'


OF_LANGUAGE = {"c": code_line, "lua": lambda line: coloured(LuaLexer, line) + "\n", "diff": diff_line}


def colour_blocks(body):
    """The blocks of code of a page, in colours."""
    def block(match):
        language, lines = match["language"], html.unescape(match["text"]).splitlines()
        if language == "console":
            text = of_console(lines)
        elif language in OF_LANGUAGE:
            text = "".join(map(OF_LANGUAGE[language], lines))
        else:
            return match[0]
        return f'<pre><code class="language-{language}">{text}</code></pre>'

    return BLOCK.sub(block, body)
